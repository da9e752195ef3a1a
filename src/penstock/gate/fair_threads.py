"""Run what takes time beside an event loop, in threads that shares (``penstock.share``) use by turns.

Queries have threads of their own, and wait for their turn without one: so admissions, pages and lists never stand
behind a query, and no caller's work stands behind all that another has waiting.
"""

from __future__ import annotations

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from penstock.errors import CallerError
from penstock.query.sandbox.turns import WAITING, Turns

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.share import Share

T = TypeVar("T")

QUERIES: Final = 4  # queries at once: two in workers, and others that search in a thread or wait for a worker
QUEUE_SECONDS: Final = 30.0  # that a query waits for its turn
# Actions that read a bounded part, or nothing: a call of ``more`` waits for a tool, and joins pages as they come.
BOUNDED: Final = frozenset(("info", "list", "get", "get_page", "outline", "more", "drop"))
ASKING: Final = ("jq_filter", "sql", "pattern")  # arguments that imply another action where none is named


def is_query(arguments: Mapping[str, Any]) -> bool:
    """Return True if a call of our tools looks at all of a held result, and so takes its turn."""
    action = arguments.get("action")
    if isinstance(action, str) and action:
        return action not in BOUNDED
    return any(arguments.get(name) is not None for name in ASKING)


class FairThreads:
    """Runs functions in so many threads, by turns of their shares."""

    def __init__(self, places: int, *, waiting: int = sys.maxsize, queue_seconds: float | None = None) -> None:
        """Let ``waiting`` functions of one group wait at most, each for ``queue_seconds``."""
        self._turns = Turns(places, waiting=waiting)
        self._queue_seconds = queue_seconds
        self._threads = ThreadPoolExecutor(places, thread_name_prefix="penstock-gate")

    @classmethod
    def for_queries(cls) -> Self:
        """Make threads for queries, of which each group may have a few waiting, for a while."""
        return cls(QUERIES, waiting=WAITING, queue_seconds=QUEUE_SECONDS)

    async def run(self, share: Share, function: Callable[[], T]) -> T:
        """Run the function in a thread and return its value. Raise ``CallerError`` if too many calls of this group
        wait, or this one waits too long."""
        loop = asyncio.get_running_loop()
        has_turn = asyncio.Event()

        def start() -> None:
            loop.call_soon_threadsafe(has_turn.set)

        turn = self._turns.ask(share, start)
        try:
            async with asyncio.timeout(self._queue_seconds):
                await has_turn.wait()
        except BaseException as error:
            self._turns.end(turn)
            if isinstance(error, TimeoutError):
                raise CallerError("other queries take longer than usual", do="ask again in some seconds") from None
            raise
        try:
            running = self._threads.submit(function)
        except BaseException:  # The system may have no memory for another thread.
            self._turns.end(turn)
            raise
        running.add_done_callback(lambda _: self._turns.end(turn))  # also if its caller waits no more
        return await asyncio.wrap_future(running)

    def shutdown(self) -> None:
        """Let the threads go, once what they do is done."""
        self._threads.shutdown()
