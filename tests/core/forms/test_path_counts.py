"""Invariant: the folders that a tree is divided into share no file, and together have all of them."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from penstock.core.forms.path_counts import MAX_PARTS, base_of, divide, file_of, path_facts
from tests.kit.forms.facts import main_of, reading_of
from tests.kit.forms.paths import file_paths, folder


def lies_in(folder_name: str, part: str) -> bool:
    inside = folder_name + "/" * bool(folder_name)
    return inside == part[:-1] if part.endswith("*") else inside.startswith(part)


@pytest.mark.parametrize("seed", range(20))
def test_every_folder_lies_in_exactly_one_part(seed: int) -> None:
    random = Random(seed)
    folders = Counter(
        folder(path) for path in file_paths(random, 30 * (seed + 1), random.choice(["", "/", "./", "a/b/"]))
    )
    parts = divide(folders)
    for name in folders:
        assert sum(lies_in(name, part) for part, _ in parts) == 1
    for part, count in parts:
        assert count == sum(amount for name, amount in folders.items() if lies_in(name, part))
    assert [count for _, count in parts] == sorted((count for _, count in parts), reverse=True)
    for part, count in parts:
        inner = [name for name in folders if lies_in(name, part) and name + "/" != part]
        assert count * MAX_PARTS <= folders.total() or not inner or part.endswith("*")


@pytest.mark.parametrize(
    ("folders", "parts"),
    [
        ({}, []),
        ({"": 4}, [("", 4)]),
        ({"/": 4, "/etc": 7}, [("/etc/", 7), ("/*", 4)]),
        ({"a": 1, "a/": 2}, [("a/", 3)]),
        ({"x/y/z": 4}, [("x/y/z/", 4)]),
        ({"C:\\a": 1, "C:\\b\\c": 2}, [("C:\\b\\c\\", 2), ("C:\\a\\", 1)]),
        ({"/".join("a" * 80): 3, "b": 1}, [("/".join("a" * 40) + "/", 3), ("b/", 1)]),
    ],
)
def test_parts_of_small_trees(folders: dict[str, int], parts: list[tuple[str, int]]) -> None:
    assert divide(folders) == parts


def test_what_all_folders_have_in_common_is_told_once() -> None:
    assert path_facts({"/a/b/c/x": 3, "/a/b/d/y": 2, "/a/b/z": 1}) == [
        "by folder below /a/b/: c/ ×3 · d/ ×2 · * ×1",
    ]
    assert path_facts({"ab/x": 3, "ac/x": 2}) == ["by folder: ab/ ×3 · ac/ ×2"]
    assert path_facts({"a/x": 3}) == path_facts({}) == []


def test_rows_are_counted_by_the_extension_of_their_file() -> None:
    paths = {"x/a.py": 2, "x/b.py": 1, "x/README": 4, "x/new\nline.txt": 1}
    assert path_facts(paths) == ["by extension: no extension ×4 · py ×3 · txt ×1"]


def test_folders_of_paths_are_what_stands_before_their_names() -> None:
    assert path_facts({"a": 1, "a/b": 2, "/a": 3, "/a/b": 4}) == ["by folder: /a/ ×4 · /* ×3 · a/ ×2 · * ×1"]


@pytest.mark.parametrize(
    ("folders", "base"),
    [
        ([], ""),
        ([""], ""),
        (["a/b", "a/c"], "a/"),
        (["a/b", "a"], "a/"),
        (["/", "/etc"], "/"),
        (["/a", "b"], ""),
        (["ab", "ac"], ""),
        (["x\\y", "x\\z"], "x\\"),
    ],
)
def test_the_folder_that_all_lie_in(folders: list[str], base: str) -> None:
    assert base_of(folders) == base


def test_column_of_folders_counts_them_itself() -> None:
    rows = [{"path": f"src/{name}/a{at}.py", "size": at} for at, name in enumerate(["core", "cli"] * 20)]
    assert file_of(main_of(reading_of(rows))) is not None
    assert file_of(main_of(reading_of([{**row, "folder": "src"} for row in rows]))) is None
