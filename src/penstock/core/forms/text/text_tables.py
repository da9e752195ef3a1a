"""Tables in text: Markdown's, those that databases and libraries draw with lines, and what psql and mysql print.

``items`` has a row for every row of the text, with ``line`` (of its first line), ``section`` (the last line of text
above the table, without hashes) where there are several tables, and the columns of the header. Tables with the same
header are one; others are ``table_2``, ``table_3``, ... in their order. Cells are trimmed, lines of one cell are joined
with a line break, escaped bars are bars; numbers are numbers where ``delimited`` would take them for such.

The text is a table if at least half of its lines belong to tables with one header, or four fifths to any tables: a
document with some tables in it is Markdown. If the text counts the rows itself, another count is a contradiction.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from penstock.core.forms.api import BATCH, LONGEST_LINE, DoesNotHoldError, Excerpt, ParserForm, Sample, Words
from penstock.core.forms.headers import column_names, renamed_columns, renamed_fact
from penstock.core.forms.left_out import PrintedSize, are_dots, printed_size, shown_part
from penstock.core.forms.line_parser import holds
from penstock.core.forms.table_lines import (
    BOX,
    MARKDOWN,
    PSQL,
    Body,
    RuledLine,
    Splitter,
    are_types,
    rule_of,
    unescaped,
)
from penstock.core.forms.text_cells import MOST_CELLS, texts_of, typed
from penstock.core.text import counted, plain

if TYPE_CHECKING:
    from penstock.core.forms.api import Batches, Columns, Lines, Options, Tables

LEAST_ROWS: Final = 3
OF_ONE: Final = 0.5  # of the lines are in tables with one header,
OF_ALL: Final = 0.8  # or in any tables;
SLACK: Final = 0.5  # of these shares is enough in a sample
EARLY: Final = 512  # lines after which the shares are looked at, now and then: a document with tables is told soon,
EARLY_SLACK: Final = 0.8  # if so little of them is reached
UNEVEN: Final = 20  # one row in so many may have another number of cells: no cell is lost, and the rule tells a table
MOST_TABLES: Final = 40  # with different headers; a text with more of them is a document
MOST_HEADER: Final = 4  # lines of a header; more are rows of a table that has none
MOST_AROUND: Final = 6  # lines outside of the tables that are shown
MOST_TOLD: Final = 5  # other tables that are told with their columns,
MOST_NAMES: Final = 8  # of which so many are named

_ODD: Final = (
    ("outside", "line", "of text outside of the tables"),
    ("uneven", "row", "with another number of cells"),
    ("dotted", "line", "of dots in place of rows"),
    ("cut", "cell", "cut by the printer, with … at the end"),
    ("hollow", "row", "with an empty first cell: perhaps the row above goes on there"),
)
_DASHES: Final = "---"  # Polars prints these between the name of a column and its type.
_KINDS: Final = {MARKDOWN: "Markdown table", PSQL: "table as psql prints it", BOX: "table drawn with lines"}


def recognise(sample: Sample) -> Options | None:
    """Return True if the first lines are tables for the most part; the main one is that with most lines."""
    if all(rule_of(line) is None for line in sample.head):
        return None
    tables = TableParser(options={"main": [], "sections": False, "text": [], "slack": SLACK})
    if not holds(tables, sample.head):
        return None
    main = max(tables.kinds.values(), key=lambda kind: kind.lines)
    return {"main": list(main.names), "sections": len(tables.kinds) > 1 or main.parts > 1, "text": []}


@dataclass(slots=True, kw_only=True)
class TableGroup:
    """All tables with one header. ``rows`` and ``numbers`` are of rows that are not given out yet."""

    name: str
    names: tuple[str, ...]
    shape: str  # the kind of its rules
    first: int  # the line of its first header,
    section: str  # and the text above
    renamed: dict[str, str]  # columns with another name than in the header, with that name
    hidden: tuple[int, ...]  # places of columns that the printer left out
    parts: int = 0
    lines: int = 0
    count: int = 0
    dotted: int = 0  # lines of dots in place of rows
    sizes: list[PrintedSize] = field(default_factory=list)  # what the printer tells of the size of each part
    rows: list[list[str]] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    sections: list[str | None] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class TableParser:
    options: Options
    nouns: dict[str, str] = field(default_factory=dict)
    kinds: dict[tuple[str, ...], TableGroup] = field(default_factory=dict)
    open: TableGroup | None = None
    body: Body | None = None  # of the open table, or of the last one: a footer may follow
    last: TableGroup | None = None  # the group of the table that ended last
    opening: RuledLine | None = None  # the upper side of a box whose header is being read,
    header: list[tuple[int, str]] = field(default_factory=list)  # and the lines below it
    above: tuple[int, str] = (0, "")  # the last line of text: it may be the header of the next table
    section: str = ""
    outer_section: str = ""  # the section if that line is a header
    around: list[tuple[int, str]] = field(default_factory=list)
    odd: Counter[str] = field(default_factory=Counter)  # see ``Body``
    footers: int = 0
    size: PrintedSize | None = None  # the size of the next table, if the text tells it before

    def parse(self, lines: Lines) -> Batches:
        if main := self.options["main"]:
            # The main table is the first, whichever comes first in the text.
            context = ("section",) if self.options["sections"] else ()
            yield {"items": {name: [] for name in ("line", *context, *main)}}
        for number, line in enumerate(lines, 1):
            self._read(number, line)
            if self.open and self.body and len(self.body.rows) >= BATCH and not self.body.goes_on:
                yield {self.open.name: self._columns(self.open)}
            if number % EARLY == 0 and not self.open:
                self._check_shares(EARLY_SLACK)
        self._end()
        self._drop_header()
        for kind in self.kinds.values():
            if kind.rows:
                yield {kind.name: self._columns(kind)}
        self._check()

    def _columns(self, kind: TableGroup) -> Columns:
        texts = self.options["text"]
        columns: Columns = {"line": kind.numbers.copy()}
        if self.options["sections"]:
            columns["section"] = [*kind.sections, *[self.section or None] * (len(kind.rows) - len(kind.sections))]
        cells_of = list(zip(*kind.rows, strict=True))
        if not all(are_dots(cells_of[at]) for at in kind.hidden):
            raise DoesNotHoldError("a column with dots for its name")
        for name, raw in zip(
            kind.names, (cells_of[at] for at in range(len(cells_of)) if at not in kind.hidden), strict=True
        ):
            cells = list(map(str.strip, raw))
            columns[name] = texts_of(cells) if name in texts else typed(cells)
        kind.rows.clear()
        kind.numbers.clear()
        kind.sections.clear()
        return columns

    def _check(self) -> None:
        rows = sum(kind.count for kind in self.kinds.values())
        slack = self.options.get("slack", 1)
        if rows < (LEAST_ROWS if slack == 1 else 1) or self.odd["uneven"] * UNEVEN > rows:
            raise DoesNotHoldError("no rows, or rows of different lengths")
        self._check_shares(slack)

    def _check_shares(self, slack: float) -> None:
        """Raise unless enough of the lines so far are in tables."""
        lines = [kind.lines for kind in self.kinds.values()]
        inside = sum(lines) + self.footers
        total = inside + self.odd["outside"]
        if max(lines, default=0) < OF_ONE * slack * total and inside < OF_ALL * slack * total:
            raise DoesNotHoldError("text with tables in it")

    def _read(self, number: int, line: str) -> None:
        if self.open and self.body:
            if self.body.read(number, line):
                return
            self._end()
        rule = rule_of(line)
        if self.opening is not None:
            if self._read_header(self.opening, number, line, rule):
                return
            self._drop_header()
        if rule is None or not self._opens(number, line, rule):
            self._read_text(number, line)

    def _opens(self, number: int, line: str, rule: RuledLine) -> bool:
        """Begin a table with this rule: below its header, or as the upper side of a box."""
        at, header = self.above
        splitter = Splitter.of(header, rule) if at == number - 1 else None
        if splitter is not None and (rule.kind != BOX or line.lstrip()[0] == "|"):
            cells = splitter.cells(header)
            if len(cells) != rule.columns or (len(cells) == 1 and not splitter.is_outer):
                return False
            self.odd["outside"] -= 1
            self.around = [one for one in self.around if one[0] != at]
            self.section = self.outer_section
            self._begin(list(map(unescaped, cells)) if rule.kind == MARKDOWN else cells, splitter, at, 2)
            return True
        if rule.kind == BOX:
            self.opening = rule
        return rule.kind == BOX

    def _read_header(self, opening: RuledLine, number: int, line: str, rule: RuledLine | None) -> bool:
        """Read the header of a box up to the rule below it. A single cell above several columns is a title."""
        if rule is None or rule.kind != BOX:
            splitter = Splitter.of(line, opening)
            self.header.append((number, line))
            if splitter is not None and len(self.header) > MOST_HEADER and not self._has_dashes(splitter):
                width = len(splitter.cells(line))
                lines, self.header = self.header, []
                body = self._begin([f"c{at}" for at in range(1, width + 1)], splitter, lines[0][0], 1)
                for one in lines:
                    body.read(*one)
            return splitter is not None
        rule = max(opening, rule, key=lambda one: one.columns)  # The rule below a header may be without crossings.
        splitter = Splitter.of(self.header[0][1], rule) if self.header else None
        if splitter is None:
            self.opening = rule
            return True
        cells = [splitter.cells(one, rule.columns) for _, one in self.header]
        if len(cells[0]) == 1 < rule.columns:
            self.section, self.opening, self.header = cells[0][0].strip(), rule, []
            return True
        if any(len(one) != len(cells[0]) for one in cells):
            return False
        names, types = _names_and_types(cells)
        body = self._begin(names, splitter, self.header[0][0], len(self.header) + 2)
        body.types = types
        return True

    def _has_dashes(self, splitter: Splitter) -> bool:
        return any(_DASHES in map(str.strip, splitter.cells(line)) for _, line in self.header)

    def _begin(self, header: list[str], splitter: Splitter, number: int, lines: int) -> Body:
        """Begin a table with the texts of its header."""
        self.opening, self.header = None, []
        hidden = tuple(at for at, text in enumerate(header) if are_dots([text]))
        texts = [text for at, text in enumerate(header) if at not in hidden]
        names = column_names(texts)
        key = tuple(names)
        if key not in self.kinds:
            main = tuple(self.options["main"]) or (key if not self.kinds else ())
            others = sum(kind.name != "items" for kind in self.kinds.values())
            self.kinds[key] = TableGroup(
                name="items" if key == main else f"table_{others + 2}",
                names=key,
                shape=splitter.rule.kind,
                first=number,
                section=self.section,
                renamed=renamed_columns(texts, names),
                hidden=hidden,
            )
        kind = self.open = self.kinds[key]
        if len(self.kinds) > MOST_TABLES or not 0 < len(names) <= MOST_CELLS or kind.hidden != hidden:
            raise DoesNotHoldError("too many tables or columns")
        kind.parts += 1
        kind.lines += lines
        self.body = Body(splitter=splitter, width=len(header), rows=kind.rows, numbers=kind.numbers, odd=self.odd)
        self.body.size, self.size = self.size, None
        return self.body

    def _drop_header(self) -> None:
        """Take the upper side of a box that was none, and what followed, for text."""
        if self.opening is not None:
            self.odd["outside"] += 1 + len(self.header)
            self.opening, self.header = None, []

    def _end(self) -> None:
        if self.open and self.body:
            body = self.body
            body.end()
            self.open.lines += body.lines
            self.open.count += body.count
            self.open.dotted += body.dotted
            self.open.sizes += [] if body.size is None else [body.size]
            self.last = self.open
            self.open.sections += [self.section or None] * (len(body.rows) - len(self.open.sections))
            self.open = None

    def _read_text(self, number: int, line: str) -> None:
        text = line[:LONGEST_LINE].strip()
        if not text:
            self.above = (0, "")
            return
        if self.body and self.last and self.body.read_footer(text):
            self.footers += 1
            self.last.sizes += [] if self.body.size is None else [self.body.size]
        elif text.startswith("shape: ") and (size := printed_size(text)) is not None:
            self.footers += 1
            self.size = None if "slack" in self.options else size  # A sample may end before the table.
        else:
            self.odd["outside"] += 1
            self.outer_section, self.section = self.section, text.lstrip("#").strip()
            self.above = (number, line)
            if len(self.around) < MOST_AROUND:
                self.around.append((number, text))
        self.body = None

    def words(self, tables: Tables) -> Words:
        names = {table.name for table in tables}
        kinds = sorted(self.kinds.values(), key=lambda kind: kind.name != "items")
        main, others = kinds[0], [kind for kind in kinds[1:] if kind.name in names]
        parts = f", in {main.parts:,} parts with the same header" if main.parts > 1 else ""
        what = f"a {_KINDS[main.shape]}{parts}: {counted(main.count, 'row')} of {counted(len(main.names), 'column')}"
        if others:
            what += f"; {counted(len(others), 'other table')} of {counted(sum(one.count for one in others), 'row')}"
        size = _sum_of(main.sizes) if len(main.sizes) == main.parts else None
        if part := shown_part(main.count, len(main.names), size, has_dots=main.dotted > 0):
            what += f"; {part}"
        facts = [_table_fact(kind) for kind in others[:MOST_TOLD]]
        facts += [f"{counted(self.odd[key], noun)} {what_of}" for key, noun, what_of in _ODD if self.odd[key]]
        facts += [renamed_fact(main.renamed)] if main.renamed else []
        return Words(what=what, facts=tuple(facts), excerpts=Excerpt.of("text outside of the tables", self.around))


def _names_and_types(header: list[list[str]]) -> tuple[list[str], list[str]]:
    """Return the names in the lines of a header, and the types below them: DuckDB has them in the second line, polars
    below dashes, in each column after the last line of its name."""
    columns = [[line.strip() for line in lines] for lines in zip(*header, strict=True)]
    if all(_DASHES in lines or are_dots(lines) for lines in columns):
        pairs = [" ".join(lines).partition(_DASHES) for lines in columns]
        return [name for name, _, _ in pairs], [kind.strip() for _, _, kind in pairs]
    if len(header) == 2 and are_types(header[1]):
        return header[0], [kind for _, kind in columns]
    return list(map(" ".join, columns)), []


def _sum_of(sizes: list[PrintedSize]) -> PrintedSize:
    return PrintedSize(rows=sum(size.rows for size in sizes), columns=sizes[0].columns)


def _table_fact(kind: TableGroup) -> str:
    place = f"line {kind.first:,}" + (f", under {plain(kind.section)}" if kind.section else "")
    names = [plain(name) for name in kind.names[:MOST_NAMES]]
    names += [f"{len(kind.names) - MOST_NAMES} more"] if len(kind.names) > MOST_NAMES else []
    return f"{kind.name} ({place}): {counted(kind.count, 'row')} of {', '.join(names)}"


FORM: Final = ParserForm(name="text_table", title="a table", looks_like=recognise, make=TableParser)
