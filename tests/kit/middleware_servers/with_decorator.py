"""A server without any framework: lines of JSON-RPC, and functions with ``@budgeted``."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from tests.kit.middleware_servers.data import ACT, RULES, STYLE, TEXT, findings, kept, page, polled, rows, rows_text

from penstock.middleware.decorator import budgeted

if TYPE_CHECKING:
    from collections.abc import Callable

bounded = budgeted(max_tokens=2_000, store="memory:", rules=RULES, act=ACT, notice=STYLE)


@bounded
def list_rows(number: int) -> list[dict[str, Any]]:
    return rows(number)


@bounded
def read_text() -> str:
    return TEXT


@bounded
def fail(number: int) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": rows_text(number)}], "isError": True}


@bounded
def keep(text: str, value: Any = None) -> dict[str, Any]:
    return kept(text, value)


@bounded
def scan(number: int) -> str:
    return json.dumps(findings(number))


@bounded
def poll(number: int) -> str:
    return polled(number)


@bounded
def keep_little(text: str) -> dict[str, Any]:
    return kept(text)


@bounded
def keep_safely(text: str) -> dict[str, Any]:
    return kept(text)


@bounded
def size_of(table: list[dict[str, Any]]) -> str:
    return str(len(table))


@bounded
def list_page(cursor: str = "") -> dict[str, Any]:
    return page(cursor)


@bounded
def walk(cursor: str = "") -> dict[str, Any]:
    return page(cursor)


TOOLS: dict[str, Callable[..., Any]] = {
    "list_rows": list_rows,
    "read_text": read_text,
    "fail": fail,
    "keep": keep,
    "scan": scan,
    "poll": poll,
    "keep_little": keep_little,
    "keep_safely": keep_safely,
    "size_of": size_of,
    "list_page": list_page,
    "walk": walk,
}


def answer(method: str, params: dict[str, Any]) -> Any:
    if method == "initialize":
        info = {"name": "data", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        tools = [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]
        ours = [bounded.definition, bounded.act_definition] if ACT != "off" else [bounded.definition]
        return {"tools": [*tools, *ours]}
    if method == "resources/read":
        return bounded.read_export(params["uri"])
    if ACT != "off" and params["name"] == bounded.act_definition["name"]:
        return bounded.act(params["arguments"])
    if params["name"] == bounded.definition["name"]:
        return bounded.fetch(params["arguments"])
    return TOOLS[params["name"]](**params["arguments"])


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        told = answer(message["method"], message.get("params") or {})
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": told}) + "\n")
        sys.stdout.flush()
