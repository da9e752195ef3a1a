"""Decide which HTTP requests are answered: by host, page and token, and how many at once.

A gateway on this machine can be reached by every page in a browser on it: only pages of this machine are let in
(``Origin``, ``Sec-Fetch-Site``) at the gateway's own port, and only under a name of this machine (``Host``), or a page
could make its own name lead here. Where a token is set, nothing is answered without it.
"""

from __future__ import annotations

import hmac
import re
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final

from penstock.gateway.http.asgi import RefusedError
from penstock.gateway.shared_limit import Reservation, SharedLimit, SharedLimitError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.gateway.http.asgi import Request

LOCAL: Final = frozenset(("localhost", "127.0.0.1", "::1"))
AGAIN: Final = (b"retry-after", b"1")
CHALLENGE: Final = (b"www-authenticate", b'Bearer realm="penstock"')
PORTS: Final = {"http": 80, "https": 443}
ELSEWHERE: Final = (b"cross-site", b"same-site")  # what browsers say of pages that are not of the same origin

_AUTHORITY = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[^\s/@?#\\\[\]:,]+)(?::(?P<port>[0-9]{1,5}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Authority:
    """A host's name and port; the port is None where the scheme's own is meant."""

    name: str
    port: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestLimits:
    """The most that the gateway takes in at once: requests, bytes of their bodies, and bytes of one body."""

    requests: int = 1_024
    streams: int = 1_024
    bytes: int = 268_435_456
    body: int = 67_108_864


class Guard:
    """Refuses what may not be asked, and what is too much."""

    def __init__(self, *, hosts: frozenset[str] = LOCAL, token: str = "", limits: RequestLimits | None = None) -> None:
        """Take the ``hosts`` under which this gateway may be called, beside those of this machine; pages of these names
        may use it too, on the usual ports. One with a scheme is the origin of a page only."""
        self._origins = frozenset(one for one in hosts if "://" in one)
        self._named = hosts - self._origins - LOCAL
        self._hosts = self._named | LOCAL
        self._token = token.encode()
        self.limits = limits or RequestLimits()
        self._requests = SharedLimit(self.limits.requests)
        self._streams = SharedLimit(self.limits.streams)
        self._room = SharedLimit(self.limits.bytes)
        self.draining = False

    def check(self, request: Request) -> None:
        """Raise for a request that may not be answered."""
        host = self.check_host(request)
        self._check_page(request, host)
        if self._token and not hmac.compare_digest(bearer(request), self._token):
            raise RefusedError(401, "a bearer token is needed: the one in the gateway's token file", CHALLENGE)

    def check_host(self, request: Request, *, by_address: bool = False) -> Authority:
        """Raise for a request to another host. With ``by_address``, the address that the client reached will do, and
        so does no Host at all: that is how health checks call, and no page of a browser can."""
        hosts = [value.decode("latin-1") for name, value in request.headers if name == b"host"]
        if len(hosts) > 1:
            raise RefusedError(400, "the request has more than one Host header; send one (RFC 9112, section 3.2)")
        host = authority(hosts[0]) if hosts else None
        if by_address and (not hosts or (host is not None and host.name == request.address)):
            return host or Authority("")
        if host is None or not self._is_ours(host.name):
            raise RefusedError(421, "this gateway does not answer to that Host; name it with --allow-host")
        return host

    def _check_page(self, request: Request, host: Authority) -> None:
        """Raise for a page of another origin: one on another port of this machine is another program's."""
        text = request.header(b"origin").decode("latin-1").lower()
        if text:
            if not self._is_own_page(text, host):
                raise RefusedError(403, "pages of that Origin may not use this gateway; allow it with --allow-host")
        elif request.header(b"sec-fetch-site") in ELSEWHERE:
            raise RefusedError(403, "pages of other sites may not use this gateway")

    def _is_own_page(self, text: str, host: Authority) -> bool:
        scheme, _, place = text.partition("://")
        origin = authority(place)
        if origin is None or scheme not in PORTS:
            return False
        default = PORTS[scheme]
        if text in self._origins or (origin.name in self._named and origin.port in (None, default)):
            return True
        is_same = origin.name == host.name or (is_loopback(origin.name) and is_loopback(host.name))
        return is_same and (origin.port or default) == (host.port or default)

    def strips_authorization(self) -> bool:
        """Tell whether the token that a client sends is ours, and none of the upstream's business."""
        return bool(self._token)

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

    def _is_ours(self, name: str) -> bool:
        return name in self._hosts or is_loopback(name)


def bearer(request: Request) -> bytes:
    """Return the token of a request; empty when it has none."""
    kind, _, token = request.header(b"authorization").partition(b" ")
    return token.strip() if kind.lower() == b"bearer" else b""


def authority(text: str) -> Authority | None:
    """Return the name and the port of a Host, or of an Origin after its scheme; None if it is none. Read strictly:
    whatever a lenient reader takes for a user, a path or a second name could be another's idea of where a request
    goes."""
    parts = _AUTHORITY.fullmatch(text)
    if parts is None:
        return None
    port = parts["port"]
    return Authority(parts["name"].strip("[]").lower(), int(port) if port else None)


def is_loopback(name: str) -> bool:
    """Tell whether only this machine can be meant."""
    try:
        return name in LOCAL or ip_address(name).is_loopback
    except ValueError:
        return False
