"""Compare what is said of two columns together, of the last error of a log, and of the values of an inner object."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from bench.facts_parts.columns import check_counts
from bench.facts_parts.wording import NUMBER, UnreadableError, name_of, read_tally, read_value, whole

if TYPE_CHECKING:
    from bench.facts_parts.report import Report
    from bench.facts_parts.texts import Text

_TABLE = re.compile(r"(\S.*?) by (\S.*?) \((.*? ×[\d,]+)\): (.*)", re.DOTALL)
_SUMS = re.compile(r"sum of (\S.*?) by (\S.*?): (.*)", re.DOTALL)
_COUNTED = re.compile(r"(?:^| · )(.*?) ×([\d,]+)(?= · |$)")
_LAST = re.compile(rf"last ([A-Z]+): (.+), line ({NUMBER})")


def check_crossed(report: Report, line: str, columns: dict[str, list[Any]]) -> bool:
    """Judge a line about two columns; False for another line.

    ``priority by status (open ×3 · done ×2): high ×4: 2 2 · low ×1: 1 0``, ``sum of n by status: open 20 · done 3``,
    or ``ERROR by source: api ×7 · cache ×2``.
    """
    if (found := _TABLE.fullmatch(line)) is not None:
        outer, inner = name_of(found[1], columns), name_of(found[2], columns)
        if outer is None or inner is None:
            return False
        _check_table(report, found, columns[outer], columns[inner])
        return True
    if (found := _SUMS.fullmatch(line)) is not None:
        amount, group = name_of(found[1], columns), name_of(found[2], columns)
        if amount is None or group is None:
            return False
        _check_sums(report, found, columns[amount], columns[group])
        return True
    return _check_value(report, line, columns)


def _check_table(report: Report, found: re.Match[str], outer: list[Any], inner: list[Any]) -> None:
    pairs = Counter(zip(outer, inner, strict=True))
    heads = [_counted(part) for part in _COUNTED.findall(found[3])]
    rows = found[4].split(" · ")
    report.say("values of the table", (len(rows), len(heads)), (len(set(outer)), len(set(inner))))
    for text, count in heads:
        report.say(f"column {text}", count, sum(_is(text, one) for one in inner))
    for row in rows:
        head, _, numbers = row.rpartition(": ")
        text, count = _counted(_COUNTED.findall(head)[0])
        report.say(f"row {text}", count, sum(_is(text, one) for one in outer))
        for (title, _), number in zip(heads, numbers.split(" "), strict=True):
            truth = sum(n for (one, other), n in pairs.items() if _is(text, one) and _is(title, other))
            report.say(f"{text} and {title}", whole(number), truth)


def _check_sums(report: Report, found: re.Match[str], amounts: list[Any], groups: list[Any]) -> None:
    for part in found[3].split(" · "):
        text, _, number = part.rpartition(" ")
        numbers = [float(one) for one, by in zip(amounts, groups, strict=True) if one is not None and _is(text, by)]
        report.say(f"sum of {text}", float(number), math.fsum(numbers))


def _counted(part: tuple[str, str]) -> tuple[str, int]:
    return part[0], whole(part[1])


def _is(text: str, value: Any) -> bool:
    return (
        value is None
        if text in ("null", "missing", "null or missing")
        else value is not None and read_value(text).means(value, loose=True)
    )


def _check_value(report: Report, line: str, columns: dict[str, list[Any]]) -> bool:
    """Judge ``conclusion failure by name: build ×7 · lint ×6``."""
    head, _, body = line.partition(": ")
    if (tally := read_tally(body)) is None:
        return False
    for middle in re.finditer(" by ", head):
        other = name_of(head[middle.end() :], columns)
        for at in [one.start() for one in re.finditer(" ", head[: middle.start()])]:
            name = name_of(head[:at], columns)
            if name is None or other is None:
                continue
            value = read_value(head[at + 1 : middle.start()])
            pairs = zip(columns[name], columns[other], strict=True)
            counts = Counter(by for one, by in pairs if by is not None and one is not None and value.means(one))
            check_counts(report, head, tally, counts)
            return True
    return False


def check_last(report: Report, line: str, text: Text) -> bool:
    """Judge ``last ERROR: 2026-01-05 11:11:44, line 4,290``: the level stands there, and in no later entry."""
    found = _LAST.fullmatch(line)
    if found is None or "level" not in text.columns or "line" not in text.columns:
        return False
    levels, lines = text.columns["level"], text.columns["line"]
    last = max((number for number, level in zip(lines, levels, strict=True) if level == found[1]), default=0)
    report.say(f"last {found[1]}", whole(found[3]), last)
    return True


def holds_inside(value: Any, body: str) -> bool:
    """Whether a text has all fields of an object with their values: ``total 11 · data 8 · failed 1``."""
    if not isinstance(value, dict):
        return False
    parts = body.split(" · ")
    try:
        return len(parts) == len(value) and all(_is_field(part, value) for part in parts)
    except UnreadableError:
        return False


def _is_field(part: str, value: dict[str, Any]) -> bool:
    for at in [one.start() for one in re.finditer(" ", part)]:
        name = name_of(part[:at], value)
        if name is not None:
            return read_value(part[at + 1 :]).means(value[name])
    return False
