"""``penstock run --url`` in front of real servers: FastMCP with and without sessions, with JSON and with streams."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.kit.answers import head_of
from tests.kit.gateway import FETCH, MODERN
from tests.kit.over_http.bridging import bridged
from tests.kit.waiting import PATIENCE, until

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS = 400
TIGHT = ("--max-tokens", "2000")  # what 400 rows are above
KINDS = ["sessions and streams", "sessions and JSON", "stateless and streams", "stateless and JSON"]


@pytest.fixture(scope="module")
def ports() -> Iterator[list[int]]:
    script = Path(__file__).parents[2] / "kit/over_http/fastmcp_server.py"
    command = [sys.executable, "-W", "ignore", str(script)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())
        process.communicate(timeout=PATIENCE)


@pytest.fixture(params=range(4), ids=KINDS)
def shop(ports: list[int], request: pytest.FixtureRequest) -> str:
    return f"http://127.0.0.1:{ports[request.param]}/mcp"


def test_a_client_of_the_legacy_era_gets_all_that_a_gateway_gives(shop: str) -> None:
    with bridged(shop, *TIGHT) as bridge:
        assert bridge.open()["serverInfo"]["name"] == "shop"
        tools = [tool["name"] for tool in bridge.request("tools/list")["tools"]]
        assert tools == ["rows", "count", "name", "fail", FETCH]
        assert json.loads(bridge.text("rows", n=2)) == [{"id": 0, "state": "closed"}, {"id": 1, "state": "open"}]
        notice = head_of(bridge.text("rows", n=ROWS))
        assert notice["type"] == "buffered_response"
        query = "SELECT count(*) AS n, max(id) AS top FROM items"
        told = bridge.text(FETCH, action="sql", cache_id=notice["cache_id"], sql=query)
        assert str(ROWS) in told
        assert str(ROWS - 1) in told
        assert bridge.call("fail")["isError"] is True
        assert "jsonrpc" not in bridge.stderr


def test_a_client_of_the_modern_era_does_too(shop: str) -> None:
    with bridged(shop, *TIGHT) as bridge:
        told = bridge.request("server/discover", {"_meta": MODERN})
        assert "2026-07-28" in told["supportedVersions"]
        tools = bridge.request("tools/list", {"_meta": MODERN})["tools"]
        assert tools[-1]["name"] == FETCH
        small = bridge.request("tools/call", {"name": "rows", "arguments": {"n": 1}, "_meta": MODERN})
        assert json.loads(small["content"][0]["text"]) == [{"id": 0, "state": "closed"}]
        large = bridge.request("tools/call", {"name": "rows", "arguments": {"n": ROWS}, "_meta": MODERN})
        assert head_of(large)["type"] == "buffered_response"
        unknown = bridge.answer(bridge.ask("no/such", {"_meta": MODERN}))
        assert unknown["error"]["code"] == -32_601


def test_many_questions_at_once_and_before_the_end_of_input_are_each_answered_once(shop: str) -> None:
    with bridged(shop) as bridge:
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        bridge.ask("initialize", hello)
        bridge.tell("notifications/initialized")
        keys = [bridge.ask_tool("rows", n=number) for number in range(1, 31)]
        bridge.ask_tool("count", to=3)
        bridge.close()
        assert bridge.wait() == 0
        for number, key in enumerate(keys, 1):
            assert len(json.loads(bridge.answer(key)["result"]["content"][0]["text"])) == number


def test_progress_comes_while_a_call_is_under_way(ports: list[int]) -> None:
    with bridged(f"http://127.0.0.1:{ports[0]}/mcp") as bridge:
        bridge.open()
        meta = {"progressToken": "p"}
        key = bridge.ask("tools/call", {"name": "count", "arguments": {"to": 3}, "_meta": meta})
        assert bridge.answer(key)["result"]["content"][0]["text"] == "counted to 3"
        told = [one["params"]["progress"] for one in bridge.messages() if one.get("method") == "notifications/progress"]
        assert told == [0, 1, 2]


def test_a_question_of_the_server_reaches_the_client_and_its_answer_the_server(ports: list[int]) -> None:
    with bridged(f"http://127.0.0.1:{ports[0]}/mcp") as bridge:
        bridge.open(elicitation={})
        key = bridge.ask_tool("name")
        asked: list[Any] = []

        def is_asked() -> bool:
            asked[:] = [one for one in bridge.messages() if one.get("method") == "elicitation/create"]
            return bool(asked)

        assert until(is_asked)
        answer = {"action": "accept", "content": {"value": "Ada"}}
        bridge.send(json.dumps({"jsonrpc": "2.0", "id": asked[0]["id"], "result": answer}).encode() + b"\n")
        assert bridge.answer(key)["result"]["content"][0]["text"] == "hello Ada"


@pytest.mark.compat
def test_a_real_client_of_either_era_sees_no_difference_but_the_added_tool(ports: list[int]) -> None:
    script = Path(__file__).parents[2] / "kit/over_http/fastmcp_client.py"
    modes = {"legacy": ports[0], "auto": ports[3]}
    words = [word for mode, port in modes.items() for word in (f"http://127.0.0.1:{port}/mcp", mode)]
    command = [sys.executable, "-W", "ignore", str(script), *words]
    done = subprocess.run(command, check=False, capture_output=True, timeout=PATIENCE, text=True)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == len(modes)
    for told in lines:
        assert told["tools"] == ["rows", "count", "name", "fail", FETCH]
        assert told["small"] == [{"id": 0, "state": "closed"}]
        assert told["large"]["type"] == "buffered_response"
