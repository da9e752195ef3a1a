"""Who may ask, and how much at once."""

from __future__ import annotations

import pytest

from penstock.gateway.http.guard import Guard, Limits, bearer
from penstock.gateway.http.messages import RefusedError, Request


async def nothing() -> dict[str, object]:
    return {"type": "http.disconnect"}


def request(**headers: str) -> Request:
    given = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"method": "POST", "path": "/mcp", "headers": given}, nothing)


def status(guard: Guard, **headers: str) -> int:
    try:
        guard.check(request(**headers))
    except RefusedError as refused:
        return refused.status
    return 200


@pytest.mark.parametrize("host", ["localhost", "localhost:8808", "127.0.0.1:1", "[::1]:8808", "127.3.4.5", "LOCALHOST"])
def test_this_machine_may_be_called_by_each_of_its_own_names(host: str) -> None:
    assert status(Guard(), host=host) == 200


@pytest.mark.parametrize("host", ["evil.example", "", "10.0.0.1:8808", "localhost.evil.example", "[", "0.0.0.0"])
def test_a_name_that_leads_here_from_elsewhere_is_refused(host: str) -> None:
    assert status(Guard(), host=host) == 421


def test_pages_of_other_places_are_refused_and_others_can_be_allowed() -> None:
    guard = Guard(hosts=frozenset({"tools.example"}))
    assert status(guard, host="localhost", origin="http://localhost:3000") == 200
    assert status(guard, host="localhost", origin="https://evil.example") == 403
    assert status(guard, host="localhost", origin="null") == 403
    assert status(guard, host="tools.example:443", origin="https://tools.example") == 200


def test_without_its_token_nothing_is_answered() -> None:
    guard = Guard(token="secret")
    assert status(guard, host="localhost") == 401
    assert status(guard, host="localhost", authorization="Bearer wrong") == 401
    assert status(guard, host="localhost", authorization="Basic secret") == 401
    assert status(guard, host="localhost", authorization="bearer secret") == 200
    assert guard.strips_authorization()
    assert not Guard().strips_authorization()


def test_the_token_is_what_follows_bearer() -> None:
    assert bearer(request(authorization="Bearer  abc ")) == b"abc"
    assert bearer(request()) == b""


def test_requests_beyond_the_limit_are_told_to_come_again() -> None:
    guard = Guard(limits=Limits(requests=1, streams=1))
    with guard.admitted(), guard.admitted(stream=True):
        with pytest.raises(RefusedError) as many, guard.admitted():
            pass
        with pytest.raises(RefusedError) as streams, guard.admitted(stream=True):
            pass
    assert (many.value.status, streams.value.status) == (429, 503)
    assert dict(many.value.headers)[b"retry-after"]
    with guard.admitted():
        assert guard.requests == 1
    assert (guard.requests, guard.streams) == (0, 0)


def test_bytes_beyond_the_limit_are_refused_unless_nobody_else_has_any() -> None:
    guard = Guard(limits=Limits(bytes=10))
    with guard.holding(50):
        with pytest.raises(RefusedError), guard.holding(1):
            pass
        assert guard.bytes == 50
    assert guard.bytes == 0


def test_who_comes_when_the_end_has_begun_is_told_so() -> None:
    guard = Guard()
    guard.draining = True
    with pytest.raises(RefusedError) as refused, guard.admitted():
        pass
    assert refused.value.status == 503
