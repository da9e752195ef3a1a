"""The script for a shell completes commands, options and their choices."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from penstock.cli import COMMANDS, main
from penstock.cli.completion import SHELLS
from tests.kit.command_line import refused


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_gets_a_script_with_all_commands(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert all(name in script for name in COMMANDS)
    assert shell == "tcsh" or "--older-than" in script  # which completes fewer options of a command


@pytest.mark.parametrize(
    ("typed", "offered"),
    [(["penstock", "sta"], "stats"), (["penstock", "doctor", "--ca"], "--call")],
)
def test_bash_completes_what_is_typed(
    typed: list[str], offered: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    words = " ".join(f"'{word}'" for word in typed)
    asks = f"""
COMP_WORDS=({words}); COMP_CWORD={len(typed) - 1}; COMP_LINE='{" ".join(typed)}'; COMP_POINT=${{#COMP_LINE}}
_shtab_penstock; printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    bash = shutil.which("bash")
    assert bash is not None
    done = subprocess.run([bash, "-c", script + asks], capture_output=True, text=True, check=False)
    assert offered in done.stdout.split(), done.stderr


def test_without_the_package_one_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert "shtab is needed for completion; pip install" in refused(["completion", "bash"], capsys)
