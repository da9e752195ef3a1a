"""The Redis store keeps the contract on a server that Sentinels watch, and goes on with the one that they promote."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from penstock.errors import StoreError
from penstock.stores import Store, open_store
from tests.kit.stores.clusters import LONG as PATIENCE
from tests.kit.stores.clusters import SERVICE, Watched, watched
from tests.kit.stores.contract import Opener, StoreContract, is_read_whole
from tests.kit.stores.support import Clock, record
from tests.kit.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.compat


@pytest.fixture(scope="module")
def formed() -> Iterator[Watched]:
    with watched() as made:
        yield made


class TestRedisSentinel(StoreContract):
    @pytest.fixture
    def opened(self, clock: Clock, formed: Watched) -> Iterator[Opener]:
        with formed.master.client as client:
            client.flushall()
        made: list[Store] = []

        def opened(options: str = "", **limits: int) -> Store:
            made.append(open_store(formed.url + options, now=clock, **limits))
            return made[-1]

        yield opened
        for store in made:
            store.close()

    def test_too_few_replicas_refuse_a_put_and_nothing_stays(self, opened: Opener) -> None:
        store, kept = opened("?replicas=2&timeout=1"), record()
        with pytest.raises(
            StoreError, match=r"^1 of 2 replicas of the store at redis.sentinel:.* confirmed the result"
        ):
            store.put(kept)
        assert store.get("me", kept.handle) is None
        assert store.stats().items == 0


def test_a_name_that_no_sentinel_knows_is_named(formed: Watched) -> None:
    says = pytest.raises(StoreError, match="no Sentinel names a server of this name that is up; look at the name")
    with open_store(formed.url.replace(SERVICE, "other")) as store, says:
        store.stats()


def test_sentinels_that_are_not_there_are_an_outage() -> None:
    says = pytest.raises(StoreError, match=r"redis\+sentinel://127.0.0.1:1/held/0 cannot be reached: no Sentinel names")
    with open_store("redis+sentinel://:secret@127.0.0.1:1/held/0") as store, says:
        store.stats()


def test_a_failover_loses_nothing_that_was_replicated() -> None:
    with watched() as formed, open_store(f"{formed.url}?replicas=1") as store:
        kept = [record(b"%d" % number * 100_000) for number in range(20)]
        for one in kept:
            store.put(one)
        before, killed = store.stats(), formed.master
        killed.stop()
        for one in kept:
            assert until(partial(is_read_whole, store, one), PATIENCE)
        assert formed.master is not killed
        assert {entry.handle for entry in store.list("me")} == {one.handle for one in kept}
        assert store.stats() == before
