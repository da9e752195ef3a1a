"""Lines of tables in text: rules such as ``|---|:-:|``, ``---+---``, ``+----+====+`` and ``├───┼───┤``, and rows with
bars. A rule tells where the columns are; cells are split at the bars, or at the rule's places if a cell has a bar."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.core.forms.text_form import LONGEST_LINE

if TYPE_CHECKING:
    from collections.abc import Iterable

LONG_NAME: Final = 80  # characters of a column's name
MARKDOWN: Final = "Markdown"
PSQL: Final = "psql"  # rules with crossings, but no lines around the table
BOX: Final = "box"

_MARKDOWN = re.compile(r"\|?+(?:[ \t]*+:?+-++:?+[ \t]*+\|)++(?:[ \t]*+:?+-++:?+)?+")
_PSQL = re.compile(r"-++(?:\+-++)++|─++(?:┼─++)++")
_BOX = re.compile(r"\+(?:[-=:]++\+)++|\|-++(?:\+-++)*+\||[┌├└┏┣┗┡┢┠┝╔╠╚╟╞╒╘╓╙╭╰][─-╿]++")
_CROSSING = re.compile(r"[^-=:─━═\s]")
_BAR = re.compile(r"(?<!\\)\|")
_BARS: Final = str.maketrans("┃║", "││")
_FIRST: Final = frozenset("|:-+─┌├└┏┣┗┡┢┠┝╔╠╚╟╞╒╘╓╙╭╰")  # characters that rules begin with
# What psql writes at the right end of a cell that goes on in the next line, with bars of ASCII and with drawn ones.
_GOES_ON: Final = {"|": "+", "│": "↵"}


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


def column_names(header: Iterable[str]) -> list[str]:
    """Make names for columns: the texts of the header, each but once, and none that a table in text has beside
    them."""
    names: list[str] = []
    taken = {"line": 1, "section": 1}  # times that each name was wanted
    for at, text in enumerate(header, 1):
        base = name = " ".join(text.split())[:LONG_NAME] or f"c{at}"
        while name.lower() in taken:
            taken[base.lower()] += 1
            name = f"{base}_{taken[base.lower()]}"
        taken[name.lower()] = 1
        names.append(name)
    return names


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
        is_outer = len(text) > 1 and text.startswith(bar)
        if bar not in text or (rule.kind == BOX and not (is_outer and text.endswith(bar))):
            return None
        return cls(rule=rule, bar=bar, is_outer=is_outer)

    def is_row(self, line: str) -> bool:
        """Tell whether a line may be a row of the table: in a box, one that begins with a bar."""
        if self.rule.kind != BOX:
            return self.bar in line
        text = line.lstrip()
        return text.startswith(self.bar) or (self.bar == "│" and text[:1] in ("┃", "║"))

    def is_whole(self, line: str) -> bool:
        """Tell whether a row of a box ends in this line: mysql writes the line breaks of a text as they are."""
        text = line.rstrip()
        return self.rule.kind != BOX or text.endswith(self.bar) or (self.bar == "│" and text[-1:] in ("┃", "║"))

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
        if ("\\" if self.rule.kind == MARKDOWN else _GOES_ON[self.bar]) in line or (self.bar == "│" and "·" in line):
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
