"""The worker processes: which of them gets a job, and what they keep for the next one.

One bound holds for the tables that all of them keep together. What was not asked for longest goes first; what has
expired, or was dropped by its owner, goes at once. A worker that has ever kept a table belongs to the owner of it.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from penstock.query.sandbox.process import Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.query.source import Keeping


@dataclass(slots=True)
class _Use:
    """The last query of a result, by a count of jobs, and the time when it expires."""

    number: int
    expires: float | None


@dataclass(slots=True, eq=False)
class _Place:
    """A worker, whose it is, what is known of the results that it keeps, and which of them to drop when it is back."""

    worker: Worker
    owner: str | None = None
    uses: dict[str, _Use] = field(default_factory=dict)
    to_forget: set[str] = field(default_factory=set)


class Pool:
    """At most ``most`` workers, which ``start`` starts, and which keep ``held`` bytes. Safe from several threads."""

    def __init__(self, *, most: int, held: int, now: Callable[[], float], start: Callable[[], Worker] = Worker) -> None:
        self._start = start
        self._most = most
        self._held = held
        self._now = now
        self._lock = threading.Lock()
        self._idle: list[_Place] = []  # the one that was used last at the end
        self._busy: dict[int, _Place] = {}  # by process id
        self._numbers = count()

    @property
    def idle(self) -> tuple[int, ...]:
        with self._lock:
            return tuple(place.worker.pid for place in self._idle)

    def take(self, keeping: Sequence[Keeping]) -> Worker:
        """Return a worker for a job on these results: one that keeps most of them, or none yet, or a new one. Another
        owner's idle worker is ended if there would be too many."""
        owner = keeping[0].owner if keeping else None
        ended: list[_Place] = []
        with self._lock:
            self._drop_expired()
            ended += [place for place in self._idle if not place.worker.alive]
            self._idle = [place for place in self._idle if place.worker.alive]
            place = self._best(owner, {one.handle for one in keeping})
            if place is not None:
                self._idle.remove(place)
            elif self._idle and len(self._idle) + len(self._busy) >= self._most:
                ended.append(self._idle.pop(0))
        for one in ended:
            one.worker.close()  # before another starts, which may be for another owner
        place = place or _Place(self._start())
        with self._lock:
            self._busy[place.worker.pid] = place
        return place.worker

    def give_back(self, worker: Worker, keeping: Sequence[Keeping]) -> None:
        """Put a worker back, with what it says that it keeps now."""
        with self._lock:
            place = self._busy.pop(worker.pid)
            number = next(self._numbers)
            if worker.held:
                place.owner = keeping[0].owner if place.owner is None else place.owner
            place.uses |= {one.handle: _Use(number, one.expires) for one in keeping}
            place.uses = {key: use for key, use in place.uses.items() if key in worker.held}
            self._idle.append(place)
            self._drop(place, list(place.to_forget))
            place.to_forget.clear()
            self._drop_oldest()

    def end(self, worker: Worker) -> None:
        """End a worker that is not in order."""
        with self._lock:
            self._busy.pop(worker.pid, None)
        worker.kill()
        worker.close()

    def forget(self, owner: str, handle: str) -> None:
        with self._lock:
            for place in self._places():
                if place.owner in (owner, None):
                    self._drop(place, [handle])

    def sweep(self) -> None:
        with self._lock:
            self._drop_expired()

    def close(self) -> None:
        with self._lock:
            places, self._idle = self._idle, []
        for place in places:
            place.worker.close()

    def _best(self, owner: str | None, handles: set[str]) -> _Place | None:
        """Return the idle worker that keeps most of these results; of several the one used last, which is the
        warmest."""
        fit = [place for place in self._idle if place.owner is None or place.owner == owner]
        return max(
            reversed(fit), key=lambda place: (len(handles & place.uses.keys()), place.owner is not None), default=None
        )

    def _places(self) -> list[_Place]:
        return [*self._idle, *self._busy.values()]

    def _drop_expired(self) -> None:
        now = self._now()
        for place in self._places():
            gone = [key for key, use in place.uses.items() if use.expires is not None and use.expires <= now]
            self._drop(place, gone)

    def _drop_oldest(self) -> None:
        """Keep within the bound. What is larger than the bound by itself goes first, or all others would go for it."""
        kept = [(place, key, size) for place in self._places() for key, size in place.worker.held.items()]
        kept.sort(key=lambda one: (one[2] <= self._held, one[0].uses[one[1]].number if one[1] in one[0].uses else 0))
        total = sum(size for *_, size in kept)
        for place, key, size in kept:
            if total <= self._held:
                break
            self._drop(place, [key])
            total -= size

    def _drop(self, place: _Place, keys: Sequence[str]) -> None:
        """Let a worker drop results: an idle one now, a busy one when it is back."""
        for key in keys:
            place.uses.pop(key, None)
        if place not in self._idle:
            place.to_forget.update(keys)
        elif kept := [key for key in keys if key in place.worker.held]:
            place.worker.forget(kept)
