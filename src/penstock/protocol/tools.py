"""Define the tools that Penstock adds to every server, in few tokens.

``fetch_cached_response`` reads stored results. ``act_on_cached_response`` exports them, fetches more and drops them. It
is listed only if the setting ``act`` enables it.

Both schemas use the part of JSON Schema that every model interface accepts: one type for each argument, items for each
array, no unions and no references. ``tests/kit/schema_rules.py`` has the rules.
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
Read a stored tool result that was too large to return. To count or sum, use sql or filter; never add up pages.
filter: run jq, as map(select(.size>9).id)
sql: run SQLite, as SELECT state, count(*) FROM items GROUP BY 1
Both read text as rows, or as lines if it has no rows.
search: find pattern
get_page: whole items of path or table
outline: tree, headings or files
get: raw text
info: tables and column stats; list: stored results
changes: compare with since, or with the previous same call
edit: save a changed copy"""

BY_HANDLE: Final = """
In any other tool, the argument held:r_.. or held:r_.. .path sends the stored data unread."""

ASKING: Final = """
A tool that has _ask answers it from its own result in the same call: a SELECT, a jq program, or {"search": "text"}."""

BRIEFLY: Final = """
tool: a shortened tool (…) in full"""

# Arguments that the gate accepts and the schema leaves out. Programs use them. A model can do without: a page and a
# window have a size of their own, ``lines`` does what ``end_line`` does, and ``regex`` what ``word`` does.
UNTOLD: Final = ("page_size_kb", "page_tokens", "max_length", "cache_filtered_result", "word", "end_line")

_STRING: Final = {"type": "string"}


def _text(words: str) -> dict[str, Any]:
    return {"type": "string", "description": words}


def _number(words: str) -> dict[str, Any]:
    return {"type": "integer", "description": words}


def _truth(words: str) -> dict[str, Any]:
    return {"type": "boolean", "description": words}


def _texts(words: str) -> dict[str, Any]:
    return {"type": "array", "items": _STRING, "description": words}


def _members(words: str) -> dict[str, Any]:
    """Return the schema of an object whose keys the caller chooses. It says nothing else: Gemini's API refuses
    ``additionalProperties``, and some clients empty an object whose ``properties`` are empty."""
    return {"type": "object", "description": words}


PAIR: Final = {
    "type": "object",
    "properties": {"find": _STRING, "with": _STRING, "count": _STRING},
    "required": ["find", "with"],
}

FORMATS: Final = ("csv", "tsv", "jsonl", "json", "md", "txt")
READS: Final = ("filter", "sql", "search", "get_page", "outline", "get", "info", "list", "changes", "edit")

ARGUMENTS: Final[dict[str, dict[str, Any]]] = {
    "cache_id": _text("stored result"),
    "jq_filter": _text("jq program"),
    "sql": _text("one query"),
    "cache_ids": _texts("to join as t1, t2"),
    "pattern": _text("plain text"),
    "regex": _truth("RE2"),
    "ignore_case": _truth("in search"),
    "context": _number("lines around"),
    "start": _number("next_start"),
    "start_line": _number("from 1"),
    "lines": _number("how many"),
    "start_index": _number("from 0"),
    "table": _text("see info"),
    "path": _text("like .a.b"),
    "page": _number("from 1"),
    "fields": _texts("columns"),
    "depth": _number("levels"),
    "replace": {"type": "array", "items": PAIR, "description": "count: number or all"},
    "set": _members("values by path"),
    "remove": _texts("paths"),
    "append": _members("items by path"),
    "since": _text("earlier result"),
}


# Arguments of the style "data", whose answers name a page in kilobytes and hold a large result of a filter again.
OF_DATA_STYLE: Final = {
    "page_size_kb": _number("of a page"),
    "cache_filtered_result": _truth("hold a large result of filter"),
}


def definition(
    name: str,
    *,
    by_handle: bool = True,
    mark: str = "",
    briefly: bool = False,
    data_style: bool = False,
    asks: bool = False,
) -> bytes:
    """Return the tool for ``tools/list``. Clients find its ``mark`` again in every real notice.

    The other arguments add what a setting allows: to pass a stored result to another tool (``by_handle``), to read the
    whole definition of a tool (``briefly``), the arguments that answers of the style ``data`` name (``data_style``),
    and to ask a question in a call (``asks``).
    """
    extra = {"tool": _text("name")} if briefly else {}
    of_style = OF_DATA_STYLE if data_style else {}
    tool: dict[str, Any] = {
        "name": name,
        "description": "".join(
            [
                DESCRIPTION,
                BRIEFLY if briefly else "",
                ASKING if asks else "",
                BY_HANDLE if by_handle else "",
            ]
        ),
        "inputSchema": _input((*READS, *extra), {**ARGUMENTS, **of_style, **extra}),
        "annotations": {"readOnlyHint": True},
    }
    if mark:
        tool["_meta"] = {MARK: mark}
    return msgspec.json.encode(tool)


# The words for each action of the second tool, and its arguments.
ACTIONS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "export": (
        "export: save a file, whole or by sql, jq_filter, table or path",
        {
            "format": {"type": "string", "enum": list(FORMATS), "description": "of the file"},
            "sql": _text("query of items"),
            "jq_filter": _text("jq program"),
            "table": _text("table name"),
            "path": _text("like .a.b"),
            "name": _text("file name"),
        },
    ),
    "more": (
        "more: fetch and join the next pages of a result, or of tool with arguments",
        {"pages": _number("default 20"), "tool": _text("tool name"), "arguments": _members("of tool")},
    ),
    "drop": ("drop: delete a result, or with all everything", {"all": _truth("delete all")}),
}


def act_definition(name: str, actions: Sequence[str]) -> bytes:
    """Return the second tool for ``tools/list``, with these of its actions."""
    described = [ACTIONS[action] for action in actions]
    arguments = {"cache_id": _text("stored result")}
    for _, more in described:
        arguments |= more
    tool: dict[str, Any] = {
        "name": name,
        "description": "\n".join(["Act on stored results.", *(line for line, _ in described)]),
        "inputSchema": _input(actions, arguments),
        # The other hints keep their defaults: the tool is not idempotent, and more calls a tool of the server.
        "annotations": {"readOnlyHint": False, "destructiveHint": "drop" in actions},
    }
    return msgspec.json.encode(tool)


def _input(actions: Sequence[str], arguments: dict[str, Any]) -> dict[str, Any]:
    action = {"type": "string", "enum": list(actions), "description": "what to do"}
    return {"type": "object", "properties": {"action": action, **arguments}, "required": ["action"]}


def free_name(name: str, taken: Container[str]) -> str:
    """Return the tool's name, or another one when the upstream has a tool of that name itself."""
    wanted, number = name, 1
    while wanted in taken:
        number += 1
        wanted = f"{name[: LONGEST_NAME - NUMBERED]}_{number}"
    return wanted


def may_clash(other: str, name: str) -> bool:
    """Return True if ``free_name`` could give this name to ours."""
    return other.startswith(name[: LONGEST_NAME - NUMBERED])
