"""Calls that are made ahead, with a real server that counts its calls, on every way in that has one owner."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.kit.answers import head_of
from tests.kit.gateway import MODERN
from tests.kit.interaction.wire import Wire
from tests.kit.over_http.http_wire import HttpWire
from tests.kit.waiting import until

ROOT = Path(__file__).resolve().parents[2]
SERVER = [sys.executable, "-I", "-S", str(ROOT / "tests/kit/counting_server.py")]
FETCH = "fetch_cached_response"
WARM = [
    {"tool": "poll", "arguments": {"q": "x", "n": 1}},
    {"tool": "small"},
    {"tool": "change"},
    {"tool": "broken"},
    {"tool": "nothing"},
]
RUN = [sys.executable, "-m", "penstock", "run"]


def opened(way: str, folder: Path, **settings: Any) -> Wire | HttpWire:
    """A gateway in front of the server, which has greeted and listed the tools."""
    given = {"max_tokens": 2_000, "store": "memory:", "log_level": "info", "warm": WARM, **settings}
    if way == "combined":
        file = folder / "mcp.json"
        server = {"command": SERVER[0], "args": SERVER[1:]}
        file.write_text(json.dumps({"mcpServers": {"counting": server}, "penstock": given}))
        return Wire([*RUN, "--config", file], cwd=ROOT)
    file = folder / "penstock.json"
    file.write_text(json.dumps(given))
    if way == "serve":
        return HttpWire(["--config", str(file), "--", *SERVER], cwd=ROOT, env=dict(os.environ))
    return Wire([*RUN, "--config", file, "--", *SERVER], cwd=ROOT, meta=MODERN if way == "modern" else None)


def greeted(wire: Wire | HttpWire) -> None:
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    wire.request("initialize", hello)
    wire.notify("notifications/initialized")
    wire.request("tools/list")


def calls(wire: Wire | HttpWire) -> dict[str, int]:
    """How often the server was called, by tool."""
    found: dict[str, int] = json.loads(wire.call("calls", {}).texts[0])
    return found


def told(wire: Wire | HttpWire, tool: str, **arguments: Any) -> Any:
    return head_of(wire.call(tool, arguments).result)


def test_a_server_behind_a_url_is_called_ahead_too(tmp_path: Path) -> None:
    with HttpWire(["--store", "memory:", "--max-tokens", "9000000", "--", *SERVER], cwd=ROOT) as upstream:
        file = tmp_path / "penstock.json"
        file.write_text(json.dumps({"max_tokens": 2_000, "store": "memory:", "warm": WARM}))
        with Wire([*RUN, "--config", file, "--url", upstream._url()], cwd=ROOT) as wire:
            greeted(wire)
            until(lambda: calls(wire).get("broken") == 1)
            assert "prefetched" in told(wire, "poll", n=1, q="x")["note"]
            assert calls(wire)["poll"] == 1


@pytest.mark.parametrize("way", ["run", "modern", "combined", "serve"])
def test_the_first_call_is_answered_with_the_result_of_the_call_that_was_made_ahead(way: str, tmp_path: Path) -> None:
    settings = {"owner": "us"} if way == "serve" else {}
    with opened(way, tmp_path, **settings) as wire:
        greeted(wire)
        until(lambda: calls(wire).get("broken") == 1)  # it is the last of them
        assert calls(wire) == {"poll": 1, "small": 1, "broken": 1}  # nothing that may change anything
        reply = wire.call("poll", {"n": 1, "q": "x"})
        assert (reply.result.get("resultType") == "complete") == (way == "modern")
        notice = head_of(reply.result)
        assert calls(wire)["poll"] == 1
        assert "prefetched" in notice["note"]
        first = told(wire, FETCH, cache_id=notice["cache_id"], action="filter", jq_filter=".[0]")["result"]
        assert first == {"call": 1, "q": "x", "row": 0, "note": "words " * 9}
        again = told(wire, "poll", n=1, q="x")  # the second call is the server's to answer
        assert "note" not in again
        assert again["cache_id"] != notice["cache_id"]
        assert calls(wire)["poll"] == 2
        assert told(wire, "poll", q="y")["cache_id"] not in (notice["cache_id"], again["cache_id"])
        assert calls(wire)["poll"] == 3
        assert wire.call("small", {}).texts == ["small"]
        assert calls(wire)["small"] == 2


def test_a_tool_that_is_not_marked_is_refused_in_the_log_and_called_where_a_rule_allows_it(tmp_path: Path) -> None:
    with opened("run", tmp_path) as wire:
        greeted(wire)
        assert isinstance(wire, Wire)
        until(lambda: "warm cannot call 'nothing'" in wire.stderr())
        assert "warm may not call 'change': it is not marked as read-only" in wire.stderr()
        assert "change" not in calls(wire)
    warm = [{"tool": "change"}]
    with opened("run", tmp_path, warm=warm, rules={"change": {"more": "any"}}) as wire:
        greeted(wire)
        until(lambda: calls(wire).get("change") == 1)
        assert isinstance(wire, Wire)
        until(lambda: "a result of 'change' is held" in wire.stderr())
        assert "prefetched" in told(wire, "change")["note"]
        assert calls(wire)["change"] == 1


def test_a_client_that_calls_at_once_is_answered_by_the_server(tmp_path: Path) -> None:
    with opened("run", tmp_path) as wire:
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        wire.request("initialize", hello)
        wire.notify("notifications/initialized")
        assert "note" not in told(wire, "poll", n=1, q="x")
        wire.request("tools/list")
        until(lambda: calls(wire).get("broken") == 1)
        assert "note" not in told(wire, "poll", n=1, q="x")


@pytest.mark.parametrize(
    ("options", "settings", "says"),
    [
        (["--", *SERVER], {}, "clients have owners of their own"),
        (["--", *SERVER], {"owner": "run"}, "clients have owners of their own"),
        (["--url", "http://127.0.0.1:9/mcp"], {"owner": "us"}, "gets each request by itself"),
        (["--", *SERVER], {"owner": "us", "output_schema": "wrap"}, "warm cannot stand together with output_schema"),
        (["--", *SERVER], {"owner": "us", "warm": [{"tol": "poll"}]}, "expected a list of at most 20 calls"),
    ],
    ids=["auto", "run", "url", "wrap", "misspelled"],
)
def test_the_setting_is_refused_where_it_could_not_work(
    tmp_path: Path, options: list[str], settings: dict[str, Any], says: str
) -> None:
    file = tmp_path / "penstock.json"
    file.write_text(json.dumps({"warm": WARM, **settings}))
    command = [sys.executable, "-m", "penstock", "serve", "--port", "0", "--config", str(file), *options]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert says in ended.stderr
