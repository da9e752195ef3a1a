"""Compare a result with an earlier result of the same call, in words for its notice."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from penstock.core.changes.compare import CHANGED, REWRITTEN, UNCHANGED, Version, compare_briefly
from penstock.core.changes.values import Known
from penstock.core.forms.document import Kind
from penstock.core.forms.rows import RowSpec
from penstock.core.json.index import reader
from penstock.core.json.long_bytes import PIECE, gathered
from penstock.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.core.changes.compare import VersionKind
    from penstock.core.forms.document import Document
    from penstock.core.forms.reading import Table
    from penstock.core.json.index import Read
    from penstock.core.json.path import Path

AT_ONCE: Final = 2_000_000  # bytes of either version up to which their values are compared; above it their bytes are


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """An earlier result of the same call: ``part`` gives its original bytes between two positions, ``read`` all of it,
    and ``is_same`` tells in less time that they are those of a document, if it can. ``seconds`` have passed since."""

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
        """Return whether the action ``changes`` has anything to show."""
        return self.words not in (UNCHANGED, REWRITTEN)

    def __str__(self) -> str:
        return f"since {self.handle}, {self.seconds:,} s ago: {self.words}"


def since(earlier: Earlier, document: Document, table: Table | None = None) -> Since:
    """Compare a result, which has this main table, with an earlier one: by values, or where one of them is large by
    bytes. Where its rows lie is not looked for until they are compared."""
    if max(earlier.size, len(document.raw)) > AT_ONCE:
        words = _by_bytes(earlier, document)
    else:
        facts = None if table is None else Known(rows=table.rows, is_unique=partial(_is_unique, table))
        words = compare_briefly(earlier.read(), version_of(document, table), facts)
    return Since(handle=earlier.handle, seconds=earlier.seconds, words=words)


def _by_bytes(earlier: Earlier, new: Document) -> str:
    """Tell whether a large result is the same, or only grew. To know more of it, the action ``changes`` has to be
    asked."""
    raw, size = new.raw, earlier.size
    if size == len(raw) and earlier.is_same(new):
        return UNCHANGED
    if not 0 < size <= len(raw) or not are_same(earlier.part, reader(raw), size):
        return CHANGED
    if size == len(raw):
        return UNCHANGED
    if _is_text(new) and raw[size - 1 : size] == b"\n":
        added = sum(raw[at : at + PIECE].count(b"\n") for at in range(size, len(raw), PIECE))
        lines = added + (not raw.endswith(b"\n"))
        return f"{counted(lines, 'line')} added at the end, all before them unchanged"
    return f"{counted(len(raw) - size, 'byte')} added at the end, all before them unchanged"


def are_same(one: Read, other: Read, size: int) -> bool:
    """Tell whether two documents begin with the same bytes, as many as ``size``. No more is read than up to the first
    piece that differs."""
    spans = ((at, min(at + PIECE, size)) for at in range(0, size, PIECE))
    return all(one(*span) == other(*span) for span in spans)


def _is_unique(table: Table, path: Path) -> bool | None:
    """Tell whether no two rows have the same in a column, as far as its facts are known."""
    at = (one for one in table.fields if one.path is not None and one.path.level < 0 and one.path.path == path)
    facts = next(at, None)
    if facts is None or not table.exact or facts.column.different is None:
        return None
    return facts.column.filled == facts.column.different == table.rows


def version_of(document: Document, table: Table | None) -> Version:
    """Return a document as it is compared, with its main table."""
    raw = gathered(document.raw)
    if document.kind is Kind.BINARY:
        return Version(raw=raw, kind="binary")
    if document.within:  # another language in a string of JSON, which is compared as it came
        return Version(raw=raw, kind="json", body=raw)
    if _is_text(document):
        return Version(raw=raw, kind="text")
    spec = None if table is None else table.spec
    path = spec.outer if isinstance(spec, RowSpec) and spec.is_plain else None
    kind: VersionKind = "json" if document.kind is Kind.JSON else "values"
    body = raw if document.body is document.raw else gathered(document.body)
    return Version(raw=raw, kind=kind, body=body, rows=path)


def _is_text(document: Document) -> bool:
    """Tell whether a document is compared as a text."""
    is_text = document.kind is Kind.TEXT or (document.language is not None and document.kind is not Kind.BINARY)
    return is_text and not document.within
