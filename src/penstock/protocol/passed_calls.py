"""Count the calls whose results pass unread, by server, tool and size; several threads and exchanges may share one."""

from __future__ import annotations

import threading
from typing import Final, NamedTuple

from penstock.core.tokens.size_class import BYTES_PER_TOKEN, size_class

MAX_COUNTED: Final = 1_000  # names and size classes between two writes; clients make names up
MAX_NAME: Final = 128  # characters of a name that is counted or logged


class PassedKey(NamedTuple):
    """The key that passed calls are counted by; ``up_to`` is the size class."""

    server: str
    tool: str
    up_to: int


class PassedCalls:
    """Calls and the bytes of their results since they were last taken."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counted: dict[PassedKey, tuple[int, int]] = {}

    def __bool__(self) -> bool:
        """Return True if there is anything to take."""
        return bool(self._counted)

    def add(self, server: str, tool: str, size: int) -> None:
        """Count a result of so many bytes."""
        if len(tool) > MAX_NAME:
            return
        key = PassedKey(server, tool, size_class(size // BYTES_PER_TOKEN))
        with self._lock:
            calls, total = self._counted.get(key, (0, 0))
            if calls or len(self._counted) < MAX_COUNTED:
                self._counted[key] = calls + 1, total + size

    def take(self) -> dict[PassedKey, tuple[int, int]]:
        """Return calls and bytes by server, tool and class, and begin anew."""
        with self._lock:
            taken, self._counted = self._counted, {}
        return taken
