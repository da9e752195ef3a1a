"""Tables in text: Markdown's, those that are drawn with lines, and what psql prints.

Servers that return it: MarkItDown, Firecrawl and other converters to Markdown, Jupyter servers (tables of tabulate,
pandas and polars), MotherDuck (the boxes of DuckDB).

``items`` has a row for every row of the text, with ``line`` (of its first line) and the columns of the header. Tables
with the same header are one table; then ``section`` has the last line of text above each part. Tables with other
headers are ``table_2``, ``table_3``, ... The text is a table if half of its lines are in tables; else it is Markdown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import repeat
from typing import TYPE_CHECKING, Final

from penstock.core.forms.api import BATCH, DoesNotHoldError, ParserForm, Sample, Words
from penstock.core.forms.around_table import AroundTable, are_dots, printed_size
from penstock.core.forms.headers import name_columns, renamed_fact
from penstock.core.forms.line_parser import facts, holds
from penstock.core.forms.table_lines import BOX, MARKDOWN, PSQL, DrawnTable, RuledLine, rule_of
from penstock.core.forms.text_cells import MAX_COLUMNS, texts_of, typed
from penstock.core.text import counted, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.core.forms.api import Batches, Columns, Lines, Options, Tables

MIN_ROWS: Final = 3  # Rows of a table. A smaller one is read as text.
MIN_SHARE: Final = 0.5  # Share of the lines that are in tables. Half of it is enough in a sample.
EARLY: Final = 2_048  # Lines after which the share is checked, so that a long document is not read twice as a whole.
MIN_EARLY: Final = 0.8  # A text is no table if at one of these checks it has less than 0.8 of the share.
MAX_TABLES: Final = 40  # Tables with different headers. A text with more of them is a document.
MAX_HEADER: Final = 8  # Lines of a header. A box with more lines above its first rule has none.
MAX_UNEVEN_RATIO: Final = 20  # One row in so many may have another number of cells: the rule shows that it is a table.
MAX_SECTION: Final = 200  # Characters of the line above a table that the column ``section`` has.
MAX_OTHERS: Final = 5  # Other tables whose columns are listed, each with at most MAX_NAMES of them.
MAX_NAMES: Final = 8

_KINDS: Final = {MARKDOWN: "Markdown table", PSQL: "table as psql prints it", BOX: "table drawn with lines"}
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_DASHES: Final = "---"  # Polars prints these between the name of a column and its type.
# Types that DuckDB prints in the last line of a header. Cells of the first ones may be empty; others are null.
_TEXT_TYPE = re.compile(r"varchar|text|str|string|cat|enum\b.*+|json|blob|binary")
_TYPE = re.compile(
    r"(?:u?(?:tiny|small|big|huge)?int(?:eger)?[0-9]*+|bool(?:ean)?|float|double|date|time|timestamp|uuid|decimal"
    rf"|interval|struct|map|{_TEXT_TYPE.pattern})\b.*+"
)


def recognise(sample: Sample) -> Options | None:
    """Return the columns of the main table, which is the one with most rows, if the first lines are tables."""
    if all(rule_of(line) is None for line in sample.head):
        return None
    parser = TableParser(options={"main": [], "sections": False, "share": MIN_SHARE / 2})
    if not holds(parser, sample.head):
        return None
    main = max(parser.groups.values(), key=lambda group: group.count)
    return {"main": list(main.names), "sections": main.parts > 1, "share": MIN_SHARE}


@dataclass(slots=True, kw_only=True)
class TableGroup:
    """All tables with one header."""

    name: str
    names: tuple[str, ...]
    renamed: dict[str, str]
    shown: list[int]  # places of columns, without those of dots that the printer left out
    filled: list[int]  # places of columns whose type has no empty cells
    shape: str  # the kind of its rules
    first: int  # the line of its first header,
    section: str  # and the text above
    parts: int = 0
    count: int = 0


@dataclass(slots=True, kw_only=True)
class TableParser:
    options: Options
    nouns: dict[str, str] = field(default_factory=dict)
    around: AroundTable = field(default_factory=AroundTable)
    groups: dict[tuple[str, ...], TableGroup] = field(default_factory=dict)
    table: DrawnTable | None = None  # that is being read,
    group: TableGroup | None = None  # and its group
    top: RuledLine | None = None  # the upper side of a box whose header is being read,
    header: list[tuple[int, str]] = field(default_factory=list)  # and the lines below it
    above: tuple[int, str] = (0, "")  # the last line of text: it may be the header of a table
    section: str = ""
    outer_section: str = ""  # the section if that line is a header
    inside: int = 0  # lines of tables
    outside: int = 0
    hollow: int = 0  # rows of boxes with an empty first cell
    cut: int = 0  # cells that end with the mark of a cut

    def parse(self, lines: Lines) -> Batches:
        if main := self.options["main"]:
            # The main table is the first, whichever comes first in the text.
            context = ("section",) if self.options["sections"] else ()
            yield {"items": {name: [] for name in ("line", *context, *main)}}
        number = 0
        for number, line in enumerate(lines, 1):
            if self.table is not None:
                if self.table.read(number, line):
                    self.inside += 1
                    if len(self.table.rows) >= BATCH:
                        yield from self._take(every=False)
                    continue
                yield from self._take(every=True)
            self._read(number, line)
            if number % EARLY == 0:
                self._check_share(MIN_EARLY)
        yield from self._take(every=True)
        self._drop_header()
        self._check()

    def _take(self, *, every: bool) -> Batches:
        """Yield the rows of the open table, which has ended if it is ``every`` row."""
        if self.table is None or self.group is None:
            return
        table, group = self.table, self.group
        numbers, rows = table.take(every=every)
        self.table = None if every else table
        if rows:
            group.count += len(rows)
            cells = list(zip(*rows, strict=True))
            if not all(are_dots(column) for at, column in enumerate(cells) if at not in group.shown):
                raise DoesNotHoldError("a column with dots for its name")
            if any("" in cells[at] for at in group.filled):
                raise DoesNotHoldError("rows over several lines")
            self.hollow += cells[0].count("") if table.rule.kind == BOX else 0
            columns: Columns = {"line": numbers}
            columns |= {"section": [self.section or None] * len(numbers)} if self.options["sections"] else {}
            texts = self.options.get("text", ())
            for name, at in zip(group.names, group.shown, strict=True):
                self.cut += sum(map(str.endswith, cells[at], repeat("…"))) - cells[at].count("…")
                columns[name] = texts_of(cells[at]) if name in texts else typed(cells[at])
            yield {group.name: columns}

    def _check(self) -> None:
        rows = sum(group.count for group in self.groups.values())
        if rows < MIN_ROWS or self.around.uneven * MAX_UNEVEN_RATIO > rows:
            raise DoesNotHoldError("no rows, or rows of different lengths")
        self._check_share()
        if self.options["main"]:  # A sample may end before its table does.
            self.around.check(rows, sum(group.parts for group in self.groups.values()))

    def _check_share(self, part: float = 1.0) -> None:
        """Raise unless at least this part of the share of lines that a table needs are in tables so far."""
        if self.inside < part * self.options["share"] * (self.inside + self.outside):
            raise DoesNotHoldError("text with tables in it")

    def _read(self, number: int, line: str) -> None:
        """Take a line that is in no table: it may begin one."""
        rule = rule_of(line)
        if self.top is not None:
            if self._read_header(self.top, number, line, rule):
                return
            self._drop_header()
        if rule is not None and rule.kind == BOX:
            self.top = rule
        elif rule is None or not self._opens(number, rule):
            self._read_text(number, line)

    def _opens(self, number: int, rule: RuledLine) -> bool:
        """Begin a table with this rule if its header is the line above."""
        at, header = self.above
        table = DrawnTable.below(header, rule, self.around) if at == number - 1 else None
        if table is None or len(cells := table.cells(header)) != rule.width:
            return False
        self.outside -= 1
        self.around.remove(at)
        self.section = self.outer_section
        names = [_ESCAPE.sub(r"\1", cell) if rule.kind == MARKDOWN else cell for cell in cells]
        self._begin(names, [""] * len(names), table, at)
        return True

    def _read_header(self, top: RuledLine, number: int, line: str, rule: RuledLine | None) -> bool:
        """Read the header of a box up to the rule below it. A single cell above several columns is a title."""
        if rule is None or rule.kind != BOX:
            self.header.append((number, line))
            return DrawnTable.below(line, top, self.around) is not None and len(self.header) <= MAX_HEADER
        rule = max(top, rule, key=lambda one: one.width)  # The rule below a header may be without crossings.
        table = DrawnTable.below(self.header[0][1], rule, self.around) if self.header else None
        if table is None:
            self.top = rule
            return True
        lines = [table.cells(one) for _, one in self.header]
        if len(lines[0]) == 1 < rule.width:
            self.section, self.top, self.header = lines[0][0], rule, []
            return True
        if any(len(cells) != rule.width for cells in lines):
            return False
        self._begin(*_names_and_types(lines), table, self.header[0][0])
        return True

    def _begin(self, header: list[str], types: list[str], table: DrawnTable, number: int) -> None:
        """Begin a table with the texts of its header, in which the types of columns may be."""
        self.inside += 2 + len(self.header)
        self.top, self.header, self.table = None, [], table
        shown = [at for at, text in enumerate(header) if not are_dots([text])]
        taken = ("line", "section") if self.options["sections"] else ("line",)
        names, renamed = name_columns([header[at] for at in shown], taken)
        key = tuple(names)
        if key not in self.groups:
            main = tuple(self.options["main"]) or (key if not self.groups else ())
            others = sum(group.name != "items" for group in self.groups.values())
            self.groups[key] = TableGroup(
                name="items" if key == main else f"table_{others + 2}",
                names=key,
                renamed=renamed,
                shown=shown,
                filled=[at for at, kind in enumerate(types) if kind and not _TEXT_TYPE.fullmatch(kind)],
                shape=table.rule.kind,
                first=number,
                section=self.section,
            )
        self.group = self.groups[key]
        self.group.parts += 1
        if len(self.groups) > MAX_TABLES or not 0 < len(names) <= MAX_COLUMNS or self.group.shown != shown:
            raise DoesNotHoldError("too many tables or columns")

    def _drop_header(self) -> None:
        """Take the upper side of a box, and the lines below it, for text."""
        if self.top is not None:
            self.outside += 1 + len(self.header)
            self.top, self.header = None, []

    def _read_text(self, number: int, line: str) -> None:
        if line and not line.isspace():
            self.around.add(number, line)
            if printed_size(line) is None:
                self.outside += 1
                self.outer_section, self.section = self.section, line[:MAX_SECTION].strip().lstrip("#").strip()
                self.above = (number, line)

    def words(self, tables: Tables) -> Words:
        names = {table.name for table in tables}
        main, *others = sorted(self.groups.values(), key=lambda group: group.name != "items")
        others = [group for group in others if group.name in names]
        parts = f", in {main.parts:,} parts with the same header" if main.parts > 1 else ""
        more = [_described(group) for group in others[:MAX_OTHERS]]
        rows = sum(group.count for group in others)
        more += facts(
            (len(others) > MAX_OTHERS, f"other tables: {len(others):,} of {counted(rows, 'row')}"),
            (self.cut, f"{counted(self.cut, 'cell')} cut by the printer, with … at the end"),
            (
                self.hollow,
                f"{counted(self.hollow, 'row')} with an empty first cell: perhaps the row above goes on there",
            ),
        )
        what = f"a {_KINDS[main.shape]}{parts}"
        return self.around.words(what, main.count, len(main.names), renamed=main.renamed, facts=more)


def _names_and_types(lines: Sequence[Sequence[str]]) -> tuple[list[str], list[str]]:
    """Return the names in the lines of a header, and the types of columns, if they are below: polars has dashes above
    a type."""
    columns = list(zip(*lines, strict=True))
    names = [" ".join(filter(None, column)) for column in columns]
    if all(_DASHES in column or are_dots(column) for column in columns):
        pairs = [name.partition(_DASHES) for name in names]
        return [name.strip() for name, _, _ in pairs], [kind.strip() for _, _, kind in pairs]
    types = ["" if are_dots([cell]) else cell for cell in lines[-1]]
    if len(lines) > 1 and any(types) and all(not kind or _TYPE.fullmatch(kind) for kind in types):
        return [" ".join(filter(None, column[:-1])) for column in columns], types
    return names, [""] * len(names)


def _described(group: TableGroup) -> str:
    place = f"line {group.first:,}" + (f", under {plain(group.section)}" if group.section else "")
    names = [plain(name) for name in group.names[:MAX_NAMES]]
    names += [f"+{counted(len(group.names) - MAX_NAMES, 'column')}"] if len(group.names) > MAX_NAMES else []
    text = f"{group.name} ({place}): {counted(group.count, 'row')} of {', '.join(names)}"
    return f"{text}; {renamed_fact(group.renamed)}" if group.renamed else text


FORM: Final = ParserForm(name="text_table", title="a table", looks_like=recognise, make=TableParser)
