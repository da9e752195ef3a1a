"""SQL and jq as the model asks them: the answer that it gets, and beside it the rows or the value for a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.errors import PenstockError
from penstock.gate.actions.filter import filtered_value
from penstock.gate.actions.page_of import paged_result
from penstock.gate.actions.request import Rooms
from penstock.gate.actions.sql import rows_answer
from penstock.gate.looking.windows import RowWindow
from penstock.gate.tool_results import error_result
from penstock.query.sql.query import run_sql

if TYPE_CHECKING:
    from penstock.gate.looking.looking import Looking

MOST: Final = 5_000  # rows of a query that a page shows; a download has all that a worker sends
LONG: Final = 262_144  # bytes of a jq result that a page shows


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryAnswer:
    """``answer`` is the MCP result that the model gets, which may be an error. Of SQL there are ``rows`` then, of so
    many as there are in all; of jq the ``value`` as JSON."""

    answer: bytes
    rows: RowWindow | None = None
    value: bytes | None = None


def ask_sql(looking: Looking, handle: str, sql: str, page: int = 1) -> QueryAnswer:
    """Run a query on the tables of a held result."""
    try:
        opened = looking.open(handle)
        result = run_sql(sql, {"held": opened.source}, looking.workers())
        rooms = Rooms.of(looking.budget(opened.held.meta.tool))
        return QueryAnswer(answer=rows_answer(result, rooms, page), rows=RowWindow.of(result, MOST))
    except PenstockError as error:
        return QueryAnswer(answer=error_result(error))


def ask_jq(looking: Looking, handle: str, program: str, page: int = 1) -> QueryAnswer:
    """Run a jq program on a held result. What the model would get held under a new handle comes by pages."""
    try:
        opened = looking.open(handle)
        value = filtered_value(opened, looking.workers(), program)
        rooms = Rooms.of(looking.budget(opened.held.meta.tool))
        return QueryAnswer(answer=paged_result(value, {}, rooms, page), value=value)
    except PenstockError as error:
        return QueryAnswer(answer=error_result(error))
