"""Forms that are declared: each row is one line, and the named groups of its pattern are its columns.

    FORM = line_form("jobs", "a list of jobs", Style(name="plain", pattern=r"#(?P<id>[0-9]{1,9}) (?P<job>\\S++)"))

A form has one or more styles of writing a row. The first that fits the sample is read: some thousand lines at a time,
by one pattern, column by column. A style says which other lines may be between rows, which headings name the file of
the rows below them, and how rows follow each other. The facts of all columns come from their profiles.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from operator import and_, eq, gt
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.api import LONGEST_LINE, DoesNotHoldError, ParserForm, Words
from penstock.core.forms.file_names import is_file_name
from penstock.core.forms.line_parser import LineParser, columns_of, matched
from penstock.core.forms.text_cells import texts_of
from penstock.core.text import counted, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.core.forms.api import Batch, Columns, Options, Sample, Tables

    Texts = dict[str, Sequence[str]]  # the columns of some rows as they are written
    Rows = list[tuple[str, ...]]  # the groups of some rows
    Numbered = list[tuple[int, str]]  # lines with their numbers

MAX_SPARE: Final = 2  # Any text may have 2 lines next to its rows, such as a title and a note that it was cut.
MAX_DISORDER_RATIO: Final = 50  # At most 1 in 50 pairs of rows is out of order.
MAX_SUMMARIES: Final = 3  # The last 3 lines in which the text sums itself up are shown.
MAX_SUMMARY: Final = 200  # At most 200 characters of a summary are shown.


def _always(_: Texts) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """One way of writing rows. ``pattern`` matches a row: each named group is a column, and ``code1`` and ``code2`` are
    both ``code``. ``numbers`` are columns of numbers, and ``texts`` those whose cells may be empty texts: in others an
    empty text is no cell.

    A text has this style if ``least`` rows of its sample match, ``fits`` accepts their columns, and few other lines
    are there: one in ``unfit``, and on average not more than ``spread`` lines for each row, if that is given. Lines
    that match ``between`` belong to rows, and those that match ``summary`` are shown. ``heading`` is a column of files:
    a line of its own, after a blank one, names that of all rows below it. ``has`` are texts of which any row has one,
    in lower case: most texts are excluded by that at once.

    ``order`` names two columns: while the first stays the same, the second grows by ``rises`` at least. A few pairs may
    be out of order, unless it is ``strict``. ``unique`` is a column whose values are all different."""

    name: str
    pattern: str
    noun: str = "rows"
    numbers: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    least: int = 3
    unfit: int = 50
    spread: int = 0
    fits: Callable[[Texts], bool] = _always
    between: str = ""
    summary: str = ""
    heading: str = ""
    has: tuple[str, ...] = ()
    order: tuple[str, str] | None = None
    rises: int = 0
    strict: bool = False
    unique: str = ""
    what: str = "{rows}{places}"

    def compiled(self) -> re.Pattern[str]:
        """Return the pattern of any line with its newline. It fills groups only if the line is a row."""
        return re.compile(rf"(?:{self.pattern}|.*+)\n")

    def allows(self, rows: int, others: int, lines: int) -> bool:
        """Return True if so many of the lines may be no rows."""
        is_dense = not self.spread or rows * self.spread >= lines
        return rows >= self.least and is_dense and (not self.unfit or (others - MAX_SPARE) * self.unfit <= lines)


def line_form(
    name: str,
    title: str,
    *styles: Style,
    parser: type[StyleParser] | None = None,
    reads_items: bool = False,
    reads_joined: bool = False,
) -> LineForm:
    """Return the form of some styles. ``parser`` is a parser that knows more than the engine does."""
    by_name = {style.name: (style, style.compiled()) for style in styles}
    make = parser or StyleParser

    def recognise(sample: Sample) -> Options | None:
        for style, pattern in by_name.values():
            if style.has and not any(sign in sample.folded for sign in style.has):
                continue
            columns = make.fitting(style, pattern, sample)
            if columns is not None and style.fits(columns):
                return {"style": style.name}
        return None

    def make_parser(options: Options) -> StyleParser:
        style, pattern = by_name[options["style"]]
        return make(options=options, style=style, pattern=pattern, nouns={"items": style.noun})

    return LineForm(
        name=name,
        title=title,
        noun=styles[0].noun,
        looks_like=recognise,
        make=make_parser,
        is_costly=True,
        reads_items=reads_items,
        reads_joined=reads_joined,
        patterns=tuple(pattern for _, pattern in by_name.values()),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LineForm(ParserForm):
    """A form that is declared by the patterns of its rows."""

    patterns: tuple[re.Pattern[str], ...]


@dataclass(slots=True, kw_only=True)
class StyleParser(LineParser):
    """Reads the rows of one style."""

    style: Style
    pattern: re.Pattern[str]
    blank: int = 0
    beside: int = 0  # lines that are rows of further tables
    summaries: list[str] = field(default_factory=list)
    above: str = ""  # the last line of those that were read before
    headings: Numbered = field(default_factory=lambda: [(0, "")])  # the last one read before, and those among the lines
    filled: int = 0  # the last heading that has rows,
    headed: int = 0  # and the number of these
    pairs: int = 0  # rows that follow another with the same value in the first column of the order,
    disorder: int = 0  # and have a smaller one in the second
    last: tuple[Any, int] = (None, 0)  # of the order
    different: set[str] = field(default_factory=set)  # of the unique column

    @classmethod
    def fitting(cls, style: Style, pattern: re.Pattern[str], sample: Sample) -> Texts | None:
        """Return the columns of the rows in a sample, if it has this style."""
        lines = sample.short
        _, rows, others = matched(pattern, lines, 1)
        odd = [line for _, line in others if not cls.belongs(style, line)]
        if style.heading:
            named = sum(is_file_name(line.removesuffix(":")) for line in odd)
            if not (0 < named <= len(rows) and named * 2 >= len(odd)):
                return None
            odd = []
        return columns_of(pattern, rows) if style.allows(len(rows), len(odd), len(lines)) else None

    @classmethod
    def belongs(cls, style: Style, line: str) -> bool:
        """Return True if a line that is no row may be between rows."""
        return any(re.match(known, line[:LONGEST_LINE]) for known in (style.between, style.summary) if known)

    def part(self, lines: list[str], numbers: list[int], rows: Rows, others: Numbered) -> tuple[list[int], Rows, Batch]:
        """Take the rows out of some lines, and the rows of further tables."""
        del lines
        self.take_others(others)
        return numbers, rows, {}

    def read(self, lines: list[str]) -> Batch:
        numbers, rows, others = matched(self.pattern, lines, self.seen + 1)
        self.blank += len(lines) - len(rows) - len(others)
        if self.style.heading:
            others = self._take_headings(lines, others)
        numbers, rows, more = self.part(lines, numbers, rows, others)
        if self.style.heading:
            numbers, rows = self._below_headings(numbers, rows)
        if not rows:
            return {"items": {}, **more} if more else {}
        columns: Columns = {"line": numbers}
        if self.style.heading:
            columns[self.style.heading] = list(map(self.heading_of, numbers))
        for name, texts in columns_of(self.pattern, rows).items():
            if any(texts) or name in self.style.texts:
                columns[name] = self.cells(name, texts)
        self.count += len(numbers)
        self._follow(columns)
        return {"items": columns, **more}

    def cells(self, name: str, texts: Sequence[str]) -> list[Any]:
        """Return the cells of a column."""
        if name not in self.style.numbers:
            return list(texts) if name in self.style.texts else texts_of(texts)
        return [(float(text) if "." in text else int(text)) if text else None for text in texts]

    def take_others(self, others: Numbered) -> None:
        """Count the lines that are no rows and belong to none, and keep those that sum up."""
        for _, line in others:
            if self.style.summary and re.match(self.style.summary, line[:LONGEST_LINE]):
                self.summaries = [*self.summaries, line][-MAX_SUMMARIES:]
            self.unfit += not self.belongs(self.style, line)

    def _take_headings(self, lines: list[str], others: Numbered) -> Numbered:
        """Take the headings, and return the other lines that are no rows."""
        self.headings = self.headings[-1:]
        rest: Numbered = []
        for number, line in others:
            at = number - self.seen - 1
            above = lines[at - 1] if at else self.above
            if (above.strip() and self.headings[-1][1]) or self.belongs(self.style, line):
                rest.append((number, line))
            else:
                self.headings.append((number, line.removesuffix(":")))
        self.above = lines[-1]
        return rest

    def _place_of(self, number: int) -> int:
        return bisect_right(self.headings, number, key=lambda one: one[0]) - 1

    def heading_of(self, number: int) -> str:
        """Return the heading above a line; empty for none."""
        return self.headings[self._place_of(number)][1]

    def _below_headings(self, numbers: list[int], rows: Rows) -> tuple[list[int], Rows]:
        """Return the rows that have a heading above them, and count the others, and the headings without rows."""
        lost = sum(not self.heading_of(number) for number in numbers)
        numbers, rows = numbers[lost:], rows[lost:]
        filled = {self.headings[self._place_of(number)][0] for number in numbers} | {self.filled}
        self.unfit += lost + sum(text != "" and number not in filled for number, text in self.headings[:-1])
        self.headed += len(filled) - 1
        self.filled = max(filled)
        return numbers, rows

    def _follow(self, columns: Columns) -> None:
        """Compare the order of the rows with the one that the style has."""
        if self.style.unique:
            cells = columns[self.style.unique]
            before = len(self.different)
            self.different.update(cells)
            if len(self.different) - before < len(cells):
                raise DoesNotHoldError("a value that comes twice")
        if self.style.order is None:
            return
        firsts, seconds = (columns.get(name, [""] * len(columns["line"])) for name in self.style.order)
        same = list(map(eq, [self.last[0], *firsts[:-1]], firsts))
        least = seconds if not self.style.rises else [second - self.style.rises for second in seconds]
        self.pairs += sum(same)
        self.disorder += sum(map(and_, same, map(gt, [self.last[1], *seconds[:-1]], least)))
        self.last = firsts[-1], seconds[-1]

    def holds(self) -> bool:
        is_ordered = self.disorder * MAX_DISORDER_RATIO <= (0 if self.style.strict else self.pairs)
        return is_ordered and self.style.allows(self.count, self.unfit, self.seen - self.blank)

    def words(self, tables: Tables) -> Words:
        table = tables[0]
        file = table.field("file")
        totals = {one.name: f"{one.column.total:,}" for one in table.fields if one.column.is_numeric}
        rows = f"{table.count:,} {self.style.noun if table.count != 1 else _singular(self.style.noun)}"
        what = self.style.what.format(rows=rows, places="" if file is None else f" in {_files(file)}", **totals)
        facts = [f"its own summary: {plain(line.strip(), MAX_SUMMARY)}" for line in self.summaries]
        if self.unfit:
            facts.append(f"lines that are no {self.style.noun}, and in no table: {self.outside():,}")
        return Words(what=what, facts=tuple(facts))

    def outside(self) -> int:
        """Count the lines that no table has and that are not blank. A heading is a cell of the rows below it."""
        return self.seen - self.blank - self.count - self.beside - self.headed


def _files(file: Any) -> str:
    different = file.column.different
    return counted(different, "file") if different is not None else f"more than {file.column.over:,} files"


def _singular(noun: str) -> str:
    return noun.removesuffix("es") if noun.endswith("ches") else noun.removesuffix("s")
