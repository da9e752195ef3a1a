"""Compare the arguments of a call with the columns of the same name in its answer.

A model that asks for ``state=open`` takes every row for an open one. If rows with other values came as well, the
preview says so before anything else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.core.notice.facts import TOP, listed
from penstock.core.tables.roles import GROUPS, MAX_NAME, role_of
from penstock.core.text import tally

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from penstock.core.forms.reading import Table


class UnheededArgument(NamedTuple):
    """A line about an argument that did not select the rows, and the number of the column that it is compared with."""

    column: int
    text: str


def unheeded_arguments(arguments: Mapping[str, Any], table: Table) -> Iterable[UnheededArgument]:
    """Yield the arguments that name a value of a column, if other values came as well.

    A value that no row has is not compared: the argument may be a pattern, or may mean something else.
    """
    if not table.exact:
        return
    for number, field in enumerate(table.fields):
        argument = arguments.get(field.name)
        wanted = {_spelling(value) for value in (argument if isinstance(argument, list) else [argument])} - {None}
        if not wanted or role_of(field, table.count) not in GROUPS:
            continue
        values = field.column.values()
        matching = sum(count for value, count in values if _spelling(value) in wanted)
        if 0 < matching < field.filled:
            choice = " or ".join(listed(one, MAX_NAME) for one in sorted(filter(None, wanted)))
            text = f"not only {listed(field.name, MAX_NAME)}={choice}, as the call asked: {tally(values, TOP)}"
            yield UnheededArgument(number, text)


def _spelling(value: object) -> str | None:
    """Return a scalar as it is compared: servers take numbers as text, and words in any case."""
    return str(value).casefold() if isinstance(value, str | int) else None
