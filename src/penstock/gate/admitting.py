"""Limit how many results are read as objects at once, and pause Python's garbage collector meanwhile."""

from __future__ import annotations

import gc
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

SMALL: Final = 65_536  # bytes of a result that is read at once: it takes a few milliseconds
MOST: Final = 16_777_216  # bytes of results that are read at the same time; as objects they take several times that


class Admitting:
    """Lets results be read a few at a time. Python runs one thread at a time anyway: no result waits longer for it."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._used = 0
        self._free = threading.Condition()

    @contextmanager
    def reading(self, size: int) -> Iterator[None]:
        """Enter when there is memory for a result of this many bytes."""
        if size <= SMALL:
            yield
            return
        share = min(size, self._most)
        with self._free:
            self._free.wait_for(lambda: self._used + share <= self._most)
            self._used += share
        try:
            yield
        finally:
            with self._free:
                self._used -= share
                self._free.notify_all()


@contextmanager
def collector_waits(size: int) -> Iterator[None]:
    """Keep Python from looking for garbage in cycles while a result of this many bytes is admitted.

    A result becomes hundreds of thousands of objects in milliseconds, none of them garbage, and looking at each of them
    again and again, until the last of them is let go, would take half of the time.
    """
    if size <= SMALL:
        yield
        return
    _COLLECTOR.pause()
    try:
        yield
    finally:
        _COLLECTOR.resume()


class _Collector:
    """Pause Python's collector of cycles, which the whole process shares, while at least one caller wants it paused."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting = 0
        self._was_on = False

    def pause(self) -> None:
        with self._lock:
            if not self._waiting:
                self._was_on = gc.isenabled()
                gc.disable()
            self._waiting += 1

    def resume(self) -> None:
        with self._lock:
            self._waiting -= 1
            if not self._waiting and self._was_on:
                gc.enable()


_COLLECTOR: Final = _Collector()
