"""A client that cancels a scan ends the engines that run for it, and can go on with the next call."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Any

import psutil
from tests.kit.examples.client import EXAMPLES
from tests.kit.gateway import Running

if TYPE_CHECKING:
    from pathlib import Path


def test_a_cancelled_scan_ends_its_engines_and_the_next_one_runs(tmp_path: Path) -> None:
    folder, pids = tmp_path / "project", tmp_path / "pids"
    folder.mkdir()
    (folder / "a.py").write_text("assert 1\n")
    engine = f"import os, time; print(os.getpid(), file=open({str(pids)!r}, 'w'), flush=True); time.sleep(600)"
    slow: dict[str, Any] = {"command": [sys.executable, "-c", engine, "{path}"], "suffixes": [".py"]}
    settings = tmp_path / "settings.yaml"
    settings.write_text(json.dumps({"engines": {"slow": slow}}))
    server = [sys.executable, str(EXAMPLES / "security" / "server.py"), str(folder), "--config", str(settings)]
    with Running(server) as gateway:
        gateway.open()
        key = gateway.ask_tool("scan", engines=["slow"])
        deadline = time.monotonic() + 60
        while not (pids.exists() and pids.read_text().endswith("\n")):
            assert time.monotonic() < deadline
        gateway.cancel(key)
        while psutil.pid_exists(int(pids.read_text())):
            assert time.monotonic() < deadline
        told = json.loads(gateway.text("scan", engines=["bandit"]))
        assert (told["status"], told["total_count"]) == ("completed", 1)
