"""Whatever is wrong with the file of a SQLite store is a ``StoreError`` that names the file, the cause and the remedy.

Nothing is deleted to repair it, and when it is in order again the same store goes on.
"""

from __future__ import annotations

import os
import resource
import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import pytest

from penstock.errors import StoreError
from penstock.stores import NewRecord, Store, new_handle, open_store, sqlite_file
from tests.kit import permissions
from tests.kit.stores.support import record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

shared_folder = permissions.shared_folder


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "held.db"


@pytest.fixture
def store(file: Path) -> Iterator[Store]:
    with open_store(f"sqlite://{file}") as store:
        yield store


def fails(store: Store, cause: str, remedy: str) -> None:
    """Every call fails in the same words."""
    calls: list[Callable[[], object]] = [
        lambda: store.put(record()),
        lambda: store.get("me", new_handle()),
        lambda: store.list("me"),
        store.sweep,
        lambda: store.add_counts("tool", calls=1),
    ]
    for call in calls:
        with pytest.raises(StoreError) as caught:
            call()
        assert f"the store's file {store.place} {cause}" in caught.value.what
        assert remedy in caught.value.do


def test_a_file_that_is_no_database_is_left_alone(store: Store, file: Path) -> None:
    file.write_bytes(b"my notes, which nobody may delete\n" * 100)
    fails(store, "is not a SQLite database", "move the file away")
    assert file.read_bytes() == b"my notes, which nobody may delete\n" * 100
    file.unlink()
    store.put(record())
    assert store.stats().items == 1


def test_a_damaged_file_is_named_and_left_alone(file: Path) -> None:
    with open_store(f"sqlite://{file}") as store:
        kept = [record(os.urandom(90_000)) for _ in range(5)]
        for one in kept:
            store.put(one)
    data = bytearray(file.read_bytes())
    for at in range(8_192, len(data), 8_192):
        data[at : at + 64] = b"\xff" * 64
    file.write_bytes(data)
    with open_store(f"sqlite://{file}") as store:
        fails(store, "is damaged", "move the file away (and its -wal and -shm) and a new one is made")
    assert file.stat().st_size == len(data)


def test_damage_that_sqlite_cannot_even_name_is_damage(file: Path) -> None:
    """Regression: SQLite's message quotes the damaged bytes, and Python failed to decode it."""
    with open_store(f"sqlite://{file}") as store:
        store.put(record())
    file.write_bytes(file.read_bytes().replace(b"held_by_use", b"held_\xb4y_use", 1))
    with open_store(f"sqlite://{file}") as store:
        fails(store, "is damaged", "move the file away")
        with pytest.raises(StoreError, match="is damaged"):
            store.list("me")


def read(store: Store, kept: NewRecord) -> bytes:
    found = store.get(kept.owner, kept.handle)
    assert found is not None
    return found.read(0, len(kept.raw))


def test_a_file_cut_short_is_an_error_and_never_a_crash(file: Path) -> None:
    with open_store(f"sqlite://{file}") as store:
        kept = [record(os.urandom(90_000)) for _ in range(5)]
        for one in kept:
            store.put(one)
    os.truncate(file, file.stat().st_size // 3)
    with open_store(f"sqlite://{file}") as store:
        for one in kept:
            with pytest.raises(StoreError, match="is damaged"):
                read(store, one)


def test_another_programs_database_is_left_alone(store: Store, file: Path) -> None:
    with closing(sqlite3.connect(file)) as db:
        db.execute("CREATE TABLE theirs (x)")
    fails(store, "belongs to another program", "give the store's URL another path")
    with closing(sqlite3.connect(file)) as db:
        assert db.execute("SELECT name FROM sqlite_master").fetchall() == [("theirs",)]


def test_a_file_of_another_version_is_left_alone(file: Path) -> None:
    with open_store(f"sqlite://{file}") as store:
        store.put(record())
    with closing(sqlite3.connect(file)) as db:
        db.execute(f"PRAGMA user_version = {sqlite_file.VERSION + 1}")
    with open_store(f"sqlite://{file}") as store:
        fails(store, "was written by another version of Penstock", "use that version, or give")


def test_a_full_disk_is_named_and_the_store_goes_on_when_there_is_room(store: Store, file: Path) -> None:
    small, large = record(b"small"), record(os.urandom(3_000_000))
    store.put(small)
    with store._database.connection() as db:  # type: ignore[attr-defined]
        db.execute("PRAGMA max_page_count = 100")  # SQLite fails then exactly as when the disk is full
    with pytest.raises(StoreError, match="cannot grow: the disk is full; free some space") as caught:
        store.put(large)
    assert str(file) in str(caught.value)
    assert store.get("me", large.handle) is None
    assert read(store, small) == b"small"
    store.put(large)


def test_a_write_that_the_system_refuses_is_an_error_and_nothing_is_lost(store: Store, file: Path) -> None:
    small, large = record(b"small"), record(os.urandom(3_000_000))
    store.put(small)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, before[1]))
    try:
        with pytest.raises(StoreError, match="cannot be read or written; look at the disk and its quotas"):
            store.put(large)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert store.get("me", large.handle) is None
    store.put(large)
    assert {entry.handle for entry in store.list("me")} == {small.handle, large.handle}


def test_a_file_that_can_only_be_read_is_named(shared_folder: Path) -> None:
    file = shared_folder / "held.db"
    kept = record()
    with open_store(f"sqlite://{file}") as store:
        store.put(kept)
    file.chmod(0o444)
    shared_folder.chmod(0o555)
    with permissions.ordinary_user(), open_store(f"sqlite://{file}") as store:
        with pytest.raises(StoreError, match=r"can only be read|cannot be opened") as caught:
            store.put(record())
        assert str(file) in caught.value.what
        assert caught.value.do == "make the file and its folder writable, or give another path"
    file.chmod(0o600)
    shared_folder.chmod(0o755)
    with open_store(f"sqlite://{file}") as store:
        assert [entry.handle for entry in store.list("me")] == [kept.handle]


def test_a_folder_that_cannot_be_written_is_named(shared_folder: Path) -> None:
    shared_folder.chmod(0o555)
    file = shared_folder / "deeper" / "held.db"
    with permissions.ordinary_user(), open_store(f"sqlite://{file}") as store:
        fails(store, "cannot be used: Permission denied", "make its folder writable, or give the store's URL another")


@pytest.mark.parametrize("path", ["/proc/held.db", "/dev/null/held.db"])
def test_a_place_where_no_file_can_be_is_named(path: str) -> None:
    with open_store(f"sqlite://{path}") as store:
        fails(store, "cannot be used", "make its folder writable, or give the store's URL another path")


def test_a_folder_in_place_of_the_file_is_named(tmp_path: Path) -> None:
    with open_store(f"sqlite://{tmp_path}") as store:
        fails(store, "cannot be opened", "give another path")


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """For a while somebody else has the only lock on the file."""
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def test_a_lock_that_never_ends_is_an_error_that_says_so(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_file, "PATIENCE", 0.02)
    kept = record()
    with open_store(f"sqlite://{file}") as store:
        store.put(kept)
        with locked(file):
            with pytest.raises(StoreError, match="has been locked by another process for too long; look which process"):
                store.put(record())
            assert store.get("me", kept.handle) is not None  # reading needs no lock
        store.put(record())
        assert store.stats().items == 2


def test_a_note_that_a_result_was_read_waits_only_a_moment_for_a_lock(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Regression: every read of a held result took as long as a put may wait."""
    waits: list[int] = []
    database = sqlite_file.Database(file)
    with database.courtesy() as db:
        waits.append(db.execute("PRAGMA busy_timeout").fetchone()[0])
    with database.transaction() as db:
        waits.append(db.execute("PRAGMA busy_timeout").fetchone()[0])
    database.close()
    assert waits == [50, 15_000]
    monkeypatch.setattr(sqlite_file, "COURTESY", 0.001)
    kept = record()
    with open_store(f"sqlite://{file}") as store:
        store.put(kept)
        with locked(file):
            with pytest.raises(StoreError, match="has been locked"):
                store.touch("me", kept.handle)
            with pytest.raises(StoreError, match="has been locked"):
                store.add_counts("tool", calls=1)
        assert store.touch("me", kept.handle)


class Refused(sqlite3.Connection):
    """Refuses to turn the log on a few times, as SQLite does when two processes make one file."""

    times = 3

    def execute(self, sql: str, *rest: object) -> sqlite3.Cursor:
        if "journal_mode" in sql and self.times:
            self.times -= 1
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise error
        return super().execute(sql, *rest)  # type: ignore[arg-type]


def test_two_processes_may_make_the_file_at_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(sqlite3.connect(file, factory=Refused)) as db:
        sqlite_file._write_ahead(db)
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    file.unlink()
    monkeypatch.setattr(sqlite_file, "PATIENCE", -1.0)
    with closing(sqlite3.connect(file, factory=Refused)) as db, pytest.raises(sqlite3.OperationalError):
        sqlite_file._write_ahead(db)


def test_whoever_comes_second_to_a_new_file_makes_nothing_again(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_ahead = sqlite_file._write_ahead

    def interrupted(db: sqlite3.Connection) -> None:
        monkeypatch.setattr(sqlite_file, "_write_ahead", write_ahead)
        with open_store(f"sqlite://{file}") as faster:
            faster.put(record())
        write_ahead(db)

    monkeypatch.setattr(sqlite_file, "_write_ahead", interrupted)
    store.put(record())
    assert store.stats().items == 2
