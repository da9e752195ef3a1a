"""The gateway starts with few imports: each of these fails when a package or a module begins to need more."""

from __future__ import annotations

import subprocess
import sys


def loaded(code: str) -> set[str]:
    """The modules of a fresh process after it has run some code."""
    command = [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


HIDING = "from penstock.cli.light_imports import without_typing_extensions\nwith without_typing_extensions():\n "


def test_msgspec_works_without_typing_extensions() -> None:
    code = f"{HIDING}import msgspec\nassert msgspec.json.decode(b'[1]') == [1]"
    assert "typing_extensions" not in loaded(code)


def test_typing_extensions_can_be_imported_after_the_block_and_stays_if_it_was_there() -> None:
    assert "typing_extensions" in loaded(f"{HIDING}import msgspec\nimport typing_extensions")
    assert "typing_extensions" in loaded(f"import typing_extensions\n{HIDING}import msgspec")


def test_a_connection_can_be_made_without_typing_extensions() -> None:
    assert "typing_extensions" not in loaded(f"{HIDING}from penstock.gateway.stdio.connection import StdioConnection")


def test_the_server_is_started_before_anything_large_is_imported() -> None:
    before = loaded("import penstock.cli.run")
    assert not {"typing", "dataclasses", "threading", "asyncio", "subprocess", "msgspec", "argparse"} & before
