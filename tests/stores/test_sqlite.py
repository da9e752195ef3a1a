"""The SQLite store keeps the contract, survives its process, and shares its file; nobody else can read the file."""

from __future__ import annotations

import os
import random
import sqlite3
import stat
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

import pytest

from penstock.errors import StoreError
from penstock.stores import Stats, Store, open_store, sqlite_file
from tests.kit.stores.contract import LONG, Opener, StoreContract, held, see_each_other
from tests.kit.stores.support import START, Clock, record
from tests.kit.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class TestSqlite(StoreContract):
    @pytest.fixture(autouse=True)
    def patient(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The contract's threads check every touch, and on a busy machine one would be given up now and then."""
        monkeypatch.setattr(sqlite_file, "COURTESY", sqlite_file.PATIENCE)

    def test_a_count_past_64_bits_is_an_error_of_the_store(self, store: Store) -> None:
        with pytest.raises(StoreError, match="cannot take so large a number; give one within 64 bits"):
            store.add_counts("tool", calls=2**63)
        store.add_counts("tool", calls=2)
        assert store.counts()["tool"].calls == 2

    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        return tmp_path / "folder" / "held.db"

    @pytest.fixture
    def opened(self, clock: Clock, file: Path) -> Iterator[Opener]:
        made: list[Store] = []

        def opened(**limits: int) -> Store:
            made.append(open_store(f"sqlite://{file}", now=clock, **limits))
            return made[-1]

        yield opened
        for store in made:
            store.close()

    def test_what_was_put_is_there_after_a_restart(self, opened: Opener) -> None:
        kept = record(LONG, expires=START + 600)
        with opened() as store:
            store.put(kept)
            store.touch("me", kept.handle, expires=START + 900)
            store.add_counts("tool", calls=1)
            before = held(store, kept).entry
        with opened() as store:
            assert held(store, kept).read(0, len(LONG)) == LONG
            assert held(store, kept).entry == before
            assert store.counts()["tool"].calls == 1

    def test_two_stores_on_one_file_see_each_other(self, opened: Opener) -> None:
        see_each_other(opened(), opened())

    def test_only_the_owner_of_the_process_can_read_the_files(self, opened: Opener, file: Path) -> None:
        before = os.umask(0)
        try:
            opened().put(record())
        finally:
            os.umask(before)
        modes = {found.name: stat.S_IMODE(found.stat().st_mode) for found in [file.parent, *file.parent.iterdir()]}
        assert modes == {"folder": 0o700, "held.db": 0o600, "held.db-wal": 0o600, "held.db-shm": 0o600}

    def test_a_reader_that_outlives_its_record_never_comes_upon_another_one(self, store: Store) -> None:
        mine = record(LONG)
        store.put(mine)
        found = held(store, mine)
        store.drop("me", mine.handle)
        store.put(record(b"x" * len(LONG), owner="you"))
        with pytest.raises(StoreError, match="removed while it was being read; make the original call again"):
            found.read(0, 10)

    def test_the_file_grows_no_further_when_results_come_and_go(self, opened: Opener, file: Path) -> None:
        store = opened(max_items=2)
        for _ in range(4):
            store.put(record(LONG[: 4 * 65_536]))
        store.close()
        before = file.stat().st_size
        with opened(max_items=2) as store:
            for _ in range(40):
                store.put(record(LONG[: 4 * 65_536]))
        assert file.stat().st_size <= before * 1.2

    def test_a_sweep_gives_space_back_to_the_disk(self, opened: Opener, file: Path) -> None:
        with opened() as store:
            for _ in range(4):
                store.put(record(os.urandom(500_000)))
        before = file.stat().st_size
        assert before > 2_000_000
        with opened() as store:
            for entry in store.list("me"):
                store.drop("me", entry.handle)
            store.sweep()
        assert file.stat().st_size < before / 4

    def test_a_sweep_evicts_what_is_over_a_limit_that_was_lowered(self, opened: Opener) -> None:
        kept = [record(b"%d" % at) for at in range(5)]
        for one in kept:
            opened().put(one)
        store = opened(max_items=2)
        assert store.sweep() == 3
        assert {entry.handle for entry in store.list("me")} == {one.handle for one in kept[3:]}

    def test_the_new_result_stays_even_when_another_clock_runs_ahead(self, opened: Opener, clock: Clock) -> None:
        store = opened(max_items=1)
        clock.now = START + 9_000
        ahead = record()
        store.put(ahead)
        clock.now = START
        kept = record()
        store.put(kept)
        assert [entry.handle for entry in store.list("me")] == [kept.handle]

    def test_a_file_that_was_moved_away_is_made_anew(self, store: Store, file: Path) -> None:
        old, new = record(b"old"), record(b"new")
        store.put(old)
        for found in list(file.parent.iterdir()):
            found.rename(found.parent / f"old-{found.name}")
        assert store.get("me", old.handle) is None
        store.put(new)
        assert held(store, new).read(0, 9) == b"new"
        assert file.exists()

    def test_a_connection_that_was_out_while_the_file_was_replaced_is_not_used_again(
        self, opened: Opener, file: Path
    ) -> None:
        store = opened()
        database = store._database  # type: ignore[attr-defined]
        store.put(record())
        with database.connection() as out:
            for found in list(file.parent.iterdir()):
                found.rename(found.parent / f"old-{found.name}")
            store.put(record())
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            out.execute("SELECT 1")
        assert store.stats().items == 1

    def test_a_connection_that_comes_back_to_a_closed_store_is_closed(self, opened: Opener) -> None:
        store = opened()
        with store._database.connection() as out:  # type: ignore[attr-defined]
            store.close()
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            out.execute("SELECT 1")

    def test_a_put_that_fails_half_way_leaves_nothing(
        self, store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        other, kept = record(), record(LONG)
        store.put(other)

        def fail(*_: object, **__: object) -> int:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(store, "_trim", fail)
            with pytest.raises(KeyboardInterrupt):
                store.put(kept)
        assert store.get("me", kept.handle) is None
        assert store.stats().items == 1
        with closing(sqlite3.connect(file)) as db:
            assert db.execute("SELECT count(*) FROM blocks").fetchone() == (1,)
        store.put(kept)
        assert held(store, kept).read(0, len(LONG)) == LONG

    def test_no_blocks_stay_behind_when_records_go(self, opened: Opener, file: Path, clock: Clock) -> None:
        store = opened(max_items=3)
        for at in range(6):
            store.put(record(LONG[: at * 60_000], index=LONG[:70_000], body=b"x" * 70_000, expires=START + 60))
        store.drop("me", store.list("me")[0].handle)
        clock.now = START + 60
        assert store.sweep() == 2
        assert store.stats() == Stats(items=0, stored=0)
        with closing(sqlite3.connect(file)) as db:
            assert db.execute("SELECT count(*) FROM blocks").fetchone() == (0,)


def test_the_default_file_is_in_the_state_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with open_store("sqlite:") as store:
        assert store.place == str(tmp_path / "penstock" / "held.db")
        assert list(tmp_path.iterdir()) == []
        store.put(record())
        assert (tmp_path / "penstock" / "held.db").is_file()


def test_damage_of_a_head_is_noticed(tmp_path: Path) -> None:
    kept = record(b"text")
    with open_store(f"sqlite://{tmp_path}/held.db", now=Clock()) as store:
        store.put(kept)
        with closing(sqlite3.connect(tmp_path / "held.db", isolation_level=None)) as db:
            head = bytearray(db.execute("SELECT head FROM held").fetchone()[0])
            for at in range(len(head)):
                head[at] ^= 4
                db.execute("UPDATE held SET head = ?", (bytes(head),))
                head[at] ^= 4
                with pytest.raises(StoreError, match="damaged"):
                    store.get("me", kept.handle)


def test_a_file_that_others_can_read_is_said_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "held.db"
    file.touch(0o644)
    file.chmod(0o644)
    for _ in range(2):
        with open_store(f"sqlite://{file}") as store:
            store.stats()
            store.list("me")
    said = [record.getMessage() for record in caplog.records]
    assert said == [f"the store's file {file} can be read by others (mode 0644): chmod 600 it"] * 2


def test_connections_that_were_in_use_at_once_by_chance_are_not_all_kept(tmp_path: Path) -> None:
    database = sqlite_file.Database(tmp_path / "held.db")
    with ExitStack() as stack:
        lent = [stack.enter_context(database.connection()) for _ in range(5 * sqlite_file.IDLE)]
    assert sum(_is_open(db) for db in lent) == sqlite_file.IDLE
    database.close()
    assert not any(_is_open(db) for db in lent)


def _is_open(db: sqlite3.Connection) -> bool:
    """Return True if a connection still has its memory."""
    try:
        db.execute("SELECT 1")
    except sqlite3.ProgrammingError:
        return False
    return True


def test_a_connection_keeps_few_pages_of_what_was_written_and_read(tmp_path: Path) -> None:
    with closing(sqlite_file.Database(tmp_path / "held.db")) as database, database.connection() as db:
        assert db.execute("PRAGMA cache_size").fetchone() == (-sqlite_file.CACHE,)


def test_what_a_long_record_wrote_to_the_log_is_copied_into_place_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "held.db"
    monkeypatch.setattr("penstock.stores.sqlite.LONG", 0)
    with open_store(f"sqlite://{path}") as store:
        new = record(raw=random.Random(7).randbytes(500_000))
        store.put(new)
        found = store.get(new.owner, new.handle)
        assert found is not None
        assert found.read(0, 500_000) == new.raw
        assert until(lambda: path.stat().st_size > 500_000)
