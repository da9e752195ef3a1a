"""Tables in columns that are aligned by spaces under a header.

Servers that return it: kubernetes-mcp-server (tables as of ``kubectl get``), Jupyter servers (frames of pandas), and
shell servers (``docker ps``, ``ps``, ``df``).

The table has ``line`` and the columns of the header. There is a boundary where the header and the rows of a sample are
blank; so ``CONTAINER ID`` is one column and ``PID USER`` are two. The last column runs to the end of the line. A rule
may be below the header. pandas has an index without a name, or with its name in a line of its own, and dots in place of
rows and columns. The table ends at the first blank line; a few more lines may follow.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.api import ParserForm
from penstock.core.forms.around_table import AroundTable, are_dots, printed_size
from penstock.core.forms.column_gaps import DATA, MAX_SHIFTED_SHARE, are_near, gaps_of, split_row
from penstock.core.forms.headers import HeaderVerdict, judge_header, name_columns
from penstock.core.forms.line_parser import LineParser, facts
from penstock.core.forms.text_cells import MAX_COLUMNS, texts_of, typed
from penstock.core.text import counted

if TYPE_CHECKING:
    from penstock.core.forms.api import Batch, Columns, Options, Sample, Tables, Words

MIN_ROWS: Final = 3  # Rows of a table. Fewer lines may be aligned by chance.
MIN_WORDS: Final = 3  # If a header has more words, and all rows have a word below each of them, words are columns.
MAX_BEFORE: Final = 6  # Lines among which the header is looked for: titles may be above it.
MAX_AFTER: Final = 8  # Lines after the table, below a blank line: what the columns mean.
MAX_SAMPLED: Final = 300  # Rows in which boundaries are looked for. More make them no clearer.
MAX_HEADER: Final = 1_000  # Characters of a header. A longer line is no list of names.
MAX_OTHERS: Final = 2  # Lines between rows that are none: a remark. In a long table it may be one line in 100.
MAX_OTHERS_RATIO: Final = 100
MIN_FILLED: Final = 0.8  # Share of the rows that have a first cell and another one.

_RULE = re.compile(r"(?=.*[-=]{2})[-=+~ ]++")
_NUMBER = re.compile(r"[+-]?+[0-9][0-9.,:/%-]*+(?:[eE][+-]?+[0-9]++)?+[A-Za-z]{0,2}")  # no word of a header
_BARS: Final = frozenset("|│┃║")  # Rows between bars have other borders than blanks.


def recognise(sample: Sample) -> Options | None:
    """Return the header under which the rows of the sample have the most columns."""
    head = [line.rstrip() for line in sample.head]
    runs = [line.rstrip() for run in sample.runs for line in run if line.strip()]
    is_part = sample.count > len(head) + 1
    tables = []
    for at, header in enumerate(head[:MAX_BEFORE]):
        end = head.index("", at + 1) if "" in head[at + 1 :] else len(head)
        rows = [*head[at + 1 : end], *(runs if end == len(head) else ())]
        if header and (table := _table(header, rows, is_part=is_part)) is not None:
            tables.append(table)
    return max(tables, key=lambda table: len(table["names"]), default=None)


def _table(header: str, rows: list[str], *, is_part: bool) -> Options | None:
    """Return the columns of rows under a header, if it is one; some of the rows may be the header again."""
    words = header.split()
    # pandas ends the header of columns that continue below with a backslash.
    if len(rows) < MIN_ROWS or not 2 <= len(words) <= len(header) <= MAX_HEADER or words[-1] == "\\":
        return None
    is_ruled = _RULE.fullmatch(rows[0]) is not None
    rule = rows[0] if is_ruled and " " in rows[0].strip() else ""
    edge = rows[:1] if is_ruled else []
    names = header
    if not is_ruled and _is_index_name(rows, header):
        edge, names = rows[:1], rows[0] + header[len(rows[0]) :]
    known = {header, *edge}
    rows = [row for row in rows if row not in known and not _is_dotted(row) and printed_size(row) is None]
    rows = rows[:: len(rows) // MAX_SAMPLED + 1]
    if len(rows) < MIN_ROWS or _RULE.fullmatch(header) or sum(row.lstrip()[0] in _BARS for row in rows) * 2 > len(rows):
        return None
    gaps = gaps_of(rule or names, rows, is_sure=bool(rule), is_part=is_part)
    if not gaps:
        return None
    cuts = [start for start, _ in gaps]
    spans = list(zip((0, *(cut + 1 for cut in cuts)), (*cuts, len(rule or names)), strict=True))
    places = [match.span() for match in re.finditer(r"\S++", names)]
    if not rule and len(places) > max(len(spans), MIN_WORDS) and are_near(places, rows):
        gaps, spans = [], places
    options: Options = {"header": header, "edge": edge, "gaps": gaps, "spans": spans}
    return _named(options, names, rows, is_ruled=is_ruled)


def _is_index_name(rows: list[str], header: str) -> bool:
    """Return True if the first row is the name of an index, which pandas prints below the header."""
    start = len(header) - len(header.lstrip())
    return len(rows[0]) < start <= len(rows[1]) and not rows[0].startswith(" ")


def _is_dotted(line: str) -> bool:
    """Return True if a line has nothing but dots, in place of rows that the printer left out."""
    return line.lstrip()[:1] in (".", "…") and are_dots(line.split())


def _named(options: Options, header: str, rows: list[str], *, is_ruled: bool) -> Options | None:
    """Return the options with the names of the columns; None if names and cells are not those of a table. A column of
    dots below dots is hidden; one of other cells has no name."""
    split = [cells for row in rows if (cells := split_row(row, options["gaps"], options["spans"])) is not None]
    if len(split) < MIN_ROWS or (len(rows) - len(split) - MAX_OTHERS) * MAX_OTHERS_RATIO > len(rows):
        return None
    parts = [header[start:end] for start, end in options["spans"]]
    columns = list(zip(*split, strict=True))
    shown = [at for at, text in enumerate(parts) if not (are_dots([text]) and are_dots(columns[at]))]
    texts = ["" if are_dots([parts[at]]) else parts[at] for at in shown]
    columns = [columns[at] for at in shown]
    filled = sum(bool(first) and any(others) for first, *others in zip(*columns, strict=True))
    if not 1 < len(texts) <= MAX_COLUMNS or filled < MIN_FILLED * len(split):
        return None
    verdict = judge_header(texts, list(zip(*columns, strict=True)))
    is_upper = header.isupper() and sum(row.isupper() for row in rows) * 2 <= len(rows)
    has_data = len(columns) > 2 and any(any(column) and all(map(_is_data, column)) for column in columns)
    has_numbers = any(map(_NUMBER.fullmatch, header.split()))
    if verdict is not HeaderVerdict.YES and (has_numbers or not (verdict.has_names or is_upper)):
        return None
    names, renamed = name_columns(texts, ("line",))
    more = {"names": names, "renamed": renamed, "shown": shown}
    return {**options, **more} if is_ruled or is_upper or has_data else None


def _is_data(cell: str) -> bool:
    return not cell or DATA.fullmatch(cell) is not None


@dataclass(slots=True, kw_only=True)
class AlignedParser(LineParser):
    around: AroundTable = field(default_factory=AroundTable)
    is_headed: bool = False  # The header was read.
    has_ended: bool = False  # A blank line after the rows was read.
    after: int = 0  # lines after the table
    shifted: int = 0
    gaps: Any = None  # gives the places of a line at which a row is blank

    def __post_init__(self) -> None:
        cuts = [start for start, _ in self.options["gaps"]] or [0]
        self.gaps = itemgetter(cuts[0], *cuts)  # one place more: the answer is a tuple even if there is one gap

    def holds(self) -> bool:
        self.around.check(self.count)
        is_shifted = self.shifted > MAX_SHIFTED_SHARE * self.count
        is_dense = self.unfit <= max(MAX_OTHERS, self.count / MAX_OTHERS_RATIO) and self.after <= MAX_AFTER
        return self.count >= MIN_ROWS and is_dense and not is_shifted

    def read(self, lines: list[str]) -> Batch:
        numbers: list[int] = []
        rows: list[str | list[str]] = []
        gaps = self.options["gaps"]
        blank = (" ",) * (len(gaps) + 1)  # of no row if there are no gaps, but only words
        width = gaps[-1][0] + 1 if gaps else 1
        header, edge = self.options["header"], self.options["edge"]
        for number, line in enumerate(lines, self.seen + 1):
            if not self.is_headed or self.has_ended or not line or line.isspace():
                self._read_outside(number, line, has_rows=bool(rows) or self.count > 0)
            elif line.startswith(header) and line.rstrip() == header:
                self.around.repeats += 1
            elif edge and line.rstrip() in edge:
                continue
            elif (".." in line or "…" in line) and _is_dotted(line):
                self.around.dots += 1
            elif self.gaps(row := line.ljust(width)) == blank:
                numbers.append(number)
                rows.append(row)
            elif cells := split_row(line, gaps, self.options["spans"]):
                self.shifted += bool(gaps)
                numbers.append(number)
                rows.append(cells)
            else:
                self.unfit += printed_size(line) is None
                self.around.add(number, line)
        self.count += len(rows)
        return {"items": self._columns(numbers, rows)} if rows else {}

    def _read_outside(self, number: int, line: str, *, has_rows: bool) -> None:
        """Take a line before the header or after the table. A blank line ends the table."""
        if self.is_headed and not self.has_ended:
            self.has_ended = has_rows
        elif not self.is_headed and line.rstrip() == self.options["header"]:
            self.is_headed = True
        elif line.rstrip() not in self.options["edge"]:
            self.after += self.has_ended and bool(line.strip())
            self.around.add(number, line)

    def _columns(self, numbers: list[int], rows: list[str | list[str]]) -> Columns:
        columns: Columns = {"line": numbers}
        cuts = [start for start, _ in self.options["gaps"]]
        parts = [slice(*one) for one in zip((0, *cuts), (*cuts, None), strict=True)]
        for name, at in zip(self.options["names"], self.options["shown"], strict=True):
            part = parts[at] if cuts else slice(0)
            cells = [row[part].strip() if isinstance(row, str) else row[at] for row in rows]
            columns[name] = texts_of(cells) if name in self.options.get("text", ()) else typed(cells)
        return columns

    def words(self, tables: Tables) -> Words:
        [table] = tables
        columns = len(self.options["names"])
        shifted = f"{counted(self.shifted, 'row')} out of line with the header, split where they are blank"
        return self.around.words(
            "a table in aligned columns",
            table.count,
            columns,
            renamed=self.options["renamed"],
            facts=facts((self.shifted, shifted)),
        )


FORM: Final = ParserForm(name="aligned", title="a table", looks_like=recognise, make=AlignedParser, is_costly=True)
