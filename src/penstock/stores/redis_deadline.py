"""A deadline for the whole answer of a Redis server: its client has one for each read only.

A server, or something that stands in for it, that sends a byte now and then would hold a caller for minutes.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

RATE: Final = (
    1_000_000  # bytes a second: each byte that comes allows that much more time, so a long answer may take long
)


class TimedSocket:
    """A socket that stops receiving when an answer takes longer than ``seconds``, and the time for its bytes."""

    def __init__(self, inner: socket.socket, seconds: float, now: Callable[[], float] = time.monotonic) -> None:
        self._inner = inner
        self._seconds = seconds
        self._now = now
        self._deadline = now() + seconds

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def sendall(self, data: bytes) -> None:
        """Send a command; the time for its answer begins."""
        self._inner.sendall(data)
        self._deadline = self._now() + self._seconds

    def recv(self, size: int) -> bytes:
        with _Patience(self._inner, self._left()):
            data = self._inner.recv(size)
        self._deadline += len(data) / RATE
        return data

    def recv_into(self, buffer: Any) -> int:
        """Receive as ``recv`` does, for the client's faster parser."""
        with _Patience(self._inner, self._left()):
            size = self._inner.recv_into(buffer)
        self._deadline += size / RATE
        return size

    def _left(self) -> float:
        left = self._deadline - self._now()
        if left <= 0 and self._inner.gettimeout() != 0:  # a look that does not wait is always allowed
            raise TimeoutError("the answer takes too long")
        return max(0.0, left)


class _Patience:
    """Lets one read of a socket wait no longer than so many seconds."""

    def __init__(self, inner: socket.socket, seconds: float) -> None:
        self._inner = inner
        self._seconds = seconds
        self._before: float | None = 0.0

    def __enter__(self) -> None:
        self._before = self._inner.gettimeout()
        if self._before is None or self._before > self._seconds:
            self._inner.settimeout(self._seconds)

    def __exit__(self, *_: object) -> None:
        self._inner.settimeout(self._before)


def punctual(kind: type[Any]) -> type[Any]:
    """Return a kind of connection like this one of redis-py's, with a deadline for each answer."""

    class Punctual(kind):  # type: ignore[misc]
        def _connect(self) -> Any:
            return TimedSocket(super()._connect(), self.socket_timeout)

    return Punctual
