"""The calls that a notice suggests: one query on the stored result, and at most one narrower call of the same tool."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from penstock.core.answer.narrow import AdjustableCall, narrowed_calls
from penstock.core.forms.rows import RowSpec
from penstock.core.notice.query import next_query

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from penstock.core.forms.document import Document
    from penstock.core.forms.reading import Reading

MAX_SHARE: Final = 0.9  # A narrower call asks for at most 90 % of the rows, because more would change little.
AROUND: Final = 60  # A tool's own answer has about 60 tokens around the rows.


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A call to the fetch tool for the stored result, or a narrower call of the tool itself.

    ``tokens`` is the cost of its answer. It is exact, or an estimate with ``about`` because only the server can make
    the answer, or an upper limit with ``at_most`` because making the answer takes long.
    """

    why: str
    tool: str
    tokens: int
    arguments: dict[str, Any] = field(default_factory=dict)
    about: bool = False
    at_most: bool = False
    is_read: bool = False

    def as_dict(self, handle: str | None = None) -> dict[str, Any]:
        """Return the suggestion as in the notice. In a call that reads the stored result the handle comes first."""
        held = {"cache_id": handle} if self.is_read and handle is not None else {}
        cost = {"about_tokens" if self.about else "at_most_tokens" if self.at_most else "tokens": self.tokens}
        return {"why": self.why, "tool": self.tool, "arguments": {**held, **self.arguments}, **cost}


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredCall:
    """The call that was answered, and the limits of an answer."""

    tool: str
    arguments: Mapping[str, Any]
    schema: Mapping[str, Any] | None
    fetch_tool: str
    tokens: int  # Tokens of the result.
    most: int  # Tokens of an answer that passes.
    page: int  # Tokens of an answer of the fetch tool that is not divided into pages.


def suggest(document: Document, reading: Reading, call: AnsweredCall, most: int) -> tuple[Suggestion, ...]:
    """Return a query on the main table, then a narrower call of the tool, as far as there are any."""
    made = [_query(reading, call), _narrower(document, reading, call)]
    return tuple([one for one in made if one is not None][:most])


def _query(reading: Reading, call: AnsweredCall) -> Suggestion | None:
    sql = next_query(reading)
    if sql is None:
        return None
    return Suggestion(
        why="an aggregate",
        tool=call.fetch_tool,
        arguments={"action": "sql", "sql": sql},
        tokens=call.page,
        at_most=True,
        is_read=True,
    )


def _narrower(document: Document, reading: Reading, call: AnsweredCall) -> Suggestion | None:
    """Return the first narrower call that asks for several rows, but not nearly all, and whose answer fits."""
    table, cells = reading.main, reading.cells
    adjustable = AdjustableCall(call.arguments, call.schema)
    if not reading.exact or table is None or cells is None or not adjustable.parameters:
        return None
    if len(cells.numbers) < table.count:
        return None  # Only some cells of a long text can be read.
    cost = _cost(document, reading, call)
    for one in narrowed_calls(adjustable, table, cells):
        if 1 < len(one.rows) < table.count * MAX_SHARE and (tokens := cost(one.rows)) <= call.most:
            return Suggestion(why=one.why, tool=call.tool, arguments=one.arguments, tokens=tokens, about=True)
    return None


def _cost(document: Document, reading: Reading, call: AnsweredCall) -> Callable[[Sequence[int]], int]:
    """Return a function for the cost of some rows: their share of the bytes if each row is a part of the document, else
    their share of all rows."""
    main = reading.main
    total = max(1, main.count if main is not None else 0)
    if main is not None and isinstance(main.spec, RowSpec) and main.spec.is_plain:
        container = document.container(main.spec.outer)
        starts = list(container.starts)
        size = max(1, len(document.body))
        return lambda rows: AROUND + call.tokens * sum(starts[at + 1] - starts[at] for at in rows) // size
    return lambda rows: AROUND + call.tokens * len(rows) // total
