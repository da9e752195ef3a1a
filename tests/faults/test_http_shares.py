"""Clients without a credential, behind a real gateway: one address, with as many sessions as it likes, pushes out its
own results, and never those of another address."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.kit.answers import head_of
from tests.kit.processes import nothing_is_left_behind
from tests.kit.scale.serving import Serving, upstream

if TYPE_CHECKING:
    from collections.abc import Iterator

left_nothing = nothing_is_left_behind
FETCH = "fetch_cached_response"
ROWS = 1_500  # some 34,000 tokens
MANY = 12
GREEDY, OTHER = "198.51.100.1", "198.51.100.2"


@pytest.fixture
def server(nothing_is_left_behind: None) -> Iterator[str]:
    with upstream() as url:
        yield url


def of(address: str, session: int = 0) -> dict[str, str]:
    return {"x-forwarded-for": address, "mcp-session-id": f"{address}-{session}"}


def hold(gateway: Serving, headers: dict[str, str]) -> str:
    notice = head_of(gateway.text("records", headers=headers, rows=ROWS, seed="a"))
    return str(notice["cache_id"])


def is_held(gateway: Serving, headers: dict[str, str], handle: str) -> bool:
    answer = gateway.call(FETCH, headers=headers, action="info", cache_id=handle)
    return not answer["result"].get("isError")


def test_one_address_evicts_its_own_results(server: str) -> None:
    options = ("--url", server, "--store", "memory:?max_items=6", "--trusted-proxy", "127.0.0.0/8")
    with Serving(*options) as gateway:
        kept = [hold(gateway, of(OTHER)) for _ in range(2)]
        greedy = [hold(gateway, of(GREEDY, number)) for number in range(MANY)]
        assert all(is_held(gateway, of(OTHER), handle) for handle in kept)
        assert is_held(gateway, of(GREEDY), greedy[-1])
        assert sum(is_held(gateway, of(GREEDY), handle) for handle in greedy) == 4


def test_an_address_that_no_trusted_proxy_tells_is_not_believed(server: str) -> None:
    with Serving("--url", server, "--store", "memory:?max_items=3") as gateway:
        first = hold(gateway, {"x-forwarded-for": OTHER})
        for _ in range(3):
            hold(gateway, {"x-forwarded-for": GREEDY})
        assert not is_held(gateway, {}, first)  # all of them are of one address, which is the test's own
