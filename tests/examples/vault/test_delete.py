"""Bulk delete: nothing without being told twice, nothing outside, and nothing that cannot be found again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.kit.examples.vault_client import Talk

from penstock import CallerError
from server_parts.paths import RealFolder
from vault_server.trash import move_to_trash

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault with links in it that lead outside."""
    outside = tmp_path_factory.mktemp("delete")
    (outside / "precious.md").write_text("precious")
    vault = outside / "vault"
    (vault / "Daily").mkdir(parents=True)
    (vault / ".obsidian").mkdir()
    (vault / ".obsidian/app.json").write_text("{}")
    for number in range(70):
        (vault / f"Daily/{number:02}.md").write_text(f"day {number}")
    (vault / "keep.md").write_text("keep")
    (vault / "Daily/link.md").symlink_to(outside / "precious.md")
    (vault / "Daily/away").symlink_to(outside)
    return vault


@pytest.fixture(scope="module")
def server(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Talk]:
    data = tmp_path_factory.mktemp("delete-data")
    with Talk([str(folder), "--data", str(data)], cwd=data) as talk:
        yield talk


def test_deleting_from_the_first_dry_run_to_the_last_file(server: Talk, folder: Path) -> None:
    told = server.told("bulk_delete_files", pattern="Daily/**")
    assert (told["dryRun"], told["deleted"]) == (True, 0)
    assert told["pagination"] == {"total": 70, "offset": 0, "limit": 50, "hasMore": True}
    assert told["next"]["arguments"]["dryRun"] is True  # what may be followed without a thought deletes nothing
    assert len(server.follow(told["next"]).data["files"]) == 70
    assert len(list(folder.glob("Daily/*.md"))) == 71

    told = server.told("bulk_delete_files", pattern="Daily/**", dryRun=False)
    assert told["deleted"] == len(told["files"]) == 50
    assert told["movedTo"] == ".trash"
    assert told["pagination"]["hasMore"] is True
    assert server.told("list_vault_files")["pagination"]["total"] == 21

    told = server.told("vault", operation="delete", params={"pattern": "Daily/**", "dryRun": False})
    assert (told["deleted"], told["failed"]) == (20, [])
    assert server.told("list_vault_files")["files"] == ["keep.md"]
    assert (folder / ".trash/Daily/07.md").read_text() == "day 7"
    assert (folder.parent / "precious.md").read_text() == "precious"
    assert (folder / "Daily/link.md").is_symlink()
    assert (folder / ".obsidian/app.json").exists()


def test_a_pattern_that_matches_nothing_deletes_nothing(server: Talk, folder: Path) -> None:
    told = server.told("bulk_delete_files", pattern="*.nothing", dryRun=False)
    assert (told["deleted"], told["files"], told["pagination"]["total"]) == (0, [], 0)
    for pattern in ("../*", "/**", "..", "**/../*"):
        assert "pattern" in server.refused("bulk_delete_files", pattern=pattern, dryRun=False)
    assert (folder / "keep.md").exists()


def test_what_is_in_the_trash_stays_there(tmp_path: Path) -> None:
    root = RealFolder.at(tmp_path)
    for text in ("first", "second", "third"):
        (tmp_path / "note.md").write_text(text)
        move_to_trash(root, "note.md")
    texts = [(tmp_path / ".trash" / name).read_text() for name in ("note.md", "note 2.md", "note 3.md")]
    assert texts == ["first", "second", "third"]


def test_a_trash_that_leads_out_of_the_vault_is_not_used(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "note.md").write_text("note")
    (vault / ".trash").symlink_to(outside)
    with pytest.raises(CallerError, match="leads out"):
        move_to_trash(RealFolder.at(vault), "note.md")
    assert (vault / "note.md").exists()
    assert list(outside.iterdir()) == []


def test_a_file_that_is_gone_or_behind_a_link_is_not_moved(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/note.md").write_text("note")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    for name in ("link/note.md", "gone.md"):
        with pytest.raises(CallerError, match="not a file"):
            move_to_trash(RealFolder.at(tmp_path), name)
    assert (tmp_path / "real/note.md").exists()


def test_a_server_that_only_reads_has_no_tool_that_deletes(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    with Talk([str(tmp_path / "vault"), "--data", str(tmp_path), "--read-only"], cwd=tmp_path) as talk:
        tools = {tool.name: tool for tool in talk.tools()}
        assert "bulk_delete_files" not in tools
        assert all(tool.annotations.read_only_hint for tool in tools.values())
        call = {"operation": "delete", "params": {"pattern": "*.md", "dryRun": False}}
        assert "started with --read-only" in talk.refused("vault", **call)
