"""Compare a result with an earlier result of the same call, in words for its notice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.core.changes.compare import REWRITTEN, UNCHANGED, Version, compare
from penstock.core.changes.words import signed_counts
from penstock.core.forms.document import Kind
from penstock.core.forms.rows import RowSpec
from penstock.core.json.buffer import PIECE
from penstock.core.json.index import reader

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.core.changes.compare import VersionKind
    from penstock.core.forms.document import Document
    from penstock.core.forms.reading import Table
    from penstock.core.json.index import Read

CHANGED: Final = "changed"
MAX_COMPARED: Final = (
    1_000_000  # Bytes of a version that is compared for a notice: 0.05 s, or 0.3 s if all of it changed.
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """An earlier result of the same call, which came ``seconds`` ago.

    ``part`` returns its original bytes between two positions, ``read`` all of it. ``is_same`` returns True if it is
    known to have the bytes of a document without reading them.
    """

    handle: str
    seconds: int
    size: int
    part: Read
    is_same: Callable[[Document], bool]
    read: Callable[[], Version]


@dataclass(frozen=True, slots=True, kw_only=True)
class Since:
    """The changes since an earlier result, in words."""

    handle: str
    seconds: int
    words: str

    @property
    def is_worth_asking(self) -> bool:
        """Return True if the action ``changes`` has anything to show."""
        return self.words not in (UNCHANGED, REWRITTEN)

    def __str__(self) -> str:
        return f"since {self.handle}, {self.seconds:,} s ago: {self.words}"


def since(earlier: Earlier, document: Document, table: Table | None = None) -> Since:
    """Compare a result, whose main table is ``table``, with an earlier one. Large results are compared as bytes."""
    if max(earlier.size, len(document.raw)) > MAX_COMPARED:
        words = _compare_bytes(earlier, document)
    else:
        words = compare(earlier.read(), version_of(document, table)).words
    return Since(handle=earlier.handle, seconds=earlier.seconds, words=words)


def _compare_bytes(earlier: Earlier, new: Document) -> str:
    """Return True if a large result is unchanged, or a text that only grew: all that its bytes can say."""
    raw, size = new.raw, earlier.size
    if size == len(raw):
        is_same = earlier.is_same(new) or are_same(earlier.part, reader(raw), size)
        return UNCHANGED if is_same else CHANGED
    ends_a_line = 0 < size < len(raw) and raw[size - 1 : size] == b"\n"
    if not _is_text(new) or not ends_a_line or not are_same(earlier.part, reader(raw), size):
        return CHANGED
    added = sum(raw[at : at + PIECE].count(b"\n") for at in range(size, len(raw), PIECE))
    if raw[-1:] != b"\n":
        added += 1
    return f"{signed_counts('line', added, 0)} at the end, all before them unchanged"


def are_same(one: Read, other: Read, size: int) -> bool:
    """Return True if the first ``size`` bytes of two documents are the same."""
    spans = ((at, min(at + PIECE, size)) for at in range(0, size, PIECE))
    return all(one(*span) == other(*span) for span in spans)


def version_of(document: Document, table: Table | None) -> Version:
    """Return a document as a version to compare, with its main table."""
    raw = document.raw[:]
    if document.kind is Kind.BINARY:
        return Version(raw=raw, kind="binary")
    if document.within:  # Another language in a JSON string: the JSON around it is compared.
        return Version(raw=raw, kind="json", body=raw)
    if _is_text(document):
        return Version(raw=raw, kind="text")
    spec = None if table is None else table.spec
    path = spec.outer if isinstance(spec, RowSpec) and spec.is_plain else None
    kind: VersionKind = "json" if document.kind is Kind.JSON else "values"
    body = raw if document.body is document.raw else document.body[:]
    return Version(raw=raw, kind=kind, body=body, rows=path)


def _is_text(document: Document) -> bool:
    """Return True if a document is compared as a text."""
    is_text = document.kind is Kind.TEXT or (document.language is not None and document.kind is not Kind.BINARY)
    return is_text and not document.within
