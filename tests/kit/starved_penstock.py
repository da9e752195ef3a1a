"""``penstock`` without memory for something: ``starved_penstock.py WHAT WORDS...`` runs ``penstock WORDS...``.

``imports``    no memory for the modules of the gate, or for any that the error handler needs
``threads=N``  no memory for more than N threads
"""

from __future__ import annotations

import sys
import threading
from itertools import count
from typing import TYPE_CHECKING, Any

from penstock.cli import main  # "from penstock import cli" would import the gate
from penstock.gateway.stdio import connection as stdio

if TYPE_CHECKING:
    from collections.abc import Sequence

LOST = ("penstock.gate", "penstock.unforeseen", "traceback", "pathlib")
stdio.GRACE = 0.5  # type: ignore[misc]
stdio.LAST_WORK = 1.5  # type: ignore[misc]
stdio.TICK = 0.1  # type: ignore[misc]


class NoMemory:
    """Finds no module that is to be imported from now on."""

    def find_spec(self, name: str, _path: Sequence[str] | None = None, _target: object = None) -> None:
        if name.startswith(LOST) and not name.startswith("penstock.gateway"):
            raise MemoryError


def starve(what: str) -> None:
    if what == "imports":
        sys.meta_path.insert(0, NoMemory())
        return
    most, numbers, start = int(what.partition("=")[2]), count(1), threading._start_new_thread  # type: ignore[attr-defined]

    def start_some(*args: Any) -> int:
        if next(numbers) > most:
            raise RuntimeError("can't start new thread")
        return int(start(*args))

    threading._start_new_thread = start_some  # type: ignore[attr-defined]


if __name__ == "__main__":
    starve(sys.argv.pop(1))
    sys.exit(main())
