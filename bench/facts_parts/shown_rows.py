"""Compare the rows that a preview shows with the cells that they have."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from bench.facts_parts.wording import UnreadableError, name_of, read_ranges, read_value, whole

if TYPE_CHECKING:
    from bench.facts_parts.report import Report


def check_rows(
    report: Report, notice: dict[str, Any], lines: list[str], columns: dict[str, list[Any]], *, loose: bool
) -> None:
    """Judge ``shown``, the title of the rows, and every cell of a column that is known."""
    shown = notice.get("shown", {})
    if "rows" not in shown:
        return
    ranges = read_ranges(shown["rows"])
    numbers = [number for first, last in ranges for number in range(first, last + 1)]
    if not lines:
        report.say("no rows are shown", numbers, [])
        return
    title = re.fullmatch(r"(?:sample rows? ([\d,\- ]+)|all (\d+) rows?):", lines[0])
    if title is not None and title[2]:
        report.say("rows of the title", whole(title[2]), len(numbers))
    else:
        report.say("rows of the title", title[1] if title is not None else "", shown["rows"])
    told = re.search(r"([\d,]+) rows?\.$", notice["message"])
    if told is not None:
        report.say("rows of the message", whole(told[1]), len(numbers))
    names = lines[1].split("|")
    rows = [line.split("|") for line in lines[2 : 2 + len(numbers)]]
    report.say("rows that stand there", len(rows), len(numbers))
    for number, row in zip(numbers, rows, strict=False):
        if not report.say(f"row {number}: its cells", len(row), len(names)):
            continue
        for text, cell in zip(names, row, strict=True):
            name = name_of(text, columns)
            if name is not None and number <= len(columns[name]):
                value = columns[name][number - 1]
                report.say(f"row {number}: {name}", True, _is_cell(cell, value, loose=loose) or (cell, value))


def _is_cell(cell: str, value: Any, *, loose: bool) -> bool:
    """Whether a cell can stand for a value."""
    if value is None:
        return cell == ""
    if isinstance(value, dict):
        return cell == f"{{{len(value):,} fields}}"
    if isinstance(value, list):
        return cell == f"[{len(value):,} items]" or (cell.startswith("[") and cell.endswith("]"))
    try:
        return read_value(cell).means(value, loose=loose)
    except UnreadableError:
        return False
