"""Prompts: how to read a large vault in small answers, with calls that work as they stand."""

# No ``from __future__ import annotations`` here: FastMCP takes the annotations of a prompt as they are.

from typing import Annotated, Any

from fastmcp import FastMCP
from pydantic import Field

from server_parts.answers import as_json

Topic = Annotated[str, Field(description="What to look for.")]
Filename = Annotated[str, Field(description="Path in the vault.")]


def add_prompts(mcp: FastMCP[Any]) -> None:
    """Add them to a server."""

    @mcp.prompt
    def explore_vault(topic: Topic) -> str:
        """Find what the vault says about a topic without reading all of it."""
        return (
            f"Find what the vault says about this topic: {topic}\n\n"
            "1. The best notes first: search_vault_smart "
            f"{as_json({'query': topic, 'filter': {'limit': 5}})}\n"
            f"2. The exact words: search_vault_simple {as_json({'query': topic, 'limit': 10, 'offset': 0})}; "
            "while pagination.hasMore is true, `next` is the call for more.\n"
            "3. Read only what is needed: get_vault_file with a match's start as startIndex and a small maxLength.\n"
            "4. To count or compare many notes use search_vault and ask for all of them: the answer is held, and "
            "fetch_cached_response counts it with jq or SQL. Do not add up pages by hand."
        )

    @mcp.prompt
    def read_long_note(filename: Filename) -> str:
        """Read a long note to its end."""
        first = as_json({"filename": filename, "maxLength": 10_000, "startIndex": 0})
        return (
            f"Read this note to its end: get_vault_file {first}\n\n"
            "The second block of each answer is its metadata. While hasMore is true, call again with startIndex set to "
            "nextIndex. The windows put together are the note; totalLength tells how far you are."
        )
