"""Decide which HTTP requests are answered: by host, page and token.

A server on this machine can be reached by every page in a browser on it. So only pages of this machine are let in
(``Origin``, ``Sec-Fetch-Site``), at the server's own port, and only under a name of this machine (``Host``), because a
page could make its own name lead here. If a token is set, nothing is answered without it.
"""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final

from penstock.web.asgi import RefusedError

if TYPE_CHECKING:
    from penstock.web.asgi import Request

LOCAL: Final = frozenset(("localhost", "127.0.0.1", "::1"))
CHALLENGE: Final = (b"www-authenticate", b'Bearer realm="penstock"')
PORTS: Final = {"http": 80, "https": 443}
ELSEWHERE: Final = (b"cross-site", b"same-site")  # what browsers say of pages that are not of the same origin

_AUTHORITY = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[^\s/@?#\\\[\]:,]+)(?::(?P<port>[0-9]{1,5}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Authority:
    """A host's name and port; the port is None where the scheme's own is meant."""

    name: str
    port: int | None = None


class AccessGuard:
    """Refuses requests of strangers. ``remedy`` says how a user allows another name."""

    remedy = "name it with --allow-host"

    def __init__(self, *, hosts: frozenset[str] = LOCAL, token: str = "", port: int | None = None) -> None:
        """Take the ``hosts`` under which this server may be called, beside those of this machine; pages of these names
        may use it too, on the usual ports. One with a scheme is the origin of a page only. With a ``port``, requests
        have to name it: no proxy and no TLS is in front of this server."""
        self._origins = frozenset(one for one in hosts if "://" in one)
        self._named = hosts - self._origins - LOCAL
        self._token = token.encode()
        self._port = port

    def check(self, request: Request) -> None:
        """Raise for a request that may not be answered."""
        self.check_place(request)
        if self._token and not self.has_token(request):
            raise RefusedError(401, "a bearer token is needed: the one in the gateway's token file", CHALLENGE)

    def check_place(self, request: Request) -> None:
        """Raise for a request to another host, or from a page of another origin."""
        self._check_page(request, self.check_host(request))

    def check_host(self, request: Request, *, by_address: bool = False) -> Authority:
        """Raise for a request to another host. With ``by_address``, the address that the client reached will do, and
        so does no Host at all: that is how health checks call, and no page of a browser can."""
        hosts = [value.decode("latin-1") for value in request.all(b"host")]
        if len(hosts) > 1:
            raise RefusedError(400, "the request has more than one Host header; send one (RFC 9112, section 3.2)")
        host = authority(hosts[0]) if hosts else None
        if by_address and (not hosts or (host is not None and host.name == request.address)):
            return host or Authority("")
        if host is None or not self._is_ours(host):
            raise RefusedError(421, "Penstock does not answer to that Host", do=self.remedy)
        return host

    def has_token(self, request: Request) -> bool:
        """Return True if a request shows the token."""
        return bool(self._token) and hmac.compare_digest(bearer(request), self._token)

    def _is_ours(self, host: Authority) -> bool:
        if self._port is not None and host.port != self._port:
            return False
        return host.name in self._named or is_loopback(host.name)

    def _check_page(self, request: Request, host: Authority) -> None:
        """Raise for a page of another origin: one on another port of this machine is another program's."""
        origins = [value.decode("latin-1").lower() for value in request.all(b"origin")]
        if not all(self._is_own_page(one, host) for one in origins):
            raise RefusedError(403, "pages of that Origin may not use Penstock", do=self.remedy)
        if not origins and request.header(b"sec-fetch-site") in ELSEWHERE:
            raise RefusedError(403, "pages of other sites may not use Penstock")

    def _is_own_page(self, text: str, host: Authority) -> bool:
        scheme, _, place = text.partition("://")
        origin = authority(place)
        if origin is None or scheme not in PORTS or (self._port is not None and scheme != "http"):
            return False
        default = PORTS[scheme]
        if text in self._origins or (origin.name in self._named and origin.port in (None, default)):
            return True
        is_same = origin.name == host.name or (is_loopback(origin.name) and is_loopback(host.name))
        return is_same and (origin.port or default) == (host.port or default)


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
    """Return True if only this machine can be meant."""
    try:
        return name in LOCAL or ip_address(name).is_loopback
    except ValueError:
        return False
