"""Tables in columns that are aligned by spaces under a header: ``kubectl get``, ``docker ps``, ``ps aux``, ``df -h``.

The table has ``line`` and the columns of the header. Where the header and all rows of a sample are blank, there is a
boundary; so ``CONTAINER ID`` is one column and ``PID USER`` are two. The last column runs to the end of the line. A row
that is shifted, because a cell is too wide for its column, is split at its spaces, if it then has a word for every
column, near its place. Cells are trimmed; ``<none>`` and ``-`` stay as they are. Cells that are padded and end with a
tab (``helm list``) are read likewise. The text is such a table if all lines but one in a hundred are rows of it.

pandas and tabulate print such tables too. The first column may have no name, or its name in a line below the others; a
name may have several words over narrow cells. Rules, lines and columns of dots, and a footer with the size of the table
are no rows. A table whose columns are parted into blocks is left as lines.

``recognise`` tells of the columns in plain values: the ``header``, the ``names`` of the columns, the ``gaps`` between
them (places of characters that stay blank), the ``spans`` of the columns; ``near`` if a row may also be split at its
spaces, ``tabs`` if there is a tab between cells, and the columns that are ``full`` in all rows of the sample. ``edge``
has the lines that belong to the header and are no rows: its rule and the name of an index. Columns of dots are
``hidden``, ``renamed`` has the columns with another name than the header, ``index`` tells of a first column without a
name, and ``repeats`` of a header that no row can be equal to.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import islice, pairwise, zip_longest
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from penstock.core.forms.api import LONGEST_LINE, DoesNotHoldError, Excerpt, ParserForm, Words
from penstock.core.forms.column_gaps import DATA, VIOLATED, Span, gaps_of
from penstock.core.forms.headers import HeaderVerdict, column_names, judge_header, renamed_columns, renamed_fact
from penstock.core.forms.left_out import PrintedSize, are_dots, is_dotted, is_in_blocks, printed_size, shown_part
from penstock.core.forms.line_parser import LineParser, facts
from penstock.core.forms.text_cells import MOST_CELLS, texts_of, typed
from penstock.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.core.forms.api import Batch, Columns, Options, Sample, Tables


LEAST_ROWS: Final = 3
MOST_BEFORE: Final = 6  # lines among which the header is looked for: titles may stand above it
MOST_SAMPLED: Final = 300  # rows that boundaries are looked for in,
MOST_SPLIT: Final = 100  # that are then split,
FIRST: Final = 40  # that cheap tests are made with,
FEW: Final = 8  # the cheapest of them with so many first: prose fails there
WIDEST: Final = 1_000  # characters of a header
SHIFTED: Final = 0.25  # of the rows may be shifted: ``ps`` shifts many,
SLACK: Final = 4  # characters that a word may then be away from its column
FILLED: Final = 0.8  # of the rows have a first cell, and another one
UNFIT: Final = 100  # one line in so many may be no row,
MOST_REMARKS: Final = 2  # or two lines: a total, a remark,
MOST_FOOTER: Final = 8  # or more below all rows, behind a blank line: what the columns mean
REPEATED: Final = 6  # one name in so many may be a cell below it: ``top`` has S below S
RULE: Final = re.compile(r"(?=.*[-=]{2})[-=+~ ]++")

_BLANK_LINE: Final = "blank"
_WORD = re.compile(r"\S++")
_NUMBER = re.compile(r"[+-]?+[0-9][0-9.,:/%-]*+(?:[eE][+-]?+[0-9]++)?+[A-Za-z]{0,2}")  # no word of a header
_BLANK: Final = ("", " ")
_BARS: Final = frozenset("|│┃║")  # Rows between bars have other borders than blanks.


def recognise(sample: Sample) -> Options | None:
    """Return the header under which the rows of the sample have the most columns."""
    lines = _without_notes(sample).short
    stripped = [line.rstrip() for line in lines]
    if is_in_blocks(stripped[:MOST_BEFORE]):
        return None
    best: Options | None = None
    is_part = len(sample.head) < min(FIRST, sample.count)  # The caller asks with few lines first.
    for at, header in enumerate(stripped[:MOST_BEFORE]):
        table = _table(header, lines[at + 1 :], repeats=header in stripped[at + 1 :], is_part=is_part)
        if table is not None and (best is None or len(table["names"]) > len(best["names"])):
            best = table
    return best


def _without_notes(sample: Sample) -> Sample:
    """Return the sample of a short text without the few lines behind the first blank line near its end: a total,
    remarks."""
    filled = [at for at, line in enumerate(sample.head) if line.strip()]
    for notes in range(min(MOST_FOOTER, len(filled) - 1), 0, -1):
        if filled[-notes] - filled[-notes - 1] > 1 and sample.count <= len(sample.head) + 1:
            return replace(sample, head=sample.head[: filled[-notes]])
    return sample


def _table(header: str, rows: list[str], *, repeats: bool, is_part: bool) -> Options | None:
    """Return the columns of rows under a header, if it is one; some of the rows may be the header again."""
    words = [match.span() for match in _WORD.finditer(header)]
    if len(words) < 2 or len(header) > WIDEST or RULE.fullmatch(header):
        return None
    is_ruled = bool(rows) and RULE.fullmatch(rows[0]) is not None
    has_numbers = any(_NUMBER.fullmatch(header, *word) for word in words)
    if has_numbers and not is_ruled and not _has_index(words[0][0], rows[:FIRST]):
        return None
    names, edge = _with_index_name(header, rows)
    rule = rows[0].rstrip() if is_ruled and " " in rows[0].strip() else ""
    edge += [rows[0].rstrip()] if is_ruled else []
    rows = [row for row in rows if _is_sample(row, edge, header if repeats and not has_numbers else "")]
    rows = rows[:: len(rows) // MOST_SAMPLED + 1]
    if len(rows) < LEAST_ROWS or sum(row.lstrip()[0] in _BARS for row in rows) * 2 > len(rows):
        return None
    options: Options = {"header": header, "edge": edge, "tabs": "\t" in header, "gaps": [], "near": True, "text": []}
    options |= {"repeats": not has_numbers, "index": _has_index(words[0][0], rows[:FIRST])}
    is_divided = _divide(options, names, rule, rows, is_part=is_part)
    return options if is_divided and _holds_for(options, names, rows, is_ruled=is_ruled) else None


def _holds_for(options: Options, header: str, rows: list[str], *, is_ruled: bool) -> bool:
    """Name the columns; return True if their names and cells are those of a table."""
    _name(options, header, rows)
    cells = [split_row(row, options) for row in rows[:: len(rows) // MOST_SPLIT + 1]]
    visible = [at for at in range(options["width"]) if at not in options["hidden"]]
    split = [[row[at] for at in visible] for row in cells if row is not None]
    columns = list(zip(*split, strict=True))
    options["full"] = [at for at, column in zip(visible, columns, strict=False) if all(column)]
    texts = [options["renamed"].get(name, name) for name in options["names"]]
    if not _are_filled(columns, len(cells)) or not 1 < len(texts) <= MOST_CELLS:
        return False
    if not options["repeats"] and judge_header(texts, split) is not HeaderVerdict.YES:
        return False
    repeated = sum(name in column for name, column in zip(texts, columns, strict=True)) if options["repeats"] else 0
    is_upper = header.isupper() and sum(row.isupper() for row in rows) * 2 <= len(rows)
    return repeated * REPEATED <= len(texts) and (is_ruled or is_upper or _are_over_data(columns))


def _has_index(start: int, rows: list[str]) -> bool:
    """Return True if all rows have a cell before the place where the header starts."""
    return start > 1 and all(row[: start - 1].strip() for row in rows)


def _with_index_name(header: str, rows: list[str]) -> tuple[str, list[str]]:
    """Return the header with the name of an index, which pandas prints in the line below it, and that line if it is
    there."""
    line = rows[0].rstrip() if rows else ""
    start = len(header) - len(header.lstrip())
    if not line or len(line) >= start or line.startswith(" ") or len(rows) < 2 or len(rows[1].rstrip()) < start:
        return header, []
    return line + header[len(line) :], [line]


def _is_sample(row: str, edge: list[str], header: str) -> bool:
    """Return True if a line may be a row: it is no part of the header, no dots, and does not tell the size."""
    text = row.rstrip()
    return text not in edge and text != header and not is_dotted(row) and _size_of(text) is None


def _size_of(line: str) -> PrintedSize | None:
    """Return the size of the table that a line tells; most lines are told by one word that they lack."""
    return printed_size(line) if " row" in line else None


def _divide(options: Options, header: str, rule: str, rows: list[str], *, is_part: bool) -> bool:
    """Find the places of the columns; return False if there are none that rows keep."""
    words = [match.span() for match in _WORD.finditer(header)]
    options["spans"] = words
    if options["tabs"]:
        return _are_padded([header, *rows])
    if not (_keep_apart(words, rows[:FEW]) and _keep_apart(words, rows[:FIRST])):
        return False
    gaps = gaps_of(rule or header, rows, is_sure=bool(rule), is_part=is_part)
    if gaps is None:
        return False
    cuts = [start for start, _ in gaps]
    if len(cuts) + 1 >= len(words) or len(words) < 4 or not _are_near(words, rows[:FIRST]):
        if not _are_all(cuts, [match.span() for match in _WORD.finditer(rule or header)], is_sure=bool(rule)):
            return False
        spans = list(zip((0, *(cut + 1 for cut in cuts)), (*cuts, len(header)), strict=True))
        options |= {"gaps": gaps, "spans": spans, "near": _are_near(spans, rows[:FIRST])}
    return True


def _name(options: Options, header: str, rows: list[str]) -> None:
    """Name the columns. A column of dots below dots is hidden; one of other cells has no name."""
    parts = header.split("\t") if options["tabs"] else [header[start:end] for start, end in options["spans"]]
    options["width"] = len(parts)
    cells = [cells for row in rows[:FIRST] if (cells := split_row(row, options)) is not None]
    dotted = [at for at, text in enumerate(parts) if are_dots([text])]
    options["hidden"] = [at for at in dotted if are_dots(row[at] for row in cells)]
    texts = ["" if at in dotted else text for at, text in enumerate(parts) if at not in options["hidden"]]
    options["names"] = column_names(texts)
    options["renamed"] = renamed_columns(texts, options["names"])


def _are_all(cuts: list[int], words: list[Span], *, is_sure: bool) -> bool:
    """Return True if there is a boundary wherever the header has two spaces, or its rule one."""
    return all(
        any(one[1] <= cut < other[0] for cut in cuts)
        for one, other in pairwise(words)
        if is_sure or other[0] - one[1] > 1
    )


def _keep_apart(words: list[Span], rows: list[str]) -> bool:
    """Return True if rows are blank where the header has two spaces, or one, more often than not: prose is not."""
    pairs = [(one[1], other[0] - 1) for one, other in pairwise(words)]
    wide = [(after, before) for after, before in pairs if before > after] or pairs
    blank = sum(
        row[after : after + 1] in _BLANK or row[before : before + 1] in _BLANK for row in rows for after, before in wide
    )
    return blank * 2 >= len(rows) * len(wide)


def _are_padded(lines: list[str]) -> bool:
    """Return True if all lines have the same number of tabs, and the cells of each column but the last the same
    length."""
    *columns, _ = zip(*(line.split("\t") for line in lines), strict=False)
    even = {line.count("\t") for line in lines} == {len(columns)}
    return (
        even
        and all(len(set(map(len, column))) == 1 for column in columns)
        and any(cell.endswith(" ") for column in columns for cell in column)
    )


def _are_near(spans: Sequence[Span], rows: list[str]) -> bool:
    """Return True if all rows but a few have a word at the place of each column, most of them right there."""
    unfit = exact = 0
    for row in rows:
        unfit += _words_near(row, spans, SLACK) is None
        if unfit * UNFIT > len(rows):
            return False
        exact += _words_near(row, spans, 0) is not None
    return exact >= len(rows) * (1 - SHIFTED)


def _words_near(row: str, spans: Sequence[Span], slack: int) -> list[str] | None:
    """Return the words of a row, if there is one for each column and near to it; all the rest belongs to the last."""
    words = list(islice(_WORD.finditer(row), len(spans)))
    if len(words) < len(spans):
        return None
    for (start, end), word in zip(spans, words, strict=True):
        if word.start() >= end + slack or word.end() <= start - slack:
            return None
    return [*(word[0] for word in words[:-1]), row[words[-1].start() :]]


def _are_filled(columns: list[tuple[str, ...]], count: int) -> bool:
    """Return True if nearly all of ``count`` rows could be split, and most of them have a first cell and another."""
    fitting = len(columns[0]) if columns else 0
    filled = sum(bool(first) and any(others) for first, *others in zip(*columns, strict=True))
    are_split = fitting >= LEAST_ROWS and count - fitting <= MOST_REMARKS + VIOLATED * count
    return are_split and filled >= FILLED * fitting


def _are_over_data(columns: list[tuple[str, ...]]) -> bool:
    """Return True if one of at least three columns has nothing but numbers, sizes or times."""
    return len(columns) > 2 and any(
        any(column) and all(not cell or DATA.fullmatch(cell) for cell in column) for column in columns
    )


def split_row(row: str, options: Options) -> list[str] | None:
    """Return the cells of one row, trimmed; None if it does not keep the boundaries and no words make up for that."""
    if options["tabs"]:
        cells = [cell.strip() for cell in row.split("\t")]
        return cells if len(cells) == options["width"] else None
    cuts = [row.find(" ", *gap) if len(row) > gap[0] else gap[0] for gap in options["gaps"]]
    if cuts and min(cuts) > 0:
        return [row[start:end].strip() for start, end in zip((0, *cuts), (*cuts, None), strict=True)]
    words = _words_near(row, options["spans"], SLACK) if options["near"] else None
    return words and [word.strip() for word in words]


@dataclass(slots=True, kw_only=True)
class AlignedParser(LineParser):
    shifted: int = 0
    footer: int = 0  # of these, lines below the last row
    before: int = 0  # lines before the header
    dotted: int = 0  # lines of dots in place of rows
    size: PrintedSize | None = None  # the size of the table in the words of its printer
    last: str = ""  # the line before, if it is the header or blank: a rule, or another header, may follow
    is_headed: bool = False  # the header was read

    def holds(self) -> bool:
        between = self.unfit - self.before - min(self.footer, MOST_FOOTER)
        if self.size is not None and not self.size.fits(self.count, has_dots=self.dotted > 0):
            return False
        is_shifted = self.options["gaps"] and self.shifted > SHIFTED * self.count
        return self.count >= LEAST_ROWS and between <= max(MOST_REMARKS, self.count / UNFIT) and not is_shifted

    def read(self, lines: list[str]) -> Batch:
        numbered = list(enumerate(lines, self.seen + 1))
        while not self.is_headed and numbered:
            number, line = numbered.pop(0)
            self.is_headed = line.rstrip() == self.options["header"]
            self.last = line
            if line.strip() and not self.is_headed and line.rstrip() not in self.options["edge"]:
                self.before += 1
                self.note(number, line)
        rows = list(self._rows(numbered))
        self.count += len(rows)
        return {"items": self._columns([number for number, _ in rows], [row for _, row in rows])} if rows else {}

    def _rows(self, batch: list[tuple[int, str]]) -> Iterator[tuple[int, str | list[str]]]:
        """Return the rows among some lines: whole where they keep the boundaries, else split."""
        header, cuts = self.options["header"], [start for start, _ in self.options["gaps"]]
        first = cuts[0] if cuts else 0
        gaps = itemgetter(first, first, *cuts[1:])
        blank = (" ",) * (len(cuts) + 1) if cuts else ()
        width = cuts[-1] + 1 if cuts else 1
        for number, line in batch:
            if not line or line.isspace():
                self.last = _BLANK_LINE
            elif self.options["repeats"] and line.startswith(header) and line.rstrip() == header:
                self.last = header
            elif self._is_edge(line) or (self.last and self._is_between(number, line)):
                continue
            elif gaps(row := line.ljust(width)) == blank:
                self.footer = 0
                yield number, row
            elif cells := split_row(line, self.options):
                self.footer = 0
                self.shifted += 1
                yield number, cells
            else:
                self._reject(number, line)

    def _is_edge(self, line: str) -> bool:
        """Return True if a line belongs to the header or to the border of the table, or tells what was left out."""
        if is_dotted(line):
            self.dotted += 1
            return True
        if line.rstrip() in self.options["edge"]:
            self.last = ""
            return True
        size = _size_of(line)
        self.size = size or self.size
        return size is not None

    def _is_between(self, number: int, line: str) -> bool:
        """Return True if a line after a header is its rule, or one after a blank line a remark: it leaves cells empty
        that all rows of the sample fill. Another header after a blank line is another table."""
        after, self.last = self.last, ""
        if after is not _BLANK_LINE:
            return RULE.fullmatch(line[:LONGEST_LINE]) is not None
        if line.isupper() and self.options["header"].isupper():
            raise DoesNotHoldError("several tables")
        cells = split_row(line, self.options)
        if cells is not None and all(cells[at] for at in self.options["full"]):
            return False
        self.last = after
        self._reject(number, line)
        return True

    def _reject(self, number: int, line: str) -> None:
        self.footer += 1
        self.note(number, line)

    def _columns(self, numbers: list[int], rows: list[str | list[str]]) -> Columns:
        columns: Columns = {"line": numbers}
        texts = self.options["text"]
        cuts = [0, *(start for start, _ in self.options["gaps"])]
        names = iter(self.options["names"])
        for at, start, end in zip_longest(range(self.options["width"]), cuts, cuts[1:]):
            if at in self.options["hidden"]:
                continue
            name = next(names)
            cells = [row[start:end].strip() if isinstance(row, str) else row[at] for row in rows]
            columns[name] = texts_of(cells) if name in texts else typed(cells)
        return columns

    def words(self, tables: Tables) -> Words:
        [table] = tables
        columns = len(self.options["names"])
        what = f"a table in aligned columns: {counted(table.count, 'row')} of {columns} columns"
        # pandas does not count the index as a column.
        if part := shown_part(table.count, columns - self.options["index"], self.size, has_dots=self.dotted > 0):
            what += f"; {part}"
        shifted = self.shifted if self.options["gaps"] else 0
        unfit = self.unfit - self.before
        lines = facts(
            (shifted, f"{counted(shifted, 'row')} out of line with the header, split where they are blank"),
            (self.before, f"{counted(self.before, 'line')} before the header"),
            (unfit, f"no rows, and in no table: {counted(unfit, 'line')}"),
            (self.options["renamed"], renamed_fact(self.options["renamed"])),
        )
        return Words(what=what, facts=lines, excerpts=Excerpt.of("lines that are no rows", self.notes))


FORM: Final = ParserForm(name="aligned", title="a table", looks_like=recognise, make=AlignedParser, is_costly=True)
