"""A path has a name, a folder and an extension, as they are written in it."""

from __future__ import annotations

from random import Random

from penstock.core.forms.file_names import extensions_of, path_columns, separator_of
from tests.kit.forms.paths import extension, file_paths


def test_columns_of_paths_are_parts_of_them() -> None:
    columns = path_columns(["src/a.py", "/b.tar.gz", "README", "docs/", "/"])
    assert columns["name"] == ["a.py", "b.tar.gz", "README", "docs", ""]
    assert columns["folder"] == ["src", "/", "", "", "/"]
    assert columns["extension"] == ["py", "gz", None, None, None]


def test_paths_of_windows_are_parted_at_backslashes() -> None:
    assert path_columns(["C:\\work\\a b.txt"])["folder"] == ["C:\\work"]


def test_paths_without_extensions_have_no_column_for_them() -> None:
    assert list(path_columns(["a", "b/c"])) == ["path", "name", "folder"]


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


def test_a_name_with_a_line_break_has_one_extension() -> None:
    assert extensions_of(["a.py", "new\nline.txt", "b\n", "c.md"]) == ["py", "txt", "", "md"]


def test_a_backslash_parts_paths_only_if_none_has_a_slash() -> None:
    assert separator_of(["a\\b", "c"]) == "\\"
    assert separator_of(["a\\b", "c/d"]) == separator_of([]) == "/"
