"""A path has a name, a folder and an extension, as they are written in it."""

from __future__ import annotations

from penstock.core.forms.path_columns import path_columns


def test_columns_of_paths_are_parts_of_them() -> None:
    columns = path_columns(["src/a.py", "/b.tar.gz", "README", "docs/", "/"])
    assert columns["name"] == ["a.py", "b.tar.gz", "README", "docs", ""]
    assert columns["folder"] == ["src", "/", "", "", "/"]
    assert columns["extension"] == ["py", "gz", None, None, None]


def test_paths_of_windows_are_parted_at_backslashes() -> None:
    assert path_columns(["C:\\work\\a b.txt"])["folder"] == ["C:\\work"]


def test_paths_without_extensions_have_no_column_for_them() -> None:
    assert list(path_columns(["a", "b/c"])) == ["path", "name", "folder"]
