"""The four tools."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from fastmcp.tools.base import ToolResult
from mcp_types import TextContent, ToolAnnotations
from pydantic import Field

from code_server import shapes
from code_server.search import search
from code_server.stand_in import as_json
from server_parts.complaints import complaining, wrong

if TYPE_CHECKING:
    from fastmcp import FastMCP

    from code_server.folder import Folder
    from code_server.language import Language

MOST_MATCHES: Final = 5_000  # more than a million tokens; what is beyond is counted
MOST_FILES: Final = 500  # in one call for diagnostics: about a minute of the language server's time
READS: Final = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)

PathField = Annotated[
    str,
    Field(
        description="a Python file, as its path in the folder",
        min_length=1,
        max_length=1_000,
        examples=["services/nested.py"],
    ),
]
Globs = Annotated[
    list[str] | None,
    Field(description="a list of globs for the paths of files", examples=[["src/components/**"], ["*.py"]]),
]


def add_tools(mcp: FastMCP[Any], folder: Folder, language: Language) -> None:
    """Add them to a server."""

    @mcp.tool(annotations=READS)
    def search_text(
        query: Annotated[
            str,
            Field(
                description="the text to find, on one line, letters in their case",
                min_length=1,
                max_length=500,
                examples=["useState"],
            ),
        ],
        includes: Globs = None,
        excludes: Globs = None,
        limit: Annotated[
            int,
            Field(
                description=f"a whole number of matches from 1 to {MOST_MATCHES:,}",
                ge=1,
                le=MOST_MATCHES,
                examples=[10],
            ),
        ] = MOST_MATCHES,
    ) -> ToolResult:
        """Find a text in all files of the folder: each line that has it, with the lines around it.

        A result of more than the budget comes back as a buffered_response: its figures, the first matches and narrower
        calls; fetch_cached_response reads the rest by its bufferId (as cache_id)."""
        with complaining():
            if "\n" in query or "\r" in query:
                raise wrong("query", "text without a line break", query, "useState")
            return _result(search(folder, query, includes or (), excludes or (), limit))

    @mcp.tool(annotations=READS)
    async def get_document_symbols(path: PathField) -> ToolResult:
        """List the classes, functions and variables of a Python file, nested as they are defined.

        Deeply nested symbols are cut, and the whole can be read from the buffer."""
        with complaining():
            name = folder.python_file(path)
            tree = shapes.symbols(await language.symbols(name))
            return _result({"file": name, "symbolCount": _count(tree), "symbols": tree})

    @mcp.tool(annotations=READS)
    async def get_references(
        path: PathField,
        symbol: Annotated[
            str,
            Field(
                description="a name that stands in the file",
                min_length=1,
                max_length=200,
                examples=["record_event"],
            ),
        ],
        line: Annotated[
            int | None,
            Field(
                description="the line on which it stands, from 1; the first that has it when left out",
                ge=1,
                examples=[12],
            ),
        ] = None,
    ) -> ToolResult:
        """Find all uses of a function, class or variable in the Python files of the folder, its definition included."""
        with complaining():
            name = folder.python_file(path)
            row, character = _place(folder.text(name) or "", symbol, line)
            also = await asyncio.to_thread(_files_with, folder, symbol)
            found = shapes.references(await language.references(name, row, character, also), folder)
            return _result({"symbol": symbol, **_figures(found), "references": found})

    @mcp.tool(annotations=READS)
    async def get_diagnostics(
        path: Annotated[
            str,
            Field(
                description="a Python file or a folder with at most 500 of them",
                min_length=1,
                max_length=1_000,
                examples=["services"],
            ),
        ] = ".",
        severity: Annotated[
            Literal["error", "warning", "information", "hint"] | None,
            Field(description="error, warning, information or hint", examples=["error"]),
        ] = None,
    ) -> ToolResult:
        """Check the types and names of a Python file, or of all under a folder, and list what is wrong."""
        with complaining():
            names = await asyncio.to_thread(folder.python_files, path)
            if len(names) > MOST_FILES:
                raise wrong("path", f"a folder with at most {MOST_FILES} Python files", path, "services")
            told = await language.diagnostics(names)
            found = [one for name, these in told.items() for one in shapes.diagnostics(name, these)]
            if severity is not None:
                found = [one for one in found if one["severity"] == severity]
            return _result({"checkedFiles": len(names), **_figures(found), "diagnostics": found})


def _files_with(folder: Folder, symbol: str) -> list[str]:
    return [one for one in folder.files(["*.py", "*.pyi"]) if symbol in (folder.text(one) or "")]


def _place(text: str, symbol: str, line: int | None) -> tuple[int, int]:
    """Where a name stands, as a language server counts: from 0, characters in UTF-16."""
    lines = text.split("\n")
    if not symbol.isidentifier():
        raise wrong("symbol", "one name, as it stands in the code", symbol, "record_event")
    if line is not None and line > len(lines):
        raise wrong("line", f"a line of the file, which has {len(lines):,}", line, 1)
    name = re.compile(rf"(?<!\w){re.escape(symbol)}(?!\w)")
    rows = range(len(lines)) if line is None else [line - 1]
    for row in rows:
        if found := name.search(lines[row]):
            return row, len(lines[row][: found.start()].encode("utf-16-le")) // 2
    where = "in the file" if line is None else f"on line {line}"
    raise wrong("symbol", f"a name that stands {where}", symbol, "record_event")


def _figures(found: list[dict[str, Any]]) -> dict[str, int]:
    return {"totalMatches": len(found), "fileCount": len({one["file"] for one in found})}


def _count(tree: list[dict[str, Any]]) -> int:
    return len(tree) + sum(_count(one.get("children", [])) for one in tree)


def _result(data: dict[str, Any]) -> ToolResult:
    return ToolResult(content=[TextContent(type="text", text=as_json(data))])
