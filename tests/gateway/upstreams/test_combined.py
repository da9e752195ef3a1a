"""Several servers as one: real processes behind ``penstock.cli.relay``, and a real gateway in front of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import urllib.request
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psutil
import pytest

from penstock import spool
from penstock.cli import relay
from penstock.cli.client_servers import settings_of_client
from penstock.client_config.expand import servers_in
from penstock.gateway.upstreams import linked_process
from penstock.gateway.upstreams.combined import CombinedChild
from penstock.gateway.upstreams.linked_process import lines_of, temporary_spool
from penstock.protocol.wire.lines import Line, TooLong
from tests.kit.answers import head_of, text_of
from tests.kit.gateway import Running
from tests.kit.mapped import cut
from tests.kit.scale.serving import Serving
from tests.kit.waiting import PATIENCE, until

SERVER = """
import json, os, sys
name, tools = sys.argv[1], sys.argv[2:]
open(os.environ["PIDS"] + "/" + name, "w").write(str(os.getpid()))
for line in sys.stdin:
    asked = json.loads(line)
    method, params = asked.get("method"), asked.get("params") or {}
    if "id" not in asked or method is None:
        continue
    if method == "initialize":
        info = {"name": name, "version": "1"}
        told = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
    elif method == "tools/list":
        told = {"tools": [{"name": tool, "inputSchema": {"type": "object"}} for tool in tools]}
    elif method == "tools/call":
        if params["name"] == "die":
            os._exit(3)
        given = params["arguments"]
        text = f"{name} {os.environ.get('SECRET', '')} " * given.get("times", 1)
        if "text" in given:
            text = name + f" got {len(given['text']):,}"
        told = {"content": [{"type": "text", "text": text}]}
    else:
        told = {}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": told}), flush=True)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    def entry(name: str, *tools: str, **environment: str) -> dict[str, Any]:
        command = ["-I", "-S", "-c", SERVER, name, *tools]
        return {"command": sys.executable, "args": command, "env": {"PIDS": str(tmp_path), **environment}}

    servers = {
        "one": entry("one", "same", "first", "die"),
        "two": entry("two", "same", "second", SECRET="s3"),
        "missing": {"command": str(tmp_path / "nothing")},
    }
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps({"mcpServers": servers}))
    return path


def gathered(file: Path, *names: str) -> list[str]:
    return relay.command(str(file), *names)


def text(result: dict[str, Any]) -> str:
    told: str = result["content"][0]["text"]
    return told


def greet(gateway: Running) -> None:
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tester", "version": "1"}}
    assert gateway.request("initialize", hello)["serverInfo"]["name"] == "penstock-gather"


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_two_servers_and_one_that_is_missing_are_one_server_with_one_tool_to_read_on(file: Path) -> None:
    with Running(None, "--config", str(file), "--max-tokens", "1000") as gateway:
        greet(gateway)
        tools = [tool["name"] for tool in gateway.request("tools/list")["tools"]]
        assert tools == ["one_same", "first", "die", "two_same", "second", "fetch_cached_response"]
        assert text(gateway.request("tools/call", {"name": "two_same", "arguments": {}})) == "two s3 "
        assert text(gateway.request("tools/call", {"name": "first", "arguments": {}})) == "one  "
        held = head_of(gateway.request("tools/call", {"name": "second", "arguments": {"times": 5_000}}))
        window = {"cache_id": held["cache_id"], "action": "get", "max_length": 70}
        read = gateway.request("tools/call", {"name": "fetch_cached_response", "arguments": window})
        assert text_of(read).startswith("two s3 two s3 ")


def test_a_very_long_result_of_one_of_them_comes_through_whole(file: Path, tmp_path: Path) -> None:
    store = f"sqlite://{tmp_path}/held.db"
    with Running(None, "--config", str(file), "--store", store) as gateway:
        greet(gateway)
        gateway.request("tools/list")
        call = {"name": "second", "arguments": {"times": 3_000_000}}  # 21 MB
        held = head_of(gateway.request("tools/call", call))
        assert held["metadata"]["total_bytes"] == 21_000_000
        assert text(gateway.request("tools/call", {"name": "first", "arguments": {}})) == "one  "


LONG_LINE = b'{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"' + b"word " * 900 + b'"}]},"id":7}\n'
AROUND = b'{"jsonrpc":"2.0","method":"notifications/a"}\n', b'{"jsonrpc":"2.0","id":8,"result":{}}\n'


def lines_read(data: bytes, monkeypatch: pytest.MonkeyPatch, chunk: int) -> list[Line]:
    monkeypatch.setattr(spool, "MAX_IN_MEMORY", 400)
    chunks = iter(cut(data, [chunk]))
    monkeypatch.setattr("penstock.gateway.pipes.read", lambda *_: next(chunks, b""))
    return list(lines_of(0, temporary_spool(may_write=True)))


@pytest.mark.parametrize("chunk", [50, 333, 2_000])
def test_a_long_response_is_kept_in_a_file_in_its_order_and_whole(monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    for data in (LONG_LINE, LONG_LINE.removesuffix(b"\n")):
        before, line = lines_read(AROUND[0] + data, monkeypatch, chunk)
        assert before == AROUND[0]
        assert isinstance(line, memoryview)
        assert bytes(line) == LONG_LINE
    line, after = lines_read(LONG_LINE + AROUND[1], monkeypatch, chunk)
    assert isinstance(line, memoryview)
    assert after == AROUND[1]


def test_a_long_response_that_breaks_off_is_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    assert lines_read(LONG_LINE[:-20], monkeypatch, 333) == []


def test_a_response_above_the_limit_is_dropped_and_the_next_one_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linked_process, "LONGEST", 1_100_000)
    long = LONG_LINE.replace(b"word ", b"word " * 300)
    dropped, line = lines_read(long + LONG_LINE, monkeypatch, 2_000)
    assert isinstance(dropped, TooLong)
    assert isinstance(line, memoryview)


def test_settings_may_stand_beside_the_servers_of_a_client(file: Path) -> None:
    assert settings_of_client(str(file)) is None
    servers = json.loads(file.read_text())
    file.write_text(json.dumps({**servers, "penstock": {"max_tokens": 1_000, "rules": {"second": {"ttl": 60}}}}))
    with Running(None, "--config", str(file)) as gateway:
        greet(gateway)
        held = head_of(called(gateway, "second", times=5_000))
        assert "Stored for 1 min" in held["message"]
        assert "about " in held["message"]
    file.write_text("// a client's own words\n" + json.dumps(servers))
    assert settings_of_client(str(file)) is None


def called(gateway: Running, name: str, **arguments: Any) -> str:
    return text(gateway.request("tools/call", {"name": name, "arguments": arguments}))


def test_a_held_result_goes_back_to_its_own_server_and_to_the_others_if_that_is_set(file: Path) -> None:
    for setting, refused in (("same", True), ("any", False)):
        with Running(None, "--config", str(file), "--max-tokens", "1000", "--by-handle", setting) as gateway:
            greet(gateway)
            before = head_of(called(gateway, "second", times=5_000))["cache_id"]
            gateway.request("tools/list")
            handle = head_of(called(gateway, "second", times=5_000))["cache_id"]
            assert called(gateway, "two_same", text=f"held:{handle}") == "two got 35,000"
            told = called(gateway, "first", text=f"held:{handle}")
            assert ("another server" in told) is refused
            assert (told == "one got 35,000") is not refused
            # Which server has given it is known only of tools that were listed.
            assert ("another server" in called(gateway, "two_same", text=f"held:{before}")) is refused


def test_when_one_of_them_dies_who_waits_is_told_and_the_other_goes_on(file: Path) -> None:
    with Running(gathered(file)) as gateway:
        greet(gateway)
        gateway.request("tools/list")
        died = gateway.ask("tools/call", {"name": "die", "arguments": {}})
        assert "'one' exited with code 3" in gateway.answer(died)["error"]["message"]
        assert text(gateway.request("tools/call", {"name": "second", "arguments": {}})) == "two s3 "


def test_what_was_asked_before_the_clients_end_is_answered(file: Path) -> None:
    entries = json.loads(file.read_text())["mcpServers"]
    slow = entries["two"]["args"][3].replace("        given =", "        import time; time.sleep(3)\n        given =")
    entries["two"]["args"][3] = slow
    file.write_text(json.dumps({"mcpServers": {"two": entries["two"]}}))
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "second", "arguments": {}}}
    done = subprocess.run(gathered(file), input=json.dumps(call), capture_output=True, text=True, check=False)
    assert json.loads(done.stdout)["result"]["content"][0]["text"] == "two s3 "


def test_all_of_them_end_with_the_client(file: Path, tmp_path: Path) -> None:
    with Running(gathered(file)) as gateway:
        greet(gateway)
        pids = [int((tmp_path / name).read_text()) for name in ("one", "two")]
        assert all(map(is_alive, pids))
    assert until(lambda: not any(map(is_alive, pids)))


PING = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"second","arguments":{}}}\n'


@pytest.mark.parametrize("way", ["its input ends", "a signal comes", "it is killed"])
def test_servers_in_the_gateways_process_leave_no_process_thread_or_file_behind(
    file: Path, tmp_path: Path, way: str
) -> None:
    def of_ours() -> list[str]:
        return [one.name for one in threading.enumerate() if one.name.startswith("penstock-")]

    this = psutil.Process()
    before = (this.num_fds(), of_ours())
    child = CombinedChild(servers_in(str(file), []))
    with os.fdopen(child.stdout, "rb") as said, os.fdopen(child.stdin, "wb", 0) as asked:
        asked.write(PING)
        assert b"two s3 " in said.readline()
        pids = [int((tmp_path / name).read_text()) for name in ("one", "two")]
        assert child.poll() is None
        if way == "its input ends":
            asked.close()
        elif way == "a signal comes":
            child.signal(signal.SIGTERM)
        else:
            child.kill()
        assert said.read() == b""
    codes = {"its input ends": 0, "a signal comes": -signal.SIGTERM, "it is killed": -signal.SIGKILL}
    assert child.end(1.0) == codes[way]
    assert until(lambda: (this.num_fds(), of_ours()) == before)
    assert not any(map(is_alive, pids))


def test_a_server_runs_in_its_folder(file: Path, tmp_path: Path) -> None:
    servers = json.loads(file.read_text())
    folder = tmp_path / "it's here"
    folder.mkdir()
    says = "import json, os, sys\nfor line in sys.stdin:\n"
    says += ' told = {"content": [{"type": "text", "text": os.getcwd()}], "tools": [{"name": "where"}]}\n'
    says += ' print(json.dumps({"jsonrpc": "2.0", "id": json.loads(line).get("id"), "result": told}), flush=True)'
    servers["mcpServers"] = {"there": {"command": sys.executable, "args": ["-c", says], "cwd": str(folder)}}
    file.write_text(json.dumps(servers))
    with Running(gathered(file)) as gateway:
        assert text(gateway.request("tools/call", {"name": "where", "arguments": {}})) == str(folder)


def test_one_that_takes_nothing_in_holds_up_nobody_else(file: Path) -> None:
    servers = json.loads(file.read_text())["mcpServers"]
    deaf = servers["one"]["args"][3].replace(
        'if method == "initialize"',
        'if method == "tools/call":\n        import time\n        time.sleep(600)\n    elif method == "initialize"',
    )
    servers["one"]["args"][3] = deaf
    file.write_text(json.dumps({"mcpServers": servers}))
    with Running(gathered(file)) as gateway:
        greet(gateway)
        gateway.request("tools/list")
        much = {"name": "first", "arguments": {"filler": "x" * 2_000_000}}
        waiting = gateway.ask("tools/call", much)
        gateway.ask("tools/call", much)
        assert text(gateway.request("tools/call", {"name": "second", "arguments": {}})) == "two s3 "
        for _ in range(40):
            gateway.ask("tools/call", much)
        assert "'one' does not read its input, and was stopped" in gateway.answer(waiting)["error"]["message"]
        assert text(gateway.request("tools/call", {"name": "second", "arguments": {}})) == "two s3 "


def test_a_server_with_a_url_is_one_of_them_and_what_it_gives_is_held_once(file: Path, tmp_path: Path) -> None:
    behind = gathered(file, "two")
    with Serving("--store", "memory:", "--max-tokens", "20000", "--", *behind) as remote:
        entries = json.loads(file.read_text())["mcpServers"]
        far = {"url": remote.url, "headers": {"X-Secret": "not on any command line"}}
        both = tmp_path / "both.json"
        both.write_text(json.dumps({"mcpServers": {"near": entries["one"], "far": far}}))
        with Running(gathered(both), "--max-tokens", "1000") as gateway:
            hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
            gateway.request("initialize", hello)
            tools = [tool["name"] for tool in gateway.request("tools/list")["tools"]]
            own = ["near_same", "first", "die", "far_same", "second"]
            assert tools[:5] == own
            assert len(tools) == len(own) + 2  # the far one's own tool to read on, and ours
            assert all(name.startswith("fetch_cached_response") for name in tools[5:])
            assert text(gateway.request("tools/call", {"name": "far_same", "arguments": {}})) == "two s3 "
            told = text(gateway.request("tools/call", {"name": "second", "arguments": {"times": 600}}))
            assert "about " in head_of(told)["message"]


def test_the_servers_of_a_client_s_configuration_are_served_over_http_as_one(file: Path) -> None:
    def post(url: str, session: str = "", **message: Any) -> tuple[str, dict[str, Any]]:
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        if session:
            headers["mcp-session-id"] = session
        body = json.dumps({"jsonrpc": "2.0", "id": 1, **message}).encode()
        with urllib.request.urlopen(urllib.request.Request(url, body, headers)) as answer:
            return answer.headers.get("mcp-session-id", ""), json.load(answer)["result"]

    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tester", "version": "1"}}
    with Serving("--config", str(file), "--store", "memory:") as gateway:
        assert gateway.says(f"serving the servers of {file} at http://127.0.0.1:")
        session, told = post(gateway.url, method="initialize", params=hello)
        assert told["serverInfo"]["name"] == "penstock-gather"
        _, told = post(gateway.url, session, method="tools/list")
        assert "two_same" in [tool["name"] for tool in told["tools"]]
        _, told = post(gateway.url, session, method="tools/call", params={"name": "two_same", "arguments": {}})
        assert text(told) == "two s3 "


MODERN_SERVER = """
import sys
from mcp.server.mcpserver import MCPServer
server = MCPServer(sys.argv[1])
for name in sys.argv[2:]:
    server.add_tool(lambda name=name: f"{sys.argv[1]} {name}", name=name)
server.run()
"""


LEGACY, MODERN = "2025-11-25", "2026-07-28"
# The router's playbooks prove these combinations. A real client costs seconds each, and in the mode auto it takes a
# server that answers late, on a busy machine, for one of the legacy era.
rest = pytest.mark.compat


@pytest.mark.parametrize(
    ("others", "mode", "version", "is_served"),
    [
        pytest.param("modern", "auto", MODERN, False, id="all-modern-run", marks=rest),
        pytest.param("modern", "auto", MODERN, True, id="all-modern-serve", marks=rest),
        pytest.param("modern", "legacy", LEGACY, False, id="legacy-client-run", marks=rest),
        pytest.param("modern", "legacy", LEGACY, True, id="legacy-client-serve"),
        pytest.param("legacy", "auto", LEGACY, False, id="one-legacy-run", marks=rest),
        pytest.param("legacy", "auto", LEGACY, True, id="one-legacy-serve", marks=rest),
        pytest.param("legacy", "legacy", LEGACY, False, id="all-legacy-run", marks=rest),
        pytest.param("legacy", "legacy", LEGACY, True, id="all-legacy-serve", marks=rest),
    ],
)
def test_a_real_client_finds_all_servers_in_the_latest_era_that_all_of_them_know(
    file: Path, others: str, mode: str, version: str, is_served: bool
) -> None:
    modern = {"command": sys.executable, "args": ["-c", MODERN_SERVER, "new", "same", "newest"]}
    other = json.loads(file.read_text())["mcpServers"]["two"]
    if others == "modern":
        other = {"command": sys.executable, "args": ["-c", MODERN_SERVER, "two", "same", "second"]}
    file.write_text(json.dumps({"mcpServers": {"new": modern, "old": other}}))
    with ExitStack() as stack:
        if is_served:
            target = [stack.enter_context(Serving("--config", str(file), "--store", "memory:")).url]
        else:
            target = [sys.executable, "-m", "penstock", "run", "--store", "memory:", "--config", str(file)]
        script = Path(__file__).parents[2] / "kit/over_http/gathered_client.py"
        command = [sys.executable, "-P", "-W", "ignore", str(script), mode, *target]
        done = subprocess.run(command, check=False, capture_output=True, timeout=PATIENCE, text=True)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["version"] == version
    assert told["answers"]["newest"] == "new newest"
    assert told["answers"]["new_same"] == "new same"
    assert told["answers"]["old_same"].startswith("two")
    assert told["answers"]["second"].startswith("two")
