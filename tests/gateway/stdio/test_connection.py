"""What is the server's passes as it is: its words, its folder, its environment, its stderr, and lines of any length."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.kit.answers import head_of, text_of
from tests.kit.gateway import FETCH, ODD, Running, python
from tests.kit.waiting import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

MANY = 50_000_000  # bytes


def test_the_servers_words_reach_it_as_they_are() -> None:
    words = ["two words", "", "ünï 茶 \U0001f600", "--", "--max-tokens", "--help", "a\nb", "$HOME *", "'\"\\", "-"]
    with Running(python(ODD, *words)) as gateway:
        assert json.loads(gateway.text("about"))["arguments"] == words


def test_server_inherits_the_environment_without_variables_of_penstock() -> None:
    own = {
        "PENSTOCK_LOG_LEVEL": "error",
        "PENSTOCK_STORE": "redis://:hunter2@127.0.0.1:1/0",
        "PENSTOCK_HEADER_X-Key": "hunter2",
    }
    given = {
        **{key: value for key, value in os.environ.items() if not key.startswith("LC_")},
        "EMPTY": "",
        "SPACED": " a = b ",
        "WIDE": "ünï 茶",
        "NO_TEXT": "\udcff\udcfe",
    }
    direct = subprocess.run(
        python(ODD), env=given, capture_output=True, timeout=PATIENCE, check=True,
        input=b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"about"}}\n',
    )  # fmt: skip
    with Running(env={**given, **own}) as gateway:
        wanted = json.loads(json.loads(direct.stdout)["result"]["content"][0]["text"])["environment"]
        assert json.loads(gateway.text("about"))["environment"] == wanted


def test_the_folder_is_the_clients(tmp_path: Path) -> None:
    folder = tmp_path / "with a blank"
    folder.mkdir()
    with Running(cwd=folder) as gateway:
        assert json.loads(gateway.text("about"))["folder"] == os.path.realpath(folder)


def test_stderr_passes_unchanged() -> None:
    words = "one\ntwo, without an end \x1b[31m é"
    with Running() as gateway:
        gateway.call("whisper", text=words)
        gateway.close()
        assert gateway.wait() == 0
        assert gateway.stderr == words


def test_without_any_option_the_defaults_hold(tmp_path: Path) -> None:
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path), "HOME": str(tmp_path)}
    call = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"records","arguments":{"rows":2000}}}\n'
    command = [sys.executable, "-m", "penstock", "run", "--", *python(ODD)]
    done = subprocess.run(command, input=call, env=env, capture_output=True, timeout=PATIENCE, check=True)
    assert b'\\"type\\":\\"buffered_response\\",\\"cache_id\\"' in done.stdout
    assert done.stderr == b""
    assert list(tmp_path.rglob("held.db"))


def test_nothing_is_said_on_stderr_that_nobody_needs() -> None:
    with Running() as gateway:
        gateway.open()
        gateway.request("tools/list")
        gateway.call("records", rows=5_000)
        gateway.close()
        assert gateway.wait() == 0
        assert gateway.stderr == ""


def test_a_line_of_50_mb_from_the_server_is_held_and_read_back_whole() -> None:
    with Running() as gateway:
        notice = head_of(gateway.text("letters", bytes=MANY))
        told = gateway.call(
            FETCH, action="get", cache_id=notice["cache_id"], start_index=MANY - 5_000, max_length=5_000
        )
        assert text_of(told) == "word " * 1_000


def test_a_line_of_50_mb_from_the_client_arrives_whole() -> None:
    with Running() as gateway:
        assert gateway.text("size", text="x" * MANY) == str(MANY)


def test_what_must_not_be_held_passes_byte_for_byte_at_any_length(tmp_path: Path) -> None:
    config = tmp_path / "penstock.toml"
    config.write_text("[rules.letters]\nnever_hold = true\n")
    with Running(python(ODD), "--config", str(config)) as gateway:
        key = gateway.ask_tool("letters", bytes=5_000_000)
        gateway.answer(key)
        wanted = {"jsonrpc": "2.0", "id": key, "result": {"content": [{"type": "text", "text": "word " * 1_000_000}]}}
        assert _digest(gateway.lines[-1]) == _digest(json.dumps(wanted).encode() + b"\n")


def _digest(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()


@pytest.mark.parametrize("blocking", [True, False])
def test_a_client_whose_pipes_do_not_block_is_served_like_any_other(blocking: bool) -> None:
    """Some programs hand over the very pipes which they use themselves without blocking."""
    theirs, stdin = os.pipe()
    stdout, ours = os.pipe()
    os.set_blocking(theirs, blocking)
    os.set_blocking(ours, blocking)
    command = [sys.executable, "-m", "penstock", "run", "--store", "memory:", "--max-tokens", "100000", "--"]
    process = subprocess.Popen([*command, *python(ODD)], stdin=theirs, stdout=ours)
    os.close(theirs)
    os.close(ours)
    asked = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "letters", "arguments": {"bytes": 200_000}},
    }
    os.write(stdin, json.dumps(asked).encode() + b"\n")
    os.close(stdin)
    with open(stdout, "rb") as answers:
        told = [json.loads(line) for line in answers]
    assert [one["id"] for one in told] == [1]
    assert process.wait(PATIENCE) == 0
