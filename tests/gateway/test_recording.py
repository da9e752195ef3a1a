"""``run --record`` writes what a server was sent and answered; ``replay`` acts as that server again."""

from __future__ import annotations

import json
import stat
import sys
from typing import TYPE_CHECKING, Any

import pytest

from penstock.cli.mcp_client import McpClient, RequestRefusedError
from penstock.errors import CallerError
from penstock.gateway.recording import read_recording
from tests.kit.answers import head_of
from tests.kit.command_line import refused
from tests.kit.http_mcp_server import http_server
from tests.kit.mcp_servers import script

if TYPE_CHECKING:
    from pathlib import Path

PENSTOCK = [sys.executable, "-m", "penstock"]
SECRET = "Zx81kQp0secretVALUE42"
SERVER = script("""
calls = 0
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    print("starting", flush=True)
    if m["method"] == "tools/call":
        calls += 1
        note = {"method": "notifications/message", "params": {"level": "info", "data": calls}}
        print(json.dumps({"jsonrpc": "2.0", **note}), flush=True)
        rows = [{"id": n, "call": calls} for n in range(m["params"]["arguments"]["n"])]
        result = {"content": [{"type": "text", "text": json.dumps(rows)}]}
    elif m["method"] == "tools/list":
        result = {"tools": [{"name": "rows", "inputSchema": {"type": "object"}}]}
    else:
        result = {"serverInfo": {"name": "recorded", "version": "3"}, "capabilities": {"tools": {}},
                  "protocolVersion": "2025-11-25"}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}), flush=True)
""")


def called(client: McpClient, n: int, **more: Any) -> Any:
    return json.loads(client.ask("tools/call", {"name": "rows", "arguments": {"n": n, **more}}))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Any]]:
    """A recording, and what the client got."""
    folder = tmp_path_factory.mktemp("recording")
    file = folder / "bug.jsonl"
    command = [*PENSTOCK, "run", "--record", str(file), "--store", f"sqlite://{folder}/held.db", *SERVER]
    with McpClient(command, timeout=60) as client:
        client.greet()
        client.everything("tools/list", "tools")
        answers = [called(client, 2), called(client, 2), called(client, 9_000), called(client, 3, api_key=SECRET)]
    return file, answers


def test_a_recording_has_the_servers_words_without_secrets_for_its_user_alone(
    recorded: tuple[Path, list[Any]],
) -> None:
    file, _ = recorded
    assert SECRET not in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    header = json.loads(file.read_text().splitlines()[0])
    assert "password" in header["left_out"]
    lines, left_out = read_recording(str(file))
    assert left_out == 1
    calls = [one.message for one in lines if one.sender == "client" and one.message.get("method") == "tools/call"]
    assert [one["params"]["arguments"]["n"] for one in calls] == [2, 2, 9_000, 3]
    assert calls[-1]["params"]["arguments"]["api_key"] == "[left out: 21 characters]"
    assert [one.line for one in lines if one.message is None] == ["starting"] * 6


def test_a_replay_answers_as_the_server_did(recorded: tuple[Path, list[Any]]) -> None:
    file, answers = recorded
    with McpClient([*PENSTOCK, "replay", str(file)], timeout=60) as client:
        assert client.greet().name == "recorded"
        assert len(client.everything("tools/list", "tools")) == 1
        assert [called(client, 2), called(client, 2)] == answers[:2]
        assert called(client, 3, api_key=SECRET) == answers[3]
        assert len(json.loads(called(client, 9_000)["content"][0]["text"])) == 9_000
        with pytest.raises(RequestRefusedError, match=r"the recording has no such tools/call; it has: \{.name.:.rows."):
            called(client, 77)
        assert client.noise[0] == "starting"


def test_a_gateway_holds_what_a_replay_gives(recorded: tuple[Path, list[Any]], tmp_path: Path) -> None:
    file, answers = recorded
    command = [*PENSTOCK, "run", "--store", f"sqlite://{tmp_path}/held.db", *PENSTOCK, "replay", str(file)]
    with McpClient(command, timeout=60) as client:
        client.greet()
        again = called(client, 9_000)
    before, after = (head_of(one) for one in (answers[2], again))
    assert before["type"] == after["type"] == "buffered_response"
    assert (before["message"], before["shape"]) == (after["message"], after["shape"])


def test_a_server_over_http_can_be_recorded_and_its_headers_stay_out(tmp_path: Path) -> None:
    file = tmp_path / "bug.jsonl"
    answers = {
        "initialize": {
            "serverInfo": {"name": "far", "version": "1"},
            "capabilities": {},
            "protocolVersion": "2025-11-25",
        },
        "tools/call": {"content": [{"type": "text", "text": f"you sent {SECRET}"}]},
    }
    with http_server(answers) as (url, _):
        words = ["--url", url, "--header", f"X-Any: {SECRET}", "--record", str(file), "--store", "memory:"]
        with McpClient([*PENSTOCK, "run", *words], timeout=60) as client:
            client.greet()
            assert SECRET in called(client, 1)["content"][0]["text"]
    assert SECRET not in file.read_text()
    with McpClient([*PENSTOCK, "replay", str(file)], timeout=60) as client:
        assert client.greet().name == "far"
        assert called(client, 1)["content"][0]["text"] == "you sent [left out: 21 characters]"


def test_a_cut_recording_is_read_as_far_as_it_goes(recorded: tuple[Path, list[Any]], tmp_path: Path) -> None:
    whole = recorded[0].read_bytes()
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(whole[: whole.rindex(b"\n", 0, -1) + 40])
    assert len(read_recording(str(cut))[0]) == len(read_recording(str(recorded[0]))[0]) - 1


def test_a_file_that_is_no_recording_is_one_clear_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "other.json"
    for text in ("", "{}", "hello", '{"penstock_recording": 99}'):
        file.write_text(text)
        with pytest.raises(CallerError, match="is no recording; make one: penstock run --record"):
            read_recording(str(file))
    assert "cannot be read" in refused(["replay", str(tmp_path / "missing")], capsys)
    nowhere = str(tmp_path / "no" / "folder")
    assert "--record: " in refused(["run", "--record", nowhere, "true"], capsys)
