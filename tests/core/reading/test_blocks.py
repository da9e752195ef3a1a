"""Blocks are found by their indents, and each counts the lines below it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from penstock.core.reading.blocks import TextBlock, block_line, blocks_of

TEXT = '''
"""
A limit.
"""
enum Limit {
  """
  None.
  """
  NONE

  field(
    first: Int

    last: Int
  ): Page
}

scalar Date
type Page {
	rows: Int
}'''
SCHEMA = TEXT.split("\n")


def test_the_upper_blocks_are_told_with_the_lines_below_them() -> None:
    assert blocks_of(SCHEMA, 1) == [
        TextBlock(line=5, level=0, text="enum Limit {", below=10),
        TextBlock(line=19, level=0, text="type Page {", below=1),
    ]


def test_deeper_blocks_come_in_their_places() -> None:
    assert [(one.line, one.level) for one in blocks_of(SCHEMA, 2)] == [(5, 0), (11, 1), (19, 0)]
    assert block_line(blocks_of(SCHEMA, 2)[1], 80) == "11:   field( (3 lines below)"


def test_a_text_without_indents_has_no_blocks() -> None:
    assert blocks_of(["one", "", "two"], 9) == []
    assert blocks_of([], 9) == []


def test_a_block_ends_with_the_text() -> None:
    assert blocks_of(["  a:", "    b:", "      c", "", ""], 9) == [
        TextBlock(line=1, level=0, text="a:", below=2),
        TextBlock(line=2, level=1, text="b:", below=1),
    ]


@given(st.lists(st.tuples(st.integers(0, 4), st.sampled_from(["", "x"])), max_size=30))
def test_what_is_counted_below_a_block_is_deeper(lines: list[tuple[int, str]]) -> None:
    text = [" " * indent + word for indent, word in lines]
    for block in blocks_of(text, 99):
        below = text[block.line : block.line + block.below]
        first = len(text[block.line - 1]) - 1
        assert below
        assert all(len(line) - 1 > first for line in below if line.strip())
        after = next((line for line in text[block.line + block.below :] if line.strip()), None)
        assert after is None or len(after) - 1 <= first
