"""The tools that search: by text, by Dataview or JsonLogic, and ranked."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from fastmcp.tools.base import ToolResult  # noqa: TC002  (FastMCP looks at annotations)
from pydantic import BaseModel, ConfigDict, Field

from penstock import ListWindow
from server_parts.complaints import raises_tool_errors, wrong
from vault_server import dataview, jsonlogic
from vault_server.answers import Call
from vault_server.catalog import fold
from vault_server.notes import parse
from vault_server.passages import LONG, SHORT, passage
from vault_server.settings import MOST_ITEMS
from vault_server.tools import READS, Limit, Offset, Parts, folder_of

if TYPE_CHECKING:
    from fastmcp import FastMCP

    from vault_server.catalog import File
    from vault_server.vault import Vault

MATCHES: Final = 3  # of one note that are shown; a long note would fill the answer with one word
FEW: Final = 7  # notes; of more than these one match or short passage each is shown, so that twenty are about 5 KB
MOST_WORDS: Final = 32  # of one question; the rest of a long one says the same again

SearchText = Annotated[
    str, Field(min_length=1, max_length=1_000, description="Text to find, in either case.", examples=["soil report"])
]
ContextLength = Annotated[
    int, Field(ge=0, le=2_000, description="Characters to show on each side of a match.", examples=[200])
]
QueryType = Annotated[
    Literal["dataview", "jsonlogic"], Field(description="Language of the query.", examples=["dataview"])
]
QueryText = Annotated[
    str,
    Field(
        min_length=1,
        max_length=20_000,
        description="A Dataview query, or a JsonLogic rule as JSON text.",
        examples=["TABLE status, due FROM #project WHERE priority >= 4 SORT due"],
    ),
]
Question = Annotated[
    str, Field(min_length=1, max_length=2_000, description="What to look for, in words.", examples=["drainage permits"])
]


class Filter(BaseModel):
    """The folder to look in, and the number of notes to return."""

    model_config = ConfigDict(extra="forbid")

    folders: list[str] = Field(default=[], description="Only notes in these folders.")
    excludeFolders: list[str] = Field(default=[], description="No notes in these folders.")  # noqa: N815
    limit: int | None = Field(default=None, ge=1, le=MOST_ITEMS, description="Most notes to return (default: 20).")


SmartFilter = Annotated[
    Filter | None,
    Field(description="Folders, and limit (default: 20).", examples=[{"folders": ["Projects"], "limit": 5}]),
]


def add_searches(mcp: FastMCP[Any], parts: Parts) -> None:
    """Add them to a server."""
    vault, answers, defaults = parts.vault, parts.answers, parts.defaults

    @mcp.tool(annotations=READS)
    @raises_tool_errors
    def search_vault_simple(
        query: SearchText,
        contextLength: ContextLength = 50,  # noqa: N803
        limit: Limit = defaults.search_limit,
        offset: Offset = 0,
    ) -> ToolResult:
        """Find the notes that have a text, as it stands, in their words or their name.

        Notes with it in their name come first, then those with the most matches; matchCount counts all of them, the
        first are shown. match.start is a startIndex for get_vault_file. While pagination.hasMore is true, `next`
        is the call for more. Example: {"query": "soil report"}
        """
        found = containing(vault, fold(query))
        part = found[offset : offset + limit]
        most = MATCHES if len(part) <= FEW else 1
        items = tuple(_with_context(vault, file, query, contextLength, most) for file in part)
        window = ListWindow(items=items, total=len(found), offset=offset, limit=limit)
        arguments = {"query": query, "contextLength": contextLength, "limit": limit}
        return answers.listing("results", window, Call(tool="search_vault_simple", arguments=arguments))

    @mcp.tool(annotations=READS)
    @raises_tool_errors
    def search_vault(queryType: QueryType, query: QueryText, limit: Limit = defaults.query_limit) -> ToolResult:  # noqa: N803
        """Query front matter, tags, links and tasks of all notes.

        dataview: TABLE a, b FROM #tag or "folder" or [[note]] WHERE x = 1 SORT y DESC LIMIT 10; LIST, TASK, CALENDAR,
        GROUP BY, FLATTEN. A group is one row, with its columns and `count`.
        jsonlogic: {"and": [{"==": [{"var": "frontmatter.status"}, "open"]}, {"in": ["project", {"var": "tags"}]}]}.
        pagination.total counts all notes found; `next` asks for all of them at once, to be read in pages.
        Example: {"queryType": "dataview", "query": "TABLE due FROM \\"Projects\\" WHERE status = \\"open\\" SORT due"}
        """
        run = _dataview if queryType == "dataview" else _jsonlogic
        items, total, also = run(vault, query, limit)
        call = Call(tool="search_vault", arguments={"queryType": queryType, "query": query, "limit": total})
        return answers.best("results", items, total, limit, call, **also)

    @mcp.tool(annotations=READS)
    @raises_tool_errors
    def search_vault_smart(query: Question, filter: SmartFilter = None) -> ToolResult:  # noqa: A002
        """Find the notes that say most about a question, the best first; titles and tags count more.

        `ranking` says how: BM25, by words. Each result has the passage with the question's words. pagination.total
        counts all notes found; `next` asks for all of them.
        Example: {"query": "drainage permits", "filter": {"folders": ["Projects"], "limit": 5}}
        """
        wanted = filter or Filter()
        limit = wanted.limit or defaults.search_limit
        words = list(dict.fromkeys(re.findall(r"\w+", query.lower())))[:MOST_WORDS]
        if not words:
            raise wrong("query", "one word or more", query, "drainage permits")
        catalog = vault.catalog()
        ranked = vault.index.ranked(words, limit, _among(vault, wanted))
        scores = {hit.id: round(hit.score, 3) for hit in ranked.hits}
        also: dict[str, Any] = {"ranking": "BM25"}

        def item(number: int) -> dict[str, Any]:
            file = known[number]
            entry: dict[str, Any] = {"path": file.path, "title": titles[number] or file.name}
            text = passage(parse(vault.text(file.path)).body, words, length)
            return {**entry, "score": scores[number], "text": text}

        known = {number: catalog.by_id[number] for number in scores if number in catalog.by_id}
        titles = vault.index.titles(known)
        length = LONG if len(known) <= FEW else SHORT
        if ranked.ignored:
            also["ignoredWords"] = list(ranked.ignored)
        rest = {**wanted.model_dump(exclude_defaults=True), "limit": ranked.total}
        call = Call(tool="search_vault_smart", arguments={"query": query, "filter": rest})
        return answers.best("results", [item(number) for number in known], ranked.total, limit, call, **also)


def containing(vault: Vault, wanted: str) -> list[File]:
    """Return the files that have a folded text in their name, then those with it in their text; those with most of it
    first."""
    catalog = vault.catalog()
    counts = vault.index.containing(wanted)
    named = catalog.named(wanted)
    first = {file.id for file in named}
    rest = [file for file in catalog.files if file.id in counts and file.id not in first]
    return [file for part in (named, rest) for file in sorted(part, key=lambda one: -counts.get(one.id, 0))]


def _with_context(vault: Vault, file: File, query: str, around: int, most: int) -> dict[str, Any]:
    text = vault.text(file.path) if file.is_note else ""
    folded, wanted = fold(text), fold(query)
    matches: list[dict[str, Any]] = []
    at = 0
    while len(matches) < most and (at := folded.find(wanted, at)) >= 0:
        end = at + len(wanted)
        matches.append({"match": {"start": at, "end": end}, "context": text[max(0, at - around) : end + around]})
        at = end
    return {"filename": file.path, "matchCount": folded.count(wanted), "matches": matches}


def _dataview(vault: Vault, query: str, limit: int) -> tuple[list[Any], int, dict[str, Any]]:
    read = dataview.parse(query, datetime.now().astimezone())
    pages = vault.pages()
    rows = read.run(pages)
    items = [read.item_of(row) for row in rows[:limit]]
    also: dict[str, Any] = {"type": read.kind}
    if read.columns:
        also["columns"] = [column.name for column in read.columns]
    if pages.missing:
        also["noSuchNote"] = {name: pages.catalog.alike(name) for name in pages.missing}
    return items, len(rows), also


def _jsonlogic(vault: Vault, query: str, limit: int) -> tuple[list[Any], int, dict[str, Any]]:
    rule = jsonlogic.compiled(query)
    items: list[Any] = []
    total = 0
    fronts, wrong = vault.index.column("front"), vault.index.column("wrong")
    for file in vault.catalog().notes:
        also = {"content": vault.text(file.path)} if rule.sees_content else {}
        result = rule(file.known(fronts.get(file.id, b"{}"), str(wrong.get(file.id, "")), **also))
        if not jsonlogic.is_true(result):
            continue
        total += 1
        if len(items) < limit:
            items.append({"filename": file.path, "result": result})
    return items, total, {"type": "jsonlogic"}


def _among(vault: Vault, wanted: Filter) -> set[int] | None:
    """Return the numbers of the files to look in; None for all of them."""
    if not wanted.folders and not wanted.excludeFolders:
        return None
    catalog = vault.catalog()
    folders = [folder_of(vault, name, "filter.folders") for name in wanted.folders] or [""]
    without = [folder_of(vault, name, "filter.excludeFolders") for name in wanted.excludeFolders]
    inside = {file.id for folder in folders for file in catalog.under(folder)}
    return inside - {file.id for folder in without for file in catalog.under(folder)}
