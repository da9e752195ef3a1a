"""Tables in columns that are aligned by spaces under a header: ``kubectl get``, ``docker ps``, ``ps aux``, ``df -h``.

The table has ``line`` and the columns of the header. Where the header and all rows of a sample are blank, there is a
boundary; so ``CONTAINER ID`` is one column and ``PID USER`` are two. The last column runs to the end of the line. A row
that is shifted, because a cell is too wide for its column, is split at its spaces, if it then has a word for every
column, near its place. Cells are trimmed; ``<none>`` and ``-`` stay as they are. Cells that are padded and end with a
tab (``helm list``) are read likewise. The text is such a table if all lines but one in a hundred are rows of it.

``recognise`` tells of the columns in plain values: the ``header``, the ``names`` of the columns, the ``gaps`` between
them (places of characters that stay blank), the ``spans`` of the columns; ``near`` if a row may also be split at its
spaces, ``tabs`` if there is a tab between cells, and the columns that are ``full`` in all rows of the sample.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import islice, pairwise, zip_longest
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from penstock.core.forms.delimited import MOST_CELLS, texts_of, typed
from penstock.core.forms.table_lines import column_names
from penstock.core.forms.text_form import LONGEST_LINE, DoesNotHoldError, Excerpt, LineParser, TextForm, Words, facts
from penstock.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.core.forms.text_form import Batch, Columns, Options, Sample, Tables


LEAST_ROWS: Final = 3
MOST_BEFORE: Final = 6  # lines among which the header is looked for: titles may stand above it
MOST_SAMPLED: Final = 300  # rows that boundaries are looked for in,
MOST_SPLIT: Final = 100  # that are then split,
FIRST: Final = 40  # that cheap tests are made with,
FEW: Final = 8  # the cheapest of them with so many first: prose fails there
WIDEST: Final = 1_000  # characters of a header
VIOLATED: Final = 0.03  # of the rows may be filled at a boundary, where the header has two spaces or more
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
_DATA = re.compile(r"[+-]?+[0-9][\w.,:%/+-]*+")  # a number, a size, a time, or such as has them
_BLANK: Final = ("", " ")

Span = tuple[int, int]  # of characters


def recognise(sample: Sample) -> Options | None:
    """Return the header under which the rows of the sample have the most columns."""
    lines = _without_notes(sample).short
    stripped = [line.rstrip() for line in lines]
    best: Options | None = None
    for at, header in enumerate(stripped[:MOST_BEFORE]):
        table = _table(header, lines[at + 1 :], repeats=header in stripped[at + 1 :])
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


def _table(header: str, rows: list[str], *, repeats: bool) -> Options | None:
    """Return the columns of rows under a header, if it is one; some of the rows may be the header again."""
    words = [match.span() for match in _WORD.finditer(header)]
    if len(words) < 2 or len(header) > WIDEST or any(_NUMBER.fullmatch(header, *word) for word in words):
        return None
    is_ruled = bool(rows) and RULE.fullmatch(rows[0]) is not None
    rule = rows[0].rstrip() if is_ruled and " " in rows[0].strip() else ""
    rows = [row for row in rows[is_ruled:] if row.rstrip() != header] if repeats else rows[is_ruled:]
    rows = rows[:: len(rows) // MOST_SAMPLED + 1]
    if len(rows) < LEAST_ROWS:
        return None
    options: Options = {"header": header, "tabs": "\t" in header, "gaps": [], "spans": words, "near": True, "text": []}
    if options["tabs"]:
        if not _are_padded([header, *rows]):
            return None
        options["names"] = column_names(header.split("\t"))
    elif not (_keep_apart(words, rows[:FEW]) and _keep_apart(words, rows[:FIRST])):
        return None
    else:
        gaps = _gaps(rule or header, rows, is_sure=bool(rule))
        cuts = [start for start, _ in gaps]
        if len(cuts) + 1 >= len(words) or len(words) < 4 or not _are_near(words, rows[:FIRST]):
            if not _are_all(cuts, [match.span() for match in _WORD.finditer(rule or header)], is_sure=bool(rule)):
                return None
            spans = list(zip((0, *(cut + 1 for cut in cuts)), (*cuts, len(header)), strict=True))
            options |= {"gaps": gaps, "spans": spans, "near": _are_near(spans, rows[:FIRST])}
        options["names"] = column_names(header[start:end] for start, end in options["spans"])
    cells = [split_row(row, options) for row in rows[:: len(rows) // MOST_SPLIT + 1]]
    columns = list(zip(*(row for row in cells if row is not None), strict=True))
    options["full"] = [at for at, column in enumerate(columns) if all(column)]
    is_upper = header.isupper() and sum(row.isupper() for row in rows) * 2 <= len(rows)
    has_names = _are_names(options["names"], columns, len(cells))
    return options if has_names and (is_ruled or is_upper or _are_over_data(columns)) else None


def _are_all(cuts: list[int], words: list[Span], *, is_sure: bool) -> bool:
    """Tell whether there is a boundary wherever the header has two spaces, or its rule one."""
    return all(
        any(one[1] <= cut < other[0] for cut in cuts)
        for one, other in pairwise(words)
        if is_sure or other[0] - one[1] > 1
    )


def _keep_apart(words: list[Span], rows: list[str]) -> bool:
    """Tell whether rows are blank where the header has two spaces, or one, more often than not: prose is not."""
    pairs = [(one[1], other[0] - 1) for one, other in pairwise(words)]
    wide = [(after, before) for after, before in pairs if before > after] or pairs
    blank = sum(
        row[after : after + 1] in _BLANK or row[before : before + 1] in _BLANK for row in rows for after, before in wide
    )
    return blank * 2 >= len(rows) * len(wide)


def _are_padded(lines: list[str]) -> bool:
    """Tell whether all lines have the same number of tabs, and the cells of each column but the last the same
    length."""
    *columns, _ = zip(*(line.split("\t") for line in lines), strict=False)
    even = {line.count("\t") for line in lines} == {len(columns)}
    return (
        even
        and all(len(set(map(len, column))) == 1 for column in columns)
        and any(cell.endswith(" ") for column in columns for cell in column)
    )


def _are_near(spans: Sequence[Span], rows: list[str]) -> bool:
    """Tell whether all rows but a few have a word at the place of each column, most of them right there."""
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


def _gaps(header: str, rows: list[str], *, is_sure: bool) -> list[Span]:
    """Return the runs of places between columns at which header and rows are blank. Between two words of a header there
    may be none, unless ``is_sure``: it is a rule."""
    size, width = len(rows), len(header)
    places = zip_longest(header, *(row[:width] for row in rows), fillvalue=" ")
    filled = [size + 1 - place.count(" ") for place in places]
    blank: list[Span] = []
    for at, count in enumerate(filled):
        if header[at] == " " and count <= (0 if not is_sure and _is_narrow(header, at) else VIOLATED * size):
            start = blank.pop()[0] if blank and blank[-1][1] == at else at
            blank.append((start, at + 1))
    blank = _named(header, [gap for gap in blank if gap[0]])
    gaps = []
    for (start, end), following in zip_longest(blank, [start for start, _ in blank[1:]]):
        cells = [row[end:following] for row in rows if row[end:following].strip()]
        # Two words may be one name, with nothing but short cells below.
        if is_sure or not _is_narrow(header, end - 1) or cells:
            is_left = header[end] != " " and sum(cell[0] != " " for cell in cells) * 2 >= len(cells)
            # Before a column that is aligned to the left only the last place is sure to be blank in other rows.
            gaps.append((end - 1, end) if is_left else (start, end))
    return gaps


def _named(header: str, gaps: list[Span]) -> list[Span]:
    """Drop the gaps that lie in cells: where the header has no name between two of them, the narrower one does."""
    kept: list[Span] = []
    for gap in gaps:
        if kept and not header[kept[-1][1] : gap[0]].strip():
            gap = max(kept.pop(), gap, key=lambda one: one[1] - one[0])  # noqa: PLW2901
        kept.append(gap)
    return kept


def _is_narrow(header: str, at: int) -> bool:
    """Tell whether there is a single space between two words of the header."""
    return at > 0 and " " not in (header[at - 1], header[at + 1])


def _are_names(names: list[str], columns: list[tuple[str, ...]], count: int) -> bool:
    """Tell whether nearly all of ``count`` rows could be split, are filled, and have other cells than the header."""
    fitting = len(columns[0]) if columns else 0
    if not 1 < len(names) <= MOST_CELLS or fitting < LEAST_ROWS or count - fitting > MOST_REMARKS + VIOLATED * count:
        return False
    filled = sum(bool(first) and any(others) for first, *others in zip(*columns, strict=True))
    repeated = sum(name in column for name, column in zip(names, columns, strict=True))
    return filled >= FILLED * fitting and repeated * REPEATED <= len(names)


def _are_over_data(columns: list[tuple[str, ...]]) -> bool:
    """Tell whether one of at least three columns has nothing but numbers, sizes or times."""
    return len(columns) > 2 and any(
        any(column) and all(not cell or _DATA.fullmatch(cell) for cell in column) for column in columns
    )


def split_row(row: str, options: Options) -> list[str] | None:
    """Return the cells of one row, trimmed; None if it does not keep the boundaries and no words make up for that."""
    if options["tabs"]:
        cells = [cell.strip() for cell in row.split("\t")]
        return cells if len(cells) == len(options["names"]) else None
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
    last: str = ""  # the line before, if it is the header or blank: a rule, or another header, may follow
    is_headed: bool = False  # the header was read

    def holds(self) -> bool:
        between = self.unfit - self.before - min(self.footer, MOST_FOOTER)
        is_shifted = self.options["gaps"] and self.shifted > SHIFTED * self.count
        return self.count >= LEAST_ROWS and between <= max(MOST_REMARKS, self.count / UNFIT) and not is_shifted

    def read(self, lines: list[str]) -> Batch:
        numbered = list(enumerate(lines, self.seen + 1))
        while not self.is_headed and numbered:
            number, line = numbered.pop(0)
            self.is_headed = line.rstrip() == self.options["header"]
            self.last = line
            if line.strip() and not self.is_headed:
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
            elif line.startswith(header) and line.rstrip() == header:
                self.last = header
            elif self.last and self._is_between(number, line):
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

    def _is_between(self, number: int, line: str) -> bool:
        """Tell whether a line after a header is its rule, or one after a blank line a remark: it leaves cells empty
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
        for at, (name, start, end) in enumerate(zip_longest(self.options["names"], cuts, cuts[1:])):
            cells = [row[start:end].strip() if isinstance(row, str) else row[at] for row in rows]
            columns[name] = texts_of(cells) if name in texts else typed(cells)
        return columns

    def words(self, tables: Tables) -> Words:
        [table] = tables
        what = f"a table in aligned columns: {counted(table.count, 'row')} of {len(self.options['names'])} columns"
        shifted = self.shifted if self.options["gaps"] else 0
        unfit = self.unfit - self.before
        lines = facts(
            (shifted, f"{counted(shifted, 'row')} out of line with the header, split where they are blank"),
            (self.before, f"{counted(self.before, 'line')} before the header"),
            (unfit, f"no rows, and in no table: {counted(unfit, 'line')}"),
        )
        return Words(what=what, facts=lines, excerpts=Excerpt.of("lines that are no rows", self.notes))


FORM: Final = TextForm(name="aligned", title="a table", recognise=recognise, make=AlignedParser, is_costly=True)
