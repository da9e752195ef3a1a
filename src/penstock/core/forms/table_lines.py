"""Shared by forms with drawn tables: rules such as ``|---|:-:|``, ``---+---``, ``+----+====+`` and ``├───┼───┤``, and
the rows between bars.

A rule tells where the columns are; cells are split at the bars, or at the places of the rule if a cell has a bar in it.
A box with rules between its rows has cells over several lines: the lines between two rules are one row if some column
is filled in the first of them only. psql marks a cell that goes on in the next line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from penstock.core.forms.api import LONGEST_LINE
from penstock.core.forms.around_table import are_dots

if TYPE_CHECKING:
    from penstock.core.forms.around_table import AroundTable

MARKDOWN: Final = "Markdown"
PSQL: Final = "psql"  # rules with crossings, but no lines around the table
BOX: Final = "box"
MAX_CELL_LINES: Final = 200  # Lines of one cell. More lines between two rules are rows.

_MARKDOWN = re.compile(r"\|?+(?:[ \t]*+:?+-++:?+[ \t]*+\|)++(?:[ \t]*+:?+-++:?+)?+")
_PSQL = re.compile(r"-++(?:\+-++)++|─++(?:┼─++)++")
_CORNERS: Final = "┌┍┎┏└┕┖┗├┝┞┟┠┡┢┣╒╓╔╘╙╚╞╟╠╭╰"  # A drawn rule begins with one of these.
_BOX = re.compile(rf"\+(?:[-=:]++\+)++|[{_CORNERS}][─-╿]++")
_CROSSING = re.compile(r"[^-=:─━═\s]")
_FIRST: Final = frozenset(f"|:-+─{_CORNERS}")  # characters that rules begin with
_BAR = re.compile(r"(?<!\\)\|")
_DRAWN_BARS: Final = "│┃║┆┇┊┋╎╏"
_OTHER_BARS: Final = str.maketrans(dict.fromkeys(_DRAWN_BARS, "│"))
_GOES_ON: Final = {"|": "+", "│": "↵"}  # at the right end of a cell that psql continues in the next line


@dataclass(frozen=True, slots=True, kw_only=True)
class RuledLine:
    """A line between header and rows. ``stops`` are the places of its crossings, both ends included."""

    kind: str
    width: int  # columns
    stops: tuple[int, ...] = ()


def rule_of(line: str) -> RuledLine | None:
    """Return the rule that a line is; None if it is another line."""
    line = line[:LONGEST_LINE].rstrip()
    text = line.lstrip()
    if text[:1] not in _FIRST:
        return None
    if _MARKDOWN.fullmatch(text):
        return RuledLine(kind=MARKDOWN, width=text.strip("|").count("|") + 1)
    kind = BOX if _BOX.fullmatch(text) else PSQL if _PSQL.fullmatch(text) else ""
    if not kind:
        return None
    stops = [match.start() for match in _CROSSING.finditer(line)]
    if kind == PSQL:
        stops = [len(line) - len(text) - 1, *stops, len(line)]
    return RuledLine(kind=kind, width=len(stops) - 1, stops=tuple(stops))


@dataclass(slots=True, kw_only=True)
class DrawnTable:
    """One table below its header. It reads its own lines, and ends before the first line that is none of them."""

    rule: RuledLine
    bar: str
    bars: str  # this bar, and others that may be drawn in its place
    has_edges: bool  # Bars are around the rows, too.
    around: AroundTable
    rows: list[list[str]] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)  # the first line of each row
    block: int = 0  # rows since the last rule of a box
    is_closed: bool = False  # The last line was a rule.
    has_rules: bool = False  # Rules are between rows.
    is_list: bool = False  # Every line is a row, in spite of rules.
    goes_on: list[int] = field(default_factory=list)  # the columns of the last row that continue in the next line

    @classmethod
    def below(cls, header: str, rule: RuledLine, around: AroundTable) -> DrawnTable | None:
        """Return the table with this header and rule; None if it is not a header."""
        text = header[:LONGEST_LINE].translate(_OTHER_BARS).strip()
        bar = "│" if "│" in text else "|"
        has_edges = rule.kind != PSQL and text.startswith(bar) and (text.endswith(bar) or rule.kind == MARKDOWN)
        if bar not in text or (not has_edges and (rule.kind == BOX or rule.width == 1)):
            return None
        bars = _DRAWN_BARS if bar == "│" else bar
        return cls(rule=rule, bar=bar, bars=bars, has_edges=has_edges, around=around)

    def read(self, number: int, line: str) -> bool:
        """Take a line of the table. Return False if it is none: the table has ended."""
        if self.rule.kind == BOX:
            text = line.strip()
            if not text or text[0] not in self.bars:
                was_closed, self.is_closed = self.is_closed, rule_of(line) is not None
                return self.is_closed and not was_closed
            if text[-1] not in self.bars:
                return False
        elif self.bar not in line or ("---" in line and rule_of(line) is not None):
            return False
        cells = self.cells(line)
        if len(cells) == 1 < self.rule.width and self.rule.kind == BOX:
            self.around.add(number, cells[0])
            return True
        if self.is_closed:
            self.is_closed, self.has_rules = False, True
            self.end_block()
        self._add(number, line, cells)
        return True

    def cells(self, line: str) -> list[str]:
        """Return the cells of a line, trimmed."""
        if self.bar == "│":
            line = line.translate(_OTHER_BARS)
        text, has_edges = line, self.has_edges
        if self.rule.kind == MARKDOWN:  # whose rows may have bars around them or not, each as it likes
            has_edges = line.lstrip().startswith(self.bar) or line.count(self.bar) >= self.rule.width
        if has_edges:
            text = line.strip()
            text = text[text.startswith(self.bar) : len(text) - (len(text) > 1 and text.endswith(self.bar))]
        cells = text.split(self.bar)
        if self.rule.kind == MARKDOWN and "\\|" in text:
            cells = [cell.replace("\\|", "|") for cell in _BAR.split(text)]
        elif len(cells) != self.rule.width:
            cells = self._placed(line) or cells
        return list(map(str.strip, cells))

    def _placed(self, line: str) -> list[str]:
        """Return the cells between the places at which the rule has its crossings, if the line has bars there."""
        stops = self.rule.stops
        bars = stops if self.has_edges else stops[1:-1]
        if not bars or len(line) <= bars[-1] or any(line[stop] != self.bar for stop in bars):
            return []
        ends = (*stops[1:-1], stops[-1] if self.has_edges else len(line))
        return [line[start + 1 : end] for start, end in zip(stops, ends, strict=False)]

    def _add(self, number: int, line: str, cells: list[str]) -> None:
        """Add a row, or a further line of the last one."""
        width = self.rule.width
        if self.goes_on and not any(cell for at, cell in enumerate(cells) if at not in self.goes_on):
            for at in self.goes_on:
                self.rows[-1][at] = f"{self.rows[-1][at][:-1].strip()}\n{cells[at]}"
        elif (".." in line or not line.isascii()) and are_dots(cells):
            self.around.dots += 1
        else:
            if len(cells) != width:
                self.around.uneven += 1
                last = width - 1
                cells = [*cells[:last], f" {self.bar} ".join(cells[last:]), *[""] * (last - len(cells))]
            self.rows.append(cells)
            self.numbers.append(number)
            self.block += 1
        mark = _GOES_ON[self.bar]
        stops = enumerate(self.rule.stops[1:])
        self.goes_on = [at for at, stop in stops if line[stop - 1 : stop] == mark] if mark in line else []

    def end_block(self) -> None:
        """Make one row of the lines between two rules if some column is filled in the first of them only."""
        start, size = len(self.rows) - self.block, self.block
        self.block = 0
        self.is_list = self.is_list or size > MAX_CELL_LINES
        if self.has_rules and size > 1 and not self.is_list:
            columns = list(zip(*self.rows[start:], strict=True))
            self.is_list = not any(first and not any(others) for first, *others in columns)
            if not self.is_list:
                self.rows[start:] = [["\n".join(column).strip() for column in columns]]
                del self.numbers[start + 1 :]

    def take(self, *, every: bool) -> tuple[list[int], list[list[str]]]:
        """Take out the rows that no further line belongs to; or ``every`` one, as the table has ended."""
        if every:
            self.end_block()
        waiting = self.block if self.rule.kind == BOX and self.block <= MAX_CELL_LINES else bool(self.goes_on)
        end = len(self.rows) - (0 if every else waiting)
        taken = self.numbers[:end], self.rows[:end]
        self.numbers, self.rows = self.numbers[end:], self.rows[end:]
        return taken
