"""Share a few places among owners: the one with fewest running goes first, then the one that was served longest ago.

So an owner alone may use every place; while another owner waits, it gets the next place that is free. What an owner
may have waiting is bounded, and refused beyond that at once.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Final

from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

WAITING: Final = (
    32  # queries of one owner that may wait; a model asks one at a time, so more are a mistake or an attack
)


class Turn:
    """One query of an owner, which waits, runs or has ended."""

    __slots__ = ("is_running", "owner", "start")

    def __init__(self, owner: str, start: Callable[[], None]) -> None:
        self.owner = owner
        self.start = start
        self.is_running = False


class Turns:
    """Gives ``places`` to those who ask, fairly. Safe from several threads."""

    def __init__(self, places: int, *, waiting: int = WAITING) -> None:
        self._places = places
        self._most_waiting = waiting
        self._lock = threading.Lock()
        self._running: Counter[str] = Counter()
        self._waiting: dict[str, deque[Turn]] = {}
        self._served: dict[str, int] = {}  # of owners that have something running or waiting, by a count of turns
        self._numbers = count(1)

    def ask(self, owner: str, start: Callable[[], None]) -> Turn:
        """Wait for a place: ``start`` is called when there is one, maybe at once. ``end`` the turn in any case.

        Raises a ``CallerError`` if too many queries of this owner wait already.
        """
        turn = Turn(owner, start)
        with self._lock:
            queue = self._waiting.setdefault(owner, deque())
            if len(queue) >= self._most_waiting:
                raise CallerError(
                    f"{len(queue)} queries of yours are waiting already", do="wait for their answers, then ask again"
                )
            queue.append(turn)
            started = self._start_next()
        _call(started)
        return turn

    def end(self, turn: Turn) -> None:
        """Give the place back, or stop waiting for one. A second time does nothing."""
        with self._lock:
            if turn.is_running:
                turn.is_running = False
                self._running[turn.owner] -= 1
            else:
                self._withdraw(turn)
            started = self._start_next()
            if not self._running[turn.owner]:
                del self._running[turn.owner]
                if turn.owner not in self._waiting:
                    self._served.pop(turn.owner, None)
        _call(started)

    @contextmanager
    def turn(self, owner: str, seconds: float) -> Iterator[None]:
        """Wait for a place in this thread, for so many seconds."""
        has_place = threading.Event()
        turn = self.ask(owner, has_place.set)
        try:
            if not has_place.wait(seconds):
                raise CallerError("all query workers are busy", do="ask again in some seconds")
            yield
        finally:
            self.end(turn)

    def _withdraw(self, turn: Turn) -> None:
        queue = self._waiting.get(turn.owner, deque())
        if turn in queue:
            queue.remove(turn)
        if not queue:
            self._waiting.pop(turn.owner, None)

    def _start_next(self) -> list[Turn]:
        started = []
        while self._waiting and self._running.total() < self._places:
            owner = min(self._waiting, key=lambda one: (self._running[one], self._served.get(one, 0)))
            queue = self._waiting[owner]
            turn = queue.popleft()
            turn.is_running = True
            self._running[owner] += 1
            self._served[owner] = next(self._numbers)
            if not queue:
                del self._waiting[owner]
            started.append(turn)
        return started


def _call(turns: list[Turn]) -> None:
    for turn in turns:
        turn.start()
