"""The small MCP client: it always comes back, with an answer or with one clear error, and leaves no process behind."""

from __future__ import annotations

import json
import os
import threading
import time
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from penstock.cli import mcp_client as talk
from penstock.cli import mcp_client_process as talk_process
from penstock.cli.mcp_client import McpClient, RequestRefusedError
from penstock.errors import UpstreamError
from tests.kit.mcp_servers import INFO, legacy, script, told, tool

if TYPE_CHECKING:
    from pathlib import Path

LONG = 30.0  # seconds; nothing waits as long unless it is broken
SHORT = 0.3


def wait_until_gone(pid: int) -> None:
    until = time.monotonic() + LONG
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < until, "the process is still there"
        threading.Event().wait(0.01)


def brief(code: str, timeout: float) -> McpClient:
    """A client that waits only a moment for its server to end: for servers that do not end by themselves."""
    return McpClient(script(code), timeout=timeout, parting=SHORT)


def test_a_server_is_greeted_as_older_clients_do() -> None:
    with McpClient(told(legacy({"tools/list": {"tools": []}})), timeout=LONG) as server:
        greeting = server.greet()
    assert (greeting.name, greeting.version, greeting.protocol, greeting.modern) == ("told", "7", "2025-11-25", False)
    assert greeting.capabilities == {"tools"}
    assert server.process.ended_by_itself
    assert server.noise_total == 0


@pytest.mark.parametrize("where", ["serverInfo", "_meta"])
def test_a_server_that_refuses_initialize_is_asked_as_the_newest_clients_do(where: str) -> None:
    info: dict[str, Any] = (
        {"serverInfo": INFO} if where == "serverInfo" else {"_meta": {f"{talk.META}serverInfo": INFO}}
    )
    answers = {"server/discover": {"supportedVersions": [talk.MODERN], "capabilities": {"tools": {}}, **info}}
    with McpClient(told(answers), timeout=LONG) as server:
        greeting = server.greet()
    assert (greeting.name, greeting.protocol, greeting.modern) == ("told", talk.MODERN, True)


def test_requests_of_the_newest_era_carry_their_version_each() -> None:
    echo = """
for line in sys.stdin:
    m = json.loads(line)
    if m["method"] == "initialize":
        print(json.dumps({"id": m["id"], "error": {"code": -32022, "message": "too old"}}), flush=True)
    else:
        print(json.dumps({"id": m["id"], "result": m["params"]}), flush=True)
"""
    with McpClient(script(echo), timeout=LONG) as server:
        server.greet()
        params = server.ask_for("tools/list", {"cursor": "x"}, dict[str, Any])
    assert params["cursor"] == "x"
    assert params["_meta"][f"{talk.META}protocolVersion"] == talk.MODERN


def test_a_server_that_refuses_both_ways_is_an_error_with_its_words_on_one_line() -> None:
    answers = {"initialize": {"error": {"code": -32000, "message": "no\nlicence"}}}
    with (
        McpClient(told(answers), timeout=LONG) as server,
        pytest.raises(RequestRefusedError, match="no licence") as caught,
    ):
        server.greet()
    assert caught.value.code == -32000


def test_a_refusal_without_code_or_words_is_a_refusal() -> None:
    answers = {"initialize": {"error": "no"}}
    with (
        McpClient(told(answers), timeout=LONG) as server,
        pytest.raises(RequestRefusedError, match="refuses initialize"),
    ):
        server.greet()


def test_a_server_without_a_name_is_greeted_too() -> None:
    with McpClient(told({"initialize": {"capabilities": None, "serverInfo": "x"}}), timeout=LONG) as server:
        greeting = server.greet()
    assert greeting.name == "a server without a name"
    assert greeting.capabilities == frozenset()


def test_all_pages_of_a_list_are_read() -> None:
    pages = [{"tools": [tool("a"), tool("b")], "nextCursor": "2"}, {"tools": [tool("c")], "nextCursor": ""}]
    with McpClient(told(legacy({"tools/list": pages})), timeout=LONG) as server:
        server.greet()
        found = server.everything("tools/list", "tools")
    assert [json.loads(raw)["name"] for raw in found] == ["a", "b", "c"]


def test_a_list_that_turns_in_circles_is_an_error() -> None:
    answers = legacy({"tools/list": {"tools": [tool("a")], "nextCursor": "again"}})
    with McpClient(told(answers), timeout=LONG) as server:
        server.greet()
        with pytest.raises(UpstreamError, match="never ends"):
            server.everything("tools/list", "tools")


@pytest.mark.parametrize("page", [7, {"tools": 7}, {"items": []}, None])
def test_a_list_that_is_none_is_an_error(page: object) -> None:
    with McpClient(told(legacy({"tools/list": page})), timeout=LONG) as server:
        server.greet()
        with pytest.raises(UpstreamError, match="not what it should be"):
            server.everything("tools/list", "tools")


def test_noise_on_stdout_is_skipped_counted_and_kept_in_part() -> None:
    noise = "starting up\n\n" + '{"id":99,"result":{}}\n' + '{"jsonrpc":"2.0","id":1}\n' + "[1]\n" * 10
    with McpClient(told(legacy(), noise=noise), timeout=LONG) as server:
        assert server.greet().name == "told"
    assert server.noise_total == 13
    assert server.noise[0] == "starting up"
    assert len(server.noise) == talk.SAMPLES


def test_requests_of_the_server_are_answered_and_its_notifications_are_not() -> None:
    curious = """
def ask(number, method):
    print(json.dumps({"jsonrpc": "2.0", "id": number, "method": method}), flush=True)
    return json.loads(sys.stdin.readline())
mine = json.loads(sys.stdin.readline())
print('{"jsonrpc":"2.0","method":"notifications/message","params":{}}', flush=True)
ping, roots = ask("p", "ping"), ask(7, "roots/list")
print(json.dumps({"id": mine["id"], "result": [ping, roots]}), flush=True)
"""
    with McpClient(script(curious), timeout=LONG) as server:
        ping, roots = server.ask_for("tools/list", {}, list[dict[str, Any]])
    assert (ping["id"], ping["result"]) == ("p", {})
    assert (roots["id"], roots["error"]["code"]) == (7, -32601)


def test_a_program_that_repeats_what_it_reads_is_no_server() -> None:
    with (
        McpClient(["cat"], timeout=SHORT) as server,
        pytest.raises(UpstreamError, match="printed 1 line to stdout"),
    ):
        server.greet()


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["no-such-command-anywhere"], "no such program"),
        (["./no/such/file"], "no such program"),
        ([os.devnull], "Permission denied"),
        (["a\0b"], "cannot be started"),
    ],
)
def test_a_command_that_cannot_be_started_is_an_error(command: list[str], words: str) -> None:
    with pytest.raises(UpstreamError, match=words):
        McpClient(command, timeout=LONG)


def test_a_file_that_is_no_program_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "server"
    file.write_bytes(b"\x00\x01\x02")
    file.chmod(0o755)
    with pytest.raises(UpstreamError, match="cannot be started: Exec format error"):
        McpClient([str(file)], timeout=LONG)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("sys.exit(3)", "exited with code 3"),
        ("sys.stdin.readline(); sys.exit(0)", "exited with code 0"),
        ("os.kill(os.getpid(), 9)", "SIGKILL"),
        ("os.kill(os.getpid(), 40)", "signal 40"),
        ("sys.stdin.readline(); sys.stdout.write('{\"id\":1,'); sys.stdout.flush(); sys.exit(4)", "exited with code 4"),
    ],
)
def test_a_server_that_dies_is_an_error_that_says_how(code: str, words: str) -> None:
    with McpClient(script(code), timeout=LONG) as server:
        with pytest.raises(UpstreamError, match=f"{words} instead of answering initialize"):
            server.greet()
        with pytest.raises(UpstreamError, match="instead of answering"):  # and so is every further request
            server.greet()


def test_the_last_words_of_a_dead_server_are_kept_and_a_flood_of_them_is_not() -> None:
    code = "sys.stderr.write('x' * 200_000 + '\\n\\n' + 'line\\n' * 50_000 + 'the last one\\n'); sys.exit(1)"
    with McpClient(script(code), timeout=LONG) as server, pytest.raises(UpstreamError, match="exited with code 1"):
        server.greet()
    words = server.process.words
    assert words[-1] == "the last one"
    assert len(words) == talk_process.FIRST_WORDS + 1 + talk_process.LAST_WORDS
    assert words[talk_process.FIRST_WORDS].endswith("more lines ...")


def test_a_server_that_closes_its_stdout_and_lives_on_is_an_error() -> None:
    code = "os.close(1); time.sleep(600)"
    with brief(code, LONG) as server, pytest.raises(UpstreamError, match="closed its stdout"):
        server.greet()


def test_a_server_that_hangs_is_an_error_after_its_time() -> None:
    with brief("time.sleep(600)", SHORT) as server:
        with pytest.raises(UpstreamError, match=r"did not answer initialize within 0\.3 s"):
            server.greet()
        pid = server.process.pid
    wait_until_gone(pid)
    assert not server.process.ended_by_itself


@pytest.mark.parametrize("piece", ["'noise\\n' * 999", "'x' * 65_536"])
def test_a_server_that_babbles_without_end_is_an_error_after_its_time(piece: str) -> None:
    code = f"while True: sys.stdout.write({piece})"
    with brief(code, SHORT) as server, pytest.raises(UpstreamError, match="did not answer"):
        server.greet()


def test_a_line_above_the_limit_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(talk_process, "LONGEST", 1_000_000)
    code = "print('y' * 1_000_001, flush=True); sys.stdin.read()"
    with (
        McpClient(script(code), timeout=LONG) as server,
        pytest.raises(UpstreamError, match="a line of 1,000,002 bytes"),
    ):
        server.greet()


def test_a_large_answer_comes_whole() -> None:
    code = "sys.stdin.readline(); print(json.dumps({'id': 1, 'result': 'y' * 20_000_000})); sys.stdin.read()"
    with McpClient(script(code), timeout=LONG) as server:
        assert server.ask("tools/call", {}) == b'"' + b"y" * 20_000_000 + b'"'


@pytest.mark.parametrize(
    "end", ["sys.stdin.read()", "time.sleep(600)", "signal.signal(15, signal.SIG_IGN); time.sleep(600)"]
)
def test_nothing_of_the_server_is_left_when_it_is_closed(end: str) -> None:
    code = f"""
import signal
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], stdout=2)
sys.stdin.readline()
print(json.dumps({{"id": 1, "result": child.pid}}), flush=True)
{end}
"""
    with brief(code, LONG) as server:
        child = server.ask_for("anything", {}, int)
        parent = server.process.pid
        assert psutil.pid_exists(child)
    wait_until_gone(parent)
    wait_until_gone(child)
    server.process.close()  # closing twice is no error


def test_a_child_that_left_the_group_does_not_hold_us_up() -> None:
    code = """
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
sys.stdin.readline()
print(json.dumps({"id": 1, "result": child.pid}), flush=True)
"""
    with brief(code, LONG) as server:
        child = server.ask_for("anything", {}, int)
    psutil.Process(child).kill()
