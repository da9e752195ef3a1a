"""Records that are a log: each with a level, a message and a time. The preview is JSON, as the records are.

Only the level of most records is read, and the message of those that are errors; nothing else is decoded.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import Raw

from penstock.core.forms.times import looks_like_time
from penstock.core.json.strings import quote
from penstock.core.preview.base import Preview, Shown
from penstock.core.preview.cells import array_of, beside, cell, counted, fields, number, object_of, small
from penstock.core.preview.levels import Level, is_level, level_named
from penstock.core.preview.lines import STRETCHES, filled, interleave, stretches
from penstock.core.preview.tally import Kinds, Tally, kinds
from penstock.core.toolkit.fields import TIME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.core.budget import Room
    from penstock.core.json.index import Container
    from penstock.core.subject import Subject

MOST_READ: Final = 20_000  # records whose level is read, in about 50 ms
MOST_SIZE: Final = 33_554_432  # bytes of them: records may be large
MOST_EACH: Final = 300  # records of the head, of the tail and of errors that a preview may draw on
SMALL_RECORD: Final = 400  # bytes of a record that is shown as it is
LONG_VALUE: Final = 200  # characters of one string in a larger record
MOST_FIELDS: Final = 24  # fields of a larger record
COMPARED: Final = 300  # bytes of two messages that are compared to tell whether they are alike
TURNS: Final = (0, 1, 2, 1, 0, 1)

_LEVELS: Final = ("level", "severity", "lvl", "levelname", "loglevel", "log_level", "log.level")
_MESSAGES: Final = ("message", "msg", "event", "text", "body", "log", "description")
# As pino and bunyan number their levels.
_NUMBERED: Final = {"10": "TRACE", "20": "DEBUG", "30": "INFO", "40": "WARN", "50": "ERROR", "60": "FATAL"}


def json_log(subject: Subject, room: Room) -> Preview | None:
    """The preview of the main container, if its records are log entries."""
    picture = subject.once("json_log", _picture)
    return None if picture is None else filled(1 + len(picture.order), picture.draw, room)


def _picture(subject: Subject) -> _Picture | None:
    main = subject.main
    if main is None or main.kind not in ("array", "records"):
        return None
    names = _names(subject.sample(60))
    if names is None:
        return None
    return _Picture(subject=subject, main=main, level=names[0], message=names[1], time=names[2])


def _names(sample: list[bytes]) -> tuple[str, str, str] | None:
    """The fields of level, message and time, if nearly all records have all three."""
    found: tuple[Counter[str], Counter[str], Counter[str]] = (Counter(), Counter(), Counter())
    promising: dict[str, list[tuple[Counter[str], Callable[[bytes], bool]]]] = {}
    for record in sample:
        for key, value in fields(record).items():
            if key not in promising:
                tests = zip(_promises(key), found, (_is_level, _is_message, _is_time), strict=True)
                promising[key] = [(counter, is_it) for promises, counter, is_it in tests if promises]
            for counter, is_it in promising[key]:
                counter[key] += is_it(value)
    best = [max(counter.items(), key=lambda one: one[1], default=("", 0)) for counter in found]
    if any(times * 10 < len(sample) * 9 for _, times in best) or len(sample) < 2:
        return None
    return best[0][0], best[1][0], best[2][0]


def _promises(key: str) -> tuple[bool, bool, bool]:
    """Whether a field is named like one of level, message and time."""
    return key.lower() in _LEVELS, key.lower() in _MESSAGES, TIME.preference((key.lstrip("@"),)) is not None


def _is_level(value: bytes) -> bool:
    return _level(value) is not None


def _is_message(value: bytes) -> bool:
    return value[:1] == b'"'


def _is_time(value: bytes) -> bool:
    return len(value) < 60 and looks_like_time(_plain(value))


def _plain(value: bytes) -> Any:
    try:
        return msgspec.json.decode(value)
    except msgspec.DecodeError:
        return None


def _level(value: bytes) -> Level | None:
    """The level that a JSON value is: a word that loggers use, or one of pino's numbers."""
    if value[:1] != b'"':
        name = _NUMBERED.get(value.decode("utf-8", "replace"))
        return None if name is None else level_named(name)
    word = _plain(value) if len(value) < 40 else None
    return level_named(word.upper()) if isinstance(word, str) and is_level(word) else None


class _Picture:
    """A log to draw: ``order`` has the records worth showing, the most worth first."""

    def __init__(self, *, subject: Subject, main: Container, level: str, message: str, time: str) -> None:
        self.subject = subject
        self.main = main
        self.tally = self._tally(_field(level))
        messages = _field(message)
        self.kinds: Kinds = kinds(self.tally, lambda at: messages(self._item(at))[:COMPARED])
        self.around = beside(subject, main)
        self.ready: dict[int, bytes] = {}
        times = _field(time)
        self.span = array_of(cell(times(self._item(at)) or b"null") for at in (0, main.count - 1))
        head = range(min(main.count, MOST_EACH))
        tail = range(main.count - 1, max(-1, main.count - 1 - MOST_EACH), -1)
        errors = list(islice(self.kinds.times, MOST_EACH))
        self.order = list(dict.fromkeys(interleave(TURNS, head, errors, tail)))

    def draw(self, amount: int) -> Preview:
        """A bare count, then the counts by level, then with them the first records of the order."""
        count = self.main.count
        chosen = set(self.order[: max(0, amount - 1)])
        members = [("records", number(count)), *(self._members(chosen) if amount else [])]
        members.append(("not_shown", number(count - len(chosen))))
        shown = Shown(path=self.main.path, start=0, end=len(chosen), total=count)
        errors = f"{self.tally.about}{counted(self.tally.errors, 'error')}"
        return Preview(
            text=object_of(members).decode(),
            style="log",
            shown=shown,
            headline=f"{counted(count, 'record')} of log, {errors}",
        )

    def _members(self, chosen: set[int]) -> list[tuple[str, bytes]]:
        count = self.main.count
        head = next((at for at in range(count) if at not in chosen), count)
        tail = next((at for at in range(count, head, -1) if at - 1 not in chosen), head)
        between = sorted(at for at in chosen if head <= at < tail)
        left = self.kinds.left(chosen, "record")
        return [
            ("time", self.span),
            ("about" if self.tally.about else "levels", msgspec.json.encode(self.tally.counts())),
            ("beside", self.around),
            ("head", _records(self._shown(at) for at in range(head))),
            (f"{self.kinds.noun}s", _records(self._error(at) for at in between)),
            ("more", quote(left) if left else b""),
            ("tail", _records(self._shown(at) for at in range(tail, count))),
        ]

    def _error(self, at: int) -> bytes:
        """The first record of a kind: where it stands, and how often it came up to which other."""
        times = self.kinds.times.get(at, 1)
        again = [("times", number(times)), ("last", number(self.kinds.last[at]))] if times > 1 else []
        return object_of([("index", str(at).encode()), *again, ("record", self._shown(at))])

    def _item(self, at: int) -> bytes:
        return self.main.item(self.subject.read, at)

    def _shown(self, at: int) -> bytes:
        if at not in self.ready:
            self.ready[at] = _shortened(self._item(at))
        return self.ready[at]

    def _tally(self, level: Callable[[bytes], bytes]) -> Tally:
        count = self.main.count
        average = max(1, self.main.size // count)
        length = max(1, min(MOST_READ, MOST_SIZE // average) // STRETCHES)
        ranges = stretches(count, STRETCHES, length)
        places: dict[bytes, list[int]] = {}
        for numbers in ranges:
            for at in numbers:
                places.setdefault(level(self._item(at)), []).append(at)
        found = ((known, numbers) for value, numbers in places.items() if (known := _level(value)) is not None)
        return Tally.of(found, seen=sum(map(len, ranges)), total=count)


def _shortened(record: bytes) -> bytes:
    if compact := small(record, SMALL_RECORD):
        return compact
    members = list(fields(record).items())
    shown = [(key, cell(value, LONG_VALUE)) for key, value in members[:MOST_FIELDS]]
    rest = len(members) - len(shown)
    return object_of([*shown, ("…", quote(f"+{counted(rest, 'field')}") if rest else b"")]) or cell(record, LONG_VALUE)


def _records(parts: Iterable[bytes]) -> bytes:
    listed = list(parts)
    return array_of(listed) if listed else b""


def _field(name: str) -> Callable[[bytes], bytes]:
    """A function that reads one field of a record and passes over the others; it gives nothing where there is none."""
    kind = msgspec.defstruct("Entry", [("value", Raw, Raw())], rename={"value": name})
    decode = msgspec.json.Decoder(kind).decode

    def read(record: bytes) -> bytes:
        try:
            return bytes(decode(record).value)  # type: ignore[attr-defined]  # the class is made here
        except msgspec.DecodeError:
            return b""

    return read
