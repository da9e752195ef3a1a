"""Read a held result by page, path and window, from the record that ``records`` has written."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.act import receipts
from penstock.core.forms.converted import converted
from penstock.core.forms.document import Kind, read
from penstock.core.forms.reading import TableSpec
from penstock.core.forms.recognise import read_form
from penstock.core.json import index as indexing
from penstock.core.json.lookup import container_at, value_at
from penstock.core.json.path import parse
from penstock.core.json.strings import unquote_to_bytes
from penstock.core.plain import Plain
from penstock.core.reading.page import Pages, paginate
from penstock.core.reading.page_frame import Frame, frame_for
from penstock.core.reading.window import Ruler
from penstock.gate.records import FORMAT, all_facts, index_of
from penstock.query.source import Keeping as InWorker
from penstock.query.source import Source

if TYPE_CHECKING:
    from penstock.core.act.receipts import Range
    from penstock.core.budget import Room
    from penstock.core.forms.converted import Convert
    from penstock.core.json.index import Container, Index, Read
    from penstock.core.json.path import Path
    from penstock.share import Share
    from penstock.stores import Held


BLOCKS: Final = ("image", "audio", "resource")  # kinds of held results that are one block of MCP, given back as one
FORMATS: Final = (2, FORMAT)  # of records that are opened; those of format 2 all have an index
LAID_DOWN: Final = 32  # ways in which the pages of one result are kept laid down, each by a path and a size


def layout_of(held: Held) -> Layout:
    """Return the layout of a held result; a text, and JSON that was decoded whole, is indexed now."""
    if held.index:
        return Layout(index=indexing.load(held.index))
    read = held.reader("body")
    if not held.meta.depth:
        return Layout(index=indexing.index_lines(read(0, held.size("body"))))
    index = indexing.index_whole(read(0, held.size("body")), held.meta.depth)
    return Layout(index=index.with_container(container_at(index, read, tuple(held.meta.extra["pages"]))))


class Converted(Plain, frozen=True, kw_only=True):
    """A long text in another language after its first query: JSON, its tables, and what ``info`` says of it."""

    body: bytes
    depth: int
    items: int
    info: dict[str, Any]
    shape: str
    pages: Path
    tables: tuple[TableSpec, ...]


class Layout(Plain, frozen=True, kw_only=True):
    """The positions of the parts and pages of a held result. It is kept at hand, so that a page is only a slice.

    ``pages`` are by path and room. ``converted`` has the JSON of a text that was held without.
    """

    index: Index
    converted: Converted | None = None
    pages: dict[tuple[Path | None, Room], tuple[Container, Pages]] = msgspec.field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldReader:
    """Read one held result. Workers keep its tables for ``owner`` between queries, if an owner is given; ``share`` is
    whose turn a query is."""

    held: Held
    layout: Layout
    owner: str | None = None
    share: Share | None = None
    receipts: list[bytes] = field(default_factory=list)  # of what this call shows of it

    @property
    def index(self) -> Index:
        return self.layout.index

    @property
    def body(self) -> Read:
        made = self.layout.converted
        return self.held.reader("body") if made is None else indexing.reader(made.body)

    @property
    def is_raw(self) -> bool:
        """Return True if paths and pages refer to the bytes that came."""
        return self.layout.converted is None and not self.held.has_own_body

    @property
    def seen(self) -> bytes:
        """Return the receipts of all that was read, this call's too."""
        return self.held.entry.seen + b"".join(self.receipts)

    def note_raw(self, start: int, end: int) -> None:
        """Note that these bytes of the original were shown."""
        self._note(receipts.RAW, start, end)

    def note_rows(self, container: Container, first: int, last: int) -> None:
        """Note that these parts of a container were shown whole."""
        self._note(self.stream, container.starts[first], container.starts[last])

    def _note(self, stream: int, start: int, end: int) -> None:
        new = receipts.noted(self.seen, stream, start, end)
        self.receipts.append(new or receipts.noted_again(self.seen, stream, start, end))

    @property
    def stream(self) -> int:
        """Return the stream that paths and pages refer to, as receipts call it."""
        return receipts.RAW if self.is_raw else receipts.BODY

    def rows_read(self, container: Container) -> list[Range] | None:
        """Return the parts of a container that were shown whole; None if more was read than is kept."""
        if receipts.is_full(self.seen):
            return None
        return receipts.rows_read(container, self.body, receipts.ranges(self.seen, self.stream))

    @property
    def is_later(self) -> bool:
        """Return True for a text in another language that the first query has to convert."""
        return bool(self.held.meta.extra.get("later")) and self.layout.converted is None

    def convert(self, convert: Convert) -> Layout:
        """Return the layout with the JSON of the text. It is the same layout if the text is not what it looked like."""
        raw = self.held.read(0, self.held.size("raw"))
        document = converted(read(raw), convert, at_once=len(raw))
        if document.kind is not Kind.JSON:
            return self.layout
        reading = read_form(document)
        tables = tuple(table.kept for table in reading.tables)
        made = Converted(
            body=document.body[:],
            depth=document.depth,
            items=tables[0].count if tables else self.held.meta.items,
            info={"form": reading.form, "words": reading.words, **all_facts(reading)},
            shape=reading.shape,
            pages=reading.pages,
            tables=tables,
        )
        return Layout(index=index_of(document, reading), converted=made)

    @property
    def info(self) -> dict[str, Any]:
        """Return what ``info`` says of the result: its form, its words, and its facts."""
        if self.layout.converted is not None:
            return self.layout.converted.info
        known = self.held.meta.extra
        if "facts" in known and (known.get("table_facts") or len(self.tables) < 2):
            return known
        return {**known, **all_facts(read_form(read(self.held.read(0, self.held.size("raw")))))}

    @property
    def within(self) -> Path:
        """Return the way to the string that was converted, in JSON around it; empty where the whole text was."""
        return tuple(self.held.meta.extra.get("within", ()))

    @property
    def original(self) -> Source:
        """Return what ``search`` reads: of a text in another language the text itself, not the JSON made from it."""
        if self.held.meta.extra.get("language") is None:
            return self.source
        raw = self.held.read(0, self.held.size("raw"))
        index = indexing.build(raw) if self.within else None
        return Source(read=indexing.reader(raw), index=indexing.index_lines(raw) if index is None else index)

    def source_of(self, path: Path | None) -> Source:
        """Return what a path leads into: the JSON that was made of a text, or at the way to that text, the text."""
        return self.original if path is None or (self.within and path == self.within) else self.source

    @property
    def source(self) -> Source:
        meta, owner = self.held.meta, self.owner
        keeping = None
        if owner is not None:
            keeping = InWorker(owner=owner, handle=self.held.entry.handle, expires=meta.expires, share=self.share)
        is_made = meta.extra.get("language") is not None and not self.index.is_text
        original = self._converted_text() if is_made else None
        return Source(read=self.body, index=self.index, tables=self.tables, keeping=keeping, original=original)

    def _converted_text(self) -> tuple[Read, int]:
        """Return how to read the text that was converted, and its size."""
        if not self.within:
            return self.held.reader("raw"), self.held.size("raw")
        original = self.original  # which reads and indexes the whole
        text = unquote_to_bytes(value_at(original.index, original.read, self.within))
        return indexing.reader(text), len(text)

    @property
    def tables(self) -> tuple[TableSpec, ...]:
        """Return the tables, the main one first."""
        if self.layout.converted is not None:
            return self.layout.converted.tables
        return msgspec.convert(self.held.meta.extra.get("tables", []), tuple[TableSpec, ...])

    @property
    def run(self) -> str:
        """Return the name of the run or the session that made it."""
        return str(self.held.meta.extra.get("run", ""))

    @property
    def server(self) -> str | None:
        """Return the name of the server that it came from; None if that is not known."""
        name = self.held.meta.extra.get("server")
        return None if name is None else str(name)

    @property
    def server_name(self) -> str:
        """Return what users call the server that it came from."""
        return str(self.held.meta.extra.get("server_name", ""))

    @property
    def text_path(self) -> Path | None:
        """Return the way to the text that the notice names, none for the original text itself; None for JSON."""
        path = self.held.meta.extra.get("text", None if self.held.meta.kind == "json" else ())
        return None if path is None else tuple(path)

    @property
    def shape(self) -> str:
        if self.layout.converted is not None:
            return self.layout.converted.shape
        return str(self.held.meta.extra.get("shape", ""))

    @property
    def ruler(self) -> Ruler:
        total, errors, at_bytes, at_chars = self.held.meta.extra["ruler"]
        return Ruler(
            total=total,
            size=self.held.size("raw"),
            errors=errors,
            at_bytes=array("Q", at_bytes),
            at_chars=array("Q", at_chars),
        )

    @property
    def main(self) -> Container:
        """Return the container that is paged through."""
        made = self.layout.converted
        path: Path = tuple(self.held.meta.extra.get("pages", ())) if made is None else made.pages
        return container_at(self.index, self.body, path)

    def paged(self, path: str | None, room: Room) -> tuple[Container, Pages]:
        """Return the container at a path and where its pages begin. Without a path it is the main container."""
        wanted = None if path is None else parse(path)
        known = self.layout.pages.get((wanted, room))
        if known is None:
            if len(self.layout.pages) >= LAID_DOWN:
                self.layout.pages.clear()
            known = self.layout.pages[wanted, room] = self._lay_down(wanted, room)
        return known

    def _lay_down(self, wanted: Path | None, room: Room) -> tuple[Container, Pages]:
        container = self.main if wanted is None else container_at(self.index, self.body, wanted)
        frame = frame_for(self.index, self.body, container, room) if wanted is None else Frame()
        return container, paginate(container, self.body, room, frame)
