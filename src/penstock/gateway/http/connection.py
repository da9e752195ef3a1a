"""One connection of a client: bounded in time and bytes wherever a client has not yet shown a token.

uvicorn bounds neither the time nor the size of what comes before a body or after it. When connections run out, it
answers 503 to everybody; here the client with most idle connections loses its oldest ones instead.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

if TYPE_CHECKING:
    import asyncio

    from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

HEAD_SECONDS: Final = 20.0  # for a request's first line and its headers
HEAD_BYTES: Final = 131_072  # of them; a token or a cookie may have half of that
TRAILER_BYTES: Final = 16_384  # after the last byte of a body: trailers, which nothing here reads
FREED: Final = 16  # at the limit one in so many connections is closed at once: finding the oldest is a look at them all
REST_SECONDS: Final = 2.0  # for the rest of a body, once its request was refused
TOO_LARGE: Final = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class Connection(HttpToolsProtocol):
    """Closes a connection that is slow with its headers, or sends more around a body than a request needs."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._timer: asyncio.TimerHandle | None = None  # while a head, or the rest of a refused body, is awaited
        self._in_head = False
        self._head_size = 0
        self._trailing = 0  # bytes since the parser last made out a request, or a part of its body
        self._advanced = False
        self._idle_since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._idle_since = self.loop.time()
        self._await_head()
        if self.limit_concurrency is not None and len(self.connections) >= self.limit_concurrency:
            self._close_oldest_idle(self.limit_concurrency)

    def data_received(self, data: bytes) -> None:
        self._advanced = False
        super().data_received(data)
        if self._in_head:
            self._head_size += len(data)
            if self._head_size > HEAD_BYTES and not self.transport.is_closing():
                self.transport.write(TOO_LARGE)
                self.transport.close()
        elif self._advanced:
            self._trailing = 0
        else:
            self._trailing += len(data)
            if self._trailing > TRAILER_BYTES:
                self.transport.close()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if not self._in_head:
            self._await_head()

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._in_head:  # else it is a trailer, and would be kept for as long as the client goes on
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._stop_waiting()
        self._in_head = False
        self._advanced = True
        self._idle_since = self.loop.time()
        if not self.url.startswith(b"/"):
            self._take_host_of_target()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._advanced = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._advanced = True
        self._stop_waiting()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._idle_since = self.loop.time()
        if self.cycle.response_complete and self.cycle.more_body and not self.transport.is_closing():
            self._stop_waiting()
            self._timer = self.loop.call_later(REST_SECONDS, self.transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    @property
    def is_idle(self) -> bool:
        """Return True if the gateway waits for the client: for a request, or for the rest of one."""
        cycle: RequestResponseCycle | None = self.cycle  # None before the first request
        return not self.pipeline and (cycle is None or cycle.response_complete or cycle.more_body)

    def _close_oldest_idle(self, limit: int) -> None:
        """Make room for this connection and some more: idle ones go whose address has most that are younger."""
        idle = [one for one in self.connections if isinstance(one, Connection) and one.is_idle and one is not self]
        idle.sort(key=lambda one: one._idle_since, reverse=True)
        younger: Counter[str] = Counter()
        ranked: list[tuple[int, Connection]] = []
        for one in idle:
            younger[_address(one)] += 1
            ranked.append((younger[_address(one)], one))
        ranked.sort(key=lambda pair: pair[0], reverse=True)
        for _, one in ranked[: limit // FREED + 1]:
            self.connections.discard(one)
            one.transport.abort()
        if ranked:
            self.logger.warning(f"{limit:,} connections are open, which is the limit: the oldest idle ones were closed")

    def _take_host_of_target(self) -> None:
        """Let the host of an absolute target stand in for the Host header (RFC 9112, section 3.2.2)."""
        url = httptools.parse_url(self.url)
        if url.host:
            host = b"%b:%d" % (url.host, url.port) if url.port else url.host
            others = [(name, value) for name, value in self.headers if name != b"host"]
            self.headers[:] = [*others, *[(b"host", host)] * max(1, len(self.headers) - len(others))]

    def _await_head(self) -> None:
        self._stop_waiting()
        self._in_head = True
        self._head_size = 0
        self._timer = self.loop.call_later(HEAD_SECONDS, self._give_up_head)

    def _give_up_head(self) -> None:
        """Close, as the rest of a head does not come; but not while the request before it is being answered."""
        cycle: RequestResponseCycle | None = self.cycle  # None before the first request
        if cycle is None or cycle.response_complete:
            self.transport.close()
        else:
            self._timer = self.loop.call_later(HEAD_SECONDS, self._give_up_head)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _unsupported_upgrade_warning(self) -> None:
        """Log nothing: a client that asks for another protocol is answered in this one."""


def _address(connection: Connection) -> str:
    return connection.client[0] if connection.client else ""
