"""Who may ask: by host, page and token."""

from __future__ import annotations

import pytest

from penstock.web.asgi import RefusedError, Request
from penstock.web.guard import AccessGuard, bearer


async def nothing() -> dict[str, object]:
    return {"type": "http.disconnect"}


def request(**headers: str) -> Request:
    given = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"method": "POST", "path": "/mcp", "headers": given}, nothing)


def status(guard: AccessGuard, **headers: str) -> int:
    try:
        guard.check(request(**headers))
    except RefusedError as refused:
        return refused.status
    return 200


@pytest.mark.parametrize("host", ["localhost", "localhost:8808", "127.0.0.1:1", "[::1]:8808", "127.3.4.5", "LOCALHOST"])
def test_this_machine_may_be_called_by_each_of_its_own_names(host: str) -> None:
    assert status(AccessGuard(), host=host) == 200


@pytest.mark.parametrize("host", ["evil.example", "", "10.0.0.1:8808", "localhost.evil.example", "[", "0.0.0.0"])
def test_a_name_that_leads_here_from_elsewhere_is_refused(host: str) -> None:
    assert status(AccessGuard(), host=host) == 421


def test_pages_of_other_places_are_refused_and_others_can_be_allowed() -> None:
    guard = AccessGuard(hosts=frozenset({"tools.example"}))
    assert status(guard, host="localhost:8808", origin="http://localhost:8808") == 200
    assert status(guard, host="localhost", origin="https://evil.example") == 403
    assert status(guard, host="localhost", origin="null") == 403
    assert status(guard, host="tools.example:443", origin="https://tools.example") == 200


def test_without_its_token_nothing_is_answered() -> None:
    guard = AccessGuard(token="secret")
    assert status(guard, host="localhost") == 401
    assert status(guard, host="localhost", authorization="Bearer wrong") == 401
    assert status(guard, host="localhost", authorization="Basic secret") == 401
    assert status(guard, host="localhost", authorization="bearer secret") == 200


def test_the_token_is_what_follows_bearer() -> None:
    assert bearer(request(authorization="Bearer  abc ")) == b"abc"
    assert bearer(request()) == b""


@pytest.mark.parametrize(
    ("host", "origin", "is_taken"),
    [
        ("localhost:8808", "http://localhost:8808", True),
        ("127.0.0.1:8808", "http://localhost:8808", True),
        ("[::1]:8808", "HTTP://LOCALHOST:8808", True),
        ("localhost", "http://localhost", True),
        ("localhost:8808", "http://localhost:3000", False),
        ("localhost:8808", "http://localhost", False),
        ("localhost:8808", "chrome-extension://localhost:8808", False),
        ("localhost:8808", "x://localhost:8808", False),
        ("localhost:8808", "http://evil.example@localhost:8808", False),
        ("localhost:8808", "http://localhost:8808/path", False),
        ("localhost:8808", "//localhost:8808", False),
        ("tools.example", "https://tools.example", True),
        ("tools.example:443", "https://tools.example", True),
        ("localhost:8808", "https://tools.example", True),
        ("localhost:8808", "https://tools.example:3000", False),
        ("localhost:8808", "https://page.example:3000", True),
        ("localhost:8808", "https://page.example", False),
        ("localhost:8808", "http://page.example:3000", False),
    ],
)
def test_a_page_is_let_in_by_scheme_name_and_port(host: str, origin: str, is_taken: bool) -> None:
    """Regression: a page of any program on this machine could call, whatever its port."""
    guard = AccessGuard(hosts=frozenset({"tools.example", "https://page.example:3000"}))
    assert status(guard, host=host, origin=origin) == (200 if is_taken else 403)
    assert status(guard, host="page.example:3000") == 421  # a page's origin is no name of ours


@pytest.mark.parametrize(
    ("site", "origin", "expected"),
    [
        ("cross-site", "", 403),
        ("same-site", "", 403),
        ("same-origin", "", 200),
        ("none", "", 200),
        ("cross-site", "https://tools.example", 200),
        ("cross-site", "http://localhost:3000", 403),
    ],
)
def test_a_browser_that_says_that_another_site_asks_is_believed(site: str, origin: str, expected: int) -> None:
    guard = AccessGuard(hosts=frozenset({"tools.example"}))
    headers = {"host": "localhost:8808", "sec_fetch_site": site, **({"origin": origin} if origin else {})}
    assert status(guard, **headers) == expected


@pytest.mark.parametrize(
    "host",
    ["evil.example@localhost", "localhost@evil.example", "localhost/evil", "127.0.0.1#evil", "localhost, evil.example"],
)
def test_a_host_that_could_be_read_in_two_ways_is_refused(host: str) -> None:
    assert status(AccessGuard(), host=host) == 421


def test_a_request_with_two_hosts_is_refused() -> None:
    """RFC 9112, section 3.2. Regression: the first one counted."""
    both = [(b"host", b"localhost"), (b"host", b"localhost")]
    with pytest.raises(RefusedError) as refused:
        AccessGuard().check(Request({"method": "POST", "path": "/mcp", "headers": both}, nothing))
    assert refused.value.status == 400


@pytest.mark.parametrize(
    ("host", "is_taken"), [("10.1.2.3:8808", True), (None, True), ("10.1.2.4", False), ("evil.example", False)]
)
def test_a_health_check_may_call_by_the_address_that_it_reached(host: str | None, is_taken: bool) -> None:
    headers = [] if host is None else [(b"host", host.encode())]
    scope = {"method": "GET", "path": "/readyz", "headers": headers, "server": ("10.1.2.3", 8808)}
    checked = Request(scope, nothing)
    if is_taken:
        AccessGuard().check_host(checked, by_address=True)
    else:
        with pytest.raises(RefusedError):
            AccessGuard().check_host(checked, by_address=True)
    with pytest.raises(RefusedError):
        AccessGuard().check_host(checked)
