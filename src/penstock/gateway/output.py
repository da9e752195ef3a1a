"""One writer of a file descriptor for several threads: whole lines, one after the other, with back-pressure."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from penstock.gateway import pipes

if TYPE_CHECKING:
    from collections.abc import Iterable


class Output:
    """Blocking writes under a lock. ``closed`` once the reader has gone; then everything is dropped."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()
        self.closed = False

    def write(self, line: bytes) -> bool:
        """Write all of it; False when the reader has gone."""
        with self._lock:
            return self._write(line)

    def write_parts(self, parts: Iterable[bytes]) -> bool:
        """Write the parts of one line; False when the reader has gone."""
        with self._lock:
            return all(self._write(part) for part in parts)

    def offer(self, line: bytes) -> bool:
        """Write a short line if that needs no waiting."""
        if not self._lock.acquire(blocking=False):
            return False
        try:
            return pipes.has_room(self._descriptor) and self._write(line)
        finally:
            self._lock.release()

    def close(self, patience: float) -> None:
        """Say to the reader that nothing more will come, unless a line is stuck half-way for so many seconds."""
        if self.settle(patience):
            os.close(self._descriptor)

    def settle(self, patience: float) -> bool:
        """Let the line that is being written be the last one; False when it is stuck, or was closed already."""
        if not self._lock.acquire(timeout=patience):
            return False
        settled, self.closed = not self.closed, True
        self._lock.release()
        return settled

    def _write(self, line: bytes) -> bool:
        if not self.closed:
            try:
                pipes.write(self._descriptor, line)
            except OSError:
                self.closed = True
        return not self.closed
