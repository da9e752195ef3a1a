"""The long text of a result while it arrives: it is packed, measured and indexed, and never in memory as a whole.

Three threads work on it: the one that unescapes it, and writes it here; one that packs (``stores.arriving``); and one
that follows with the index, or hands the text to a process that does (``following``). What they have made is a
``LongBytes`` that knows what was learned of it, and goes the way of any other text from there on: ``core.fit`` decides
on it, and ``Gate`` commits its frames. Until then the store has nothing of it.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.document import follow
from penstock.core.json.long_bytes import NEWLINES, gathered
from penstock.core.reading.window import Measuring
from penstock.stores.arriving import ArrivingBytes
from penstock.stores.spool import Spool

if TYPE_CHECKING:
    from penstock.core.json.long_bytes import Bytes
    from penstock.gate.following import Follower
    from penstock.stores import Store

DECODED: Final = 16_777_216  # bytes up to which a text is learned whole, and so is given back as bytes


class Arrival:
    """Takes a text piece by piece, as ``Sink`` says. End it by ``done`` or ``drop``."""

    def __init__(self, store: Store, most: int, follower: Follower | None = None) -> None:
        """Start the threads. ``most`` is how many bytes may come. The ``follower`` makes the index, and is ended here;
        without one a thread does."""
        self._follower = follower
        self._ruler = Measuring()
        self._newlines = 0
        self._has_surrogates = False
        self._followed: dict[str, Any] = {}
        spool = Spool(store.folder, may_write=store.is_apart)
        shared: dict[str, Any] = {} if follower is None else {"ring": follower.ring, "announce": follower.announce}
        self._bytes = ArrivingBytes(most, spool, follows=True, **shared)
        self._following = threading.Thread(target=self._follow, name="penstock-index", daemon=True)
        self._following.start()

    def write(self, piece: str) -> None:
        """Take the next piece. Raises what keeps it from being packed, such as a full disk."""
        try:
            data = piece.encode()
        except UnicodeEncodeError:
            data = piece.encode("utf-8", "surrogatepass")
            self._has_surrogates = True
        self._ruler.step(len(data), len(piece))
        if b"\n" in data:  # found or missed in a tenth of the time that counting takes
            self._newlines += data.count(b"\n")
        self._bytes.write(data)

    def done(self) -> Bytes:
        """Return all that was written. It is in memory if it is small, or if only the whole of it can be read."""
        self._bytes.close()
        self._following.join()
        if self._has_surrogates or self._bytes.size <= DECODED or not self._followed:
            return gathered(self._bytes)
        self._bytes.learn(
            {
                **self._followed,
                "ruler": self._ruler.done("strict"),
                NEWLINES: self._newlines,
            }
        )
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
