"""Facts about two columns together: the two best groupings as one table, the groups of what failed, and the sum of the
best amount by one of them.

priority by status (open ×233 · pending ×98): normal ×240: 170 70 · high ×81: 60 21
level ERROR by source: api.cards ×74 · cache ×15
sum of amount by status: open 81200 · pending 5230
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from penstock.core.notice.facts import absent_of, facts_of, name_of
from penstock.core.notice.failures import failure_lines
from penstock.core.notice.text_numbers import number_text
from penstock.core.tables.roles import WORTH, Role, amounts_of, fact_score, groups_of, is_additive, role_of
from penstock.core.text import plain

if TYPE_CHECKING:
    from penstock.core.forms.reading import Cells, Field, Reading, Table
    from penstock.core.notice.facts import Fact

MAX_ROWS: Final = 50_000  # Up to 50,000 rows are counted by two columns together, which takes 20 ms.
MAX_COLUMNS: Final = 6  # A reader compares the counts of at most 6 values side by side.
FAILURE_RANK: Final = WORTH[Role.ERROR].fact  # What failed is said where errors are.
MAX_LINE: Final = 300  # A table of counts has at most 300 characters. A longer line is hard to read as a table.


class Cross:
    """The lines about two columns together, and the numbers of the columns that they describe completely."""

    def __init__(self, lines: tuple[tuple[float, str], ...] = (), described: frozenset[int] = frozenset()) -> None:
        self.lines = lines
        self.described = described


def cross_of(reading: Reading) -> Cross:
    """Return what the main table says about two columns together."""
    main, cells = reading.main, reading.cells
    if main is None or cells is None or not reading.exact or not main.exact or not 1 < main.count <= MAX_ROWS:
        return Cross()
    return main.once("cross", lambda table: _cross(table, cells))


def _cross(table: Table, cells: Cells) -> Cross:
    groups = [one for one in groups_of(table) if one.column.values() and not one.column.is_numeric]
    groups.sort(key=lambda one: one.column.commonest / one.column.filled)  # The most even ones divide best.
    states = [one for one in groups if role_of(one, table.count) is Role.STATE]
    if not groups:
        return Cross(tuple((FAILURE_RANK, line) for line in failure_lines(table, cells)))
    first = (states or groups)[0]
    rank = fact_score(first, table.count).total
    lines: list[tuple[float, str]] = []
    described: frozenset[int] = frozenset()
    second = next((one for one in groups if one not in states and one is not first), None)
    if second is not None and (text := _tabulated(first, second, cells)):
        lines.append((rank, text))
        described = frozenset(at for at, one in enumerate(table.fields) if one in (first, second))
    crossed = (first, second) if second is not None and described else ()
    lines += [(FAILURE_RANK, line) for line in failure_lines(table, cells, crossed=crossed)]
    if text := _summed(table, first, cells):
        lines.append((rank, text))
    return Cross(tuple(lines), described)


def _tabulated(first: Field, second: Field, cells: Cells) -> str:
    """Return the counts of two groupings together; empty if one follows from the other, or if the line is too long."""
    outer, inner = (first, second) if _size(first) >= _size(second) else (second, first)
    columns = cells.columns([outer.name, inner.name])
    if _size(inner) > MAX_COLUMNS or columns is None:
        return ""
    pairs = Counter(zip(columns[outer.name], columns[inner.name], strict=True))
    text = _table_text(outer, inner, pairs, rows=len(columns[outer.name]))
    return text if len(pairs) > _size(outer) and len(text) <= MAX_LINE else ""


def _size(field: Field) -> int:
    return len(field.column.values())


def _table_text(outer: Field, inner: Field, pairs: Counter[tuple[Any, Any]], *, rows: int) -> str:
    heads = _counts(pairs, 1)
    title = " · ".join(f"{_group(value, inner, rows)} ×{count:,}" for value, count in heads)
    lines = []
    for value, count in _counts(pairs, 0):
        numbers = " ".join(str(pairs[value, head]) for head, _ in heads)
        lines.append(f"{_group(value, outer, rows)} ×{count:,}: {numbers}")
    return f"{name_of(outer)} by {name_of(inner)} ({title}): {' · '.join(lines)}"


def _counts(pairs: Counter[tuple[Any, Any]], side: int) -> list[tuple[Any, int]]:
    counts: Counter[Any] = Counter()
    for pair, count in pairs.items():
        counts[pair[side]] += count
    return counts.most_common()


def _group(value: Any, field: Field, rows: int) -> str:
    """Return the name of a group. If it has no value, the name says whether that is null or a missing key."""
    return " or ".join(absent_of(field, rows)) if value is None else plain(value)


def _summed(table: Table, group: Field, cells: Cells) -> str:
    """Return the sum of the best amount by the best grouping."""
    amount = next((one for one in amounts_of(table) if is_additive(one) and one.column.is_numeric), None)
    columns = None if amount is None else cells.columns([group.name, amount.name])
    if amount is None or columns is None:
        return ""
    sums: dict[Any, Any] = {}
    for value, number in zip(columns[group.name], columns[amount.name], strict=True):
        if number is not None:
            sums[value] = sums.get(value, 0) + number
    ranked = sorted(sums.items(), key=lambda one: -one[1])
    text = " · ".join(f"{_group(value, group, table.count)} {number_text(total)}" for value, total in ranked)
    return f"sum of {name_of(amount)} by {name_of(group)}: {text}" if len(ranked) > 1 and len(text) <= MAX_LINE else ""


def column_facts(table: Table, cross: Cross) -> list[Fact]:
    """Return the facts of single columns, without those that the table of two columns states."""
    return [one for one in facts_of(table) if not (len(one.columns) == 1 and cross.described.issuperset(one.columns))]
