"""Three tools that stand for many: ``vault``, ``active_file``, and ``discover``, which tells what there is.

The operations are the other tools, with their arguments, defaults and answers.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from fastmcp.exceptions import ValidationError
from fastmcp.tools.base import ToolResult  # noqa: TC002  (FastMCP looks at annotations)
from pydantic import Field

from penstock import CallerError, list_window
from server_parts.answers import as_json, texts
from server_parts.complaints import complaining, complaint
from vault_server.answers import Call
from vault_server.catalog import counted as by_use
from vault_server.notes import SUFFIXES, parse
from vault_server.tools import DELETES, READS, Limit, Offset, Parts

if TYPE_CHECKING:
    from fastmcp import FastMCP

VAULT: Final = {
    "list": "list_vault_files",
    "read": "get_vault_file",
    "search": "search_vault_simple",
    "query": "search_vault",
    "smart": "search_vault_smart",
    "fetch": "fetch",
    "delete": "bulk_delete_files",
}

Operation = Annotated[
    Literal["list", "read", "search", "query", "smart", "fetch", "delete"],
    Field(description="What to do; discover lists the params of each.", examples=["list"]),
]
ActiveOperation = Annotated[
    Literal["read", "info"], Field(description="read: its text. info: name, front matter, size.", examples=["read"])
]
Params = Annotated[
    dict[str, Any] | None,
    Field(description="Arguments of the operation.", examples=[{"directory": "Projects", "limit": 20}]),
]
Category = Annotated[
    Literal["operations", "folders", "tags", "fields"],
    Field(description="What to list: operations, folders, tags, or fields of front matter.", examples=["tags"]),
]


def add_dispatchers(mcp: FastMCP[Any], parts: Parts, *, read_only: bool = False) -> None:
    """Add them to a server that has the other tools."""
    hints = READS if read_only else DELETES

    async def passed_on(tool: str, params: dict[str, Any] | None) -> ToolResult:
        try:
            return await mcp.call_tool(tool, params or {}, run_middleware=False)
        except ValidationError as error:
            raise await complaint(mcp, tool, error) from None

    @mcp.tool(annotations={**hints, "openWorldHint": True})
    async def vault(operation: Operation, params: Params = None) -> ToolResult:
        """Run any operation of the vault with one tool: list, read, search, query, smart, fetch, delete.

        Params and defaults are those of list_vault_files, get_vault_file, search_vault_simple and so on; answers are
        paginated in the same way. Example: {"operation": "list", "params": {"directory": "Projects", "limit": 20}}
        """
        with complaining():
            if read_only and operation == "delete":
                raise CallerError(f"operation: {operation} is not here: the server was started with --read-only")
        return await passed_on(VAULT[operation], params)

    @mcp.tool(annotations=READS)
    async def active_file(operation: ActiveOperation = "read", params: Params = None) -> ToolResult:
        """Read the note that is open in the user's editor: its text, a window at a time, or what is known of it.

        Example: {"operation": "read", "params": {"maxLength": 2000}}
        """
        if operation == "read":
            return await passed_on("get_active_file", params)
        with complaining():
            if params:
                raise CallerError("params: expected none for info", do='for example {"operation": "info"}')
            return await asyncio.to_thread(active_info, parts)

    @mcp.tool(annotations=READS)
    async def discover(category: Category = "operations", limit: Limit = 20, offset: Offset = 0) -> ToolResult:
        """List what there is to ask: the operations with their arguments, or the vault's folders, tags and fields.

        While pagination.hasMore is true, `next` is the call for more. Example: {"category": "tags", "limit": 50}
        """
        with complaining():
            about = await asyncio.to_thread(vault_facts, parts)  # not on the loop: the vault may have to be waited for
            items = (
                await operations() if category == "operations" else await asyncio.to_thread(counted, parts, category)
            )
            call = Call(tool="discover", arguments={"category": category, "limit": limit})
            return parts.answers.listing(category, list_window(items, offset, limit), call, vault=about)

    async def operations() -> list[dict[str, Any]]:
        known = {tool.name: tool for tool in await mcp.list_tools(run_middleware=False)}
        names = [("vault", operation, tool) for operation, tool in VAULT.items() if tool in known]
        names.append(("active_file", "read", "get_active_file"))
        return [
            {
                "tool": dispatcher,
                "operation": operation,
                "sameAs": tool,
                "does": (known[tool].description or "").partition("\n")[0],
                "params": {
                    name: schema.get("default", "required")
                    for name, schema in known[tool].parameters["properties"].items()
                },
            }
            for dispatcher, operation, tool in names
        ]


def active_info(parts: Parts) -> ToolResult:
    """Answer with what is known of the active note, without its text."""
    path = parts.vault.active()
    content = parts.vault.content(path)
    title = parse(content.text).title or path.rpartition("/")[2].rpartition(".")[0]
    return texts(as_json({"title": title, **content.known()}))


def counted(parts: Parts, category: str) -> list[dict[str, Any]]:
    """List folders, tags or fields, each with the number of files that have it."""
    if category == "folders":
        counts = parts.vault.listing().folders()
    else:
        catalog = parts.vault.catalog()
        counts = catalog.tags() if category == "tags" else by_use(parts.vault.index.fields())
    return [{"name": name, "files": number} for name, number in counts.items()]


def vault_facts(parts: Parts) -> dict[str, Any]:
    """Say how large the vault is, and how fresh what is known of it."""
    files = parts.vault.listing().files
    notes = sum(file.path.lower().endswith(SUFFIXES) for file in files)
    age = round(parts.vault.age_seconds, 1)
    facts = {"files": len(files), "notes": notes, "bytes": sum(file.size for file in files), "indexAgeSeconds": age}
    done, of = parts.vault.progress
    return facts if parts.vault.ready.done() else {**facts, "stillToRead": of - done}
