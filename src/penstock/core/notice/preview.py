"""The preview: facts of all rows, sample rows, and lines worth seeing, as many as the room allows.

Every line has a rank, which the data decides and never the room. The lines of lowest rank that fit are shown, so a
larger room never shows less.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from penstock.core.answer.head_and_tail import head_and_tail
from penstock.core.answer.preview_text import Preview, ShownRanges
from penstock.core.budget import largest
from penstock.core.forms.reading import TextSpec
from penstock.core.notice.arguments import unheeded_arguments
from penstock.core.notice.cross import column_facts, cross_of, more_columns
from penstock.core.notice.rows import MAX_WHOLE, columns_to_show, header_text, row_text, rows_to_show
from penstock.core.tables.roles import WORTH, Role
from penstock.core.text import counted, line_text, ranges_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from penstock.core.budget import Room
    from penstock.core.forms.document import Document
    from penstock.core.forms.reading import Reading, Table
    from penstock.core.forms.text_form import Excerpt
    from penstock.core.notice.facts import Fact

TEXT_SHARE: Final = 0.4  # Part of the room for the beginning and the end of a text without a form.
FIRST: Final = -1.0  # Rank of what a reader must know before the facts.
LINE_STEP: Final = 0.1  # Rank between two lines of one list, which are shown in their order.
ROWS_RANK: Final = WORTH[Role.CATEGORY].fact  # Sample rows come after the facts of states.
SAMPLE_LINES: Final = 2  # Lines of an excerpt that are shown.
LONGEST_LINE: Final = 160  # Characters of a line that is shown as it is.

_COUNTED = re.compile(r" ×[0-9,]+$")


class _Line(NamedTuple):
    rank: float
    block: int
    words: str | Fact
    row: int = -1  # The number of the row or line that it shows.

    @property
    def text(self) -> str:
        return self.words if isinstance(self.words, str) else self.words.text


def preview(
    document: Document,
    reading: Reading,
    room: Room,
    order: Sequence[int] | None = None,
    arguments: Mapping[str, Any] | None = None,
) -> Preview:
    """Return what the room allows to show of a document. ``order`` has the rows that a strategy puts first;
    ``arguments`` are those of the call that was answered."""
    if reading.main is None and not reading.facts:
        return head_and_tail(document, part_of(room, TEXT_SHARE))
    blocks = _Blocks(reading, arguments or {})
    lines = sorted(blocks.lines(order), key=lambda line: line.rank)
    number = largest(len(lines), lambda number: room.fits(blocks.text(lines[:number])))
    return blocks.preview(lines[:number])


class _Blocks:
    """The parts of a preview, in the order in which they are shown: facts, sample rows, and each excerpt."""

    FACTS, ROWS, EXCERPTS = range(3)

    def __init__(self, reading: Reading, arguments: Mapping[str, Any]) -> None:
        self.reading = reading
        self.main: Table | None = reading.main
        self.cross = cross_of(reading)
        facts = column_facts(self.main, self.cross) if self.main is not None else []
        self.unheeded = list(unheeded_arguments(arguments, self.main)) if self.main is not None else []
        compared = {(one.column,) for one in self.unheeded}
        self.facts = [one for one in facts if one.columns not in compared and not _repeats(one, reading)]
        self.fields = columns_to_show(self.main) if self.main is not None else []

    def lines(self, order: Sequence[int] | None) -> Iterator[_Line]:
        """Yield all lines that could be shown."""
        for argument in self.unheeded:
            yield _Line(rank=FIRST, block=self.FACTS, words=argument.text)
        for number, text in enumerate(self.reading.facts):
            yield _Line(rank=number * LINE_STEP, block=self.FACTS, words=text)
        for rank, text in self.cross.lines:
            yield _Line(rank=rank, block=self.FACTS, words=text)
        for fact in self.facts:
            yield _Line(rank=fact.rank, block=self.FACTS, words=fact)
        rows = list(self._rows(order))
        yield from rows
        seen = self._lines_of(rows)
        for number, excerpt in enumerate(self.reading.excerpts):
            for at, (text, line) in enumerate(_unseen(excerpt, seen)[:SAMPLE_LINES]):
                words = line_text(text, LONGEST_LINE)
                words = f"{line}: {words}" if excerpt.numbers else words
                rank = ROWS_RANK + LINE_STEP * (at + number + 1)
                yield _Line(rank=rank, block=self.EXCERPTS + number, words=words, row=at)

    def _rows(self, order: Sequence[int] | None) -> Iterator[_Line]:
        cells = self.reading.cells
        if self.main is None or cells is None:
            return
        numbers = rows_to_show(self.main, cells) if order is None else list(order[:MAX_WHOLE])
        texts = cells.rows(numbers, [field.name for field in self.fields])
        for at, (number, row) in enumerate(zip(numbers, texts, strict=True)):
            if any(cell is not None for cell in row):  # A row of another kind has nothing in these columns.
                yield _Line(rank=ROWS_RANK + LINE_STEP * at, block=self.ROWS, words=row_text(row), row=number)

    def _lines_of(self, rows: list[_Line]) -> set[Any]:
        """Return the lines of the text that the sample rows come from."""
        main, cells = self.main, self.reading.cells
        if main is None or cells is None or not isinstance(main.spec, TextSpec) or main.field("line") is None:
            return set()
        return {line for [line] in cells.rows([one.row for one in rows], ["line"])}

    def text(self, lines: Sequence[_Line]) -> str:
        parts: list[str] = []
        for block in range(self.EXCERPTS + len(self.reading.excerpts)):
            some = [line for line in lines if line.block == block]
            if block != self.FACTS:
                some.sort(key=lambda line: line.row)
            if some:
                parts += [*self._title(block, some), *(line.text for line in some), *self._left(block, some)]
        return "\n".join(parts)

    def _title(self, block: int, some: list[_Line]) -> list[str]:
        main = self.main
        if block == self.FACTS:
            return [f"from a sample of {main.rows_text} rows:"] if main is not None and not main.exact else []
        if block == self.ROWS:
            is_whole = main is not None and len(some) == main.rows
            noun = "row" if len(some) == 1 else "rows"
            title = f"all {len(some)} {noun}:" if is_whole else f"sample {noun} {ranges_text(_ranges(some))}:"
            return [title, header_text(self.fields)]
        return [f"{self.reading.excerpts[block - self.EXCERPTS].title}:"]

    def _left(self, block: int, some: list[_Line]) -> list[str]:
        """Return the line that counts what has no room."""
        if block == self.FACTS:
            included = {id(line.words) for line in some}
            left = [fact for fact in self.facts if id(fact) not in included]
            return [more_columns(left)] if left else []
        if block == self.ROWS:
            return []
        left_lines = len(self.reading.excerpts[block - self.EXCERPTS].lines) - len(some)
        return [f"+{counted(left_lines, 'line')}"] if left_lines else []

    def preview(self, lines: Sequence[_Line]) -> Preview:
        rows = [line for line in lines if line.block == self.ROWS]
        main = self.main
        total, about = (main.rows, main.about) if main is not None else (0, "")
        path = "." if main is None else main.path
        ranges = ShownRanges(ranges=_ranges(rows), total=total, about=about, path=path)
        parts = ["facts"] if any(line.block == self.FACTS for line in lines) else []
        parts += [counted(len(rows), "row")] if rows else []
        return Preview(text=self.text(lines), shown=ranges, below=", ".join(parts))


def part_of(room: Room, share: float) -> Room:
    """Return a share of a room."""
    return room.limited(tokens=int(room.tokens * share), size=int(room.size * share))


def _repeats(fact: Fact, reading: Reading) -> bool:
    """Return True if a form states in its own words what the fact of a column says.

    Both give the same text, the same range of times, or counts with the same two values first.
    """
    if not reading.facts or fact.rank > WORTH[Role.NESTED].fact:
        return False
    body = fact.text.partition(": ")[2]
    if f"{body.partition(' to ')[0]} to " in reading.words:
        return True
    first = body.split(" · ", 2)[:2]
    is_tally = len(first) > 1 and _COUNTED.search(first[0]) is not None
    for line in reading.facts:
        own = line.partition(": ")[2]
        same = [one for one in own.replace("/ ×", " ×").split(" · ", 2)[:2] if _COUNTED.search(one)]
        if own and (body == own or (is_tally and same and all(map(str.endswith, first, same)))):
            return True
    return False


def _unseen(excerpt: Excerpt, seen: set[Any]) -> list[tuple[str, int]]:
    """Return the lines of an excerpt with their numbers, without those among the sample rows.

    Consecutive lines are the text of one row, and go with its first line.
    """
    numbers = excerpt.numbers or range(len(excerpt.lines))
    lines = list(zip(excerpt.lines, numbers, strict=False))
    if excerpt.numbers and excerpt.numbers[0] in seen and excerpt.numbers[-1] == excerpt.numbers[0] + len(lines) - 1:
        return []
    return [(text, number) for text, number in lines if not excerpt.numbers or number not in seen]


def _ranges(lines: Sequence[_Line]) -> tuple[tuple[int, int], ...]:
    """Return the numbers of rows as ranges."""
    ranges: list[tuple[int, int]] = []
    for number in sorted(line.row for line in lines):
        if ranges and ranges[-1][1] == number:
            ranges[-1] = (ranges[-1][0], number + 1)
        else:
            ranges.append((number, number + 1))
    return tuple(ranges)
