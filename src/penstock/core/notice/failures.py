"""Facts about the rows that report a failure: the groups that they are in, and the last of them.

level ERROR by source: api.cards ×74 · cache ×15
5xx by path: /api/pay ×31
last ERROR: 2026-01-05 11:11:44,911, line 4,256
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.times import parse_time
from penstock.core.notice.facts import name_of
from penstock.core.severity import failure_of
from penstock.core.tables.roles import GRADES, Role, fact_score, groups_of, is_named, role_of
from penstock.core.text import plain, tally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.core.forms.reading import Cells, Field, Table

MAX_VALUES: Final = 2  # The two most frequent states of failures say most of what there is to say.


def failures_by(table: Table) -> Field | None:
    """Return the best column of states that has failures, and other values too.

    A column that grades what was found has none: a critical finding has not failed."""
    states = [one for one in table.fields if role_of(one, table.count) is Role.STATE]
    failed = (
        one
        for one in sorted(states, key=lambda one: fact_score(one, table.count).total)
        if not is_named(one.name, GRADES) and any(failure_of(value) for value, _ in one.column.values())
    )
    return next(failed, None)


def failure_lines(table: Table, cells: Cells, *, crossed: Sequence[Field] = ()) -> list[str]:
    """Return what to say of the rows that failed. Their groups are left out if these columns were ``crossed``."""
    state = failures_by(table)
    if state is None:
        return []
    group = _group_of(table, state)
    time = next((one for one in table.fields if role_of(one, table.count) is Role.TIME), None)
    line = table.field("line")
    names = [one.name for one in (state, group, time, line) if one is not None]
    columns = cells.columns(names)
    if columns is None:
        return []
    kinds = {value: failure_of(value) for value, _ in state.column.values()}
    states = [kinds.get(value, "") for value in columns[state.name]]
    worst = [kind for kind, _ in Counter(filter(None, states)).most_common(MAX_VALUES)]
    lines = []
    for kind in worst:
        rows = [at for at, one in enumerate(states) if one == kind]
        if group is not None and not {id(state), id(group)} <= set(map(id, crossed)):
            counts = Counter(one for at in rows if (one := columns[group.name][at]) is not None)
            if counts and max(counts.values()) > 1:
                named = kind if kind == "5xx" else f"{name_of(state)} {plain(kind)}"
                lines.append(f"{named} by {name_of(group)}: {tally(counts.most_common())}")
        if time is not None and line is not None and _ends_with_latest([columns[time.name][at] for at in rows]):
            last = rows[-1]
            lines.append(f"last {plain(kind)}: {plain(columns[time.name][last])}, line {columns['line'][last]:,}")
    return lines


def _group_of(table: Table, state: Field) -> Field | None:
    """Return the column that says best what failed: an actor or a component, a place, a kind."""
    groups = [one for one in groups_of(table) if role_of(one, table.count) is not Role.STATE and one is not state]
    places = [one for one in table.fields if role_of(one, table.count) is Role.PATH and one.column.values()]
    who = [one for one in groups if role_of(one, table.count) is Role.WHO]
    return next(iter([*who, *places, *groups]), None)


def _ends_with_latest(times: Sequence[Any]) -> bool:
    """Return True if the last of these times is the latest. Times without a year compare as texts."""
    parsed = [parse_time(time) for time in times]
    keys: Sequence[Any] = times if all(one is None for one in parsed) else parsed
    return None not in keys and len(set(map(type, keys))) == 1 and max(keys) == keys[-1]
