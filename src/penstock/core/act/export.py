"""Write data as a file of one format: rows as CSV, TSV, Markdown, JSON or lines of it; values and texts as they are.

Numbers keep their digits, as they are copied and never read. What a spreadsheet would run as a formula is made text.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.json import scan
from penstock.core.json.strings import unquote_to_bytes
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

VALUE: Final = "value"  # the column of rows that have no names
MIME: Final = {
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "jsonl": "application/jsonl",
    "json": "application/json",
    "md": "text/markdown",
    "txt": "text/plain",
}

# What makes a cell a formula in some spreadsheet (OWASP, CSV injection), and the numbers that only look like one.
_FORMULA: Final = re.compile(r"[\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?")
_ROW: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ITEMS: Final = msgspec.json.Decoder(list[msgspec.Raw])


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportRows:
    """A table: its columns, and each row as a JSON object."""

    columns: tuple[str, ...]
    rows: Sequence[bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonValue:
    """One JSON value, in its own bytes."""

    raw: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainText:
    """A text."""

    raw: bytes


Content = ExportRows | JsonValue | PlainText


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """A file's bytes; its rows, where it has some; and how many cells were kept from being formulas."""

    data: bytes
    rows: int | None = None
    escaped: int = 0


def export(content: Content, form: str) -> Exported:
    """Write content in a format, which is one of ``MIME``. Raises a ``CallerError`` for a text without rows that is to
    be a table."""
    return WRITERS[form](content)


def rows_of(content: Content) -> ExportRows:
    """Return content as rows: of an array its items, of any other value one row."""
    match content:
        case ExportRows():
            return content
        case PlainText():
            raise CallerError("this is a text without a table", do="export it as txt or md, or select rows with sql")
    items = _items(content.raw)
    rows = [_ROW.decode(item) for item in items if item[:1] == b"{"]
    if items and len(rows) == len(items):
        columns = tuple(dict.fromkeys(name for row in rows for name in row))
        return ExportRows(columns=columns, rows=items)
    if items and all(item[:1] == b"[" for item in items):
        named = [{f"{VALUE}{at}": one for at, one in enumerate(_ITEMS.decode(item), 1)} for item in items]
        columns = tuple(dict.fromkeys(name for row in named for name in row))
        return ExportRows(columns=columns, rows=[msgspec.json.encode(row) for row in named])
    return ExportRows(columns=(VALUE,), rows=[b'{"value":' + item + b"}" for item in items])


def _items(raw: bytes) -> list[bytes]:
    bare = raw.strip()
    return [bytes(item).strip() for item in _ITEMS.decode(bare)] if bare[:1] == b"[" else [bare]


class _Cells:
    """Writes the cells of a table, and counts those that were kept from being formulas."""

    def __init__(self) -> None:
        self.escaped = 0

    def row(self, columns: Iterable[str], row: bytes) -> list[str]:
        cells = _ROW.decode(row)
        return [self.text(bytes(cells[name])) if name in cells else "" for name in columns]

    def text(self, value: bytes) -> str:
        """Return a JSON value as a cell."""
        return self.safe(_as_text(value)) if value[:1] == b'"' else _as_text(value)

    def safe(self, text: str) -> str:
        """Return a text that no spreadsheet takes for a formula."""
        if not _FORMULA.match(text) or _NUMBER.fullmatch(text):
            return text
        self.escaped += 1
        return f"'{text}"


def _separated(content: Content, delimiter: str) -> Exported:
    table, cells, out = rows_of(content), _Cells(), io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\r\n")  # RFC 4180; so cells with either are quoted
    writer.writerow([cells.safe(name) for name in table.columns])
    writer.writerows(cells.row(table.columns, row) for row in table.rows)
    return Exported(data=_encoded(out.getvalue()), rows=len(table.rows), escaped=cells.escaped)


def _jsonl(content: Content) -> Exported:
    if isinstance(content, PlainText):
        content = rows_of(content)
    rows = content.rows if isinstance(content, ExportRows) else _items(content.raw)
    return Exported(data=b"".join(scan.minify(row) + b"\n" for row in rows), rows=len(rows))


def _json(content: Content) -> Exported:
    match content:
        case ExportRows(rows=rows):
            return Exported(data=b"[" + b",\n".join(rows) + b"]\n", rows=len(rows))
        case PlainText(raw=raw):
            return Exported(data=msgspec.json.encode(raw.decode("utf-8", "replace")) + b"\n")
    bare = content.raw.strip()
    return Exported(data=content.raw, rows=len(_items(bare)) if bare[:1] == b"[" else None)


def _md(content: Content) -> Exported:
    if isinstance(content, PlainText):
        return Exported(data=content.raw)
    table = rows_of(content)

    def line(cells: Iterable[str]) -> str:
        return f"| {' | '.join(map(_in_markdown, cells))} |\n"

    def lines() -> Iterator[str]:
        yield line(table.columns)
        yield f"|{' --- |' * len(table.columns)}\n"
        for row in table.rows:
            cells = _ROW.decode(row)
            yield line(_as_text(bytes(cells[name])) if name in cells else "" for name in table.columns)

    return Exported(data=_encoded("".join(lines())), rows=len(table.rows))


def _txt(content: Content) -> Exported:
    """Write a text as it is, a string as its text, one column as its values, and a table as lines with tabs."""
    match content:
        case PlainText(raw=raw):
            return Exported(data=raw)
        case JsonValue(raw=raw):
            bare = raw.strip()
            return Exported(data=unquote_to_bytes(bare) if bare[:1] == b'"' else raw)
    if len(content.columns) != 1:
        return _separated(content, "\t")
    name = content.columns[0]
    values = [_as_text(bytes(_ROW.decode(row)[name])) for row in content.rows]
    return Exported(data=_encoded("".join(f"{value}\n" for value in values)), rows=len(values))


WRITERS: Final[Mapping[str, Callable[[Any], Exported]]] = {
    "csv": partial(_separated, delimiter=","),
    "tsv": partial(_separated, delimiter="\t"),
    "jsonl": _jsonl,
    "json": _json,
    "md": _md,
    "txt": _txt,
}


def _as_text(value: bytes) -> str:
    """Return a JSON value as a text: nothing for null, a string as it reads, anything else as it is written."""
    if value[:1] == b'"':
        return unquote_to_bytes(value).decode("utf-8", "replace")
    return "" if value == b"null" else scan.minify(value).decode()


def _in_markdown(text: str) -> str:
    """Return a text as one cell of a Markdown table."""
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\r\n", "<br>").replace("\n", "<br>")


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")
