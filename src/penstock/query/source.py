"""The document that a query reads: held, read by positions, with its tables.

For jq, JSON values one after the other are one array of them, a text with a form is an array of its rows, and plain
text an array of its lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.core.forms.embedded import text_at
from penstock.core.forms.reading import TableSpec, TextSpec
from penstock.core.forms.rows import ColumnPath, RowSpec
from penstock.core.json.index import BATCH
from penstock.core.json.lookup import container_at, value_at
from penstock.core.json.path import EACH, KEY
from penstock.core.plain import Plain
from penstock.errors import CallerError
from penstock.query.sandbox.process import Text
from penstock.share import UNKNOWN, Share

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.json.index import Container, Index, Read

PLAIN: Final = TextSpec(form="lines")  # a text without a form: its lines
_VALUE: Final = ColumnPath(name="value", path=())
ITEMS: Final = RowSpec(inner=(EACH,), columns=(_VALUE,))  # an array without a table: its items,
MEMBERS: Final = RowSpec(inner=(KEY,), columns=(ColumnPath(name="key", path=(KEY,)), _VALUE))  # or of an object members


class Keeping(Plain, frozen=True, kw_only=True):
    """The owner of a result, its handle, and the time when it expires. A worker keeps its tables for that owner, until
    then. ``share`` is whose turn a query of it is; None for the owner's own."""

    owner: str
    handle: str
    expires: float | None = None
    share: Share | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A held result, or any other document: the function that gives its bytes by position, its index, and its tables,
    the main one first. ``keeping`` is None for what no worker keeps. ``original`` reads the text of so many bytes that
    was converted to this document (YAML, XML, HTML): its lines are a table too."""

    read: Read
    index: Index
    tables: tuple[TableSpec, ...] = ()
    keeping: Keeping | None = None
    original: tuple[Read, int] | None = None

    @property
    def key(self) -> str:
        """Return what a worker keeps its tables under, if it does."""
        return "" if self.keeping is None else self.keeping.handle

    @property
    def share(self) -> Share:
        """Return whose turn a query of it is."""
        return UNKNOWN if self.keeping is None else self.keeping.share or Share(self.keeping.owner)

    def root(self) -> Container:
        """Return the container that is the whole document."""
        root = self.index.root
        if root is None:
            raise CallerError("there are no fields or lines in this to ask about", do="read it as it is, by window")
        return root

    @property
    def text(self) -> TextSpec | None:
        """Return how rows are made of a document without a table: one for each of its parts."""
        if self.root().kind != "lines":
            return None
        spec = self.tables[0].rows if self.tables else PLAIN
        return spec if isinstance(spec, TextSpec) else PLAIN


def bare(source: Source) -> RowSpec | TextSpec:
    """Return how rows are made of a document that has no table: one for each part of it."""
    kind = source.root().kind
    return PLAIN if kind == "lines" else MEMBERS if kind == "object" else ITEMS


def lines_of(source: Source) -> TableSpec | None:
    """Return the table of all lines of a text: of the document, of the text that it was converted from, or of the
    string in it that its main table is made of."""
    if source.original is not None:
        return TableSpec(name="lines", rows=PLAIN)
    main = source.tables[0].rows if source.tables else None
    path = main.path if isinstance(main, TextSpec) else ()
    if not path and source.root().kind != "lines":
        return None
    return TableSpec(name="lines", rows=TextSpec(form="lines", path=path))


def pieces(read: Read, start: int, end: int) -> Iterator[bytes]:
    """Return the bytes between two positions, some at a time."""
    return (read(at, min(at + BATCH, end)) for at in range(start, end, BATCH))


def whole(source: Source) -> Iterator[bytes]:
    """Return the document as it is sent to jq: one JSON text, or the text that rows are made of."""
    root = source.root()
    if root.kind != "records":
        yield from pieces(source.read, root.start, root.end)
        return
    yield b"["
    for number, parts in enumerate(root.batches()):
        batch = root.joined(source.read, parts)[1:-1]
        yield b"," + batch if number else batch
    yield b"]"


def texts_for(source: Source, table: TableSpec) -> Iterator[Text]:
    """Return all that a worker needs to load a table."""
    spec = table.rows
    if isinstance(spec, TextSpec):
        if spec.path:
            path = spec.path[:-1] if spec.path[-1] == EACH else spec.path
            yield Text(pieces=(text_at(value_at(source.index, source.read, path)),))
        else:
            read, size = source.original or (source.read, source.index.size)
            yield Text(pieces=pieces(read, 0, size))
        return
    container = container_at(source.index, source.read, spec.outer)
    batches = (range(container.count),) if spec.is_whole else container.batches()
    for parts in batches:
        yield Text(pieces=(container.joined(source.read, parts),), first=parts.start)


def size_of(source: Source, table: TableSpec) -> int:
    """Return the bytes that are sent for a table."""
    if isinstance(table.rows, TextSpec):
        return source.index.size if source.original is None else source.original[1]
    return container_at(source.index, source.read, table.rows.outer).size
