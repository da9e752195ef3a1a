"""A gateway over HTTP whose Redis is down, hangs, is full or was emptied: each call has its one answer, which says what
is the matter; so do the log and the figures; and once Redis works again, so does holding, without a restart."""

from __future__ import annotations

import json
import signal
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
import redis

from tests.kit.answers import head_of
from tests.kit.processes import nothing_is_left_behind
from tests.kit.scale.serving import Serving, upstream
from tests.kit.stores.support import Server, running
from tests.kit.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

left_nothing = nothing_is_left_behind
FETCH = "fetch_cached_response"
ROWS = 1_500  # some 34,000 tokens
MANY = 24  # calls at once: three times as many as there are threads that talk to the store


@pytest.fixture
def store(nothing_is_left_behind: None) -> Iterator[Server]:
    with running() as server:
        yield server


@pytest.fixture
def gateway(store: Server) -> Iterator[Serving]:
    with upstream() as url, Serving("--url", url, "--store", f"{store.url}?timeout=1") as serving:
        yield serving


def notice(gateway: Serving) -> dict[str, Any]:
    """What a client is told of a result that is too large to pass; it is bounded in any case."""
    answer = gateway.call("records", rows=ROWS, seed="a")
    assert len(json.dumps(answer)) < 20_000
    told = head_of(answer["result"])
    assert told["type"] == "buffered_response"
    assert isinstance(told, dict)
    return told


def assert_not_kept(gateway: Serving) -> None:
    told = notice(gateway)
    assert "cache_id" not in told
    assert "The rest was not kept: the store failed" in told["message"]
    assert gateway.text("echo", text="small") == "small"


def kept(gateway: Serving) -> str:
    """The handle of a large result that can be read."""
    handle = str(notice(gateway)["cache_id"])
    assert head_of(gateway.text(FETCH, action="get_page", cache_id=handle, page=1))["items"][0]["id"] == 0
    return handle


def recovers(gateway: Serving) -> bool:
    return until(lambda: "cache_id" in notice(gateway)) and bool(kept(gateway))


def store_is_up(gateway: Serving) -> bool:
    return "penstock_store_up 1.0" in gateway.get("/metrics")[1]


def test_a_redis_that_is_down(gateway: Serving, store: Server) -> None:
    handle = kept(gateway)
    assert store_is_up(gateway)
    store.stop()
    assert_not_kept(gateway)
    answer = gateway.call(FETCH, action="info", cache_id=handle)["result"]
    assert answer["isError"] is True
    assert "cannot be reached" in answer["content"][0]["text"]
    assert not store_is_up(gateway)
    assert gateway.get("/readyz")[0] == 200
    assert 'outcome="not_kept",tool="records"} 1.0' in gateway.get("/metrics")[1]
    assert gateway.says("penstock: error: the store at unix:")
    store.start()
    assert recovers(gateway)
    assert store_is_up(gateway)


def test_a_redis_that_is_not_there_from_the_start() -> None:
    with upstream() as url, Serving("--url", url, "--store", "redis://127.0.0.1:1/0") as gateway:
        assert_not_kept(gateway)
        assert not store_is_up(gateway)


def test_a_redis_that_hangs_holds_up_nobody_for_long(gateway: Serving, store: Server) -> None:
    kept(gateway)
    assert store.process is not None
    store.process.send_signal(signal.SIGSTOP)
    try:
        with ThreadPoolExecutor(MANY) as threads:
            told = list(threads.map(lambda _: notice(gateway), range(MANY)))
        assert not [one for one in told if "cache_id" in one]
        assert gateway.text("echo", text="small") == "small"
        assert not store_is_up(gateway)
        assert gateway.says("it did not answer in time just now")
    finally:
        store.process.send_signal(signal.SIGCONT)
    assert recovers(gateway)
    assert store_is_up(gateway)


def test_a_redis_that_is_out_of_memory(gateway: Serving, store: Server) -> None:
    handle = kept(gateway)
    with redis.Redis(unix_socket_path=store.socket) as client:
        client.config_set("maxmemory-policy", "noeviction")
        client.config_set("maxmemory", 1)
        assert_not_kept(gateway)
        assert gateway.says("is out of memory; raise its maxmemory")
        answer = gateway.call(FETCH, action="info", cache_id=handle)["result"]
        assert not answer.get("isError"), answer
        client.config_set("maxmemory", 0)
    assert recovers(gateway)


def test_a_redis_that_was_emptied(gateway: Serving, store: Server) -> None:
    handle = kept(gateway)
    with redis.Redis(unix_socket_path=store.socket) as client:
        client.flushall()
    answer = gateway.call(FETCH, action="info", cache_id=handle)["result"]
    assert answer["isError"] is True
    assert "there is no held result" in answer["content"][0]["text"]
    assert "repeat the call: records" in answer["content"][0]["text"]
    kept(gateway)
