"""No command fails on a terminal or a pipe of any encoding, and with NO_COLOR none writes an escape."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from penstock.cli.output import prepare, write_json

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = [sys.executable, "-m", "penstock"]
ODD = "é … × ✓ 日本 \ud83d"


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1", "utf-8"])
def test_characters_that_an_encoding_lacks_are_replaced(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding))
    prepare()
    sys.stdout.write(ODD)
    sys.stdout.flush()
    shown = raw.getvalue().decode(encoding)
    assert (
        shown
        == {
            "ascii": "? ... x + ?? ?",
            "cp1252": "é … × + ?? ?",
            "latin-1": "é ... × + ?? ?",
            "utf-8": "é … × ✓ 日本 ?",
        }[encoding]
    )


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_json_keeps_every_character_in_every_encoding(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding))
    write_json({"é": "… 日本 😀"})
    sys.stdout.flush()
    assert json.loads(raw.getvalue().decode(encoding)) == {"é": "… 日本 😀"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "wörds.json"
    path.write_text(json.dumps([{"é…": "日本 ✓", "n": number} for number in range(4_000)], ensure_ascii=False))
    return path


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
@pytest.mark.parametrize("words", [["inspect"], ["inspect", "--json"]])
def test_a_pipe_without_utf8_is_no_error(encoding: str, words: list[str], file: Path) -> None:
    env = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    done = subprocess.run([*PROGRAM, *words, str(file)], capture_output=True, check=False, env=env)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"4,000" in done.stdout or json.loads(done.stdout.decode(encoding))["items"] == 4_000


@pytest.mark.parametrize(
    ("more", "has_escapes"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False), ({"NO_COLOR": ""}, True)],
)
def test_no_color_means_no_escapes_at_all(more: dict[str, str], has_escapes: bool, file: Path) -> None:
    shown = on_a_terminal([*PROGRAM, "inspect", str(file)], more)
    assert b"4,000" in shown
    assert (b"\x1b" in shown) == has_escapes


def on_a_terminal(command: list[str], more: dict[str, str]) -> bytes:
    ours, theirs = pty.openpty()
    env = {**{key: value for key, value in os.environ.items() if key != "NO_COLOR"}, "TERM": "xterm-256color", **more}
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=env, close_fds=True) as running:
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 65_536):
                shown += part
        except OSError:  # the terminal of a process that has ended
            pass
        os.close(ours)
        assert running.wait() == 0
    return shown
