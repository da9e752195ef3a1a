"""The memory store keeps the contract, and holds results packed."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from penstock.share import Share
from penstock.stores import Store, open_store
from tests.kit.stores.contract import LONG, Opener, StoreContract, held
from tests.kit.stores.support import Clock, record


class TestMemory(StoreContract):
    @pytest.fixture
    def opened(self, clock: Clock) -> Opener:
        def opened(**limits: int) -> Store:
            return open_store("memory:", now=clock, **limits)

        return opened

    def test_a_result_is_held_packed(self, store: Store) -> None:
        kept = record(LONG)
        store.put(kept)
        assert store.stats().stored == held(store, kept).entry.stored < len(LONG) / 5


@pytest.mark.parametrize("shares", [1, 1_000])
def test_put_takes_as_many_steps_in_a_large_store_as_in_a_small_one(
    shares: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Steps of SQLite's machine are counted, in a full store, where each put evicts a record."""
    steps = 0
    connect = sqlite3.connect

    def step() -> None:
        nonlocal steps
        steps += 1

    def counted(*args: Any, **options: Any) -> sqlite3.Connection:
        database: sqlite3.Connection = connect(*args, **options)
        database.set_progress_handler(step, 1)
        return database

    monkeypatch.setattr(sqlite3, "connect", counted)

    def steps_of_a_put(size: int) -> int:
        with open_store("memory:", now=Clock(), max_items=size) as store:
            for number in range(size + 1):
                store.put(record(share=Share(f"address {number % shares}")))
            before = steps
            store.put(record())
            return steps - before

    assert steps_of_a_put(1_500) <= 1.5 * steps_of_a_put(15)
