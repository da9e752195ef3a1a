"""The Redis store keeps the contract on a real server, which expires the records itself."""

from __future__ import annotations

import random
import sys
from typing import TYPE_CHECKING, Any

import pytest
import redis

from penstock.errors import ConfigError, StoreError
from penstock.stores import Counts, NewRecord, SizeKey, Sizes, Stats, Store, open_store
from penstock.stores.handle import Key, owner_key
from penstock.stores.redis_keys import Keys
from penstock.stores.sizes import DAY, KEPT_DAYS, day_of
from tests.kit.stores.contract import LONG, Opener, StoreContract, held, see_each_other
from tests.kit.stores.support import START, Clock, Server, record

if TYPE_CHECKING:
    from collections.abc import Iterator


KEYS = Keys("penstock")


def name_of(kept: NewRecord) -> str:
    return KEYS.record(Key(owner_key(kept.owner), kept.handle))


class TestRedis(StoreContract):
    @pytest.fixture
    def opened(self, clock: Clock, server: Server) -> Iterator[Opener]:
        made: list[Store] = []

        def opened(options: str = "", **limits: int) -> Store:
            made.append(open_store(server.url + options, now=clock, **limits))
            return made[-1]

        yield opened
        for store in made:
            store.close()

    @pytest.fixture
    def client(self, server: Server) -> Iterator[Any]:
        with redis.Redis(unix_socket_path=server.socket) as client:
            yield client

    def test_another_client_reads_what_one_has_put(self, opened: Opener) -> None:
        see_each_other(opened(), opened())

    def test_stores_with_other_prefixes_or_databases_are_apart(self, opened: Opener) -> None:
        stores = [opened(), opened("?prefix=other"), opened("?db=3")]
        for number, store in enumerate(stores):
            store.add_counts("tool", calls=number + 1)
            store.put(record())
        assert [store.counts()["tool"].calls for store in stores] == [1, 2, 3]
        assert [store.stats().items for store in stores] == [1, 1, 1]

    def test_the_server_has_the_time_to_live_whatever_its_clock_says(self, store: Store, client: Any) -> None:
        kept = record(expires=START + 60)
        store.put(kept)
        name = name_of(kept)
        assert 59_000 < client.pttl(name) <= 60_000
        store.touch("me", kept.handle, expires=START + 600)
        assert 599_000 < client.pttl(name) <= 600_000
        forever = record()
        store.put(forever)
        assert client.pttl(name_of(forever)) == -1

    def test_the_books_are_put_right_when_the_server_has_expired_a_record(
        self, opened: Opener, client: Any, clock: Clock
    ) -> None:
        store = opened(max_items=2)
        kept, other = record(LONG, expires=START + 60), record()
        store.put(kept)
        store.put(other)
        found = held(store, kept)
        client.delete(name_of(kept))  # as the server does it, without a word
        assert store.get("me", kept.handle) is None
        assert store.touch("me", kept.handle) is False
        assert store.drop("me", other.handle) is True
        assert store.list("me") == ()
        with pytest.raises(StoreError, match="removed while it was being read; make the original call again"):
            found.read(0, 10)
        clock.now = START + 61
        assert store.stats() == Stats(items=0, stored=0)
        assert [key for key in client.scan_iter() if key != KEYS.book("stored").encode()] == []

    def test_blocks_whose_writer_died_before_the_commit_cannot_be_read_and_expire(
        self, store: Store, client: Any, clock: Clock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def die(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        kept = record(LONG)
        monkeypatch.setattr(store, "_commit", die)
        with pytest.raises(KeyboardInterrupt):
            store.put(kept)
        assert store.get("me", kept.handle) is None
        assert store.list("me") == ()
        clock.now += 601  # until then the books count it
        assert store.stats() == Stats(items=0, stored=0)
        assert 0 < client.ttl(name_of(kept)) <= 600

    def test_a_commit_sent_twice_counts_once(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        commit: Any = getattr(store, "_commit")  # noqa: B009  # as a client does whose answer was lost on the way

        def twice(*values: Any) -> Any:
            commit(*values)
            return commit(*values)

        monkeypatch.setattr(store, "_commit", twice)
        kept = record(LONG)
        store.put(kept)
        assert store.stats() == Stats(items=1, stored=held(store, kept).entry.stored)

    def test_blocks_that_the_server_evicted_meanwhile_are_noticed(
        self, store: Store, client: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        commit: Any = getattr(store, "_commit")  # noqa: B009

        def late(*values: Any) -> Any:
            client.flushall()
            return commit(*values)

        monkeypatch.setattr(store, "_commit", late)
        kept = record(LONG)
        with pytest.raises(StoreError, match="lost blocks while they were written; give it more memory"):
            store.put(kept)
        assert store.get("me", kept.handle) is None

    def test_a_server_out_of_memory_is_named_and_nothing_half_written_stays(self, store: Store, client: Any) -> None:
        store.put(record())
        large = record(random.Random(2).randbytes(4_000_000))
        client.config_set("maxmemory", client.info("memory")["used_memory"] + 2_500_000)
        with pytest.raises(StoreError, match="is out of memory; raise its maxmemory"):
            store.put(large)
        assert store.get("me", large.handle) is None
        assert client.exists(name_of(large)) == 0
        client.config_set("maxmemory", 1)  # now even a script is refused
        with pytest.raises(StoreError, match="is out of memory"):
            store.touch("me", store.list("me")[0].handle)
        client.config_set("maxmemory", 0)
        store.put(large)
        assert held(store, large).read(0, 100) == large.raw[:100]

    def test_a_damaged_block_or_head_is_an_error_and_never_other_bytes(self, store: Store, client: Any) -> None:
        kept = record(LONG)
        store.put(kept)
        name = name_of(kept)
        frame = bytearray(client.hget(name, "0.5"))
        frame[len(frame) // 2] ^= 1
        client.hset(name, "0.5", bytes(frame))
        found = held(store, kept)
        with pytest.raises(StoreError, match="is damaged; make the original call again"):
            found.read(0, len(LONG))
        assert found.read(0, 100) == LONG[:100]
        client.hset(name, "head", b"nonsense")
        with pytest.raises(StoreError, match="is damaged"):
            store.get("me", kept.handle)

    @pytest.mark.parametrize(
        ("field", "value"), [("stored", "abc"), ("stored", None), ("expires", "xyz"), ("reads", b"\xff"), ("head", "?")]
    )
    def test_odd_values_of_a_record_are_damage_that_can_be_dropped(
        self, store: Store, client: Any, field: str, value: Any
    ) -> None:
        kept, other = record(), record()
        store.put(kept)
        store.put(other)
        name = name_of(kept)
        client.hdel(name, field) if value is None else client.hset(name, field, value)
        client.zadd(KEYS.book("of", owner_key("me")), {b"\xff": START})
        with pytest.raises(StoreError, match="is damaged; make the original call again"):
            store.get("me", kept.handle)
        assert [entry.handle for entry in store.list("me")] == [other.handle]
        assert store.drop("me", kept.handle) is True
        assert store.get("me", kept.handle) is None

    def test_what_is_no_count_is_not_counted(self, store: Store, client: Any) -> None:
        store.add_counts("tool", calls=2)
        client.hset("penstock:counts", mapping={"other:tool": 5, "held:tool": "many", b"\xff": 1, "calls": "?"})
        assert store.counts() == {"tool": Counts(calls=2)}

    def test_what_is_no_size_is_not_counted(self, store: Store, client: Any) -> None:
        sizes = {SizeKey(day_of(START), "files", "search", 500): Sizes(calls=1)}
        store.add_sizes(sizes)
        odd = {"other\x00500\0a\0b": 5, "held\x00500\0a\0b": "many", b"\xff": 1, "calls": "?"}
        client.hset(f"penstock:sizes:{day_of(START)}", mapping=odd)
        assert store.sizes() == sizes

    def test_the_server_forgets_a_day_of_sizes_by_itself(self, store: Store, client: Any) -> None:
        store.add_sizes({SizeKey(day_of(START), "files", "search", 500): Sizes(calls=1)})
        left = client.ttl(f"penstock:sizes:{day_of(START)}")
        assert KEPT_DAYS * DAY < left <= (KEPT_DAYS + 1) * DAY

    def test_books_that_are_no_number_do_not_break_the_figures(self, store: Store, client: Any) -> None:
        store.put(record())
        client.set(KEYS.book("stored"), "much")
        assert store.stats() == Stats(items=1, stored=0)

    def test_a_touch_enters_a_record_that_the_books_have_lost(self, store: Store, client: Any) -> None:
        kept = record(LONG)
        store.put(kept)
        before = store.stats()
        for name in client.scan_iter(KEYS.books + "*"):  # as when a node fails over before it could replicate them
            client.delete(name)
        assert store.list("me") == ()
        assert held(store, kept).read(0, 10) == LONG[:10]
        assert store.touch("me", kept.handle)
        assert store.stats() == before
        assert [entry.handle for entry in store.list("me")] == [kept.handle]

    def test_an_eviction_that_was_interrupted_is_completed_by_the_next_sweep(self, opened: Opener, client: Any) -> None:
        first = record()
        opened().put(first)
        opened().put(record())
        client.delete(name_of(first))  # The process ended before it could correct the books.
        assert opened(max_items=1).sweep() == 1
        assert client.hlen(KEYS.book("sizes")) == 1

    @pytest.mark.parametrize("error", [ValueError("I/O operation on closed file."), AttributeError("recv"), OSError(9)])
    def test_a_store_closed_in_the_middle_of_a_call_says_so(
        self, store: Store, monkeypatch: pytest.MonkeyPatch, error: Exception
    ) -> None:
        def closed_meanwhile(*_: object) -> None:
            store.close()
            raise error

        monkeypatch.setattr(store, "_run", closed_meanwhile)
        with pytest.raises(StoreError, match="the store is closed"):
            store.stats()

    def test_of_two_commits_of_one_handle_the_second_is_refused(
        self, opened: Opener, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store, faster = opened(), opened()
        commit: Any = getattr(store, "_commit")  # noqa: B009
        kept = record(b"first")

        def late(*values: Any) -> Any:
            faster.drop("me", kept.handle)  # takes our blocks away, so that the other one finds its own
            faster.put(kept)
            return commit(*values)

        monkeypatch.setattr(store, "_commit", late)
        with pytest.raises(StoreError, match="already holds this handle"):
            store.put(record(b"second one", handle=kept.handle))
        assert held(faster, kept).read(0, 10) == b"first"

    def test_a_key_of_another_kind_is_an_error_in_words(self, store: Store, client: Any) -> None:
        client.set("penstock:counts", "not a hash")
        with pytest.raises(StoreError, match=r"failed: .*WRONGTYPE.*look at the server's log"):
            store.counts()

    def test_a_refused_login_is_named_without_the_password(self, server: Server, client: Any) -> None:
        client.config_set("requirepass", "right")
        try:
            with open_store(f"unix://:wr0ng@{server.socket}") as store:
                with pytest.raises(StoreError, match="refuses us; check its user and password") as caught:
                    store.stats()
                assert "wr0ng" not in str(caught.value) + store.place
            with open_store(f"unix://:right@{server.socket}") as store:
                assert store.stats().items == 0
        finally:
            client.config_set("requirepass", "")


def test_the_place_has_no_password_in_it() -> None:
    with open_store("rediss://user:secret@example.org:7000/2?ssl_cert_reqs=none&timeout=3") as store:
        assert store.place == "rediss://example.org:7000/2"
    with open_store("redis://") as store:
        assert store.place == "redis://localhost:6379/0"


@pytest.mark.parametrize(
    "url", ["redis://host:port/0", "redis://host/zero", "rediss://host?db=-", "redis://h?timeout=0"]
)
def test_a_wrong_url_is_a_configuration_error(url: str) -> None:
    with pytest.raises(ConfigError):
        open_store(url)


def test_without_the_package_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "penstock.stores.redis", raising=False)
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(ConfigError, match=r'needs the redis package; install it: pip install "penstock-mcp\[redis\]"'):
        open_store("redis://localhost")
