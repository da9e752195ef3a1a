"""What a question is: its words, the one call that answers it, its truth, and what would settle it without the call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(frozen=True, slots=True)
class Stands:
    """Statement to find in the first answer: ``tokens`` together in one part of a line that has ``label`` in it, or in
    one row of a table that has a column ``label``."""

    label: str
    tokens: tuple[str, ...]


Settled = tuple[Stands, ...]  # statements that settle a question together


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question in words, the call that a good model makes after it read the notice, and the truth: groups of values,
    each of which must stand in one row or line of the answer. ``first`` has the ways to settle it without the call."""

    words: str
    call: dict[str, Any]
    truth: tuple[tuple[str, ...], ...]
    first: tuple[Settled, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A generated result: one text, or one for each content block, and what is asked of it."""

    content: str | list[str]
    questions: tuple[Question, ...]


MAKERS: Final[dict[str, Callable[[], Result]]] = {}


def result_of(form: str) -> Callable[[Callable[[], Result]], Callable[[], Result]]:
    """Register a maker of results under the form that it stands for."""

    def register(make: Callable[[], Result]) -> Callable[[], Result]:
        MAKERS[f"{form}: {make.__name__}"] = make
        return make

    return register


def sql(query: str) -> dict[str, Any]:
    return {"action": "sql", "sql": query}


def jq(program: str) -> dict[str, Any]:
    return {"action": "filter", "jq_filter": program}


def search(pattern: str, **options: Any) -> dict[str, Any]:
    return {"action": "search", "pattern": pattern, **options}


def ask(words: str, call: dict[str, Any], *truth: Sequence[object], first: Sequence[Settled] = ()) -> Question:
    """A question with its truth, one group of values after the other."""
    groups = tuple(tuple(str(one) for one in group) for group in truth)
    return Question(words=words, call=call, truth=groups, first=tuple(first))


def stands(label: str, *tokens: object) -> Settled:
    """One statement that settles a question alone."""
    return (Stands(label, tuple(map(str, tokens))),)


def count_of(words: str, call: dict[str, Any], column: str, value: object, count: int) -> Question:
    """How many rows have this value: settled by the count beside the value, on the line of the column."""
    return ask(words, call, [count], first=[stands(column, value, count)])


def most_of(words: str, call: dict[str, Any], column: str, value: object, count: int) -> Question:
    """Which value is the commonest: settled by its count, as values come with the most frequent first."""
    return ask(words, call, [value, count], first=[stands(column, value, count)])


def greatest_of(words: str, call: dict[str, Any], column: str, name: object, value: object) -> Question:
    """Which row has the greatest value: settled by a line that has both, or by the range of the column together with a
    row that has both."""
    together = (Stands(column, (f"to {value}",)), Stands(column, (str(name), str(value))))
    return ask(words, call, [name], first=[together, stands(f"{column} greatest", name, value)])


def range_end(words: str, call: dict[str, Any], column: str, value: object) -> Question:
    """What is the greatest, or the last: settled by the end of the column's range."""
    return ask(words, call, [value], first=[stands(column, f"to {value}")])


def total_of(words: str, call: dict[str, Any], label: str, count: object) -> Question:
    """How many there are at all: settled by the number beside the noun."""
    return ask(words, call, [count], first=[stands(label, count)])
