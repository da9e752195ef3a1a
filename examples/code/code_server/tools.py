"""The four tools."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import asynccontextmanager
from itertools import count
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from fastmcp import Context  # noqa: TC002  # FastMCP reads the annotations of tools
from fastmcp.tools.base import ToolResult  # noqa: TC002
from mcp_types import ToolAnnotations
from pydantic import BeforeValidator, Field

from code_server import shapes
from code_server.search import Search
from penstock import UpstreamError
from server_parts.answers import as_json, texts
from server_parts.complaints import complaining, wrong

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from fastmcp import FastMCP

    from code_server.diagnostics import FileReport
    from code_server.folder import Folder
    from code_server.language import Language, Languages
    from code_server.references import References

MOST_MATCHES: Final = 50_000  # some 30 MB of matches with the lines around them; `offset` reaches the others
MOST_FILES: Final = 500  # in one call for diagnostics: a minute or two of a language server's time
SOME_FILES: Final = 100  # by default: answered before clients give up waiting
HEARTBEAT: Final = 2  # seconds between two notifications while a language server is at work
AT_WORK: Final = "seconds that the language server has been at work"
BATCH: Final = 500  # files that are searched between two notifications of progress
READS: Final = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)

PathField = Annotated[
    str,
    Field(
        description="a file of code, as its path in the folder",
        min_length=1,
        max_length=1_000,
        examples=["services/nested.py"],
    ),
]
Globs = Annotated[
    list[str] | None,
    BeforeValidator(lambda value: [value] if isinstance(value, str) and not value.startswith("[") else value),
    Field(description="a list of globs for the paths of files", examples=[["src/components/**"], ["*.py"]]),
]


def add_tools(mcp: FastMCP[Any], folder: Folder, languages: Languages, searches: References) -> None:
    """Add them to a server."""

    @mcp.tool(annotations=READS)
    async def search_text(
        ctx: Context,
        *,
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
        offset: Annotated[
            int, Field(description="a whole number of matches to leave out before the first", ge=0, examples=[50_000])
        ] = 0,
    ) -> ToolResult:
        """Find a text in all files of the folder: each line that has it, with the lines around it. What .gitignore
        names is left out.

        A result of more than the budget comes back as a buffered_response: its figures, the first matches and narrower
        calls; fetch_cached_response reads the rest by its bufferId (as cache_id)."""
        with complaining():
            if "\n" in query or "\r" in query:
                raise wrong("query", "text without a line break", query, "useState")
            names = await asyncio.to_thread(lambda: list(folder.files(includes or (), excludes or ())))
            search = Search(folder, query, limit=limit, offset=offset)
            for start in range(0, len(names), BATCH):
                await asyncio.to_thread(search.look, names[start : start + BATCH])
                if len(names) > BATCH:
                    await ctx.report_progress(min(start + BATCH, len(names)), len(names), "files searched")
            return _result(search.result())

    @mcp.tool(annotations=READS)
    async def get_document_symbols(ctx: Context, path: PathField) -> ToolResult:
        """List the classes, functions and variables of a file of code, nested as they are defined.

        Deeply nested symbols are cut, and the whole can be read from the buffer."""
        with complaining():
            name = folder.file(path)
            async with _heartbeat(ctx):
                tree = shapes.symbols(await languages.of(name).symbols(name))
            return _result({"file": name, "symbolCount": _count(tree), "symbols": tree})

    @mcp.tool(annotations=READS)
    async def get_references(
        ctx: Context,
        path: PathField,
        symbol: Annotated[
            str,
            Field(
                description="a name that stands in the file",
                min_length=1,
                max_length=200,
                examples=["record_event", "WRITTEN"],
            ),
        ],
        line: Annotated[
            int | None,
            Field(
                description="the line on which it stands, from 1; where the file defines it when left out",
                ge=1,
                examples=[12],
            ),
        ] = None,
    ) -> ToolResult:
        """Find all uses of a function, class or variable in the files of the folder, its definition included.

        In a large project `incomplete` says that the search goes on: repeat the call for the rest."""
        with complaining():
            name = folder.file(path)

            def words() -> str:
                return f"seconds; uses found so far: {searches.uses_known(name, symbol, line):,}"

            async with _heartbeat(ctx, words):
                return _result(await searches.of(languages.of(name), name, symbol, line))

    @mcp.tool(annotations=READS)
    async def get_diagnostics(
        ctx: Context,
        path: Annotated[
            str,
            Field(description="a file of code or a folder", min_length=1, max_length=1_000, examples=["services"]),
        ] = ".",
        severity: Annotated[
            Literal["error", "warning", "information", "hint"] | None,
            Field(description="error, warning, information or hint", examples=["error"]),
        ] = None,
        limit: Annotated[
            int,
            Field(
                description=f"a whole number of files from 1 to {MOST_FILES}",
                ge=1,
                le=MOST_FILES,
                examples=[SOME_FILES],
            ),
        ] = SOME_FILES,
        offset: Annotated[
            int, Field(description="a whole number of files to leave out before the first", ge=0, examples=[SOME_FILES])
        ] = 0,
    ) -> ToolResult:
        """Check the types and names of a file of code, or of the files under a folder in parts, and list what is wrong:
        nextOffset is there when files are left."""
        with complaining():
            names = await asyncio.to_thread(folder.files_at, path, languages.suffixes)
            part = names[offset : offset + limit]
            problems, unchecked, note = await _diagnostics(languages, part, _progress(ctx, len(part)))
            if severity is not None:
                problems = [one for one in problems if one["severity"] == severity]
            answer: dict[str, Any] = {"checkedFiles": len(part) - sum(unchecked.values()), "totalFiles": len(names)}
            if unchecked:
                answer["notChecked"] = unchecked
            if note:
                answer["note"] = note
            if offset + limit < len(names):
                answer["nextOffset"] = offset + limit
            return _result({**answer, **shapes.figures(problems), "diagnostics": problems})


async def _diagnostics(
    languages: Languages, names: Sequence[str], done: Callable[[], Any]
) -> tuple[list[dict[str, Any]], dict[str, int], str]:
    """Return the diagnostics of some files, how many files could not be checked, by suffix and reason, and what is not
    sure about the others."""
    by_file: dict[str, FileReport] = {}
    unchecked = Counter[str]()
    by_server: dict[Language, list[str]] = {}
    for name in names:
        by_server.setdefault(languages.of(name), []).append(name)
    for language, these in by_server.items():
        try:
            await language.diagnostics(these, done, by_file)
        except UpstreamError as error:
            if len(names) == 1:
                raise
            for name in these:
                if name not in by_file:
                    unchecked[f"{PurePath(name).suffix}: {error}"] += 1
    every = [one for name in names if name in by_file for one in shapes.diagnostics(name, by_file[name].problems)]
    published = sum(report.published for report in by_file.values())
    note = (
        f"the language server of {published:,} files never says when it has told all: these are those that it had "
        "told when it fell silent"
        if published
        else ""
    )
    return every, dict(unchecked), note


@asynccontextmanager
async def _heartbeat(ctx: Context, words: Callable[[], str] = lambda: AT_WORK) -> AsyncIterator[None]:
    """Report progress while a language server is at work: many clients give up after a minute without any."""

    async def report() -> None:
        for seconds in count(HEARTBEAT, HEARTBEAT):
            await asyncio.sleep(HEARTBEAT)
            await ctx.report_progress(seconds, message=words())

    task = asyncio.create_task(report())
    try:
        yield
    finally:
        task.cancel()


def _progress(ctx: Context, total: int) -> Callable[[], Any]:
    done = 0

    async def report() -> None:
        nonlocal done
        done += 1
        await ctx.report_progress(done, total, "files checked")

    return report


def _count(tree: list[dict[str, Any]]) -> int:
    return len(tree) + sum(_count(one.get("children", [])) for one in tree)


def _result(data: dict[str, Any]) -> ToolResult:
    return texts(as_json(data))
