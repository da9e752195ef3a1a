"""The tools that are added to every server, in few tokens and with calls to copy.

``fetch_cached_response`` reads what is held. ``act_on_cached_response`` exports it, fetches more and drops it, and is
there only where it is switched on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.answer.notice import MARK

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

LONGEST_NAME: Final = 64  # clients and model interfaces refuse longer ones
NUMBERED: Final = 5  # characters for the number of a name that was taken: more than 5,000 are not remembered

DESCRIPTION: Final = """\
Reads results too large to show. Count and sum with filter or sql, never by pages.
filter: jq, {"action":"filter","cache_id":"r_..","jq_filter":"map(select(.size>9).id)"}
sql: SQLite, "SELECT state, count(*) FROM items GROUP BY 1"; join with cache_ids {"a":"r_.."}
Text is rows to both: its table or lines.
search: pattern (regex: RE2), path .a.b
get_page: items of path or table, fields
outline: tree, headings, files to depth
get: the text by start_line, start_index or path
info: tables, facts. list: all held
changes: since the last same call or a handle
edit: changed copy: replace [{"find":"a","with":"b"}], set {".a":1}, remove, append"""

BY_HANDLE: Final = """
"held:r_.." or "held:r_.. .path" as an argument of another tool passes it on unread"""

BRIEFLY: Final = """
tool: a shortened tool (…) in full"""
FILTER: Final = DESCRIPTION.splitlines()[1]
SHORTER: Final = 'filter: jq_filter "map(select(.size>9).id)", cache_id'  # makes room for that line

# Arguments that are taken but not in the schema: each costs ten tokens in every conversation, and few need them.
UNTOLD: Final = (
    "page_size_kb",
    "page_tokens",
    "max_length",
    "cache_filtered_result",
    "word",
    "ignore_case",
    "start",
    "end_line",
    "remove",
    "append",
)

_TEXT: Final = {"type": "string"}
_NUMBER: Final = {"type": "integer"}
_TRUTH: Final = {"type": "boolean"}


def definition(name: str, *, by_handle: bool = True, mark: str = "", briefly: bool = False) -> bytes:
    """Return the tool for ``tools/list``; with ``by_handle`` it says how a held result is passed to another,
    ``briefly`` how the whole definition of a tool is read. Clients find its ``mark`` again in every real notice."""
    properties: dict[str, Any] = {
        "action": {
            "type": "string",
            "enum": ["filter", "sql", "search", "get_page", "outline", "get", "info", "list", "changes", "edit"],
        },
        "cache_id": _TEXT,
        "jq_filter": _TEXT,
        "sql": _TEXT,
        "cache_ids": {"type": "object"},
        "pattern": _TEXT,
        "regex": _TRUTH,
        "context": _NUMBER,
        "start_line": _NUMBER,
        "lines": _NUMBER,
        "table": _TEXT,
        "path": _TEXT,
        "page": _NUMBER,
        "fields": {"type": "array"},
        "depth": _NUMBER,
        "start_index": _NUMBER,
        "replace": {"type": "array"},
        "set": {"type": "object"},
        "since": _TEXT,
    }
    if briefly:
        properties["action"]["enum"].append("tool")
        properties["tool"] = _TEXT
    words = DESCRIPTION.replace(FILTER, SHORTER) + BRIEFLY if briefly else DESCRIPTION
    tool: dict[str, Any] = {
        "name": name,
        "description": words + (BY_HANDLE if by_handle else ""),
        "inputSchema": {"type": "object", "properties": properties, "required": ["action"]},
        "annotations": {"readOnlyHint": True},
    }
    if mark:
        tool["_meta"] = {MARK: mark}
    return msgspec.json.encode(tool)


# What each action of the second tool is told with, and the arguments in the schema for it. The others, which few calls
# have, stand in the words alone: each costs ten tokens more in the schema.
ACTIONS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "export": (
        "export: to csv, tsv, jsonl, json, md, txt; all, or by sql, jq_filter, table, path; name",
        {"format": _TEXT, "sql": _TEXT},
    ),
    "more": (
        "more: calls the tool for its next pages (20), as one table; or give tool, arguments",
        {"pages": _NUMBER},
    ),
    "drop": ("drop: deletes it, or all: true", {}),
}


def act_definition(name: str, actions: Sequence[str]) -> bytes:
    """Return the second tool for ``tools/list``, with these of its actions."""
    described = [ACTIONS[action] for action in actions]
    properties: dict[str, Any] = {"action": {"type": "string", "enum": list(actions)}, "cache_id": _TEXT}
    for _, arguments in described:
        properties |= arguments
    tool: dict[str, Any] = {
        "name": name,
        "description": "\n".join(["Acts on held results.", *(line for line, _ in described)]),
        "inputSchema": {"type": "object", "properties": properties, "required": ["action"]},
        # Of the others the defaults of MCP are true here: it is not idempotent, and more calls what lies outside.
        "annotations": {"readOnlyHint": False, "destructiveHint": "drop" in actions},
    }
    return msgspec.json.encode(tool)


def free_name(name: str, taken: Container[str]) -> str:
    """Return the tool's name, or another one when the upstream has a tool of that name itself."""
    wanted, number = name, 1
    while wanted in taken:
        number += 1
        wanted = f"{name[: LONGEST_NAME - NUMBERED]}_{number}"
    return wanted


def may_clash(other: str, name: str) -> bool:
    """Tell whether ``free_name`` could give this name to ours."""
    return other.startswith(name[: LONGEST_NAME - NUMBERED])
