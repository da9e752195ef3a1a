"""The index that a process makes of an arriving text is the one that a thread makes; without the process a thread
makes it."""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from penstock.core.forms.document import follow
from penstock.core.json.long_bytes import LongBytes
from penstock.gate import arrival, following
from penstock.gate.arrival import Arrival
from penstock.gate.following import Follower, start_follower
from penstock.stores import open_store
from penstock.stores.arriving import RING, ArrivingBytes
from penstock.stores.spool import Spool
from tests.kit.long_text import ShortBytes, cut

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.stores import Store

ROWS = [{"id": at, "name": f"näme {at}", "tags": ["a"] * (at % 3), "at": {"x": at / 7}} for at in range(40_000)]
TEXTS = {
    "records": json.dumps(ROWS, ensure_ascii=False),
    "wrapped": json.dumps({"count": len(ROWS), "items": ROWS}, indent=1),
    "lines": "\n".join(map(json.dumps, ROWS)),
    "log": "\n".join(f"2026-11-15 INFO worker {at} did it" for at in range(60_000)),
    "one line": "word " * 300_000,
    "empty": "",
    "broken at the end": json.dumps(ROWS[:15_000])[:-1] + ",}",
}


@pytest.fixture
def store() -> Iterator[Store]:
    with open_store("memory:", max_bytes=1 << 30, max_items=10) as opened:
        yield opened


@pytest.fixture(autouse=True)
def places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Places as on a machine with two cores, wherever this runs."""
    monkeypatch.setattr(following, "_places", threading.Semaphore(1))


@pytest.fixture
def follower() -> Iterator[Follower]:
    started = start_follower(1 << 30)
    assert started is not None
    yield started
    started.stop()


def long_bytes(text: str) -> ShortBytes:
    return ShortBytes(text.encode(), piece=300_000)


def learned_apart(follower: Follower, text: str) -> dict[str, Any] | None:
    """What the process learns of a text that is written to the ring meanwhile."""
    spool = Spool(None, may_write=False)
    body = ArrivingBytes(1 << 30, spool, follows=True, ring=follower.ring, announce=follower.announce)

    def write() -> None:
        for part in cut(text.encode(), [300_000]):
            body.write(part)
        body.close()

    writer = threading.Thread(target=write)
    writer.start()
    learned = follower.follow(body)
    body.stop_following()
    writer.join()
    return learned


@pytest.mark.parametrize("name", TEXTS)
def test_a_process_learns_what_a_thread_learns(name: str, follower: Follower) -> None:
    assert learned_apart(follower, TEXTS[name]) == follow(long_bytes(TEXTS[name]))


def test_what_is_broken_after_more_than_is_kept_is_left_to_the_caller(follower: Follower) -> None:
    assert learned_apart(follower, "[" + '{"a": 1},' * 1_500_000 + "}") is None


def test_a_line_that_is_longer_than_the_ring_is_left_to_the_caller(follower: Follower) -> None:
    assert learned_apart(follower, "word " * (RING // 4)) is None


def test_a_text_goes_round_the_ring(follower: Follower) -> None:
    text = json.dumps(ROWS, ensure_ascii=False)[1:-1]
    text = "[" + ",".join([text] * (1 + 2 * RING // len(text.encode()))) + "]"
    assert learned_apart(follower, text) == follow(long_bytes(text))


def test_a_process_that_was_killed_is_done_without(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrival, "DECODED", 0)
    follower = start_follower(1 << 30)
    assert follower is not None
    follower._process.kill()
    arriving = Arrival(store, 1 << 30, follower)
    text = TEXTS["records"]
    for at in range(0, len(text), 30_000):
        arriving.write(text[at : at + 30_000])
    found = arriving.done()
    assert isinstance(found, LongBytes)
    assert found.learned["index"] == follow(long_bytes(text))["index"]


@pytest.mark.parametrize("is_dropped", [True, False])
def test_no_process_is_left_behind(store: Store, is_dropped: bool) -> None:
    before = {one.pid for one in psutil.Process(os.getpid()).children()}
    follower = start_follower(1 << 30)
    assert follower is not None
    arriving = Arrival(store, 1 << 30, follower)
    arriving.write("[1, 2, 3, ")
    if is_dropped:
        arriving.drop()
    else:
        arriving.done()
    assert {one.pid for one in psutil.Process(os.getpid()).children()} == before


def test_a_process_whose_gateway_was_killed_ends_by_itself(follower: Follower) -> None:
    process = follower._process
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"\x03")
    process.stdin.close()
    process.stdout.close()
    assert process.wait(60) is not None


def test_there_are_no_more_processes_than_cores_for_them() -> None:
    first = start_follower(1 << 30)
    assert first is not None
    assert start_follower(1 << 30) is None
    first.stop()
    again = start_follower(1 << 30)
    assert again is not None
    again.stop()


def test_a_system_without_room_for_a_process_is_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", "/nowhere/python")
        assert start_follower(1 << 30) is None
    again = start_follower(1 << 30)
    assert again is not None
    again.stop()
