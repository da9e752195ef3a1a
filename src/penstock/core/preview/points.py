"""Which containers are series, and how their parts are read as points: a time, if they have one, and numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from penstock.core.forms.times import looks_like_time, parse_time
from penstock.core.json import scan
from penstock.core.preview.cells import fields, items, text_of
from penstock.core.sample import spread
from penstock.core.toolkit.fields import TIME

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.core.json.index import Container
    from penstock.core.subject import Subject

LEAST_NUMBERS: Final = 50  # fewer are read as they are
LOOKED_AT: Final = 60  # points at the front, and as many from all over, that decide whether the data is a series
MOST_RECORDS: Final = 5_000  # records read for the extremes: some 20 ms; of a longer series a sample is read
MOST_NUMBERS: Final = 10_000  # numbers or pairs, which are read faster
LONG_POINT: Final = 2_048  # bytes; a part that is longer on average is no point of a series
LONG_VALUE: Final = 60  # bytes of a text that varies; a longer one is worth reading, and the data no mere series
LONG_NUMBER: Final = 64  # bytes of a time, or of a number in the curve; no real one is longer

_NUMBER = re.compile(rb'("?)-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\1')  # some metrics write numbers as strings
_DIGITS: Final = frozenset(bytes([byte]) for byte in b"-0123456789")  # what a number in JSON begins with

Point = dict[str, bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How a part of the container is read as a point, which of its values is the time, and which are numbers."""

    read: Callable[[bytes], Point]
    time: str | None
    values: list[str]
    others: tuple[str, ...] = ()
    most: int = MOST_NUMBERS


def recognise(subject: Subject, main: Container) -> Form | None:
    """How the parts of a container are points of a series, if they are."""
    if main.size // main.count > LONG_POINT:
        return None
    front = [main.item(subject.read, at) for at in range(min(LOOKED_AT, main.count))]
    spaced = [main.item(subject.read, at) for at in spread(main.count, LOOKED_AT)]
    kinds = {part[:1] for part in (*front, *spaced)}
    if kinds == {b"{"}:
        return _of_records([fields(part) for part in front], [fields(part) for part in spaced])
    if main.count < LEAST_NUMBERS:
        return None
    if kinds == {b"["}:
        return _of_pairs([_pair(part) for part in front], [_pair(part) for part in spaced])
    return Form(read=_plain, time=None, values=["value"]) if kinds <= _DIGITS else None


def _plain(part: bytes) -> Point:
    return {"value": part}


def _pair(part: bytes) -> Point:
    """``[time, value]``, or a time and several values, which then have their positions for names."""
    found = items(part)
    if len(found) == 2:
        return {"time": found[0], "value": found[1]}
    return {str(at) if at else "time": value for at, value in enumerate(found)}


def _of_pairs(front: list[Point], spaced: list[Point]) -> Form | None:
    sample = [*front, *spaced]
    values = [key for key in front[0] if key != "time"]
    alike = all(point.keys() == front[0].keys() for point in sample)
    if not (values and alike and all(_mostly(sample, key, _is_number) for key in values)):
        return None
    in_order = _in_order(front, spaced, "time", strictly=False)
    return Form(read=_pair, time="time", values=values) if in_order else None


def _of_records(front: list[Point], spaced: list[Point]) -> Form | None:
    sample = [*front, *spaced]
    keys = list(dict.fromkeys(key for point in sample for key in point))
    times = [key for key in keys if TIME.preference((key,)) is not None and _mostly(sample, key, is_time)]
    values = [key for key in keys if key not in times and not _is_id(key) and _mostly(sample, key, _is_number)]
    if not times or not values:
        return None
    time = min(times, key=lambda key: TIME.preference((key,)) or 0)
    others = [key for key in keys if key not in (*times, *values) and not _is_id(key)]
    varied = [found for key in others if len(found := {point.get(key, b"null") for point in sample}) > 1]
    if any(len(found) * 4 > len(sample) or max(map(len, found)) > LONG_VALUE for found in varied):
        return None
    # Several points at one time that differ in a text are several series in one, which no single curve can show.
    if not _in_order(front, spaced, time, strictly=bool(varied)):
        return None
    others = [key for key in keys if key not in (time, *values)]
    return Form(read=fields, time=time, values=values, others=tuple(others), most=MOST_RECORDS)


def _mostly(sample: list[Point], key: str, holds: Callable[[bytes], bool]) -> bool:
    return sum(holds(point.get(key, b"null")) for point in sample) * 10 >= len(sample) * 9


def _is_id(key: str) -> bool:
    return key.lower() in ("id", "index", "seq", "number") or key.endswith(("_id", "Id"))


def _is_number(value: bytes) -> bool:
    return _NUMBER.fullmatch(value) is not None


def is_time(value: bytes) -> bool:
    return looks_like_time(readable(value))


def readable(value: bytes) -> str | float | None:
    """What a time may be written as. A number is no text: as one it could mean a year or a date."""
    if len(value) > LONG_NUMBER or not (value[:1] == b'"' or _is_number(value)):
        return None
    if value[:1] == b'"':
        return text_of(value)
    return float(value) if scan.scalar_type(value) == "float" else int(value)


def _in_order(front: list[Point], spaced: list[Point], key: str, *, strictly: bool) -> bool:
    """Whether time goes one way all through. A few points may have none."""
    steps: list[float] = []
    for run in (front, spaced):
        times = [at for point in run if (at := order(point.get(key, b"null"))) is not None]
        if len(times) * 10 < len(run) * 9:
            return False
        steps.extend(later - earlier for earlier, later in pairwise(times))
    forward, backward = any(step > 0 for step in steps), any(step < 0 for step in steps)
    return forward != backward and not (strictly and 0 in steps)


def order(value: bytes) -> float | None:
    """Where a point lies among the others: by its time, or by its number when it only counts up."""
    known = readable(value)
    return parse_time(known) if isinstance(known, str) else known


def number_of(value: bytes) -> float | None:
    """The number in a point; one beyond all bounds is infinite."""
    if value[:1] in _DIGITS:
        return float(value)
    return float(value[1:-1]) if _is_number(value) else None
