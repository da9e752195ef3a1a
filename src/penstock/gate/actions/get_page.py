"""``get_page``: whole items of an array, of an object, of a text, or rows of any table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.core.act import receipts
from penstock.core.forms.rows import RowSpec
from penstock.core.json import scan
from penstock.core.json.index import reader, split_value
from penstock.core.json.path import EACH, KEY, closed_part, parse_open, render
from penstock.core.json.strings import quote
from penstock.core.reading.page import page, paginate, projected, render_page
from penstock.core.reading.page_frame import minified
from penstock.core.reading.query_text import about_rows
from penstock.core.text import nearest, shorten
from penstock.errors import CallerError
from penstock.gate.actions.page_of import paged_result
from penstock.gate.actions.request import Rooms
from penstock.gate.tool_results import text_result
from penstock.query.sql.query import run_sql

if TYPE_CHECKING:
    from penstock.core.forms.reading import TableSpec
    from penstock.core.json.index import Container
    from penstock.core.json.path import Path
    from penstock.core.reading.page import Page
    from penstock.gate.actions.request import FetchRequest
    from penstock.gate.held import HeldReader

PROJECTED: Final = 4_194_304  # bytes of items that are cut to some fields before pages are laid down: 0.3 s
MOST_TABLES: Final = 12  # tables that an error names


class GetPage:
    """Whole items with ``_pagination``. A page past the end is empty, with the totals."""

    def run(self, request: FetchRequest) -> bytes:
        opened, arguments = request.opened(), request.arguments
        rooms = Rooms.of(request.budget(opened))
        number = arguments.number("page", 1, least=1)
        path, fields = arguments.optional_text("path"), arguments.texts("fields")
        size = rooms.wanted(arguments)
        room = size.room
        table = arguments.optional_text("table")
        if table is None and path is not None:
            path, table = _open_path(opened, path)
        if table is not None:
            spec = _table(opened, table)
            if not isinstance(spec.rows, RowSpec) or not spec.rows.is_plain:
                return _rows(request, opened, spec, Rooms(page=room, hard=rooms.hard), size.surely)
            path = render(spec.rows.outer)
        read = opened.body
        container, pages = opened.paged(path, room)
        if fields and container.kind != "lines" and container.size <= PROJECTED:
            some = projected(container, read, fields)
            cut = split_value(some, container.path)
            result = page(cut, reader(some), paginate(cut, reader(some), room, pages.frame), number, hard=rooms.hard)
        else:
            result = page(container, read, pages, number, hard=rooms.hard.less(size.word), fields=fields)
        if fields and result.items and all(one.endswith(b"{}") for one in result.items):
            keyed = container.kind == "object"
            item = minified(container.item(read, result.start_index), keyed=keyed)
            keys = [key for key, _ in scan.members(scan.member_value(item) if keyed else item)]
            near = nearest(fields[0], keys) or keys[:8]
            raise CallerError(f"no item has {shorten(', '.join(fields))}", do=f"nearest: {', '.join(near)}")
        if not fields:
            _note(opened, container, result)
        text = render_page(result, pages.frame).decode()
        lowered = size.lowered(text, result.total_pages)
        unseen = "" if fields else _unseen(opened, container)  # of whole items, of which these are parts
        for name, word in {"lowered": lowered, "unseen": unseen}.items():
            with_word = text[:-2] + f',"{name}":{quote(word).decode()}' + "}}"
            text = with_word if word and rooms.hard.fits(with_word.encode()) else text
        return text_result(text)


def _note(opened: HeldReader, container: Container, result: Page) -> None:
    """Note the items that a page shows whole."""
    first = result.start_index
    for cut in (*result.cut, result.end_index):
        opened.note_rows(container, first, cut)
        first = cut + 1


def _unseen(opened: HeldReader, container: Container) -> str:
    """Tell which items were never shown whole, by get or get_page; nothing where that is not kept."""
    rows = opened.rows_read(container)
    if rows is None:
        return ""
    left = receipts.unseen(rows, container.count)
    return f"{receipts.ranges_text(left)} of {container.count:,}" if left else "none"


def _open_path(opened: HeldReader, text: str) -> tuple[str, str | None]:
    """Return the path to page through: ``.items[]`` are the items of ``.items``. What has more open steps is the path
    of a table, as notices name it, or leads to many values."""
    path = parse_open(text)
    wanted = path[:-1] if path[-1:] in ((EACH,), (KEY,)) else path
    if closed_part(wanted) == wanted:
        return render(wanted), None
    return text, next((one.name for one in opened.tables if _same(one, wanted)), None)


def _same(table: TableSpec, path: Path) -> bool:
    """Return True if a table lies at a path, whose last open step may be written or not."""
    own = parse_open(table.path)
    return path in (own, own[:-1]) if own[-1:] in ((EACH,), (KEY,)) else path == own


def _table(opened: HeldReader, name: str) -> TableSpec:
    table = next((one for one in opened.tables if one.name.lower() == name.lower()), None)
    if table is None:
        names = ", ".join(shorten(one.name) for one in opened.tables[:MOST_TABLES])
        raise CallerError(f"there is no table {shorten(name)!r}", do=f"tables: {names or 'none; leave table out'}")
    return table


def _rows(request: FetchRequest, opened: HeldReader, spec: TableSpec, rooms: Rooms, lowered: str) -> bytes:
    """Return a page of the rows that SQL has of a table: those that are made of a text, or lie inside other rows."""
    columns = ", ".join(_quoted(name) for name in request.arguments.texts("fields")) or "*"
    sql = f"SELECT {columns} FROM {_quoted(spec.name)}"  # noqa: S608  (a worker runs it that can only read these tables)
    rows = run_sql(sql, {"held": opened.source}, request.sandbox())
    fields = {"table": shorten(spec.name), **about_rows(rows.count, list(rows.columns))}
    fields |= {"lowered": lowered} if lowered else {}
    return paged_result(rows.json, fields, rooms, request.arguments.number("page", 1, least=1))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
