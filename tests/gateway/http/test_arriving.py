"""Results of a server behind ``penstock serve -- COMMAND`` that are so long that they arrive in a file."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

import pytest

from penstock.stores import open_store
from tests.kit import rows_server
from tests.kit.answers import head_of
from tests.kit.gateway import FETCH
from tests.kit.over_http.hosting import Client, call, hosting, running
from tests.kit.rows_server import ROWS

if TYPE_CHECKING:
    from pathlib import Path

SERVER = [sys.executable, "-I", "-S", rows_server.__file__]


async def read_back(client: Client, notice: dict[str, Any]) -> str:
    sql = "SELECT count(*), min(id), max(id), sum(id) FROM items"
    return (await client.call(FETCH, key="sql", action="sql", cache_id=notice["cache_id"], sql=sql)).text


@pytest.mark.parametrize(("id_first", "part", "on_disk"), [(True, 1 << 20, True), (False, 70_001, False)])
def test_a_long_result_is_held_and_read_back_whole(
    id_first: bool, part: int, on_disk: bool, tmp_path: Path, in_files: list[int]
) -> None:
    @running
    async def tried() -> None:
        async with hosting(SERVER, store=f"sqlite://{tmp_path}/held.db" if on_disk else "memory:") as gateway:
            client = await gateway.session()
            answer = await client.call("rows", token="mine", rows=ROWS, id_first=id_first, part=part)
            notice = head_of(answer.text)
            assert notice["message"].startswith(f"{ROWS:,} ")
            assert str(ROWS - 1) in await read_back(client, notice)
            notes = [one["params"] for one in answer.messages if one.get("method") == "notifications/progress"]
            assert {one["progressToken"] for one in notes} == {"mine"}
            sizes = [one["progress"] for one in notes]
            assert sizes == sorted(set(sizes))
            assert len(sizes) >= 4

    tried()
    assert in_files
    assert {one.name for one in tmp_path.iterdir()} <= {"held.db", "held.db-wal", "held.db-shm"}


def test_the_servers_own_progress_is_all_that_the_client_hears() -> None:
    @running
    async def tried() -> None:
        async with hosting(SERVER) as gateway:
            client = await gateway.session()
            answer = await client.call("rows", token="mine", rows=ROWS, progress=True)
            assert head_of(answer.text)["message"].startswith(f"{ROWS:,} ")
            assert [one["params"]["progress"] for one in answer.messages if "method" in one] == [1]

    tried()


def test_a_server_that_dies_in_the_middle_leaves_nothing_and_the_request_an_error(tmp_path: Path) -> None:
    @running
    async def tried() -> None:
        async with hosting(SERVER, store=f"sqlite://{tmp_path}/held.db") as gateway:
            client = await gateway.session()
            assert "exited with code 3" in (await client.call("rows", rows=ROWS, fault="dies")).words

    tried()
    store = open_store(f"sqlite://{tmp_path}/held.db", max_bytes=1 << 30, max_items=10)
    assert store.stats().items == 0
    store.close()
    assert {one.name for one in tmp_path.iterdir()} <= {"held.db", "held.db-wal", "held.db-shm"}


@pytest.mark.parametrize("fault", ["escape", "json"])
def test_a_line_that_is_no_json_is_an_error_and_the_next_call_is_answered(fault: str, in_files: list[int]) -> None:
    @running
    async def tried() -> None:
        async with hosting(SERVER) as gateway:
            client = await gateway.session()
            assert "cannot be read" in (await client.call("rows", rows=ROWS, fault=fault)).words
            assert (await client.call("tiny", key=2)).text == "ok"

    tried()
    assert in_files


def test_a_long_error_of_a_tool_is_one() -> None:
    @running
    async def tried() -> None:
        async with hosting(SERVER) as gateway:
            client = await gateway.session()
            answer = await client.call("rows", rows=ROWS, fault="error")
            assert answer.last["result"]["isError"] is True

    tried()


def test_a_result_that_the_client_no_longer_wants_is_not_held(in_files: list[int]) -> None:
    @running
    async def tried() -> None:
        async with hosting(SERVER) as gateway:
            client = await gateway.session()
            asking = asyncio.create_task(client.post(call("rows", key=7, rows=ROWS)))
            other = await gateway.session()
            other.session = client.session
            cancelled = {"method": "notifications/cancelled", "params": {"requestId": 7}}
            assert (await other.post({"jsonrpc": "2.0", **cancelled})).status == 202
            assert (await client.call("tiny", key=8)).text == "ok"
            await asyncio.wait([asking])
            assert head_of((await client.call(FETCH, key=9, action="list")).text)["results"] == []

    tried()


def test_a_result_above_the_limit_is_refused_and_the_next_call_is_answered() -> None:
    @running
    async def tried() -> None:
        async with hosting(SERVER, max_result_bytes=18_000_000) as gateway:
            client = await gateway.session()
            for id_first in (True, False):
                answer = await client.call("rows", key=str(id_first), rows=ROWS, id_first=id_first)
                assert "max_result_bytes" in answer.words
            assert (await client.call("tiny", key=2)).text == "ok"

    tried()
