"""Divide a few places among shares: the group with fewest running goes first, then the one that was served longest ago,
and in the group its parts likewise.

So a caller alone may use every place; while another group waits, it gets the next place that is free, however many
sessions the others open. What a group may have waiting is bounded, and refused beyond that at once.
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

    from penstock.share import Share

WAITING: Final = 32  # queries of one group that may wait; a model asks one at a time: more are a mistake or an attack


class Turn:
    """One query of a share, which waits, runs or has ended."""

    __slots__ = ("is_running", "share", "start")

    def __init__(self, share: Share, start: Callable[[], None]) -> None:
        self.share = share
        self.start = start
        self.is_running = False


class Turns:
    """Gives ``places`` to those who ask, fairly. Safe from several threads."""

    def __init__(self, places: int, *, waiting: int = WAITING) -> None:
        self._places = places
        self._most_waiting = waiting
        self._lock = threading.Lock()
        self._in_use = 0
        self._running: Counter[str | Share] = Counter()  # of groups, and of their parts
        self._waiting: dict[str, dict[Share, deque[Turn]]] = {}  # by group
        self._served: dict[str | Share, int] = {}  # of those with a turn that runs or waits, by a count of turns
        self._numbers = count(1)

    def ask(self, share: Share, start: Callable[[], None]) -> Turn:
        """Wait for a place: ``start`` is called when there is one, maybe at once. ``end`` the turn in any case.

        Raises a ``CallerError`` if too many queries of this group wait already.
        """
        turn = Turn(share, start)
        with self._lock:
            waiting = sum(map(len, self._waiting.get(share.group, {}).values()))
            if waiting >= self._most_waiting:
                raise CallerError(
                    f"{waiting} queries of yours are waiting already", do="wait for their answers, then ask again"
                )
            self._waiting.setdefault(share.group, {}).setdefault(share, deque()).append(turn)
            started = self._start_next()
        _call(started)
        return turn

    def end(self, turn: Turn) -> None:
        """Give the place back, or stop waiting for one. A second time does nothing."""
        share = turn.share
        with self._lock:
            if turn.is_running:
                turn.is_running = False
                self._in_use -= 1
                self._running -= Counter((share.group, share))
            else:
                self._withdraw(turn)
            started = self._start_next()
            parts = self._waiting.get(share.group, {})
            for key, waits in ((share.group, bool(parts)), (share, share in parts)):
                if not waits and not self._running[key]:
                    self._served.pop(key, None)
        _call(started)

    @contextmanager
    def turn(self, share: Share, seconds: float) -> Iterator[None]:
        """Wait for a place in this thread, for so many seconds."""
        has_place = threading.Event()
        turn = self.ask(share, has_place.set)
        try:
            if not has_place.wait(seconds):
                raise CallerError("all query workers are busy", do="ask again in some seconds")
            yield
        finally:
            self.end(turn)

    def _withdraw(self, turn: Turn) -> None:
        queue = self._waiting.get(turn.share.group, {}).get(turn.share, deque())
        if turn in queue:
            queue.remove(turn)
            self._drop_empty(turn.share)

    def _drop_empty(self, share: Share) -> None:
        parts = self._waiting[share.group]
        if not parts[share]:
            del parts[share]
        if not parts:
            del self._waiting[share.group]

    def _start_next(self) -> list[Turn]:
        started = []
        while self._waiting and self._in_use < self._places:
            group = min(self._waiting, key=self._precedence)
            share = min(self._waiting[group], key=self._precedence)
            turn = self._waiting[group][share].popleft()
            self._drop_empty(share)
            turn.is_running = True
            self._in_use += 1
            number = next(self._numbers)
            for key in (group, share):
                self._running[key] += 1
                self._served[key] = number
            started.append(turn)
        return started

    def _precedence(self, key: str | Share) -> tuple[int, int]:
        return self._running[key], self._served.get(key, 0)


def _call(turns: list[Turn]) -> None:
    for turn in turns:
        turn.start()
