"""When all processes are in use, callers that hold more than their share give one up."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from penstock.gateway.http.process_pool import PoolLimits
from tests.kit.over_http.hosting import Clock, holds, hosting, running

if TYPE_CHECKING:
    from tests.kit.over_http.hosting import Client, Gateway

PROXIES = ("127.0.0.1",)
FOUR = PoolLimits(processes=4)
FULL = "the limit of 4 processes is reached"


def at(gateway: Gateway, address: str, **headers: str) -> Client:
    return gateway.client(**{"x-forwarded-for": f"198.51.100.{address}"}, **headers)


async def opened(gateway: Gateway, address: str, **headers: str) -> Client:
    client = at(gateway, address, **headers)
    assert (await client.open()).status == 200
    return client


async def statuses(*clients: Client) -> list[int]:
    return [(await one.call("about")).status for one in clients]


@running
async def test_address_that_listens_on_all_processes_gives_up_half_of_them_to_another_address() -> None:
    clock = Clock()
    async with (
        hosting(limits=FOUR, now=clock, proxies=PROXIES) as gateway,
        AsyncExitStack() as stack,
    ):
        greedy = []
        for _ in range(4):
            client = await opened(gateway, "1")
            assert (await stack.enter_async_context(client.listening())).status == 200
            clock.time += 1
            greedy.append(client)
        others = [await opened(gateway, "2") for _ in range(2)]
        assert await statuses(*greedy, *others) == [404, 404, 200, 200, 200, 200]
        for address in ("1", "2"):  # Each address holds its share now.
            answer = await at(gateway, address).open()
            assert answer.status == 503
            assert FULL in answer.body.decode()


@running
async def test_stream_of_a_session_that_has_to_end_is_closed() -> None:
    async with hosting(limits=PoolLimits(processes=2), proxies=PROXIES) as gateway:
        first, second = [await opened(gateway, "1") for _ in range(2)]
        async with first.listening() as stream, second.listening():
            assert await stream.line() == b": open\n"
            await opened(gateway, "2")
            assert await stream.next() is None


@running
async def test_session_with_an_open_request_ends_only_if_its_address_has_no_other() -> None:
    async with hosting(limits=PoolLimits(processes=3), proxies=PROXIES) as gateway, asyncio.timeout(60):
        busy, also_busy, listening = [await opened(gateway, "1") for _ in range(3)]
        calls = [asyncio.create_task(one.call("do", steps=[])) for one in (busy, also_busy)]
        busy_processes = [gateway.processes._sessions[one.session] for one in (busy, also_busy)]
        assert await holds(lambda: all(one.is_asked for one in busy_processes))
        async with listening.listening():
            other = await opened(gateway, "2")
            assert await statuses(listening, other) == [404, 200]
            assert not any(one.done() for one in calls)
            await opened(gateway, "3")  # Address 1 has two processes, both with a request; the others have one each.
            ended, _ = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
            assert ["was stopped" in one.result().words for one in ended] == [True]
        for one in calls:
            one.cancel()


@running
async def test_address_with_many_tokens_holds_no_more_than_its_share() -> None:
    async with hosting(limits=FOUR, proxies=PROXIES) as gateway, AsyncExitStack() as stack:
        for number in range(4):
            client = await opened(gateway, "1", authorization=f"Bearer made-up-{number}")
            await stack.enter_async_context(client.listening())
        others = [await opened(gateway, "2") for _ in range(2)]
        assert await statuses(*others) == [200, 200]


@running
async def test_tokens_behind_one_address_share_its_processes() -> None:
    async with hosting(limits=FOUR) as gateway, AsyncExitStack() as stack:
        for _ in range(4):
            client = await gateway.session(authorization="Bearer greedy")
            await stack.enter_async_context(client.listening())
        other = await gateway.session(authorization="Bearer other")
        assert await statuses(other) == [200]


@running
async def test_address_with_fewest_processes_keeps_its_abandoned_session() -> None:
    clock = Clock()
    async with (
        hosting(limits=FOUR, now=clock, proxies=PROXIES) as gateway,
        AsyncExitStack() as stack,
    ):
        single = await opened(gateway, "1")
        clock.time += 100
        for _ in range(3):
            client = await opened(gateway, "2")
            await stack.enter_async_context(client.listening())
        other = await opened(gateway, "3")
        assert await statuses(single, other) == [200, 200]


@running
async def test_clients_that_share_a_process_get_one_though_sessions_hold_all() -> None:
    async with hosting(limits=PoolLimits(processes=2), proxies=PROXIES) as gateway, AsyncExitStack() as stack:
        for _ in range(2):
            client = await opened(gateway, "1")
            await stack.enter_async_context(client.listening())
        assert (await at(gateway, "2").call("about", modern=True)).status == 200


@running
async def test_callers_that_come_at_once_never_get_more_processes_than_the_limit() -> None:
    async with hosting(limits=FOUR, proxies=PROXIES) as gateway:
        for _ in range(4):
            await opened(gateway, "1")
        most = 0

        async def watch() -> None:
            nonlocal most
            while True:
                most = max(most, sum(not one.ended.is_set() for one in gateway.processes._processes))
                await asyncio.sleep(0)

        watching = asyncio.create_task(watch())
        answers = await asyncio.gather(*(at(gateway, str(address)).open() for address in range(2, 8)))
        watching.cancel()
        assert sorted(one.status for one in answers) == [200, 200, 200, 503, 503, 503]
        assert most == 4
