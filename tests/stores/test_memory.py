"""The memory store keeps the contract, and holds results packed."""

from __future__ import annotations

import pytest

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

    def test_a_reader_outlives_its_record(self, store: Store) -> None:
        kept = record(LONG)
        store.put(kept)
        found = held(store, kept)
        store.drop("me", kept.handle)
        assert found.read(0, len(LONG)) == LONG
