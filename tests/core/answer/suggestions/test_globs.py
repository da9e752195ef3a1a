"""A glob or a directory keeps what was asked for before, and names only what lies in the folder."""

from __future__ import annotations

from typing import Any

import pytest

from penstock.core.answer.suggestions.globs import Folder, excluding, glob_of, has_wildcards, including, is_absolute
from penstock.core.answer.suggestions.parameters import AdjustableCall

API = Folder(path="src/api", inside="api")


def call(schema: dict[str, Any], **arguments: Any) -> AdjustableCall:
    return AdjustableCall(arguments, {"properties": schema})


@pytest.mark.parametrize(
    ("folder", "files", "expected"),
    [
        (API, "**", "src/api/**"),
        (API, "**/*.ts", "src/api/**/*.ts"),
        (Folder(path="/home/src/api", inside="src/api"), "**", "**/src/api/**"),
        (Folder(path="C:/code/api", inside="api"), "**", "**/api/**"),
    ],
)
def test_a_glob_for_a_folder(folder: Folder, files: str, expected: str) -> None:
    assert glob_of(folder, files) == expected


def test_a_call_that_takes_no_files_is_not_narrowed_by_them() -> None:
    assert including(call({"query": {}}), API) is None
    assert excluding(call({"query": {}}), "src/api/**") is None


def test_globs_none_of_which_can_be_narrowed_leave_the_call_alone() -> None:
    assert including(call({"include": {}}, include=["docs/**", 5]), API) is None
    assert including(call({"include": {}}, include=""), API) is None


def test_the_next_parameter_is_tried_where_the_first_takes_no_such_value() -> None:
    schema: dict[str, Any] = {"glob": {"type": "integer"}, "path": {"type": "integer"}, "dir": {"type": "string"}}
    assert including(call(schema), API) == {"dir": "src/api"}


def test_a_default_counts_as_given() -> None:
    made = including(call({"include": {"type": "string", "default": "**/*.py"}}), API)
    assert made == {"include": "src/api/**/*.py"}


def test_a_folder_with_wildcards_in_its_name_is_named_by_its_path_only() -> None:
    odd = Folder(path="src/[id]", inside="[id]")
    assert has_wildcards(odd.path)
    assert including(call({"include": {}}), odd) is None
    assert including(call({"include": {}, "path": {}}), odd) == {"path": "src/[id]"}


def test_a_pattern_that_is_excluded_already_changes_nothing() -> None:
    assert excluding(call({"exclude": {}}, exclude=["a/**"]), "a/**") is None
    assert excluding(call({"exclude": {}}, exclude=[7]), "a/**") == {"exclude": ["a/**"]}


def test_absolute_directories() -> None:
    assert [is_absolute(one) for one in ("/a", "C:/a", "a/b", "")] == [True, True, False, False]


def test_windows_paths_and_a_leading_dot_are_understood() -> None:
    assert including(call({"path": {}}, path=".\\src\\"), API) == {"path": "src/api"}
    assert including(call({"path": {}}, path="./src"), API) == {"path": "src/api"}
