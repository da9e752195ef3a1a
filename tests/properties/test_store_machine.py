"""Every store does what a dictionary does that knows time, owners, limits and who was used last.

A state machine holds results, reads parts of them, filters them into new ones, lets them expire, evicts and drops
them, crashes and comes back, and asks as somebody else; after each step the store and the dictionary agree.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from abc import abstractmethod
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
import redis
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)

from penstock.errors import StoreError
from penstock.stores import NewRecord, Stats, Store, StoreLimits, new_handle, open_store
from penstock.stores.record import pack_record
from tests.kit.stores.support import START, Clock, Server, record, running

if TYPE_CHECKING:
    from collections.abc import Iterator

OWNERS = st.sampled_from(["me", "you", "r_", ""])
Name = tuple[str, str]


@dataclass(slots=True)
class Kept:
    """What the dictionary knows of a held result."""

    record: NewRecord
    stored: int
    expires: float | None
    used: float
    reads: int = 0


@st.composite
def originals(draw: st.DrawFn) -> bytes:
    """Up to five blocks, which pack well or not at all."""
    kind = draw(st.sampled_from(["empty", "small", "lines", "noise", "noise"]))
    if kind == "lines":
        return b"a line of text\n" * draw(st.integers(1, 20_000))
    if kind == "noise":
        return random.Random(draw(st.integers(0, 99))).randbytes(draw(st.integers(10_000, 60_000)))
    return draw(st.binary(max_size=40)) if kind == "small" else b""


small = st.binary(max_size=200) | st.just(b"index" * 20_000)


class StoreMachine(RuleBasedStateMachine):
    """The rules; below is one machine per store, which says how it is opened."""

    handles: Bundle[Name] = Bundle("handles")

    @abstractmethod
    def open(self) -> Store: ...

    @initialize(max_items=st.sampled_from([1, 3, 4, 1_000]), max_bytes=st.sampled_from([70_000, 150_000, 10**9]))
    def begin(self, max_items: int, max_bytes: int) -> None:
        self.clock = Clock()
        self.limits = StoreLimits(max_bytes=max_bytes, max_items=max_items)
        self.known: dict[Name, Kept] = {}
        self.counted = self.made = 0
        self.store = self.open()

    # What the dictionary does.

    def live(self) -> dict[Name, Kept]:
        now = self.clock.now
        return {name: kept for name, kept in self.known.items() if kept.expires is None or kept.expires > now}

    def make_room(self, new: Name | None = None) -> None:
        """Evict from the owner that takes most what it used last the longest ago, as the store has just done; never the
        new one. Of owners that take equally much the store may choose any."""
        self.known = self.live()
        left = {(owner, entry.handle) for owner in {one for one, _ in self.known} for entry in self.store.list(owner)}
        while True:
            is_large = sum(kept.stored for kept in self.known.values()) > self.limits.max_bytes
            if not is_large and len(self.known) <= self.limits.max_items:
                return
            shares: Counter[str] = Counter()
            for (owner, _), kept in self.known.items():
                shares[owner] += kept.stored if is_large else 1
            oldest: dict[str, Name] = {}
            for name in sorted((one for one in self.known if one != new), key=lambda one: self.known[one].used):
                oldest.setdefault(name[0], name)
            most = max(shares[owner] for owner in oldest)
            may = [name for owner, name in oldest.items() if shares[owner] == most]
            del self.known[next((name for name in may if name not in left), may[0])]

    # What may happen.

    @rule(
        target=handles,
        owner=OWNERS,
        originals=st.lists(originals(), min_size=1, max_size=3),
        body=st.none() | small,
        index=small,
        lifetime=st.none() | st.integers(60, 600),
    )
    def hold(
        self, owner: str, originals: list[bytes], body: bytes | None, index: bytes, lifetime: int | None
    ) -> MultipleResults[Name]:
        expires = None if lifetime is None else self.clock.now + lifetime
        return multiple(
            *(name for raw in originals for name in self.put(raw, owner, body=body, index=index, expires=expires))
        )

    def some(self, data: st.DataObject) -> Name:
        """One of the live ones: most of the handles that were ever made lead nowhere."""
        return data.draw(st.sampled_from(sorted(self.live())))

    @rule(target=handles, name=handles, size=st.integers(0, 90_000))
    def filter(self, name: Name, size: int) -> MultipleResults[Name]:
        """What a filter leaves of a held result is held in turn, and knows where it came from."""
        found = self.store.get(*name)
        if found is None:
            return multiple()
        return multiple(*self.put(found.read(0, size), name[0], expires=None, source=name[1], filter=".[]"))

    def put(self, raw: bytes, owner: str, **rest: Any) -> list[Name]:
        """Put one result; its name, or none when it was too large."""
        self.made += 1
        # Handles in order: a run that fails can be repeated only when nothing in it is random.
        new = record(raw, owner=owner, handle=f"r_{self.made:022d}", created=self.clock(), **rest)
        name = (new.owner, new.handle)
        stored = pack_record(new).stored
        if stored > self.limits.max_bytes:
            with pytest.raises(StoreError, match="the whole store may take"):
                self.store.put(new)
            return []
        self.store.put(new)
        self.known[name] = Kept(record=new, stored=stored, expires=new.meta.expires, used=self.clock.now)
        self.make_room(name)
        return [name]

    @precondition(lambda self: self.live())
    @rule(data=st.data(), start=st.integers(0, 300_000), length=st.integers(0, 300_000))
    def read_a_live_one(self, data: st.DataObject, start: int, length: int) -> None:
        self.read_a_part(self.some(data), start, length)

    @rule(name=handles, start=st.integers(0, 300_000), length=st.integers(0, 300_000))
    def read_any(self, name: Name, start: int, length: int) -> None:
        self.read_a_part(name, start, length)

    def read_a_part(self, name: Name, start: int, length: int) -> None:
        kept, found = self.live().get(name), self.store.get(*name)
        assert (kept is None) == (found is None)
        if kept is not None and found is not None:
            new, end = kept.record, start + length
            assert found.read(start, end) == new.raw[start:end]
            assert found.read(start, end, "body") == (new.raw if new.body is None else new.body)[start:end]
            assert found.index == new.index
            assert found.meta == replace(new.meta, expires=kept.expires)
            assert (found.entry.reads, found.entry.stored) == (kept.reads, kept.stored)

    @precondition(lambda self: self.live())
    @rule(data=st.data(), lifetime=st.none() | st.integers(60, 600))
    def touch_a_live_one(self, data: st.DataObject, lifetime: int | None) -> None:
        self.touch(self.some(data), lifetime)

    @rule(name=handles, lifetime=st.none() | st.integers(60, 600))
    def touch_any(self, name: Name, lifetime: int | None) -> None:
        self.touch(name, lifetime)

    def touch(self, name: Name, lifetime: int | None) -> None:
        expires = None if lifetime is None else self.clock.now + lifetime
        kept = self.live().get(name)
        assert self.store.touch(*name, expires=expires) == (kept is not None)
        if kept is not None:
            kept.reads += 1
            kept.used = self.clock.now
            kept.expires = kept.expires if expires is None else expires

    @rule(name=consumes(handles))
    def drop(self, name: Name) -> None:
        assert self.store.drop(*name) == (name in self.live())
        self.known.pop(name, None)

    @rule(seconds=st.sampled_from([1, 59, 61, 300]))
    def time_passes(self, seconds: int) -> None:
        self.clock.now += seconds

    @rule()
    def sweep(self) -> None:
        self.store.sweep()
        self.make_room()

    @precondition(lambda self: self.live())
    @rule(data=st.data(), other=OWNERS)
    def ask_as_somebody_else(self, data: st.DataObject, other: str) -> None:
        name = self.some(data)
        for handle in (name[1], new_handle(), name[0]):
            if other != name[0]:
                assert self.store.get(other, handle) is None
                assert self.store.touch(other, handle, expires=self.clock.now + 10_000) is False
                assert self.store.drop(other, handle) is False

    @rule(number=st.integers(0, 2**40))
    def count(self, number: int) -> None:
        self.store.add_counts("tool", tokens_saved=number)
        self.counted += number

    @invariant()
    def store_and_dictionary_agree(self) -> None:
        live = self.live()
        for owner in {owner for owner, _ in self.known} | {"me"}:
            mine = [kept for name, kept in live.items() if name[0] == owner]
            newest_first = sorted(mine, key=lambda kept: kept.record.meta.created, reverse=True)
            assert [entry.handle for entry in self.store.list(owner)] == [one.record.handle for one in newest_first]
        assert self.store.stats() == Stats(items=len(live), stored=sum(kept.stored for kept in live.values()))
        counts = self.store.counts()
        assert (counts["tool"].tokens_saved if counts else 0) == self.counted

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()


class MemoryMachine(StoreMachine):
    def open(self) -> Store:
        limits = self.limits
        return open_store("memory:", now=self.clock, max_bytes=limits.max_bytes, max_items=limits.max_items)


class LastingMachine(StoreMachine):
    """A store that survives its process."""

    url: str
    abandoned: list[Store]

    def open(self) -> Store:
        limits = self.limits
        return open_store(self.url, now=self.clock, max_bytes=limits.max_bytes, max_items=limits.max_items)

    @precondition(lambda self: len(self.abandoned) < 4)
    @rule()
    def crash_and_reopen(self) -> None:
        """The old store is left as it is, open files and connections and all."""
        self.abandoned.append(self.store)
        self.store = self.open()

    def teardown(self) -> None:
        super().teardown()
        for store in self.abandoned:
            store.close()


class SqliteMachine(LastingMachine):
    def __init__(self) -> None:
        super().__init__()
        self.abandoned = []
        self.folder = tempfile.mkdtemp(prefix="pen")
        self.url = f"sqlite://{Path(self.folder) / 'held.db'}"

    def teardown(self) -> None:
        super().teardown()
        shutil.rmtree(self.folder)


class RedisMachine(LastingMachine):
    server: ClassVar[Server]

    def __init__(self) -> None:
        super().__init__()
        self.abandoned = []
        self.url = self.server.url
        with redis.Redis(unix_socket_path=self.server.socket) as client:
            client.flushall()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running() as server:
        yield server


def run(machine: type[StoreMachine]) -> None:
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large]
    run_state_machine_as_test(
        machine,
        settings=settings(stateful_step_count=30, suppress_health_check=checks),
    )


def test_the_memory_store_is_a_dictionary() -> None:
    run(MemoryMachine)


def test_the_sqlite_store_is_a_dictionary_that_survives_crashes() -> None:
    run(SqliteMachine)


def test_the_redis_store_is_a_dictionary_that_survives_crashes(server: Server) -> None:
    RedisMachine.server = server
    run(RedisMachine)


def test_the_clock_of_these_tests_never_shows_the_same_time_twice() -> None:
    clock = Clock()
    assert START < clock() < clock()
