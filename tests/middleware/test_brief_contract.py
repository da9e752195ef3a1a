"""Brief lists of tools on every way in: shorter, the same calls, and each tool whole on request. Real processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.kit.answers import head_of
from tests.kit.interaction.wire import Wire
from tests.kit.over_http.http_wire import HttpWire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    AnyWire = Wire | HttpWire

ROOT = Path(__file__).resolve().parents[2]
FETCH = "fetch_cached_response"
WORDY = [sys.executable, "-m", "tests.kit.middleware_servers.wordy"]
PENSTOCK = [sys.executable, "-m", "penstock"]
BRIEF = ["--tools", "brief", "--store", "memory:"]
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}


def _url(stack: ExitStack) -> str:
    server = subprocess.Popen([*WORDY, "plain", "http"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    stack.callback(server.wait)
    stack.callback(server.terminate)
    assert server.stdout is not None
    stack.callback(server.stdout.close)
    return f"http://127.0.0.1:{int(server.stdout.readline())}/mcp"


def _combined(stack: ExitStack, folder: Path) -> AnyWire:
    file = folder / "mcp.json"
    server = {"command": WORDY[0], "args": [*WORDY[1:], "plain"], "cwd": str(ROOT)}
    file.write_text(json.dumps({"mcpServers": {"data": server}}))
    return stack.enter_context(Wire([*PENSTOCK, "run", *BRIEF, "--config", str(file)], cwd=ROOT))


def _server(kind: str) -> Callable[[ExitStack, Path], AnyWire]:
    env = {**os.environ, "KIT_TOOLS": "brief"}
    return lambda stack, _: stack.enter_context(Wire([*WORDY, kind], cwd=ROOT, env=env))


WAYS: dict[str, Callable[[ExitStack, Path], AnyWire]] = {
    "gateway": lambda stack, _: stack.enter_context(Wire([*PENSTOCK, "run", *BRIEF, "--", *WORDY, "plain"], cwd=ROOT)),
    "combined": _combined,
    "run --url": lambda stack, _: stack.enter_context(Wire([*PENSTOCK, "run", *BRIEF, "--url", _url(stack)], cwd=ROOT)),
    "serve --url": lambda stack, _: stack.enter_context(HttpWire([*BRIEF, "--url", _url(stack)], cwd=ROOT)),
    "serve command": lambda stack, _: stack.enter_context(HttpWire([*BRIEF, "--", *WORDY, "plain"], cwd=ROOT)),
    "fastmcp": _server("fastmcp"),
    "sdk": _server("sdk"),
    "lowlevel": _server("lowlevel"),
}


@pytest.fixture(scope="module", params=WAYS)
def wire(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AnyWire]:
    with ExitStack() as stack:
        wire = WAYS[request.param](stack, tmp_path_factory.mktemp("way"))
        wire.request("initialize", HELLO)
        wire.notify("notifications/initialized")
        wire.kind = request.param  # type: ignore[union-attr]
        yield wire


def full(wire: AnyWire) -> dict[str, dict[str, Any]]:
    """The tools as the same server lists them without Penstock, or with full lists."""
    kind = wire.kind if wire.kind in ("fastmcp", "sdk", "lowlevel") else "plain"  # type: ignore[union-attr]
    with Wire([*WORDY, kind], cwd=ROOT) as direct:
        direct.request("initialize", HELLO)
        direct.notify("notifications/initialized")
        return {tool["name"]: tool for tool in listed(direct) if tool["name"] != FETCH}


def listed(wire: AnyWire) -> list[dict[str, Any]]:
    tools: list[dict[str, Any]] = []
    params: dict[str, Any] = {}
    while True:
        page = wire.request("tools/list", params).result
        tools += page["tools"]
        if not page.get("nextCursor"):
            return tools
        params = {"cursor": page["nextCursor"]}


def whole(wire: AnyWire, tool: str) -> dict[str, Any]:
    reply = wire.call(FETCH, {"action": "tool", "tool": tool})
    assert not reply.result.get("isError"), reply.texts
    told: dict[str, Any] = head_of(reply.result)
    return told


def test_a_tool_is_whole_before_anything_was_listed(wire: AnyWire) -> None:
    assert whole(wire, "drop_order")["description"] == "Drops an order. Nobody can bring it back."


def test_the_list_is_short_and_keeps_names_types_and_what_is_required(wire: AnyWire) -> None:
    tools = {tool["name"]: tool for tool in listed(wire)}
    assert list(tools) == ["find_orders", "drop_order", FETCH]
    assert tools["find_orders"]["description"] == "Finds orders by what is known of them…"
    schema = tools["find_orders"]["inputSchema"]
    assert schema["required"] == ["city"]
    assert schema["properties"]["city"]["type"] == "string"
    assert len(schema["properties"]["city"].get("description", "")) <= 60
    assert "unused" not in json.dumps(schema)
    assert "tool" in tools[FETCH]["inputSchema"]["properties"]["action"]["enum"]


def test_each_tool_is_given_whole(wire: AnyWire) -> None:
    for name, tool in full(wire).items():
        given = whole(wire, name)
        assert given["description"] == tool["description"]
        assert given["inputSchema"] == tool["inputSchema"]


def test_calls_work_unchanged(wire: AnyWire) -> None:
    reply = wire.call("find_orders", {"city": "Turin", "page": 3})
    assert json.loads(reply.texts[0]) == {"city": "Turin", "page": 3}


def test_a_tool_that_there_is_not_is_an_error_with_the_nearest_name(wire: AnyWire) -> None:
    reply = wire.call(FETCH, {"action": "tool", "tool": "find_order"})
    assert reply.result["isError"] is True
    assert "there is no tool 'find_order'" in reply.texts[0]
    assert "did you mean find_orders" in reply.texts[0]
    assert "tool is missing" in wire.call(FETCH, {"action": "tool"}).texts[0]
