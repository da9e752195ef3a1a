"""One HTTP request and its reply, as ASGI has them; and the start and end of a server."""

from __future__ import annotations

import asyncio
import re
import time
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    Scope = dict[str, Any]
    Receive = Callable[[], Awaitable[dict[str, Any]]]
    Send = Callable[[dict[str, Any]], Awaitable[None]]
    Headers = list[tuple[bytes, bytes]]

JSON: Final = (b"content-type", b"application/json")
STREAM: Final = (b"content-type", b"text/event-stream")
NOT_KEPT: Final = (b"cache-control", b"no-store")
BODY_SECONDS: Final = 60.0  # for a body, and
SLOWEST: Final = 10_000  # bytes a second beyond that: a client that sends slower holds up a connection for nothing
PAUSE_SECONDS: Final = 10.0  # between two parts of a body, and before the first one
ODD_STATUS: Final = 502  # stands in for a status that HTTP does not have: an upstream may send any three digits

_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110, section 5.6.2
_CONTROL = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")


def named_in_connection(headers: Headers) -> set[bytes]:
    """Return the names of headers that are for one connection only, and not relayed (RFC 9110, section 7.6.1)."""
    values = [value for name, value in headers if name == b"connection"]
    return {name.strip().lower() for value in values for name in value.split(b",")}


class RefusedError(Exception):
    """A request that is answered with a status and some words, and goes no further. ``do`` says what helps."""

    def __init__(self, status: int, words: str, *headers: tuple[bytes, bytes], do: str = "") -> None:
        super().__init__(f"{words}; {do}" if do else words)
        self.status = status
        self.headers = headers
        self.words = words
        self.do = do


class GoneError(Exception):
    """The client has hung up."""


class Request:
    """One HTTP request of a client. Its body is read when it is needed, and no further than the limit."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self.scope = scope
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.raw_path: bytes = scope.get("raw_path") or self.path.encode()  # as it was sent, with its escapes
        self.query: bytes = scope.get("query_string", b"")
        self.address: str = (scope.get("server") or ("",))[0]  # at which the client reached us
        self.client: str = (scope.get("client") or ("",))[0]  # the address of whatever has connected
        self.headers: Headers = scope["headers"]
        self._receive = receive

    def header(self, name: bytes) -> bytes:
        """Return a header's value; empty when there is none."""
        for key, value in self.headers:
            if key == name:
                return value
        return b""

    def all(self, name: bytes) -> list[bytes]:
        """Return the values of all headers of a name."""
        return [value for key, value in self.headers if key == name]

    @property
    def session(self) -> str:
        """Return the name of the session, where the protocol has them."""
        return self.header(b"mcp-session-id").decode("latin-1")

    async def body(self, limit: int, take: Callable[[int], None] = lambda _: None) -> bytes:
        """Read the whole body. ``take`` is called with the size of each part, and may refuse it."""
        if self.header(b"content-encoding").lower() not in (b"", b"identity"):
            raise RefusedError(415, "the request is compressed; send it without a content-encoding")
        length = self.header(b"content-length")
        if length.isdigit() and int(length) > limit:
            raise RefusedError(413, f"the request has more than {limit:,} bytes, the limit; send less")
        parts: list[bytes] = []
        size = 0
        began = time.monotonic()
        while True:
            left = BODY_SECONDS + size / SLOWEST - (time.monotonic() - began)
            try:
                if left <= 0:
                    raise TimeoutError
                async with asyncio.timeout(min(left, PAUSE_SECONDS)):
                    message = await self._receive()
            except TimeoutError:
                late = f"the request took more than {BODY_SECONDS:.0f} s, or paused for more than {PAUSE_SECONDS:.0f} s"
                raise RefusedError(408, f"{late}; send it again") from None
            if message["type"] == "http.disconnect":
                raise GoneError
            part: bytes = message.get("body", b"")
            size += len(part)
            if size > limit:
                raise RefusedError(413, f"the request has more than {limit:,} bytes, the limit; send less")
            take(len(part))
            parts.append(part)
            if not message.get("more_body"):
                return parts[0] if len(parts) == 1 else b"".join(parts)

    async def gone(self) -> None:
        """Wait until the client has hung up. Its body must have been read."""
        while (await self._receive())["type"] != "http.disconnect":
            pass


class Reply:
    """The answer to a request: whole, or bit by bit; each bit is flushed before the next is taken."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0  # until it has begun

    async def whole(self, status: int, headers: Iterable[tuple[bytes, bytes]], body: bytes = b"") -> None:
        """Answer at once."""
        await self.begin(status, [*headers, (b"content-length", b"%d" % len(body))])
        await self._send({"type": "http.response.body", "body": body})

    async def begin(self, status: int, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """Begin an answer that has no length yet. A status or a header that no HTTP server may send is replaced or left
        out: upstreams send such, and the client would get nothing at all."""
        status = status if 200 <= status < 600 else ODD_STATUS
        clean = [(name, value) for name, value in headers if _NAME.fullmatch(name) and not _CONTROL.search(value)]
        await self._send({"type": "http.response.start", "status": status, "headers": clean})
        self.status = status

    async def bit(self, data: bytes) -> None:
        """Send some more of the answer."""
        await self._send({"type": "http.response.body", "body": data, "more_body": True})

    async def end(self) -> None:
        """End the answer."""
        await self._send({"type": "http.response.body", "body": b""})


async def live(receive: Receive, send: Send, end: Callable[[], Awaitable[None]]) -> None:
    """See a server start and end; ``end`` is called before it is gone."""
    while (await receive())["type"] == "lifespan.startup":
        await send({"type": "lifespan.startup.complete"})
    await end()
    await send({"type": "lifespan.shutdown.complete"})
