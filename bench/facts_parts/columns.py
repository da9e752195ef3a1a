"""Compare what a line says of a column with all of its cells."""

from __future__ import annotations

import math
import re
import statistics
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from bench.facts_parts.wording import NUMBER, UnreadableError, read_tally, read_value, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bench.facts_parts.report import Report
    from bench.facts_parts.wording import Tally

_ABSENT = re.compile(rf"(.*?)(?: · null ×({NUMBER}))?(?: · missing ×({NUMBER}))?", re.DOTALL)
_TYPES = re.compile(r"^(?:(?:str|int|float|bool)\|)+(?:str|int|float|bool), ")
_TEXT = re.compile(rf"(?:(?:text|JSON text), )?(?:(all) distinct|(over )?({NUMBER}) distinct)")
_EACH = re.compile(rf"({NUMBER}) distinct, ({NUMBER}) each")
_WRITTEN = re.compile(r'numeric text "(\S+)" to "(\S+)"(?:, mean \S+, sum (\S+)| \((\S.*) to (\S.*)\))? \(use CAST\)')
_AMOUNTS = re.compile(r'amounts in text "?(.+?)"? to "?(.+?)"?(?:, mean (\S+), sum (\S+))? \(use number\(x\)\)')
_OVER = re.compile(rf"(over )?({NUMBER}) distinct")
_ITEMS = re.compile(rf"(?:({NUMBER}) to )?({NUMBER}) per row, ({NUMBER}) in all(.*)", re.DOTALL)
_PARTED = re.compile(r", by (.+?): (.*)", re.DOTALL)
_KEYS = re.compile(rf"up to ({NUMBER}) keys? per row: (.*)", re.DOTALL)
_MIXED = re.compile(rf"(?:(?:array|object|str|int|float|bool|[/|])+ ×{NUMBER}(?: · )?)+")
_OBJECT = re.compile(rf"object with ({NUMBER}) keys?( and more)?")
_RANGE = re.compile(
    r"(\S.*?)(?: to (\S.*?))?(?:, mean (\S+?))?(?:, median (\S+?))?(?:, sum (\S+))?"
    r"(?:, ([\d,]+) distinct(?:, ([\d,]+) each)?)?"
    r"(?: \((?:up to |(\S.*) to )(\S.*)\))?",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """All cells of one column, None where a row has none. ``loose`` cells are texts that may write numbers."""

    values: Sequence[Any]
    loose: bool = False

    @property
    def filled(self) -> list[Any]:
        return [value for value in self.values if value is not None]


def check_column(report: Report, name: str, body: str, cells: Cells) -> None:
    """Judge every number and value that stands behind the name of a column."""
    found = _ABSENT.fullmatch(body)
    told, absent = (found[1], [found[2], found[3]]) if found is not None else (body, [])
    filled = cells.filled
    if told == "recursive objects":
        report.say(f"{name}: {told}", True, any(isinstance(one, dict | list) for one in filled))
        return
    missing = len(cells.values) - len(filled)
    report.say(f"{name}: null or missing", sum(whole(one) for one in absent if one), missing)
    if told == "objects":
        report.say(f"{name}: {told}", True, all(isinstance(one, dict) for one in filled))
        return
    if _nested(report, name, told, filled):
        return
    told = _TYPES.sub("", told, count=1)
    if (each := _EACH.fullmatch(told)) is not None:
        counts = Counter(map(_key, filled))
        report.say(f"{name}: distinct", whole(each[1]), len(counts))
        report.say(f"{name}: each", {whole(each[2])}, set(counts.values()))
        return
    if _texts(report, name, told, filled):
        return
    tally = read_tally(told)
    if tally is not None:
        check_tally(report, name, tally, (one for one in filled if not isinstance(one, list | dict)), loose=cells.loose)
    elif not _ranged(report, name, told, cells):
        report.say(f"{name}: is understood", told, None)


def check_constant(report: Report, name: str, text: str, cells: Cells) -> None:
    """Judge that all rows have one value."""
    written = read_value(text)
    different = {_key(one) for one in cells.values if not isinstance(one, list | dict)}
    holds = len(different) == 1 and written.means(cells.values[0], loose=cells.loose)
    report.say(f"{name}: constant {text}", True, holds)


def check_tally(report: Report, name: str, tally: Tally, values: Iterable[Any], *, loose: bool = False) -> None:
    """Judge counts by value, and the number of values that are left out."""
    check_counts(report, name, tally, Counter(map(_key, values)), loose=loose)


def check_counts(report: Report, name: str, tally: Tally, truth: Counter[Any], *, loose: bool = False) -> None:
    """The same against counts. Keys are values, or pairs of a class and a value where 1, 1.0 and true may meet."""
    taken: set[Any] = set()
    for written, count in tally.counts:
        keys = [one for one in truth if one not in taken and written.means(_bare(one), loose=loose)]
        best = next((one for one in keys if truth[one] == count), keys[0] if keys else None)
        taken.add(best)
        report.say(f"{name}: {written.text}", count, truth[best] if best is not None else None)
    report.say(f"{name}: more", tally.more, len(truth) - len(tally.counts))
    least = min((count for _, count in tally.counts), default=0)
    left = max((count for one, count in truth.items() if one not in taken), default=0)
    report.say(f"{name}: the most frequent are shown", True, left <= least)


def _nested(report: Report, name: str, told: str, filled: list[Any]) -> bool:
    """Judge what is said of arrays and objects in cells."""
    arrays = [one for one in filled if isinstance(one, list)]
    objects = [one for one in filled if isinstance(one, dict)]
    if arrays + objects and _MIXED.fullmatch(told):
        _mixed(report, name, told, filled)
        return True
    if told == "always empty":
        report.say(f"{name}: no items", True, not any(arrays))
        return True
    if told == "always {}":
        report.say(f"{name}: {told}", True, len(objects) == len(filled) and not any(objects))
        return True
    if (found := _OBJECT.fullmatch(told)) is not None:
        keys = {key for one in objects for key in one}
        report.say(f"{name}: fields", whole(found[1]), len(keys), marked=bool(found[2]))
        return True
    if (found := _KEYS.fullmatch(told)) is not None:
        report.say(f"{name}: keys each", whole(found[1]), max(map(len, objects), default=0))
        _values(report, f"{name} keys", found[2], [key for one in objects for key in one])
        return True
    if (found := _ITEMS.fullmatch(told)) is not None:
        lengths = list(map(len, arrays)) or [0]
        report.say(f"{name}: fewest items", whole(found[1] or found[2]), min(lengths))
        report.say(f"{name}: most items", whole(found[2]), max(lengths))
        report.say(f"{name}: items in all", whole(found[3]), sum(lengths))
        items = [item for one in arrays for item in one if item is not None]
        if found[4] == ", all distinct":
            _different(report, f"{name} items", None, len(items), items)
        elif found[4].startswith(": "):
            _values(report, f"{name} items", found[4][2:], items)
        elif (parted := _PARTED.fullmatch(found[4])) is not None:
            field = read_value(parted[1]).text
            cells = [item[field] for item in items if item.get(field) is not None]
            _values(report, f"{name} items by {field}", parted[2], cells)
        return True
    return False


def _mixed(report: Report, name: str, told: str, filled: list[Any]) -> None:
    """Judge how many cells are arrays, objects, or scalars of some types."""
    names = {list: "array", dict: "object", str: "str", bool: "bool", int: "int", float: "float"}
    truth = Counter(names[type(one)] for one in filled)
    scalars = truth.keys() - {"array", "object"}
    for part in told.split(" · "):
        kinds, _, count = part.partition(" ×")
        known = set(kinds.replace("/", "|").split("|")) | ({"int"} if "float" in kinds else set())
        report.say(f"{name}: {kinds}", whole(count), sum(truth[one] for one in known))
        if known <= scalars or not known & {"array", "object"}:
            report.say(f"{name}: types", scalars <= known, True)


def _values(report: Report, name: str, text: str, values: list[Any]) -> None:
    tally = read_tally(text)
    if tally is not None:
        check_tally(report, name, tally, values)
    elif (found := _OVER.fullmatch(text)) is not None:
        _different(report, name, found[1], whole(found[2]), values)
    else:
        report.say(f"{name}: is understood", text, None)


def _texts(report: Report, name: str, told: str, filled: list[Any]) -> bool:
    """Judge what is said of texts that hardly repeat, or that write numbers."""
    if (numbers := _WRITTEN.fullmatch(told)) is not None:
        values = [Fraction(one) for one in filled]
        report.say(f"{name}: least", Fraction(numbers[1]), min(values))
        report.say(f"{name}: greatest", Fraction(numbers[2]), max(values))
        if numbers[3]:
            report.say(f"{name}: sum", Fraction(numbers[3]), sum(values))
        for text, number in ((numbers[4], min(values)), (numbers[5], max(values))):
            if text:
                report.say(f"{name}: time of {number}", text, _moment(float(number)))
        return True
    if (amounts := _AMOUNTS.fullmatch(told)) is not None:
        written = {one: Fraction(re.sub(r"[^0-9.-]", "", one)) for one in filled}
        values = [written[one] for one in filled]
        report.say(f"{name}: least", written.get(amounts[1]), min(values))
        report.say(f"{name}: greatest", written.get(amounts[2]), max(values))
        if amounts[4]:
            report.say(f"{name}: sum", Fraction(amounts[4]), sum(values))
            mean = float(sum(values) / len(values))
            report.say(f"{name}: mean", True, abs(float(amounts[3]) - mean) <= max(0.005, abs(mean) / 1_000))
        return True
    found = _TEXT.fullmatch(told)
    if (found is not None and told.startswith(("text", "JSON"))) or told in ("text", "base64 data"):
        report.say(f"{name}: is text", True, all(isinstance(one, str) for one in filled))
    if told in ("text", "base64 data"):
        return True
    if found is None:
        over = _OVER.fullmatch(told)
        if over is not None:
            _different(report, name, over[1], whole(over[2]), filled)
        return over is not None
    if found[1]:
        report.say(f"{name}: all distinct", len(filled), len(set(map(_key, filled))))
    else:
        _different(report, name, found[2], whole(found[3]), filled)
    return True


def _different(report: Report, name: str, over: str | None, said: int, values: list[Any]) -> None:
    truth = len(set(map(_key, values)))
    if over:
        report.say(f"{name}: over {said} distinct", True, truth > said)
    else:
        report.say(f"{name}: distinct", said, truth)


def _ranged(report: Report, name: str, told: str, cells: Cells) -> bool:
    """Judge the least and the greatest value, the sum, and the times that numbers stand for."""
    found = _RANGE.fullmatch(told)
    if found is None:
        return False
    try:
        least, greatest = read_value(found[1]), read_value(found[2] or found[1])
    except UnreadableError:
        return False
    values = [one for one in cells.filled if not isinstance(one, list | dict)]
    numbers = [float(one) if isinstance(one, str) and cells.loose and _writes_number(one) else one for one in values]
    if numbers and all(isinstance(one, int | float) and not isinstance(one, bool) for one in numbers):
        report.say(f"{name}: least", least.means(min(numbers)) or float(least.text) == min(numbers), True)
        report.say(f"{name}: greatest", greatest.means(max(numbers)) or float(greatest.text) == max(numbers), True)
        total = sum(numbers) if all(isinstance(one, int) for one in numbers) else math.fsum(numbers)
        for text, what, truth in (
            (found[3], "mean", total / len(numbers)),
            (found[4], "median", statistics.median(numbers)),
        ):
            if text:
                report.say(f"{name}: {what}", abs(float(text) - truth) <= max(0.005, abs(truth) * 0.005), True)
        if found[5]:
            report.say(f"{name}: sum", found[5] if "," in found[5] else float(found[5]), float(total))
        if found[6]:
            report.say(f"{name}: distinct", whole(found[6]), len(set(numbers)))
        if found[7]:
            report.say(f"{name}: each", {whole(found[7])}, set(Counter(numbers).values()))
        for text, number in ((found[8], min(numbers)), (found[9], max(numbers))):
            if text:
                report.say(f"{name}: time of {number}", text, _moment(number))
        return True
    if values and all(isinstance(one, str) for one in values):
        ends = sorted(values, key=_time)
        report.say(f"{name}: earliest", _time(least.text), _time(ends[0]))
        report.say(f"{name}: latest", _time(greatest.text), _time(ends[-1]))
        report.say(f"{name}: both are in the data", least.text in values and greatest.text in values, True)
        return True
    return False


def _writes_number(text: str) -> bool:
    return re.fullmatch(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", text) is not None


def _time(text: str) -> str:
    """A time as a text that sorts, in UTC where it has an offset."""
    plain = re.sub(r"([.,]\d{6})\d+", r"\1", text).replace(",", ".").replace(" +", "+").replace("Z", "+00:00")
    plain = re.sub(r" ([+-]\d\d:?\d\d)$", r"\1", plain)
    try:
        moment = datetime.fromisoformat(plain)
    except ValueError:
        return text
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return moment.isoformat(timespec="microseconds")


def _moment(number: float) -> str:
    """A time in seconds, or in a finer unit, since 1970."""
    while abs(number) > 1e11:
        number /= 1000
    return datetime.fromtimestamp(number, UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def _key(value: Any) -> Any:
    """A value as the key of a count: 1 and 1.0 are one value, 1 and true are not; what has parts is its own text."""
    if isinstance(value, bool):
        return ("truth", value)
    if isinstance(value, list | dict):
        return ("parts", repr(value))
    return ("text" if isinstance(value, str) else "number", value)


def _bare(key: Any) -> Any:
    return key[1] if isinstance(key, tuple) else key
