"""Names and files: inside the allowed folder, or refused and skipped."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from penstock import CallerError
from security_server.paths import Root

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path) -> Root:
    folder = tmp_path / "root"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub/a.py").write_text("a")
    (tmp_path / "outside.py").write_text("outside")
    (folder / "link.py").symlink_to(tmp_path / "outside.py")
    (folder / "up").symlink_to(tmp_path)
    (folder / "loop").symlink_to(folder / "loop")
    return Root.at(folder, "allowed folder")


@pytest.mark.parametrize("name", [".", "sub", "sub/a.py", "./sub/../sub", ""])
def test_names_inside_of_the_folder_are_found(root: Root, name: str) -> None:
    assert root.find(name, example="x").is_relative_to(root.folder)
    assert root.find(str(root.folder / name), example="x").exists()


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("..", "leads out"),
        ("../outside.py", "leads out"),
        ("sub/../../outside.py", "leads out"),
        ("/etc/passwd", "leads out"),
        ("/", "leads out"),
        ("link.py", "leads out"),
        ("up/outside.py", "leads out"),
        ("loop", ""),
        ("sub\0a", "leads out"),
        ("x" * 5_000, ""),
        ("nowhere", "where there is nothing"),
        ("~", "where there is nothing"),
    ],
)
def test_names_that_lead_out_or_nowhere_are_refused(root: Root, name: str, why: str) -> None:
    with pytest.raises(CallerError) as caught:
        root.find(name, example="services")
    told = str(caught.value)
    assert told.startswith("path: expected a path inside the allowed folder, got ")
    assert why in told
    assert told.endswith('for example {"path": "sub"}')
    assert len(told) < 300


def files(root: Root, max_files: int = 100, max_file_bytes: int = 1_000) -> tuple[list[str], dict[str, int]]:
    found = root.files(root.folder, max_files=max_files, max_file_bytes=max_file_bytes)
    return [root.name_of(path) for path in found.files], found.skipped


def test_links_are_skipped_and_counted_wherever_they_lead(root: Root) -> None:
    assert files(root) == (["sub/a.py"], {"links": 3})


def test_what_is_large_or_no_file_is_skipped_and_counted(root: Root) -> None:
    (root.folder / "large.txt").write_text("x" * 1_001)
    os.mkfifo(root.folder / "pipe")
    (root.folder / ("n" * 200)).mkdir()
    long = root.folder
    for _ in range(5):
        long /= "n" * 200
        long.mkdir(exist_ok=True)
    (long / "a.py").write_text("")
    with open(os.fsencode(root.folder) + b"/\xff.py", "w"):
        pass
    names, skipped = files(root)
    assert names == ["sub/a.py"]
    assert skipped == {"links": 3, "no_files": 1, "odd_names": 2, "too_large": 1}


def test_files_beyond_the_most_are_counted(root: Root) -> None:
    for number in range(5):
        (root.folder / f"{number}.py").write_text("")
    assert files(root, max_files=3) == (["0.py", "1.py", "2.py"], {"links": 3, "too_many": 3})


def test_other_peoples_packages_are_left_out_unless_they_are_named(root: Root) -> None:
    (root.folder / "node_modules/x").mkdir(parents=True)
    (root.folder / "node_modules/x/a.py").write_text("")
    assert files(root)[0] == ["sub/a.py"]
    found = root.files(root.folder / "node_modules", max_files=9, max_file_bytes=9)
    assert [root.name_of(path) for path in found.files] == ["node_modules/x/a.py"]


def test_a_single_file_is_scanned_alone(root: Root) -> None:
    assert root.files(root.folder / "sub/a.py", max_files=9, max_file_bytes=9).files == (root.folder / "sub/a.py",)
