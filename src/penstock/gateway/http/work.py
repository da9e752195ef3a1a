"""The gate beside the event loop: what it decides and reads takes time, and a thread."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, TypeVar

from penstock.gateway.http.room import Room
from penstock.protocol.lines import LARGE

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.gateway.desk import Desk
    from penstock.gateway.log import Log
    from penstock.gateway.rules import Rules
    from penstock.protocol.commands import Admit, Fetch
    from penstock.stores import Stats

T = TypeVar("T")

STATS_SECONDS: Final = 2.0
THREADS: Final = 8  # jq, SQL, compression and the store release the interpreter's lock
ANSWERS: Final = 1_073_741_824  # bytes of answers that are being read, of all requests: four of the longest
ANYONE: Final = "anyone"  # who shows no token and has no session: a handle that nobody can guess opens for them


class Work:
    """What an upstream's answers need done."""

    def __init__(self, rules: Rules, desk: Desk, log: Log) -> None:
        self.rules = rules
        self._desk = desk
        self._log = log
        self.passed: Counter[str] = Counter()  # calls whose answers passed unread, by tool
        self.room = Room(ANSWERS, free=LARGE)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="penstock-gate")

    async def admit(self, admit: Admit, tool_name: str, owner: str) -> bytes:
        """What the client gets for a result."""
        return await self._run(self._desk.admit, admit, tool_name, owner)

    async def fetch(self, fetch: Fetch, tool_name: str, owner: str) -> bytes:
        """The answer of our own tool. What anyone holds is listed to nobody, or it would need no guessing."""
        from penstock.gate.arguments import Asked  # noqa: PLC0415  (the gate is loaded when it is first needed)

        if owner == ANYONE and Asked(given=fetch.arguments).lists:
            owner = f"{ANYONE}:{os.urandom(16).hex()}"
        return await self._run(self._desk.fetch, fetch, tool_name, owner)

    async def stats(self) -> Stats:
        """What the store holds now. A store that is slow to say so is as good as down to whoever asks."""
        loop = asyncio.get_running_loop()
        return await asyncio.wait_for(loop.run_in_executor(self._threads, self._desk.stats), STATS_SECONDS)

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
        self._threads.shutdown()
        self._desk.close(self.passed)

    async def _run(self, function: Callable[[T, str, str], bytes], command: T, tool_name: str, owner: str) -> bytes:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, function, command, tool_name, owner)
