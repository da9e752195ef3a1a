"""The tools that a client can call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from anyio import from_thread
from fastmcp import Context  # noqa: TC002  # FastMCP reads the annotations of tools
from fastmcp.tools.base import ToolResult  # noqa: TC002
from pydantic import BaseModel, ConfigDict, Field

from memory_server.answer import Answers, Request
from memory_server.library import Draft, Library
from memory_server.retrieve import Wanted
from memory_server.settings import LEAST_TOKENS, MOST_TOKENS, Defaults
from memory_server.words import words_of
from server_parts.answers import as_json, texts
from server_parts.complaints import raises_tool_errors, wrong

if TYPE_CHECKING:
    from fastmcp import FastMCP

    from memory_server.folder import Folder

MOST_CHUNKS: Final = 1_000  # of one call, to store or to find
LONGEST: Final = 1_000_000  # characters of one chunk; it is stored and read whole, in memory

SessionId = Annotated[
    str, Field(min_length=1, max_length=128, pattern=r"\S", description="The session.", examples=["user_session_123"])
]
CurrentTask = Annotated[
    str,
    Field(
        min_length=1,
        max_length=4_000,
        description="What you are about to do, in words.",
        examples=["Implement user authentication"],
    ),
]
TaskType = Annotated[
    Literal["general", "development", "debugging", "documentation", "research"],
    Field(description="Prefers code, code and logs, or prose.", examples=["development"]),
]
MaxChunks = Annotated[
    int, Field(ge=1, le=MOST_CHUNKS, description="Most primary chunks; and most related ones.", examples=[20])
]
AutoExpand = Annotated[bool, Field(description="Also chunks linked with or beside those found.", examples=[True])]
Tokens = Annotated[
    int, Field(ge=LEAST_TOKENS, le=MOST_TOKENS, description="Most tokens of the answer.", examples=[15_000])
]
Page = Annotated[int, Field(ge=1, description="Which page of the answer.", examples=[1])]
Paginate = Annotated[bool, Field(description="false: one page, what does not fit is left out.", examples=[True])]
ChunkId = Annotated[int, Field(ge=1, le=2**62, description="The number behind the c: 12 for c12.", examples=[12])]
ChunkIds = Annotated[
    list[Annotated[int, Field(ge=1, le=2**62)]] | None,
    Field(max_length=MOST_CHUNKS, description="The numbers of chunks of this session.", examples=[[12, 13]]),
]
Everything = Annotated[bool, Field(description="true: all of the session, and the session itself.", examples=[True])]


class NewChunk(BaseModel):
    """A chunk to store."""

    model_config = ConfigDict(extra="forbid")

    content: str = Field(min_length=1, max_length=LONGEST, pattern=r"\S", description="The text.")
    title: str = Field("", max_length=500, description="What it is about.")
    source: str = Field("", max_length=1_000, description="Where it is from: a path or an address.")
    kind: Literal["prose", "code", "data"] | None = Field(None, description="Guessed by source if not given.")
    importance: float = Field(1, ge=0.1, le=10, description="2: counts twice. What counts least is left out first.")
    links: list[Annotated[str, Field(min_length=1, max_length=1_000)]] = Field(
        default=[], max_length=20, description="Sources or titles of other chunks."
    )


NewChunks = Annotated[
    list[NewChunk],
    Field(
        min_length=1,
        max_length=MOST_CHUNKS,
        description="The chunks.",
        examples=[[{"content": "Tokens expire after 15 minutes.", "title": "Decision", "links": ["docs/auth.md"]}]],
    ),
]

READS: Final = {"readOnlyHint": True}
FORGETS: Final = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True}
STORES: Final = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The objects that the tools share."""

    library: Library
    folder: Folder
    defaults: Defaults


def add_tools(mcp: FastMCP[Any], parts: Parts) -> None:
    """Add them to a server. Their defaults come from the settings."""
    library, folder, defaults = parts.library, parts.folder, parts.defaults
    answers = Answers(library.database, defaults.limits)

    @mcp.tool(annotations=READS)
    @raises_tool_errors
    def context_aware_retrieve(  # noqa: PLR0917  (the arguments of the tool)
        ctx: Context,
        session_id: SessionId,
        current_task: CurrentTask,
        task_type: TaskType = "general",
        max_chunks: MaxChunks = 20,
        auto_expand: AutoExpand = True,
        max_response_tokens: Tokens = defaults.max_tokens,
        page: Page = 1,
        enable_pagination: Paginate = defaults.enable_paging,
    ) -> ToolResult:
        """Find what memory has for a task: chunks with its words, chunks related to them, and how they relate.

        Looks in what the session has stored and in the folder. The answer never costs more than max_response_tokens;
        its header tells the page, the number of pages, and whether anything was cut. Read on with page. Example:
        {"session_id": "user_session_123", "current_task": "Implement user authentication", "task_type": "development"}
        """
        words = words_of(current_task)
        if not words:
            raise wrong("current_task", "one word or more", current_task, "Implement user authentication")
        folder.refresh(lambda done, total: _report(ctx, done, total))
        wanted = Wanted(
            session=session_id,
            folder=folder.name,
            words=tuple(words),
            task_type=task_type,
            max_chunks=max_chunks,
            auto_expand=auto_expand,
        )
        request = Request(
            session=session_id,
            task=current_task,
            task_type=task_type,
            tokens=max_response_tokens,
            page=page,
            paginate=enable_pagination,
        )
        max_bytes = None if _is_claude_code(ctx) else 0
        return texts(answers.page(wanted, request, max_bytes))

    @mcp.tool(annotations=STORES)
    @raises_tool_errors
    def store_chunks(session_id: SessionId, chunks: NewChunks) -> ToolResult:
        """Store texts in a session, all of them or none; the session is made when there is none.

        A chunk that the session has already is not stored twice. `links` and links in the text relate it to others.
        Example: {"session_id": "user_session_123", "chunks": [{"content": "Tokens expire after 15 minutes."}]}
        """
        new = [
            Draft(
                text=one.content,
                title=one.title,
                source=one.source,
                kind=one.kind or "",
                links=tuple(one.links),
                importance=one.importance,
            )
            for one in chunks
        ]
        stored = library.store(session_id, new)
        answered = {
            "session_id": session_id,
            "stored": len(new) - stored.known,
            "already_stored": stored.known,
            "chunk_ids": list(stored.ids),
            "total_chunks": stored.total,
        }
        return texts(as_json(answered))

    @mcp.tool(annotations=READS)
    @raises_tool_errors
    def get_chunk(session_id: SessionId, chunk_id: ChunkId) -> ToolResult:
        """Read one chunk whole, as it was stored: for one that an answer has cut.

        A long one is held, and read on with fetch_cached_response. Example: {"session_id": "s", "chunk_id": 12}
        """
        text = library.text(session_id, folder.name, chunk_id)
        if text is None:
            some = library.some(session_id, folder.name)
            raise wrong("chunk_id", "the number of a chunk that this session sees", chunk_id, some)
        return texts(text)

    @mcp.tool(annotations=FORGETS)
    @raises_tool_errors
    def forget(session_id: SessionId, chunk_ids: ChunkIds = None, everything: Everything = False) -> ToolResult:
        """Delete chunks that a session has stored, by their numbers, or the session with all of them.

        What is gone cannot be brought back. Chunks of the folder stay: delete the file instead.
        Example: {"session_id": "user_session_123", "chunk_ids": [12, 13]}
        """
        if everything == (chunk_ids is not None):
            own = library.some(session_id, "")
            example = chunk_ids if own is None else [own]
            raise wrong("chunk_ids", "numbers of chunks, or everything: true, and not both", chunk_ids, example)
        gone, left = library.forget(session_id, chunk_ids)
        missing = sorted(set(chunk_ids or ()) - set(gone))
        answered: dict[str, Any] = {"session_id": session_id, "forgotten": len(gone), "total_chunks": left}
        return texts(as_json({**answered, "not_found": missing} if missing else answered))


def _is_claude_code(ctx: Context) -> bool:
    """Return True for the client that has a limit in characters, too. One that does not say its name may be it."""
    known = ctx.session.client_params
    return known is None or known.client_info.name.startswith("claude-code")


def _report(ctx: Context, done: int, total: int) -> None:
    """Tell the client how far the folder is read: the first time that is long. Tools run in threads of anyio."""
    from_thread.run(ctx.report_progress, done, total, "files read")
