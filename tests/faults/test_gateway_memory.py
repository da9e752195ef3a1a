"""A gateway that has no memory for modules or threads answers each request, or ends with one clear line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.kit import processes as hygiene
from tests.kit.gateway import ODD, Running, python
from tests.kit.waiting import PATIENCE

left_nothing = hygiene.nothing_is_left_behind

STARVED = str(Path(__file__).parents[1] / "kit" / "starved_penstock.py")
ENDS = "penstock: error: Penstock ends, because of an error that it cannot handle"


def conversation(what: str) -> tuple[dict[int, Any], str, int]:
    """Return the answers to a large call and a small one, by id, then stderr and the exit code."""
    calls = [{"name": "records", "arguments": {"rows": 5_000}}, {"name": "echo", "arguments": {"text": "small"}}]
    lines = [{"jsonrpc": "2.0", "id": at, "method": "tools/call", "params": one} for at, one in enumerate(calls)]
    done = subprocess.run(
        [sys.executable, STARVED, what, "run", "--store", "memory:", "--", *python(ODD)],
        input="".join(json.dumps(line) + "\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return {one["id"]: one for one in answers}, done.stderr, done.returncode


def test_request_is_answered_though_no_module_of_the_gate_can_be_imported() -> None:
    answers, stderr, code = conversation("imports")
    assert "Penstock could not make the answer (MemoryError)" in answers[0]["error"]["message"]
    assert answers[1]["result"]["content"][0]["text"] == "small"
    assert "an answer to records could not be made: MemoryError at" in stderr
    assert "Traceback" not in stderr
    assert code == 0


@pytest.mark.parametrize("threads", range(10))
def test_requests_are_answered_or_the_gateway_ends_if_no_thread_can_be_started(threads: int) -> None:
    answers, stderr, code = conversation(f"threads={threads}")
    assert "Traceback" not in stderr
    if code:
        assert code == 70
        assert ENDS in stderr
    else:
        assert set(answers) == {0, 1}
    assert (code == 0) == (threads >= 3), "two threads read, and one works"


def test_gateway_ends_when_its_client_leaves_though_no_thread_can_be_started() -> None:
    with Running(entry=(STARVED, "threads=4")) as gateway:
        assert gateway.text("echo", text="small") == "small"
        gateway.close()
        assert gateway.wait() == 0
