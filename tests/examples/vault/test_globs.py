"""Patterns for names."""

from __future__ import annotations

import pytest

from penstock import CallerError
from vault_server.globs import glob

PATHS = ["a.md", "b.txt", "Daily/2026/01.md", "Daily/x.md", "Projects/A [1]/plan.md", "Projects/Ä.MD"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.md", ["a.md", "Daily/2026/01.md", "Daily/x.md", "Projects/A [1]/plan.md", "Projects/Ä.MD"]),
        ("a.md", ["a.md"]),
        ("?.md", ["a.md", "Daily/x.md", "Projects/Ä.MD"]),
        ("Daily/*.md", ["Daily/x.md"]),
        ("Daily/**/*.md", ["Daily/2026/01.md", "Daily/x.md"]),
        ("Daily/**", ["Daily/2026/01.md", "Daily/x.md"]),
        ("**/x.md", ["Daily/x.md"]),
        ("**", PATHS),
        ("[ab].*", ["a.md", "b.txt"]),
        ("[!a].*", ["b.txt", "Daily/x.md", "Projects/Ä.MD"]),
        ("[^b-z].md", ["a.md", "Projects/Ä.MD"]),
        ("*/A [[]1]/*", ["Projects/A [1]/plan.md"]),
        ("projects/ä.md", ["Projects/Ä.MD"]),
        ("a.md\u2028", []),
        ("*(1)+.md", []),
    ],
)
def test_a_pattern_matches_these_paths(pattern: str, expected: list[str]) -> None:
    if not pattern.isprintable():
        with pytest.raises(CallerError):
            glob(pattern)
        return
    found = glob(pattern)
    assert found.among(PATHS) == expected
    assert [path for path in PATHS if found.matches(path)] == expected


@pytest.mark.parametrize(
    "pattern", ["", "/etc/*", "../*", "a/../b", "a\\b", "x" * 600, "*" * 200, "a\nb", "[z-a]", "[", "a[b"]
)
def test_a_pattern_that_cannot_be_meant_is_refused(pattern: str) -> None:
    with pytest.raises(CallerError, match="pattern: expected a glob"):
        glob(pattern)


def test_a_pattern_of_many_stars_is_answered() -> None:
    assert glob("*a" * 40 + "b").among(["a" * 5_000]) == []


def test_nothing_matches_in_an_empty_vault() -> None:
    assert glob("*").among([]) == []
