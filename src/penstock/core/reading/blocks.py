"""The blocks of an indented text: each line with deeper ones right below it, as in code, styles and schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from penstock.core.text import counted, line_text

if TYPE_CHECKING:
    from collections.abc import Iterable

LONG_BLOCK: Final = 120  # characters of the first line of a block in an outline
MOST_BLOCKS: Final = 1_000  # blocks in one answer
TAB: Final = 8  # columns that a tab leads to a multiple of


class Block(NamedTuple):
    """The number of its first line, from 1, how many blocks it lies in, that line, and how many lines lie below it."""

    line: int
    level: int
    text: str
    below: int


def blocks_of(lines: Iterable[str], depth: int) -> list[Block]:
    """Return the blocks of the upper levels, in their order. Blank lines at the end of a block are not counted."""
    found: list[Block] = []
    opened: list[tuple[int, Block]] = []  # indents of the blocks that a line lies in
    before, indent, text = 0, 0, ""  # the last line that is not blank

    def close(until: int) -> None:
        while opened and opened[-1][0] >= until:
            _, block = opened.pop()
            if block.level < depth:
                found.append(block._replace(below=before - block.line))

    for number, line in enumerate(lines, 1):
        bare = line.strip()
        if not bare:
            continue
        deeper = _indent(line)
        if before and deeper > indent:
            opened.append((indent, Block(line=before, level=len(opened), text=text, below=0)))
        else:
            close(deeper)
        before, indent, text = number, deeper, bare
    close(0)
    return sorted(found)


def block_line(block: Block, limit: int) -> str:
    """Write ``47133: enum Limit { (19 lines below)``."""
    return f"{block.line}: {'  ' * block.level}{line_text(block.text, limit)} ({counted(block.below, 'line')} below)"


def _indent(line: str) -> int:
    expanded = line[: len(line) - len(line.lstrip())]
    return len(expanded.expandtabs(TAB))
