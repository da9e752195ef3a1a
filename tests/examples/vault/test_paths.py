"""No name leads out of the vault, however it is spelled and whatever lies on the way."""

from __future__ import annotations

import contextlib
import os
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import CallerError
from server_parts.paths import RealFolder
from vault_server.catalog import is_shown

if TYPE_CHECKING:
    from tests.kit.examples.vault_client import Talk

LEAVING = [
    "..",
    "../secret.md",
    "Projects/../../secret.md",
    "Projects/../Reference/x.md",
    "/etc/passwd",
    "//server/share/x.md",
    "~/x.md",
    "~root/x.md",
    "C:\\x.md",
    "c:x.md",
    "Projects\\..\\..\\secret.md",
    "\uff0e\uff0e/secret.md",
    "\uff0e./secret.md",
    "..\uff0fsecret.md",
    "\uff0fetc/passwd",
    "\u2025/secret.md",
    "\uff3c\uff3cserver",
    "Projects/\u202emd.terces",
    "a\0b.md",
    "a\nb.md",
    "x\u200b.md",
    "\ud800.md",
    ".obsidian/workspace.json",
    "Projects/.git/config",
    ".",
    "a" * 2_000,
]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> RealFolder:
    folder = tmp_path_factory.mktemp("paths")
    (folder / "secret.md").write_text("secret")
    vault = folder / "vault"
    (vault / "Projects").mkdir(parents=True)
    (vault / ".obsidian").mkdir()
    (vault / ".obsidian/keys.json").write_text("secret")
    (vault / "Projects/here.md").write_text("here")
    (vault / "out.md").symlink_to(folder / "secret.md")
    (vault / "away").symlink_to(folder)
    (vault / "inside.md").symlink_to(vault / "Projects/here.md")
    (vault / "hidden.md").symlink_to(vault / ".obsidian/keys.json")
    (vault / "loop").symlink_to(vault / "loop")
    return RealFolder.at(vault, "vault")


@pytest.mark.parametrize("name", [name for name in LEAVING if name != "."], ids=ascii)
def test_a_name_that_leaves_the_vault_is_refused_by_its_spelling(root: RealFolder, name: str) -> None:
    with pytest.raises(CallerError, match=r"filename: expected a path inside the vault.*for example"):
        root.locate(name, "filename", "x.md")


@pytest.mark.parametrize("name", ["out.md", "away/secret.md", "away/vault/Projects/here.md", "hidden.md"])
def test_a_link_out_of_the_vault_is_refused(root: RealFolder, name: str) -> None:
    if name == "away/vault/Projects/here.md":
        assert root.locate(name, "filename", "x.md") == root.folder / "Projects/here.md"  # out and in again is in
        return
    with pytest.raises(CallerError, match="filename"):
        root.locate(name, "filename", "x.md")


def test_a_loop_of_links_is_no_file(root: RealFolder) -> None:
    with contextlib.suppress(CallerError):  # Python 3.13 and later follow it as far as it goes
        assert not root.locate("loop/x.md", "filename", "x.md").exists()


def test_a_link_within_the_vault_is_followed(root: RealFolder) -> None:
    assert root.name_of(root.locate("inside.md", "filename", "x.md")) == "Projects/here.md"


@given(st.text(st.sampled_from("./\\~:aA\uff0e\uff0f\u2025\u202e\0 "), min_size=1, max_size=12))
def test_whatever_is_located_lies_in_the_vault(root: RealFolder, name: str) -> None:
    try:
        real = root.locate(name, "filename", "x.md")
    except CallerError:
        return
    assert real.is_relative_to(root.folder)
    assert ".." not in unicodedata.normalize("NFKC", name).split("/")


@pytest.mark.parametrize(
    "name", ["Caf\u00e9.md", "\u6e2f\u53e3.md", "a b (1).md", "\u2100 50%.md", "./Projects/here.md"]
)
def test_ordinary_names_are_taken(root: RealFolder, name: str) -> None:
    assert root.locate(name, "filename", "x.md").parent in (
        root.folder,
        root.folder / "Projects",
        root.folder / "Caf\u00e9",
    )


def test_what_is_listed_can_be_located(root: RealFolder) -> None:
    for name in ("a\nb.md", "x\u200b.md", ".hidden", os.fsdecode(b"\xff.md")):
        assert not is_shown(name)
    assert is_shown("Caf\u00e9 \u6e2f.md")


@pytest.mark.parametrize("tool", ["get_vault_file", "list_vault_files", "fetch", "vault", "search_vault_smart"])
def test_every_tool_refuses_a_path_out_of_the_vault(talk: Talk, tool: str) -> None:
    for name in ("../../../etc/passwd", "/etc/passwd", "\uff0e\uff0e/x", ".obsidian"):
        every: dict[str, dict[str, Any]] = {
            "get_vault_file": {"filename": name},
            "list_vault_files": {"directory": name},
            "fetch": {"url": name},
            "vault": {"operation": "read", "params": {"filename": name}},
            "search_vault_smart": {"query": "x", "filter": {"folders": [name]}},
        }
        assert "path inside the vault" in talk.refused(tool, **every[tool])


def test_a_name_that_is_nearly_right_is_answered_with_the_right_one(talk: Talk) -> None:
    assert '"Projects/Harbour/Overview.md"' in talk.refused("get_vault_file", filename="overview.MD")
    assert "list_vault_files" in talk.refused("get_vault_file", filename="Projects/Nowhere.md")
    assert "no such folder" in talk.refused("list_vault_files", directory="Nowhere")
    assert talk.told("list_vault_files", directory="Projects/", limit=1) == talk.told(
        "list_vault_files", directory="./Projects", limit=1
    )
    assert talk.told("list_vault_files", directory="/", limit=1)["pagination"]["total"] == 2_002


def test_a_picture_is_not_read_as_text(talk: Talk) -> None:
    assert "image/png" in talk.refused("get_vault_file", filename="Attachments/plan.png")
    assert Path("Attachments/plan.png").name in talk.told("list_vault_files", pattern="*.png")["files"][0]
