"""A real Redis that fails in the middle of a read or of a put: a clear error, never other bytes, never a hang; and the
store works again as soon as the server does."""

from __future__ import annotations

import random
import signal
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest
import redis

from penstock.errors import StoreError
from penstock.stores import Stats, Store, open_store, redis_server
from penstock.stores.blocks import BATCH, BLOCK
from tests.kit.stores.contract import held
from tests.kit.stores.support import Server, record, running
from tests.kit.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGE = random.Random(7).randbytes(3 * BATCH * BLOCK)  # read in three parts
Fault = Callable[[Server, Store], None]


@pytest.fixture
def server() -> Iterator[Server]:
    with running() as server:
        yield server


@pytest.fixture
def store(server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setattr(redis_server, "PAUSE", 0.2)  # seconds; they are waited for here only to see that all is well
    with open_store(f"{server.url}?timeout=1") as store:
        yield store


def killed(server: Server, store: Store) -> None:
    server.stop()


def came_back_empty(server: Server, store: Store) -> None:
    server.stop()
    server.start()


def emptied(server: Server, store: Store) -> None:
    with redis.Redis(unix_socket_path=server.socket) as client:
        client.flushall()


def hangs(server: Server, store: Store) -> None:
    assert server.process is not None
    server.process.send_signal(signal.SIGSTOP)


def dropped(server: Server, store: Store) -> None:
    with open_store(server.url) as other:
        for entry in other.list("me"):
            other.drop("me", entry.handle)


def evicted(server: Server, store: Store) -> None:
    with open_store(f"{server.url}?max_items=1") as other:
        other.put(record())


GONE = "the held result was removed while it was being read; make the original call again"
UNREACHED = "cannot be reached: .*; is Redis running"


def before_call(store: Any, name: str, number: int, happen: Callable[[], None], patch: pytest.MonkeyPatch) -> None:
    """Let something happen just before a client's command is called for the second, or the third time."""
    command, seen = getattr(store._server.client, name), []

    def late(*values: Any) -> Any:
        seen.append(values)
        if len(seen) == number:
            happen()
        return command(*values)

    patch.setattr(store._server.client, name, late)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (killed, UNREACHED),
        (hangs, UNREACHED),
        (came_back_empty, GONE),
        (emptied, GONE),
        (dropped, GONE),
        (evicted, GONE),
    ],
)
def test_a_read_that_is_interrupted_is_an_error(
    server: Server, store: Store, monkeypatch: pytest.MonkeyPatch, fault: Fault, words: str
) -> None:
    kept = record(LARGE)
    store.put(kept)
    found = held(store, kept)
    before_call(store, "hmget", 2, lambda: fault(server, store), monkeypatch)
    with ExitStack() as stack:
        if fault is hangs:
            assert server.process is not None
            stack.callback(server.process.send_signal, signal.SIGCONT)
        with pytest.raises(StoreError, match=words):
            found.read(0, len(LARGE))
    if fault is killed:
        server.start()
    assert until(lambda: is_usable(store))


@pytest.mark.parametrize("fault", [killed, came_back_empty, emptied, hangs])
@pytest.mark.parametrize("at", ["_enter", "_commit"])
def test_a_put_that_is_interrupted_holds_nothing(
    server: Server, store: Any, monkeypatch: pytest.MonkeyPatch, fault: Fault, at: str
) -> None:
    step, kept = getattr(store, at), record(LARGE)

    def late(*values: Any) -> Any:
        fault(server, store)
        return step(*values)

    with monkeypatch.context() as patch, ExitStack() as stack:
        patch.setattr(store, at, late)
        if fault is hangs:
            assert server.process is not None
            stack.callback(server.process.send_signal, signal.SIGCONT)
        with pytest.raises(StoreError, match=r"cannot be reached|lost blocks while they were written"):
            store.put(kept)
    if fault is killed:
        server.start()
    assert until(lambda: is_usable(store))
    if fault is not hangs:  # of a commit that may still arrive nothing is known, but its handle is told to no caller
        assert store.get("me", kept.handle) is None
        assert store.stats() == Stats(items=0, stored=0)


def test_a_server_that_is_slow_is_waited_for_and_read_right(server: Server, store: Store) -> None:
    kept = record(LARGE)
    store.put(kept)
    with redis.Redis(unix_socket_path=server.socket) as client:
        client.client_pause(300)
        assert held(store, kept).read(0, len(LARGE)) == LARGE


def test_a_server_that_runs_out_of_memory_within_a_put_keeps_what_it_had(
    server: Server, store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = record(LARGE), record(LARGE)
    store.put(first)
    commit = store._commit
    with redis.Redis(unix_socket_path=server.socket) as client:
        client.config_set("maxmemory-policy", "noeviction")

        def late(*values: Any) -> Any:
            client.config_set("maxmemory", 1)
            return commit(*values)

        monkeypatch.setattr(store, "_commit", late)
        with pytest.raises(StoreError, match="is out of memory; raise its maxmemory, or lower the store's max_bytes"):
            store.put(second)
        assert held(store, first).read(0, len(LARGE)) == LARGE  # what is there can still be read
        client.config_set("maxmemory", 0)
    assert store.get("me", second.handle) is None
    monkeypatch.undo()
    store.put(second)
    assert held(store, second).read(0, len(LARGE)) == LARGE


def is_usable(store: Store) -> bool:
    """Whether a result can be put, read and dropped."""
    kept = record(b"small")
    try:
        store.put(kept)
        return held(store, kept).read(0, 9) == b"small" and store.drop("me", kept.handle)
    except StoreError:
        return False
