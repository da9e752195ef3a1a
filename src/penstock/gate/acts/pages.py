"""One page of a tool's rows, and all pages as one table with a receipt: how many, complete or not, keys that repeat.

Rows stay in the bytes that they came in.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.act.more import PageSigns, read_signs
from penstock.core.answer.result import parse, payload
from penstock.core.forms.document import Kind
from penstock.core.forms.recognise import read_form
from penstock.core.json.index import reader
from penstock.core.json.lookup import container_at, value_at
from penstock.core.tables.roles import KEY_ROLES, named_role
from penstock.errors import CallerError, UpstreamError

if TYPE_CHECKING:
    from penstock.core.json.index import Container, Index, Read
    from penstock.core.json.path import Path
    from penstock.gate.held import HeldReader

ERROR_WORDS: Final = 300  # characters of a tool's error
MOST_MEMBERS: Final = 200  # of an object with one list; a wider one is a map of data
_ROWS: Final = msgspec.json.Decoder(list[msgspec.Raw])
_MEMBERS: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedPage:
    """The rows of one page: their path, their bytes with commas between them, their number, and the signs beside
    them."""

    path: Path
    rows: bytes
    count: int
    signs: PageSigns


def page_of_held(opened: HeldReader) -> FetchedPage:
    """Return a held result as a page. Raises a ``CallerError`` where it is no list of rows."""
    rows = None if opened.index.is_text else _rows(opened.index, opened.body, opened.main.path)
    if rows is None:
        raise CallerError("this held result is no JSON with a list of rows", do="call its tool again by yourself")
    return _page(rows, opened.body, read_signs(opened.index, opened.body, rows.path))


def page_of_result(result: bytes, path: Path | None) -> FetchedPage:
    """Return a tool's result as a page; its rows are at ``path``, or without one where they are found. Raises an
    ``UpstreamError`` for an error of the tool, and for what has no rows there."""
    parsed = parse(result)
    document = payload(parsed).document
    if parsed.is_error:
        words = document.raw[: 4 * ERROR_WORDS].decode("utf-8", "replace")[:ERROR_WORDS]
        raise UpstreamError(f"the tool failed: {words}")
    if document.kind is not Kind.JSON:
        raise UpstreamError("the page is no JSON", do="call the tool by yourself: more joins lists of JSON rows")
    read = reader(document.body)
    try:
        rows = (
            _rows(document.index, read, read_form(document).pages)
            if path is None
            else container_at(document.index, read, path)
        )
    except CallerError as error:
        raise UpstreamError(f"the page has no rows where the first one has them: {error.what}") from None
    if rows is None or rows.kind != "array":
        raise UpstreamError("the page has no list of rows")
    return _page(rows, read, read_signs(document.index, read, rows.path))


def _rows(index: Index, read: Read, path: Path) -> Container | None:
    """Return the list of rows at the path that the document is read by; or the only list of an object, which may be too
    short to be read as rows. None if there is none."""
    rows = container_at(index, read, path)
    if rows.kind == "array":
        return rows
    root = index.root
    if root is None or root.kind != "object" or root.count > MOST_MEMBERS:
        return None
    names = [root.key(read, number) for number in range(root.count)]
    lists = [name for name in names if value_at(index, read, (name,))[:1] == b"["]
    return container_at(index, read, (lists[0],)) if len(lists) == 1 else None


def _page(rows: Container, read: Read, signs: PageSigns) -> FetchedPage:
    joined = rows.joined(read)[1:-1].strip() if rows.count else b""
    return FetchedPage(path=rows.path, rows=joined, count=rows.count, signs=signs)


@dataclass(slots=True, kw_only=True)
class KeyCheck:
    """Counts rows with a key that an earlier row has, and rows without a key. The key is the member that identifies all
    rows of the first page, of those whose names say that they identify something."""

    name: str | None = None
    repeated: int = 0
    missing: int = 0
    _seen: set[bytes] = field(default_factory=set)
    _is_chosen: bool = False

    def add(self, page: FetchedPage) -> None:
        if not page.count or (self._is_chosen and self.name is None):
            return
        rows = [_members(bytes(row)) for row in _ROWS.decode(b"[" + page.rows + b"]")]
        if not self._is_chosen:
            self._is_chosen = True
            self.name = _key_name(rows)
        for row in rows if self.name is not None else ():
            key = _key(row, self.name)
            if key is None:
                self.missing += 1
            elif key in self._seen:
                self.repeated += 1
            else:
                self._seen.add(key)

    @property
    def receipt(self) -> dict[str, Any]:
        if self.name is None:
            return {}
        return {"key": self.name, "repeated_keys": self.repeated, "rows_without_key": self.missing}


def _members(row: bytes) -> dict[str, msgspec.Raw]:
    """Return the members of a row, unread: its numbers may be out of every range."""
    return _MEMBERS.decode(row) if row[:1] == b"{" else {}


def _key(row: dict[str, msgspec.Raw], name: str | None) -> bytes | None:
    """Return the text or the number by which a row goes, as it is written."""
    value = bytes(row[name]).strip() if name in row else b""
    return value if value[:1] == b'"' or value[:1].isdigit() or value[:1] == b"-" else None


def _key_name(rows: list[dict[str, msgspec.Raw]]) -> str | None:
    """Return the name of the member that identifies the rows: the first one with the best role."""
    names = [name for name in rows[0] if named_role(name) in KEY_ROLES]
    names.sort(key=lambda name: KEY_ROLES.index(named_role(name)))
    return next((name for name in names if _tells_apart(rows, name)), None)


def _tells_apart(rows: list[dict[str, msgspec.Raw]], name: str) -> bool:
    keys = [_key(row, name) for row in rows]
    return None not in keys and len(set(keys)) == len(keys)
