"""One wire contract of the second tool for every way in: the gateway over stdio and HTTP, before processes, URLs and
several servers, and the middlewares. Each is a real process."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from penstock.core.tokens.count import count
from tests.kit.answers import head_of
from tests.kit.interaction.wire import Wire
from tests.kit.middleware_servers.data import PAGED, ROWS, page
from tests.kit.over_http.http_wire import HttpWire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    AnyWire = Wire | HttpWire

ROOT = Path(__file__).resolve().parents[2]
RULES = str(ROOT / "tests/kit/middleware_servers/acting.toml")
FETCH, ACT = "fetch_cached_response", "act_on_cached_response"
ENV = {**os.environ, "KIT_ACT": "export,more,drop"}
PLAIN = [sys.executable, "-m", "tests.kit.middleware_servers.plain"]
SETTINGS = ["--max-tokens", "2000", "--store", "memory:", "--act", "export,more,drop", "--config", RULES]
RUN = [sys.executable, "-m", "penstock", "run", *SETTINGS]
BUDGET = 2_000


def _server(name: str) -> Callable[[ExitStack, Path], AnyWire]:
    command = [sys.executable, "-m", f"tests.kit.middleware_servers.{name}"]
    return lambda stack, _: stack.enter_context(Wire(command, cwd=ROOT, env=ENV))


def _stdio(stack: ExitStack, _: Path) -> AnyWire:
    return stack.enter_context(Wire([*RUN, "--", *PLAIN], cwd=ROOT))


def _combined(stack: ExitStack, folder: Path) -> AnyWire:
    server = {"command": PLAIN[0], "args": PLAIN[1:], "cwd": str(ROOT)}
    file = folder / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"data": server, "again": server}}))
    env = {f"PENSTOCK_{name.upper()}": value for name, value in (("max_tokens", "2000"), ("store", "memory:"))}
    command = [sys.executable, "-m", "penstock", "run", "--config", str(file)]
    return stack.enter_context(Wire(command, cwd=ROOT, env={**env, "PENSTOCK_ACT": "export,more,drop"}))


def _url(stack: ExitStack) -> str:
    server = subprocess.Popen([*PLAIN, "http"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    stack.callback(server.wait)
    stack.callback(server.terminate)
    assert server.stdout is not None
    stack.callback(server.stdout.close)
    return f"http://127.0.0.1:{int(server.stdout.readline())}/mcp"


def _bridge(stack: ExitStack, _: Path) -> AnyWire:
    return stack.enter_context(Wire([*RUN, "--url", _url(stack)], cwd=ROOT))


def _proxy(stack: ExitStack, _: Path) -> AnyWire:
    return stack.enter_context(HttpWire([*SETTINGS, "--url", _url(stack)], cwd=ROOT))


def _hosted(stack: ExitStack, _: Path) -> AnyWire:
    return stack.enter_context(HttpWire([*SETTINGS, "--", *PLAIN], cwd=ROOT))


WAYS: dict[str, Callable[[ExitStack, Path], AnyWire]] = {
    "gateway": _stdio,
    "combined": _combined,
    "run --url": _bridge,
    "serve --url": _proxy,
    "serve command": _hosted,
    "fastmcp": _server("with_fastmcp"),
    "sdk": _server("with_sdk"),
    "lowlevel": _server("with_lowlevel"),
    "decorator": _server("with_decorator"),
}


@pytest.fixture(scope="module", params=WAYS)
def wire(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AnyWire]:
    with ExitStack() as stack:
        wire = WAYS[request.param](stack, tmp_path_factory.mktemp("way"))
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        wire.introduced = wire.request("initialize", hello).result  # type: ignore[union-attr]
        wire.notify("notifications/initialized")
        wire.tools = [one["name"] for one in wire.request("tools/list").result["tools"]]  # type: ignore[union-attr]
        wire.is_decorator = request.param == "decorator"  # type: ignore[union-attr]
        yield wire


def named(wire: AnyWire, tool: str) -> str:
    """The name that a tool has on this way in: of two servers with the same one, each has its server's before it."""
    return tool if tool in wire.tools else f"data_{tool}"  # type: ignore[union-attr]


def pager(wire: AnyWire) -> str:
    """The tool whose pages may be fetched: one that says that it is read-only, or that a rule allows."""
    return named(wire, "walk" if wire.is_decorator else "list_page")  # type: ignore[union-attr]


def held(wire: AnyWire, tool: str, **arguments: Any) -> dict[str, Any]:
    notice: dict[str, Any] = head_of(wire.call(named(wire, tool), arguments).result)
    assert notice["type"] == "buffered_response"
    return notice


def acted(wire: AnyWire, **arguments: Any) -> Any:
    reply = wire.call(ACT, arguments)
    assert not reply.result.get("isError"), reply.texts
    return head_of(reply.result)


def test_it_is_listed_after_the_tool_that_reads_and_says_what_it_does(wire: AnyWire) -> None:
    tools = wire.request("tools/list").result["tools"]
    assert [one["name"] for one in tools[-2:]] == [FETCH, ACT]
    notes = {name: one for name, one in tools[-1]["annotations"].items() if one is not None}
    assert notes == {"readOnlyHint": False, "destructiveHint": True}


def test_what_is_dropped_is_gone(wire: AnyWire) -> None:
    handle = held(wire, "list_rows", number=ROWS)["cache_id"]
    assert acted(wire, action="drop", cache_id=handle)["dropped"] == 1
    reply = wire.call(FETCH, {"action": "info", "cache_id": handle})
    assert reply.result["isError"] is True
    assert "there is no held result" in reply.texts[0]
    assert wire.call(ACT, {"action": "drop", "cache_id": f"r_{'x' * 22}"}).result["isError"] is True


def test_an_export_is_a_resource_that_is_read_in_parts(wire: AnyWire, request: pytest.FixtureRequest) -> None:
    handle = held(wire, "list_rows", number=ROWS)["cache_id"]
    reply = wire.call(ACT, {"action": "export", "cache_id": handle, "format": "csv", "sql": "SELECT id FROM items"})
    told, link = head_of(reply.result), reply.result["content"][1]
    assert (told["rows"], link["type"], link["uri"]) == (ROWS, "resource_link", told["uri"])
    text, uri = "", told["uri"]
    while True:
        answered = wire.request("resources/read", {"uri": uri})
        assert count(answered.line).tokens <= BUDGET + 100
        contents = answered.result["contents"]
        text += contents[0]["text"]
        if len(contents) == 1:
            break
        uri = contents[1]["text"].rpartition(" ")[2]
    assert hashlib.sha256(text.encode()).hexdigest() == told["sha256"]
    assert text.split() == ["id", *map(str, range(ROWS))]
    if "decorator" not in request.node.name:  # which answers resources as it likes
        assert "resources" in wire.introduced["capabilities"]  # type: ignore[union-attr]
        assert "error" in wire.request("resources/read", {"uri": uri.replace("/r_", "/r_x")}).message


def test_more_makes_one_table_of_all_pages(wire: AnyWire) -> None:
    reply = wire.call(ACT, {"action": "more", "tool": pager(wire), "arguments": {}, "pages": 200})
    assert not reply.result.get("isError"), reply.texts
    receipt = head_of(reply.result)["receipt"]
    assert receipt == {
        "pages": 146,
        "rows": PAGED,
        "complete": True,
        "key": "id",
        "repeated_keys": 0,
        "rows_without_key": 0,
    }
    assert sum(count(text).upper for text in reply.texts) <= BUDGET
    handle = head_of(reply.result)["cache_id"]
    asked = {"action": "sql", "cache_id": handle, "sql": "SELECT count(*) n, sum(id) s, max(name) m FROM items"}
    found = head_of(wire.call(FETCH, asked).result)["result"]
    assert found == [{"n": PAGED, "s": sum(range(PAGED)), "m": "name 999"}]


def test_more_tells_its_progress_to_a_client_that_wants_it(wire: AnyWire, request: pytest.FixtureRequest) -> None:
    if "decorator" in request.node.name:
        return  # a function has nobody to tell
    given = {"action": "more", "tool": pager(wire), "pages": 3}
    reply = wire.call(ACT, given, _meta={"progressToken": "p1"})
    told = [json.loads(line) for line in reply.before]
    progress = [one["params"] for one in told if one.get("method") == "notifications/progress"]
    assert [one["progress"] for one in progress] == [0, 1, 2]
    assert {one["progressToken"] for one in progress} == {"p1"}
    assert "rows" in progress[-1]["message"]
    receipt = head_of(reply.result)["receipt"]
    assert (receipt["pages"], receipt["complete"]) == (3, False)


def test_more_goes_on_from_what_it_has_and_the_whole_is_the_same(wire: AnyWire) -> None:
    given = {"action": "more", "tool": pager(wire), "pages": 2}
    first = head_of(wire.call(ACT, given).result)["cache_id"]
    reply = wire.call(ACT, {"action": "more", "cache_id": first, "pages": 2})
    assert head_of(reply.result)["receipt"]["pages"] == 4
    handle = head_of(reply.result)["cache_id"]
    asked = {"action": "filter", "cache_id": handle, "jq_filter": "."}
    whole = head_of(wire.call(FETCH, {**asked, "jq_filter": "map(.id)|[length,add]"}).result)["result"]
    rows = [row for cursor in ("0", "50", "100", "150") for row in page(cursor)["rows"]]
    assert whole == [len(rows), sum(row["id"] for row in rows)]


def test_a_tool_that_is_not_read_only_is_called_only_if_a_rule_allows_it(
    wire: AnyWire, request: pytest.FixtureRequest
) -> None:
    refused = wire.call(ACT, {"action": "more", "tool": named(wire, "read_text")})
    assert refused.result["isError"] is True
    assert "not marked as read-only" in refused.texts[0]
    unknown = wire.call(ACT, {"action": "more", "tool": "no_such_tool"})
    assert "are not known here" in unknown.texts[0]
    if "combined" not in request.node.name:  # whose file is a client's, and has no rules
        reply = wire.call(ACT, {"action": "more", "tool": "walk", "pages": 2})
        assert not reply.result.get("isError"), reply.texts
