"""Tell who sends a request: by the credential that it shows, and by the address that it comes from.

A proxy that is trusted tells the client's address in ``X-Forwarded-For``, to which each proxy adds the address that it
sees, at the end. So it is read from there, and no further than what a trusted proxy wrote: what a client itself writes
in that header is never believed.
"""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING, Final

from penstock.gate.owners import Caller, principal_of_token
from penstock.web.guard import bearer

if TYPE_CHECKING:
    from collections.abc import Iterable
    from ipaddress import IPv4Address

    from penstock.web.asgi import Request

FORWARDED: Final = b"x-forwarded-for"
SUBNET: Final = 64  # bits of an IPv6 address that stand for one client: its network gives it all others


class Callers:
    """Names the callers of a gateway. ``proxies`` are the addresses or networks of those that are trusted."""

    def __init__(self, proxies: Iterable[str] = ()) -> None:
        """Raise a ``ValueError`` for a proxy that is neither an address nor a network."""
        self._proxies: list[IPv4Network | IPv6Network] = [ip_network(one, strict=False) for one in proxies]

    def of(self, request: Request) -> Caller:
        return Caller(principal=principal_of(request), address=self._address_of(request), session=request.session)

    def _address_of(self, request: Request) -> str:
        """Return the address of the client, or for IPv6 its network; empty where there is none."""
        address = _read(request.client)
        if address is None:
            return ""
        written = [value for name, value in request.headers if name == FORWARDED]
        for one in reversed(b",".join(written).decode("latin-1").split(",") if written else ()):
            earlier = _read(one)
            if earlier is None or not self._trusts(address):
                break
            address = earlier
        return str(IPv6Network((address, SUBNET), strict=False) if isinstance(address, IPv6Address) else address)

    def _trusts(self, address: IPv4Address | IPv6Address) -> bool:
        return any(address in network for network in self._proxies)


def _read(text: str) -> IPv4Address | IPv6Address | None:
    """Return an address, also one with a port, or in brackets. An IPv4 address in the form of IPv6 is one of IPv4."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


def principal_of(request: Request) -> str:
    """Return the principal of a request, by the credential that it shows; empty if it shows none."""
    token = bearer(request) or request.header(b"authorization")
    return principal_of_token(token) if token else ""
