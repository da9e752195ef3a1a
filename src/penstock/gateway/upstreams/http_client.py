"""The HTTP client of every server that has a URL: for the reverse proxy, the bridge and combined servers.

It opens responses, follows a redirect within the same server, reads bodies and streams within limits, and puts what
goes wrong into words. Which headers a request has is its caller's business, with one exception: ``login``.
"""

from __future__ import annotations

import asyncio
import os
from base64 import b64encode
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote_to_bytes, urlsplit, urlunsplit

import aiohttp
from yarl import URL

from penstock.gateway.shared_limit import SharedLimitError

if TYPE_CHECKING:
    from collections.abc import Callable

    from aiohttp.typedefs import LooseHeaders

CONNECT_SECONDS: Final = 10.0
IDLE_SECONDS: Final = 4.0  # node and uvicorn close an unused connection after five: better us than them, in mid-request
LONGEST_HEADER: Final = 65_536  # bytes; tokens and cookies can be longer than the 8 KB that are usual
MOVED: Final = (307, 308)  # the same request, elsewhere: servers whose path ends with a slash say so
MOVES: Final = 3  # redirects that are followed
STREAM: Final = "text/event-stream"
BOTH: Final = "application/json, text/event-stream"
BROKEN: Final = (aiohttp.ClientError, OSError, TimeoutError)
WRONG: Final = (*BROKEN, SharedLimitError)


class HttpClient:
    """Connections to one server. ``url`` has no user and password any more, ``login`` is the header that they make."""

    def __init__(self, url: str) -> None:
        place, self.login = _split_login(url)
        self.url = URL(place)
        self._session: aiohttp.ClientSession | None = None

    async def open(
        self,
        method: str,
        headers: LooseHeaders,
        data: bytes | None = None,
        *,
        url: URL | None = None,
        patience: float | None = None,
    ) -> aiohttp.ClientResponse:
        """Send a request, with ``patience`` seconds for the head of its response.

        A redirect to another path is followed. The last of too many is given out as the response, and so is one to
        another server: what the headers show is meant for this one.
        """
        url, left = url or self.url, MOVES
        while True:
            async with asyncio.timeout(patience):
                answer = await self._opened().request(method, url, headers=headers, data=data, allow_redirects=False)
            left -= 1
            there = moved_to(answer)
            if there is None or not left:
                return answer
            answer.release()
            url = there

    async def close(self) -> None:
        """Let go of the connections."""
        if self._session is not None:
            await self._session.close()

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=IDLE_SECONDS),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
                skip_auto_headers=("User-Agent", "Accept", "Content-Type"),
                cookie_jar=aiohttp.DummyCookieJar(),  # cookies are between the client and the upstream
                max_line_size=LONGEST_HEADER,
                max_field_size=LONGEST_HEADER,
            )
        return self._session


def moved_to(answer: aiohttp.ClientResponse) -> URL | None:
    """Return the URL to which the same server redirects; None for another server, or no redirect."""
    if answer.status not in MOVED:
        return None
    try:
        there = answer.url.join(URL(answer.headers.get("location", "")))
        return there if there.origin() == answer.url.origin() else None
    except ValueError:
        return None


async def next_chunk(answer: aiohttp.ClientResponse, seconds_left: Callable[[], float | None]) -> bytes:
    """Read some more of a response; empty at its end. Raise ``TimeoutError`` when nothing comes in time."""
    content = answer.content
    while not content.is_eof():
        left = seconds_left()
        if left is not None and left <= 0:
            raise TimeoutError
        try:
            async with asyncio.timeout(left):
                return await content.readany()
        except TimeoutError:
            continue  # unless there is more time by now: while the client is asked something, none passes
    return await content.readany()


async def whole(
    answer: aiohttp.ClientResponse,
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
    if isinstance(error, aiohttp.ClientConnectorError):
        reason = os.strerror(error.os_error.errno) if error.os_error.errno else str(error.os_error)
        return f"cannot be reached: {reason}"
    if isinstance(error, aiohttp.ServerTimeoutError):
        return f"cannot be reached: no connection within {CONNECT_SECONDS:g} seconds"
    if isinstance(error, TimeoutError):
        return "has not answered in time; raise call_timeout if it needs longer"
    return f"closed the connection within its response: {str(error) or type(error).__name__}"


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
