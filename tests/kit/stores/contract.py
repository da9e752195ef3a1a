"""What every store keeps, whatever it is made of. Each store's tests inherit this class.

What was put is read back byte for byte by its owner, and by nobody else, until it expires, is evicted or dropped;
after that it looks like what never was.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from tests.kit.stores.support import START, Clock, Extra, every_call, record

from penstock.core.budget import Room
from penstock.core.forms import document
from penstock.core.json import index
from penstock.core.reading import page
from penstock.core.tokens.size_class import BEYOND
from penstock.errors import CallerError, StoreError
from penstock.share import Share
from penstock.stores import Counts, Held, NewRecord, SizeKey, Sizes, Stats, Store, new_handle
from penstock.stores.blocks import BLOCK
from penstock.stores.record import pack_record
from penstock.stores.sizes import DAY, KEPT_DAYS, MAX_ROWS, OTHERS, day_of, total

Opener = Callable[..., Store]
LONG = random.Random(5).randbytes(BLOCK) + b"a line of text\n" * 60_000  # 15 blocks, the first of which packs badly


def held(store: Store, kept: NewRecord) -> Held:
    found = store.get(kept.owner, kept.handle)
    assert found is not None
    return found


def see_each_other(first: Store, second: Store) -> None:
    """What one of two open stores puts or drops, the other has or has not."""
    kept = record(LONG)
    first.put(kept)
    assert held(second, kept).read(0, len(LONG)) == LONG
    assert second.drop("me", kept.handle)
    assert first.get("me", kept.handle) is None


def is_read_whole(store: Store, kept: NewRecord) -> bool:
    """Whether a store gives a result whole; False while it cannot be reached. That it is not there is a failure."""
    try:
        return held(store, kept).read(0, len(kept.raw)) == kept.raw
    except StoreError as error:
        if "cannot be reached" not in str(error):
            raise
        return False


class StoreContract:
    @pytest.fixture
    def opened(self, clock: Clock) -> Opener:
        """Opens a store on this clock; the arguments are the limits."""
        raise NotImplementedError

    @pytest.fixture
    def store(self, opened: Opener) -> Store:
        return opened()

    # What is put is read back.

    @pytest.mark.parametrize("size", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, len(LONG)])
    def test_a_result_is_read_back_byte_for_byte(self, store: Store, size: int) -> None:
        kept = record(LONG[:size], index=LONG[-size:], body=LONG[: size // 2])
        store.put(kept)
        found = held(store, kept)
        assert found.read(0, size) == kept.raw
        assert found.read(0, size, "body") == kept.body
        assert found.index == kept.index
        assert (found.size(), found.size("body")) == (size, size // 2)

    def test_any_part_is_the_slice_of_the_original(self, store: Store) -> None:
        kept = record(LONG)
        store.put(kept)
        found = held(store, kept)
        places = [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK, 9 * BLOCK + 7, len(LONG) - 1, len(LONG), len(LONG) + 9]
        for start in places:
            for end in places:
                assert found.read(start, end) == LONG[start:end]

    def test_without_a_body_of_its_own_the_body_is_the_original(self, store: Store) -> None:
        kept = record(LONG)
        store.put(kept)
        assert held(store, kept).reader()(70_000, 70_100) == LONG[70_000:70_100]

    def test_metadata_comes_back_as_it_was_given(self, store: Store) -> None:
        kept = record(
            b"[1]",
            tool="search_text",
            arguments=b'{"query": "x"}',
            tokens=85_012,
            items=312,
            depth=8,
            kind="json",
            expires=START + 1_800,
            source=new_handle(),
            filter=".[] | .name",
            extra={"shape": "[int]", "pages": [0, 40, 80], "blob": b"\x00\xff", "none": None},
        )
        store.put(kept)
        entry = held(store, kept).entry
        assert entry.meta == kept.meta
        assert (entry.handle, entry.reads, entry.last_read) == (kept.handle, 0, None)
        assert entry.stored > 0
        assert store.list("me") == (entry,)

    def test_a_page_is_read_through_the_stored_index(self, store: Store) -> None:
        items = [b'{"id":%d,"name":"item %d"}' % (at, at) for at in range(9_000)]
        raw = b"[" + b", ".join(items) + b"]"
        kept = record(raw, index=index.dump(document.read(raw).index))
        store.put(kept)
        found = held(store, kept)
        main = index.load(found.index).root
        assert main is not None
        pages = page.paginate(main, found.reader(), Room(tokens=2_000))
        parts = [page.page(main, found.reader(), pages, number).items for number in range(1, pages.total_pages + 1)]
        assert [item for part in parts for item in part] == items

    def test_a_handle_is_put_once(self, store: Store) -> None:
        kept = record(b"first")
        store.put(kept)
        with pytest.raises(StoreError, match="already holds this handle"):
            store.put(replace(kept, raw=b"second"))
        assert held(store, kept).read(0, 99) == b"first"

    def test_what_is_no_handle_cannot_be_put(self, store: Store) -> None:
        with pytest.raises(CallerError, match="not a handle"):
            store.put(record(handle="../../secret"))

    @pytest.mark.parametrize("extra", [{"x": object()}, {"x": 2**70}, {"x": "\ud800"}])
    def test_metadata_that_cannot_be_written_is_refused_whole(self, store: Store, extra: dict[str, Any]) -> None:
        kept = record(extra=extra)
        with pytest.raises(CallerError, match="metadata cannot be written"):
            store.put(kept)
        assert store.get("me", kept.handle) is None

    @pytest.mark.parametrize("time", [float("nan"), float("inf"), float("-inf"), "soon", b"1"])
    @pytest.mark.parametrize("name", ["created", "expires"])
    def test_a_time_that_is_no_finite_number_is_refused(self, store: Store, name: str, time: Any) -> None:
        kept = record(**{name: time})
        with pytest.raises(CallerError, match="a time is no finite number; give created and expires in seconds"):
            store.put(kept)
        assert store.list("me") == ()

    # Whose it is.

    @pytest.mark.parametrize(
        "handle",
        ["", "r_", "../../etc/passwd", "r_' OR 1=1 --", "r_" + "a" * 22, "r_" + "é" * 22, "\ud800", "x" * 10_000, "*"],
    )
    def test_what_was_never_a_handle_is_simply_unknown(self, store: Store, handle: str) -> None:
        store.put(record())
        assert store.get("me", handle) is None
        assert store.touch("me", handle, expires=START + 9_999) is False
        assert store.drop("me", handle) is False

    @pytest.mark.parametrize("other", ["you", "", "Me", "me ", "m%", "\ud800", "me:me"])
    def test_a_foreign_handle_is_like_an_unknown_one(self, store: Store, other: str) -> None:
        kept = record()
        store.put(kept)
        for handle in (kept.handle, new_handle()):
            assert store.get(other, handle) is None
            assert store.touch(other, handle) is False
            assert store.drop(other, handle) is False
        assert store.list(other) == ()
        assert held(store, kept).entry.reads == 0

    def test_two_owners_may_have_the_same_handle_and_never_meet(self, store: Store) -> None:
        mine, yours = record(b"mine"), record(b"yours", owner="\ud800odd")
        yours = replace(yours, handle=mine.handle)
        store.put(mine)
        store.put(yours)
        assert store.drop(mine.owner, mine.handle) is True
        assert store.get(mine.owner, mine.handle) is None
        assert held(store, yours).read(0, 9) == b"yours"

    # Looking at all of it.

    def test_all_owners_results_are_listed_the_newest_first_as_they_stand_now(self, store: Store, clock: Clock) -> None:
        old = record(tool="a", arguments=b'{"q":1}', tokens=7, items=3, kind="json", extra={"form": "log", "x": [1]})
        new = record(owner="you", tool="b", created=START + 5, expires=START + 60, source=old.handle, filter=".x")
        gone = record(expires=START + 1)
        for one in (old, new, gone):
            store.put(one)
        store.touch("me", old.handle, expires=START + 90)
        clock.now = START + 30
        second, first = store.all(Extra)
        assert (first.handle, first.expires, first.reads, first.meta.extra) == (old.handle, START + 90, 1, Extra("log"))
        assert first.meta.arguments == b'{"q":1}'
        assert (first.meta.tool, first.meta.tokens, first.meta.items, first.meta.kind) == ("a", 7, 3, "json")
        assert (second.handle, second.expires, second.reads, second.last_read) == (new.handle, START + 60, 0, None)
        assert (second.meta.source, second.meta.filter, second.meta.created) == (old.handle, ".x", START + 5)
        assert first.key.owner != second.key.owner
        assert first.stored == held(store, old).entry.stored

    def test_looking_at_a_result_of_any_owner_changes_nothing(self, opened: Opener) -> None:
        store = opened(max_items=2)
        mine, later = record(LONG, answer=b"the notice" * 9_000), record()
        store.put(mine)
        store.put(later)
        for _ in range(3):
            found = store.look(mine.handle)
            assert found is not None
            assert found.read(0, len(LONG)) == LONG
            assert found.answer == mine.answer
        assert len(store.all(Extra)) == 2
        entry = held(store, mine).entry
        assert (entry.reads, entry.last_read, entry.seen) == (0, None, b"")
        store.put(record())
        assert store.look(mine.handle) is None  # it stayed the least recently used
        assert store.look("r_none") is None
        assert store.look(new_handle()) is None

    def test_a_result_of_any_owner_can_be_removed_by_its_handle(self, store: Store) -> None:
        mine, yours = record(), record(owner="you")
        store.put(mine)
        store.put(yours)
        assert store.remove(yours.handle) is True
        assert store.remove(yours.handle) is False
        assert store.remove("r_' OR 1=1") is False
        assert [one.handle for one in store.all(Extra)] == [mine.handle]
        assert store.stats().items == 1

    def test_the_pulse_changes_with_what_is_held_read_removed_and_counted(self, store: Store, clock: Clock) -> None:
        kept = record()
        pulses = [store.pulse()]
        for change in (
            lambda: store.put(kept),
            lambda: store.touch("me", kept.handle),
            lambda: store.add_counts("tool", calls=1),
            lambda: store.remove(kept.handle),
        ):
            change()
            clock.now += 10
            pulses.append(store.pulse())
        assert len(set(pulses)) == len(pulses)

    # Time.

    def test_an_expired_result_is_gone_before_it_is_swept(self, store: Store, clock: Clock) -> None:
        kept = record(expires=START + 60)
        store.put(kept)
        clock.now = START + 59
        assert store.get("me", kept.handle) is not None
        clock.now = START + 60
        assert store.get("me", kept.handle) is None
        assert store.list("me") == ()
        assert store.touch("me", kept.handle, expires=START + 999) is False
        assert store.drop("me", kept.handle) is False
        assert store.stats() == Stats(items=0, stored=0)

    def test_a_sweep_removes_what_has_expired_and_nothing_else(self, store: Store, clock: Clock) -> None:
        kept = [record(expires=expires) for expires in (START + 60, START + 90, None)]
        for one in kept:
            store.put(one)
        clock.now = START + 60
        assert store.sweep() <= 1  # a store may have removed it by itself
        assert {entry.handle for entry in store.list("me")} == {kept[1].handle, kept[2].handle}
        clock.now = START + 10**9
        store.sweep()
        assert [entry.handle for entry in store.list("me")] == [kept[2].handle]
        assert store.sweep() == 0

    def test_a_clock_that_jumps_back_takes_nothing_away(self, opened: Opener, clock: Clock) -> None:
        size = pack_record(record(b"x" * 100, expires=START)).stored
        store = opened(max_bytes=3 * size)
        early = record(b"x" * 100, expires=START + 600)
        store.put(early)
        clock.now = START - 86_400
        late = record(b"y" * 100, created=START - 86_400, expires=START - 86_400 + 600)
        store.put(late)
        assert store.sweep() == 0
        assert {one.handle for one in store.list("me")} == {early.handle, late.handle}
        for kept in (early, late):
            assert held(store, kept).read(0, 100) == kept.raw
            assert store.touch("me", kept.handle)
        newest = record(random.Random(1).randbytes(2 * size), created=START - 86_000)
        store.put(newest)  # for which another has to go, though this one may look the oldest
        assert held(store, newest).read(0, 2 * size) == newest.raw

    def test_a_clock_that_jumps_ahead_ends_what_expires_and_nothing_else(self, store: Store, clock: Clock) -> None:
        expiring, lasting = record(b"a", expires=START + 600), record(b"b")
        store.put(expiring)
        store.put(lasting)
        clock.now = START + 10**8
        assert [one.handle for one in store.list("me")] == [lasting.handle]
        later = record(b"c", created=clock.now, expires=clock.now + 600)
        store.put(later)
        store.sweep()
        clock.now = START + 1
        assert store.get("me", expiring.handle) is None or held(store, expiring).read(0, 1) == b"a"
        for kept in (lasting, later):
            assert held(store, kept).read(0, 1) == kept.raw

    def test_what_readers_have_seen_is_kept_in_the_order_of_their_touches(self, store: Store) -> None:
        kept = record(b"text")
        store.put(kept)
        assert store.list("me")[0].seen == b""
        for seen in (b"\x00one", b"", b"\xfftwo"):
            assert store.touch("me", kept.handle, seen=seen) is True
        found = store.get("me", kept.handle)
        assert found is not None
        assert found.entry.seen == store.list("me")[0].seen == b"\x00one\xfftwo"

    def test_a_touch_counts_the_read_and_can_put_off_the_expiry(self, store: Store, clock: Clock) -> None:
        kept = record(expires=START + 60)
        store.put(kept)
        clock.now = START + 30
        assert store.touch("me", kept.handle) is True
        clock.now = START + 40
        assert store.touch("me", kept.handle, expires=START + 100) is True
        entry = held(store, kept).entry
        assert entry.reads == 2
        assert entry.last_read is not None
        assert START + 40 <= entry.last_read < START + 41
        assert entry.meta == replace(kept.meta, expires=START + 100)
        clock.now = START + 99
        assert store.get("me", kept.handle) is not None
        clock.now = START + 100
        assert store.get("me", kept.handle) is None

    def test_a_result_put_after_its_time_is_never_there(self, store: Store) -> None:
        kept = record(expires=START - 1)
        store.put(kept)
        assert store.get("me", kept.handle) is None
        assert store.list("me") == ()
        store.sweep()
        assert store.stats() == Stats(items=0, stored=0)

    # The same call again.

    def test_the_latest_result_of_a_call_is_the_newest_of_its_owner(self, store: Store) -> None:
        kept = [self._of_call("c1", START + at) for at in range(3)]
        for one in (kept[2], kept[0], kept[1], self._of_call("c2", START + 9), record(created=START + 9)):
            store.put(one)
        found = store.latest("me", "c1")
        assert found is not None
        assert found.entry.handle == kept[2].handle
        assert found.meta.call == "c1"
        assert found.read(0, len(kept[2].raw)) == kept[2].raw
        assert found.entry.reads == 0
        assert [store.latest(*of) for of in (("you", "c1"), ("me", "c3"), ("me", ""))] == [None] * 3

    def test_when_the_latest_is_gone_the_one_before_it_is_the_latest(self, store: Store, clock: Clock) -> None:
        kept = [self._of_call("c1", START + at, expires=START + 100 - 30 * at) for at in range(3)]
        for one in kept:
            store.put(one)
        clock.now = START + 50  # the newest has expired
        assert self._latest(store) == kept[1].handle
        assert store.drop("me", kept[1].handle)
        assert self._latest(store) == kept[0].handle
        clock.now = START + 100
        store.sweep()
        assert self._latest(store) is None

    def test_an_evicted_result_is_no_latest_one(self, opened: Opener) -> None:
        store = opened(max_items=2)
        first = self._of_call("c1", START)
        store.put(first)
        assert self._latest(store) == first.handle
        for _ in range(2):
            store.put(record())
        assert self._latest(store) is None

    @staticmethod
    def _of_call(call: str, created: float, expires: float | None = None) -> NewRecord:
        return record(b"%f" % created, created=created, expires=expires, call=call)

    @staticmethod
    def _latest(store: Store) -> str | None:
        found = store.latest("me", "c1")
        return None if found is None else found.entry.handle

    # Space.

    def test_beyond_the_count_limit_the_least_recently_used_goes(self, opened: Opener) -> None:
        store = opened(max_items=3)
        first, second, third, fourth = (record(b"%d" % at) for at in range(4))
        for one in (first, second, third):
            store.put(one)
        store.touch("me", first.handle)
        store.put(fourth)
        assert store.get("me", second.handle) is None
        for one in (first, third, fourth):
            assert held(store, one).read(0, 9) == one.raw
        assert store.stats().items == 3

    def test_beyond_the_byte_limit_the_least_recently_used_go(self, opened: Opener) -> None:
        noise = [random.Random(at).randbytes(30_000) for at in range(6)]
        kept = [record(raw) for raw in noise]
        one_size = pack_record(kept[0]).stored
        store = opened(max_bytes=3 * one_size)
        for one in kept[:3]:
            store.put(one)
        store.touch("me", kept[0].handle)
        store.put(kept[3])
        assert [entry.handle for entry in store.list("me")].count(kept[1].handle) == 0
        assert store.stats().items == 3
        large = record(random.Random(9).randbytes(60_000))
        store.put(large)
        assert {entry.handle for entry in store.list("me")} == {large.handle, kept[3].handle}
        assert store.stats().stored <= 3 * one_size

    def test_expired_results_go_before_any_that_is_alive(self, opened: Opener, clock: Clock) -> None:
        store = opened(max_items=2)
        old, expired, new = record(), record(expires=START + 60), record()
        store.put(old)
        store.put(expired)
        clock.now = START + 61
        store.put(new)
        assert {entry.handle for entry in store.list("me")} == {old.handle, new.handle}

    def test_one_owner_can_evict_another_but_never_see_it(self, opened: Opener) -> None:
        store = opened(max_items=1)
        mine, yours = record(), record(owner="you")
        store.put(mine)
        store.put(yours)
        assert store.list("me") == ()
        assert len(store.list("you")) == 1

    @pytest.mark.parametrize("limits", [{"max_items": 6}, {"max_bytes": 6 * 8_000}])
    def test_an_owner_that_takes_most_loses_its_own_and_nobody_elses(
        self, opened: Opener, limits: dict[str, int]
    ) -> None:
        """Regression: one owner with many results pushed out those of all others."""
        store = opened(**limits)
        mine = [record(random.Random(number).randbytes(6_000)) for number in range(2)]
        for one in mine:
            store.put(one)
        theirs = [record(random.Random(number).randbytes(6_000), owner="you") for number in range(20)]
        for one in theirs:
            store.put(one)
        assert {entry.handle for entry in store.list("me")} == {one.handle for one in mine}
        kept = {entry.handle for entry in store.list("you")}
        assert kept == {one.handle for one in theirs[-len(kept) :]}
        assert len(kept) >= 3

    @pytest.mark.parametrize("limits", [{"max_items": 6}, {"max_bytes": 6 * 8_000}])
    def test_many_sessions_of_one_address_lose_their_own_and_no_other_addresss(
        self, opened: Opener, limits: dict[str, int]
    ) -> None:
        """Callers without a credential have one owner: their addresses are told apart by the share alone."""
        store = opened(**limits)
        near, far = Share("near", "its only session"), "far"
        mine = [record(random.Random(number).randbytes(6_000), share=near) for number in range(2)]
        for one in mine:
            store.put(one)
        theirs = [
            record(random.Random(number).randbytes(6_000), share=Share(far, f"session {number}"))
            for number in range(20)
        ]
        for one in theirs:
            store.put(one)
        left = {entry.handle for entry in store.list("me")}
        assert {one.handle for one in mine} <= left
        assert theirs[-1].handle in left
        assert len(left) < 2 + len(theirs)

    def test_within_an_address_the_session_that_takes_most_gives_way(self, opened: Opener) -> None:
        store = opened(max_items=4)
        quiet = record(share=Share("address", "quiet"))
        busy = [record(share=Share("address", "busy")) for _ in range(8)]
        for one in (quiet, *busy):
            store.put(one)
        assert {entry.handle for entry in store.list("me")} == {one.handle for one in (quiet, *busy[-3:])}
        assert store.drop("me", quiet.handle)
        store.put(record(share=Share("address", "third")))
        assert store.stats().items == 4

    def test_a_result_larger_than_the_whole_store_is_refused_and_evicts_nothing(self, opened: Opener) -> None:
        store = opened(max_bytes=20_000)
        small, large = record(), record(random.Random(1).randbytes(20_000))
        store.put(small)
        with pytest.raises(StoreError, match=r"takes 20,\d+ bytes, and the whole store may take 20,000; raise"):
            store.put(large)
        assert store.get("me", large.handle) is None
        assert held(store, small).read(0, 99) == small.raw

    def test_dropping_gives_the_space_back(self, store: Store) -> None:
        kept = [record(LONG), record(LONG)]
        for one in kept:
            store.put(one)
        before = store.stats()
        assert before.items == 2
        assert store.drop("me", kept[0].handle) is True
        assert store.drop("me", kept[0].handle) is False
        assert store.stats() == Stats(items=1, stored=before.stored // 2)

    # Lists and counters.

    def test_the_list_has_the_newest_first(self, store: Store) -> None:
        created = [START + at for at in (5, 1, 9, 3)]
        for at in created:
            store.put(record(created=at))
        store.put(record(owner="you"))
        assert [entry.meta.created for entry in store.list("me")] == sorted(created, reverse=True)

    def test_what_is_held_can_be_purged_by_tool_by_age_and_altogether(self, store: Store) -> None:
        kept = [
            record(tool=tool, owner=owner, created=START + age)
            for age, (tool, owner) in enumerate([("a", "me"), ("b", "me"), ("b", "you"), ("a", "you")])
        ]
        for one in kept:
            store.put(one)
        assert store.purge(tool="c") == Stats(items=0, stored=0)
        gone = store.purge(tool="b", before=START + 2)
        assert (gone.items, gone.stored > 0) == (1, True)
        assert [len(store.list(owner)) for owner in ("me", "you")] == [1, 2]
        assert store.purge(before=START + 1).items == 1
        assert store.get("me", kept[0].handle) is None
        assert store.purge().items == 2
        assert store.stats() == Stats(items=0, stored=0)

    def test_counters_add_up_by_tool_and_outlive_the_results(self, store: Store) -> None:
        assert store.counts() == {}
        store.add_counts("search_text", calls=2, held=1, tokens_saved=80_000)
        store.add_counts("search_text", calls=1)
        store.add_counts("odd: \ud800 name", calls=1)
        assert store.counts() == {
            "search_text": Counts(calls=3, held=1, tokens_saved=80_000),
            "odd: ? name": Counts(calls=1),
        }

    def test_sizes_add_up_by_day_server_tool_and_class_and_are_asked_by_day(self, store: Store) -> None:
        today = day_of(START)
        key = SizeKey(today, "files", "search: text", 20_000)
        other = SizeKey(today - 3, "", "odd: \ud800\0 name", BEYOND)
        assert store.sizes() == {}
        store.add_sizes({key: Sizes(calls=2, held=1, tokens_in=30_000, tokens_out=2_000)})
        store.add_sizes({key: Sizes(calls=1, tokens_in=5, tokens_out=5), other: Sizes(calls=1)})
        tidy = other._replace(tool="odd: ? name")
        whole = {key: Sizes(calls=3, held=1, tokens_in=30_005, tokens_out=2_005), tidy: Sizes(calls=1)}
        assert store.sizes() == whole
        assert store.sizes(today - 3) == whole
        assert store.sizes(today - 2) == {key: whole[key]}

    def test_days_of_sizes_go_when_they_are_old(self, store: Store, clock: Clock) -> None:
        today = day_of(START)
        keys = [SizeKey(today - age, "", "t", 250) for age in (0, 1, KEPT_DAYS - 1, KEPT_DAYS, 900)]
        store.add_sizes(dict.fromkeys(keys, Sizes(calls=1)))
        assert sorted(store.sizes(), reverse=True) == keys[:3]
        clock.now += 2 * DAY
        assert sorted(store.sizes(), reverse=True) == keys[:2]
        store.add_sizes({SizeKey(today + 2, "", "t", 250): Sizes(calls=1)})
        assert len(store.sizes()) == 3

    def test_a_day_has_so_many_rows_and_counts_the_rest_together(self, store: Store) -> None:
        today = day_of(START)
        keys = [SizeKey(today, "s", f"tool {number}", 500) for number in range(MAX_ROWS + 30)]
        store.add_sizes(dict.fromkeys(keys[:1_500], Sizes(calls=1, tokens_in=7)))
        store.add_sizes(dict.fromkeys(keys[1_400:], Sizes(calls=1, tokens_in=7)))
        store.add_sizes({keys[0]: Sizes(calls=1)})
        sizes = store.sizes()
        assert len(sizes) == MAX_ROWS + 1
        assert sizes[SizeKey(today, "", OTHERS, 500)] == Sizes(calls=30, tokens_in=210)
        assert sizes[keys[0]].calls == 2
        assert total(sizes.values()).calls == MAX_ROWS + 131

    # Threads, and the end.

    def test_threads_share_a_store(self, store: Store) -> None:
        together = threading.Barrier(8)

        def work(seed: int) -> None:
            dice = random.Random(seed)
            together.wait()
            for _ in range(8):
                kept = record(dice.randbytes(dice.randrange(1, 150_000)), owner=f"owner {seed % 3}")
                store.put(kept)
                assert store.touch(kept.owner, kept.handle)
                assert held(store, kept).read(0, len(kept.raw)) == kept.raw
                assert kept.handle in {entry.handle for entry in store.list(kept.owner)}
                store.add_counts("tool", calls=1)
                assert store.drop(kept.owner, kept.handle)
                store.sweep()

        with ThreadPoolExecutor(8) as pool:
            for done in [pool.submit(work, seed) for seed in range(8)]:
                done.result()
        assert store.stats() == Stats(items=0, stored=0)
        assert store.counts()["tool"].calls == 64

    def test_several_threads_read_one_held_result(self, store: Store) -> None:
        kept = record(LONG)
        store.put(kept)
        found = held(store, kept)

        def work(seed: int) -> None:
            dice = random.Random(seed)
            for _ in range(40):
                start = dice.randrange(len(LONG))
                assert found.read(start, start + 5_000) == LONG[start : start + 5_000]

        with ThreadPoolExecutor(6) as pool:
            for done in [pool.submit(work, seed) for seed in range(6)]:
                done.result()

    def test_a_closed_store_says_so(self, opened: Opener) -> None:
        with opened() as store:
            store.put(record())
        store.close()
        for call in every_call(store, new_handle()):
            with pytest.raises(StoreError, match="the store is closed"):
                call()
