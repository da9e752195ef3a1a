"""Conversations: the steps of one, having it with a server, and what of it may differ from one run to the next."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tests.kit.interaction.wire import Reply, parsed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tests.kit.interaction.wire import Wire

CLIENT: Final = {"name": "wire", "version": "1"}
FETCH: Final = "fetch_cached_response"
MODERN: Final = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}
ABLE: Final = {"roots": {"listChanged": True}, "sampling": {}, "elicitation": {"form": {}, "url": {}}}
# What differs between two runs of a server: the moments at which it says that something was made, the names of tasks,
# and how far a task has come.
PASSING: Final = re.compile(
    rb"\d{1,2}:\d\d:\d\d [AP]M"
    rb"|\d{4}-\d\d-\d\dT[\d:.]+Z"
    rb'|(?<="taskId":")[0-9a-f]{32}'
    rb'|(?<="statusMessage":")[^"]+'
)


def gateway(command: Sequence[str], *options: str, store: str = "memory:") -> list[str]:
    """The command with the gateway in front of it."""
    return [sys.executable, "-m", "penstock", "run", "--store", store, *options, "--", *command]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A request, a notification (by its name), or waiting until a message of this method is heard."""

    method: str
    params: dict[str, Any] | None = None
    hear: bool = False


def ask(method: str, **params: Any) -> Step:
    return Step(method=method, params=params)


def call(tool: str, meta: Mapping[str, Any] | None = None, /, **arguments: Any) -> Step:
    params: dict[str, Any] = {"name": tool, "arguments": arguments}
    return Step(method="tools/call", params=params if meta is None else {**params, "_meta": dict(meta)})


def hear(method: str) -> Step:
    return Step(method=method, hear=True)


def opening(client: str = CLIENT["name"], /, **capabilities: Any) -> list[Step]:
    """How a client of the legacy era begins."""
    info = {**CLIENT, "name": client}
    params = {"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": info}
    return [Step(method="initialize", params=params), Step(method="notifications/initialized")]


def modern(steps: Sequence[Step]) -> list[Step]:
    """The same requests as a client of the modern era sends them, with an envelope each and no handshake."""
    return [
        Step(
            method=step.method,
            params={**(step.params or {}), "_meta": {**MODERN, **(step.params or {}).get("_meta", {})}},
        )
        for step in steps
    ]


@dataclass(slots=True, kw_only=True)
class Transcript:
    """The answers by step, and all that the server said of its own accord, in order."""

    replies: list[tuple[Step, Reply]] = field(default_factory=list)
    unasked: list[bytes] = field(default_factory=list)

    def of(self, method: str) -> list[Reply]:
        return [reply for step, reply in self.replies if step.method == method]


def converse(wire: Wire, steps: Sequence[Step]) -> Transcript:
    said = Transcript()
    for step in steps:
        if step.hear:
            said.unasked += wire.hear(_is(step.method))
        elif step.method.startswith("notifications/"):
            wire.notify(step.method, step.params)
        else:
            reply = wire.request(step.method, step.params)
            said.unasked += reply.before
            said.replies.append((step, reply))
    return said


def _is(method: str) -> Callable[[dict[str, Any]], bool]:
    return lambda message: message.get("method") == method


def timeless(line: bytes) -> bytes:
    return PASSING.sub(b"...", line)


def without_schemas(line: bytes) -> bytes:
    """A direct ``tools/list`` answer as the gateway is to give it, apart from the tool it adds: no output schemas."""
    message = parsed(line)
    for tool in message["result"]["tools"]:
        tool.pop("outputSchema", None)
    return repr(message).encode()


def without_added(line: bytes) -> bytes:
    """The gateway's ``tools/list`` answer without the last tool, which must be the one it adds."""
    message = parsed(line)
    assert message["result"]["tools"].pop()["name"] == FETCH
    return repr(message).encode()
