"""Remember an upstream's sessions. They can all be lost: a gateway that never saw a session serves it as well, but for
the client's name and the tools that were listed."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING, Final

from penstock.gateway.sse import STREAM_SECONDS
from penstock.protocol.session import Session
from penstock.protocol.upstream_facts import UpstreamFacts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOST: Final = 10_000  # sessions that are remembered
SOON_SECONDS: Final = 0.02  # between a client's first request and its first stream, once in a session


class StreamOrder:
    """The order of a session's streams and requests. An upstream may speak on a stream because of what it is asked, and
    what it says while there is none is lost. Clients ask for a stream and for something else at the same moment, and on
    the way to the upstream a stream takes longer than a request: so requests wait for streams, a moment."""

    def __init__(self) -> None:
        self._opening: set[asyncio.Event] = set()  # asked for, and not answered yet
        self._is_greeted = False  # and no stream was asked for since
        self._asked_for = asyncio.Event()

    def greeted(self) -> None:
        """Note that the session has begun: most clients ask for a stream now."""
        self._is_greeted = not self._asked_for.is_set()

    @contextmanager
    def opening(self) -> Iterator[Callable[[], None]]:
        """Mark that a stream is asked for. Yields what to call when the upstream has answered."""
        answered = asyncio.Event()
        self._opening.add(answered)
        self._asked_for.set()
        self._is_greeted = False

        def opened() -> None:
            answered.set()
            self._opening.discard(answered)

        try:
            yield opened
        finally:
            opened()

    async def are_open(self) -> None:
        """Wait for the streams that are asked for. One that takes long is not waited for again: some upstreams answer
        only when they have something to say."""
        if self._is_greeted:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._asked_for.wait(), SOON_SECONDS)
            self._is_greeted = False
        if self._opening:
            with suppress(TimeoutError):
                async with asyncio.timeout(STREAM_SECONDS):
                    await asyncio.gather(*(one.wait() for one in self._opening))
            self._opening.clear()


class ProxySession(Session):
    """A session of the legacy era, with its streams; in the modern era, a single request."""

    @cached_property
    def streams(self) -> StreamOrder:
        """Return the order of its streams. A request without a session needs none."""
        return StreamOrder()


class ProxySessions:
    """The sessions by their names. Requests without one share the facts about the upstream's tools."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._shared = UpstreamFacts()
        self._named: OrderedDict[str, ProxySession] = OrderedDict()
        self.server = ""  # what the upstream calls itself

    def of(self, name: str) -> ProxySession:
        """Return a session; one that this gateway does not know may be old to the upstream."""
        if not name:
            return ProxySession(self._shared, server=self.server)
        session = self._named.get(name)
        if session is None:
            session = self._named[name] = ProxySession(server=self.server)
            while len(self._named) > self._most:
                self._named.popitem(last=False)
        else:
            self._named.move_to_end(name)
            session.server = session.server or self.server
        return session

    def end(self, name: str) -> None:
        """Forget a session."""
        self._named.pop(name, None)

    def __len__(self) -> int:
        return len(self._named)
