"""Facts about two columns together: how many rows have a value that says that something is wrong, by another column.

    conclusion failure by name: integration tests ×14 · build ×7 · lint ×6

People ask where failures come from as often as how many there are.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from penstock.core.answer.columns import DEEPER, divides, is_actor, is_known
from penstock.core.answer.facts import LONG_LINE, name_of
from penstock.core.text import plain, split_words, tally

if TYPE_CHECKING:
    from penstock.core.forms.reading import Field, Reading, Table

MOST_COUNTED: Final = 50_000  # rows that are looked at to answer questions
MOST_TRIED: Final = 3  # columns by which the rows with such a value may divide
LEAST: Final = 2  # rows with the value: where one comes from, its row tells

# Values that say that something is wrong, or waits, the worst first: people ask for those first.
ALARMS: Final = split_words(
    "fatal critical crit blocker error errors err failed failure fail crashloopbackoff firing timed_out timedout high "
    "severe urgent unhealthy unavailable down lost timeout rejected denied blocked expired missing 500 502 503 "
    "504 warning warn open pending deleted"
)
# Of these, the ones that say so in any column; an ``open`` rating or a ``high`` tide is nothing wrong.
_PLAIN: Final = ALARMS[: ALARMS.index("high")]


def own_facts(reading: Reading) -> tuple[str, ...]:
    """Return the facts that no single column tells: those of the form, then where what is wrong comes from."""
    main = reading.main
    if main is None or reading.cells is None or not reading.exact or not main.exact or main.count > MOST_COUNTED:
        return reading.facts
    return (*reading.facts, *main.once("crossed", lambda table: _crossed(table, reading)))


def _crossed(table: Table, reading: Reading) -> list[str]:
    ranked = [(quality, one) for one in table.fields if (quality := divides(one, table.count)) is not None]
    columns = [one for _, one in sorted(ranked, key=lambda pair: pair[0] + DEEPER * pair[1].name.count("."))]
    if reading.cells is None or (alarm := _alarm(columns, table.count)) is None or reading.form == "logs":
        return []  # a log tells this of its errors itself
    field, value = alarm
    others = sorted(
        (one for one in columns if one is not field and not one.column.is_numeric), key=lambda one: not is_actor(one)
    )
    others = others[:MOST_TRIED]
    cells = reading.cells.columns([one.name for one in (field, *others)]) or {}
    for other in others if cells else ():
        counts = Counter(by for one, by in zip(cells[field.name], cells[other.name], strict=True) if one == value)
        del counts[None]
        if len(counts) > 1:
            line = f"{name_of(field)} {plain(value)} by {name_of(other)}: {tally(counts.most_common())}"
            return [line] if len(line) <= LONG_LINE else []
    return []


def alarms_of(field: Field) -> tuple[str, ...]:
    """Return the values that say in this column that something is wrong, the worst first."""
    return ALARMS if is_known(field) else _PLAIN


def _alarm(columns: list[Field], rows: int) -> tuple[Field, Any] | None:
    """Return the worst value of the first column that has one."""
    for field in columns:
        values = {
            str(value).lower(): value for value, count in field.column.values() if count >= LEAST and count * 2 <= rows
        }
        worst = next((values[word] for word in alarms_of(field) if word in values), None)
        if worst is not None:
            return field, worst
    return None
