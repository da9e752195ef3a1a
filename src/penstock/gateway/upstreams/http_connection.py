"""A connection to an upstream over HTTP/1.1, one request at a time, and the response that comes on it.

llhttp (the package httptools) takes the bytes apart, as it does on the clients' side. A body is read as fast as its
reader takes it: with READ_AHEAD bytes unread the upstream has to wait.
"""

from __future__ import annotations

import asyncio
import zlib
from typing import TYPE_CHECKING, Any, Final

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

READ_AHEAD: Final = 262_144  # bytes of a body that wait for their reader
OVERHEAD: Final = 262_144  # bytes in a row that are no body (headers, trailers, sizes of chunks); tokens, cookies fit
JOINED: Final = 65_536  # bytes of a request that are written in one piece with its head
GZIP_OR_ZLIB: Final = 47  # for zlib: either format, with a window of any size
COMPRESSED: Final = (b"gzip", b"x-gzip", b"deflate")


class HttpError(Exception):
    """The upstream closed a connection within a response, or sent what is no HTTP."""


class HttpConnection(asyncio.Protocol):
    """One connection. ``done`` is called with it when a response is whole and another request may follow, and ``lost``
    when there is none any more."""

    def __init__(self, done: Callable[[HttpConnection], None], lost: Callable[[HttpConnection], None]) -> None:
        self._done = done
        self._lost = lost
        self._transport: Any = None
        self._response: HttpResponse | None = None
        self._closing: asyncio.TimerHandle | None = None

    def send(self, head: bytes, data: bytes | None, url: str) -> HttpResponse:
        """Send a request. Returns its response, of which nothing has come yet."""
        if self._closing is not None:
            self._closing.cancel()
        response = self._response = HttpResponse(self, url)
        if data is None or len(data) <= JOINED:
            self._transport.write(head + data if data else head)
        else:
            self._transport.write(head)
            self._transport.write(data)
        return response

    def rest(self, seconds: float) -> None:
        """Wait for the next request, and close when there is none in time."""
        self._closing = asyncio.get_running_loop().call_later(seconds, self.close)

    def close(self) -> None:
        """Close at once; what was not sent yet is not sent."""
        if self._closing is not None:
            self._closing.cancel()
        self._transport.abort()

    def pause(self) -> None:
        self._transport.pause_reading()

    def resume(self) -> None:
        self._transport.resume_reading()

    def ended(self, response: HttpResponse, *, may_go_on: bool) -> None:
        """Take back the connection from a response that is whole. An upstream that answered before it has read the
        request gets no other on this connection."""
        if self._response is response:
            self._response = None
            if may_go_on and not self._transport.is_closing() and not self._transport.get_write_buffer_size():
                self._done(self)
            else:
                self.close()

    # Called by the event loop

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if self._response is None:
            self.close()  # the upstream speaks unasked: the next request could take it for its response
        else:
            self._response.feed(data)

    def eof_received(self) -> None:
        self._lost(self)  # at once: the next request must not be sent where its response cannot come

    def connection_lost(self, exc: Exception | None) -> None:
        if self._closing is not None:
            self._closing.cancel()
        self._lost(self)
        if self._response is not None:
            self._response.connection_lost(exc)


class HttpResponse:
    """A response, whose body is read bit by bit. Leaving its ``with`` closes the connection unless it was read whole.

    ``headers`` have names in lower case; those after the body are left out.
    """

    def __init__(self, connection: HttpConnection, url: str) -> None:
        self.url = url
        self.status = 0
        self.headers: list[tuple[bytes, bytes]] = []
        self.has_begun = False
        self._connection = connection
        self._parser: Any = HttpResponseParser(self)
        # Servers are about as strict as the clients that they were tried with, which take all of these.
        self._parser.set_dangerous_leniencies(
            lenient_headers=True, lenient_optional_cr_before_lf=True, lenient_spaces_after_chunk_size=True
        )
        self._overhead = 0
        self._is_headed = False
        self._may_go_on = False
        self._is_whole = False
        self._is_paused = False
        self._parts: list[bytes] = []
        self._unread = 0
        self._inflate: Any = None
        self._error: HttpError | None = None
        self._waiter: asyncio.Future[None] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connection; it is closed unless the response has come whole."""
        if not self._is_whole:
            self._fail("the response was given up")
            self._connection.close()

    def header(self, name: bytes) -> str:
        """Return the value of the first header of that name, which is in lower case; empty if there is none."""
        return next((value.decode("latin-1") for key, value in self.headers if key == name), "")

    @property
    def content_type(self) -> str:
        """Return the media type, without its parameters."""
        return self.header(b"content-type").partition(";")[0].strip().lower() or "application/octet-stream"

    @property
    def is_over(self) -> bool:
        """Return whether all of the body was read."""
        return self._is_whole and not self._parts and self._inflate is None

    async def opened(self) -> Self:
        """Wait for status and headers."""
        while not self._is_headed:
            await self._more()
        encoding = self.header(b"content-encoding").encode().lower()
        if encoding in COMPRESSED:
            self._inflate = zlib.decompressobj(GZIP_OR_ZLIB)
        elif encoding not in (b"", b"identity"):
            raise HttpError(f"the body is in the encoding {encoding[:40]!r}, which was not asked for")
        return self

    async def read(self) -> bytes:
        """Read some more of the body; empty at its end."""
        while self._inflate is not None:
            data = self._inflate.unconsumed_tail or await self._read()
            if not data and not self._inflate.eof:
                raise HttpError("the compressed body ends too early")
            if not data:
                self._inflate = None
                break
            try:
                if part := self._inflate.decompress(data, READ_AHEAD):
                    return bytes(part)
            except zlib.error as error:
                raise HttpError(f"the compressed body is damaged: {error}") from None
        return await self._read()

    async def _read(self) -> bytes:
        while not self._parts:
            if self._is_whole:
                return b""
            await self._more()
        data = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
        self._parts.clear()
        self._unread = 0
        self._resume()
        return data

    async def _more(self) -> None:
        if self._error is not None:
            raise self._error
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None

    # Called by the connection

    def feed(self, data: bytes) -> None:
        """Take what has come."""
        self.has_begun = True
        self._overhead += len(data)
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade) as error:
            self._may_go_on = False
            self._fail(f"it is no HTTP/1.1: {error}")
        if self._overhead > OVERHEAD:
            self._fail(f"more than {OVERHEAD:,} bytes of headers")
        if self._is_whole or self._error is not None:
            self._resume()
            self._parser = None  # each refers to the other
            self._connection.ended(self, may_go_on=self._may_go_on)
        elif self._unread > READ_AHEAD and not self._is_paused:
            self._is_paused = True
            self._connection.pause()
        self._wake()

    def connection_lost(self, error: Exception | None) -> None:
        """Take the end of the connection: the end of a body that has no other, or an error."""
        names = [name for name, _ in self.headers]
        if self._is_headed and error is None and b"content-length" not in names and b"transfer-encoding" not in names:
            self._is_whole = True
        else:
            self._fail(str(error or "") or "the connection was closed")
        self._wake()

    def _resume(self) -> None:
        """Let the connection read on, if it has paused for this response."""
        if self._is_paused:
            self._is_paused = False
            self._connection.resume()

    def _fail(self, words: str) -> None:
        if not self._is_whole and self._error is None:
            self._error = HttpError(words)

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    # Called by the parser

    def on_message_begin(self) -> None:
        self._may_go_on = self._may_go_on and not self._is_whole  # there must be nothing after the response

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._is_headed:
            self.headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        status = self._parser.get_status_code()
        if status < 200:
            self.headers.clear()  # one of those that come before the response (RFC 9110, section 15.2)
        elif not self._is_headed:
            self.status = status
            self._is_headed = True
            self._may_go_on = self._parser.should_keep_alive()

    def on_body(self, data: bytes) -> None:
        if not self._is_whole:
            self._overhead = 0
            self._parts.append(data)
            self._unread += len(data)

    def on_message_complete(self) -> None:
        self._is_whole = self._is_headed
