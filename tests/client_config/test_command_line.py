"""The gateway is recognised in a command line, and only what wrap writes is taken apart again."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from penstock.client_config.command_line import Gateway, child_of, find_program, is_behind
from penstock.errors import CallerError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("line", "behind", "child"),
    [
        ("penstock run -- npx -y x", True, "npx -y x"),
        ("/a/b/penstock run --ttl 1h -- npx -- x", True, "npx -- x"),
        (r"C:\x\penstock.exe run -- cmd /c npx", True, "cmd /c npx"),
        ("/usr/bin/python3 -m penstock run -- npx", True, "npx"),
        ("uvx penstock run -- npx", True, "npx"),
        ("/home/me/.local/bin/uvx penstock-mcp[redis]@1.0 run -- npx", True, "npx"),
        ("uvx --from penstock-mcp[http] penstock run -- npx", True, "npx"),
        ("uvx --with x penstock run -- npx", True, ""),
        # Started by something else: recognised, but what is behind it is not ours to say.
        ("/a/b/penstock-mcp run -- npx -y x", True, "npx -y x"),
        ("docker run -i image penstock run -- npx", True, ""),
        ("penstock run npx", True, ""),
        ("penstock run --", True, ""),
        ("npx -y x", False, ""),
        ("npx -- penstock run", False, ""),
        ("penstock stats", False, ""),
        ("penstock-like run -- x", False, ""),
        ("penstock", False, ""),
        ("", False, ""),
    ],
)
def test_a_command_line_is_taken_for_what_it_is(line: str, behind: bool, child: str) -> None:
    words = tuple(line.split())
    assert is_behind(words) is behind
    assert child_of(words) == tuple(child.split())


def test_a_program_that_could_not_be_found_again_is_refused() -> None:
    with pytest.raises(CallerError, match="'/opt/other' is not penstock"):
        Gateway(program=("/opt/other",))
    with pytest.raises(CallerError, match="not UTF-8"):
        Gateway(program=("/opt/\udcff/penstock",))


def executable(path: Path) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_the_program_is_found_by_the_most_certain_way_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.chdir(tmp_path)
    python = str(tmp_path / "venv" / "python")
    module = str(tmp_path / "penstock" / "__main__.py")
    assert find_program(module, python) == (python, "-m", "penstock")
    beside = executable(tmp_path / "venv" / "penstock")
    assert find_program(module, python) == (str(beside),)
    on_path = executable(tmp_path / "path" / "penstock")
    assert find_program(module, python) == (str(on_path),)
    called = executable(tmp_path / "tool" / "penstock")
    assert find_program(os.path.join("tool", "penstock"), python) == (str(called),)


@pytest.mark.parametrize(
    "python",
    ["/home/me/.cache/uv/archive-v0/abc/bin/python", r"C:\Users\me\AppData\Local\uv\cache\x\python.exe"],
)
def test_a_program_in_a_cache_is_started_by_uvx(python: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CallerError, match="may be gone tomorrow; install it to stay"):
        find_program("penstock", python)
    uvx = str(executable(tmp_path / "uvx"))
    assert find_program("penstock", python) == (uvx, "penstock-mcp")
    program = find_program("penstock", python, extras=["http"])
    assert program == (uvx, "--from", "penstock-mcp[http]", "penstock")
    for one in (program, (uvx, "penstock-mcp")):
        assert child_of((*Gateway(program=one).words, "npx", "x")) == ("npx", "x")


def test_a_link_to_the_program_is_not_followed(tmp_path: Path) -> None:
    link = tmp_path / "penstock"
    link.symlink_to(executable(tmp_path / "versions" / "penstock-1"))
    assert find_program(str(link), sys.executable) == (str(link),)
