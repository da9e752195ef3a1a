"""Forms that are declared: each row is one line, and the named groups of its pattern are its columns.

    FORM = line_form("jobs", "a list of jobs", Style(name="plain", pattern=r"#(?P<id>[0-9]{1,9}) (?P<job>\\S++)"))

A form has one or more styles of writing a row. The first that fits the sample is read: some thousand lines at a time,
by one pattern, column by column. What is said of the rows comes from the columns. A style says which other lines may
stand between rows, how rows follow each other, and which values are failures.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from operator import and_, eq, gt
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.api import LONGEST_LINE, DoesNotHoldError, Excerpt, ParserForm, Words
from penstock.core.forms.line_parser import LineParser, columns_of, matched
from penstock.core.forms.path_counts import MOST_NAMED, amount_of_files, facts_of_files
from penstock.core.forms.text_cells import texts_of
from penstock.core.text import plain, tally

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.core.forms.api import Batch, Columns, Options, Sample, Tables

    Texts = dict[str, Sequence[str]]  # the columns of some rows as they are written
    Rows = list[tuple[str, ...]]  # the groups of some rows
    Numbered = list[tuple[int, str]]  # lines with their numbers

SPARE: Final = 2  # Lines that any text may have next to its rows: a title, a note that it was cut.
DISORDER: Final = 50  # One in so many pairs of rows may be out of order.
MOST_GROUPS: Final = 4_000  # Different groups of failures that are counted.
MOST_FAILURES: Final = 6  # Failures that are shown.
MOST_SUMMARIES: Final = 3  # Lines in which the text sums itself up that are shown, the last ones.
LONGEST_SUMMARY: Final = 200  # Characters of such a line.


def _always(_: Texts) -> bool:
    return True


def _unchanged(columns: Columns) -> Columns:
    return columns


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """One way of writing rows. ``pattern`` matches a row: each named group is a column, and ``code1`` and ``code2`` are
    both ``code``. ``numbers`` are columns of whole numbers, and ``texts`` those whose cells may be
    empty texts: in others an empty text is no cell.

    A text has this style if ``least`` rows of its sample match, ``fits`` accepts their columns, and few other lines
    are there: one in ``unfit``, or if ``spread`` is given, so many lines for each row on average. Lines that match
    ``between`` belong to rows, and those that match ``summary`` are shown. ``has`` are texts of which any row has one,
    in lower case: most texts are excluded by that at once.

    ``order`` names two columns: while the first stays the same, the second grows by ``rises`` at least. A few pairs may
    be out of order, unless it is ``strict``. ``unique`` is a column whose values are all different. ``failed`` names a
    column and the values of it that are failures."""

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
    has: tuple[str, ...] = ()
    order: tuple[str, str] | None = None
    rises: int = 0
    strict: bool = False
    unique: str = ""
    failed: tuple[str, frozenset[str]] | None = None
    finish: Callable[[Columns], Columns] = _unchanged
    what: str = "{rows}{places}"

    def compiled(self) -> re.Pattern[str]:
        """Return the pattern of any line with its newline. It fills groups only if the line is a row."""
        return re.compile(rf"(?:{self.pattern}|.*+)\n")

    def allows(self, rows: int, others: int, lines: int) -> bool:
        """Return True if so many of the lines may be no rows."""
        is_dense = rows * self.spread >= lines if self.spread else (others - SPARE) * self.unfit <= lines
        return rows >= self.least and is_dense


def line_form(
    name: str,
    title: str,
    *styles: Style,
    parser: type[StyleParser] | None = None,
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
    pairs: int = 0  # rows that follow another with the same value in the first column of the order,
    disorder: int = 0  # and have a smaller one in the second
    last: tuple[Any, int] = (None, 0)  # of the order
    different: set[str] = field(default_factory=set)  # of the unique column
    failures: Counter[str] = field(default_factory=Counter)  # by group
    failed: list[tuple[int, str]] = field(default_factory=list)
    all_failed: int = 0

    @classmethod
    def fitting(cls, style: Style, pattern: re.Pattern[str], sample: Sample) -> Texts | None:
        """Return the columns of the rows in a sample, if it has this style."""
        return sampled(cls, style, pattern, sample)

    @classmethod
    def belongs(cls, style: Style, line: str) -> bool:
        """Return True if a line that is no row may stand between rows."""
        return any(re.match(known, line[:LONGEST_LINE]) for known in (style.between, style.summary) if known)

    def part(self, lines: list[str], numbers: list[int], rows: Rows, others: Numbered) -> tuple[list[int], Rows, Batch]:
        """Take the rows out of some lines, and the rows of further tables."""
        del lines
        self.take_others(others)
        return numbers, rows, {}

    def place(self, numbers: list[int]) -> Columns:
        """Return columns of rows that stand on other lines."""
        del numbers
        return {}

    def read(self, lines: list[str]) -> Batch:
        numbers, rows, others = matched(self.pattern, lines, self.seen + 1)
        self.blank += len(lines) - len(rows) - len(others)
        numbers, rows, more = self.part(lines, numbers, rows, others)
        if not rows:
            return {"items": {}, **more} if more else {}
        columns: Columns = {"line": numbers, **self.place(numbers)}
        for name, texts in columns_of(self.pattern, rows).items():
            columns[name] = self.cells(name, texts)
        columns = self.style.finish(columns)
        self.count += len(numbers)
        self.follow(columns)
        self._learn_failures(columns, lines)
        return {"items": columns, **more}

    def cells(self, name: str, texts: Sequence[str]) -> list[Any]:
        """Return the cells of a column."""
        if name not in self.style.numbers:
            return list(texts) if name in self.style.texts else texts_of(texts)
        return list(map(int, texts)) if all(texts) else [int(text) if text else None for text in texts]

    def take_others(self, others: Numbered) -> None:
        """Count the lines that are no rows and belong to none, and keep those that sum up."""
        for _, line in others:
            if self.style.summary and re.match(self.style.summary, line[:LONGEST_LINE]):
                self.summaries = [*self.summaries, line][-MOST_SUMMARIES:]
            self.unfit += not self.belongs(self.style, line)

    def follow(self, columns: Columns) -> None:
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

    def _learn_failures(self, columns: Columns, lines: list[str]) -> None:
        if self.style.failed is None:
            return
        name, words = self.style.failed
        rows = [at for at, cell in enumerate(columns.get(name, ())) if cell in words]
        self.all_failed += len(rows)
        self.failed += [
            (columns["line"][at], lines[columns["line"][at] - self.seen - 1])
            for at in rows[: MOST_FAILURES - len(self.failed)]
        ]
        if "file" in columns and len(self.failures) <= MOST_GROUPS:
            self.failures.update(columns["file"][at] for at in rows)

    def holds(self) -> bool:
        is_ordered = self.disorder * DISORDER <= (0 if self.style.strict else self.pairs)
        return is_ordered and self.style.allows(self.count, self.unfit, self.seen - self.blank)

    def words(self, tables: Tables) -> Words:
        table = tables[0]
        file = table.field("file")
        files = "" if file is None else f" in {amount_of_files(file)}"
        what = self.style.what.format(
            rows=f"{table.count:,} {self.style.noun if table.count != 1 else _singular(self.style.noun)}",
            places=files,
            **{one.name: f"{one.column.total:,}" for one in table.fields if one.column.is_numeric},
        )
        facts = [f"its own summary: {plain(line.strip(), LONGEST_SUMMARY)}" for line in self.summaries]
        if self.failures and len(self.failures) <= MOST_GROUPS and self.all_failed < table.count:
            facts.append(f"failed by file: {tally(self.failures.most_common(), MOST_NAMED)}")
        facts += [] if file is None else facts_of_files(file)
        if self.unfit:
            facts.append(f"lines that are no {self.style.noun}, and in no table: {self.outside():,}")
        return Words(what=what, facts=tuple(facts), excerpts=self.excerpts())

    def outside(self) -> int:
        """Count the lines that no table has and that are not blank."""
        return self.seen - self.blank - self.count - self.beside

    def excerpts(self) -> tuple[Excerpt, ...]:
        """Return the first failures."""
        more = self.all_failed > len(self.failed)
        title = f"the first {len(self.failed)} of {self.all_failed:,} that failed" if more else "all that failed"
        return Excerpt.of(title, self.failed)


def sampled(parser: type[StyleParser], style: Style, pattern: re.Pattern[str], sample: Sample) -> Texts | None:
    """Return the columns of the rows in a sample, if there are enough of them and few other lines."""
    lines = sample.short
    _, rows, others = matched(pattern, lines, 1)
    columns = columns_of(pattern, rows)
    odd = sum(not parser.belongs(style, line) for _, line in others)
    return columns if style.allows(len(rows), odd, len(lines)) else None


def _singular(noun: str) -> str:
    return noun.removesuffix("es") if noun.endswith("ches") else noun.removesuffix("s")
