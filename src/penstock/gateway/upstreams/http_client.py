"""The HTTP client of every server that has a URL: for the reverse proxy, the bridge and combined servers.

It opens responses, follows a redirect within the same server, reads bodies and streams within limits, and puts what
goes wrong into words. Which headers a request has is its caller's business, with one exception: ``login``.
"""

from __future__ import annotations

import asyncio
import os
import socket
from base64 import b64encode
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote_to_bytes, urljoin, urlsplit, urlunsplit

from aiohappyeyeballs import start_connection

from penstock.gateway.shared_limit import SharedLimitError
from penstock.gateway.upstreams.http_connection import HttpConnection, HttpError, HttpResponse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from ssl import SSLContext

CONNECT_SECONDS: Final = 10.0
NEXT_ADDRESS: Final = 0.25  # seconds before the next address of the server is tried as well (RFC 8305, section 8)
IDLE_SECONDS: Final = 4.0  # node and uvicorn close an unused connection after five: better us than them, in mid-request
MOVED: Final = (307, 308)  # the same request, elsewhere: servers whose path ends with a slash say so
MOVES: Final = 3  # redirects that are followed
STREAM: Final = "text/event-stream"
BOTH: Final = "application/json, text/event-stream"
BROKEN: Final = (HttpError, OSError, TimeoutError)
WRONG: Final = (*BROKEN, SharedLimitError)
PORTS: Final = {"http": 80, "https": 443}
KEPT: Final = "!#$%&'()*+,/:;=?@[]~"  # in a target: what is not escaped, or is already


class ConnectError(HttpError):
    """The server cannot be reached."""


class HttpClient:
    """Connections to one server. ``url`` has no user and password any more, ``login`` is the header that they make.

    A request that may be repeated is, once, when the server closes a connection that had been in use before: it may
    have closed it just as the request was sent. A POST is not (RFC 9110, section 9.2.2).
    """

    def __init__(self, url: str) -> None:
        self.url, self.login = _split_login(url)
        self._place = urlsplit(self.url)
        self._host = _host(self.url)
        self._idle: list[HttpConnection] = []
        self._connections: set[HttpConnection] = set()
        self._tls: SSLContext | None = None
        self._is_closed = False

    async def open(
        self,
        method: str,
        headers: Iterable[tuple[bytes, bytes]],
        data: bytes | None = None,
        *,
        url: str = "",
        patience: float | None = None,
    ) -> HttpResponse:
        """Send a request, with ``patience`` seconds for the head of its response.

        A redirect to another path is followed. The last of too many is given out as the response, and so is one to
        another server: what the headers show is meant for this one.
        """
        url, left = url or self.url, MOVES
        while True:
            head = self._head(method, url, headers, data)
            async with asyncio.timeout(patience):
                answer = await self._send(head, data, url, may_repeat=method != "POST")
            left -= 1
            there = moved_to(answer)
            if there is None or not left:
                return answer
            answer.close()
            url = there

    async def close(self) -> None:
        """Close all connections. What waits for a response fails."""
        self._is_closed = True
        for connection in tuple(self._connections):
            connection.close()

    def _head(self, method: str, url: str, headers: Iterable[tuple[bytes, bytes]], data: bytes | None) -> bytes:
        parts = urlsplit(url)
        target = quote(parts.path or "/", KEPT) + (f"?{quote(parts.query, KEPT)}" if parts.query else "")
        lines = [f"{method} {target} HTTP/1.1\r\nhost: {self._host}".encode()]
        lines += [b"%b: %b" % header for header in headers]
        if data is not None:
            lines.append(b"content-length: %d" % len(data))
        head = b"\r\n".join(lines)
        if head.count(b"\n") != len(lines) or head.count(b"\r") != len(lines) or b"\0" in head:
            raise HttpError("a header has a line break or NUL, which HTTP does not allow")
        return head + b"\r\n\r\n"

    async def _send(self, head: bytes, data: bytes | None, url: str, *, may_repeat: bool) -> HttpResponse:
        while True:
            is_used = bool(self._idle)
            connection = self._idle.pop() if is_used else await self._connect()
            answer = connection.send(head, data, url)
            try:
                return await answer.opened()
            except HttpError:
                answer.close()
                if not (is_used and may_repeat) or answer.has_begun or self._is_closed:
                    raise
            except BaseException:
                answer.close()
                raise

    async def _connect(self) -> HttpConnection:
        loop = asyncio.get_running_loop()
        host = self._place.hostname or ""
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                port = self._place.port or PORTS[self._place.scheme]
                addresses = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
                sock = await start_connection(addresses, happy_eyeballs_delay=NEXT_ADDRESS, interleave=1)
                tls = self._context() if self._place.scheme == "https" else None
                try:
                    _, connection = await loop.create_connection(
                        lambda: HttpConnection(self._rest, self._lost),
                        sock=sock,
                        ssl=tls,
                        server_hostname=None if tls is None else host,
                    )
                except BaseException:
                    sock.close()
                    raise
        except TimeoutError:
            raise ConnectError(f"no connection within {CONNECT_SECONDS:g} seconds") from None
        except OSError as error:
            raise ConnectError(_reason(error)) from None
        self._connections.add(connection)
        return connection

    def _rest(self, connection: HttpConnection) -> None:
        self._idle.append(connection)
        connection.rest(IDLE_SECONDS)

    def _lost(self, connection: HttpConnection) -> None:
        self._connections.discard(connection)
        if connection in self._idle:
            self._idle.remove(connection)

    def _context(self) -> SSLContext:
        """Return what verifies the server, made once: it reads the certificates of the system."""
        if self._tls is None:
            import ssl  # noqa: PLC0415  # most servers are near, and have none

            self._tls = ssl.create_default_context()
            self._tls.set_alpn_protocols(["http/1.1"])
        return self._tls


def moved_to(answer: HttpResponse) -> str | None:
    """Return the URL to which the same server redirects; None for another server, or no redirect."""
    if answer.status not in MOVED:
        return None
    try:
        there = urljoin(answer.url, answer.header(b"location"))
        return there if _origin(there) == _origin(answer.url) else None
    except ValueError:
        return None


async def next_chunk(answer: HttpResponse, seconds_left: Callable[[], float | None]) -> bytes:
    """Read some more of a response; empty at its end. Raise ``TimeoutError`` when nothing comes in time."""
    while not answer.is_over:
        left = seconds_left()
        if left is not None and left <= 0:
            raise TimeoutError
        try:
            async with asyncio.timeout(left):
                return await answer.read()
        except TimeoutError:
            continue  # unless there is more time by now: while the client is asked something, none passes
    return b""


async def whole(
    answer: HttpResponse,
    limit: int,
    *,
    seconds_left: Callable[[], float | None] = lambda: None,
    take: Callable[[int], None] = lambda _: None,
) -> bytes | None:
    """Read a whole response; None for one above ``limit`` bytes, of which no more is read. ``take`` is called with the
    size of each part, and may raise."""
    parts: list[bytes] = []
    size = 0
    while part := await next_chunk(answer, seconds_left):
        size += len(part)
        if size > limit:
            return None
        take(len(part))
        parts.append(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def what_broke(error: Exception) -> str:
    """Say what went wrong, in words that follow the server's name."""
    if isinstance(error, ConnectError):
        return f"cannot be reached: {error}"
    if isinstance(error, TimeoutError):
        return "has not answered in time; raise call_timeout if it needs longer"
    return f"closed the connection within its response: {str(error) or type(error).__name__}"


def _reason(error: OSError) -> str:
    """Return why there is no connection, without the addresses that were tried."""
    is_plain = type(error).__module__ == "builtins" and error.errno
    return os.strerror(error.errno) if is_plain and error.errno else error.strerror or str(error)


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or PORTS.get(parts.scheme)


def _host(url: str) -> str:
    """Return what names the server in a request: without the port that its scheme has anyway."""
    scheme, name, port = _origin(url)
    name = (name or "").encode("idna").decode() if name and not name.isascii() else name or ""
    name = f"[{name}]" if ":" in name else name
    return name if port == PORTS.get(scheme) else f"{name}:{port}"


def _split_login(url: str) -> tuple[str, str]:
    """Return the URL without user and password, and the ``Authorization`` that they make; empty if there are none.
    In the URL they would replace what a client shows, and get lost where the server redirects."""
    parts = urlsplit(url)
    login, at, place = parts.netloc.rpartition("@")
    if not at:
        return url, ""
    name, _, password = login.partition(":")
    pair = unquote_to_bytes(name) + b":" + unquote_to_bytes(password)
    return urlunsplit(parts._replace(netloc=place)), f"Basic {b64encode(pair).decode()}"


def what_went_wrong(error: Exception) -> str:
    """Return what went wrong, in words that follow the upstream's name."""
    if isinstance(error, SharedLimitError):
        limit = "the gateway's memory limit for results in flight (1 GiB)"
        return f"sent a result while {limit} is reached; retry in a few seconds"
    return what_broke(error)
