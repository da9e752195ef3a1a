"""A long part of a result while it arrives: it is packed, measured and indexed, and never in memory as a whole.

Three threads work on it: the one that reads it, unescapes a text, and writes it here; one that packs
(``stores.arriving``); and one that follows with the index, or hands the part to a process that does (``following``).
What they have made is a ``LongBytes`` that knows what was learned of it, and goes the way of any other text from there
on: ``core.fit`` decides on it, and ``Gate`` commits its frames. Until then the store has nothing of it.
"""

from __future__ import annotations

import codecs
import threading
from typing import TYPE_CHECKING, Any, Final, Self

from penstock.core.arrived import read_arrived
from penstock.core.forms.document import KIND, Kind, follow
from penstock.core.json.long_bytes import NEWLINES, LongBytes, gathered
from penstock.core.json.scan import CHUNK
from penstock.core.reading.window import Measuring
from penstock.gate.following import start_follower
from penstock.stores.arriving import ArrivingBytes
from penstock.stores.spool import Spool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.core.answer.result import Result
    from penstock.core.json.long_bytes import Bytes
    from penstock.core.json.long_parts import LongParts
    from penstock.gate.following import Follower
    from penstock.stores import Store

DECODED: Final = 16_777_216  # bytes up to which a text is learned whole, and so is given back as bytes


class Arrival:
    """Takes a text or data piece by piece, as ``PartSink`` says. End it by ``done``, ``done_data`` or ``drop``."""

    def __init__(self, store: Store, most: int, follower: Follower | None = None) -> None:
        """Start the threads. ``most`` is how many bytes may come. The ``follower`` makes the index, and is ended here;
        without one a thread does."""
        self._follower = follower
        self._ruler = Measuring()
        self._newlines = 0
        self._is_strict = True  # UTF-8 without surrogates
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._followed: dict[str, Any] = {}
        spool = Spool(store.folder, may_write=store.is_apart)
        shared: dict[str, Any] = {} if follower is None else {"ring": follower.ring, "announce": follower.announce}
        self._bytes = ArrivingBytes(most, spool, follows=True, **shared)
        self._following = threading.Thread(target=self._follow, name="penstock-index", daemon=True)
        self._following.start()

    def write(self, piece: str) -> None:
        """Take the next piece of a text. Raises what keeps it from being packed, such as a full disk."""
        try:
            data = piece.encode()
        except UnicodeEncodeError:
            data = piece.encode("utf-8", "surrogatepass")
            self._is_strict = False
        self._write(data, len(data), len(piece))

    def write_data(self, piece: bytes) -> None:
        """Take the next piece of data, cut anywhere."""
        for at in range(0, len(piece), CHUNK):
            part = piece[at : at + CHUNK]
            before = len(self._decoder.getstate()[0])
            try:
                characters = len(self._decoder.decode(part))
            except UnicodeDecodeError:
                self._decoder.reset()
                characters, self._is_strict = 0, False
            torn = len(self._decoder.getstate()[0])
            self._write(part, before + len(part) - torn, characters)

    def _write(self, data: bytes, size: int, characters: int) -> None:
        """Pack bytes. With them so many more make whole characters."""
        self._ruler.step(size, characters)
        if b"\n" in data:  # found or missed in a tenth of the time that counting takes
            self._newlines += data.count(b"\n")
        self._bytes.write(data)

    def done(self) -> Bytes:
        """Return all that was written. It is in memory if it is small, or if only the whole of it can be read."""
        long = self._done()
        return gathered(self._bytes) if long is None else long

    def done_data(self) -> LongBytes | None:
        """Return all that was written, if it is long, and JSON to a strict parser; else it can be had by
        ``getvalue``."""
        long = self._done()
        return long if long is not None and long.learned[KIND] is Kind.JSON else None

    def _done(self) -> LongBytes | None:
        self._bytes.close()
        self._following.join()
        if not self._is_strict or self._bytes.size <= DECODED or not self._followed:
            return None
        self._bytes.learn({**self._followed, "ruler": self._ruler.done("strict"), NEWLINES: self._newlines})
        return self._bytes

    def getvalue(self) -> bytes:
        """Return all that was written, in memory."""
        self._bytes.close()
        return gathered(self._bytes)

    def drop(self, error: BaseException | None = None) -> None:
        """Drop what was written."""
        self._bytes.abandon(error)
        self._following.join()

    def _follow(self) -> None:
        try:
            apart = None if self._follower is None else self._follower.follow(self._bytes)
            self._followed = follow(self._bytes) if apart is None else apart
        except Exception:  # noqa: BLE001  (the writer gave up; or else the text is read as a whole, which says why)
            self._followed = {}
        finally:
            self._bytes.stop_following()
            if self._follower is not None:
                self._follower.stop()
                self._follower = None  # which holds the ring


class Arrivals:
    """The parts of one line, which arrive one after the other. Those that are not done at the end, by an error, are
    dropped."""

    def __init__(self, opened: Callable[[], Store], most: int) -> None:
        """Take what opens the store, and how many bytes a part may have."""
        self._opened = opened
        self._most = most
        self._follower = start_follower(most)  # which takes as long to start as the store to open
        self._begun: list[Arrival] = []

    def begin(self) -> Arrival:
        """Begin a part. All before it are done."""
        follower, self._follower = self._follower or start_follower(self._most), None
        try:
            arrival = Arrival(self._opened(), self._most, follower)
        except BaseException:
            self._follower = follower
            raise
        self._begun.append(arrival)
        return arrival

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if self._follower is not None:
            self._follower.stop()
        for arrival in self._begun if error is not None else ():
            arrival.drop(error)


def read_parts(raw: bytes, parts: LongParts, store: Store) -> Result:
    """Read a result whose long parts have arrived. A text and data that say different things become one document, which
    is packed and indexed anew: neither is in memory as a whole."""

    def join(pieces: Iterator[bytes], most: int) -> Bytes:
        with Arrivals(lambda: store, most) as arrivals:
            arrival = arrivals.begin()
            for piece in pieces:
                arrival.write_data(piece)
            data = arrival.done_data()
            return arrival.getvalue() if data is None else data

    return read_arrived(raw, parts, join)
