"""Run a job in a worker process, within the limits that hold for each job."""

from __future__ import annotations

import time
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from penstock.errors import CallerError
from penstock.query.sandbox.jobs import Job
from penstock.query.sandbox.pool import Pool
from penstock.query.sandbox.process import Answered, Died, NoMemory, OutOfTime, Refused, TooMuch, Worker
from penstock.query.sandbox.turns import Turns
from penstock.share import UNKNOWN, Share

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from penstock.query.sandbox.jobs import Work
    from penstock.query.sandbox.process import Outcome, Text
    from penstock.query.source import Keeping

LEAST_MEMORY: Final = 268_435_456  # bytes for any job: the interpreter takes 40 MB of addresses, hostile jobs the rest
MEMORY_PER_BYTE: Final = 12  # jq holds 8 times the JSON, of which there are two more copies while it is read
BYTES_PER_SECOND: Final = 5_000_000  # at which jq reads on a busy machine: that time comes to the job's own
LARGE: Final = 209_715_200  # bytes that a worker has after a job, from which on it is not kept
OLD: Final = 1_000  # jobs, after which a worker is not kept: SQLite's module forgets nothing that it was told of types


class TookTooLong(CallerError):  # noqa: N818  # the caller's fault, as its base
    """The query took longer than it may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """The bytes that a job has to read, and how many of them it has in memory at once."""

    size: int
    at_once: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JobLimits:
    """The limits of one job.

    ``seconds``  of its own, beside the time that reading the data takes.
    ``memory``   bytes that a worker may have at the very most; less for small data.
    ``output``   bytes of an answer.
    ``page``     bytes of an answer to SQL: its first rows; the others are only counted.
    ``rows``     of an answer to SQL.
    ``held``     bytes of loaded tables that all workers together keep for the next job.
    ``queue``    seconds that a job waits for a free worker.
    """

    seconds: float = 5.0
    memory: int = 2_147_483_648
    output: int = 67_108_864
    page: int = 16_777_216
    held: int = 268_435_456
    rows: int = 1_000_000
    queue: float = 30.0

    def time_for(self, load: Load) -> float:
        return self.seconds + load.size / BYTES_PER_SECOND

    def memory_for(self, load: Load) -> int:
        return min(self.memory, LEAST_MEMORY + MEMORY_PER_BYTE * load.at_once)


class Sandbox:
    """At most ``workers`` processes, started when they are first needed and again when one had to be killed.

    Threads may ask at the same time: each has a worker for itself, or waits for its owner's turn. A worker that has
    kept tables is asked by their owner only, for as long as it lives: for another owner it is ended. ``now`` is the
    clock that results expire by.
    """

    def __init__(
        self,
        *,
        workers: int = 2,
        limits: JobLimits | None = None,
        now: Callable[[], float] = time.time,
        start: Callable[[], Worker] = Worker,
    ) -> None:
        self.limits = limits or JobLimits()
        self._pool = Pool(most=workers, held=self.limits.held, now=now, start=start)
        self._turns = Turns(workers)
        self._end = weakref.finalize(self, self._pool.close)

    @property
    def idle(self) -> tuple[int, ...]:
        """Return the process ids of the workers that wait for a job."""
        return self._pool.idle

    def ask(
        self,
        work: Work,
        texts: Sequence[Iterable[Text]],
        *,
        load: Load,
        what: str,
        keeping: Sequence[Keeping] = (),
        share: Share = UNKNOWN,
    ) -> Answered:
        """Put a question to a worker, with so much data to read. ``what`` names it in an error. ``keeping`` are the
        results that it is about, all of one owner, as far as they may be kept. ``share`` is who asks: shares take
        turns."""
        seconds, memory = self.limits.time_for(load), self.limits.memory_for(load)
        with self._turns.turn(share, self.limits.queue):
            outcome = self._ask(work, texts, seconds, memory, keeping)
        match outcome:
            case Answered():
                return outcome
            case Refused():
                raise CallerError(outcome.what, do=outcome.do)
            case OutOfTime():
                raise TookTooLong(
                    f"the {what} took longer than {seconds:.3g} s and was stopped",
                    do="ask for less at once, or look for a loop in it that never ends",
                )
            case TooMuch():
                raise CallerError(
                    f"the {what} gives more than {self.limits.output:,} bytes and was stopped",
                    do="select fewer items or fields, or count them instead",
                )
            case NoMemory():
                raise CallerError(
                    f"the {what} needs more than {memory // 1_048_576:,} MB of memory and was stopped",
                    do="let it go through the items one by one, or ask for less at once",
                )
            case Died():
                raise CallerError(f"the {what} ended its worker (status {outcome.status})", do="ask in another way")

    def forget(self, owner: str, handle: str) -> None:
        """Let every worker drop the tables of a result: its owner dropped it."""
        self._pool.forget(owner, handle)

    def sweep(self) -> None:
        """Let every worker drop the tables of results that have expired."""
        self._pool.sweep()

    def close(self) -> None:
        """End the workers that wait; a busy one ends after its job. The next job starts a new one."""
        self._pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(
        self,
        work: Work,
        texts: Sequence[Iterable[Text]],
        seconds: float,
        memory: int,
        keeping: Sequence[Keeping],
    ) -> Outcome:
        """Run one job. The worker is kept only when it is known to be in order, and killed otherwise."""
        worker = self._pool.take(keeping)
        kept = False
        try:
            job = Job(work=work, seconds=seconds, memory=memory + sum(worker.held.values()))
            outcome = worker.ask(job, texts, self.limits.output)
            lean = worker.memory - sum(worker.held.values()) < LARGE
            kept = isinstance(outcome, Answered | Refused) and lean and worker.jobs < OLD
        finally:
            if kept:
                self._pool.give_back(worker, keeping)
            else:
                self._pool.end(worker)
        return outcome
