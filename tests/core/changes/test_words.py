"""Counts of changes in words."""

from __future__ import annotations

import pytest

from penstock.core.changes.words import signed_counts


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ((12, 3, 5), "+12 -3 ~5 rows"),
        ((1_204, 0, 0), "+1,204 rows"),
        ((0, 1, 0), "-1 row"),
        ((0, 0, 0), "no rows changed"),
    ],
)
def test_zero_counts_are_left_out(counts: tuple[int, int, int], words: str) -> None:
    assert signed_counts("row", *counts) == words
