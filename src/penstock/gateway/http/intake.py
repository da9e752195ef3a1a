"""Decide how many HTTP requests are answered at once, and how many bytes of bodies are read. Clients have shares."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.gateway.shared_limit import Reservation, SharedLimit, SharedLimitError
from penstock.web.asgi import RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

AGAIN: Final = (b"retry-after", b"1")


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestLimits:
    """The most that the gateway takes in at once: requests, bytes of their bodies, and bytes of one body."""

    requests: int = 1_024
    streams: int = 1_024
    bytes: int = 268_435_456
    body: int = 67_108_864


class Intake:
    """Lends places and room to requests. While the gateway is ``draining``, it admits nobody."""

    def __init__(self, limits: RequestLimits | None = None) -> None:
        self.limits = limits or RequestLimits()
        self._requests = SharedLimit(self.limits.requests)
        self._streams = SharedLimit(self.limits.streams)
        self._room = SharedLimit(self.limits.bytes)
        self.draining = False

    def check_open(self) -> None:
        """Raise once the gateway is about to end."""
        if self.draining:
            raise RefusedError(503, "the gateway is shutting down", AGAIN)

    @contextmanager
    def admitted(self, group: str = "", *, stream: bool = False) -> Iterator[None]:
        """Give a place to one request of a group of callers while it is answered; refuse it when there is none. Streams
        have places of their own: each is open for as long as a client listens."""
        self.check_open()
        place = Reservation(self._streams if stream else self._requests, group)
        try:
            place.take(1)
        except SharedLimitError:
            if stream:
                raise RefusedError(503, "too many streams are open", AGAIN) from None
            raise RefusedError(429, "too many requests are being answered", AGAIN) from None
        try:
            yield
        finally:
            place.give_back()

    @contextmanager
    def holding(self, size: int = 0, group: str = "") -> Iterator[Callable[[int], None]]:
        """Lend room for the bytes of a body, and a way to take more as they come; refused when there is none."""
        reserved = Reservation(self._room, group)

        def take(size: int) -> None:
            try:
                reserved.take(size)
            except SharedLimitError:
                limit = f"the limit of {self.limits.bytes:,} bytes of requests at once"
                raise RefusedError(503, f"{limit}, or your part of it, is reached; retry in a second", AGAIN) from None

        try:
            take(size)
            yield take
        finally:
            reserved.give_back()

    @property
    def requests(self) -> int:
        """Count the requests that are being answered."""
        return self._requests.taken

    @property
    def streams(self) -> int:
        """Count the streams that are open."""
        return self._streams.taken

    @property
    def bytes(self) -> int:
        """Count the bytes of all bodies that are being answered."""
        return self._room.taken
