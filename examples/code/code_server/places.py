"""The places of a name in a file, as a language server counts: from 0, characters in UTF-16."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types as lsp

from server_parts.complaints import wrong

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

NAME: Final = re.compile(r"[\w$]+")  # of the languages that there are servers for


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A symbol that a file defines: its place, its kind, and the symbol around it."""

    place: tuple[int, int]
    kind: str
    inside: str

    def as_json(self) -> dict[str, Any]:
        fields: dict[str, Any] = {"line": self.place[0] + 1, "kind": self.kind}
        return {**fields, "in": self.inside} if self.inside else fields


def occurrences(text: str, symbol: str, line: int | None) -> list[tuple[int, int]]:
    """Return every place where a name stands, on one line or in the whole file."""
    lines = text.split("\n")
    if not NAME.fullmatch(symbol):
        raise wrong("symbol", "one name, as it stands in the code", symbol, _some_name(text, symbol))
    if line is not None and line > len(lines):
        raise wrong("line", f"a line of the file, which has {len(lines):,}", line, 1)
    rows = range(len(lines)) if line is None else [line - 1]
    places = [(row, _utf16(lines[row], at)) for row in rows for at in _starts(lines[row], symbol)]
    if not places:
        where = "in the file" if line is None else f"on line {line}"
        raise wrong("symbol", f"a name that stands {where}", symbol, _some_name(text, symbol))
    return places


def rows_of(text: str, symbol: str) -> Iterator[tuple[int, int]]:
    """Yield the number of each line that a name stands on, from 0, and the first character of the name in it."""
    for row, line in enumerate(text.split("\n")):
        if symbol in line and (starts := _starts(line, symbol)):
            yield row, starts[0]


def definitions(tree: Iterable[lsp.DocumentSymbol | lsp.SymbolInformation], symbol: str, text: str) -> list[Definition]:
    """Return the symbols of that name which a file defines, at the places of their names."""
    lines = text.split("\n")
    matches = []
    for one, inside in _flat(tree, ""):
        if one.name != symbol and not one.name.endswith(f".{symbol}"):  # gopls puts a method's type before its name
            continue
        start = (one.location.range if isinstance(one, lsp.SymbolInformation) else one.selection_range).start
        line = lines[start.line] if start.line < len(lines) else ""
        columns = [column for at in _starts(line, symbol) if (column := _utf16(line, at)) >= start.character]
        place = (start.line, columns[0] if columns else start.character)
        matches.append(Definition(place=place, kind=one.kind.name.lower(), inside=inside))
    return matches


def _flat(
    tree: Iterable[lsp.DocumentSymbol | lsp.SymbolInformation], inside: str
) -> Iterator[tuple[lsp.DocumentSymbol | lsp.SymbolInformation, str]]:
    for one in tree:
        if isinstance(one, lsp.SymbolInformation):
            yield one, one.container_name or ""
        else:
            yield one, inside
            yield from _flat(one.children or (), f"{inside}.{one.name}" if inside else one.name)


def _starts(line: str, symbol: str) -> Sequence[int]:
    return [match.start() for match in re.finditer(rf"(?<![\w$]){re.escape(symbol)}(?![\w$])", line)]


def _utf16(line: str, at: int) -> int:
    return len(line[:at].encode("utf-16-le")) // 2


def _some_name(text: str, refused: str) -> str:
    """Return a name that stands in the file after the word that defines it, or else any word of it."""
    kinds = "class|def|function|func|fn|const|let|struct|interface|type"
    defined = re.findall(
        rf"^[ \t]*(?:(?:export|async|pub|static)[ \t]+)*(?:{kinds})[ \t]+([A-Za-z_$][\w$]*)", text, re.M
    )
    words = (one for one in (*defined, *re.findall(r"[A-Za-z_]\w+", text)) if one != refused)
    return next(words, "name")
