"""Four processes share one SQLite file from its first moment on, with no error in any of them."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from penstock.stores import Counts, open_store
from tests.kit.stores.store_worker import ROUNDS

WORKER = Path(__file__).parents[1] / "kit/stores/store_worker.py"
# Every touch and every count is checked, and on a busy machine a courtesy would be given up now and then.
PATIENT = """
import runpy, sys
from penstock.stores import sqlite_file
sqlite_file.COURTESY = sqlite_file.PATIENCE
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def test_four_processes_on_one_file_make_no_error(tmp_path: Path) -> None:
    file = tmp_path / "held.db"
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", PATIENT, os.fspath(WORKER), f"sqlite://{file}", f"owner {number}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(4)
    ]
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    ended = [(*worker.communicate(), worker.returncode) for worker in workers]
    assert ended == [("", "", 0)] * 4
    with open_store(f"sqlite://{file}") as store:
        assert store.stats().items == 4 * ROUNDS // 2
        calls = 4 * ROUNDS
        assert store.counts() == {"tool": Counts(calls=calls, held=calls, tokens_saved=5 * calls)}
    with closing(sqlite3.connect(file)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_file_that_several_make_at_the_same_moment_is_everybodys(tmp_path: Path) -> None:
    """Regression: one of them looked twice, before and after another had made the file, and took it for foreign."""

    def use(place: tuple[int, threading.Barrier]) -> int:
        number, start = place
        with open_store(f"sqlite://{tmp_path}/{number}.db") as store:
            start.wait()
            return store.stats().items

    for number in range(60):
        start = threading.Barrier(6)
        with ThreadPoolExecutor(6) as pool:
            assert list(pool.map(use, [(number, start)] * 6)) == [0] * 6
