"""Lines of tables in text: rules such as ``|---|:-:|``, ``---+---``, ``+----+====+`` and ``├───┼───┤``, and rows with
bars. A rule tells where the columns are; cells are split at the bars, or at the rule's places if a cell has a bar.

A box with rules between its rows has cells over several lines: the lines between two rules are one row if some column
is filled in the first of them only. psql marks a cell that goes on; mysql breaks the line inside a cell.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from penstock.core.forms.api import LONGEST_LINE, DoesNotHoldError
from penstock.core.forms.left_out import PrintedSize, are_dots, printed_size

if TYPE_CHECKING:
    from collections.abc import Iterable

MARKDOWN: Final = "Markdown"
PSQL: Final = "psql"  # rules with crossings, but no lines around the table
BOX: Final = "box"
MOST_CELL_LINES: Final = 200  # lines of one cell

_MARKDOWN = re.compile(r"\|?+(?:[ \t]*+:?+-++:?+[ \t]*+\|)++(?:[ \t]*+:?+-++:?+)?+")
_PSQL = re.compile(r"-++(?:\+-++)++|─++(?:┼─++)++")
_CORNERS: Final = "┌┍┎┏└┕┖┗├┝┞┟┠┡┢┣╒╓╔╘╙╚╞╟╠╭╰"  # A drawn rule begins with one of these.
_BOX = re.compile(rf"\+(?:[-=:]++\+)++|\|-++(?:\+-++)*+\||[{_CORNERS}][─-╿]++")
_CROSSING = re.compile(r"[^-=:─━═\s]")
_BAR = re.compile(r"(?<!\\)\|")
_OTHER_BARS: Final = "┃║┆┇┊┋╎╏"
_BARS: Final = str.maketrans(dict.fromkeys(_OTHER_BARS, "│"))
_FIRST: Final = frozenset(f"|:-+─{_CORNERS}")  # characters that rules begin with
_DOTS: Final = ("·", "…", "...")  # A row of these stands for rows that the printer left out.
# What psql writes at the right end of a cell that goes on in the next line, with bars of ASCII and with drawn ones.
_GOES_ON: Final = {"|": "+", "│": "↵"}
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
# Types that DuckDB and polars print below the names of columns. A cell of the first ones may be empty.
_TEXT_TYPE = re.compile(r"varchar|text|str|string|cat|enum\b.*+|json|blob|binary")
_TYPE = re.compile(
    r"(?:u?(?:tiny|small|big|huge)?int(?:eger)?[0-9]*+|[iuf][0-9]{1,3}|bool(?:ean)?|float|double|date|time|timestamp"
    rf"|datetime|duration|uuid|decimal|interval|struct|map|list|array|object|null|{_TEXT_TYPE.pattern})\b.*+"
)


def are_types(cells: Iterable[str]) -> bool:
    """Return True if all cells of a line name the types of columns. A column that was left out has none."""
    texts = [cell.strip() for cell in cells if not are_dots([cell])]
    return any(texts) and all(not text or _TYPE.fullmatch(text) for text in texts)


def unescaped(text: str) -> str:
    """Return a text of Markdown without the backslashes before signs."""
    return _ESCAPE.sub(r"\1", text)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuledLine:
    """A line between header and rows. ``stops`` are the places of its crossings, both ends included."""

    kind: str
    columns: int
    stops: tuple[int, ...] = ()


def rule_of(line: str) -> RuledLine | None:
    """Return what kind of rule a line is, if it is one."""
    line = line[:LONGEST_LINE].rstrip()
    text = line.lstrip()
    if text[:1] not in _FIRST:
        return None
    if _MARKDOWN.fullmatch(text):
        return RuledLine(kind=MARKDOWN, columns=text.strip("|").count("|") + 1)
    kind = BOX if _BOX.fullmatch(text) else PSQL if _PSQL.fullmatch(text) else ""
    if not kind:
        return None
    stops = [match.start() for match in _CROSSING.finditer(line)]
    if kind == PSQL:
        stops = [len(line) - len(text) - 1, *stops, len(line)]
    return RuledLine(kind=kind, columns=len(stops) - 1, stops=tuple(stops))


@dataclass(frozen=True, slots=True, kw_only=True)
class Splitter:
    """Split the lines of one table into cells: ``bar`` stands between them, and around them if ``is_outer``."""

    rule: RuledLine
    bar: str
    is_outer: bool

    @classmethod
    def of(cls, header: str, rule: RuledLine) -> Splitter | None:
        """Return how to split the lines of a table with such a header; None if it is no header above or between such
        rules."""
        text = header[:LONGEST_LINE].translate(_BARS).strip()
        bar = "│" if "│" in text else "|"
        is_outer = len(text) > 1 and text.startswith(bar) and rule.kind != PSQL
        if bar not in text or (rule.kind == BOX and not (is_outer and text.endswith(bar))):
            return None
        return cls(rule=rule, bar=bar, is_outer=is_outer)

    def is_row(self, line: str) -> bool:
        """Return True if a line may be a row of the table: in a box, one that begins with a bar."""
        if self.rule.kind != BOX:
            return self.bar in line
        text = line.lstrip()
        return text[:1].translate(_BARS) == self.bar

    def is_whole(self, line: str) -> bool:
        """Return True if a row of a box ends in this line: mysql writes the line breaks of a text as they are."""
        text = line.rstrip()
        return self.rule.kind != BOX or text[-1:].translate(_BARS) == self.bar

    def cells(self, line: str, width: int = 0) -> list[str]:
        """Return the cells of a line, not trimmed; ``width`` is how many there should be."""
        if self.bar == "│":
            line = line.translate(_BARS)
        text = line
        if self.is_outer or self.rule.kind == MARKDOWN:  # whose rows may have them or not, each as it likes
            text = line.strip()
            text = text[text.startswith(self.bar) : len(text) - (len(text) > 1 and text.endswith(self.bar))]
        if self.rule.kind == MARKDOWN and "\\|" in text:
            cells = [cell.replace("\\|", "|") for cell in _BAR.split(text)]
        else:
            cells = text.split(self.bar)
        if not width or len(cells) == width:
            return cells
        return self._placed(line, width) or cells

    def simple_cells(self, line: str) -> list[str]:
        """Return the cells of a line in which a bar is a bar, not trimmed: the quick way. None of any other line."""
        if ("\\" if self.rule.kind == MARKDOWN else _GOES_ON[self.bar]) in line or any(dots in line for dots in _DOTS):
            return []
        if not self.is_outer:
            return [] if self.rule.kind == MARKDOWN and line.lstrip().startswith(self.bar) else line.split(self.bar)
        return line[1:-1].split(self.bar) if line[:1] == self.bar == line[-1:] else []

    def goes_on(self, line: str) -> list[bool]:
        """Return which cells of a line are marked as going on in the next one; empty if none is."""
        mark = _GOES_ON[self.bar]
        marks = [line[stop - 1 : stop] == mark for stop in self.rule.stops[1:]] if mark in line else []
        return marks if any(marks) else []

    def _placed(self, line: str, width: int) -> list[str] | None:
        """Return the cells between the places at which the rule has its crossings, if the line has bars there."""
        stops = self.rule.stops
        bars = stops if self.is_outer else stops[1:-1]
        if len(stops) != width + 1 or len(line) <= bars[-1] or any(line[stop] != self.bar for stop in bars):
            return None
        ends = (*stops[1:-1], stops[-1] if self.is_outer else len(line))
        return [line[start + 1 : end] for start, end in zip(stops, ends, strict=False)]


@dataclass(slots=True, kw_only=True)
class Body:
    """The rows of one table below its header. The parser takes them out of ``rows`` and ``numbers`` now and then."""

    splitter: Splitter
    width: int
    rows: list[list[str]]
    numbers: list[int]  # the first line of each row
    count: int = 0  # rows
    lines: int = 0
    # Of all tables: rows that are ``uneven`` or ``hollow`` (without a first cell), lines of dots that stand for rows
    # (``dotted``), cells that the printer ``cut``, and lines of text (``outside``), also those inside a box.
    odd: Counter[str] = field(default_factory=Counter)
    block: list[tuple[int, list[str]]] = field(default_factory=list)  # lines of a box since the last rule
    is_closed: bool = False  # whether the last line was a rule
    is_ruled: bool = False  # whether there is a rule between rows
    is_list: bool = False  # whether every line is a row, in spite of rules
    is_simple: bool = False  # whether the next line is a row, if it has as many cells as there are columns
    broken: list[tuple[int, str]] = field(default_factory=list)  # lines of a row that has not ended
    dotted: int = 0  # lines of dots in this table
    size: PrintedSize | None = None  # the size of this table in the words of its printer
    types: list[str] = field(default_factory=list)  # the types of the columns if the header has them
    is_loose: bool = False  # whether a row has an empty cell in a table whose columns are all texts
    goes_on: list[bool] = field(default_factory=list)  # which cells of the last line go on

    def __post_init__(self) -> None:
        self.is_list = self.is_simple = self.splitter.rule.kind != BOX

    def read(self, number: int, line: str) -> bool:
        """Take a line of the table. False if it is none: the table has ended."""
        if self.count == 1 and self._ends_types(line):
            return True
        if self.is_simple:
            cells = self.splitter.simple_cells(line)
            if len(cells) == self.width > 1 and cells[0].strip():
                self.rows.append(cells)
                self.numbers.append(number)
                self.count += 1
                self.lines += 1
                return True
        if self.broken:
            return self._mend(number, line)
        if self.splitter.rule.kind == BOX and (rule := rule_of(line)) and rule.kind == BOX:
            was_closed, self.is_closed, self.is_simple = self.is_closed, True, False
            self.lines += not was_closed
            return not was_closed
        if not self.splitter.is_row(line):
            return False
        if self.is_closed:
            self.is_closed = False
            self.is_ruled = self.is_ruled or self.width == 1 or len(self.splitter.cells(line, self.width)) > 1
            self._end_block()
        if self.splitter.is_whole(line):
            self._add_line(number, line)
        else:
            self.broken, self.is_simple = [(number, line)], False
        return True

    def end(self) -> None:
        """Give out the last rows. A row that never ended is text."""
        self._end_block()
        self.odd["outside"] += len(self.broken)
        if self.size is not None:
            self._check_size(self.size)
        if self.is_loose and self.dotted:
            raise DoesNotHoldError("rows over several lines")

    def read_footer(self, text: str) -> bool:
        """Compare the number of rows that a line tells with our own; False if it tells none."""
        size = printed_size(text)
        if size is not None:
            self._check_size(size)
            self.size = size
        return size is not None

    def _check_size(self, size: PrintedSize) -> None:
        """Raise if the printer tells another number of rows than there are, and printed no dots for the others."""
        if not size.fits(self.count, has_dots=self.dotted > 0):
            raise DoesNotHoldError("another number of rows than the text tells")

    def _ends_types(self, line: str) -> bool:
        """Return True if a line is a second rule of Markdown: polars prints the types of columns above it."""
        rule = rule_of(line) if self.splitter.rule.kind == MARKDOWN else None
        if rule != self.splitter.rule or not are_types(self.rows[-1]):
            return False
        self.types = list(map(str.strip, self.rows.pop()))
        self.numbers.pop()
        self.count -= 1
        self.lines += 1
        return True

    def _mend(self, number: int, line: str) -> bool:
        """Put a row together that has line breaks in a cell."""
        if len(self.broken) > MOST_CELL_LINES:
            return False
        self.broken.append((number, line))
        if self.splitter.is_whole(line):
            self.lines += len(self.broken) - 1
            row, self.broken = self.broken, []
            self._add_line(row[0][0], "\n".join(one for _, one in row))
        return True

    def _add_line(self, number: int, line: str) -> None:
        self.lines += 1
        cells = self.splitter.cells(line, self.width)
        if self.goes_on and self._extend(cells):
            pass
        elif self.splitter.rule.kind != BOX:
            self._add_row(number, cells)
        elif len(cells) == 1 < self.width:
            self._end_block()
            self.odd["outside"] += not self.read_footer(cells[0])
        else:
            self.block.append((number, cells))
            self.is_list = self.is_list or len(self.block) > MOST_CELL_LINES
            if self.is_list:
                self._end_block()
        self.goes_on = self.splitter.goes_on(line)
        self.is_simple = self.is_list and not self.goes_on

    def _extend(self, cells: list[str]) -> bool:
        """Add to the cells of the last row that go on, if all other cells are empty."""
        if any(cell.strip() and not on for on, cell in zip(self.goes_on, cells, strict=False)):
            return False
        last = self.block[-1][1] if self.block else self.rows[-1]
        for at, on in enumerate(self.goes_on[: len(cells)]):
            if on:
                last[at] = f"{last[at].rstrip()[:-1].strip()}\n{cells[at].strip()}"
        return True

    def _end_block(self) -> None:
        """Give out the lines of a box between two rules, as one row or as several."""
        block, self.block = self.block, []
        if len(block) > 1 and self.is_ruled and not self.is_list:
            columns = list(zip(*(cells for _, cells in block), strict=False))
            if any(first.strip() and not "".join(others).strip() for first, *others in columns):
                self._add_row(block[0][0], ["\n".join(map(str.strip, column)) for column in columns])
                return
        self.is_list = self.is_list or len(block) > 1
        for number, cells in block:
            self._add_row(number, cells)

    def _add_row(self, number: int, cells: list[str]) -> None:
        if are_dots(cells):
            self.odd["dotted"] += 1
            self.dotted += 1
            return
        if len(cells) != self.width:
            self.odd["uneven"] += 1
            last = self.width - 1
            cells = [*cells[:last], self.splitter.bar.join(cells[last:]), *[""] * (last - len(cells))]
        self.odd["hollow"] += self.splitter.rule.kind == BOX and not cells[0].strip()
        self.odd["cut"] += sum(len(text) > 1 and text.endswith("…") for text in map(str.strip, cells))
        self._check_filled(cells)
        self.rows.append(cells)
        self.numbers.append(number)
        self.count += 1

    def _check_filled(self, cells: list[str]) -> None:
        """Raise if a number is missing in a table that tells its types. Its printer writes null; an empty cell shows
        that the line continues the row above it. If all columns are texts, ``end`` decides."""
        pairs = list(zip(self.types, map(str.strip, cells), strict=False))
        if any(name and not cell and not _TEXT_TYPE.fullmatch(name) for name, cell in pairs):
            raise DoesNotHoldError("rows over several lines")
        is_text = all(_TEXT_TYPE.fullmatch(name) for name in self.types if name)
        self.is_loose = self.is_loose or (is_text and any(not cell for _, cell in pairs))
