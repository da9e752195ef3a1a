"""``info``: all that is known of a held result without reading it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.act import receipts
from penstock.core.answer.notice import encode
from penstock.core.budget import largest
from penstock.core.fit_room import SHOWN_BY_INFO
from penstock.core.forms.rows import RowSpec
from penstock.core.reading.page import page, render_page
from penstock.core.text import shorten
from penstock.gate.actions.request import LONG_FIELD, FetchRequest, Rooms, as_many, seconds_left
from penstock.gate.tool_results import json_result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.core.forms.reading import TableSpec
    from penstock.gate.held import HeldReader


LEAST_COLUMNS: Final = 30  # Names of columns that every table shows: a wider one shows more if there is room.
NEEDED: Final = ("cache_id", "total_tokens", "item_count", "total_pages", "without_text")
APART: Final = ("cache_id", "without_text")  # the members of a result that no other call shows


class Info:
    """Metadata, shape, the tables with their rows and the facts of their columns, pages of the size that is given, and
    the expiry. The facts of the main table come last, as they are the longest."""

    def run(self, request: FetchRequest) -> bytes:
        opened = request.opened()
        rooms = Rooms.of(request.budget(opened))
        meta, known, made = opened.held.meta, opened.info, opened.layout.converted
        fields: dict[str, Any] = {
            "cache_id": request.arguments.handle,
            "tool": shorten(meta.tool),
            "arguments": msgspec.Raw(_short(meta.arguments)),
            "kind": meta.kind,
            "form": known.get("form", "text"),
            "what": known.get("words", ""),
            "total_tokens": meta.tokens,
            "total_bytes": meta.size,
            "item_count": meta.items if made is None else made.items,
            "max_depth": meta.depth if made is None else made.depth,
            "expires_in_s": seconds_left(meta.expires, request.now),
            "reads": opened.held.entry.reads,
            "shape": opened.shape,
        }
        if opened.index.root is not None:
            size = rooms.wanted(request.arguments)
            container, pages = opened.paged(None, size.room)
            fields["total_pages"] = pages.total_pages
            first = render_page(page(container, opened.body, pages, hard=rooms.hard), pages.frame) if size.word else b""
            lowered = size.lowered(first.decode(), pages.total_pages)
            fields |= {"lowered": lowered} if lowered else {}
            fields["read"] = _read(opened)
        if (aside := meta.extra.get("aside")) is not None:
            fields |= {"without_text": msgspec.Raw(aside)}
        if meta.source is not None:
            fields |= {"source": meta.source}
        if meta.filter is not None:
            fields |= {"jq_filter": shorten(meta.filter, LONG_FIELD)}
        if (joined := meta.extra.get("more")) is not None:
            fields |= {"joined": joined["receipt"]}
        of_tables = known.get("table_facts", {})
        widest = max((len(_columns(table)) for table in opened.tables), default=0)
        most = largest(
            widest,
            lambda number: rooms.page.fits(
                encode(
                    {**fields, "tables": [_table_row(table, (), number) for table in opened.tables], "note": "x" * 60}
                )
            ),
        )
        most = max(LEAST_COLUMNS, most)
        tables = [_table_row(table, of_tables.get(table.name, ()), most) for table in opened.tables]
        facts = list(known.get("facts", ()))

        def answer(number: int) -> dict[str, Any]:
            rows, lines = tables[:number], facts[: max(0, number - len(tables))]
            members = {**fields, "tables": rows, "facts": lines}
            left = len(tables) + len(facts) - number
            return {**members, "note": f"{left:,} more tables and facts have no room here"} if left > 0 else members

        if not rooms.page.fits(encode(answer(0))):  # a very small budget: what no reader can do without
            apart: dict[str, Any] = {name: fields[name] for name in APART if name in fields}
            fields = {name: fields[name] for name in NEEDED if name in fields}
            if not rooms.page.fits(encode(answer(0))):
                if len(apart) > 1 and rooms.page.fits(encode(apart)):
                    return json_result(apart)
                fields.pop("without_text", None)  # it was held with a larger budget
        return as_many(len(tables) + len(facts), answer, rooms.page)


def _short(arguments: bytes) -> bytes:
    return arguments if len(arguments) <= SHOWN_BY_INFO else b'"[too long to show]"'


def _read(opened: HeldReader) -> str:
    """Tell which rows were shown whole, and how many were not. Queries are not counted: what they show is made of rows,
    and is none."""
    container = opened.main
    by = "by get and get_page" if opened.is_raw else "by get_page"
    noun = {"lines": "lines", "object": "members"}.get(container.kind, "rows")
    rows = opened.rows_read(container)
    if rows is None:
        return f"{by}, in more pieces than are kept"
    if not rows:
        return f"none of {container.count:,} {noun} {by}"
    left = container.count - receipts.size(rows)
    return f"{noun} {receipts.ranges_text(rows)} of {container.count:,} {by}; {left:,} unseen"


def _columns(table: TableSpec) -> list[str]:
    return [one.name for one in table.rows.columns] if isinstance(table.rows, RowSpec) else []


def _table_row(table: TableSpec, facts: Sequence[str], most: int) -> dict[str, Any]:
    columns = _columns(table)
    rows = f"{table.about} {table.count}" if table.about else table.count
    row: dict[str, Any] = {"name": table.name, "rows": rows, "path": table.path}
    row |= {"columns": _names(columns, most)} if columns else {}
    return {**row, "facts": facts} if facts else row


def _names(columns: Sequence[str], most: int) -> list[str]:
    """Return the names of columns: all of them, or as many as an answer has room for."""
    names = [shorten(name) for name in columns[:most]]
    return [*names, f"+{len(columns) - most} columns"] if len(columns) > most else names
