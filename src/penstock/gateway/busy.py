"""Shortens the turns of threads, and reuses memory, while a very long line arrives.

Five milliseconds is what Python gives a thread that keeps the interpreter's lock while others wait for it. Here that is
too much: the thread that reads the line lets go of the lock at each read, and so does the one that packs at each block,
and each time they wait that long for those that unescape and index. A read and a block take a tenth of a millisecond,
and behind the line wait the responses to other calls.
"""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Final

from penstock.gateway.malloc import give_back_what_is_freed, reuse_what_is_freed, trim

if TYPE_CHECKING:
    from types import TracebackType

SHORT: Final = 0.000_2  # seconds: what one step of the work takes, so that about one is done in a turn


class Busy:
    """Lasts as long as anyone is inside. Safe from several threads at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._before = 0.0

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._before = sys.getswitchinterval()
                sys.setswitchinterval(min(SHORT, self._before))
                reuse_what_is_freed()
            self._inside += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                sys.setswitchinterval(self._before)
                give_back_what_is_freed()
                trim()


BUSY: Final = Busy()  # one, as the interpreter has one lock, and the process one memory
