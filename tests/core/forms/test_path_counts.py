"""Invariant: the folders that a tree is divided into share no file, and together have all of them."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from penstock.core.forms import path_counts
from penstock.core.forms.path_counts import (
    LARGE,
    PathCounts,
    base_of,
    divide,
    extension_fact,
    extensions_of,
    file_of,
    folder_fact,
    separator_of,
)
from tests.kit.forms.facts import main_of, reading_of
from tests.kit.forms.paths import extension, file_paths, folder


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
        assert count * LARGE <= folders.total() or not inner or part.endswith("*")


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
    assert folder_fact({"/a/b/c": 3, "/a/b/d": 2, "/a/b": 1}) == ["by folder below /a/b/: c/ ×3 · d/ ×2 · * ×1"]
    assert folder_fact({"ab": 3, "ac": 2}) == ["by folder: ab/ ×3 · ac/ ×2"]
    assert folder_fact({"a": 3}) == folder_fact({}) == []


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


def test_extensions_are_short_and_have_a_letter() -> None:
    names = [
        "a.py",
        "b.tar.gz",
        ".bashrc",
        "lib.so.1",
        "a.",
        "README",
        "x.c++",
        "a.mp3",
        "a.toolongextension",
        "",
        "a b.md",
    ]
    assert extensions_of(names) == ["py", "gz", "", "", "", "", "", "mp3", "", "", "md"]
    paths = file_paths(Random(3), 200)
    assert [one or None for one in extensions_of(path.split("/")[-1] for path in paths)] == list(map(extension, paths))
    assert extension_fact(Counter({"no extension": 4})) == []
    assert extension_fact(Counter({"py": 2, "no extension": 4})) == ["by extension: no extension ×4 · py ×2"]


def test_separators_and_folders() -> None:
    assert separator_of(["a\\b", "c"]) == "\\"
    assert separator_of(["a\\b", "c/d"]) == separator_of([]) == "/"
    counts = PathCounts()
    counts.add(["a", "a/b", "/a", "/a/b"])
    assert counts.folders() == {"": 1, "a": 1, "/": 1, "/a": 1}


def test_counts_are_given_up_beyond_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(path_counts, "MOST_PATHS", 3)
    counts = PathCounts()
    counts.add({"a/b.py": 2, "a/c.py": 1})
    counts.add(["d.py", "d.py"])
    assert counts.amount("file") == "3 files"
    counts.add(["e"])
    counts.add(["f"])
    assert (counts.amount("file"), counts.counts) == ("more than 3 files", Counter())


def test_a_name_with_a_line_break_has_one_extension() -> None:
    assert extensions_of(["a.py", "new\nline.txt", "b\n", "c.md"]) == ["py", "txt", "", "md"]
    files = PathCounts()
    files.add(["x/a.py", "x/new\nline.txt", "y/b.py"])
    assert extension_fact(files.extensions()) == ["by extension: py ×2 · txt ×1"]


def test_column_of_folders_counts_them_itself() -> None:
    rows = [{"path": f"src/{name}/a{at}.py", "size": at} for at, name in enumerate(["core", "cli"] * 20)]
    assert file_of(main_of(reading_of(rows))) is not None
    assert file_of(main_of(reading_of([{**row, "folder": "src"} for row in rows]))) is None
