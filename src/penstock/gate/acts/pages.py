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
from penstock.core.json.index import container_at, reader
from penstock.errors import CallerError, UpstreamError

if TYPE_CHECKING:
    from penstock.core.json.index import Container, Read
    from penstock.core.json.path import Path
    from penstock.gate.held import HeldReader

KEYS: Final = ("id", "_id", "key", "uuid", "guid", "number", "sha", "node_id", "iid", "url", "name")  # that rows go by
ERROR_WORDS: Final = 300  # characters of a tool's error
_ROWS: Final = msgspec.json.Decoder(list[Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The rows of one page: their path, their bytes with commas between them, their number, and the signs beside
    them."""

    path: Path
    rows: bytes
    count: int
    signs: PageSigns


def page_of_held(opened: HeldReader) -> Page:
    """Return a held result as a page. Raises a ``CallerError`` where it is no list of rows."""
    main = opened.main
    if opened.index.is_text or main.kind != "array":
        raise CallerError("this held result is no JSON with a list of rows", do="call its tool again by yourself")
    return _page(main, opened.body, read_signs(opened.index, opened.body, main.path))


def page_of_result(result: bytes, lifted: bytes | None, path: Path | None) -> Page:
    """Return a tool's result as a page; its rows are at ``path``, or without one where they are found. Raises an
    ``UpstreamError`` for an error of the tool, and for what has no rows there."""
    parsed = parse(result, lifted)
    document = payload(parsed).document
    if parsed.is_error:
        words = document.raw[: 4 * ERROR_WORDS].decode("utf-8", "replace")[:ERROR_WORDS]
        raise UpstreamError(f"the tool failed: {words}")
    if document.kind is not Kind.JSON:
        raise UpstreamError("the page is no JSON")
    read = reader(document.body)
    if path is None:
        path = read_form(document).pages
    try:
        rows = container_at(document.index, read, path)
    except CallerError as error:
        raise UpstreamError(f"the page has no rows where the first one has them: {error.what}") from None
    if rows.kind != "array":
        raise UpstreamError("the page has no list of rows")
    return _page(rows, read, read_signs(document.index, read, path))


def _page(rows: Container, read: Read, signs: PageSigns) -> Page:
    joined = rows.joined(read)[1:-1].strip() if rows.count else b""
    return Page(path=rows.path, rows=joined, count=rows.count, signs=signs)


@dataclass(slots=True, kw_only=True)
class KeyCheck:
    """Which rows have a key that an earlier one has, and which have none. The key is the first of the usual names that
    tells all rows of the first page apart."""

    name: str | None = None
    repeated: int = 0
    missing: int = 0
    _seen: set[Any] = field(default_factory=set)
    _is_chosen: bool = False

    def add(self, page: Page) -> None:
        rows = _ROWS.decode(b"[" + page.rows + b"]") if page.count else []
        if not self._is_chosen and rows:
            self._is_chosen = True
            self.name = next((name for name in KEYS if _tells_apart(rows, name)), None)
        if self.name is None:
            return
        for row in rows:
            key = row.get(self.name) if isinstance(row, dict) else None
            if not _is_key(key):
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


def _is_key(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _tells_apart(rows: list[Any], name: str) -> bool:
    keys = [row.get(name) if isinstance(row, dict) else None for row in rows]
    return all(map(_is_key, keys)) and len(set(keys)) == len(keys)
