"""Who may ask, and how much at once.

A gateway on this machine can be reached by every page in a browser on it: only pages of this machine are let in
(``Origin``), and only under a name of this machine (``Host``), or a page could make its own name lead here. Where a
token is set, nothing is answered without it.
"""

from __future__ import annotations

import hmac
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from penstock.gateway.http.messages import RefusedError
from penstock.gateway.http.room import CrowdedError, Room, Share

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.gateway.http.messages import Request

LOCAL: Final = frozenset(("localhost", "127.0.0.1", "::1"))
AGAIN: Final = (b"retry-after", b"1")
CHALLENGE: Final = (b"www-authenticate", b'Bearer realm="penstock"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What is taken in at once: requests, bytes of their bodies, and bytes of one body."""

    requests: int = 1_024
    streams: int = 1_024
    bytes: int = 268_435_456
    body: int = 67_108_864


class Guard:
    """Refuses what may not be asked, and what is too much."""

    def __init__(self, *, hosts: frozenset[str] = LOCAL, token: str = "", limits: Limits | None = None) -> None:
        """``hosts`` are the names under which this gateway may be called, beside those of this machine."""
        self._hosts = hosts | LOCAL
        self._token = token.encode()
        self.limits = limits or Limits()
        self.requests = 0
        self.streams = 0
        self._room = Room(self.limits.bytes)
        self.draining = False

    def check(self, request: Request) -> None:
        """Raise for a request that may not be answered."""
        host = request.header(b"host").decode("latin-1")
        if not self._is_ours(_name(f"//{host}")):
            raise RefusedError(421, "this gateway does not answer to that Host; name it with --allow-host")
        origin = request.header(b"origin").decode("latin-1")
        if origin and not self._is_ours(_name(origin)):
            raise RefusedError(403, "pages of that Origin may not use this gateway; allow it with --allow-host")
        if self._token and not hmac.compare_digest(bearer(request), self._token):
            raise RefusedError(401, "a bearer token is needed: the one in the gateway's token file", CHALLENGE)

    def strips_authorization(self) -> bool:
        """Whether the token that a client sends is ours, and none of the upstream's business."""
        return bool(self._token)

    @contextmanager
    def admitted(self, *, stream: bool = False) -> Iterator[None]:
        """A place for one request while it is answered; refused when there is none. Streams have places of their
        own: each is open for as long as somebody listens."""
        if self.draining:
            raise RefusedError(503, "the gateway is shutting down", AGAIN)
        if stream:
            if self.streams >= self.limits.streams:
                raise RefusedError(503, "too many streams are open", AGAIN)
            self.streams += 1
            try:
                yield
            finally:
                self.streams -= 1
            return
        if self.requests >= self.limits.requests:
            raise RefusedError(429, "too many requests are being answered", AGAIN)
        self.requests += 1
        try:
            yield
        finally:
            self.requests -= 1

    @contextmanager
    def holding(self, size: int = 0) -> Iterator[Callable[[int], None]]:
        """Room for the bytes of a body, and a way to take more as they come; refused when there is none."""
        share = Share(self._room)

        def take(size: int) -> None:
            try:
                share.take(size)
            except CrowdedError:
                raise RefusedError(503, "the gateway has its hands full", AGAIN) from None

        try:
            take(size)
            yield take
        finally:
            share.give_back()

    @property
    def bytes(self) -> int:
        """Bytes of all bodies that are being answered."""
        return self._room.taken

    def _is_ours(self, name: str) -> bool:
        return name in self._hosts or is_loopback(name)


def bearer(request: Request) -> bytes:
    """The token of a request; empty when it has none."""
    kind, _, token = request.header(b"authorization").partition(b" ")
    return token.strip() if kind.lower() == b"bearer" else b""


def _name(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "").lower()
    except ValueError:
        return ""


def is_loopback(name: str) -> bool:
    """Whether only this machine can be meant."""
    try:
        return name in LOCAL or ip_address(name).is_loopback
    except ValueError:
        return False
