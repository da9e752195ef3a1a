"""Counters are written together and never cost an answer; a gate serves many threads at once."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from penstock.config import Config
from penstock.core.fit import Call
from penstock.errors import StoreError
from penstock.gate import Gate
from penstock.stores import open_store
from penstock.stores.memory import MemoryStore
from penstock.stores.sizes import DAY, day_of, passed_above
from tests.gate.conftest import OWNER, Desk, notice
from tests.kit.answers import head_of

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.query.sandbox.sandbox import Sandbox


def test_calls_that_were_never_admitted_are_counted_with_the_others(desk: Desk) -> None:
    desk.gate.count_passed("quick", 41_000, calls=41, up_to=500)
    desk.gate.count_call("quick")
    desk.admit("small", tool="quick")
    assert "quick" not in desk.store.counts()
    desk.gate.flush()
    assert desk.store.counts()["quick"].calls == 43
    desk.gate.flush()
    assert desk.store.counts()["quick"].calls == 43


def test_counters_wait_for_a_store_that_fails(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.gate.count_passed("quick", 2_000, calls=2, up_to=500)
    with monkeypatch.context() as patch:
        patch.setattr(MemoryStore, "_add_counts", _fail)
        desk.gate.flush()
    desk.gate.flush()
    assert desk.store.counts()["quick"].calls == 2
    assert sum(one.calls for one in desk.store.sizes().values()) == 2


@pytest.mark.parametrize("failing", ["_add_counts", "_add_sizes"])
def test_what_the_store_did_not_take_is_counted_once_in_the_end(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    for day in range(3):
        desk.clock.time += day * DAY
        desk.gate.count_passed("quick", 300, server_name="files")
        with monkeypatch.context() as patch:
            patch.setattr(MemoryStore, failing, _fail)
            desk.gate.flush()
    desk.gate.flush()
    assert desk.store.counts()["quick"].calls == 3
    assert [one.calls for one in desk.store.sizes().values()] == [1, 1, 1]


def test_sizes_go_by_day_server_tool_and_the_class_that_decided(desk: Desk) -> None:
    gate, first = Gate(desk.store, Config(), now=desk.clock), day_of(desk.clock.time)
    for text in ("x", "word " * 2_400, "word " * 40_000):
        gate.decide(Call(tool="search", owner=OWNER), _result(text), server_name="files")
    desk.clock.time += DAY
    gate.admit(Call(tool="search", owner=OWNER), _result("x"))
    gate.flush()
    sizes = desk.store.sizes()
    assert {(key.day - first, key.server, key.tool) for key in sizes} == {(0, "files", "search"), (1, "", "search")}
    held = {key.up_to: one for key, one in sizes.items() if one.held}
    assert [(one.calls, one.passed) for one in held.values()] == [(1, 0)]
    assert min(held) > gate.config.max_tokens
    assert all(one.tokens_out < 3_000 < 20_000 < one.tokens_in for one in held.values())
    passed = {key.up_to: one for key, one in sizes.items() if not one.held and key.day == first}
    small, medium = sorted(passed)
    assert (small, passed[small].tokens_in) == (250, len(_result("x")) // 3)
    assert 2_200 < passed[medium].tokens_in == passed[medium].tokens_out <= medium < gate.config.max_tokens


def test_a_lower_limit_would_have_held_what_the_sizes_say(desk: Desk) -> None:
    raws = [_result("word " * number) for number in range(500, 6_000, 450)]
    whole = Gate(desk.store, Config(), now=desk.clock)
    for raw in raws:
        assert whole.admit(Call(tool="search", owner=OWNER), raw) is raw
    whole.flush()
    for limit in (2_000, 4_000, 6_000, 8_000):
        lower = Gate(open_store("memory:"), Config(max_tokens=limit))
        held = sum(b"buffered_response" in lower.admit(Call(tool="search", owner=OWNER), raw) for raw in raws)
        assert held > 0
        assert abs(held - passed_above(desk.store.sizes(), limit)) <= 1


def test_a_result_that_fits_without_its_blanks_is_counted_as_it_came_and_as_it_went(desk: Desk) -> None:
    raw = _result(json.dumps([{"n": number, "text": "word"} for number in range(700)], indent=8))
    gate = Gate(desk.store, Config(max_tokens=17_000), now=desk.clock)
    admission = gate.decide(Call(tool="search", owner=OWNER), raw)
    assert admission.stand_in is None
    assert len(admission.answer) < len(raw)
    gate.flush()
    [one] = desk.store.sizes().values()
    assert (one.calls, one.held) == (1, 0)
    assert (one.tokens_in, one.tokens_out) == (admission.outcome.tokens_in, admission.outcome.tokens_out)
    assert one.tokens_in > one.tokens_out > 0
    assert desk.store.counts()["search"].tokens_saved == 0


def _result(text: str) -> bytes:
    return json.dumps({"content": [{"type": "text", "text": text}]}).encode()


def test_sizes_are_not_kept_where_they_are_switched_off(desk: Desk) -> None:
    gate = Gate(desk.store, desk.gate.config.with_(daily_sizes=False), now=desk.clock)
    gate.count_passed("quick", 300)
    gate.flush()
    assert desk.store.counts()["quick"].calls == 1
    assert desk.store.sizes() == {}


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
                read += head_of(told)["items"]
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
        return head_of(desk.gate.fetch(OWNER, given))["items"]

    with ThreadPoolExecutor(8) as threads:
        pages = list(threads.map(first, [300 + n % 50 for n in range(150)]))
    assert all(page == rows[: len(page)] and page for page in pages)
