"""The tools that write: create, append, patch. Their answers say what was written, and where to read it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from fastmcp.tools.base import ToolResult
from mcp_types import TextContent
from pydantic import Field

from penstock import CallerError
from server_parts.complaints import raises_tool_errors, wrong
from vault_server.answers import as_json
from vault_server.editing import Edit, appended, patch_block, patch_front, patch_heading
from vault_server.writing import Writer

if TYPE_CHECKING:
    from pathlib import Path

    from fastmcp import FastMCP

    from vault_server.tools import Parts

LONGEST: Final = 1_000_000  # characters of one call; a model writes pages, not books
MOST_REPEATED: Final = 1_000  # characters of what was replaced that an answer repeats

Filename = Annotated[
    str, Field(min_length=1, description="Path of a note in the vault.", examples=["Projects/Harbour/Next steps.md"])
]
Content = Annotated[str, Field(max_length=LONGEST, description="Markdown.", examples=["- [ ] ask for the permits"])]
Overwrite = Annotated[
    bool, Field(description="true: replace a note that is there. It is kept in .trash.", examples=[False])
]
Create = Annotated[bool, Field(description="true: make the note if it is not there.", examples=[True])]
Operation = Annotated[
    Literal["append", "prepend", "replace"], Field(description="Where the content goes.", examples=["append"])
]
TargetType = Annotated[
    Literal["heading", "block", "frontmatter"], Field(description="What target names.", examples=["heading"])
]
Target = Annotated[
    str,
    Field(
        min_length=1,
        max_length=1_000,
        description="Heading with those above it, as Plans::Next; id of a block; or field of front matter.",
        examples=["Plans::Next"],
    ),
]
Delimiter = Annotated[
    str, Field(min_length=1, max_length=10, description="Between the headings of target.", examples=["::"])
]
ContentType = Annotated[
    Literal["text/markdown", "application/json"],
    Field(description="application/json: content is the JSON of a field's value.", examples=["application/json"]),
]
CreateTarget = Annotated[bool, Field(description="true: add a heading or a field that is not there.", examples=[True])]

ADDS: Final = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False, "openWorldHint": False}
REPLACES: Final = {**ADDS, "destructiveHint": True}


def add_writes(mcp: FastMCP[Any], parts: Parts) -> None:
    """Add them to a server."""
    vault = parts.vault
    writer = Writer(vault.root)

    def place(name: str) -> Path:
        """Return the file of a name; one that is there in another form of Unicode is that file."""
        path = writer.place(name)
        same = None if path.exists() else vault.listing().spelled_as(vault.root.name_of(path))
        return path if same is None else writer.place(same)

    def written(path: Path, edit: Edit, **also: Any) -> ToolResult:
        name = vault.root.name_of(path)
        vault.take_up(name)
        answer = {
            "written": name,
            **also,
            "startIndex": edit.start,
            "endIndex": edit.end,
            "totalLength": len(edit.text),
        }
        if edit.replaced:
            answer["replaced"] = edit.replaced[:MOST_REPEATED]
            answer["replacedLength"] = len(edit.replaced)
        length = max(1, min(edit.end - edit.start, parts.defaults.content_length))
        arguments = {"filename": name, "startIndex": edit.start, "maxLength": length}
        answer["read"] = {"tool": "get_vault_file", "arguments": arguments}
        return ToolResult(content=[TextContent(type="text", text=as_json(answer))])

    @mcp.tool(annotations=REPLACES)
    @raises_tool_errors
    def create_vault_file(filename: Filename, content: Content, overwrite: Overwrite = False) -> ToolResult:
        """Write a new note, with its folders. One that is there is left alone, unless overwrite is true.

        Then the old one is kept in the vault's folder .trash, and the answer names it.
        Example: {"filename": "Projects/Harbour/Next steps.md", "content": "# Next steps\\n"}
        """
        path = place(filename)
        edit = Edit(text=content, start=0, end=len(content))
        with writer.lock:
            if not (overwrite and path.exists()):
                writer.create(path, content)
                return written(path, edit, created=True)
            kept = writer.overwrite(writer.read(path), content)
        return written(path, edit, created=False, previous=kept)

    @mcp.tool(annotations=ADDS)
    @raises_tool_errors
    def append_to_vault_file(filename: Filename, content: Content, createIfMissing: Create = False) -> ToolResult:  # noqa: N803
        """Add Markdown to the end of a note, on a line of its own. Nothing that is there is changed.

        Example: {"filename": "Daily/2026-06-15.md", "content": "- [ ] ask for the permits"}
        """
        path = place(filename)
        with writer.lock:
            if createIfMissing and not path.exists():
                writer.create(path, content)
                return written(path, Edit(text=content, start=0, end=len(content)), created=True)
            original = writer.read(path)
            edit = appended(original.text, content)
            writer.replace(original, edit.text)
        return written(path, edit, created=False)

    @mcp.tool(annotations=REPLACES)
    @raises_tool_errors
    def patch_vault_file(  # noqa: PLR0917  (the arguments of a tool)
        filename: Filename,
        operation: Operation,
        targetType: TargetType,  # noqa: N803
        target: Target,
        content: Content,
        contentType: ContentType = "text/markdown",  # noqa: N803
        targetDelimiter: Delimiter = "::",  # noqa: N803
        createTargetIfMissing: CreateTarget = False,  # noqa: N803
    ) -> ToolResult:
        """Change one part of a note: what stands under a heading, a block, or a field of front matter.

        append, prepend: add to it. replace: put the content in its place; the answer has what was there before. The
        rest of the note stays as it is. Example: {"filename": "Daily/2026-06-15.md", "operation": "append",
        "targetType": "heading", "target": "Chores", "content": "- [ ] ask for the permits"}
        """
        path = place(filename)
        with writer.lock:
            original = writer.read(path)
            if targetType == "frontmatter":
                value = _value(content, contentType)
                edit = patch_front(original.text, target, operation, value, create=createTargetIfMissing)
            elif targetType == "heading":
                names = target.split(targetDelimiter)
                edit = patch_heading(original.text, names, operation, content, create=createTargetIfMissing)
            else:
                edit = patch_block(original.text, target, operation, content)
            writer.replace(original, edit.text)
        return written(path, edit, operation=operation, target=target)


def _value(content: str, content_type: str) -> Any:
    if content_type == "text/markdown":
        return content
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        raise wrong("content", "JSON, as contentType says", content, "[1, 2]") from None
    if isinstance(value, float) and value != value:  # noqa: PLR0124
        raise CallerError("content: expected a value that YAML has, got NaN")
    return value
