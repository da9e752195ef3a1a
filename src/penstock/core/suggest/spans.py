"""Items that have a time: the newest of them that fit, and the oldest."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.times import SECOND, looks_like_time, parse_time
from penstock.core.suggest.narrow import Newer, Older
from penstock.core.suggest.words import is_name
from penstock.core.toolkit.fields import TIME, find_field

if TYPE_CHECKING:
    from penstock.core.suggest.rows import Rows
    from penstock.core.toolkit.fields import FieldPath

FILLED: Final = 0.8  # of the items have a time: asking by time loses those that have none
LATEST: Final = 253_402_300_800 * SECOND  # the year 10000, which no calendar writes
ROUND: Final = (86_400 * SECOND, 3_600 * SECOND, 60 * SECOND, SECOND)  # people ask for days, else for hours, ...
LOOKED_AT: Final = 100  # numbers by which their unit is told
KEPT: Final = 0.5  # of what fits must be left by a rounder time, or a finer one is taken


@dataclass(frozen=True, slots=True, kw_only=True)
class Spans:
    """``unit`` is what the data's numbers count in (nanoseconds); None when its times are texts."""

    newer: Newer | None
    older: Older | None
    unit: int | None


def find_spans(rows: Rows, most_bytes: float) -> Spans | None:
    """The newest and the oldest items that take at most so many bytes; None if the items have no times."""
    field = find_field(rows.values, TIME, looks_like_time)
    if field is None or not is_name(field):
        return None
    told = dict(enumerate(rows.column(field)))
    times = {at: time for at, value in told.items() if (time := parse_time(value)) is not None and 0 <= time < LATEST}
    if len(times) < FILLED * len(rows.values):
        return None
    # The oldest are the newest of a clock that runs backwards, but a time that ends a span lies outside it.
    since = _bound(rows, times, most_bytes)
    until = _bound(rows, {at: -time for at, time in times.items()}, most_bytes)
    return Spans(
        newer=None if since is None else _newer(rows, field, told, times, since),
        older=None if until is None else _older(rows, field, times, -until),
        unit=_unit(told, times),
    )


def written(time: int) -> str:
    """The time as RFC 3339 has it, in UTC."""
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=time // 1_000)
    return moment.isoformat().replace("+00:00", "Z")


def written_date(time: int) -> str | None:
    """The time as a date, if a day begins with it."""
    return written(time)[:10] if time % ROUND[0] == 0 else None


def _bound(rows: Rows, times: dict[int, int], most_bytes: float) -> int | None:
    """The roundest time from which on most of the items are that fit from any time on."""
    order = sorted(times, key=lambda at: -times[at])
    size = 0.0
    fitting = 0
    for at in order:
        size += rows.sizes[at]
        if size > most_bytes:
            break
        fitting += 1
    if fitting == len(order):
        return None
    # The items at the moment where the room ends do not fit all, so the span begins after that moment.
    later = [times[at] for at in order[:fitting] if times[at] > times[order[fitting]]]
    if not later:
        return None
    for unit in ROUND:
        bound = -(-later[-1] // unit) * unit
        if sum(time >= bound for time in later) >= KEPT * len(later):
            return bound
    return later[-1]


def _newer(rows: Rows, field: FieldPath, told: dict[int, Any], times: dict[int, int], bound: int) -> Newer:
    chosen = [at for at, time in times.items() if time >= bound]
    literal = _literal(told, times, bound, chosen)
    return Newer(field=field, literal=literal, time=bound, moment=_moment(bound), part=rows.part(chosen))


def _older(rows: Rows, field: FieldPath, times: dict[int, int], bound: int) -> Older:
    part = rows.part([at for at, time in times.items() if time < bound])
    return Older(field=field, time=bound, moment=_moment(bound), part=part)


def _moment(time: int) -> str:
    return written_date(time) or written(time)


def _literal(told: dict[int, Any], times: dict[int, int], bound: int, chosen: list[int]) -> str | int | None:
    """The bound as it can be compared with the data's own values, tried out on them."""
    first = told[min(chosen, key=lambda at: times[at])]
    literals = [written_date(bound), first] if isinstance(first, str) else [-(-bound // (_unit(told, times) or 1))]
    for literal in literals:
        kind = str if isinstance(literal, str) else (int, float)
        if literal is None or not all(isinstance(value, kind) for value in told.values()):
            continue
        if [at for at, value in told.items() if value >= literal] == chosen:
            return literal
    return None


def _unit(told: dict[int, Any], times: dict[int, int]) -> int | None:
    """What one is in the data's numbers: a time has as many more digits than its number as its unit has zeros."""
    numbers = {at: told[at] for at in [*times][:LOOKED_AT] if isinstance(told[at], int | float) and told[at] >= 1}
    units = {10 ** (_digits(times[at]) - _digits(number)) for at, number in numbers.items()}
    return int(units.pop()) if len(units) == 1 else None


def _digits(value: float) -> int:
    return len(str(int(value)))
