"""Examine one server for ``penstock doctor``: its lists, a call if one is asked for, its end, and the store.

The report about a server is the object that ``doctor --json`` prints. The tables for people are made from it too. If
the server does not work, the report has ``error``, and ``stderr`` with the lines that the server wrote.
"""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.cli.mcp_client import Greeting, McpClient, RequestRefusedError
from penstock.config.budget import budget_for
from penstock.core.fit import Call
from penstock.core.text import nearest, shorten
from penstock.core.tokens.count import count
from penstock.errors import StoreError, UpstreamError
from penstock.gate import Gate
from penstock.protocol.brief_tools import brief
from penstock.protocol.tools import definition
from penstock.protocol.wire.jsonrpc import METHOD_NOT_FOUND
from penstock.stores import open_store

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.cli.doctor_servers import StartedServer
    from penstock.config.model import Config
    from penstock.stores import Store

    Report = dict[str, Any]

SETTINGS: Final = (
    *("max_tokens", "preview_tokens", "page_tokens", "ttl", "profile", "store", "tool_name", "output_schema", "tools"),
)
MAX_START: Final = 5.0  # Seconds until the first answer. The least patient client we know of gives up after 10.
MAX_NAME: Final = 64  # Characters of a tool's name that every client and model interface accepts.
MAX_DEFINITIONS: Final = 10_000  # Tokens of all definitions: half of one result's budget, in every conversation.
MAX_DESCRIPTION: Final = 2_048  # Characters. Claude Code cuts a tool's description there.
UNREACHED: Final = "the server cannot be reached: "


def examine_server(
    server: StartedServer, timeout: float, store: Store, config: Config, *, call: tuple[str, dict[str, Any]] | None
) -> Report:
    """Start a server, examine it, and end it."""
    names = {"configured_as": server.name} if server.of_client else {}
    client: McpClient | None = None
    try:
        with McpClient(server.command, timeout=timeout, environment=server.environment, folder=server.folder) as client:
            report = examine(client, store, config, call=call)
    except UpstreamError as error:
        words = list(client.process.words) if client is not None else []
        if isinstance(error, RequestRefusedError) and error.message.startswith(UNREACHED):
            error = UpstreamError(f"{server.name} cannot be reached: {error.message.removeprefix(UNREACHED)}")
            words = []  # of the relay to it
        return {**names, "usable": False, "error": str(error), "stderr": words}
    return {**names, "usable": True, **report, "command": server.command}


def examine(
    client: McpClient,
    store: Store,
    config: Config,
    now: Callable[[], float] = time.monotonic,
    *,
    call: tuple[str, dict[str, Any]] | None = None,
) -> Report:
    """Check a started server, and end it. A list that the server refuses is a problem, not an error."""
    profile = budget_for(config, config.tool_name).profile
    began = now()
    greeting = client.greet()
    seconds = now() - began
    problems: list[str] = []
    definitions = [
        tool for raw in _listed(client, greeting, "tools", problems) if (tool := _definition(raw, problems)) is not None
    ]
    tools = [_tool(one, config, profile) for one in definitions]
    totals = {
        "tools": len(tools),
        "tokens": sum(tool["tokens"] for tool in tools),
        "brief_tokens": sum(_tokens(brief(one), profile) for one in definitions),
        "resources": len(_listed(client, greeting, "resources", problems)),
        "prompts": len(_listed(client, greeting, "prompts", problems)),
        "counted_as": profile,
    }
    trial: Report = {}
    if call is not None:
        try:
            trial = {"call": _call(client, config, *call)}
        except RequestRefusedError as refused:
            near = nearest(call[0], [tool["name"] for tool in tools])
            others = f"; tools: {', '.join(near)}" if near and call[0] not in near else ""
            problems.append(f"{refused.what}{others}")
    client.process.close()
    problems = [
        *_of_process(client, seconds),
        *problems,
        *_of_totals(totals, tools),
        *_of_names(definitions, config.tool_name),
    ]
    store_error = _store_error(store, config)
    if store_error is not None:
        problems.append(f"{store_error}. Until then large results are cut, and the rest of them is not stored")
    added = definition(config.tool_name, briefly=config.tools == "brief")
    return {
        "server": {
            "name": greeting.name,
            "version": greeting.version,
            "protocol": greeting.protocol,
            "era": "modern" if greeting.modern else "legacy",
            "first_answer_s": round(seconds, 3),
        },
        "tools": tools,
        "totals": totals,
        "added": {"name": config.tool_name, "tokens": count(added, profile).tokens},
        "settings": {name: getattr(config, name) for name in SETTINGS if name != "store"},
        "store": {"place": store.place, "usable": store_error is None, "error": store_error},
        "problems": problems,
        **trial,
    }


def _call(client: McpClient, config: Config, tool: str, arguments: dict[str, Any]) -> Report:
    """Call a tool of the started server, and report the answer as the model would read it. Nothing is stored."""
    raw = client.ask("tools/call", {"name": tool, "arguments": arguments})
    with open_store("memory:") as store, closing(Gate(store, config)) as gate:
        admission = gate.decide(Call(tool=tool, owner="doctor", arguments=arguments), raw)
        outcome = admission.outcome
    result = msgspec.json.decode(admission.answer)
    members = result if isinstance(result, dict) else {}
    blocks = members.get("content")
    if isinstance(blocks, list):
        texts = [_text(block) for block in blocks]
    else:
        texts = [admission.answer.decode("utf-8", "replace")]
    if not texts and "structuredContent" in members:
        texts = [msgspec.json.encode(members["structuredContent"]).decode()]
    return {
        "tool": tool,
        "arguments": arguments,
        "outcome": outcome.kind,
        "is_error": members.get("isError") is True,
        "bytes": len(raw),
        "tokens_before": outcome.tokens_in,
        "tokens_after": outcome.tokens_out,
        "answer": texts,
    }


def _text(block: Any) -> str:
    if isinstance(block, dict) and isinstance(block.get("text"), str):
        return str(block["text"])
    kind = block.get("type", "block") if isinstance(block, dict) else "block"
    return f"[{kind}, {len(msgspec.json.encode(block)):,} bytes]"


def _listed(client: McpClient, greeting: Greeting, what: str, problems: list[str]) -> list[bytes]:
    if what not in greeting.capabilities:
        return []
    try:
        return client.everything(f"{what}/list", what)
    except RequestRefusedError as refused:
        if refused.code == METHOD_NOT_FOUND:
            problems.append(f"it announces {what}, but does not know {what}/list")
        else:
            problems.append(f"{refused.what}; its {what} could not be listed")
        return []


def _definition(raw: bytes, problems: list[str]) -> dict[str, Any] | None:
    """Return a tool's definition; None if it has no name, which is a problem."""
    tool = msgspec.json.decode(raw)
    name = tool.get("name") if isinstance(tool, dict) else None
    if not isinstance(name, str) or not name:
        problems.append(f"a tool in the list has no name: {shorten(raw.decode('utf-8', 'replace'), 80)}")
        return None
    return dict(tool)


def _tool(tool: dict[str, Any], config: Config, profile: str) -> Report:
    rule = config.rule_for(tool["name"])
    return {
        "name": tool["name"],
        "tokens": _tokens(tool, profile),
        "output_schema": config.output_schema if isinstance(tool.get("outputSchema"), dict) else None,
        "max_tokens": rule.max_tokens,
        "rule": rule.pattern or None,
        "hold": "never" if rule.never_hold else "always" if rule.always_hold else "above max_tokens",
    }


def _tokens(tool: dict[str, Any], profile: str) -> int:
    return count(msgspec.json.encode(tool), profile).tokens


def _store_error(store: Store, config: Config) -> str | None:
    """Try the store, and return its error. Adding 0 to a counter is a real write that changes no figure."""
    try:
        store.stats()
        store.add_counts(config.tool_name)
    except StoreError as error:
        return str(error)
    return None


def _of_process(client: McpClient, seconds: float) -> list[str]:
    problems = []
    if seconds > MAX_START:
        problems.append(f"its first answer took {seconds:.1f} s, and some clients give up after 10 s")
    if client.noise_total:
        problems.append(
            f"{client.noise_text()}. Penstock moves such lines to stderr; without Penstock some clients fail on them"
        )
    if not client.process.ended_by_itself:
        problems.append("it does not end when its stdin is closed. Penstock ends it; without Penstock it may stay")
    return problems


def _of_totals(totals: Report, tools: list[Report]) -> list[str]:
    tokens, shorter = totals["tokens"], totals["brief_tokens"]
    if tokens <= MAX_DEFINITIONS:
        return []
    largest = ", ".join(shorten(one["name"]) for one in sorted(tools, key=lambda one: -one["tokens"])[:3])
    return [
        f"the definitions of its tools cost {tokens:,} tokens in every conversation, before any call; --tools brief "
        f"lists them in {shorter:,} ({100 * (tokens - shorter) / tokens:.0f} % less), or switch off in the client "
        f"the tools that you do not need (the largest: {largest})"
    ]


def _of_names(definitions: list[dict[str, Any]], own: str) -> list[str]:
    """Return the problems of each tool's definition. ``own`` is the name of Penstock's own tool."""
    problems = []
    seen: set[str] = set()
    for tool in definitions:
        name, description = tool["name"], tool.get("description")
        short = shorten(name)
        if not isinstance(tool.get("inputSchema"), dict):
            problems.append(f"{short}: has no input schema, and some clients refuse the whole list for that")
        if name in seen:
            problems.append(f"{short}: is listed twice")
        seen.add(name)
        if name == own:
            problems.append(
                f"{short}: is also the name of Penstock's own tool, which is then not listed; rename it with "
                "--tool-name"
            )
        if len(name) > MAX_NAME:
            problems.append(f"{short}: its name has {len(name):,} characters, and clients refuse more than 64")
        if isinstance(description, str) and len(description) > MAX_DESCRIPTION:
            problems.append(
                f"{short}: its description has {len(description):,} characters, and some clients show 2,048"
            )
    return problems
