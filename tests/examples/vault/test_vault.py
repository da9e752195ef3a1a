"""The vault is kept up to date: what is written, changed and removed is found, whoever did it."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from typing import TYPE_CHECKING

import pytest

from penstock import CallerError, StoreError
from vault_server import vault as module
from vault_server.catalog import Catalog, File, fold, scan
from vault_server.index import Index
from vault_server.passages import passage
from vault_server.searches import containing
from vault_server.vault import ClosedError, Vault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    vault = tmp_path / "vault"
    (vault / "Sub").mkdir(parents=True)
    (vault / "one.md").write_text("# One\nfirst words #tag")
    (vault / "Sub/two.md").write_text("---\nstatus: open\n---\nsecond words")
    (vault / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    return vault


@pytest.fixture
def vault(folder: Path, tmp_path: Path) -> Iterator[Vault]:
    vault = Vault(folder, tmp_path / "index.sqlite")
    vault.start()
    yield vault
    vault.close()


def no_disk(_: Path) -> None:
    raise OSError("no disk")


def paths(vault: Vault) -> list[str]:
    return [file.path for file in vault.catalog().files]


def found(vault: Vault, text: str) -> list[str]:
    return [file.path for file in containing(vault, fold(text))]


def eventually(holds: Callable[[], bool]) -> None:
    """Wait for something that another thread does; only a hang takes this long."""
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_what_is_written_changed_and_removed_is_seen_at_the_next_question(vault: Vault, folder: Path) -> None:
    assert paths(vault) == ["Sub/two.md", "one.md", "picture.png"]
    (folder / "three.md").write_text("third words")
    assert found(vault, "words") == ["Sub/two.md", "one.md", "three.md"]
    (folder / "one.md").write_text("now something else entirely")
    assert found(vault, "words") == ["Sub/two.md", "three.md"]
    assert vault.index.ranked(["entirely"], 5, None).total == 1
    assert vault.index.ranked(["first"], 5, None).total == 0
    (folder / "Sub/two.md").unlink()
    assert paths(vault) == ["one.md", "picture.png", "three.md"]
    assert vault.index.ranked(["second"], 5, None).total == 0


def test_the_index_is_there_for_the_next_server(vault: Vault, folder: Path, tmp_path: Path) -> None:
    before = {file.path: file.id for file in vault.catalog().files}
    (folder / "one.md").write_text("changed")
    other = Vault(folder, tmp_path / "index.sqlite")
    other.start()
    assert {file.path: file.id for file in other.catalog().files} == before
    assert found(other, "changed") == ["one.md"]
    other.close()


@pytest.mark.parametrize(
    "content", [b"not a database at all, but long enough to look at" * 100, b"SQLite format 3\0broken"]
)
def test_an_index_that_is_broken_is_made_anew(folder: Path, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "broken.sqlite").write_bytes(content)
    vault = Vault(folder, tmp_path / "broken.sqlite")
    vault.start()
    assert found(vault, "words") == ["Sub/two.md", "one.md"]
    vault.close()


def test_an_index_of_another_version_is_made_anew(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "old.sqlite"
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    vault = Vault(folder, file)
    vault.start()
    assert len(paths(vault)) == 3
    vault.close()


def test_an_index_that_is_locked_is_not_thrown_away(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vault_server.index.WAIT", 0.05)
    file = tmp_path / "locked.sqlite"
    holder = sqlite3.connect(file, isolation_level=None)
    holder.execute("CREATE TABLE mine (x)")
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        Index(file)
    holder.execute("COMMIT")
    assert holder.execute("SELECT count(*) FROM mine").fetchone() == (0,)
    holder.close()


def test_a_large_vault_is_looked_through_behind_the_answers(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOOK_EACH_TIME", 2)
    now = [100.0]
    vault = Vault(folder, tmp_path / "index.sqlite", refresh_seconds=10, clock=lambda: now[0])
    vault.start()
    assert len(paths(vault)) == 3
    (folder / "new.md").write_text("new")
    assert len(paths(vault)) == 3
    now[0] = 111.0
    eventually(lambda: len(paths(vault)) == 4)
    vault.close()


def test_trouble_behind_the_answers_leaves_what_is_known(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "LOOK_EACH_TIME", 2)
    now = [100.0]
    vault = Vault(folder, tmp_path / "index.sqlite", clock=lambda: now[0])
    vault.start()
    vault.catalog()
    monkeypatch.setattr(module, "scan", no_disk)
    now[0] = 200.0
    assert len(paths(vault)) == 3
    eventually(lambda: "could not be looked through: no disk" in caplog.text)
    vault.close()


def test_trouble_with_the_disk_is_told(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = Vault(folder, tmp_path / "index.sqlite")
    vault.start()
    vault.catalog()
    monkeypatch.setattr(module, "scan", no_disk)
    with pytest.raises(StoreError, match="no disk"):
        vault.catalog()
    vault.close()
    second = Vault(folder, tmp_path / "other.sqlite")
    second.start()
    with pytest.raises(StoreError, match="no disk"):
        second.catalog()
    second.close()


def test_a_question_before_the_index_is_there_is_told_to_ask_again(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.05)
    go_on = threading.Event()

    def slow(place: Path) -> object:
        go_on.wait(60)
        return scan(place)

    monkeypatch.setattr(module, "scan", slow)
    vault = Vault(folder, tmp_path / "index.sqlite")
    vault.start()
    with pytest.raises(CallerError, match="still being read: 0 of 0 files; ask again soon"):
        vault.catalog()
    assert vault.content("one.md").text.startswith("# One")  # reading a file needs no index
    go_on.set()
    monkeypatch.setattr(module, "PATIENCE", 60)
    assert len(paths(vault)) == 3
    vault.close()


def test_a_vault_can_be_closed_while_it_is_being_read(folder: Path, tmp_path: Path) -> None:
    vault = Vault(folder, tmp_path / "index.sqlite")
    vault._closing.set()
    with pytest.raises(ClosedError):
        vault.refresh()
    vault.close()


def test_the_active_note_is_that_of_the_workspace_else_the_last_changed(vault: Vault, folder: Path) -> None:
    os.utime(folder / "one.md", (1, 1))
    assert vault.active() == "Sub/two.md"
    workspace = folder / ".obsidian/workspace.json"
    workspace.parent.mkdir()
    leaf = '{"type": "leaf", "id": "x", "state": {"state": {"file": "one.md"}}}'
    workspace.write_text(f'{{"active": "x", "main": {{"children": [{leaf}]}}, "lastOpenFiles": ["Sub/two.md"]}}')
    assert vault.active() == "one.md"
    workspace.write_text('{"lastOpenFiles": [7, "../secret.md", "Sub/two.md"]}')
    assert vault.active() == "Sub/two.md"
    for broken in ("{", "[]", '{"main": {"type": "leaf", "state": 7}}', '{"main": 7}'):
        workspace.write_text(broken)
        assert vault.active() == "Sub/two.md"


def test_a_note_without_a_title_goes_by_its_file_name(vault: Vault) -> None:
    notes = [file for file in vault.catalog().files if file.is_note]
    titles = vault.index.titles(file.id for file in notes)
    assert {file.path: titles[file.id] or file.name for file in notes} == {"one.md": "One", "Sub/two.md": "two"}


@pytest.mark.parametrize(("written", "asked"), [("Cafe\u0301.md", "Caf\u00e9.md"), ("Caf\u00e9.md", "Cafe\u0301.md")])
def test_a_name_opens_in_either_form_of_unicode(vault: Vault, folder: Path, written: str, asked: str) -> None:
    (folder / written).write_text("coffee")
    assert vault.content(asked).text == "coffee"
    assert vault.content(asked).path == written


@pytest.mark.parametrize("data", ["Größe".encode("latin-1"), "Größe".encode("utf-16"), b"\xe9"])
def test_a_note_in_an_old_encoding_is_a_text_however_short(vault: Vault, folder: Path, data: bytes) -> None:
    (folder / "old.md").write_bytes(data)
    assert vault.content("old.md").text in ("Größe", "é")
    (folder / "old.md").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    with pytest.raises(CallerError, match="expected a text"):
        vault.content("old.md")


def test_an_empty_vault_has_no_active_note(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    vault = Vault(tmp_path / "vault", tmp_path / "index.sqlite")
    vault.start()
    with pytest.raises(CallerError, match="no notes"):
        vault.active()
    assert vault.index.ranked(["x"], 5, None).total == 0
    vault.close()


def test_files_that_are_too_large_or_not_ours_are_listed_and_not_read(
    vault: Vault, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vault_server.index.LARGEST", 20)
    monkeypatch.setattr(module, "LARGEST", 20)
    (folder / "long.md").write_text("words " * 10)
    assert "long.md" in paths(vault)
    assert "long.md" not in found(vault, "words")
    with pytest.raises(CallerError, match="60 bytes; files up to 20"):
        vault.content("long.md")
    with pytest.raises(CallerError, match="image/png"):
        vault.content("picture.png")


def test_a_scan_leaves_out_what_is_hidden_or_a_link(folder: Path) -> None:
    (folder / ".trash").mkdir()
    (folder / ".trash/gone.md").write_text("gone")
    (folder / "link.md").symlink_to(folder / "one.md")
    (folder / "round").symlink_to(folder)
    assert sorted(file.path for file in scan(folder)) == ["Sub/two.md", "one.md", "picture.png"]
    assert [*scan(folder / "nowhere")] == []


def test_the_words_of_a_question_do_not_count_and_are_told(tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "How do I migrate.md").write_text("words about how to migrate, and what a proxy is\n")
    (folder / "Network.md").write_text("a proxy is set by a variable; configure the proxy before the rest\n")
    for number in range(20):
        (folder / f"{number}.md").write_text("nothing\n")
    vault = Vault(folder, tmp_path / "index.sqlite")
    vault.start()
    vault.catalog()
    ranked = vault.index.ranked(["how", "do", "i", "configure", "a", "proxy"], 5, None)
    first = vault.catalog().by_id[ranked.hits[0].id]
    assert (first.path, set(ranked.ignored)) == ("Network.md", {"how", "do", "i", "a"})
    assert vault.index.ranked(["how"], 5, None).total == 1  # where nothing else is asked for
    vault.close()


def test_words_that_are_in_most_notes_are_ignored_and_told(tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()
    for number in range(10):
        (folder / f"{number}.md").write_text(f"the common words and number{number} walks")
    vault = Vault(folder, tmp_path / "index.sqlite")
    vault.start()
    vault.catalog()
    ranked = vault.index.ranked(["the", "number7"], 5, None)
    assert (ranked.total, ranked.ignored) == (1, ("the",))
    assert vault.index.ranked(["the"], 5, None).total == 10
    ranked = vault.index.ranked(["the", "nowhere"], 5, None)  # a word that is in no note tells nothing either
    assert (ranked.total, ranked.ignored) == (10, ())
    assert vault.index.ranked(["nowhere"], 5, None).total == 0
    assert vault.index.ranked(["the", "common", "words", "walks"], 5, None).ignored == ("words", "walks")
    assert vault.index.ranked(["walking"], 3, None).total == 10  # another form of the word
    some = {file.id for file in vault.catalog().files[:2]}
    assert vault.index.ranked(["common"], 5, some).total == 2
    vault.close()


def catalog_of(*paths: str) -> Catalog:
    return Catalog(File(id=number, path=path, size=1, mtime_ns=0, is_note=True) for number, path in enumerate(paths))


def test_a_substring_is_found_in_any_case_and_script(tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    (folder / "c").mkdir(parents=True)
    for path, text in {"a.md": "Größe ΟΔΟΣ İstanbul", "b.md": "xx", "c/x.md": "", "d.md": "x xxx", "e.md": ""}.items():
        (folder / path).write_text(text)
    vault = Vault(folder, tmp_path / "index.sqlite")
    vault.start()
    assert {text: found(vault, text) for text in ("GRÖSSE", "größe", "οδος", "istanbul", "x", "İ", "xx\0")} == {
        "GRÖSSE": [],
        "größe": ["a.md"],
        "οδος": ["a.md"],
        "istanbul": [],
        "x": ["c/x.md", "d.md", "b.md"],
        "İ": ["a.md"],
        "xx\0": [],
    }
    vault.close()


def test_folders_are_counted_with_all_below_them() -> None:
    catalog = catalog_of("a/b/1.md", "a/2.md", "a-b/3.md", "4.md")
    assert catalog.folders() == {"a": 2, "a-b": 1, "a/b": 1}
    assert [file.path for file in catalog.under("a")] == ["a/2.md", "a/b/1.md"]


@pytest.mark.parametrize(
    ("text", "words", "says"),
    [
        ("short text", ["nothing"], "short text"),
        (
            "start " + "filler " * 100 + "the drainage permits are here " + "more " * 100,
            ["drainage", "permit"],
            "permits",
        ),
        ("drainage " + "filler " * 100 + "drainage and permits", ["drainage", "permits"], "drainage and permits"),
        ("drain " * 50_000, ["drain"], "drain drain"),
    ],
)
def test_a_passage_has_most_of_the_words(text: str, words: list[str], says: str) -> None:
    shown = passage(text, words)
    assert says in shown
    assert len(shown) < 260
