"""The official conformance suite, against the same server direct and through the gateway, in both eras: what fails
through the gateway fails without it too."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from scripts.real_parts import install_suite
from tests.kit.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from scripts.real_parts import Parts

PATIENCE: Final = 120.0  # seconds for one run of the suite, which takes three
SERVER: Final = Path(__file__).parents[1] / "kit/interaction/conformance_server.py"
STAMP: Final = re.compile(r"-\d{4}-\d\d-\d\dT[\d-]+Z$")  # behind a scenario's name
# What shows that the suite has really spoken with the server: the fewest checks that pass, direct.
LEAST: Final = {
    ("everything", "2025-11-25"): 40,
    ("everything", "2026-07-28"): 5,  # it speaks the legacy era only, and must be refused alike
    ("python", "2025-11-25"): 60,
    ("python", "2026-07-28"): 130,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The checks of one run, by scenario and name; some have the same, so that they are numbered."""

    passed: frozenset[tuple[str, str, int]]
    failed: frozenset[tuple[str, str, int]]


def _run(suite: Sequence[str], url: str, era: str, folder: Path) -> Report:
    command = [*suite, "server", "--url", url, "--suite", "all", "--spec-version", era, "--output-dir", str(folder)]
    subprocess.run(command, check=False, timeout=PATIENCE, stdin=subprocess.DEVNULL, capture_output=True)
    found: dict[str, set[tuple[str, str, int]]] = {"SUCCESS": set(), "FAILURE": set()}
    for file in folder.glob("*/checks.json"):
        seen: dict[str, int] = {}
        for check in json.loads(file.read_bytes()):
            number = seen[check["id"]] = seen.get(check["id"], 0) + 1
            if check["status"] in found:
                found[check["status"]].add((STAMP.sub("", file.parent.name), check["id"], number))
    return Report(passed=frozenset(found["SUCCESS"]), failed=frozenset(found["FAILURE"]))


@contextmanager
def _running(command: Sequence[str], port: int, env: Mapping[str, str]) -> Iterator[str]:
    """A server that listens on a port; its URL."""
    process = subprocess.Popen(
        command,
        env={**os.environ, **env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert until(lambda: _answers(port) or process.poll() is not None, PATIENCE)
        assert process.poll() is None, f"{command[0]} has ended"
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        process.wait()


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def suite(parts: Parts) -> list[str]:
    command = install_suite(parts)
    if command is None:
        pytest.skip("the conformance suite cannot be installed here")
    return command


ERAS: Final = ("2025-11-25", "2026-07-28")


def _compared(
    suite: Sequence[str], direct_url: str, gateway_url: str, name: str, era: str, folder: Path
) -> tuple[Report, Report]:
    """Both runs side by side; what fails through the gateway only is an error."""
    with ThreadPoolExecutor(2) as pool:
        runs = [
            pool.submit(_run, suite, url, era, folder / at)
            for at, url in (("direct", direct_url), ("through", gateway_url))
        ]
        direct, through = (run.result() for run in runs)
    for at, report in (("direct", direct), ("through", through)):
        print(f"{name} {era} {at}: {len(report.passed)} passed, {len(report.failed)} failed")
    assert len(direct.passed) >= LEAST[name, era]
    assert not through.failed - direct.failed
    return direct, through


def _gateway(port: int, *upstream: str) -> list[str]:
    return [sys.executable, "-m", "penstock", "serve", "--store", "memory:", "--port", str(port), *upstream]


@pytest.mark.parametrize("name", ["everything", "python"])
def test_nothing_fails_through_the_gateway_that_does_not_fail_without_it(
    name: str, suite: list[str], parts: Parts, tmp_path: Path
) -> None:
    port, through = _free_port(), _free_port()
    command = [str(parts.python), str(SERVER), str(port)]
    if name == "everything":
        command = [*parts.everything[:-1], "streamableHttp"]
    with ExitStack() as stack:
        direct_url = stack.enter_context(_running(command, port, {"PORT": str(port)}))
        gateway_url = stack.enter_context(_running(_gateway(through, "--url", direct_url), through, {}))
        for era in ERAS:
            direct, seen = _compared(suite, direct_url, gateway_url, name, era, tmp_path / era)
            assert not direct.passed - seen.passed


def test_a_server_without_http_fails_nothing_behind_the_gateway_that_it_does_not_fail_with_http_of_its_own(
    suite: list[str], parts: Parts, tmp_path: Path
) -> None:
    """In the modern era, in which one process serves all requests of the suite; a process for each of its sessions
    would take a minute to start."""
    port, through = _free_port(), _free_port()
    command = [str(parts.python), str(SERVER)]
    with ExitStack() as stack:
        direct_url = stack.enter_context(_running([*command, str(port)], port, {}))
        gateway_url = stack.enter_context(_running(_gateway(through, "--", *command), through, {}))
        _compared(suite, direct_url, gateway_url, "python", ERAS[1], tmp_path)
