"""Parse the lines that a model reads into tallies, ranges, cross-tabulations and rows.

The parser accepts more than one wording: ``13 more`` and ``+13 values``, ``absent ×3`` and ``null ×3``, ``1 .. 9`` and
``1 to 9``, ``always: state open`` and ``constant: state=open``. It ignores a line that it does not understand, and it
drops a value that was cut, so a doubt never settles a question.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from bench.answers_parts.judge import First

    Matches = Callable[[str], bool]

CUT: Final = "…"  # The gate escapes this sign in data, so it always marks a value that was cut.
_ABSENT = re.compile(r"(?:^|, | · )(?:absent|null|missing|null or missing) ×([\d,]+)$")
_COUNTED = re.compile(r"([^×]+) ×([\d,]+)")
_MORE = re.compile(r"…|\+[\d,]+(?: \w+)?|[\d,]+ more(?: \w+)?")
_TYPES = re.compile(r"\w+(?:\|\w+)+, ")
_ITEMS = re.compile(r"[^×·]*\b(?:in all|total)(?:, by (?P<by>[^×·:]+))?: ")
_VALUE = r'"[^"]*"|[^\s,·"–]+'
_RANGE = re.compile(
    rf"(?:numbers in text, |numeric strings )?(?P<least>{_VALUE})(?: ?\.\. ?| ?– ?| to )(?P<greatest>{_VALUE})"
    r"(?=$|,| ·| \()"
)
_CONSTANT = re.compile(r" · |, (?=[^\s=]+=)")
_MATRIX = re.compile(r"(.+) by (.+) \((.+)\)")
_WHERE = re.compile(r"where (.+?)=(.+), by (.+)")
_BY = re.compile(r"(.+) by (.+)")
_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|\S+')


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The values of a column. A count is None if the line does not say how many rows have the value."""

    counts: dict[str, int | None]
    is_complete: bool  # True if the line lists every value of the column, and none of them is cut
    absent: int = 0
    line: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cross:
    """Counts of two columns together. ``across`` has the values that every part counts, or None if that is all of them.

    The wording does not say which column's values come first, so ``count`` tries both orders."""

    columns: frozenset[str]
    counts: dict[tuple[str, str], int]
    across: frozenset[str] | None
    is_complete: bool
    line: str = ""

    def count(self, one: Matches, other: Matches) -> int | None:
        """Return the count for two values, or None if the line does not state exactly one."""
        matches = [n for (a, b), n in self.counts.items() if (one(a) and other(b)) or (one(b) and other(a))]
        if len(matches) == 1:
            return matches[0]
        is_counted = self.across is None or any(one(value) or other(value) for value in self.across)
        return 0 if not matches and self.is_complete and is_counted else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """The least and the greatest value of a column."""

    least: str
    greatest: str
    line: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row that is shown. It has no cell for a column that is not shown or whose value is cut."""

    cells: dict[str, str]
    line: str = ""


@dataclass(slots=True, kw_only=True)
class Read:
    """Everything that a text states about the rows of one table. ``total`` is their number."""

    total: int | None = None
    tallies: dict[str, Tally] = field(default_factory=dict)
    ranges: dict[str, Range] = field(default_factory=dict)
    crosses: list[Cross] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    constants: list[tuple[str, str]] = field(default_factory=list)  # parts, each with the line that has it

    @property
    def has_all_rows(self) -> bool:
        return self.total is not None and len(self.rows) == self.total

    def tally(self, column: str) -> Tally | None:
        """Return the values of a column, also if the text says that it is constant."""
        if column in self.tallies:
            return self.tallies[column]
        for part, line in self.constants:
            if part.startswith((f"{column}=", f"{column} ")) and CUT not in part:
                return Tally(counts={unquoted(part[len(column) + 1 :]): self.total}, is_complete=True, line=line)
        return None

    def constant(self, column: str) -> str | None:
        """Return the value that all rows have in a column, or None if there is no such value."""
        tally = self.tally(column)
        if tally is None or not tally.is_complete or tally.absent or len(tally.counts) != 1:
            return None
        return next(iter(tally.counts))


def read_first(first: First) -> Read:
    """Return what a notice and its preview state."""
    total = re.match(r"([\d,]+) ", first.message)
    read = Read(total=None if total is None else _int(total[1]))
    read_lines(read, first.preview.split("\n"))
    return read


def read_lines(read: Read, lines: Iterable[str]) -> None:
    """Add what lines of facts and rows state."""
    header: list[str] = []
    for line in lines:
        cells = line.split("|")
        if header and len(cells) == len(header):
            readable = {name: unquoted(cell) for name, cell in zip(header, cells, strict=True) if CUT not in cell}
            read.rows.append(Row(cells=readable, line=line))
            continue
        header = [unquoted(name) for name in cells] if len(cells) > 1 and ": " not in line else []
        if not header:
            for part in re.split(r" {4,}", line):
                _read_fact(read, part)


def _read_fact(read: Read, line: str) -> None:
    label, body = _split_label(line)
    if not body:
        return
    if label in ("always", "constant"):
        read.constants += [(part, line) for part in _CONSTANT.split(body)]
        return
    if (matrix := _MATRIX.fullmatch(label)) is not None:
        _read_matrix(read, line, matrix, body)
        return
    name, tally = _tally_of(label, body, line)
    if tally is not None:
        read.tallies.setdefault(name, tally)
        _read_by(read, label, tally)
    elif (ends := _RANGE.match(body)) is not None:
        read.ranges.setdefault(
            name, Range(least=unquoted(ends["least"]), greatest=unquoted(ends["greatest"]), line=line)
        )


def _split_label(line: str) -> tuple[str, str]:
    """Return the label of a line and the text after its colon. A label in quotes may contain a colon."""
    if line.startswith('"'):
        try:
            label, end = json.JSONDecoder().raw_decode(line)
        except ValueError:
            return "", ""
        return (label, line[end + 2 :]) if line[end : end + 2] == ": " else ("", "")
    label, _, body = line.partition(": ")
    return label, body


def _tally_of(label: str, body: str, line: str) -> tuple[str, Tally | None]:
    """Return the column that a line is about, and its values if the line lists them with counts."""
    absent = _ABSENT.search(body)
    body = body if absent is None else body[: absent.start()]
    body = _TYPES.sub("", body, count=1) if _TYPES.match(body) else body
    items = _ITEMS.match(body)
    if items is not None:
        body = body[items.end() :]
        label = f"{label}.{items['by']}" if items["by"] else label
    counts: dict[str, int | None] = {}
    is_complete = True
    for part in body.split(" · "):
        counted = _COUNTED.fullmatch(part)
        if counted is None and _MORE.fullmatch(part) is None:
            return label, None
        if counted is None or CUT in counted[1]:
            is_complete = False
        else:  # Two items of one row may be equal, so a count of items is not a count of rows.
            counts[unquoted(counted[1])] = None if items is not None else _int(counted[2])
    if not counts:
        return label, None
    missing = 0 if absent is None else _int(absent[1])
    return label, Tally(counts=counts, is_complete=is_complete, absent=missing, line=line)


def _read_by(read: Read, label: str, tally: Tally) -> None:
    """Add the counts of ``state open by author: ...`` and of ``where state=open, by author: ...``."""
    if (where := _WHERE.fullmatch(label)) is not None:
        heads, by = [(where[1], where[2])], where[3]
    elif (plain := _BY.fullmatch(label)) is not None:
        words = plain[1].split(" ")  # A name may contain spaces: only one of the splits names a column.
        heads = [(" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words))]
        by = plain[2]
    else:
        return
    for column, text in heads:
        value = unquoted(text)
        read.crosses.append(
            Cross(
                columns=frozenset((column, by)),
                counts={(value, other): n for other, n in tally.counts.items() if n is not None},
                across=frozenset((value,)),
                is_complete=tally.is_complete,
                line=tally.line,
            )
        )


def _read_matrix(read: Read, line: str, label: re.Match[str], body: str) -> None:
    """Add the counts of ``state by author (open closed): ann 3 4 · bob 0 2``."""
    across = [unquoted(word) for word in _WORD.findall(label[3])]
    counts: dict[tuple[str, str], int] = {}
    is_complete = True
    for part in body.split(" · "):
        words = _WORD.findall(part)
        numbers = words[-len(across) :]
        if _MORE.fullmatch(part) is not None or CUT in part:
            is_complete = False
        elif len(words) > len(across) and all(re.fullmatch(r"[\d,]+", number) for number in numbers):
            down = unquoted(part[: len(part) - len(" ".join(numbers))].rstrip())
            counts |= {(value, down): _int(number) for value, number in zip(across, numbers, strict=True)}
        else:
            return
    columns = frozenset((label[1], label[2]))
    read.crosses.append(
        Cross(columns=columns, counts=counts, across=frozenset(across), is_complete=is_complete, line=line)
    )


def unquoted(text: str) -> str:
    """Return a value without the quotes that the gate puts around a text that looks like something else."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        try:
            return str(json.loads(text))
        except ValueError:
            return text
    return text


def _int(text: str) -> int:
    return int(text.replace(",", ""))
