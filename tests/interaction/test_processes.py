"""Real servers as processes: how they begin, how they end, and how many calls they have to answer at once."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import psutil
from tests.kit.answers import text_of
from tests.kit.interaction import data
from tests.kit.interaction.conversation import converse, gateway, opening
from tests.kit.interaction.held import fetch, notice_of
from tests.kit.interaction.wire import PATIENCE, Wire, parsed

if TYPE_CHECKING:
    from pathlib import Path

    from scripts.real_parts import Parts
    from tests.kit.interaction.large import Servers


def test_calls_in_flight_are_answered_each_with_its_own_result(servers: Servers) -> None:
    direct, through = servers.pair("filesystem")
    folder = servers.root / "folder"
    small = [("search_files", {"path": str(folder / "api"), "pattern": f"**/*_{at}.py"}) for at in range(20)]
    large = [("read_text_file", {"path": str(folder / name)}) for name in ("records.json", "app.log")]
    calls = [*large, *small, *large]
    wanted, got = direct.call_all(calls), through.call_all(calls)
    for call, one, other in zip(calls, wanted, got, strict=True):
        if call in large:
            start = text_of(fetch(through, cache_id=notice_of(other)["cache_id"], action="get").result)
            assert start == one.texts[0][: len(start)]
        else:
            assert other.result == one.result


def test_requests_that_are_piped_in_are_all_answered_before_the_end(parts: Parts, tmp_path: Path) -> None:
    """As from a shell: everything is written and stdin closed before the first answer is there."""
    folder = data.large_folder(tmp_path / "folder")
    calls = [{"path": str(folder / name)} for name in ("records.json", "numbers.txt", "app.log")]
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": opening()[0].params},
        {"method": "notifications/initialized"},
        *(
            {"id": at, "method": "tools/call", "params": {"name": "read_text_file", "arguments": arguments}}
            for at, arguments in enumerate(calls, 2)
        ),
    ]
    given = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)
    command = gateway(parts.filesystem(folder))
    done = subprocess.run(command, input=given.encode(), capture_output=True, check=True, timeout=PATIENCE)
    answers = [parsed(line) for line in done.stdout.splitlines()]
    assert sorted(answer["id"] for answer in answers) == [1, 2, 3, 4]
    assert all("result" in answer for answer in answers)


def test_a_server_that_cannot_start_is_told_of_and_its_exit_code_handed_on(parts: Parts, tmp_path: Path) -> None:
    command = parts.filesystem(tmp_path / "nowhere")
    with Wire(command) as direct, Wire(gateway(command)) as through:
        wanted = direct.close()
        reply = through.request("initialize", opening()[0].params)
        assert str(wanted) in reply.error["message"]
        assert through.close() == wanted != 0
        assert "None of the specified directories are accessible" in through.stderr()


def test_what_a_server_says_on_stderr_is_passed_on(parts: Parts, tmp_path: Path) -> None:
    with Wire(gateway(parts.filesystem(data.small_folder(tmp_path / "folder")))) as wire:
        converse(wire, opening())
        assert wire.close() == 0
        assert "Secure MCP Filesystem Server running on stdio" in wire.stderr()


def test_a_line_that_is_no_message_is_left_to_the_server_and_the_next_call_works(parts: Parts, tmp_path: Path) -> None:
    command = parts.filesystem(data.small_folder(tmp_path / "folder"))
    with Wire(command) as direct, Wire(gateway(command)) as through:
        for wire in (direct, through):
            converse(wire, opening())
            wire.send_line(b"this is no JSON")
            wire.send_line(b'{"jsonrpc":"2.0","id":')
        assert through.request("ping") == direct.request("ping")


def test_no_server_outlives_a_gateway_that_is_killed(parts: Parts) -> None:
    """server-everything stays when its stdin is closed, so that only being ended ends it."""
    with Wire(gateway(parts.everything)) as wire:
        converse(wire, opening())
        gate, *children = wire.family()
        assert children
        gate.kill()
        _, alive = psutil.wait_procs(children, timeout=30)
        assert not alive
