"""Many clients at several replicas: each holds on one and reads on another, as if a balancer stood in between.

A client goes on to the next replica when one does not answer, or says that it is about to end. What was acknowledged,
that is: whose handle was given out, must be readable from then on, by its owner and by nobody else.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import aiohttp
from tests.kit.answers import head_of, split
from tests.kit.scale.serving import message
from tests.kit.scale.upstream import records
from tests.kit.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

WHOLE = 32  # one in so many is read from its beginning to its end
FETCH = "fetch_cached_response"


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A result whose handle a client was given."""

    client: int
    handle: str
    seed: str


@dataclass(slots=True, kw_only=True)
class Figures:
    """What came of a load. ``wrong`` are answers that must not be; ``repeated`` are tries that another answered."""

    seconds: list[float] = field(default_factory=list)
    held: list[Held] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    repeated: int = 0
    elapsed: float = 0.0
    answered: dict[str, int] = field(default_factory=dict)  # by replica

    def __str__(self) -> str:
        cuts = statistics.quantiles(self.seconds, n=100)
        return (
            f"{len(self.seconds)} calls, {len(self.held)} held, {len(self.seconds) / self.elapsed:.0f} calls/s, "
            f"p50 {cuts[49] * 1e3:.0f} ms, p99 {cuts[98] * 1e3:.0f} ms, "
            f"{len(self.wrong)} errors, {self.repeated} repeated at another replica"
        )


class Load:
    """Clients, each with a token of its own, which makes it an owner."""

    def __init__(self, urls: Sequence[str], *, clients: int, rounds: int, rows: int) -> None:
        self._urls = urls
        self._clients = clients
        self._rounds = rounds
        self._rows = rows
        self.figures = Figures()

    @property
    def progress(self) -> float:
        """How much of it is done, from 0 to 1."""
        return len(self.figures.held) / (self._clients * self._rounds)

    async def run(self, *events: tuple[float, Callable[[], None]]) -> Figures:
        """All of it; each event happens in a thread once so much is done."""
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as http:
            start = time.perf_counter()
            happening = asyncio.create_task(self._happen(events))
            await asyncio.gather(*(self._client(http, number) for number in range(self._clients)))
            self.figures.elapsed = time.perf_counter() - start
            await happening
            return self.figures

    async def verify(self) -> None:
        """Read everything that was acknowledged, at the replicas that are left: its beginning, and some of it whole."""
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=16)) as http:
            held = enumerate(self.figures.held)
            await asyncio.gather(*(self._read(http, one, at, whole=at % WHOLE == 0) for at, one in held))

    async def _happen(self, events: Sequence[tuple[float, Callable[[], None]]]) -> None:
        for when, event in events:
            while self.progress < when:
                await asyncio.sleep(0.01)
            await asyncio.to_thread(event)

    async def _client(self, http: aiohttp.ClientSession, client: int) -> None:
        for number in range(self._rounds):
            seed = f"{client}-{number}"
            told = await self._call(http, client, client + number, "records", rows=self._rows, seed=seed)
            notice = head_of(told)
            held = Held(client=client, handle=notice["cache_id"], seed=seed)
            self.figures.held.append(held)
            await self._read(http, held, client + number + 1)
            other = (client + 1) % self._clients
            words = (await self._call(http, other, number, FETCH, action="info", cache_id=held.handle))["content"][0]
            if "there is no held result" not in words["text"]:
                self.figures.wrong.append(f"client {other} could read {held}: {words['text'][:200]}")

    async def _read(self, http: aiohttp.ClientSession, held: Held, at: int, *, whole: bool = False) -> None:
        expected = records(self._rows, held.seed)
        start = 0
        while True:
            told = await self._call(http, held.client, at, FETCH, action="get", cache_id=held.handle, start_index=start)
            window, text = _window(told)
            end = int(window.get("end_index", 0))
            if told.get("isError") or text != expected[start:end] or window["total_length"] != len(expected):
                self.figures.wrong.append(f"{held} was read as {told['content'][0]['text'][:300]}")
                return
            if not whole or not window["has_more"]:
                return
            start = int(window["next_index"])

    async def _call(self, http: aiohttp.ClientSession, client: int, at: int, tool: str, **arguments: Any) -> Any:
        """Call a tool at a replica, or at the next ones when that one does not answer."""
        headers = {"authorization": f"Bearer client-{client}", "content-type": "application/json"}
        deadline = time.monotonic() + PATIENCE
        start = time.perf_counter()
        while True:
            url = self._urls[at % len(self._urls)]
            try:
                async with http.post(url, data=message(tool, arguments), headers=headers) as answer:
                    if answer.status == 200:
                        told = json.loads(await answer.read())
                        self.figures.seconds.append(time.perf_counter() - start)
                        self.figures.answered[url] = self.figures.answered.get(url, 0) + 1
                        return told["result"]
                    reason = str(answer.status)
            except (aiohttp.ClientError, OSError) as error:
                reason = f"{type(error).__name__}: {error}"
            if time.monotonic() > deadline:
                raise AssertionError(f"no replica answers: {reason}")
            self.figures.repeated += 1
            at += 1


def _window(told: Any) -> tuple[Any, str]:
    """What is said of a window of text, and the text."""
    if told.get("isError"):
        return {}, ""
    window, text = split(told)
    return json.loads(window), text
