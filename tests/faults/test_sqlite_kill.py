"""What a SQLite store has acknowledged survives the death of its process, many deaths in a row.

Each cycle is a process that is killed with signal 9 while it puts results. After each, what it acknowledged is there
and right, what it had begun is whole or not there at all, and the file passes SQLite's own check.
"""

from __future__ import annotations

import os
import random
import select
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from penstock.stores import Store, open_store
from tests.kit.stores.sqlite_writer import content

WRITER = Path(__file__).parents[1] / "kit/stores/sqlite_writer.py"


def check(store: Store, handle: str, size: int) -> None:
    found = store.get("me", handle)
    assert found is not None
    assert found.read(0, size + 1) == content(handle, size)
    assert found.index == b"index"


@pytest.mark.parametrize("cycles", [20, pytest.param(100, marks=pytest.mark.compat)])
def test_nothing_acknowledged_is_lost_however_often_its_process_is_killed(tmp_path: Path, cycles: int) -> None:
    file = tmp_path / "held.db"
    dice = random.Random(9)
    killed_in_a_put = 0
    kept: list[tuple[str, int]] = []
    with (
        open_store(f"sqlite://{file}") as store,
        subprocess.Popen(
            [sys.executable, os.fspath(WRITER), f"sqlite://{file}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as writer,
    ):
        assert writer.stdin is not None
        assert writer.stdout is not None
        for _ in range(cycles):
            writer.stdin.write(b"go\n")
            writer.stdin.flush()
            pid = 0
            begun: dict[str, int] = {}
            done: dict[str, int] = {}
            wanted = dice.randrange(4)
            for line in writer.stdout:
                match line.decode().split():
                    case ["begin", name, length]:
                        begun[name] = int(length)
                    case ["done", name, length]:
                        done[name] = int(length)
                    case ["pid", number]:
                        pid = int(number)
                    case ["dead", code]:
                        assert int(code) == -signal.SIGKILL
                        break
                if pid and len(done) >= wanted and len(begun) > len(done):
                    # Somewhere in the put that has begun: a put takes a few milliseconds.
                    select.select([], [], [], dice.uniform(0, 0.006))
                    os.kill(pid, signal.SIGKILL)
                    wanted = sys.maxsize
            unfinished = begun.keys() - done.keys()
            killed_in_a_put += len(unfinished)
            for handle, size in done.items():
                check(store, handle, size)
            for handle in unfinished:
                if store.get("me", handle) is not None:  # committed, and killed before it could say so
                    check(store, handle, begun[handle])
            with closing(sqlite3.connect(file)) as db:
                assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            # The file is kept small for the next check; the last of each cycle must still be there at the end.
            for handle in list(done)[:-1]:
                assert store.drop("me", handle)
                del done[handle]
            kept += done.items()
        for handle, size in kept:
            check(store, handle, size)
    print(f"{cycles} kills, {killed_in_a_put} in the middle of a put, {len(kept)} results still there at the end")
    assert killed_in_a_put > cycles / 4
