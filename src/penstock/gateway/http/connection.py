"""One connection of a client, of which not more is taken in than a request has, and not for longer than one takes.

uvicorn bounds neither the time nor the size of what comes before a body, and nobody has shown a token by then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

if TYPE_CHECKING:
    import asyncio

HEAD_SECONDS: Final = 20.0  # for a request's first line and its headers
HEAD_BYTES: Final = 131_072  # of them; a token or a cookie may have half of that
TOO_LARGE: Final = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class Connection(HttpToolsProtocol):
    """Closes a connection that is slow with its headers, or sends too many."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._head: asyncio.TimerHandle | None = None  # while one is awaited
        self._size = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._head is not None:
            self._size += len(data)
            if self._size > HEAD_BYTES and not self.transport.is_closing():
                self.transport.write(TOO_LARGE)
                self.transport.close()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._head is None:
            self._await_head()

    def on_headers_complete(self) -> None:
        self._stop_waiting()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        self._size = 0
        self._head = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _unsupported_upgrade_warning(self) -> None:
        """Who asks for another protocol is answered in this one; that is worth no line in the log."""
