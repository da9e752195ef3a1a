"""The HTTP client of every server that has a URL: for the reverse proxy, the bridge and combined servers.

aiohttp speaks HTTP and TLS, and keeps the connections. This module adds limits, redirects within the same server, the
proxy that the environment names, and words for errors. Headers are the caller's business, except for ``login``.
"""

from __future__ import annotations

import asyncio
import os
import ssl
from base64 import b64encode
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote_to_bytes, urljoin, urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

from aiohttp import (
    ClientConnectorError,
    ClientError,
    ClientHttpProxyError,
    ClientResponseError,
    ClientSession,
    ClientTimeout,
    ConnectionTimeoutError,
    DummyCookieJar,
    TCPConnector,
)
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import ContentEncodingError, HttpProcessingError
from yarl import URL

from penstock.gateway.shared_limit import SharedLimitError
from penstock.web.guard import is_loopback

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import TracebackType
    from typing import Self

    from aiohttp import ClientResponse

CONNECT_SECONDS: Final = 10.0
IDLE_SECONDS: Final = 4.0  # node and uvicorn close an unused connection after five: better us than them, in mid-request
MOVED: Final = (307, 308)  # the same request, elsewhere: servers whose path ends with a slash say so
MOVES: Final = 3  # redirects that are followed
MAX_HEADER_BYTES: Final = 131_072  # The longest header that a server may send, so that long tokens and cookies fit.
READ_AHEAD: Final = 65_536  # With twice as many bytes of a body unread, the server has to wait.
JOINED: Final = 65_536  # A longer request body is written in parts.
STREAM: Final = "text/event-stream"
BOTH: Final = "application/json, text/event-stream"
PORTS: Final = {"http": 80, "https": 443}
KEPT: Final = "!#$%&'()*+,/:;=?@[]~"  # characters of a target that are not escaped, or already are an escape
DECODED: Final = ("", "identity", "gzip", "deflate")  # encodings that aiohttp always decodes
OURS: Final = ("accept", "accept-encoding", "content-type", "user-agent")  # headers that aiohttp must not add


class HttpError(Exception):
    """The server closed a connection within a response, or sent something that is not HTTP."""


class ConnectError(HttpError):
    """The server cannot be reached."""


class HeaderError(HttpError):
    """A request cannot be sent with this header."""


BROKEN: Final = (HttpError, OSError, TimeoutError)
WRONG: Final = (*BROKEN, SharedLimitError)


class HttpClient:
    """Connections to one server. ``url`` has no user and password any more; ``login`` is the header that they make.

    If the server closes a connection that was in use before, aiohttp repeats the request once. It never repeats a POST
    (RFC 9110, section 9.2.2).
    """

    def __init__(self, url: str) -> None:
        self.url, self.login = _split_login(url)
        self._session: ClientSession | None = None

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
        another server, because the headers are meant for this one.
        """
        url, left = url or self.url, MOVES
        texts = _texts(headers)
        while True:
            async with asyncio.timeout(patience):
                answer = await self._send(method, url, texts, data)
            left -= 1
            there = moved_to(answer)
            if there is None or not left:
                return answer
            answer.close()
            url = there

    async def close(self) -> None:
        """Close all connections. Every request that waits for a response fails."""
        if self._session is not None:
            await self._session.close()

    async def _send(self, method: str, url: str, headers: list[tuple[str, str]], data: bytes | None) -> HttpResponse:
        body = BytesIO(data) if data is not None and len(data) > JOINED else data
        if self._session is None:
            self._session = _session(self.url)
        try:
            answer = await self._session.request(
                method, encoded(url), headers=headers, data=body, allow_redirects=False
            )
        except ConnectionTimeoutError:
            raise ConnectError(f"no connection within {CONNECT_SECONDS:g} seconds") from None
        except ClientHttpProxyError as error:
            raise ConnectError(f"the proxy answered {error.status} {error.message}") from None
        except ClientConnectorError as error:
            raise ConnectError(_reason(error.os_error)) from None
        except (ClientError, ConnectionError) as error:
            raise HttpError(_broken(error)) from None
        response = HttpResponse(answer, url)
        encoding = response.header(b"content-encoding").lower()
        if answer.status == 101 or encoding not in DECODED:
            response.close()
            words = f"the body is in the encoding {encoding[:40]!r}" if encoding else "it switched to another protocol"
            raise HttpError(f"{words}, which was not asked for")
        return response


class HttpResponse:
    """A response, whose body is read bit by bit. Leaving its ``with`` closes the connection unless it was read whole.

    ``headers`` have names in lower case, and values in the bytes that came.
    """

    def __init__(self, answer: ClientResponse, url: str) -> None:
        self.url = url
        self.status = answer.status
        self.headers = [(name.lower(), value) for name, value in answer.raw_headers]
        self._answer = answer

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connection; it is closed unless the response has come whole."""
        self._answer.release()

    def header(self, name: bytes) -> str:
        """Return the value of the first header of that name, which is in lower case; empty if there is none."""
        return next((value.decode("latin-1") for key, value in self.headers if key == name), "")

    @property
    def content_type(self) -> str:
        """Return the media type, without its parameters."""
        return self.header(b"content-type").partition(";")[0].strip().lower() or "application/octet-stream"

    @property
    def is_over(self) -> bool:
        """Return True if all of the body was read."""
        return self._answer.content.at_eof()

    async def read(self) -> bytes:
        """Read some more of the body; empty at its end."""
        try:
            return await self._answer.content.readany()
        except (ClientError, HttpProcessingError, ConnectionError) as error:
            raise HttpError(_broken(error)) from None


class _Connection(ResponseHandler):
    """One connection. aiohttp's own would wait without end for the rest of a body that is malformed, and would take a
    response that nobody asked for as that of the next request."""

    def set_exception(self, exc: BaseException, *cause: BaseException) -> None:
        super().set_exception(exc, *cause)
        body = self._payload
        if body is not None and not body.is_eof() and body.exception() is None:
            body.set_exception(exc)

    def is_connected(self) -> bool:
        return super().is_connected() and not self.should_close


def _session(url: str) -> ClientSession:
    """Return connections to a server, through the proxy that the environment names for it.

    Certificates are verified by those of the system, or by SSL_CERT_FILE and SSL_CERT_DIR, which OpenSSL reads.
    """
    tls = ssl.create_default_context() if url.startswith("https:") else True
    connector = TCPConnector(limit=0, keepalive_timeout=IDLE_SECONDS, ssl=tls)
    connector._factory = partial(_Connection, asyncio.get_running_loop())  # type: ignore[assignment]  # no other way in
    return ClientSession(
        connector=connector,
        cookie_jar=DummyCookieJar(),
        skip_auto_headers=OURS,
        proxy=proxy_of(url),
        timeout=ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
        read_bufsize=READ_AHEAD,
        max_line_size=MAX_HEADER_BYTES,
        max_field_size=MAX_HEADER_BYTES,
    )


def proxy_of(url: str) -> str | None:
    """Return the proxy that HTTP_PROXY, HTTPS_PROXY and NO_PROXY name for a URL, or None. A server on this machine is
    never asked through a proxy, which would look for it on another one."""
    parts = urlsplit(url)
    proxy = getproxies().get(parts.scheme)
    if not proxy or is_loopback(parts.hostname or "") or proxy_bypass(parts.netloc):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def encoded(url: str) -> URL:
    """Return a URL with the target that its server gets: nothing in it is escaped twice, or written in another way."""
    parts = urlsplit(url)
    scheme, name, port = _origin(url)
    name = (name or "").encode("idna").decode() if name and not name.isascii() else name or ""
    name = f"[{name}]" if ":" in name else name
    host = name if port == PORTS.get(scheme) else f"{name}:{port}"
    target = quote(parts.path or "/", KEPT), quote(parts.query, KEPT)
    return URL(urlunsplit((scheme, host, *target, "")), encoded=True)


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


async def whole(answer: HttpResponse, limit: int) -> bytes | None:
    """Read a whole response; None for one above ``limit`` bytes, of which no more is read."""
    parts: list[bytes] = []
    size = 0
    while part := await answer.read():
        size += len(part)
        if size > limit:
            return None
        parts.append(part)
    return b"".join(parts)


def what_broke(error: Exception) -> str:
    """Say what went wrong, in words that follow the server's name."""
    if isinstance(error, ConnectError):
        return f"cannot be reached: {error}"
    if isinstance(error, HeaderError):
        return f"was not sent the request: {error}"
    if isinstance(error, TimeoutError):
        return "has not answered in time; raise call_timeout if it needs longer"
    return f"closed the connection within its response: {str(error) or type(error).__name__}"


def what_went_wrong(error: Exception) -> str:
    """Return what went wrong, in words that follow the upstream's name."""
    if isinstance(error, SharedLimitError):
        limit = "the gateway's memory limit for results in flight (1 GiB)"
        return f"sent a result while {limit} is reached; retry in a few seconds"
    return what_broke(error)


def _texts(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[str, str]]:
    """Return headers as aiohttp takes them: it writes each text in UTF-8, so that the bytes are the same again."""
    try:
        texts = [(name.decode(), value.decode()) for name, value in headers]
    except UnicodeDecodeError:
        raise HeaderError("a header of it is not in UTF-8") from None
    if any(sign in text for pair in texts for text in pair for sign in "\r\n\0"):
        raise HeaderError("a header of it has a line break or NUL, which HTTP does not allow")
    return texts


def _broken(error: Exception) -> str:
    """Return what was wrong with a response."""
    if isinstance(error, ClientResponseError | HttpProcessingError):
        return f"it is no HTTP/1.1: {' '.join(error.message.split())[:200]}"
    if isinstance(error.__cause__, ContentEncodingError):
        return "the compressed body is damaged"
    return "the connection was closed"


def _reason(error: OSError) -> str:
    """Return why there is no connection, without the addresses that were tried."""
    is_plain = type(error).__module__ == "builtins" and error.errno
    return os.strerror(error.errno) if is_plain and error.errno else error.strerror or str(error)


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or PORTS.get(parts.scheme)


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
