"""One function per action of the fetch tool. Each answer fits its budget and says how much is unseen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.answer.notice import encode
from penstock.core.answer.stand_in import text_block
from penstock.core.budget import ENVELOPE, Room, largest
from penstock.core.forms.rows import RowSpec
from penstock.core.json import scan
from penstock.core.json.index import container_at, reader, split_value, value_at
from penstock.core.json.path import parse, render
from penstock.core.json.strings import quote
from penstock.core.reading.indicator import DEFAULT_DEPTH
from penstock.core.reading.next_calls import LONG_TOKEN
from penstock.core.reading.outline import Outline, outline, outline_within
from penstock.core.reading.page import page, paginate, render_page, shown_text
from penstock.core.reading.page_frame import Frame
from penstock.core.reading.page_item import minified, shorten_item
from penstock.core.reading.query_text import MOST_COLUMNS, about_rows
from penstock.core.reading.window import Window, window
from penstock.core.text import nearest, shorten
from penstock.errors import CallerError
from penstock.gate.answers import blocks, texts, told
from penstock.gate.keep import BLOCKS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from penstock.core.budget import Budget
    from penstock.core.forms.reading import TableSpec
    from penstock.gate.arguments import Asked
    from penstock.gate.keep import Opened
    from penstock.query.sandbox import Sandbox
    from penstock.stores import Entry

LONG_FIELD: Final = 200  # characters of what the caller wrote that are repeated in an answer
FRAME: Final = 160  # tokens of the fields around a result, upper bound included
OUTLINED: Final = 262_144  # bytes; a larger value is opened part by part and never split whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Rooms:
    """What an answer should cost, and what it may cost at all."""

    page: Room
    hard: Room

    @classmethod
    def of(cls, budget: Budget) -> Rooms:
        return cls(page=budget.page, hard=budget.whole)

    def asked(self, asked: Asked) -> Room:
        """The room of a page as the caller wants it, within what is allowed at all."""
        tokens, size = asked.page_size()
        if tokens is None and size is None:
            return self.page
        return self.hard.limited(tokens=None if tokens is None else tokens - ENVELOPE, size=size)


def info(opened: Opened, rooms: Rooms, *, handle: str, now: float) -> bytes:
    """Metadata, shape, the tables with their rows, the facts of every column of the main one, and the expiry."""
    meta = opened.held.meta
    fields: dict[str, Any] = {
        "cache_id": handle,
        "tool": shorten(meta.tool),
        "arguments": msgspec.Raw(meta.arguments if len(meta.arguments) <= 500 else b'"[too long to show]"'),
        "kind": meta.kind,
        "form": meta.extra.get("form", "text"),
        "what": meta.extra.get("words", ""),
        "total_tokens": meta.tokens,
        "total_bytes": meta.size,
        "item_count": meta.items,
        "max_depth": meta.depth,
        "expires_in_s": _left(meta.expires, now),
        "reads": opened.held.entry.reads,
        "shape": opened.shape,
    }
    if opened.index.root is not None:
        fields["total_pages"] = opened.paged(None, rooms.page)[1].total_pages
    if meta.source is not None:
        fields |= {"source": meta.source, "jq_filter": shorten(meta.filter or "", LONG_FIELD)}
    tables = [_table_row(table) for table in opened.tables]
    facts = list(meta.extra.get("facts", ()))

    def answer(number: int) -> dict[str, Any]:
        rows, lines = tables[:number], facts[: max(0, number - len(tables))]
        told = {**fields, "tables": rows, "facts": lines}
        left = len(tables) + len(facts) - number
        return {**told, "note": f"{left:,} more tables and facts have no room here"} if left > 0 else told

    if not rooms.page.fits(encode(answer(0))):  # a very small budget: what nobody can do without
        fields = {
            name: fields[name] for name in ("cache_id", "total_tokens", "item_count", "total_pages") if name in fields
        }
    return _as_many(len(tables) + len(facts), answer, rooms.page)


def _table_row(table: TableSpec) -> dict[str, Any]:
    columns = [one.name for one in table.rows.columns] if isinstance(table.rows, RowSpec) else []
    told: dict[str, Any] = {"name": table.name, "rows": table.count, "path": table.path}
    return {**told, "columns": _names(columns)} if columns else told


def _names(columns: Sequence[str]) -> list[str]:
    """The names of columns, the first ones of many."""
    names = [shorten(name) for name in columns[:MOST_COLUMNS]]
    return [*names, f"… {len(columns) - MOST_COLUMNS} more"] if len(columns) > MOST_COLUMNS else names


def _as_many(most: int, answer: Callable[[int], dict[str, Any]], room: Room) -> bytes:
    """The answer with as many rows as have room."""
    return told(answer(largest(most, lambda number: room.fits(encode(answer(number))))))


def _left(expires: float | None, now: float) -> int | None:
    """The seconds until something expires; None for what never does."""
    return None if expires is None else max(0, round(expires - now))


def listing(
    entries: Sequence[Entry], rooms: Rooms, *, now: float, is_own: Callable[[Entry], bool] = lambda _: True
) -> bytes:
    """What the owner holds, in this order. Entries that are not ``is_own`` are marked as another run's."""
    rows = [
        {
            "cache_id": one.handle,
            "tool": shorten(one.meta.tool),
            "total_tokens": one.meta.tokens,
            "item_count": one.meta.items,
            "age_s": max(0, round(now - one.meta.created)),
            "expires_in_s": _left(one.meta.expires, now),
            **({} if is_own(one) else {"made_by": "another run"}),
            **({"source": one.meta.source, "jq_filter": shorten(one.meta.filter or "")} if one.meta.source else {}),
        }
        for one in entries
    ]

    def answer(number: int) -> dict[str, Any]:
        return {"total": len(rows), "note": shown_text(0, number, len(rows)), "results": rows[:number]}

    if rows and not rooms.page.fits(encode(answer(1))):  # a very small budget: the handles are what matters
        rows = [{"cache_id": row["cache_id"]} for row in rows]
    return _as_many(len(rows), answer, rooms.page)


def get(opened: Opened, budget: Budget, asked: Asked) -> bytes:
    """A window of the original text: where it lies in one line of JSON, then the text itself, exactly. A picture, a
    sound or a file comes whole, as the block that it was."""
    kind, size = opened.held.meta.kind, opened.held.size("raw")
    spans = [name for name in ("start_index", "max_length") if asked.given.get(name) is not None]
    comes_back = kind in BLOCKS and budget.gives_back(size)
    if comes_back and not spans:
        total = opened.ruler.total
        whole = Window(text="", start_index=total, total_length=total).metadata() | {"start_index": 0}
        return blocks(_where(whole), opened.held.read(0, size))
    length = asked.number("max_length", 0, least=1)
    room = budget.whole if length else budget.page
    room = room.limited(tokens=max(1, room.tokens - FRAME), size=max(1, room.size - 2 * FRAME))
    start = asked.number("start_index", 0, least=0)
    found = window(opened.held.reader("raw"), opened.ruler, start, length or room.tokens * LONG_TOKEN, room)
    where = found.metadata()
    if kind in BLOCKS:
        why = f"without {' and '.join(spans)} it comes as it was" if comes_back else "it is too large to come as it was"
        where["note"] = f"the JSON of a block of type {kind}, in parts: {why}"
    return blocks(_where(where), text_block(found.text))


def _where(told: dict[str, Any]) -> bytes:
    """The line that tells where a window lies."""
    del told["truncated"]
    return text_block(encode({**told, "unseen": told["total_length"] - told["end_index"]}).decode())


def get_page(opened: Opened, rooms: Rooms, asked: Asked) -> bytes:
    """Whole items of an array, of an object or of a text."""
    number = asked.number("page", 1, least=1)
    read = opened.body
    container, pages = opened.paged(asked.optional_text("path"), rooms.asked(asked))
    fields = asked.texts("fields")
    found = page(container, read, pages, number, hard=rooms.hard, fields=fields)
    if fields and found.items and set(found.items) == {b"{}"}:
        keys = [key for key, _ in scan.members(minified(container.item(read, found.start_index)))]
        near = nearest(fields[0], keys) or keys[:8]
        raise CallerError(f"no item has {shorten(', '.join(fields))}", do=f"nearest: {', '.join(near)}")
    return texts(render_page(found, pages.frame).decode())


def outlined(opened: Opened, rooms: Rooms, asked: Asked) -> bytes:
    """The tree under a path, to a depth; as much of it as fits when that is too much."""
    path = parse(asked.optional_text("path") or "")
    depth = asked.number("depth", DEFAULT_DEPTH, least=1)
    room = rooms.page.limited(tokens=max(1, rooms.page.tokens - FRAME))
    container = container_at(opened.index, opened.body, path)
    cut: Outline | None = None
    if container.size <= OUTLINED and container.kind in ("array", "object"):
        cut = outline(scan.minify(value_at(opened.index, opened.body, path)), depth)
    if cut is None or not room.fits(cut.text):
        cut = outline_within(container, opened.body, room, depth)
    fields = {"path": render(path), "depth": cut.depth, "levels_hidden": cut.levels_hidden}
    return told({**fields, "outline": msgspec.Raw(cut.text)})


def filtered(opened: Opened, sandbox: Sandbox, program: str) -> bytes:
    """The jq result as one JSON text. A wrong program is told jq's own words and the shape of the data."""
    from penstock.query.filter import run_filter  # noqa: PLC0415  (so with all queries: most results are never asked)

    try:
        return run_filter(program, opened.source, sandbox).json
    except CallerError as error:
        do = f"{error.do}; " if error.do else ""
        raise CallerError(error.what, do=f"{do}the data is {opened.shape}") from None


def rows_of(sources: Mapping[str, Opened], sandbox: Sandbox, sql: str) -> tuple[bytes, dict[str, Any]]:
    from penstock.query.sql import run_sql  # noqa: PLC0415

    found = run_sql(sql, {name: one.source for name, one in sources.items()}, sandbox)
    return found.json, about_rows(found.count, list(found.columns))


def paged_result(value: bytes, fields: dict[str, Any], rooms: Rooms, number: int) -> bytes:
    """What a query gave: whole when it fits, else the page that was asked for, and how much is unseen."""
    if not rooms.page.limited(tokens=rooms.page.tokens // 3).fits(encode(fields)):  # the result itself needs the room
        fields = {name: told for name, told in fields.items() if isinstance(told, int)}
    if number == 1 and room_beside(rooms.hard, fields).fits(value):
        return told({**fields, "result": msgspec.Raw(value)})
    room = room_beside(rooms.page, fields)
    if not scan.is_container(value):
        note = f"one value of {len(value):,} bytes, shown in part: cut it in the query itself"
        return told({**fields, "note": note, "result": msgspec.Raw(shorten_item(value, room))})
    container, read = split_value(value), reader(value)
    pages = paginate(container, read, room, Frame(name="result"))
    rest = render_page(page(container, read, pages, number), pages.frame)
    return texts(encode(fields).decode()[:-1] + "," + rest.decode()[1:])


def room_beside(room: Room, fields: dict[str, Any]) -> Room:
    """The room for a result beside these fields."""
    return room.less(encode({**fields, "note": "x" * 100, "result": 0}))


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedRoom(Room):
    """Room for a text that is a string inside of JSON, which is itself written inside of a JSON string."""

    def fits(self, text: str | bytes) -> bool:
        return Room.fits(self, quote(text if isinstance(text, str) else text.decode("utf-8", "replace")))


def search(opened: Opened, rooms: Rooms, asked: Asked) -> bytes:
    """Matches with their places and surroundings, counts first."""
    from penstock.query.search import search as run_search  # noqa: PLC0415

    found = run_search(
        opened.source,
        asked.text("pattern"),
        room=QuotedRoom(tokens=max(1, rooms.page.tokens - FRAME), size=rooms.page.size, profile=rooms.page.profile),
        regex=asked.truth("regex", default=False),
        ignore_case=asked.truth("ignore_case", default=False),
        context=asked.number("context", 2, least=0),
        path=asked.optional_text("path"),
        start=asked.number("start", 0, least=0),
    )
    fields: dict[str, Any] = {
        "total": found.total,
        "complete": found.complete,
        "note": shown_text(found.start, found.end, found.total),
    }
    if found.has_more:
        fields["next_start"] = found.end
    return told({**fields, "matches": found.text})
