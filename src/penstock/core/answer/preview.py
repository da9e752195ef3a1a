"""The preview: facts of all rows, then some rows, then lines worth seeing; as many as the room allows.

Every line has a rank, which the data decides and never the room; the lines of lowest rank that fit are shown, in their
places. So a bigger room never shows less. The lines that settle most questions may fill the room; all others, such as
more rows, only a part of it, as every reader pays for them and few need them.
"""

from __future__ import annotations

import re
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from penstock.core.answer.crossed import own_facts
from penstock.core.answer.facts import facts_of
from penstock.core.answer.head_and_tail import head_and_tail
from penstock.core.answer.preview_text import Preview, ShownRanges
from penstock.core.answer.show_rows import columns_to_show, header_text, row_text, rows_to_show
from penstock.core.budget import largest
from penstock.core.forms.reading import TextSpec
from penstock.core.text import counted, line_text, ranges_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from penstock.core.answer.facts import Fact
    from penstock.core.budget import Room
    from penstock.core.forms.document import Document
    from penstock.core.forms.reading import Reading, Table
    from penstock.core.forms.text_form import Excerpt

ENOUGH: Final = 0.10  # of the room, for lines that are good to have
ENOUGH_TEXT: Final = 0.4  # of the room, for the beginning and the end of a text without a form
SPARE_RANK: Final = 20.0  # of these lines, and more
MOST_FACTS: Final = 10  # facts of columns that are more than good to have
FIRST_ROWS: Final = 4  # rows that come before the less telling facts: the first, those with most, the last,
TOP_FACTS: Final = 6  # and behind so many of the most telling ones
ROWS_RANK: Final = 2.2  # of these rows; the facts that divide the data, times and a form's own facts come before
MORE_RANK: Final = 40.0  # of all other rows: after every fact
EXCERPT_RANK: Final = 2.1  # of the first lines worth seeing, and a little more for each that follows
MOST_OWN: Final = 5  # facts of a form's own that are more than good to have
FIRST_FACTS: Final = 3  # facts of a form's own that come before all others,
LATER_RANK: Final = 1.4  # and the rank of those that follow
LATER_FACTS: Final = 4.0  # rank of facts of columns that hardly settle anything: ids, texts, what is always so
OWN_RANK: Final = 0.05  # between two facts of a form's own, which come in their order
MOST_ROWS: Final = 400  # rows that are read to be shown, whatever the room
ROWS_AT_ONCE: Final = 16  # rows that are read, until those that were read are more than could fit
LONGEST_LINE: Final = 160  # characters of a line that is shown as it is

_COUNTED = re.compile(r" ×[0-9,]+$")


class _Line(NamedTuple):
    rank: float
    block: int
    words: str | Fact
    row: int = -1  # the number of the row or line that it shows

    @property
    def text(self) -> str:
        return self.words if isinstance(self.words, str) else self.words.text


def preview(document: Document, reading: Reading, room: Room, order: Sequence[int] | None = None) -> Preview:
    """Show of a document what the room allows. ``order`` has the rows to show first, chosen by a strategy."""
    main = reading.main
    if main is None and not reading.facts:
        return head_and_tail(document, part_of(room, ENOUGH_TEXT))
    blocks = _Blocks(reading)
    lines = sorted(blocks.lines(room, order), key=lambda line: line.rank)
    telling = sum(line.rank < SPARE_RANK for line in lines)
    number = largest(telling, lambda number: room.fits(blocks.text(lines[:number])))
    if number == telling:
        enough = part_of(room, ENOUGH)
        number += _most(len(lines) - telling, lambda more: enough.fits(blocks.text(lines[: telling + more])))
    return blocks.preview(lines[:number])


def _most(most: int, fits: Callable[[int], bool]) -> int:
    """Return the same as ``largest``, from below: the words of lines that have no room are not made."""
    low, high = 0, 1
    while high < most and fits(high):
        low, high = high, 2 * high
    return low + largest(min(high, most) - low, lambda more: fits(low + more))


class _Blocks:
    """The parts of a preview: facts, rows, and each excerpt."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.main: Table | None = reading.main
        self.own = own_facts(reading)
        facts = facts_of(self.main) if self.main is not None else []
        again = self._said_again(facts)
        self.facts = [one for one in facts if one.column not in again]
        self.fields = columns_to_show(self.main) if self.main is not None else []

    def _said_again(self, facts: list[Fact]) -> set[int]:
        """Return the columns of facts that the form tells in its own words. Only the first facts are looked at: the
        words of others may never be made."""
        again: set[int] = set()
        for seen, one in enumerate(sorted(facts, key=lambda one: one.rank)):
            if seen - len(again) == MOST_FACTS or one.rank >= LATER_FACTS:
                break
            again |= {one.column} if _repeats(one.text, self.own, self.reading.words) else set()
        return again

    def lines(self, room: Room, order: Sequence[int] | None) -> Iterator[_Line]:
        """Return all lines that there are, those of rows as far as they could fit."""
        for number, text in enumerate(self.own):
            rank = number * OWN_RANK if number < FIRST_FACTS else LATER_RANK + number * OWN_RANK
            rank += SPARE_RANK if number >= MOST_OWN else 0
            yield _Line(rank=rank, block=0, words=text, row=number)
        places = sorted(range(len(self.facts)), key=lambda at: self.facts[at].rank)  # of equal rank, the first columns
        ranks = [self.facts[at].rank for at in places]
        telling = {at for at in places[:MOST_FACTS] if self.facts[at].rank < LATER_FACTS}
        for number, fact in enumerate(self.facts):
            rank = fact.rank + (0 if number in telling else SPARE_RANK)
            yield _Line(rank=rank + number * 1e-4, block=1, words=fact, row=fact.column)
        seen: set[Any] = set()
        yield from self._rows(room, order, min([ROWS_RANK, *ranks[TOP_FACTS : TOP_FACTS + 1]]), seen)
        is_first = True
        for block, excerpt in enumerate(self.reading.excerpts, 3):
            for at, (text, number) in enumerate(_unseen(excerpt, seen)):
                line = (
                    f"{number}: {line_text(text, LONGEST_LINE)}" if excerpt.numbers else line_text(text, LONGEST_LINE)
                )
                rank = EXCERPT_RANK + 0.3 * (block - 3) + 0.1 * at
                # One line of a list says nothing; one with a number is the first of its kind in the text.
                rank += 0 if (is_first and excerpt.numbers) or self.main is None else SPARE_RANK
                is_first = False
                yield _Line(rank=rank, block=block, words=line, row=at)

    def _rows(self, room: Room, order: Sequence[int] | None, rank: float, seen: set[Any]) -> Iterator[_Line]:
        """Yield lines of rows; ``seen`` gets the lines of the text that the first of them are made of."""
        if self.main is None or self.reading.cells is None or not self.fields:
            return
        at_hand = self.reading.cells.numbers
        most = min(len(at_hand), MOST_ROWS)
        chosen = dict.fromkeys(chain(order or (), islice(rows_to_show(self.main, at_hand), most)))
        numbers = list(islice(chosen, most))
        at = 0
        left = part_of(room, ENOUGH).size  # for all but the first rows, which are far fewer than are read at once
        for start in range(0, len(numbers), ROWS_AT_ONCE):
            some = numbers[start : start + ROWS_AT_ONCE]
            names = [field.name for field in self.fields]
            rows = self.reading.cells.rows(some, names)
            if isinstance(self.main.spec, TextSpec) and "line" in names and not start:
                seen.update(cells[names.index("line")] for cells in rows[:FIRST_ROWS])
            for number, cells in zip(some, rows, strict=True):
                if all(cell is None for cell in cells):
                    continue  # a row of another sort, of which these columns say nothing
                text = row_text(cells)
                left -= len(text)
                place = rank + at * 1e-5 if at < FIRST_ROWS else MORE_RANK + at
                yield _Line(rank=place, block=2, words=text, row=number)
                at += 1
            if left < 0:
                return  # no more could fit

    def text(self, lines: Sequence[_Line]) -> str:
        parts: list[str] = []
        for block in range(3 + len(self.reading.excerpts)):
            some = sorted((line for line in lines if line.block == block), key=lambda line: line.row)
            if some:
                parts += [*self._title(block, some), *(line.text for line in some), *self._left(block, some)]
        return "\n".join(parts)

    def _title(self, block: int, some: list[_Line]) -> list[str]:
        """Return what stands above the lines of a block."""
        main = self.main
        if block == 1 and main is not None and not main.exact:
            return [f"from a part of {main.rows_text} rows:"]
        if block == 1 and main is not None:  # a form's own facts stand before, and no column may look like one
            return [f"all {main.count:,} {main.noun or 'rows'}:"] if self.own else []
        if block == 2:
            return [f"{'row' if len(some) == 1 else 'rows'} {ranges_text(_ranges(some))}:", header_text(self.fields)]
        return [f"{self.reading.excerpts[block - 3].title}:"] if block > 2 else []

    def _left(self, block: int, some: list[_Line]) -> list[str]:
        """Count the facts, or the lines of an excerpt, that have no room."""
        if block == 1 and (left := len(self.facts) - len(some)):
            return [f"… {left:,} more: action info"]
        left = len(self.reading.excerpts[block - 3].lines) - len(some) if block > 2 else 0
        return [f"… {left:,} more"] if left else []

    def preview(self, lines: Sequence[_Line]) -> Preview:
        rows = [line for line in lines if line.block == 2]
        facts = any(line.block < 2 for line in lines)
        main = self.main
        total, about = (main.rows, main.about) if main is not None else (0, "")
        ranges = ShownRanges(ranges=_ranges(rows), total=total, about=about, path=_path(main))
        parts = ["facts"] if facts and (main is None or not main.exact) else []
        if facts and main is not None and main.exact:
            parts.append("facts of all")
        parts += [counted(len(rows), "row")] if rows else []
        return Preview(text=self.text(lines), shown=ranges, below=", ".join(parts))


def part_of(room: Room, share: float) -> Room:
    """Return a share of a room."""
    return room.limited(tokens=int(room.tokens * share), size=int(room.size * share))


def _repeats(fact: str, own: Sequence[str], words: str) -> bool:
    """Tell whether a form says in its own words what the fact of a column says: the same, times from the same to the
    same, or counts by the same two values first, which may have lost the folder that all have in common."""
    body = fact.partition(": ")[2]
    if f"{body.partition(' .. ')[0]} .. " in words:
        return True
    first = body.split(" · ", 2)[:2]
    is_tally = len(first) > 1 and _COUNTED.search(first[0]) is not None
    for line in own:
        words_of_form = line.partition(": ")[2]
        same = [one for one in words_of_form.replace("/ ×", " ×").split(" · ", 2)[:2] if _COUNTED.search(one)]
        if words_of_form and (body == words_of_form or (is_tally and same and all(map(str.endswith, first, same)))):
            return True
    return False


def _unseen(excerpt: Excerpt, seen: set[Any]) -> list[tuple[str, int]]:
    """Return the lines of an excerpt with their numbers, without those that stand among the rows; lines in a row are
    the text of one row, and go with its first."""
    numbers = excerpt.numbers or range(len(excerpt.lines))
    lines = list(zip(excerpt.lines, numbers, strict=False))
    if excerpt.numbers and excerpt.numbers[0] in seen and excerpt.numbers[-1] == excerpt.numbers[0] + len(lines) - 1:
        return []
    return [(text, number) for text, number in lines if not excerpt.numbers or number not in seen]


def _path(table: Table | None) -> str:
    return "." if table is None else table.path


def _ranges(lines: Sequence[_Line]) -> tuple[tuple[int, int], ...]:
    """Return the numbers of rows as ranges."""
    ranges: list[tuple[int, int]] = []
    for number in sorted(line.row for line in lines):
        if ranges and ranges[-1][1] == number:
            ranges[-1] = (ranges[-1][0], number + 1)
        else:
            ranges.append((number, number + 1))
    return tuple(ranges)
