"""``penstock wrap`` as a process: it asks, it takes an answer, and without one it writes nothing."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

TEXT = json.dumps({"mcpServers": {"a": {"command": "a-server", "args": ["x"]}}}, indent=2)

# Who runs these tests in the background may have interrupts ignored, which a child takes over. The first one that is
# taken is the last: another one, on a busy machine, would interrupt the end of the process.
INTERRUPTED_ONCE = """
import signal
from penstock.cli import main

def once(*signal_and_frame):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.default_int_handler(*signal_and_frame)

signal.signal(signal.SIGINT, once)
raise SystemExit(main(["wrap", "--no-check"]))
"""

SERVER = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"jsonrpc": "2.0", "id": json.loads(line)["id"], "result": {"args": sys.argv[1:]}}), flush=True)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / ".mcp.json"
    file.write_text(TEXT)
    return file


def run(file: Path, *words: str, answer: bytes | None = b"") -> subprocess.CompletedProcess[bytes]:
    env = {**os.environ, "HOME": str(file.parent)}
    command = [sys.executable, "-m", "penstock", *words]
    command += ["--no-check"] if words[0] == "wrap" else []
    return subprocess.run(command, cwd=file.parent, env=env, input=answer, capture_output=True, check=False)


@pytest.mark.parametrize("answer", [b"y\n", b"YES\n", b" y"])
def test_a_yes_writes(answer: bytes, file: Path) -> None:
    done = run(file, "wrap", answer=answer)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Write .mcp.json? [y/N]" in done.stdout
    command, *args = json.loads(file.read_text())["mcpServers"]["a"].values()
    assert Path(command).name == "penstock"
    assert args == [["run", "--", "a-server", "x"]]
    assert run(file, "unwrap", answer=b"y\n").returncode == 0
    assert file.read_text() == TEXT


@pytest.mark.parametrize(
    ("answer", "changed"),
    [(b"2\ny\n", [False, True]), (b"\ny\n", [True, True]), (b"3\n", [False, False]), (b"one\n", [False, False])],
)
def test_of_several_files_a_user_chooses_which_are_wrapped(answer: bytes, changed: list[bool], file: Path) -> None:
    other = file.parent / ".kiro" / "settings" / "mcp.json"
    other.parent.mkdir(parents=True)
    other.write_text(TEXT)
    done = run(file, "wrap", answer=answer)
    assert done.returncode == (0 if any(changed) else 2)
    assert b"  2  " in done.stdout
    assert [one.read_text() != TEXT for one in (file, other)] == changed


@pytest.mark.parametrize("answer", [b"n\n", b"\n", b"\xff\xfe\n", b"yesterday\n"])
def test_any_other_answer_writes_nothing(answer: bytes, file: Path) -> None:
    done = run(file, "wrap", answer=answer)
    assert done.returncode == 1
    assert b"nothing was written" in done.stdout
    assert b"Traceback" not in done.stderr
    assert [path.name for path in file.parent.iterdir()] == [".mcp.json"]
    assert file.read_text() == TEXT


@pytest.mark.parametrize("command", ["wrap", "unwrap"])
def test_nobody_there_to_answer_writes_nothing_and_says_what_to_add(command: str, file: Path) -> None:
    if command == "unwrap":
        assert run(file, "wrap", "--yes").returncode == 0
    before = file.read_bytes()
    done = run(file, command, answer=b"")
    assert done.returncode == 2
    assert b"    + " in done.stdout
    assert done.stderr == b"penstock: no terminal to ask on; nothing was written; use --yes, or --client\n"
    assert file.read_bytes() == before


def test_a_closed_standard_input_is_nobody_too(file: Path) -> None:
    command = f"{sys.executable} -m penstock wrap --no-check <&-"
    done = subprocess.run(["bash", "-c", command], cwd=file.parent, capture_output=True, check=False)
    assert done.returncode == 2
    assert b"use --yes" in done.stderr
    assert b"Traceback" not in done.stderr
    assert file.read_text() == TEXT


def test_an_interrupt_at_the_question_writes_nothing_and_colours_are_for_terminals(file: Path) -> None:
    env = {**os.environ, "HOME": str(file.parent), "TERM": "xterm", "COLUMNS": "200"}
    env.pop("NO_COLOR", None)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", INTERRUPTED_ONCE]
    process = subprocess.Popen(
        command, cwd=file.parent, env=env, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    seen = b""
    while b"[y/N]" not in seen:
        seen += os.read(ours, 4_096)
    for _ in range(300):  # one that comes between the question and the reading of the answer is only noted
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=0.2)
            break
    assert process.poll() == 130
    os.close(ours)
    assert b"\x1b[32m" in seen
    assert file.read_text() == TEXT
    assert b"\x1b[" not in run(file, "wrap", "--dry-run").stdout


def test_what_is_written_starts_the_server_behind_the_gateway(file: Path) -> None:
    server = file.parent / "server.py"
    server.write_text(SERVER)
    direct = [sys.executable, str(server), "--", "--max-tokens", "ä b"]
    file.write_text(json.dumps({"mcpServers": {"a": {"command": direct[0], "args": direct[1:]}}}))
    assert run(file, "wrap", "--yes", "--store", "memory:", "--ttl", "1h", "--tool-name=-x").returncode == 0
    (entry,) = json.loads(file.read_text())["mcpServers"].values()
    behind = [entry["command"], *entry["args"]]
    assert b"--max-tokens" in asked(direct)
    assert asked(behind) == asked(direct)


def asked(command: list[str]) -> bytes:
    """One answer of a server that is started as a desktop starts it, with next to nothing in its environment."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={"PATH": "/usr/bin"}) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        process.stdin.flush()
        answer = process.stdout.readline()
        process.stdin.close()
    return answer
