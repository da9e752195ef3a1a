"""Sessions: what is stored is there, once, whole or not at all, whoever else stores at the same time."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import TYPE_CHECKING, Final

import pytest
from tests.kit.examples.client import Answer
from tests.kit.examples.memory_client import FOLDER

from memory_server.database import Database
from memory_server.library import Draft, Library
from memory_server.retrieve import Wanted, retrieve
from penstock import ConfigError, StoreError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.kit.examples.memory_client import Talk

WRITER: Final = """
import sys
sys.path[:0] = sys.argv[1:3]
from pathlib import Path
from memory_server.database import Database
from memory_server.library import Draft, Library
library = Library(Database(Path(sys.argv[3])))
for number in range(30):
    library.store("shared", [Draft(text=f"ferry {sys.argv[4]} {number} {part}") for part in range(3)])
"""


def test_stored_chunks_are_counted_and_numbered(talk: Talk) -> None:
    chunks = [{"content": "one"}, {"content": "two", "title": "Two", "source": "two.md", "kind": "code"}]
    told = talk.told("store_chunks", session_id="mine", chunks=chunks)
    assert (told["stored"], told["already_stored"], told["total_chunks"]) == (2, 0, 2)
    again = talk.told("store_chunks", session_id="mine", chunks=[*chunks, {"content": "three"}])
    assert (again["stored"], again["already_stored"], again["total_chunks"]) == (1, 2, 3)
    assert again["chunk_ids"][:2] == told["chunk_ids"]
    first = talk.call("get_chunk", session_id="mine", chunk_id=told["chunk_ids"][0])
    assert first == Answer(texts=["one"], is_error=False)


def test_a_failure_in_the_middle_stores_nothing(library: Library) -> None:
    with pytest.raises(StoreError, match="nothing was changed"):
        library.store("s", [Draft(text="good"), Draft(text=sqlite3.Binary(b"bad"), title=["no text"])])  # type: ignore[arg-type]
    assert library.store("s", [Draft(text="good")]).total == 1


def test_threads_store_and_search_at_the_same_time(library: Library) -> None:
    wanted = Wanted(session="s", folder="", words=("ferry",), task_type="general", max_chunks=1_000, auto_expand=True)

    def work(number: int) -> int:
        library.store("s", [Draft(text=f"ferry {number} {part}") for part in range(5)])
        return len(retrieve(library.database, wanted).primary)

    with ThreadPoolExecutor(8) as pool:
        seen = list(pool.map(work, range(40)))
    assert all(number % 5 == 0 for number in seen), "a search saw half of a store"
    assert max(seen) == 200


def test_a_file_that_another_server_is_just_making_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "memory.sqlite"
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        other.execute("COMMIT")

    monkeypatch.setattr("memory_server.database.WAIT", 0.0)  # else SQLite waits, and nothing could end it here
    monkeypatch.setattr("server_parts.sqlite.time", SimpleNamespace(monotonic=lambda: 0.0, sleep=wait))
    Database(file).close()
    other.close()
    assert len(waits) == 1


def test_processes_store_in_one_file_at_the_same_time(tmp_path: Path) -> None:
    file = tmp_path / "new" / "memory.sqlite"
    command = [sys.executable, "-c", WRITER, str(FOLDER), str(FOLDER.parent / "common"), str(file)]
    running = [subprocess.Popen([*command, str(number)], stderr=subprocess.PIPE) for number in range(3)]
    for process in running:
        _, complaint = process.communicate(timeout=120)
        assert process.returncode == 0, complaint
    database = Database(file)
    wanted = Wanted(
        session="shared", folder="", words=("ferry",), task_type="general", max_chunks=1_000, auto_expand=False
    )
    assert retrieve(database, wanted).matching == 270
    database.close()


@pytest.mark.parametrize("content", [b"no database at all, but somebody's notes", None])
def test_a_file_that_is_not_ours_is_refused_and_left_as_it_is(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "memory.sqlite"
    if content is None:
        other = sqlite3.connect(file)
        other.execute("CREATE TABLE theirs (x)")
        other.close()
    else:
        file.write_bytes(content * 50)
    before = file.read_bytes()
    with pytest.raises(ConfigError, match=r"memory\.sqlite: .*--data"):
        Database(file)
    assert content is None or file.read_bytes() == before
    if content is None:
        with sqlite3.connect(file) as again:
            assert again.execute("SELECT count(*) FROM theirs").fetchone() == (0,)
        again.close()


def test_what_was_stored_is_there_after_a_new_start(tmp_path: Path) -> None:
    for expected in (1, 2):
        database = Database(tmp_path / "memory.sqlite")
        assert Library(database).store("s", [Draft(text=f"text {expected}")]).total == expected
        database.close()


def test_what_is_forgotten_is_gone_from_searches_and_the_rest_stays(talk: Talk) -> None:
    chunks = [{"content": f"the barnacle ledger, page {number}"} for number in range(3)]
    ids = talk.told("store_chunks", session_id="forgetful", chunks=chunks)["chunk_ids"]
    talk.told("store_chunks", session_id="other", chunks=[{"content": "the barnacle ledger of another"}])
    told = talk.told("forget", session_id="forgetful", chunk_ids=[ids[0], ids[0] + 10**6])
    assert told == {"session_id": "forgetful", "forgotten": 1, "total_chunks": 2, "not_found": [ids[0] + 10**6]}
    assert "number of a chunk" in talk.refused("get_chunk", session_id="forgetful", chunk_id=ids[0])
    assert talk.told("forget", session_id="forgetful", everything=True)["forgotten"] == 2
    found = talk.call("context_aware_retrieve", session_id="other", current_task="barnacle ledger").texts[0]
    assert "of another" in found
    assert "page 1" not in found
    assert talk.told("forget", session_id="nobody", everything=True)["forgotten"] == 0
    assert "and not both" in talk.refused("forget", session_id="other")
    assert "and not both" in talk.refused("forget", session_id="other", everything=True, chunk_ids=[1])
