"""Servers with a URL among several servers: reached from the one process that combines them all, and from no other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from penstock.spool import MAX_IN_MEMORY
from tests.kit.answers import head_of
from tests.kit.gateway import FETCH, Running
from tests.kit.over_http.bridging import SESSION, closed_port, legacy, odd
from tests.kit.waiting import PATIENCE, until

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.kit.over_http.bridging import Ask, Odd

NEAR = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    told = {"tools": [{"name": "near", "inputSchema": {"type": "object"}}], "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}}, "serverInfo": {"name": "close"},
            "content": [{"type": "text", "text": "here"}]}
    if asked.get("method") == "server/discover":
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": "no"}}), flush=True)
    elif "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": told}), flush=True)
"""
LOCAL = {"command": sys.executable, "args": ["-I", "-S", "-c", NEAR]}


def fine(ask: Ask) -> None:
    if ask.asked.method == "tools/list":
        ask.result({"tools": [{"name": "far", "inputSchema": {"type": "object"}}]})
    elif "id" in (ask.asked.message or {}) and ask.asked.method:
        times = ask.asked.message["params"].get("arguments", {}).get("times", 1)
        ask.result({"content": [{"type": "text", "text": "there " * times}]})
    else:
        ask.raw(status=202)


def combined(folder: Path, *options: str, env: Mapping[str, str] | None = None, **remotes: Any) -> Running:
    file = folder / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"close": LOCAL, **remotes}}))
    return Running(None, "--config", str(file), *options, env=env)


def entry(server: Odd, **headers: str) -> dict[str, Any]:
    return {"url": server.url, "headers": headers}


def tools(gateway: Running) -> list[str]:
    return [tool["name"] for tool in gateway.request("tools/list")["tools"]]


def test_no_process_is_started_for_a_url_and_no_tool_is_added_on_the_way(tmp_path: Path) -> None:
    with odd(legacy(fine)) as one, odd(legacy(fine)) as two:
        env = {**os.environ, "PENSTOCK_HEADER_X-STRAY": "of another server"}
        with combined(tmp_path, one=entry(one, **{"X-Key": "k1"}), two=entry(two), env=env) as gateway:
            assert gateway.open()["serverInfo"]["name"] == "penstock-gather"
            assert tools(gateway) == ["near", "one_far", "two_far", FETCH]
            assert gateway.text("one_far") == "there "
            assert gateway.text("near") == "here"
            started = [process.cmdline() for process in psutil.Process(gateway.process.pid).children(recursive=True)]
            assert [words for words in started if "penstock" in words] == []
            assert len([words for words in started if NEAR in words]) == 1
        assert one.saw("DELETE")
        assert two.saw("DELETE")
        assert {asked.headers.get("x-key") for asked in one.asked} == {"k1"}
        assert {asked.headers.get("x-key") for asked in two.asked} == {None}
        assert not [asked for asked in (*one.asked, *two.asked) if "x-stray" in asked.headers]
        assert {asked.headers.get("mcp-session-id") for asked in one.seen("POST", "tools/call")} == {SESSION}


def test_what_is_too_large_is_held_once_in_front_of_all(tmp_path: Path) -> None:
    with odd(legacy(fine)) as server, combined(tmp_path, "--max-tokens", "1000", far=entry(server)) as gateway:
        gateway.open()
        notice = head_of(gateway.text("far", times=5_000))
        assert "about " in notice["message"]


def test_a_very_long_result_over_http_comes_through_whole(tmp_path: Path) -> None:
    times = MAX_IN_MEMORY // 6 + 1
    with odd(legacy(fine)) as far:
        store = f"sqlite://{tmp_path}/held.db"
        with combined(tmp_path, "--store", store, far=entry(far)) as gateway:
            result = gateway.request("tools/call", {"name": "far", "arguments": {"times": times}})
            notice = head_of(result)
            arguments = {"cache_id": notice["cache_id"], "action": "get", "start_index": 6 * times - 12}
            end = gateway.request("tools/call", {"name": FETCH, "arguments": arguments})
            assert "there there " in json.dumps(end)


def test_one_that_cannot_be_reached_or_answers_nonsense_is_missed_by_none_of_the_others(tmp_path: Path) -> None:
    def nonsense(ask: Ask) -> None:
        ask.raw(b"<html>", 200, content_type="text/html")

    gone = {"url": f"http://127.0.0.1:{closed_port()}/mcp"}
    with odd(nonsense) as server, combined(tmp_path, gone=gone, nonsense=entry(server)) as gateway:
        gateway.open()
        assert tools(gateway) == ["near", FETCH]
        assert gateway.text("near") == "here"
        assert gateway.says("'gone' is missing from tools/list: the server cannot be reached")
        assert gateway.says("'nonsense' is missing from tools/list: the server answered with text/html")


def test_what_a_server_says_unasked_and_asks_reaches_the_client_and_the_answer_reaches_it(tmp_path: Path) -> None:
    def listen(ask: Ask) -> None:
        ask.begin()
        ask.event({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "hello"}})
        ask.event({"jsonrpc": "2.0", "id": "q", "method": "roots/list"})
        ask.wfile.flush()
        ask.server.let_go.wait(30)

    def asked() -> list[Any]:
        return [one["id"] for one in gateway.messages() if one.get("method") == "roots/list"]

    with odd(legacy(fine, listen)) as server, combined(tmp_path, far=entry(server)) as gateway:
        gateway.open(roots={})
        assert until(lambda: bool(asked()))
        assert [one["params"]["data"] for one in gateway.messages() if one.get("method") == "notifications/message"]
        gateway.send(json.dumps({"jsonrpc": "2.0", "id": asked()[0], "result": {"roots": []}}).encode() + b"\n")
        assert until(lambda: any(one.message.get("result") == {"roots": []} for one in server.seen("POST")))
        assert {one.message["id"] for one in server.seen("POST") if one.message.get("result") == {"roots": []}} == {"q"}


def test_a_call_that_hangs_holds_up_nothing_else_and_can_be_taken_back(tmp_path: Path) -> None:
    def slow(ask: Ask) -> None:
        if ask.asked.method == "tools/call" and "times" not in ask.asked.message["params"]["arguments"]:
            ask.begin()
            ask.wfile.flush()
            assert ask.server.saw("POST", "notifications/cancelled")
        else:
            fine(ask)

    with odd(legacy(slow)) as server, combined(tmp_path, far=entry(server)) as gateway:
        gateway.open()
        tools(gateway)
        key = gateway.ask_tool("far")
        assert server.saw("POST", "tools/call")
        assert gateway.text("far", times=2) == "there there "
        assert gateway.text("near") == "here"
        gateway.cancel(key)
        assert server.saw("POST", "notifications/cancelled")


def test_what_is_told_just_before_the_client_s_end_is_sent_before_the_session_ends(tmp_path: Path) -> None:
    with odd(legacy(fine)) as server:
        with combined(tmp_path, far=entry(server)) as gateway:
            gateway.open()
            tools(gateway)
            gateway.tell("notifications/roots/list_changed")
        sent = [one.method or one.verb for one in server.asked]
        assert sent.index("notifications/roots/list_changed") < sent.index("DELETE")


def test_a_client_that_never_reads_stderr_holds_up_no_server(tmp_path: Path) -> None:
    def noisy(ask: Ask) -> None:
        if ask.asked.method == "tools/call":
            ask.begin()
            for number in range(100):  # each is a line of 1,500 characters in the log
                ask.wfile.write(b"data: no JSON %d %b\n\n" % (number, b"x" * 1_500))
            ask.event({"jsonrpc": "2.0", "id": ask.key, "result": {"content": [{"type": "text", "text": "there"}]}})
        else:
            fine(ask)

    with odd(legacy(noisy)) as server:
        file = tmp_path / "mcp.json"
        file.write_text(json.dumps({"mcpServers": {"close": LOCAL, "far": entry(server)}}))
        with Running(None, "--config", str(file), reads_stderr=False) as gateway:
            gateway.open()
            assert gateway.text("far") == "there"


def test_without_the_packages_for_http_the_others_are_there_all_the_same(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    far = {"url": f"http://127.0.0.1:{closed_port()}/mcp"}
    file.write_text(json.dumps({"mcpServers": {"close": LOCAL, "far": far}}))
    script = "import sys; sys.modules['aiohttp'] = None; from penstock.cli import main; main(sys.argv[1:])"
    with Running([sys.executable, "-c", script, "run", "--store", "memory:", "--config", str(file)]) as gateway:
        gateway.open()
        assert tools(gateway)[0] == "near"
        assert gateway.says(
            'far: the package aiohttp is needed for a server over HTTP; pip install "penstock-mcp[http]"'
        )


@pytest.mark.compat  # the client and the server are other people's; the playbooks of the router prove the same
@pytest.mark.parametrize(
    ("servers", "version"), [(("far",), "2026-07-28"), (("close", "far"), "2025-11-25")], ids=["alone", "with another"]
)
def test_a_real_client_finds_a_real_server_in_the_latest_era_that_all_of_them_know(
    servers: tuple[str, ...], version: str, tmp_path: Path
) -> None:
    kit = Path(__file__).parents[2] / "kit/over_http"
    command = [sys.executable, "-W", "ignore", str(kit / "fastmcp_server.py")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as shop:
        assert shop.stdout is not None
        far = {"url": f"http://127.0.0.1:{json.loads(shop.stdout.readline())[0]}/mcp"}
        entries = {"close": LOCAL, "far": far}
        file = tmp_path / "mcp.json"
        file.write_text(json.dumps({"mcpServers": {name: entries[name] for name in servers}}))
        gateway = [sys.executable, "-m", "penstock", "run", "--store", "memory:", "--config", str(file)]
        client = [sys.executable, "-P", "-W", "ignore", str(kit / "gathered_client.py"), "auto", *gateway]
        done = subprocess.run(client, check=False, capture_output=True, timeout=PATIENCE, text=True)
        shop.communicate(timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["version"] == version
    assert told["answers"]["fail"].endswith("no such thing")
    assert set(told["answers"]) == {"rows", "count", "name", "fail", *({"near"} if "close" in servers else ())}
