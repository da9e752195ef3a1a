"""One run of the client on one target, ended when it takes too long."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

import psutil

if TYPE_CHECKING:
    from bench.gateway_parts.kit import Kit
    from bench.gateway_parts.targets import Target

Figures = dict[str, Any]


def run(kit: Kit, target: Target, suite: str, *options: str, seconds: float) -> list[Figures]:
    """The lines that the client printed; one with ``failed`` is added when it could not finish."""
    command = [kit.python, kit.client, "--target", target.name, "--suite", suite, *target.options, *options]
    client = subprocess.Popen(
        [*command, "--", *target.command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **target.env},
    )
    try:
        out, complaint = client.communicate(timeout=seconds)
        failed = "" if client.returncode == 0 else f"the client stopped: {_last(complaint)}"
    except subprocess.TimeoutExpired:
        _end(client)
        out, _ = client.communicate()
        failed = f"not done in {seconds:.0f} s"
    lines: list[Figures] = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    return [*lines, {"what": suite, "failed": failed}] if failed else lines


def _end(client: subprocess.Popen[str]) -> None:
    """End the client and what it started: targets run in sessions of their own and would outlive it."""
    started = psutil.Process(client.pid).children(recursive=True)
    client.kill()
    for process in started:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()


def _last(text: str) -> str:
    return (text.strip().splitlines() or ["no word why"])[-1][:200]
