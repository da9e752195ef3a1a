"""Compare what is said of two columns together, of the last error of a log, and of the values of an inner object."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from bench.facts_parts.columns import check_counts
from bench.facts_parts.wording import NUMBER, UnreadableError, name_of, read_tally, read_value, whole

if TYPE_CHECKING:
    from bench.facts_parts.report import Report
    from bench.facts_parts.texts import Text

_LAST = re.compile(rf"last ([A-Z]+): (.+), line ({NUMBER})")


def check_crossed(report: Report, line: str, columns: dict[str, list[Any]]) -> bool:
    """Judge ``conclusion failure by name: build ×7 · lint ×6``; False for a line that is something else."""
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
