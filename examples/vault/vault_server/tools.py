"""The tools for files: list, read, delete, fetch. Those that search are in ``searches``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from fastmcp.tools.base import ToolResult  # noqa: TC002  (FastMCP looks at annotations)
from pydantic import Field

from penstock import CallerError, list_window
from server_parts.answers import as_json
from server_parts.complaints import complaining, raises_tool_errors, wrong
from server_parts.globs import globs, matches
from vault_server.answers import Call, Maker
from vault_server.settings import MOST_CHARACTERS, MOST_ITEMS, Defaults
from vault_server.trash import FOLDER, move_to_trash

if TYPE_CHECKING:
    from fastmcp import FastMCP

    from vault_server.catalog import Catalog
    from vault_server.vault import Vault
    from vault_server.web import Fetcher

Limit = Annotated[int, Field(ge=1, le=MOST_ITEMS, description="Most items to return.", examples=[20])]
Offset = Annotated[int, Field(ge=0, description="Items to skip: pagination of the answer before.", examples=[100])]
MaxLength = Annotated[
    int,
    Field(
        ge=1,
        le=MOST_CHARACTERS,
        description="Most characters to return; fewer where one answer has no room for them: see limitedTo.",
        examples=[10_000],
    ),
]
StartIndex = Annotated[
    int, Field(ge=0, description="First character to return: nextIndex of the answer before.", examples=[10_000])
]
Filename = Annotated[
    str, Field(min_length=1, description="Path in the vault.", examples=["Projects/Harbour/Overview.md"])
]
Format = Annotated[
    Literal["markdown", "json"],
    Field(description="json: also front matter, tags and times.", examples=["json"]),
]
Directory = Annotated[
    str, Field(description="Folder in the vault, with all below it. Empty: the whole vault.", examples=["Projects"])
]
Pattern = Annotated[
    str | None,
    Field(
        description="Glob as in .gitignore: *.md for names, Projects/**/*.md for paths.",
        examples=["*.md"],
    ),
]
DeletePattern = Annotated[
    str,
    Field(
        min_length=1,
        description="Glob for the files to delete; the name of a folder takes in all of it.",
        examples=["Daily/2024/**/*.md"],
    ),
]
DryRun = Annotated[bool, Field(description="true: only tell what would be deleted. false: delete.", examples=[True])]
Url = Annotated[
    str, Field(min_length=1, max_length=8_000, description="Address, or path in the vault.",
               examples=["https://example.org/page.html"]),
]  # fmt: skip

EXAMPLE: Final = "Projects/**/*.md"
READS: Final = {"readOnlyHint": True, "openWorldHint": False}
DELETES: Final = {"readOnlyHint": False, "destructiveHint": True, "openWorldHint": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The objects that the tools share."""

    vault: Vault
    answers: Maker
    defaults: Defaults
    fetcher: Fetcher


def add_tools(mcp: FastMCP[Any], parts: Parts) -> None:
    """Add them to a server. Their defaults come from the settings."""
    vault, answers, defaults = parts.vault, parts.answers, parts.defaults

    @mcp.tool(annotations=READS)
    @raises_tool_errors
    def list_vault_files(
        directory: Directory = "",
        limit: Limit = defaults.list_limit,
        offset: Offset = 0,
        pattern: Pattern = None,
    ) -> ToolResult:
        """List the files of the vault, in the order of their paths, some at a time.

        While pagination.hasMore is true, `next` is the call for more. A pattern or a directory costs less than reading
        on. Example: {"directory": "Projects", "pattern": "*.md", "limit": 50}
        """
        folder = folder_of(vault, directory)
        paths = matching(vault.listing(), folder, pattern)
        call = Call(
            tool="list_vault_files",
            arguments={"directory": folder or None, "limit": limit, "pattern": pattern},
        )
        return answers.listing("files", list_window(paths, offset, limit), call)

    def read_out(path: str, format: str, start_index: int, max_length: int, call: Call) -> ToolResult:  # noqa: A002
        content = vault.content(path)
        window = answers.window(content.text, start_index, max_length)
        first = window.text if format == "markdown" else as_json({**content.known(), "content": window.text})
        return answers.blocks(first, window, max_length, call)

    @mcp.tool(annotations=READS)
    @raises_tool_errors
    def get_vault_file(
        filename: Filename,
        format: Format = "markdown",  # noqa: A002  (the name of the argument)
        maxLength: MaxLength = defaults.content_length,  # noqa: N803
        startIndex: StartIndex = 0,  # noqa: N803
    ) -> ToolResult:
        """Read a file of the vault, a window at a time.

        The first block is the text, the second its metadata. While hasMore is true, call again with startIndex set to
        nextIndex; the windows put together are the file. Example: {"filename": "Projects/Harbour/Overview.md"}
        """
        arguments = {"filename": filename, "format": format, "maxLength": maxLength}
        return read_out(filename, format, startIndex, maxLength, Call(tool="get_vault_file", arguments=arguments))

    @mcp.tool(annotations=READS)
    @raises_tool_errors
    def get_active_file(
        format: Format = "markdown",  # noqa: A002  (the name of the argument)
        maxLength: MaxLength = defaults.content_length,  # noqa: N803
        startIndex: StartIndex = 0,  # noqa: N803
    ) -> ToolResult:
        """Read the note that is open in the user's editor, a window at a time, as get_vault_file does.

        `next` names the file, so that reading on stays with it when the user opens another. Example: {"format": "json"}
        """
        path = vault.active()
        arguments = {"filename": path, "format": format, "maxLength": maxLength}
        return read_out(path, format, startIndex, maxLength, Call(tool="get_vault_file", arguments=arguments))

    @mcp.tool(annotations={**READS, "openWorldHint": True})
    async def fetch(
        url: Url,
        maxLength: MaxLength = defaults.fetch_length,  # noqa: N803
        startIndex: StartIndex = 0,  # noqa: N803
    ) -> ToolResult:
        """Read a web page, or a file of the vault, as Markdown, a window at a time.

        Only hosts that the user has allowed. While hasMore is true, call again with startIndex set to nextIndex.
        Example: {"url": "Clippings/tide tables.html", "maxLength": 2000}
        """
        with complaining():
            text = await parts.fetcher.markdown(url, reads_on=startIndex > 0)
        call = Call(tool="fetch", arguments={"url": url, "maxLength": maxLength})
        return answers.text(text, startIndex, maxLength, call, before="Pagination: ")


def add_deletes(mcp: FastMCP[Any], parts: Parts) -> None:
    """Add the tool that deletes."""
    vault, answers, defaults = parts.vault, parts.answers, parts.defaults

    @mcp.tool(annotations=DELETES)
    @raises_tool_errors
    def bulk_delete_files(
        pattern: DeletePattern,
        limit: Limit = defaults.bulk_limit,
        dryRun: DryRun = True,  # noqa: N803
    ) -> ToolResult:
        """Delete the files that a glob matches, at most `limit` of them. Without dryRun=false nothing is deleted.

        Deleted files go to the vault's folder .trash. Example: {"pattern": "Daily/2024/**/*.md", "dryRun": true}
        """
        paths = matching(vault.listing(), "", pattern)
        chosen = paths[:limit]
        # ``next`` may be followed without a thought, and so it never deletes.
        call = Call(tool="bulk_delete_files", arguments={"pattern": pattern, "limit": len(paths), "dryRun": True})
        if dryRun:
            return answers.best("files", chosen, len(paths), limit, call, dryRun=True, deleted=0)
        failed: list[dict[str, str]] = []
        for path in chosen:
            try:
                move_to_trash(vault.root, path)
            except CallerError as error:
                failed.append({"path": path, "why": error.what})
        vault.look_again()
        deleted = len(chosen) - len(failed)
        return answers.best(
            "files", chosen, len(paths), limit, call, dryRun=False, deleted=deleted, failed=failed, movedTo=FOLDER
        )


def matching(catalog: Catalog, folder: str, pattern: str | None) -> list[str]:
    """Return the paths of a folder that a glob takes in, in either case; without one, all of them."""
    paths = [file.path for file in catalog.under(folder)]
    if pattern is None:
        return paths
    if pattern.startswith("/"):  # meant as an absolute path, it would take in all of the vault
        raise wrong("pattern", "a glob inside the vault, such as *.md or Notes/**", pattern, EXAMPLE)
    spec = globs("pattern", [pattern.lower()], EXAMPLE)
    return [path for path in paths if matches(spec, path.lower())]


def folder_of(vault: Vault, name: str, argument: str = "directory") -> str:
    """Return the path of a folder that is there; empty for the whole vault."""
    wanted = name.strip().rstrip("/")
    if wanted in ("", "."):
        return ""
    real = vault.root.locate(wanted, argument, "Projects")
    if not real.is_dir():
        raise CallerError(
            f"{argument}: expected a folder of the vault, got {name!a}: no such folder",
            do='discover with {"category": "folders"} shows them',
        )
    return vault.root.name_of(real)
