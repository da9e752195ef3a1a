"""A store that is locked, full, read-only, gone or unreachable: every call is answered, the user hears whose fault it
is, and once the store works again, so does holding."""

from __future__ import annotations

import json
import socket
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

from tests.kit import processes as hygiene
from tests.kit.answers import head_of
from tests.kit.gateway import FETCH, HASTY, LIMITED, Running

if TYPE_CHECKING:
    from pathlib import Path

left_nothing = hygiene.nothing_is_left_behind

ROWS = 1_500  # some 45,000 tokens


def held(gateway: Running, rows: int = ROWS) -> dict[str, Any]:
    """The notice of a result that is too large to pass."""
    answer = gateway.call("records", rows=rows)
    notice = head_of(answer)
    assert notice["type"] == "buffered_response"
    assert len(json.dumps(answer)) < 20_000
    assert isinstance(notice, dict)
    return notice


def assert_not_kept(gateway: Running) -> None:
    notice = held(gateway)
    assert "cache_id" not in notice
    assert "The rest was not kept: the store failed" in notice["message"]


def assert_kept(gateway: Running) -> None:
    handle = held(gateway)["cache_id"]
    page = head_of(gateway.text(FETCH, action="get_page", cache_id=handle, page=1))
    assert page["items"][0]["id"] == 0


def assert_small_ones_pass(gateway: Running) -> None:
    assert gateway.text("echo", text="small") == "small"


def assert_does_without(gateway: Running, fault: str) -> None:
    """Nothing is kept, small results pass, and the user hears of the store's fault."""
    assert_not_kept(gateway)
    assert_small_ones_pass(gateway)
    assert gateway.says(fault)


def test_a_store_that_another_process_has_locked(tmp_path: Path) -> None:
    file = tmp_path / "held.db"
    with Running(store=f"sqlite://{file}", entry=HASTY) as gateway:
        assert_kept(gateway)
        with closing(sqlite3.connect(file, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            assert_not_kept(gateway)
            assert_small_ones_pass(gateway)
            other.execute("ROLLBACK")
        assert_kept(gateway)
        assert gateway.says(f"the store's file {file} has been locked by another process")


def test_a_store_that_is_locked_from_the_start_and_to_the_end(tmp_path: Path) -> None:
    file = tmp_path / "held.db"
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with Running(store=f"sqlite://{file}", entry=HASTY) as gateway:
            assert_does_without(gateway, "locked")


def test_a_result_larger_than_the_store(tmp_path: Path) -> None:
    with Running(store=f"sqlite://{tmp_path}/held.db?max_bytes=2000") as gateway:
        assert_does_without(gateway, "max_bytes")


def test_a_disk_that_is_full(tmp_path: Path) -> None:
    file = tmp_path / "held.db"
    with Running(store=f"sqlite://{file}", entry=(LIMITED, "small_files")) as gateway:
        for more in range(1, 5):  # An unchanged result would not be stored again.
            held(gateway, ROWS + more)
        assert_does_without(gateway, f"the store's file {file}")


def test_a_file_that_can_only_be_read(tmp_path: Path) -> None:
    file = tmp_path / "held.db"
    with Running(store=f"sqlite://{file}") as gateway:
        assert_kept(gateway)
    file.chmod(0o400)
    tmp_path.chmod(0o500)
    with Running(store=f"sqlite://{file}", entry=(LIMITED, "permissions")) as gateway:
        assert_does_without(gateway, f"the store's file {file} can only be read")
    tmp_path.chmod(0o700)


def test_a_folder_that_nothing_can_be_written_to(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with Running(store=f"sqlite://{tmp_path}/held.db", entry=(LIMITED, "permissions")) as gateway:
        assert_does_without(gateway, f"the store's file {tmp_path}/held.db")
    tmp_path.chmod(0o700)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with Running(store=f"sqlite://{tmp_path}/file/held.db") as gateway:
        assert_does_without(gateway, "held.db")


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    file = tmp_path / "held.db"
    file.write_bytes(b"my diary, not a database\n" * 100)
    with Running(store=f"sqlite://{file}") as gateway:
        assert_does_without(gateway, "is not a SQLite database")
    assert file.read_bytes() == b"my diary, not a database\n" * 100


def test_a_file_that_is_deleted_while_it_is_in_use(tmp_path: Path) -> None:
    file = tmp_path / "held.db"
    with Running(store=f"sqlite://{file}") as gateway:
        handle = held(gateway)["cache_id"]
        for one in tmp_path.iterdir():
            one.unlink()
        lost = gateway.call(FETCH, action="get_page", cache_id=handle, page=1)
        assert lost["isError"]
        assert "repeat the call: records" in lost["content"][0]["text"]
        assert_small_ones_pass(gateway)
        assert_kept(gateway)


def test_a_folder_that_is_deleted_while_it_is_in_use(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    with Running(store=f"sqlite://{folder}/held.db") as gateway:
        held(gateway)
        for one in folder.iterdir():
            one.unlink()
        folder.rmdir()
        assert_kept(gateway)


def test_a_redis_server_that_nobody_runs() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, and nobody listens
        with Running(store=f"redis://127.0.0.1:{taken.getsockname()[1]}/0") as gateway:
            assert_does_without(gateway, "redis://127.0.0.1")


def test_a_store_that_cannot_even_be_opened_leaves_results_in_memory(tmp_path: Path) -> None:
    """Only what can be told from the URL is wrong use; the rest is told of, and the server is of use all the same."""
    with Running(store="sqlite:///x?max_bytes=nonsense") as gateway:
        assert_kept(gateway)
        assert gateway.says("results are held in memory until this ends")
