"""Examine one server for ``penstock doctor``: its lists, a call if one is asked for, its end, and the store."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.cli.doctor import SETTINGS
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
    from collections.abc import Callable, Sequence

    from penstock.cli.doctor_servers import StartedServer
    from penstock.config.model import Config, Rule
    from penstock.stores import Store

MAX_START: Final = 5.0  # Seconds until the first answer. The least patient client we know of gives up after 10.
MAX_NAME: Final = 64  # Characters of a tool's name that every client and model interface accepts.
MAX_DEFINITIONS: Final = 10_000  # Tokens of all definitions: half of one result's budget, in every conversation.
MAX_DESCRIPTION: Final = 2_048  # Characters. Claude Code cuts a tool's description there.
UNREACHED: Final = "the server cannot be reached: "


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool as the server lists it, and the rule for its results."""

    name: str
    tokens: int
    brief_tokens: int  # with tools = brief
    description: int  # its length in characters
    has_output_schema: bool
    rule: Rule

    @property
    def stored(self) -> str:
        """Say when a result of this tool is stored."""
        return "never" if self.rule.never_hold else "always" if self.rule.always_hold else "above max_tokens"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialCall:
    """A call that was made, and the answer as the model would read it: its texts, and other blocks by name."""

    tool: str
    arguments: dict[str, Any]
    outcome: str
    tokens_before: int
    tokens_after: int
    size: int
    texts: tuple[str, ...]
    is_error: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorReport:
    """The findings about a server that works. ``seconds`` is the time until its first response."""

    greeting: Greeting
    seconds: float
    tools: tuple[Tool, ...]
    resources: int
    prompts: int
    added_tokens: int
    profile: str  # that tokens were counted with
    config: Config
    place: str
    store_error: str | None
    problems: tuple[str, ...]
    call: TrialCall | None = None

    @property
    def tokens(self) -> int:
        return sum(tool.tokens for tool in self.tools)

    @property
    def brief_tokens(self) -> int:
        """Return what the definitions would cost with tools = brief."""
        return sum(tool.brief_tokens for tool in self.tools)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The report about one server; or the error, and the lines that the server wrote on stderr."""

    server: StartedServer
    report: DoctorReport | None = None
    error: UpstreamError | None = None
    words: tuple[str, ...] = ()

    @property
    def is_usable(self) -> bool:
        return self.report is not None and self.report.store_error is None

    @property
    def call(self) -> TrialCall | None:
        return None if self.report is None else self.report.call

    def as_dict(self, run: str) -> dict[str, Any]:
        """Return the finding as JSON members. ``run`` is the command that puts Penstock in front."""
        names = {"configured_as": self.server.name} if self.server.of_client else {}
        if self.report is None:
            return {**names, "usable": False, "error": str(self.error), "stderr": list(self.words)}
        return {**names, "usable": True, **_members(self.report), "command": self.server.command, "run": run}


def _members(report: DoctorReport) -> dict[str, Any]:
    config, greeting, call = report.config, report.greeting, report.call
    members: dict[str, Any] = {
        "server": {
            "name": greeting.name,
            "version": greeting.version,
            "protocol": greeting.protocol,
            "era": "modern" if greeting.modern else "legacy",
            "first_answer_s": round(report.seconds, 3),
        },
        "tools": [
            {
                "name": tool.name,
                "tokens": tool.tokens,
                "output_schema": config.output_schema if tool.has_output_schema else None,
                "max_tokens": tool.rule.max_tokens,
                "rule": tool.rule.pattern or None,
                "hold": tool.stored,
            }
            for tool in report.tools
        ],
        "totals": {
            "tools": len(report.tools),
            "tokens": report.tokens,
            "brief_tokens": report.brief_tokens,
            "resources": report.resources,
            "prompts": report.prompts,
            "counted_as": report.profile,
        },
        "added": {"name": config.tool_name, "tokens": report.added_tokens},
        "settings": {name: getattr(config, name) for name in SETTINGS if name != "store"},
        "store": {"place": report.place, "usable": report.store_error is None, "error": report.store_error},
        "problems": list(report.problems),
    }
    if call is not None:
        members["call"] = {
            "tool": call.tool,
            "arguments": call.arguments,
            "outcome": call.outcome,
            "is_error": call.is_error,
            "bytes": call.size,
            "tokens_before": call.tokens_before,
            "tokens_after": call.tokens_after,
            "answer": list(call.texts),
        }
    return members


def examine_server(
    server: StartedServer, timeout: float, store: Store, config: Config, *, call: tuple[str, dict[str, Any]] | None
) -> Finding:
    """Start a server, examine it, and end it."""
    client: McpClient | None = None
    try:
        with McpClient(server.command, timeout=timeout, environment=server.environment, folder=server.folder) as client:
            return Finding(server=server, report=examine(client, store, config, call=call))
    except UpstreamError as error:
        if isinstance(error, RequestRefusedError) and error.message.startswith(UNREACHED):
            error = UpstreamError(f"{server.name} cannot be reached: {error.message.removeprefix(UNREACHED)}")
            return Finding(server=server, error=error)
        return Finding(server=server, error=error, words=tuple(client.process.words) if client is not None else ())


def examine(
    server: McpClient,
    store: Store,
    config: Config,
    now: Callable[[], float] = time.monotonic,
    *,
    call: tuple[str, dict[str, Any]] | None = None,
) -> DoctorReport:
    """Check a started server, and end it. A list that the server refuses is a problem, not an error."""
    profile = budget_for(config, config.tool_name).profile
    began = now()
    greeting = server.greet()
    seconds = now() - began
    problems: list[str] = []
    listed = [_tool(raw, config, profile, problems) for raw in _listed(server, greeting, "tools", problems)]
    tools = tuple(tool for tool in listed if tool is not None)
    resources = len(_listed(server, greeting, "resources", problems))
    prompts = len(_listed(server, greeting, "prompts", problems))
    trial = None
    if call is not None:
        try:
            trial = make_call(server, config, *call)
        except RequestRefusedError as refused:
            near = nearest(call[0], [tool.name for tool in tools])
            others = f"; tools: {', '.join(near)}" if near and call[0] not in near else ""
            problems.append(f"{refused.what}{others}")
    server.process.close()
    problems = [*_of_process(server, seconds), *problems, *_of_tools(tools, config)]
    store_error = _store_error(store, config)
    if store_error is not None:
        problems.append(f"{store_error}. Until then large results are cut, and the rest of them is not stored")
    return DoctorReport(
        greeting=greeting,
        seconds=seconds,
        tools=tools,
        resources=resources,
        prompts=prompts,
        added_tokens=count(definition(config.tool_name, briefly=config.tools == "brief"), profile).tokens,
        profile=profile,
        config=config,
        place=store.place,
        store_error=store_error,
        problems=tuple(problems),
        call=trial,
    )


def make_call(client: McpClient, config: Config, tool: str, arguments: dict[str, Any]) -> TrialCall:
    """Call a tool of the started server. The result is kept in memory only."""
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
    return TrialCall(
        tool=tool,
        arguments=arguments,
        outcome=outcome.kind,
        tokens_before=outcome.tokens_in,
        tokens_after=outcome.tokens_out,
        size=len(raw),
        texts=tuple(texts),
        is_error=members.get("isError") is True,
    )


def _text(block: Any) -> str:
    if isinstance(block, dict) and isinstance(block.get("text"), str):
        return str(block["text"])
    kind = block.get("type", "block") if isinstance(block, dict) else "block"
    return f"[{kind}, {len(msgspec.json.encode(block)):,} bytes]"


def _listed(server: McpClient, greeting: Greeting, what: str, problems: list[str]) -> list[bytes]:
    if what not in greeting.capabilities:
        return []
    try:
        return server.everything(f"{what}/list", what)
    except RequestRefusedError as refused:
        if refused.code == METHOD_NOT_FOUND:
            problems.append(f"it announces {what}, but does not know {what}/list")
        else:
            problems.append(f"{refused.what}; its {what} could not be listed")
        return []


def _tool(raw: bytes, config: Config, profile: str, problems: list[str]) -> Tool | None:
    definition = msgspec.json.decode(raw)
    name = definition.get("name") if isinstance(definition, dict) else None
    if not isinstance(name, str) or not name:
        problems.append(f"a tool in the list has no name: {shorten(raw.decode('utf-8', 'replace'), 80)}")
        return None
    if not isinstance(definition.get("inputSchema"), dict):
        problems.append(f"{shorten(name)}: has no input schema, and some clients refuse the whole list for that")
    description = definition.get("description")
    return Tool(
        name=name,
        tokens=count(raw, profile).tokens,
        brief_tokens=count(msgspec.json.encode(brief(definition)), profile).tokens,
        description=len(description) if isinstance(description, str) else 0,
        has_output_schema=isinstance(definition.get("outputSchema"), dict),
        rule=config.rule_for(name),
    )


def _store_error(store: Store, config: Config) -> str | None:
    """Try the store, and return its error. Adding 0 to a counter is a real write that changes no figure."""
    try:
        store.stats()
        store.add_counts(config.tool_name)
    except StoreError as error:
        return str(error)
    return None


def _of_process(server: McpClient, seconds: float) -> list[str]:
    problems = []
    if seconds > MAX_START:
        problems.append(f"its first answer took {seconds:.1f} s, and some clients give up after 10 s")
    if server.noise_total:
        problems.append(
            f"{server.noise_text()}. Penstock moves such lines to stderr; without Penstock some clients fail on them"
        )
    if not server.process.ended_by_itself:
        problems.append("it does not end when its stdin is closed. Penstock ends it; without Penstock it may stay")
    return problems


def _of_tools(tools: Sequence[Tool], config: Config) -> list[str]:
    problems = []
    total, shorter = sum(tool.tokens for tool in tools), sum(tool.brief_tokens for tool in tools)
    if total > MAX_DEFINITIONS:
        largest = ", ".join(shorten(one.name) for one in sorted(tools, key=lambda one: -one.tokens)[:3])
        problems.append(
            f"the definitions of its tools cost {total:,} tokens in every conversation, before any call; --tools brief "
            f"lists them in {shorter:,} ({100 * (total - shorter) / total:.0f} % less), or switch off in the client "
            f"the tools that you do not need (the largest: {largest})"
        )
    names: set[str] = set()
    for tool in tools:
        name = shorten(tool.name)
        if tool.name in names:
            problems.append(f"{name}: is listed twice")
        names.add(tool.name)
        if tool.name == config.tool_name:
            problems.append(
                f"{name}: is also the name of Penstock's own tool, which is then not listed; rename it with --tool-name"
            )
        if len(tool.name) > MAX_NAME:
            problems.append(f"{name}: its name has {len(tool.name):,} characters, and clients refuse more than 64")
        if tool.description > MAX_DESCRIPTION:
            problems.append(f"{name}: its description has {tool.description:,} characters, and some clients show 2,048")
    return problems
