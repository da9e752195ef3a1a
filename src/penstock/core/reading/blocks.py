"""The blocks of an indented text: each line with deeper ones right below it, as in code, styles and schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from penstock.core.text import counted, line_text

if TYPE_CHECKING:
    from collections.abc import Iterable

LONG_BLOCK: Final = 120  # characters of the first line of a block in an outline
MOST_BLOCKS: Final = 1_000  # blocks in one answer
TAB: Final = 8  # columns that a tab leads to a multiple of


class TextBlock(NamedTuple):
    """The number of its first line, from 1, how many blocks it lies in, that line, and how many lines lie below it."""

    line: int
    level: int
    text: str
    below: int


def blocks_of(lines: Iterable[str], depth: int) -> list[TextBlock]:
    """Return the blocks of the upper levels, in their order. Blank lines at the end of a block are not counted."""
    blocks: list[TextBlock] = []
    opened: list[tuple[int, TextBlock]] = []  # indents of the blocks that a line lies in
    before, indent, text = 0, 0, ""  # the last line that is not blank

    def close(until: int) -> None:
        while opened and opened[-1][0] >= until:
            _, block = opened.pop()
            if block.level < depth:
                blocks.append(block._replace(below=before - block.line))

    for number, line in enumerate(lines, 1):
        bare = line.lstrip()
        if not bare:
            continue
        deeper = len(line) - len(bare)
        if deeper and "\t" in line[:deeper]:
            deeper = len(line[:deeper].expandtabs(TAB))
        if deeper > indent and before:
            opened.append((indent, TextBlock(line=before, level=len(opened), text=text.rstrip(), below=0)))
        elif opened and opened[-1][0] >= deeper:
            close(deeper)
        before, indent, text = number, deeper, bare
    close(0)
    return sorted(blocks)


def block_line(block: TextBlock, limit: int) -> str:
    """Write ``47133: enum Limit { (19 lines below)``."""
    return f"{block.line}: {'  ' * block.level}{line_text(block.text, limit)} ({counted(block.below, 'line')} below)"
