"""Time series: from when to when, the least, greatest and last values, and a thinned curve that keeps the extremes.

A series is records that have one point in time each and numbers, in the order of time; or pairs of a time and
numbers; or plain numbers. Records that have more to tell than numbers are left to the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from math import inf, isfinite
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from penstock.core.budget import Room, largest
from penstock.core.forms.times import SECOND, parse_time
from penstock.core.json import scan
from penstock.core.json.strings import quote
from penstock.core.preview.base import Preview, Shown
from penstock.core.preview.cells import (
    array_of,
    beside,
    cell,
    counted,
    name,
    names,
    number,
    object_of,
    text_of,
)
from penstock.core.preview.points import LONG_NUMBER, Form, is_time, number_of, order, readable, recognise
from penstock.core.sample import spread

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from penstock.core.json.index import Container
    from penstock.core.subject import Subject

LEAST_RECORDS: Final = 20  # fewer are read as a table
MOST_BYTES: Final = 4_194_304  # of points read for the extremes; of a larger series a sample is read
SAMPLED: Final = 2_000  # points of the sample
MOST_POINTS: Final = 500  # points of the curve; nobody sees more
MOST_FIELDS: Final = 8  # fields with their extremes
MOST_CURVES: Final = 4  # fields in the curve

_DAY: Final = 86_400 * SECOND
_EPOCH: Final = date(1970, 1, 1).toordinal()


def series(subject: Subject, room: Room) -> Preview | None:
    """Show the main container as a series, if it is one."""
    curve = subject.once("series", _curve)
    if curve is None:
        return None
    step = largest(curve.steps, lambda step: room.fits(curve.text(step)))
    if step == 0:
        return None
    return Preview(
        text=curve.text(step).decode(),
        style="series",
        shown=Shown(path=curve.main.path, start=0, end=curve.points(step), total=curve.main.count),
        headline=curve.headline,
    )


def _curve(subject: Subject) -> _Curve | None:
    main = subject.main
    if main is None or main.kind not in ("array", "records") or main.count < LEAST_RECORDS:
        return None
    form = recognise(subject, main)
    return None if form is None else _Curve(subject, main, form)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Extremes:
    """The least and the greatest value of one field, where they were found, and the mean."""

    lowest: bytes
    highest: bytes
    places: tuple[int, ...]
    mean: float

    @classmethod
    def of(cls, raws: list[bytes]) -> _Extremes:
        known = [(value, place) for place, raw in enumerate(raws) if (value := number_of(raw)) is not None]
        if not known:
            return cls(lowest=b"null", highest=b"null", places=(), mean=inf)
        (_, low), (_, high) = min(known), max(known, key=itemgetter(0))
        mean = sum(value for value, _ in known) / len(known)
        return cls(lowest=raws[low], highest=raws[high], places=(low, high), mean=mean)

    def render(self, last: bytes) -> bytes:
        return object_of(
            [
                ("min", _value(self.lowest)),
                ("max", _value(self.highest)),
                ("mean", f"{self.mean:.6g}".encode() if isfinite(self.mean) else b""),
                ("last", _value(last)),
            ]
        )


def _value(raw: bytes) -> bytes:
    return cell(raw, LONG_NUMBER)


class _Curve:
    """The figures of a series, and its points in steps of more and more."""

    def __init__(self, subject: Subject, main: Container, form: Form) -> None:
        self.subject, self.main, self.form = subject, main, form
        self.fields = form.values[:MOST_FIELDS]
        self.curved = form.values[:MOST_CURVES]
        whole = main.count <= form.most and main.size <= MOST_BYTES
        self.places = spread(main.count, form.most if whole else SAMPLED)
        self.read = [form.read(part) for part in self._parts()]
        self.extremes = {key: _Extremes.of([point.get(key, b"null") for point in self.read]) for key in self.fields}
        self.first, self.last = self.read[0], self.read[-1]
        self.backward = False
        if form.time is not None:
            begin, end = (order(point.get(form.time, b"null")) for point in (self.first, self.last))
            self.backward = begin is not None and end is not None and begin > end
        if self.backward:
            self.first, self.last = self.last, self.first
        self.around = beside(subject, main)

    @property
    def steps(self) -> int:
        return len(self.fields) + min(MOST_POINTS, len(self.places))

    def points(self, step: int) -> int:
        """The first steps show more and more fields and one point, the others more and more points."""
        return max(1, step - len(self.fields))

    def text(self, step: int) -> bytes:
        form = self.form
        whole = step > len(self.fields)
        shown = self.fields[:step]
        points = [self._row(place) for place in self._thinned(self.points(step))]
        left = [*form.values[len(shown) :], *form.others]
        sampled = f"min, max and mean are of {len(self.places):,} points at even distances"
        hidden = [
            ("points", number(self.main.count - len(points))),
            ("fields", names(left) if whole else number(len(left))),
        ]
        time = form.time
        return object_of(
            [
                ("count", str(self.main.count).encode()),
                ("from", _value(self.first.get(time, b"null")) if time is not None else b""),
                ("to", _value(self.last.get(time, b"null")) if time is not None else b""),
                ("fields", object_of((key, self.extremes[key].render(self.last.get(key, b"null"))) for key in shown)),
                ("sampled", quote(sampled) if len(self.places) < self.main.count else b""),
                ("curve_of", array_of(name(key) for key in (time or "index", *self.curved))),
                ("curve", array_of(points)),
                ("order", b'"descending"' if self.backward else b""),
                ("beside", self.around if whole else b""),
                ("not_shown", object_of(hidden)),
            ]
        )

    @property
    def headline(self) -> str:
        if self.form.time is None:
            return counted(self.main.count, "number")
        begin, end = (point.get(self.form.time, b"null") for point in (self.first, self.last))
        return f"{counted(self.main.count, 'point')} from {_when(begin, end)} to {_when(end, begin)}"

    def _parts(self) -> Iterable[bytes]:
        """The points that the figures are of; a whole array is split at once, which is faster than by position."""
        if self.main.kind == "array" and len(self.places) == self.main.count:
            return scan.items(self.subject.read(self.main.start, self.main.end))
        return (self.main.item(self.subject.read, at) for at in self.places)

    def _row(self, place: int) -> bytes:
        point, time = self.read[place], self.form.time
        where = str(self.places[place]).encode() if time is None else _value(point.get(time, b"null"))
        return array_of([where, *(_value(point.get(key, b"null")) for key in self.curved)])

    def _thinned(self, count: int) -> list[int]:
        """So many places at even distances, the nearest of them moved to the ends and the extremes."""
        last = len(self.places) - 1
        ends = (0, last) if self.backward else (last, 0)
        marked = [place for key in self.curved for place in self.extremes[key].places]
        kept = list(dict.fromkeys((*ends, *marked)))[:count]
        even = {at * last // (count - 1) for at in range(count)} if count > 1 else set(kept)
        return sorted(_moved(even, kept))


def _moved(even: set[int], kept: Sequence[int]) -> set[int]:
    for at in kept:
        if at not in even:
            even.remove(min(even.difference(kept), key=lambda place: abs(place - at)))
            even.add(at)
    return even


def _when(value: bytes, other: bytes) -> str:
    """A time for the headline: the day, and the time of day when both lie on one."""
    if not is_time(value):
        return text_of(value, LONG_NUMBER)
    time, beyond = parse_time(readable(value)) or 0, parse_time(readable(other)) or 0
    day, rest = divmod(time, _DAY)
    if not 1 <= day + _EPOCH <= date.max.toordinal():
        return text_of(value, LONG_NUMBER)
    told = date.fromordinal(day + _EPOCH).isoformat()
    if beyond // _DAY != day:
        return told
    minutes, seconds = divmod(rest // SECOND, 60)
    return f"{told} {minutes // 60:02}:{minutes % 60:02}:{seconds:02}"
