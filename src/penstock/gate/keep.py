"""A decision to hold becomes a record; a held record becomes something that can be read by page, path and window."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from penstock.core.answer.notice import encode
from penstock.core.forms.document import read
from penstock.core.json import index as indexing
from penstock.core.json.path import parse, render
from penstock.core.measure import measure
from penstock.core.reading.page import Pages, paginate
from penstock.core.reading.page_frame import Frame, frame_for
from penstock.core.reading.window import Ruler, ruler
from penstock.core.subject import study
from penstock.query.source import Source
from penstock.stores import Metadata, NewRecord

if TYPE_CHECKING:
    from penstock.core.answer.stand_in import Hidden
    from penstock.core.budget import Room
    from penstock.core.fit import Hold
    from penstock.core.forms.document import Document
    from penstock.core.json.index import Container, Index, Read
    from penstock.core.json.path import Path
    from penstock.core.measure import Measure
    from penstock.stores import Held


BLOCKS: Final = ("image", "audio", "resource")  # kinds of held results that are one block of MCP, given back as one
LAID_DOWN: Final = 32  # ways in which the pages of one result are kept laid down, each by a path and a size


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a result came from: the call that was answered, or the held result and the filter it was taken from."""

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)
    source: str | None = None
    filter: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeping:
    """Whose it is, and how long it stays."""

    owner: str
    now: float
    ttl: int | None


def hidden_record(hidden: Hidden, origin: Origin, keeping: Keeping, *, handle: str) -> NewRecord:
    """The record of a block or a member that does not go along with an answer."""
    document = read(hidden.raw)
    subject = study(document)
    figures = measure(document, index=subject.index, form=subject.form)
    made = record_of(document, figures, subject.index, origin, keeping, handle=handle)
    return made if hidden.block is None else replace(made, meta=replace(made.meta, kind=hidden.block))


def record_of(
    document: Document, figures: Measure, index: Index, origin: Origin, keeping: Keeping, *, handle: str
) -> NewRecord:
    """The record of a document that is to be held."""
    scale = ruler(document)
    meta = Metadata(
        tool=origin.tool.encode("utf-8", "replace").decode(),
        arguments=_written(origin.arguments),
        tokens=figures.tokens.tokens,
        size=figures.size,
        items=figures.items,
        depth=figures.depth,
        kind=str(figures.kind),
        created=keeping.now,
        expires=None if keeping.ttl is None else keeping.now + keeping.ttl,
        source=origin.source,
        filter=origin.filter,
        extra={
            "shape": figures.shape,
            "main": render(figures.main),
            "arrays": [[render(one.path), one.items, one.size, one.exact] for one in figures.arrays],
            "arrays_total": figures.arrays_total,
            "ruler": [scale.total, scale.errors, scale.at_bytes.tobytes(), scale.at_chars.tobytes()],
        },
    )
    body = None if document.body is document.raw else document.body
    written = indexing.dump(index)
    return NewRecord(handle=handle, owner=keeping.owner, raw=document.raw, body=body, index=written, meta=meta)


def _written(arguments: dict[str, Any]) -> bytes:
    """The arguments as JSON; those that a program made up of other things than JSON has are not kept."""
    try:
        return encode(arguments)
    except (TypeError, ValueError, RecursionError):
        return b"{}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where the parts and the pages of a held result lie. It is kept at hand, so that a page is only a slice.

    ``pages`` are by path and room; a container that was read and split for its path brings its own way to be read.
    """

    index: Index
    pages: dict[tuple[Path | None, Room], tuple[Container, Read | None, Pages]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A held result that is being read."""

    held: Held
    layout: Layout

    @property
    def index(self) -> Index:
        return self.layout.index

    @property
    def body(self) -> Read:
        return self.held.reader("body")

    @property
    def source(self) -> Source:
        return Source(read=self.body, index=self.index)

    @property
    def shape(self) -> str:
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

    def paged(self, path: str | None, room: Room) -> tuple[Container, Read, Pages]:
        """The container at a path (the main one, within its object, without a path) and where its pages begin."""
        wanted = None if path is None else parse(path)
        known = self.layout.pages.get((wanted, room))
        if known is None:
            if len(self.layout.pages) >= LAID_DOWN:
                self.layout.pages.clear()
            known = self.layout.pages[wanted, room] = self._lay_down(wanted, room)
        container, own_read, pages = known
        return container, own_read or self.body, pages

    def _lay_down(self, wanted: Path | None, room: Room) -> tuple[Container, Read | None, Pages]:
        main = self.index.main
        if wanted is None and main is not None:
            frame = frame_for(self.index, self.body, main, room)
            return main, None, paginate(main, self.body, room, frame)
        container, read = indexing.container_at(self.index, self.body, wanted or ())
        known = self.index.container(container.path) is container
        return container, None if known else read, paginate(container, read, room, Frame())


def layout_of(hold: Hold, room: Room) -> Layout:
    """What was laid down on the way to a decision, for the first reader."""
    layout = Layout(index=hold.subject.index)
    if hold.pages is not None and hold.subject.main is not None:
        layout.pages[None, room] = (hold.subject.main, None, hold.pages)
    return layout
