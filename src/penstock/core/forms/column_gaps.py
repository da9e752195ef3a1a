"""Find the places between columns that are aligned by spaces: header and rows are blank there."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import Final

VIOLATED: Final = 0.03  # of the rows may be filled at a boundary, where the header has two spaces or more
DATA: Final = re.compile(r"[+-]?+[0-9][\w.,:%/+-]*+")  # a number, a size, a time, or such as has them

Span = tuple[int, int]  # of characters


def gaps_of(header: str, rows: list[str], *, is_sure: bool, is_part: bool = False) -> list[Span] | None:
    """Return the runs of places between columns at which header and rows are blank. Between two words of a header there
    may be none, unless ``is_sure``: it is a rule. Return None if it is not clear which words are one name; rows that
    are only a part of those at hand need not make it clear."""
    size, width = len(rows), len(header)
    places = zip_longest(header, *(row[:width] for row in rows), fillvalue=" ")
    filled = [size + 1 - place.count(" ") for place in places]
    blank: list[Span] = []
    for at, count in enumerate(filled):
        if header[at] == " " and count <= (0 if not is_sure and _is_narrow(header, at) else VIOLATED * size):
            start = blank.pop()[0] if blank and blank[-1][1] == at else at
            blank.append((start, at + 1))
    blank = _named(header, [gap for gap in blank if gap[0]])
    if not is_sure:
        # A first column without a name is an index: all rows have it.
        has_index = bool(blank) and all(row[: blank[0][0]].strip() for row in rows)
        blank = blank if has_index or (blank and header[: blank[0][0]].strip()) else blank[1:]
        blank = _without_gaps_in_names(header, rows, blank)
        if not is_part and not _are_clear(header, rows, blank):
            return None
    gaps = []
    for (start, end), following in zip_longest(blank, [start for start, _ in blank[1:]]):
        cells = [row[end:following] for row in rows if row[end:following].strip()]
        is_left = header[end] != " " and sum(cell[0] != " " for cell in cells) * 2 >= len(cells)
        # Before a column that is aligned to the left only the last place is sure to be blank in other rows.
        gaps.append((end - 1, end) if is_left else (start, end))
    return gaps


def _without_gaps_in_names(header: str, rows: list[str], gaps: list[Span]) -> list[Span]:
    """Drop the gaps between words of one name. A word without cells below it belongs to a name that has some: to the
    next name if all cells end below the ends of their names, else to the name before."""
    edges = [0, *(edge for gap in gaps for edge in gap), len(header)]
    parts = list(zip(edges[::2], edges[1::2], strict=True))
    filled = [[row for row in rows if row[start:end].strip()] for start, end in parts]
    is_right = all(
        row[end - 1 : end].strip() and not row[end : end + 1].strip()
        for (start, end), some in zip(parts, filled, strict=True)
        if header[start:end].strip()
        for row in some
    )
    kept = []
    for group in _joined_parts(header, gaps):
        with_cells = [at for at in group if filled[at]]
        # Each gap has the number of the part before it.
        within = with_cells[:-1] if is_right else [at - 1 for at in with_cells[1:]]
        kept += [gaps[at] for at in (*within, group[-1]) if at < len(gaps)]
    return kept


def _are_clear(header: str, rows: list[str], gaps: list[Span]) -> bool:
    """Return False if a single space of the header may be inside a name: the words below it may be one cell. That is
    possible if some rows have only one of them. If other names have several words, it is possible too if all words of
    one side are as long as the name above them, so that they begin and end at the same places."""
    narrow = [at for at, gap in enumerate(gaps) if _is_narrow(header, gap[1] - 1)]
    spaces = sum(header[at] == " " and _is_narrow(header, at) for at in range(1, len(header) - 1))
    edges = [0, *(edge for gap in gaps for edge in gap), len(header)]
    for at in narrow:
        sides = [slice(*edges[start : start + 2]) for start in (2 * at, 2 * at + 2)]
        cells = [[row[side].strip() for row in rows] for side in sides]
        is_long = [
            all(len(cell) >= len(header[side].strip()) for cell in some)
            for side, some in zip(sides, cells, strict=True)
        ]
        if all(map(DATA.fullmatch, filter(None, cells[0] + cells[1]))):
            continue
        if not all(cells[0] + cells[1]) or (any(is_long) and len(narrow) < spaces):
            return False
    return True


def _joined_parts(header: str, gaps: list[Span]) -> list[list[int]]:
    """Return the numbers of the parts between gaps, those together that a single space of the header separates."""
    groups = [[0]]
    for at, (_, end) in enumerate(gaps, 1):
        if _is_narrow(header, end - 1):
            groups[-1].append(at)
        else:
            groups.append([at])
    return groups


def _named(header: str, gaps: list[Span]) -> list[Span]:
    """Drop the gaps that lie in cells: where the header has no name between two of them, the narrower one does."""
    kept: list[Span] = []
    for gap in gaps:
        if kept and not header[kept[-1][1] : gap[0]].strip():
            gap = max(kept.pop(), gap, key=lambda one: one[1] - one[0])  # noqa: PLW2901
        kept.append(gap)
    return kept


def _is_narrow(header: str, at: int) -> bool:
    """Return True if there is a single space between two words of the header."""
    return at > 0 and " " not in (header[at - 1], header[at + 1])
