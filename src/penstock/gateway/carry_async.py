"""``carry`` for an event loop: what takes long runs in threads, by turns of shares; queries have threads apart."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

from penstock.errors import CallerError
from penstock.gate.fair_threads import FairThreads, is_query
from penstock.gate.outcome import FAILED, outcome_of_passed
from penstock.gateway.shared_limit import SharedLimit
from penstock.protocol.commands import Resolve
from penstock.protocol.wire.lines import LARGE, TooLong
from penstock.share import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.gate.outcome import Outcome
    from penstock.gate.owners import Owner
    from penstock.gateway.carry import Carried, Carrier
    from penstock.protocol.commands import Admit, Command, GateWork, ToClient
    from penstock.protocol.exchange import Exchange
    from penstock.protocol.wire.lines import Line
    from penstock.share import Share
    from penstock.spool import Spool
    from penstock.stores import Stats

P = ParamSpec("P")
T = TypeVar("T")

STATS_SECONDS: Final = 2.0
THREADS: Final = 8  # jq, SQL, compression and the store release the interpreter's lock
MAX_RESULT_BYTES: Final = 1_073_741_824  # bytes of results that are being read, of all requests: four of the longest


class AsyncCarrier:
    """A carrier behind an event loop."""

    def __init__(self, carrier: Carrier) -> None:
        self._carrier = carrier
        self.rules = carrier.rules
        self.log = carrier.log
        self.owners = carrier.owners
        self.passed = carrier.passed
        self.room = SharedLimit(MAX_RESULT_BYTES, free=LARGE)
        self._threads = FairThreads(THREADS)
        self._queries = FairThreads.for_queries()
        self._looking = ThreadPoolExecutor(1, thread_name_prefix="penstock-stats")
        self._stats: Future[Stats] | None = None  # the last look at the store
        carrier.count_now_and_then()

    async def classify(self, exchange: Exchange, line: Line) -> Sequence[Command]:
        """Handle one line of the upstream."""
        if not isinstance(line, TooLong) and len(line) > LARGE:
            return await asyncio.to_thread(self._carrier.classify, exchange, line)
        return self._carrier.classify(exchange, line)

    def new_spool(self) -> Spool:
        """Return a place for a line that arrives."""
        return self._carrier.new_spool()

    def classify_now(self, exchange: Exchange, line: Line) -> Sequence[Command]:
        """Handle one line that is not large."""
        return self._carrier.classify(exchange, line)

    async def admit(self, exchange: Exchange, admit: Admit, owner: Owner | None = None) -> Carried:
        """Let the gate decide on a result."""
        try:
            return await self._threads.run(_share(owner), lambda: self._carrier.admit(exchange, admit, owner))
        except Exception as error:  # noqa: BLE001  (no memory for another thread, for example)
            return self._carrier.fail(exchange, admit.request, error)

    async def carry(self, exchange: Exchange, work: GateWork, owner: Owner | None = None) -> Carried:
        """Let the gate do what a command asks for. A query waits for its share's turn, and may be refused."""
        asks = not isinstance(work, Resolve) and is_query(work.arguments)
        threads = self._queries if asks else self._threads
        try:
            return await threads.run(_share(owner), lambda: self._carrier.carry(exchange, work, owner))
        except CallerError as error:
            return self._carrier.refuse(exchange, work, error)
        except Exception as error:  # noqa: BLE001
            return self._carrier.fail(exchange, work.request, error)

    async def stats(self) -> Stats:
        """Return what the store holds now; raise a ``TimeoutError`` when it does not answer in two seconds. All who ask
        at once share one look."""
        if self._stats is None or self._stats.done():
            self._stats = self._looking.submit(self._carrier.stats)
        return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(self._stats)), STATS_SECONDS)

    def failed(self, name: str, error: Exception) -> str:
        """Log why a response could not be made, and return the words for the client."""
        return self._carrier.failed(name, error)

    def close(self) -> None:
        """Finish what is under way, write the counters, and close the store."""
        for threads in (self._queries, self._threads, self._looking):
            threads.shutdown()
        self._carrier.close()

    async def leave(self, patience: float) -> None:
        """Close, but never raise, and wait no longer than ``patience`` seconds for the store."""
        loop = asyncio.get_running_loop()
        try:
            await asyncio.wait_for(loop.run_in_executor(self._looking, self._carrier.leave), patience)
        except TimeoutError:
            self.log.note("warning", "the counters were not written: the store does not answer")


def _share(owner: Owner | None) -> Share:
    return UNKNOWN if owner is None else owner.share


async def in_thread_if_large(size: int, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call ``function``, which works on ``size`` bytes, in a thread when it would hold up other clients."""
    return await asyncio.to_thread(function, *args, **kwargs) if size > LARGE else function(*args, **kwargs)


def outcome_of(response: ToClient) -> Outcome:
    """Return the outcome of a response that did not come from the gate: an error, or a result that passed unread."""
    return FAILED if response.code or response.result is None else outcome_of_passed(response.result)
