"""Create, append, patch over the wire: what is written, what is refused, and that nothing is lost."""

from __future__ import annotations

import asyncio
import os
import stat
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import Client
from tests.kit.examples.vault_client import Talk

from penstock import CallerError
from vault_server.app import CONFIG, build, open_vault
from vault_server.paths import Root
from vault_server.settings import load_settings
from vault_server.writing import Writer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    outside = tmp_path_factory.mktemp("writes")
    (outside / "precious.md").write_text("precious")
    vault = outside / "vault"
    (vault / "Daily").mkdir(parents=True)
    (vault / "Daily/today.md").write_text("# Chores\n- one\n\n# Log\n")
    (vault / "old.md").write_text("old text")
    (vault / "latin.md").write_bytes("Größe".encode("latin-1"))
    (vault / "link.md").symlink_to(outside / "precious.md")
    (vault / "inside.md").symlink_to(vault / "old.md")
    (vault / "away").symlink_to(outside)
    return vault


@pytest.fixture(scope="module")
def server(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Talk]:
    data = tmp_path_factory.mktemp("writes-data")
    with Talk([str(folder), "--data", str(data)], cwd=data) as talk:
        yield talk


def test_a_new_note_is_written_with_its_folders_and_found_at_once(server: Talk, folder: Path) -> None:
    told = server.told("create_vault_file", filename="New/Deep/note.md", content="# Heron\nstands in the reeds #bird\n")
    assert (told["written"], told["created"]) == ("New/Deep/note.md", True)
    assert (folder / "New/Deep/note.md").read_text() == "# Heron\nstands in the reeds #bird\n"
    assert server.told("search_vault_simple", query="the reeds")["results"][0]["filename"] == "New/Deep/note.md"
    assert server.follow(told["read"]).texts[0].startswith("# Heron")
    names = [path.name for path in folder.rglob("*")]
    assert not [name for name in names if name.endswith(".tmp")]


def test_a_note_that_is_there_is_not_overwritten_unless_asked_for_and_then_kept(server: Talk, folder: Path) -> None:
    said = server.refused("create_vault_file", filename="old.md", content="new text")
    assert "old.md is there already, and was not changed" in said
    assert (folder / "old.md").read_text() == "old text"
    told = server.told("create_vault_file", filename="old.md", content="new text", overwrite=True)
    assert (told["created"], told["previous"]) == (False, ".trash/old.md")
    assert (folder / "old.md").read_text() == "new text"
    assert (folder / ".trash/old.md").read_text() == "old text"


def test_appending_and_patching_say_where_the_new_text_lies(server: Talk, folder: Path) -> None:
    told = server.told("append_to_vault_file", filename="Daily/today.md", content="evening")
    assert (folder / "Daily/today.md").read_text() == "# Chores\n- one\n\n# Log\nevening\n"
    assert (told["startIndex"], told["endIndex"]) == (22, 30)
    patch = {"filename": "Daily/today.md", "operation": "append", "targetType": "heading", "target": "Chores"}
    told = server.told("patch_vault_file", **patch, content="- two")
    assert (folder / "Daily/today.md").read_text() == "# Chores\n- one\n- two\n\n# Log\nevening\n"
    assert server.follow(told["read"]).texts[0] == "- two\n"
    told = server.told("patch_vault_file", **{**patch, "operation": "replace"}, content="- none")
    assert told["replaced"] == "- one\n- two\n"
    front = {"filename": "Daily/today.md", "operation": "replace", "targetType": "frontmatter", "target": "mood"}
    assert "createTargetIfMissing" in server.refused("patch_vault_file", **front, content="calm")
    server.told(
        "patch_vault_file",
        **front,
        content='["calm", 2]',
        contentType="application/json",
        createTargetIfMissing=True,
    )
    assert (folder / "Daily/today.md").read_text().startswith("---\nmood: [calm, 2]\n---\n# Chores\n- none\n")
    found = server.told("search_vault", queryType="dataview", query="LIST WHERE mood")
    assert [one["filename"] for one in found["results"]] == ["Daily/today.md"]


def test_a_name_in_another_form_of_unicode_is_the_note_that_is_there(server: Talk, folder: Path) -> None:
    (folder / "Cafe\u0301.md").write_text("coffee\n")
    assert "is there already" in server.refused("create_vault_file", filename="Caf\u00e9.md", content="tea")
    server.told("append_to_vault_file", filename="Caf\u00e9.md", content="cake")
    assert (folder / "Cafe\u0301.md").read_text() == "coffee\ncake\n"


def test_operations_and_the_active_note_can_be_written_to(server: Talk, folder: Path) -> None:
    params = {"filename": "via.md", "content": "a", "createIfMissing": True}
    assert server.told("vault", operation="append", params=params)["created"] is True
    os.utime(folder / "via.md", (4_000_000_000, 4_000_000_000))
    assert server.told("active_file", operation="append", params={"content": "b"})["written"] == "via.md"
    assert (folder / "via.md").read_text() == "a\nb\n"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("../precious.md", "leaves the vault"),
        ("/etc/passwd.md", "absolute"),
        ("away/precious.md", "out of the vault"),
        ("away/new.md", "out of the vault"),
        ("link.md", "out of the vault"),
        ("inside.md", "a link"),
        (".obsidian/app.md", "hidden"),
        (".trash/x.md", "hidden"),
        ("script.js", "not a note's name"),
        ("note", "not a note's name"),
        ("a\0.md", "do not show"),
        ("Daily", "not a note's name"),
        ("x/../../precious.md", "leaves the vault"),
    ],
)
def test_what_is_not_a_note_inside_of_the_vault_is_refused_by_every_tool(
    server: Talk, folder: Path, name: str, says: str
) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("create_vault_file", {"overwrite": True}),
        ("append_to_vault_file", {"createIfMissing": True}),
        ("patch_vault_file", {"operation": "replace", "targetType": "heading", "target": "x"}),
    ]
    for tool, more in calls:
        assert says in server.refused(tool, filename=name, content="bad", **more)
    assert (folder.parent / "precious.md").read_text() == "precious"
    assert sorted(path.name for path in folder.parent.iterdir()) == ["precious.md", "vault"]


def test_what_cannot_be_changed_truly_is_left_alone(server: Talk, folder: Path) -> None:
    assert "not UTF-8" in server.refused("append_to_vault_file", filename="latin.md", content="x")
    assert (folder / "latin.md").read_bytes() == "Größe".encode("latin-1")
    assert "no note missing.md" in server.refused("append_to_vault_file", filename="missing.md", content="x")
    assert not (folder / "missing.md").exists()
    patch = {"filename": "old.md", "operation": "replace", "targetType": "frontmatter", "target": "a"}
    said = server.refused("patch_vault_file", **patch, content="{", contentType="application/json")
    assert "expected JSON" in said


def test_annotations_say_which_tools_write_and_which_can_destroy(server: Talk) -> None:
    hints = {tool.name: tool.annotations for tool in server.tools()}
    writes = {name for name, hint in hints.items() if not hint.read_only_hint}
    assert writes == {
        "create_vault_file", "append_to_vault_file", "patch_vault_file", "bulk_delete_files", "vault", "active_file",
    }  # fmt: skip
    destroys = {name for name in writes if hints[name].destructive_hint}
    assert destroys == writes - {"append_to_vault_file"}


def test_a_note_that_changes_between_reading_and_writing_is_left_so(tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("one")
    writer = Writer(Root.at(tmp_path))
    original = writer.read(note)
    note.write_text("one, and more by another program")
    with pytest.raises(CallerError, match="was changed meanwhile"):
        writer.replace(original, "two")
    assert note.read_text() == "one, and more by another program"
    assert [path.name for path in tmp_path.iterdir()] == ["note.md"]


def test_a_replaced_note_keeps_its_mode_and_a_failed_write_leaves_it_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = tmp_path / "note.md"
    note.write_text("one")
    note.chmod(0o640)
    writer = Writer(Root.at(tmp_path))
    writer.replace(writer.read(note), "two")
    assert (note.read_text(), stat.S_IMODE(note.stat().st_mode)) == ("two", 0o640)

    def no_room(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_room)
    with pytest.raises(CallerError, match="No space left"):
        writer.replace(writer.read(note), "three")
    assert note.read_text() == "two"


def test_a_file_system_without_hard_links_still_never_overwrites(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_: Any) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", no_links)
    writer = Writer(Root.at(tmp_path))
    writer.create(tmp_path / "note.md", "one")
    with pytest.raises(CallerError, match="is there already"):
        writer.create(tmp_path / "note.md", "two")
    assert (tmp_path / "note.md").read_text() == "one"
    with pytest.raises(CallerError, match="up to"):
        writer.create(tmp_path / "large.md", "x" * 16_777_217)


def test_a_server_that_only_reads_has_no_tool_that_writes(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault/note.md").write_text("text")
    vault = open_vault(tmp_path / "vault", tmp_path / "data", 10)
    vault.start()

    async def ask() -> tuple[list[Any], list[Any]]:
        async with Client(build(vault, load_settings(CONFIG), read_only=True)) as client:
            calls = [
                ("vault", {"operation": "create", "params": {"filename": "a.md", "content": "x"}}),
                ("active_file", {"operation": "append", "params": {"content": "x"}}),
            ]
            return await client.list_tools(), [await client.call_tool(*call, raise_on_error=False) for call in calls]

    tools, answers = asyncio.run(ask())
    assert all(tool.annotations.read_only_hint for tool in tools)
    assert all("--read-only" in answer.content[0].text for answer in answers)
    assert [path.name for path in (tmp_path / "vault").iterdir()] == ["note.md"]
    vault.close()
