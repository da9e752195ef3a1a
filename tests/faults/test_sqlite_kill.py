"""What a SQLite store has acknowledged survives the death of its process, many deaths in a row, and at every step.

A process is killed with signal 9 while it puts results, at any moment. After that, what it acknowledged is there and
right, what it had begun is whole or not there at all, and the file passes SQLite's own check. Then processes are killed
at one step each of every operation that writes: at each line of the store, and between the instructions of SQLite.
``make compat`` goes through all of them; ``pytest -s`` prints how many.
"""

from __future__ import annotations

import os
import random
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from penstock.stores import Store, open_store
from tests.kit.stores import killed_steps
from tests.kit.stores.sqlite_writer import content

WRITER = Path(__file__).parents[1] / "kit/stores/sqlite_writer.py"
KILLED = Path(__file__).parents[1] / "kit/stores/killed_steps.py"
IN_PARTS = ("sweep", "purge")  # operations of several commits; every other one happens or does not


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


class Killed:
    """A process that carries out an operation on a copy of a file, and is killed at one step of it."""

    def __init__(self, folder: Path, operation: str) -> None:
        self._folder = folder
        self._operation = operation
        self._before = folder / "before.db"
        if operation != "put first":
            killed_steps.fill(os.fspath(self._before))
        self._process = subprocess.Popen(
            [sys.executable, os.fspath(KILLED)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.names, code = self._run(-1)
        assert code == 0
        self.after = self.state()

    def killed_at(self, step: int) -> None:
        _, code = self._run(step)
        assert code == -signal.SIGKILL

    def state(self) -> dict[str, Any]:
        """Return what the store has: of each result whether it is whole, and what is known of it."""
        file = self._folder / "held.db"
        if file.exists():
            with closing(sqlite3.connect(file)) as db:
                assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        with killed_steps.opened(os.fspath(file)) as store:
            found = {
                one.handle: (self._is_whole(store, one.handle), one.meta.expires, one.seen, one.reads)
                for one in store.list("me")
            }
            return {**found, "counts": dict(store.counts())}

    def begin(self) -> None:
        """Put the file there as it was before the operation."""
        for suffix in ("", "-wal", "-shm"):
            (self._folder / f"held.db{suffix}").unlink(missing_ok=True)
        if self._before.exists():
            shutil.copy(self._before, self._folder / "held.db")

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _run(self, step: int) -> tuple[list[str], int]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.begin()
        self._process.stdin.write(f"{self._operation}\t{self._folder / 'held.db'}\t{step}\n")
        self._process.stdin.flush()
        names: list[str] = []
        while True:
            kind, *told = self._process.stdout.readline().rstrip("\n").split("\t")
            if kind == "dead":
                return names, int(told[0])
            names = told

    @staticmethod
    def _is_whole(store: Store, handle: str) -> bool:
        found = store.get("me", handle)
        assert found is not None
        return found.read(0, found.size()) == killed_steps.content(handle) and found.index == b"index"


@pytest.mark.parametrize("share", [0.02, pytest.param(1.0, marks=pytest.mark.compat)], ids=["some", "all"])
@pytest.mark.parametrize("operation", killed_steps.OPERATIONS)
def test_an_operation_that_is_killed_at_any_step_has_happened_or_has_not(
    tmp_path: Path, operation: str, share: float
) -> None:
    killed = Killed(tmp_path, operation)
    try:
        killed.begin()
        before = killed.state()
        assert all(one[0] for name, one in before.items() if name != "counts")
        places = {name: step for step, name in reversed(list(enumerate(killed.names)))}  # each by its first step
        chosen = random.Random(operation).sample(sorted(places.values()), max(1, int(len(places) * share)))
        happened = 0
        for step in chosen:
            killed.killed_at(step)
            found = killed.state()
            if operation in IN_PARTS:
                assert killed.after.items() <= found.items() <= before.items(), killed.names[step]
            else:
                assert found in (before, killed.after), killed.names[step]
            happened += found == killed.after
    finally:
        killed.close()
    print(f"{operation}: killed in {len(chosen)} of {len(places)} places; in {happened} it had happened already")
