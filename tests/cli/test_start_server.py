"""A server is started before the imports that it does not need, and a relay of small results stays small."""

from __future__ import annotations

import subprocess
import sys


def loaded(code: str) -> set[str]:
    """The modules of a fresh process after it has run some code."""
    command = [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def test_the_server_is_started_before_anything_large_is_imported() -> None:
    before = loaded("import penstock.cli.start_server")
    assert not {"typing", "dataclasses", "threading", "asyncio", "subprocess", "msgspec", "argparse"} & before


def test_a_relay_imports_neither_the_gate_nor_queries_nor_forms_of_text() -> None:
    with_relay = loaded("import penstock.cli.run")
    heavy = {"penstock.gate.gate", "penstock.query.sql.query", "penstock.core.forms.registry", "asyncio", "aiohttp"}
    assert not heavy & with_relay
    assert not [name for name in with_relay if name.startswith(("penstock.query", "penstock.core.notice"))]
