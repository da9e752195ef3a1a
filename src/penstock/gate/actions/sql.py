"""``sql``: a query over the tables of one held result, or of several."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.core.reading.query_text import about_rows
from penstock.gate.actions.page_of import paged_result
from penstock.gate.actions.request import Rooms
from penstock.query.sql.query import run_sql

if TYPE_CHECKING:
    from penstock.gate.actions.request import FetchRequest
    from penstock.query.results import SqlResult


class Sql:
    """The rows of the query, or the page of them that is asked for."""

    def run(self, request: FetchRequest) -> bytes:
        arguments = request.arguments
        sql = arguments.text("sql")
        sources = {name: request.open_handle(handle) for name, handle in arguments.handles.items()}
        rooms = Rooms.of(request.budget(next(iter(sources.values()))))
        result = run_sql(sql, {name: one.source for name, one in sources.items()}, request.sandbox())
        return rows_answer(result, rooms, arguments.number("page", 1, least=1))


def rows_answer(result: SqlResult, rooms: Rooms, page: int) -> bytes:
    """Return the rows of a query, or a page of them, as an MCP result."""
    fields = about_rows(result.count, list(result.columns))
    if result.notes:
        fields["note"] = "; ".join(result.notes)
    if result.sent < result.count:
        fields["limit"] = f"only the first {result.sent:,} rows can be read: add WHERE, or LIMIT and OFFSET"
    return paged_result(result.json, fields, rooms, page)
