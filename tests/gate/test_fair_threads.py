"""Work beside an event loop: by turns of its owners, and queries apart from all else."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from penstock.errors import CallerError
from penstock.gate.fair_threads import QUERIES, FairThreads, is_query
from penstock.gate.owners import Caller, Owners
from penstock.query.sandbox.turns import WAITING
from penstock.share import Share


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"action": "get_page", "cache_id": "x"}, False),
        ({"action": "list"}, False),
        ({"action": "filter"}, True),
        ({"action": "sql"}, True),
        ({"action": "search"}, True),
        ({"action": 5, "cache_id": "x"}, False),
        ({"cache_id": "x", "jq_filter": "."}, True),
        ({"cache_id": "x", "pattern": None}, False),
        ({}, False),
    ],
)
def test_what_takes_its_turn_is_what_looks_at_all_of_a_result(arguments: dict[str, Any], expected: bool) -> None:
    assert is_query(arguments) is expected


def test_one_owners_queries_hold_up_neither_pages_nor_the_next_query_of_another() -> None:
    """Regression: fifty slow queries of one client kept pages and lists of all others waiting for 86 s."""
    let_go = threading.Event()
    order: list[str] = []

    def slow(name: str) -> str:
        assert let_go.wait(60)
        order.append(name)
        return name

    async def scenario() -> None:
        queries, others = FairThreads.for_queries(), FairThreads(2)
        greedy = [asyncio.create_task(queries.run(Share("a"), lambda: slow("a"))) for _ in range(QUERIES + WAITING)]
        await asyncio.sleep(0)
        with pytest.raises(CallerError, match=f"{WAITING} queries of yours are waiting"):
            await queries.run(Share("a"), lambda: slow("a"))
        assert await others.run(Share("b"), lambda: "a page") == "a page"
        asked = asyncio.create_task(queries.run(Share("b"), lambda: slow("b")))
        await asyncio.sleep(0)
        let_go.set()
        assert await asked == "b"
        assert await asyncio.gather(*greedy) == ["a"] * len(greedy)
        assert order.index("b") <= 2 * QUERIES  # those that ran already, and those that ended at the same moment
        queries.shutdown()
        others.shutdown()

    asyncio.run(scenario())


def test_a_query_that_waits_too_long_is_told_so_and_takes_no_place() -> None:
    let_go = threading.Event()

    async def scenario() -> None:
        threads = FairThreads(1, queue_seconds=0.01)
        first = asyncio.create_task(threads.run(Share("a"), lambda: let_go.wait(60)))
        await asyncio.sleep(0)
        with pytest.raises(CallerError, match="take longer than usual"):
            await threads.run(Share("b"), lambda: True)
        let_go.set()
        assert await first
        assert await threads.run(Share("b"), lambda: True)
        threads.shutdown()

    asyncio.run(scenario())


def test_a_caller_that_leaves_gives_its_turn_back() -> None:
    let_go = threading.Event()

    async def scenario() -> None:
        threads = FairThreads(1)
        running = asyncio.create_task(threads.run(Share("a"), lambda: let_go.wait(60)))
        waiting = asyncio.create_task(threads.run(Share("a"), lambda: True))
        await asyncio.sleep(0)
        for task in (running, waiting):
            task.cancel()
        await asyncio.gather(running, waiting, return_exceptions=True)
        let_go.set()
        assert await threads.run(Share("b"), lambda: True)
        threads.shutdown()

    asyncio.run(scenario())


def test_callers_without_a_credential_take_turns_by_address_and_in_it_by_session() -> None:
    owners = Owners(run="r")

    def share(session: str = "", **parts: str) -> Share:
        return owners.over_http(Caller(**parts), session).share

    near, far = share("1", address="10.0.0.1"), share("1", address="10.0.0.2")
    assert near.group != far.group
    assert share("2", address="10.0.0.1").group == near.group
    assert share("2", address="10.0.0.1") != near
    assert share(address="10.0.0.1", session="of another server") != near
    assert share("1", principal="me", address="a") == share("2", principal="me", address="b")
    assert Owners("NAME").over_http(Caller(address="a")).share.group == share(address="a").group


def test_many_sessions_of_one_address_do_not_keep_another_address_waiting() -> None:
    let_go = threading.Event()
    order: list[str] = []

    def slow(name: str) -> None:
        assert let_go.wait(60)
        order.append(name)

    async def scenario() -> None:
        threads = FairThreads(1)
        shares = [Share("busy", f"session {number}") for number in range(20)]
        busy = [asyncio.create_task(threads.run(one, lambda: slow("busy"))) for one in shares]
        await asyncio.sleep(0)
        other = asyncio.create_task(threads.run(Share("other"), lambda: slow("other")))
        await asyncio.sleep(0)
        let_go.set()
        await asyncio.gather(*busy, other)
        assert order.index("other") == 1  # behind the one that ran already
        threads.shutdown()

    asyncio.run(scenario())


def test_turn_is_given_back_if_no_thread_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_memory(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    async def scenario() -> None:
        threads = FairThreads(1)
        with monkeypatch.context() as patch:
            patch.setattr(threads._threads, "submit", no_memory)
            with pytest.raises(RuntimeError, match="new thread"):
                await threads.run(Share("a"), lambda: True)
        async with asyncio.timeout(60):
            assert await threads.run(Share("b"), lambda: True)
        threads.shutdown()

    asyncio.run(scenario())
