"""Run by ``test_sqlite_kill``: one operation of a store, in a forked process that kills itself at one step of it.

A step is a line of ``penstock.stores`` that is about to run, or some instructions that SQLite has carried out in it.
For each line ``OPERATION FILE STEP`` on standard input one process is forked, and how it ended is printed: ``dead
CODE``. With ``-1`` for the step it runs to the end, and prints ``steps`` and the names of all its steps before.
"""

from __future__ import annotations

import os
import random
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from penstock.stores import Metadata, NewRecord, Store, open_store, sqlite_file

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable
    from types import FrameType

STORES: Final = os.fspath(Path(sqlite_file.__file__).parent)
INSTRUCTIONS: Final = 40  # of SQLite between two steps
START: Final = 1_800_000_000.0
EARLIER: Final = 6  # results that a store has before the operation, the first two of which expire
SIZE: Final = 40_000  # bytes of each; two blocks of a store hold less
NEW: Final = "r_" + "n" * 22  # of the result that is put
MAX_BYTES: Final = 300_000  # so that a put evicts


def handle(number: int) -> str:
    return f"r_{number:022d}"


def content(name: str) -> bytes:
    """Bytes that can be told from the handle alone, and that hardly pack."""
    return random.Random(name).randbytes(SIZE if name != NEW else 4 * SIZE)


def made(name: str, *, tool: str = "kept", expires: float | None = None) -> NewRecord:
    raw = content(name)
    meta = Metadata(tool=tool, created=START, expires=expires, size=len(raw))
    return NewRecord(handle=name, owner="me", raw=raw, index=b"index", meta=meta)


def opened(file: str, *, late: bool = False, max_bytes: int = MAX_BYTES) -> Store:
    """Open a store at a time when nothing has expired yet, or when two of its results have."""
    return open_store(f"sqlite://{file}", now=lambda: START + (100.0 if late else 1.0), max_bytes=max_bytes)


def fill(file: str) -> None:
    """Make the file that operations begin with: results that expire, that are purged, and that stay."""
    with opened(file) as store:
        for number in range(EARLIER):
            tool = "purged" if number in (2, 3) else "kept"
            store.put(made(handle(number), tool=tool, expires=START + 50 if number < 2 else None))


OPERATIONS: Final[dict[str, Callable[[str], object]]] = {
    "put": lambda file: opened(file).put(made(NEW)),
    "put late": lambda file: opened(file, late=True).put(made(NEW)),  # which removes what has expired
    "put first": lambda file: opened(file).put(made(NEW)),  # into a file that is not there yet
    "touch": lambda file: opened(file).touch("me", handle(5), expires=START + 500, seen=b"seen"),
    "drop": lambda file: opened(file).drop("me", handle(4)),
    "sweep": lambda file: opened(file, late=True).sweep(),
    "purge": lambda file: opened(file).purge(tool="purged"),
    "count": lambda file: opened(file).add_counts("tool", calls=1),
}


class Steps:
    """Counts the steps of an operation, and kills the process at the one that is wanted."""

    def __init__(self, wanted: int) -> None:
        self._wanted = wanted
        self._line = ""
        self._within = 0
        self.names: list[str] = []

    def run(self, operation: Callable[[], object]) -> None:
        real = sqlite_file.Database._connect

        def connected(database: sqlite_file.Database) -> sqlite3.Connection:
            db = real(database)
            db.set_progress_handler(self._instructions, INSTRUCTIONS)
            return db

        setattr(sqlite_file.Database, "_connect", connected)  # noqa: B010
        sys.settrace(self._called)
        try:
            operation()
        finally:
            sys.settrace(None)

    def _called(self, frame: FrameType, event: str, argument: Any) -> Any:
        return self._traced if frame.f_code.co_filename.startswith(STORES) else None

    def _traced(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self._line, self._within = f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}", 0
            self._step(self._line)
        return self._traced

    def _instructions(self) -> int:
        self._within += INSTRUCTIONS
        self._step(f"{self._line} +{self._within}")
        return 0

    def _step(self, name: str) -> None:
        if len(self.names) == self._wanted:
            os.kill(os.getpid(), signal.SIGKILL)
        self.names.append(name)


def main() -> None:
    for line in sys.stdin:
        operation, file, step = line.rstrip("\n").split("\t")
        child = os.fork()
        if child == 0:
            steps = Steps(int(step))
            steps.run(lambda: OPERATIONS[operation](file))  # noqa: B023  (it runs at once)
            os.write(1, ("\t".join(["steps", *steps.names]) + "\n").encode())
            os._exit(0)
        _, status = os.waitpid(child, 0)
        os.write(1, f"dead\t{os.waitstatus_to_exitcode(status)}\n".encode())


if __name__ == "__main__":
    main()
