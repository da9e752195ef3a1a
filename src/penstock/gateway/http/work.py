"""The gate beside the event loop: what it decides and reads takes time, and a thread."""

from __future__ import annotations

import asyncio
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

from penstock.errors import CallerError
from penstock.gate.fair_threads import FairThreads, is_query
from penstock.gateway.http.room import Room
from penstock.protocol.wire.lines import LARGE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.gate.owners import Owner
    from penstock.gateway.desk import Desk
    from penstock.gateway.log import Log
    from penstock.gateway.rules import Rules
    from penstock.protocol.commands import Admit, Command, Fetch
    from penstock.protocol.exchange import Exchange
    from penstock.stores import Stats

P = ParamSpec("P")
T = TypeVar("T")

STATS_SECONDS: Final = 2.0
THREADS: Final = 8  # jq, SQL, compression and the store release the interpreter's lock
ANSWERS: Final = 1_073_741_824  # bytes of answers that are being read, of all requests: four of the longest


class Work:
    """What an upstream's answers need done."""

    def __init__(self, rules: Rules, desk: Desk, log: Log) -> None:
        self.rules = rules
        self._desk = desk
        self._log = log
        self.owners = desk.owners
        self.passed: Counter[str] = Counter()  # calls whose answers passed unread, by tool
        self.room = Room(ANSWERS, free=LARGE)
        self._threads = FairThreads(THREADS)
        self._queries = FairThreads.for_queries()
        self._looking = ThreadPoolExecutor(1, thread_name_prefix="penstock-stats")
        self._stats: Future[Stats] | None = None  # while the store is being asked

    async def admitted(self, exchange: Exchange, admit: Admit, owner: Owner | None) -> Sequence[Command]:
        """What the client gets for a result; an error, if it cannot be made."""
        try:
            result = await self._run(self._threads, self._desk.admit, admit, exchange.tool_name, owner)
            return await beside(len(admit.line), exchange.admitted, admit, result)
        except Exception as error:  # noqa: BLE001  (whatever happens, the request is answered)
            return exchange.failed(admit.waiting, self.failed(admit.waiting.name, error))

    async def fetched(self, exchange: Exchange, fetch: Fetch, owner: Owner | None) -> Sequence[Command]:
        """The answer of our own tool."""
        try:
            threads = self._queries if is_query(fetch.arguments) else self._threads
            result = await self._run(threads, self._desk.fetch, fetch, exchange.tool_name, owner)
            return exchange.fetched(fetch, result)
        except CallerError as error:  # the query did not get its turn
            from penstock.gate.answers import failure  # noqa: PLC0415  (not before the gate is needed)

            return exchange.fetched(fetch, failure(error))
        except Exception as error:  # noqa: BLE001
            return exchange.failed(fetch.waiting, self.failed(fetch.waiting.name, error))

    async def stats(self) -> Stats:
        """What the store holds now; a ``TimeoutError`` while it is busy. All who ask at once share one look."""
        if self._stats is None or self._stats.done():
            self._stats = self._looking.submit(self._desk.stats)
        return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(self._stats)), STATS_SECONDS)

    def note(self, level: str, text: str) -> None:
        self._log.note(level, text)

    def say(self, line: str) -> None:
        """Hand on what a server says beside the protocol."""
        self._log.write(line)

    def failed(self, name: str, error: Exception) -> str:
        """Words for whoever waits for an answer that could not be made."""
        self._log.note("error", f"an answer to {name} could not be made: {type(error).__name__}: {error}")
        return f"Penstock could not make the answer ({type(error).__name__}); repeat the call, or narrow it"

    def close(self) -> None:
        """Finish what is under way, write the counters, and let go of the store."""
        for threads in (self._queries, self._threads, self._looking):
            threads.shutdown()
        self._desk.close(self.passed)

    async def _run(
        self,
        threads: FairThreads,
        function: Callable[[T, str, Owner | None], bytes],
        command: T,
        tool_name: str,
        owner: Owner | None,
    ) -> bytes:
        share = "" if owner is None else owner.share
        return await threads.run(share, lambda: function(command, tool_name, owner))


async def beside(size: int, function: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
    """What a function gives for so many bytes. Many are left to a thread, or they would hold up everybody else."""
    return await asyncio.to_thread(function, *given, **named) if size > LARGE else function(*given, **named)
