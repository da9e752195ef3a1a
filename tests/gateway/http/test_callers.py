"""Who sends a request: a forwarded address is believed only from a proxy that is trusted, as far as such wrote it."""

from __future__ import annotations

from typing import Any

import pytest

from penstock.gateway.http.callers import Callers
from penstock.web.asgi import Request


async def nothing() -> dict[str, Any]:
    return {}


def request(client: str | None, *forwarded: str, **headers: str) -> Request:
    written = [(b"x-forwarded-for", one.encode()) for one in forwarded]
    written += [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"method": "POST", "path": "/mcp", "headers": written, "client": None if client is None else (client, 5)}
    return Request(scope, nothing)


@pytest.mark.parametrize(
    ("client", "forwarded", "expected"),
    [
        ("203.0.113.9", [], "203.0.113.9"),
        ("203.0.113.9", ["198.51.100.1"], "203.0.113.9"),  # it is no proxy of ours
        ("10.0.0.5", [], "10.0.0.5"),
        ("10.0.0.5", ["198.51.100.1"], "198.51.100.1"),
        ("10.0.0.5", ["1.2.3.4, 198.51.100.1"], "198.51.100.1"),  # the first is the client's own invention
        ("10.0.0.5", ["1.2.3.4", "198.51.100.1, 10.0.0.6"], "198.51.100.1"),
        ("10.0.0.5", ["10.0.0.7, 10.0.0.6"], "10.0.0.7"),
        ("10.0.0.5", ["1.2.3.4, nonsense"], "10.0.0.5"),
        ("10.0.0.5", ["1.2.3.4, unknown, 10.0.0.6"], "10.0.0.6"),
        ("10.0.0.5", ["198.51.100.1:4711"], "198.51.100.1"),
        ("10.0.0.5", [" [2001:db8:1:2:3::4]:4711 "], "2001:db8:1:2::/64"),
        ("::ffff:10.0.0.5", ["198.51.100.1"], "198.51.100.1"),
        ("fd00::1", ["198.51.100.1"], "198.51.100.1"),
        ("2001:db8:1:2:aaaa::1", [], "2001:db8:1:2::/64"),  # all of these are one client's
        ("2001:db8:1:2:bbbb::1", [], "2001:db8:1:2::/64"),
        (None, ["198.51.100.1"], ""),
        ("testclient", ["198.51.100.1"], ""),
    ],
)
def test_the_address_is_what_a_trusted_proxy_says_or_what_has_connected(
    client: str | None, forwarded: list[str], expected: str
) -> None:
    callers = Callers(["10.0.0.0/24", "fd00::1"])
    assert callers.of(request(client, *forwarded)).address == expected


def test_without_trusted_proxies_nothing_is_believed() -> None:
    assert Callers().of(request("127.0.0.1", "198.51.100.1")).address == "127.0.0.1"


def test_a_credential_makes_the_share_wherever_it_comes_from() -> None:
    near, far = (Callers().of(request(one, authorization="Bearer x" * 3)).share for one in ("10.0.0.1", "10.0.0.2"))
    assert near == far
    assert Callers().of(request("10.0.0.1", mcp_session_id="s")).share == ("address:10.0.0.1", "s")


def test_what_is_no_address_is_refused_as_a_proxy() -> None:
    with pytest.raises(ValueError, match="the proxy"):
        Callers(["the proxy"])
