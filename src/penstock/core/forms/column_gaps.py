"""Find the places between columns that are aligned by spaces, and split rows there: header and rows are blank there."""

from __future__ import annotations

import re
from itertools import islice, pairwise, zip_longest
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_FILLED_SHARE: Final = 0.03  # Share of the rows that may be filled at a boundary with two spaces in the header.
MAX_SHIFT: Final = 4  # Characters that a word may be away from its column in a row that a wide cell has shifted.
MAX_UNFIT_RATIO: Final = 100  # One row in so many may have another number of words.
MAX_SHIFTED_SHARE: Final = 0.25  # Share of the rows that wide cells may have shifted: ``ps`` shifts many.
DATA: Final = re.compile(r"[+-]?+[0-9][\w.,:%/+-]*+")  # a number, a size, a time, or a word that begins as they do

Span = tuple[int, int]  # of characters

_WORD = re.compile(r"\S++")


def gaps_of(header: str, rows: list[str], *, is_sure: bool, is_part: bool = False) -> list[Span] | None:
    """Return the runs of places between columns at which header and rows are blank. Between two words of a header there
    may be none, unless ``is_sure``: it is a rule. Return None if the columns are not clear; rows that are only a part
    of those at hand need not make it clear which words are one name."""
    limit = MAX_FILLED_SHARE * len(rows)
    places = zip_longest(header, *(row[: len(header)] for row in rows), fillvalue=" ")
    filled = [len(rows) + 1 - place.count(" ") for place in places]
    blank: list[Span] = []
    for at, count in enumerate(filled):
        if header[at] == " " and count <= (0 if not is_sure and _is_narrow(header, at) else limit):
            start = blank.pop()[0] if blank and blank[-1][1] == at else at
            blank.append((start, at + 1))
    blank = _between_names(header, [gap for gap in blank if gap[0]])
    if not is_sure:
        # A first column without a name is an index: all rows have it.
        has_index = bool(blank) and all(row[: blank[0][0]].strip() for row in rows)
        blank = blank if has_index or (blank and header[: blank[0][0]].strip()) else blank[1:]
        blank = _without_gaps_in_names(header, rows, blank)
    words = [match.span() for match in _WORD.finditer(header)]
    apart = [(one, other) for (_, one), (other, _) in pairwise(words) if is_sure or other - one > 1]
    if not all(any(one <= start < other for start, _ in blank) for one, other in apart):
        return None
    if not (is_sure or is_part or _are_clear(header, rows, blank)):
        return None
    return [_sure_part(gap, header, rows, following) for gap, following in zip_longest(blank, blank[1:])]


def _sure_part(gap: Span, header: str, rows: list[str], following: Span | None) -> Span:
    """Return the places of a gap that are sure to be blank in other rows too: only the last one before a column that is
    aligned to the left."""
    end = gap[1]
    cells = [row[end : following and following[0]] for row in rows]
    cells = [cell for cell in cells if cell.strip()]
    is_left = header[end] != " " and sum(cell[0] != " " for cell in cells) * 2 >= len(cells)
    return (end - 1, end) if is_left else gap


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
    groups = [[0]]  # the parts between gaps, those together that a single space of the header separates
    for at, (_, end) in enumerate(gaps, 1):
        if _is_narrow(header, end - 1):
            groups[-1].append(at)
        else:
            groups.append([at])
    kept = []
    for group in groups:
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
        if all(map(DATA.fullmatch, filter(None, cells[0] + cells[1]))):
            continue
        is_long = any(
            all(len(cell) >= len(header[side].strip()) for cell in some)
            for side, some in zip(sides, cells, strict=True)
        )
        if not all(cells[0] + cells[1]) or (is_long and len(narrow) < spaces):
            return False
    return True


def _between_names(header: str, gaps: list[Span]) -> list[Span]:
    """Drop the gaps inside cells: if the header has no name between two of them, the narrower one is."""
    kept: list[Span] = []
    for gap in gaps:
        wider = gap
        if kept and not header[kept[-1][1] : gap[0]].strip():
            wider = max(kept.pop(), gap, key=lambda one: one[1] - one[0])
        kept.append(wider)
    return kept


def _is_narrow(header: str, at: int) -> bool:
    """Return True if there is a single space between two words of the header."""
    return at > 0 and " " not in (header[at - 1], header[at + 1])


def are_near(spans: Sequence[Span], rows: Sequence[str]) -> bool:
    """Return True if nearly all rows have a word near each column, most of them at its place: ``ps`` prints them so."""
    split = sum(_words_near(row, spans, MAX_SHIFT) is not None for row in rows)
    exact = sum(_words_near(row, spans, 0) is not None for row in rows)
    return (len(rows) - split) * MAX_UNFIT_RATIO <= len(rows) and exact >= len(rows) * (1 - MAX_SHIFTED_SHARE)


def split_row(row: str, gaps: Sequence[Sequence[int]], spans: Sequence[Sequence[int]]) -> list[str] | None:
    """Return the cells of one row, trimmed: between the gaps, or if a wide cell has shifted it, its words that are near
    to their columns. Return None if it has neither."""
    cuts = [row.find(" ", *gap) if len(row) > gap[0] else gap[0] for gap in gaps]
    if min(cuts, default=0) > 0:
        return [row[start:end].strip() for start, end in zip((0, *cuts), (*cuts, None), strict=True)]
    return _words_near(row, spans, MAX_SHIFT)


def _words_near(row: str, spans: Sequence[Sequence[int]], shift: int) -> list[str] | None:
    """Return the words of a row if there is one near each column; the last one runs to the end of the line."""
    words = list(islice(_WORD.finditer(row), len(spans)))
    if len(words) < len(spans):
        return None
    for (start, end), word in zip(spans, words, strict=True):
        if word.start() >= end + shift or word.end() <= start - shift:
            return None
    return [*(word[0] for word in words[:-1]), row[words[-1].start() :].strip()]
