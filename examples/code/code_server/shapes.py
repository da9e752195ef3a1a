"""The answers of a language server, as the JSON that a model reads. Lines and characters count from 1."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types as lsp

from code_server.language_client import path_of
from code_server.search import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from code_server.folder import Folder

LEVELS: Final = "[+{levels} levels truncated]"
SEVERITIES: Final = {one: one.name.lower() for one in lsp.DiagnosticSeverity}


def symbols(tree: Iterable[lsp.DocumentSymbol | lsp.SymbolInformation]) -> list[dict[str, Any]]:
    """Return symbols in the order of their lines, each with those that are defined in it: some servers sort by name."""
    entries = []
    for one in tree:
        place = one.location.range if isinstance(one, lsp.SymbolInformation) else one.range
        start = place if isinstance(one, lsp.SymbolInformation) else one.selection_range
        symbol: dict[str, Any] = {
            "name": one.name,
            "kind": one.kind.name.lower(),
            "line": start.start.line + 1,
            "endLine": place.end.line + 1,
        }
        if isinstance(one, lsp.DocumentSymbol) and one.children:
            symbol["children"] = symbols(one.children)
        entries.append(symbol)
    return sorted(entries, key=lambda symbol: (symbol["line"], -symbol["endLine"]))


def levels(tree: Sequence[dict[str, Any]]) -> int:
    """Return how deep symbols are nested."""
    return 1 + max(levels(one.get("children", ())) for one in tree) if tree else 0


def cut(tree: Sequence[dict[str, Any]], depth: int, *, keep_lengths: bool = False) -> list[dict[str, Any]]:
    """Return the symbols down to a depth, and in place of the others a mark that tells how many levels are behind
    it."""
    entries = []
    for one in tree:
        children = one.get("children")
        if not children:
            entries.append(one)
        elif depth > 1:
            entries.append({**one, "children": cut(children, depth - 1, keep_lengths=keep_lengths)})
        else:
            mark = LEVELS.format(levels=levels(children))
            entries.append({**one, "children": f"{mark[:-1]}: {len(children)} items]" if keep_lengths else mark})
    return entries


def references(locations: Iterable[lsp.Location], folder: Folder) -> list[dict[str, Any]]:
    """Return references in the order of files and lines, each once, with its line of code."""
    entries, lines = [], dict[str, list[str]]()
    for one in {(one.uri, str(one.range)): one for one in locations}.values():
        name = file_of(one.uri, folder)
        if name not in lines:  # a file elsewhere is named and not read
            lines[name] = [] if Path(name).is_absolute() else (folder.text(name) or "").split("\n")
        line, column = one.range.start.line, one.range.start.character
        text = lines[name][line] if line < len(lines[name]) else ""
        code = shortened(text, column).strip()
        entries.append({"file": name, "line": line + 1, "text": code, "range": _range(one.range)})
    return sorted(entries, key=lambda one: (one["file"], one["line"], one["range"]["start"]["character"]))


def diagnostics(name: str, problems: Iterable[lsp.Diagnostic]) -> list[dict[str, Any]]:
    """Return the diagnostics of one file, in the order of lines."""
    entries = [
        {
            "file": name,
            "line": one.range.start.line + 1,
            "severity": SEVERITIES[one.severity or lsp.DiagnosticSeverity.Error],
            "code": one.code,
            "message": one.message.replace("\xa0", " "),
            "range": _range(one.range),
        }
        for one in problems
    ]
    return sorted(entries, key=lambda one: (one["line"], str(one["code"])))


def file_of(uri: str, folder: Folder) -> str:
    """Return the name of the file at an address."""
    return folder.name_of(path_of(uri))


def figures(items: Sequence[dict[str, Any]]) -> dict[str, int]:
    """Count items and their files."""
    return {"totalMatches": len(items), "fileCount": len({one["file"] for one in items})}


def top_files(items: Iterable[dict[str, Any]]) -> list[str]:
    """Return the files of some items, those with most of them first."""
    counted = Counter(one["file"] for one in items)
    return sorted(counted, key=lambda file: (-counted[file], file))


def _range(place: lsp.Range) -> dict[str, dict[str, int]]:
    return {
        "start": {"line": place.start.line + 1, "character": place.start.character + 1},
        "end": {"line": place.end.line + 1, "character": place.end.character + 1},
    }
