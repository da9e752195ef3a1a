"""Globs of callers, which every example reads in the same way."""

from __future__ import annotations

import pytest

from penstock import CallerError
from server_parts.globs import globs, matches
from vault_server.catalog import Catalog, File
from vault_server.tools import matching

PATHS = ["Daily/2026/01.md", "Daily/x.md", "Projects/A [1]/plan.md", "Projects/Ä.MD", "a.md", "b.txt"]


def catalog(*paths: str) -> Catalog:
    return Catalog(File(id=0, path=path, size=1, mtime_ns=0, is_note=True) for path in paths)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.md", PATHS[:5]),
        ("a.md", ["a.md"]),
        ("?.md", ["Daily/x.md", "Projects/Ä.MD", "a.md"]),
        ("Daily/*.md", ["Daily/x.md"]),
        ("Daily/**/*.md", PATHS[:2]),
        ("Daily/**", PATHS[:2]),
        ("Daily", PATHS[:2]),
        ("**/x.md", ["Daily/x.md"]),
        ("**", PATHS),
        ("[ab].*", ["a.md", "b.txt"]),
        ("[!a].*", ["Daily/x.md", "Projects/Ä.MD", "b.txt"]),
        ("projects/ä.md", ["Projects/Ä.MD"]),
        ("*(1)+.md", []),
    ],
)
def test_glob_takes_in_these_paths_in_either_case(pattern: str, expected: list[str]) -> None:
    assert matching(catalog(*PATHS), "", pattern) == expected


@pytest.mark.parametrize(
    "pattern", ["", "../*", "a/../b", "a\\b", "x" * 600, "a\nb", "a.md\u2028", "[z-a]", "[", "a[b", "!x"]
)
def test_glob_that_cannot_be_meant_is_refused(pattern: str) -> None:
    with pytest.raises(CallerError, match="pattern: expected at most 50 globs inside the folder"):
        globs("pattern", [pattern])


def test_glob_of_many_stars_is_answered_at_once() -> None:
    assert not matches(globs("pattern", ["*a" * 40 + "b"]), "a" * 5_000)


def test_nothing_matches_in_an_empty_vault() -> None:
    assert matching(catalog(), "", "*") == []
