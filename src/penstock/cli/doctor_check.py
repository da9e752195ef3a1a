"""Check what a server lists and whether the store works, for ``penstock doctor``."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.cli.doctor_call import make_call
from penstock.cli.mcp_client import Greeting, McpClient, RequestRefusedError
from penstock.config.budget import budget_for
from penstock.core.text import nearest, shorten
from penstock.core.tokens.count import count
from penstock.errors import StoreError
from penstock.protocol.tools import definition
from penstock.protocol.wire.jsonrpc import METHOD_NOT_FOUND

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.cli.doctor_call import TrialCall
    from penstock.config.model import Config, Rule
    from penstock.stores import Store

SLOW: Final = 5.0  # seconds until the first answer; the least patient client we know of gives up after 10
LONGEST_NAME: Final = 64  # characters of a tool's name that every client and model interface takes
MANY_TOKENS: Final = 10_000  # of all definitions: half of what one result may cost, and in every conversation
LONGEST_DESCRIPTION: Final = 2_048  # characters; Claude Code cuts a tool's description there


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool as the server lists it, and the rule for its results."""

    name: str
    tokens: int
    description: int  # its length in characters
    output_schema: bool
    rule: Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorReport:
    """The findings of ``penstock doctor``. ``seconds`` is the time until the first response."""

    greeting: Greeting
    seconds: float
    tools: tuple[Tool, ...]
    resources: int
    prompts: int
    added_tokens: int
    profile: str  # that tokens were counted with; a setting of auto waits for the client's name
    config: Config
    place: str
    store_error: str | None
    problems: tuple[str, ...]
    call: TrialCall | None = None

    @property
    def tokens(self) -> int:
        return sum(tool.tokens for tool in self.tools)


def examine(
    server: McpClient,
    store: Store,
    config: Config,
    now: Callable[[], float] = time.monotonic,
    *,
    call: tuple[str, dict[str, Any]] | None = None,
) -> DoctorReport:
    """List all that a started server offers, make the call if there is one, end the server, try the store, and return
    what was found. A list that the server refuses is a problem, and no reason to refuse the server."""
    profile = budget_for(config, config.tool_name).profile
    began = now()
    greeting = server.greet()
    seconds = now() - began
    problems: list[str] = []
    listed = [_tool(raw, config, profile, problems) for raw in _listed(server, greeting, "tools", problems)]
    tools = tuple(tool for tool in listed if tool is not None)
    resources = len(_listed(server, greeting, "resources", problems))
    prompts = len(_listed(server, greeting, "prompts", problems))
    made = None
    if call is not None:
        try:
            made = make_call(server, config, *call)
        except RequestRefusedError as refused:
            known = nearest(call[0], [tool.name for tool in tools])
            others = f"; tools: {', '.join(known)}" if known and call[0] not in known else ""
            problems.append(f"{refused.what}{others}")
    server.process.close()
    store_error = _trial(store, config)
    problems = [*_of_process(server, seconds), *problems, *_of_tools(tools, config)]
    if store_error is not None:
        problems.append(f"{store_error}. Until then large results are cut, and the rest of them is not kept")
    return DoctorReport(
        greeting=greeting,
        seconds=seconds,
        tools=tools,
        resources=resources,
        prompts=prompts,
        added_tokens=count(definition(config.tool_name), profile).tokens,
        profile=profile,
        config=config,
        place=store.place,
        store_error=store_error,
        problems=tuple(problems),
        call=made,
    )


def _listed(server: McpClient, greeting: Greeting, what: str, problems: list[str]) -> list[bytes]:
    if what not in greeting.capabilities:
        return []
    try:
        return server.everything(f"{what}/list", what)
    except RequestRefusedError as refused:
        if refused.code == METHOD_NOT_FOUND:
            problems.append(f"it says that it has {what}, and knows no {what}/list")
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
        description=len(description) if isinstance(description, str) else 0,
        output_schema=isinstance(definition.get("outputSchema"), dict),
        rule=config.rule_for(name),
    )


def _trial(store: Store, config: Config) -> str | None:
    """Try the store, and return its error. Adding 0 to a counter is a real write that changes no figure."""
    try:
        store.stats()
        store.add_counts(config.tool_name)
    except StoreError as error:
        return str(error)
    return None


def _of_process(server: McpClient, seconds: float) -> list[str]:
    problems = []
    if seconds > SLOW:
        problems.append(f"its first answer took {seconds:.1f} s, and some clients give up after 10 s")
    if server.noise_total:
        problems.append(
            f"its stdout has lines that are no MCP messages: {server.noise_total:,}, the first is "
            f"{shorten(server.noise[0], 80)!r}. Penstock moves them to stderr; some clients break on them"
        )
    if not server.process.ended_by_itself:
        problems.append("it does not end when its stdin is closed. Penstock ends it; without it, it may be left behind")
    return problems


def _of_tools(tools: Sequence[Tool], config: Config) -> list[str]:
    problems = []
    total = sum(tool.tokens for tool in tools)
    if total > MANY_TOKENS:
        largest = ", ".join(shorten(one.name) for one in sorted(tools, key=lambda one: -one.tokens)[:3])
        problems.append(
            f"the definitions of its tools cost {total:,} tokens in every conversation, before any call; switch off in "
            f"the client what you do not need (the largest: {largest})"
        )
    names: set[str] = set()
    for tool in tools:
        name = shorten(tool.name)
        if tool.name in names:
            problems.append(f"{name}: is listed twice")
        names.add(tool.name)
        if tool.name == config.tool_name:
            problems.append(
                f"{name}: is also the name of Penstock's own tool, which gives way; choose with --tool-name"
            )
        if len(tool.name) > LONGEST_NAME:
            problems.append(f"{name}: its name has {len(tool.name):,} characters, and clients refuse more than 64")
        if tool.description > LONGEST_DESCRIPTION:
            problems.append(f"{name}: its description has {tool.description:,} characters, and some clients show 2,048")
    return problems
