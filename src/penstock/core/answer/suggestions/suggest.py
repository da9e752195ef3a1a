"""Choose the calls that a notice suggests: at most three, each of which runs, fits, and costs what it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock.core.answer.suggestions.narrow import Narrower
from penstock.core.answer.suggestions.offer import Suggestion
from penstock.core.answer.suggestions.parameters import AdjustableCall
from penstock.core.forms.rows import RowSpec
from penstock.core.notice.query import next_query

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from penstock.core.forms.document import Document
    from penstock.core.forms.reading import Reading

MOST: Final = 3  # suggestions; after so many a reader no longer chooses
AROUND: Final = 60  # tokens of what stands around the rows of the tool's own answer


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredCall:
    """The call that was answered, and what an answer may cost."""

    tool: str
    arguments: Mapping[str, Any]
    schema: Mapping[str, Any] | None
    fetch_tool: str
    tokens: int  # of the result
    most: int  # tokens of an answer that passes
    page: int  # tokens of an answer of the fetch tool that is not parted into pages
    profile: str


def suggest(document: Document, reading: Reading, call: AnsweredCall, most: int = MOST) -> tuple[Suggestion, ...]:
    """Suggest one query on the main table, then one narrower call of the tool."""
    if most <= 0:
        return ()
    sql = next_query(reading)
    asking = []
    if sql is not None:
        arguments = {"action": "sql", "sql": sql}
        asking.append(
            Suggestion(
                why="an aggregate",
                tool=call.fetch_tool,
                arguments=arguments,
                tokens=call.page,
                at_most=True,
                is_read=True,
            )
        )
    if reading.exact and (narrower := _narrower(document, reading, call)) is not None:
        asking.append(narrower)
    return tuple(asking[:most])


def _narrower(document: Document, reading: Reading, call: AnsweredCall) -> Suggestion | None:
    adjustable = AdjustableCall(call.arguments, call.schema)
    if reading.main is None or reading.cells is None or not adjustable.parameters:
        return None
    if len(reading.cells.numbers) < reading.main.count:
        return None  # a long text, whose cells are not at hand
    return Narrower(
        tool=call.tool,
        call=adjustable,
        table=reading.main,
        cells=reading.cells,
        cost=_cost(document, reading, call),
        most=call.most,
    ).suggestion()


def _cost(document: Document, reading: Reading, call: AnsweredCall) -> Callable[[Sequence[int]], int]:
    """Return what some rows cost: their part of the bytes of all, where each row is a part of the document; else of
    their number."""
    main = reading.main
    total = max(1, main.count if main is not None else 0)
    if main is not None and isinstance(main.spec, RowSpec) and main.spec.is_plain:
        container = document.container(main.spec.outer)
        starts = list(container.starts)
        size = max(1, len(document.body))
        return lambda rows: AROUND + call.tokens * sum(starts[at + 1] - starts[at] for at in rows) // size
    return lambda rows: AROUND + call.tokens * len(rows) // total
