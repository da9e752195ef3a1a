"""Files become chunks, and stay up to date with what the files say."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from fastmcp import Client
from hypothesis import given
from hypothesis import strategies as st

from memory_server.app import build
from memory_server.chunks import LENGTH, kind_of, links_in, pieces
from memory_server.folder import BATCH, LARGEST, Folder, scan
from memory_server.library import Library, visible
from memory_server.settings import SHIPPED, load_settings

if TYPE_CHECKING:
    from pathlib import Path

    from memory_server.database import Database

lines = st.one_of(st.text(max_size=60), st.sampled_from(["# Heading", "def name():", "", "x" * 4_000, "word " * 900]))


@given(text=st.lists(lines, max_size=60).map("\n".join))
def test_chunks_put_together_are_the_file(text: str) -> None:
    found = pieces(text)
    assert "".join(piece.text for piece in found) == text
    assert all(0 < len(piece.text) <= LENGTH for piece in found)


def test_a_chunk_begins_at_a_heading_or_a_definition_and_has_its_name() -> None:
    text = f"# One\n{'a ' * 300}\n## Two\n{'b ' * 300}\n"
    assert [(piece.title, piece.text[:5]) for piece in pieces(text)] == [("One", "# One"), ("Two", "## Tw")]
    code = "def one():\n" + "    pass\n" * 60 + "async def two():\n    pass\n"
    assert [piece.title for piece in pieces(code)] == ["one", "two"]


def test_links_are_paths_names_and_imports() -> None:
    text = "[a](../b/C.md#part) [web](https://example.org/x.md) [[Other note|shown]] [own](a.md) [part](#here)"
    assert links_in(text, "docs/a.md") == ["b/c.md", "other note"]
    assert links_in("from shop.cart import x\nimport os", "a.py") == ["cart", "os"]
    assert links_in("from the shop", "a.md") == []
    assert len(links_in(" ".join(f"[[{number}]]" for number in range(90)), "")) == 20
    assert [kind_of(name) for name in ("a.PY", "b.log", "c.md", "")] == ["code", "data", "prose", "prose"]


def chunks(database: Database, folder: Folder) -> dict[str, list[str]]:
    with database.read() as connection:
        (memory,) = visible(connection, "", folder.name)
        rows = connection.execute("SELECT * FROM chunks WHERE memory = ? ORDER BY source, position", (memory["id"],))
        found: dict[str, list[str]] = {}
        for row in rows.fetchall():
            found.setdefault(row["source"], []).append(row["text"])
    return found


def test_a_folder_is_read_once_and_again_when_it_has_changed(tmp_path: Path, database: Database) -> None:
    root = tmp_path / "texts"
    root.mkdir()
    (root / "a.md").write_text("one")
    (root / "b.md").write_text("two")
    (root / "blank.md").write_text("\n\n")
    now = [0.0]
    folder = Folder(database, root, refresh_seconds=10, clock=lambda: now[0])
    folder.refresh()
    assert chunks(database, folder) == {"a.md": ["one"], "b.md": ["two"]}
    (root / "a.md").write_text("one, changed")
    (root / "b.md").unlink()
    (root / "c.md").write_text("x " * LENGTH)
    folder.refresh()
    assert "c.md" not in chunks(database, folder), "it looked again too soon"
    now[0] = 10.0
    folder.refresh()
    found = chunks(database, folder)
    assert found["a.md"] == ["one, changed"]
    assert len(found["c.md"]) == 2
    assert "b.md" not in found
    with database.read() as connection:
        assert visible(connection, "", folder.name)[0]["revision"] == 3
        assert connection.execute("SELECT count(*) FROM words WHERE words MATCH 'two'").fetchone()[0] == 0


def test_two_servers_on_one_folder_store_each_file_once(tmp_path: Path, database: Database) -> None:
    root = tmp_path / "texts"
    root.mkdir()
    for number in range(20):
        (root / f"{number:02}.md").write_text(f"text {number}")
    seen = {one.source: one for one in scan(root)}
    one, other = (Folder(database, root, refresh_seconds=0) for _ in range(2))
    one.refresh()
    other._read(seen)
    other.refresh()
    assert all(len(texts) == 1 for texts in chunks(database, one).values())


def test_hidden_large_binary_and_linked_files_are_left_alone(tmp_path: Path, database: Database) -> None:
    root = tmp_path / "texts"
    (root / ".hidden").mkdir(parents=True)
    (root / "node_modules").mkdir()
    (tmp_path / "secret.md").write_text("secret")
    for name in (".hidden/a.md", "node_modules/b.js", ".c.md", "d.png"):
        (root / name).write_text("x")
    (root / "large.md").write_bytes(b"x" * (LARGEST + 1))
    (root / "link.md").symlink_to(tmp_path / "secret.md")
    (root / "latin.md").write_bytes(b"caf\xe9")
    with suppress(OSError), open(os.path.join(os.fsencode(root), b"\xff.md"), "wb") as file:
        file.write(b"a name that is no text, where the system takes one")
    folder = Folder(database, root, refresh_seconds=0)
    folder.refresh()
    assert chunks(database, folder) == {"latin.md": ["caf\ufffd"]}


def test_progress_is_reported_while_a_folder_is_read_for_the_first_time(tmp_path: Path, database: Database) -> None:
    root = tmp_path / "texts"
    root.mkdir()
    for number in range(BATCH + 1):
        (root / f"{number}.md").write_text("the ferry leaves at noon\n")
    progress: list[tuple[float, float | None, str | None]] = []

    async def note(done: float, total: float | None, message: str | None) -> None:
        progress.append((done, total, message))

    async def ask() -> str:
        server = build(Library(database), Folder(database, root, refresh_seconds=60), load_settings(SHIPPED))
        async with Client(server, progress_handler=note) as client:
            asked = {"session_id": "s", "current_task": "when does the ferry leave"}
            texts = [(await client.call_tool("context_aware_retrieve", asked)).content[0].text for _ in range(2)]
        return str(texts[0])

    assert f"of {BATCH + 1} matches" in asyncio.run(ask())
    assert progress == [(BATCH, BATCH + 1, "files read"), (BATCH + 1, BATCH + 1, "files read")]
