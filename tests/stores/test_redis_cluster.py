"""The Redis store keeps the contract on a real Redis Cluster, and what was replicated outlives the death of a node."""

from __future__ import annotations

import signal
from functools import partial
from typing import TYPE_CHECKING

import pytest

from penstock.errors import StoreError
from penstock.stores import NewRecord, Store, open_store
from penstock.stores.handle import Key, owner_key
from penstock.stores.redis_keys import Keys
from tests.kit.stores.clusters import LONG as PATIENCE
from tests.kit.stores.clusters import Cluster, cluster, nodes
from tests.kit.stores.contract import LONG, Opener, StoreContract, held, is_read_whole, see_each_other
from tests.kit.stores.support import Clock, record
from tests.kit.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.compat

KEYS = Keys("penstock")


def name_of(kept: NewRecord) -> str:
    return KEYS.record(Key(owner_key(kept.owner), kept.handle))


@pytest.fixture(scope="module")
def formed() -> Iterator[Cluster]:
    with cluster() as made:
        yield made


class TestRedisCluster(StoreContract):
    @pytest.fixture
    def opened(self, clock: Clock, formed: Cluster) -> Iterator[Opener]:
        formed.empty()
        made: list[Store] = []

        def opened(options: str = "", **limits: int) -> Store:
            made.append(open_store(formed.url + options, now=clock, **limits))
            return made[-1]

        yield opened
        for store in made:
            store.close()

    def test_another_client_reads_what_one_has_put(self, opened: Opener) -> None:
        see_each_other(opened(), opened())

    def test_results_lie_on_all_nodes(self, store: Store, formed: Cluster) -> None:
        for _ in range(40):
            store.put(record())
        for node in formed.masters:
            with node.client as client:
                assert list(client.scan_iter("penstock:{r_*"))

    def test_a_slot_that_moves_is_followed(self, store: Store, formed: Cluster) -> None:
        kept = record(LONG)
        store.put(kept)
        name = name_of(kept)
        [source] = formed.masters_of(name)
        target = next(node for node in formed.masters if node is not source)
        with source.client as old, target.client as new:
            slot = old.execute_command("CLUSTER KEYSLOT", name)
            ids = {node.port: client.execute_command("CLUSTER MYID") for node, client in ((source, old), (target, new))}
            new.execute_command("CLUSTER SETSLOT", slot, "IMPORTING", ids[source.port])
            old.execute_command("CLUSTER SETSLOT", slot, "MIGRATING", ids[target.port])
            old.execute_command("MIGRATE", "127.0.0.1", target.port, name, 0, 10_000)
            assert held(store, kept).read(0, len(LONG)) == LONG  # the old node says ASK
            for client in (new, old):
                client.execute_command("CLUSTER SETSLOT", slot, "NODE", ids[target.port])
        assert held(store, kept).read(0, len(LONG)) == LONG  # and now MOVED
        assert store.touch("me", kept.handle)
        assert store.drop("me", kept.handle)

    def test_enough_replicas_confirm_a_put(self, opened: Opener) -> None:
        kept = record(LONG)
        opened("?replicas=1").put(kept)
        assert held(opened(), kept).read(0, 10) == LONG[:10]

    def test_too_few_replicas_refuse_a_put_and_nothing_stays(self, opened: Opener) -> None:
        store, kept = opened("?replicas=2&timeout=1"), record()
        with pytest.raises(
            StoreError, match=r"^1 of 2 replicas of the store at redis\+cluster:.* lower the store's repl"
        ):
            store.put(kept)
        assert store.get("me", kept.handle) is None
        assert store.stats().items == 0


def test_one_servers_url_on_a_cluster_says_what_to_write(formed: Cluster) -> None:
    elsewhere = next(node for node in formed.masters if node not in formed.masters_of(KEYS.books))
    says = pytest.raises(StoreError, match=r"is a node of a Redis Cluster; start the URL with redis\+cluster://")
    with open_store(f"redis://127.0.0.1:{elsewhere.port}") as store, says:
        store.stats()


def test_a_clusters_url_on_one_server_says_what_to_write(tmp_path: Path) -> None:
    says = pytest.raises(StoreError, match="is no Redis Cluster; start the URL with redis:// or rediss://")
    with nodes(1, tmp_path) as [node], open_store(f"redis+cluster://127.0.0.1:{node.port}") as store, says:
        store.stats()


def test_a_cluster_that_is_not_there_is_an_outage() -> None:
    with open_store("redis+cluster://user:secret@127.0.0.1:1,127.0.0.1:2") as store:
        with pytest.raises(StoreError, match=r"redis\+cluster://127.0.0.1:1,127.0.0.1:2 cannot be reached") as caught:
            store.stats()
        assert "secret" not in str(caught.value)


@pytest.mark.parametrize("fault", [signal.SIGKILL, signal.SIGSTOP])
def test_a_failover_loses_nothing_that_was_replicated(fault: signal.Signals) -> None:
    with cluster() as formed, open_store(f"{formed.url}?replicas=1&timeout=2") as store:
        kept = [record(b"%d" % number * 100_000) for number in range(40)]
        for one in kept:
            store.put(one)
        before = store.stats()
        killed, *places = formed.masters_of(KEYS.books, *map(name_of, kept))
        assert killed in places  # the node has the books, and some of the results
        killed.stop()

        for one in kept:
            assert until(partial(is_read_whole, store, one), PATIENCE)
        killed.stop()
        assert until(formed.is_whole, PATIENCE)
        assert {entry.handle for entry in store.list("me")} == {one.handle for one in kept}
        assert store.stats() == before
