"""Turns of threads: the time that one may keep the interpreter's lock while others wait for it.

Five milliseconds is what Python gives each. While a very long line arrives that is too much: the thread that reads it
lets go of the lock at each read, and so does the one that packs at each block, and each time they wait that long for
those that unescape and index. A read and a block take a tenth of a millisecond, and behind the line wait the responses
to other calls.
"""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from types import TracebackType

SHORT: Final = 0.000_2  # seconds: what one step of the work takes, so that about one is done in a turn


class ShortTurns:
    """Shortens turns as long as anyone is inside. Safe from several threads at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._before = 0.0

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._before = sys.getswitchinterval()
                sys.setswitchinterval(min(SHORT, self._before))
            self._inside += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                sys.setswitchinterval(self._before)


SHORT_TURNS: Final = ShortTurns()  # one, as the interpreter has one lock
