"""Counters are written together and never cost an answer; a gate serves many threads at once."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from penstock.config import Config
from penstock.core.fit import Call
from penstock.errors import StoreError
from penstock.gate import Gate
from penstock.stores import open_store
from penstock.stores.memory import MemoryStore
from tests.gate.conftest import OWNER, Desk, notice

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from penstock.query.sandbox.sandbox import Sandbox


def test_calls_that_were_never_admitted_are_counted_with_the_others(desk: Desk) -> None:
    desk.gate.count_call("quick", 41)
    desk.gate.count_call("quick")
    desk.admit("small", tool="quick")
    assert "quick" not in desk.store.counts()
    desk.gate.flush()
    assert desk.store.counts()["quick"].calls == 43
    desk.gate.flush()
    assert desk.store.counts()["quick"].calls == 43


def test_counters_wait_for_a_store_that_fails(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.gate.count_call("quick", 2)
    with monkeypatch.context() as patch:
        patch.setattr(MemoryStore, "_add_counts", _fail)
        desk.gate.flush()
    desk.gate.flush()
    assert desk.store.counts()["quick"].calls == 2


def test_a_sweep_removes_what_has_expired_and_says_whether_it_could(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.hold("word " * 20_000)
    desk.clock.time += 1_801
    assert desk.gate.sweep()
    assert desk.store.stats().items == 0
    monkeypatch.setattr(MemoryStore, "sweep", _fail)
    assert not desk.gate.sweep()


def _fail(*_: object) -> None:
    raise StoreError("the disk is gone")


def test_many_threads_hold_and_read_at_once_and_none_sees_anothers(tmp_path: Path, sandbox: Sandbox) -> None:
    with open_store(f"sqlite:///{tmp_path / 'held.db'}") as store:
        gate = Gate(store, Config(max_tokens=1_000), sandbox=sandbox)

        def work(number: int) -> None:
            owner = f"owner {number % 4}"
            rows = [{"n": number, "row": row, "text": "word " * 5} for row in range(300)]
            raw = json.dumps({"content": [{"type": "text", "text": json.dumps(rows)}]}).encode()
            answer = gate.admit(Call(tool=f"t{number % 3}", owner=owner, client="codex"), raw)
            handle = notice(json.loads(answer))["cache_id"]
            read: list[Any] = []
            page = 0
            while len(read) < 300:
                page += 1
                told = json.loads(gate.fetch(owner, {"cache_id": handle, "action": "get_page", "page": page}))
                read += json.loads(told["content"][0]["text"])["items"]
            assert read == rows
            assert json.loads(gate.fetch(f"owner {(number + 1) % 4}", {"cache_id": handle}))["isError"]
            gate.sweep()
            gate.flush()

        with ThreadPoolExecutor(8) as threads:
            list(threads.map(work, range(32)))
        gate.flush()
        counts = store.counts()
        assert sum(one.calls for one in counts.values()) == sum(one.held for one in counts.values()) == 32


def test_threads_that_page_through_one_result_in_many_sizes_read_the_same(desk: Desk) -> None:
    rows = [{"id": n, "name": f"name {n}"} for n in range(600)]
    handle = desk.hold(rows)

    def first(tokens: int) -> Any:
        given = {"cache_id": handle, "action": "get_page", "page_tokens": tokens}
        return json.loads(json.loads(desk.gate.fetch(OWNER, given))["content"][0]["text"])["items"]

    with ThreadPoolExecutor(8) as threads:
        pages = list(threads.map(first, [300 + n % 50 for n in range(150)]))
    assert all(page == rows[: len(page)] and page for page in pages)
