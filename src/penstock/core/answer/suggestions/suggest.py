"""Choose the calls that a notice suggests: at most three, each of which runs, fits, and costs what it says."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

from penstock.core.answer.crossed import MOST_COUNTED
from penstock.core.answer.suggestions.narrow import Narrower
from penstock.core.answer.suggestions.offer import Suggestion
from penstock.core.answer.suggestions.outlines import blocks_offer, outline_offer, section_offer
from penstock.core.answer.suggestions.parameters import AdjustableCall
from penstock.core.answer.suggestions.queries import Query, counted_rows, counting, plain_queries, queries
from penstock.core.budget import Room
from penstock.core.forms.document import Kind
from penstock.core.forms.rows import RowSpec
from penstock.core.reading.query_text import rows_text
from penstock.core.tokens.count import count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from penstock.core.forms.document import Document
    from penstock.core.forms.reading import Cells, Reading, Table

MOST: Final = 3  # suggestions; after so many a reader no longer chooses
MOST_QUERIES: Final = 1  # of these, questions to what is held: each costs a hundred tokens in every notice
CANDIDATES: Final = 6  # questions that are answered to find out what they cost
_UNASKABLE: Final = re.compile("[\x00\ud800-\udfff]")  # what no question may have: it ends a text, or is none
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
    """Suggest the best query on the held tables (what is wrong, where something is), then narrower calls of the
    tool."""
    if most <= 0:
        return ()
    section = section_offer(document, reading, call.fetch_tool, call.page, call.profile) if reading.exact else None
    asking = [section] if section is not None else []
    if not asking and reading.main and reading.cells:
        asking = _questions(reading, reading.main, reading.cells, call)
    if not asking:
        is_text = reading.main is None and document.kind is Kind.TEXT and document.language is None
        offer = blocks_offer if is_text else outline_offer
        outline = offer(document, call.fetch_tool, call.page, call.profile)
        asking = [] if outline is None else [outline]
    narrower = _narrower(document, reading, call) if reading.exact else ()
    return tuple(islice(chain(asking, narrower), min(most, MOST)))


def _questions(reading: Reading, main: Table, cells: Cells, call: AnsweredCall) -> list[Suggestion]:
    """Return the best query, made from cells, or from facts where those are not at hand."""
    if not reading.exact:
        offers = chain(_from_facts(main, call, about=True), _first_rows(main, cells, call))
        return list(islice(offers, MOST_QUERIES))
    made = list(islice(_queries(reading, main, cells, call), MOST_QUERIES))
    return made or list(islice(_from_facts(main, call, about=False), MOST_QUERIES))


def _queries(reading: Reading, main: Table, cells: Cells, call: AnsweredCall) -> Iterator[Suggestion]:
    """Return questions whose answers were made, counted, and fit into one answer of the fetch tool."""
    if main.count > MOST_COUNTED:
        return
    for query in islice(queries(reading), CANDIDATES):
        rows = counted_rows(query, main) if query.is_count else []
        if not rows:
            columns = cells.columns(query.needed) if query.needed else {}
            if columns is None:
                return
            rows = query.answer(cells, columns, main.count)
        if _is_known(query, rows, main):
            continue
        if (made := _priced(query, rows, call)) is not None:
            yield made


def _is_known(query: Query, rows: list[dict[str, Any]], main: Table) -> bool:
    """Tell whether counts by two columns say no more than those by one, which are facts: each value of one goes with
    one of the other, or all pairs are equally many."""
    if len(query.group) < 2:
        return False
    fields = [main.field(name) for name in query.group]
    most = max(len(one.column.values()) + (one.filled < main.count) for one in fields if one is not None)
    return len(rows) <= most or len({row["n"] for row in rows}) == 1


def _from_facts(main: Table, call: AnsweredCall, *, about: bool) -> Iterator[Suggestion]:
    """Return questions that one column's own facts answer; of a sample their answers are much like this."""
    for query in counting(main):
        if (made := _priced(query, counted_rows(query, main), call, about=about)) is not None:
            yield made


def _first_rows(main: Table, cells: Cells, call: AnsweredCall) -> Iterator[Suggestion]:
    """Return the call for the first rows of a table that is too large to be looked at as a whole."""
    if isinstance(main.spec, RowSpec) and not main.spec.is_plain:
        return  # rows that lie in others are only reached through all of them
    for query in plain_queries(main):
        rows = [] if query.group else query.answer(cells, {}, len(cells.numbers))
        if (made := _priced(query, rows, call, about=True)) is not None:
            yield made


def _priced(query: Query, rows: list[dict[str, Any]], call: AnsweredCall, *, about: bool = False) -> Suggestion | None:
    query, rows = query.of_whole_ranks(rows)
    if not rows or _UNASKABLE.search(query.sql):
        return None
    text = rows_text(rows, list(rows[0]))
    if not Room(tokens=call.page, profile=call.profile).fits(text):  # the answer would be a page, which costs less
        return None
    tokens = count(text, call.profile).tokens
    arguments = {"action": "sql", "sql": query.sql}
    return Suggestion(
        why=query.why, tool=call.fetch_tool, arguments=arguments, tokens=tokens, about=about, is_read=True
    )


def _narrower(document: Document, reading: Reading, call: AnsweredCall) -> Iterator[Suggestion]:
    adjustable = AdjustableCall(call.arguments, call.schema)
    if reading.main is None or reading.cells is None or not adjustable.parameters:
        return
    if len(reading.cells.numbers) < reading.main.count:
        return  # a long text, whose cells are not at hand
    yield from Narrower(
        tool=call.tool,
        call=adjustable,
        table=reading.main,
        cells=reading.cells,
        cost=_cost(document, reading, call),
        most=call.most,
    ).suggestions()


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
