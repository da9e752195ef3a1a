"""Tables in columns that are aligned by spaces under a header: ``kubectl get``, ``docker ps``, ``ps aux``, ``df -h``.

The table has ``line`` and the columns of the header. Where the header and all rows of a sample are blank, there is a
boundary; so ``CONTAINER ID`` is one column and ``PID USER`` are two. The last column runs to the end of the line. A row
that is shifted, because a cell is too wide for its column, is split at its spaces, if it then has a word for every
column, near its place. Cells are trimmed; ``<none>`` and ``-`` stay as they are. Cells that are padded and end with a
tab (``helm list``) are read likewise. The text is such a table if all lines but one in a hundred are rows of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice, zip_longest
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from penstock.core.forms.alignment import LEAST_ROWS, MOST_NOTES, RULE, SHIFTED, UNFIT, recognise, split_row
from penstock.core.forms.delimited import texts_of, typed
from penstock.core.forms.text_form import BATCH, LONGEST_LINE, DoesNotHoldError, Excerpt, TextForm, Words
from penstock.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from penstock.core.forms.reading import Table
    from penstock.core.forms.text_form import Batch, Columns, Options

EXCERPT_NOTES: Final = 6  # lines that are no rows, to be shown

_BLANK_LINE: Final = "blank"


@dataclass(slots=True, kw_only=True)
class AlignedParser:
    options: Options
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "rows"})
    rows: int = 0
    shifted: int = 0
    unfit: int = 0
    before: int = 0  # lines before the header
    last: str = ""  # the line before, if it is the header or blank: a rule, or another header, may follow
    notes: list[tuple[int, str]] = field(default_factory=list)  # lines that are no rows

    def parse(self, lines: Iterable[str]) -> Iterator[Batch]:
        source = enumerate(lines, 1)
        for number, line in source:
            if line.rstrip() == self.options["header"]:
                self.last = line
                break
            if line.strip():
                self.before += 1
                self._note(number, line)
        while batch := list(islice(source, BATCH)):
            numbers: list[int] = []
            rows: list[str | list[str]] = []
            for number, row in self._rows(batch):
                numbers.append(number)
                rows.append(row)
            self.rows += len(rows)
            if rows:
                yield {"items": self._columns(numbers, rows)}
        if self.rows < LEAST_ROWS or self.unfit > max(MOST_NOTES, self.rows / UNFIT):
            raise DoesNotHoldError("lines that do not keep the boundaries")
        if self.options["gaps"] and self.shifted > SHIFTED * self.rows:
            raise DoesNotHoldError("rows that are shifted")

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
                yield number, row
            elif cells := split_row(line, self.options):
                self.shifted += 1
                yield number, cells
            else:
                self.unfit += 1
                self._note(number, line)

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
        self.unfit += 1
        self._note(number, line)
        return True

    def _columns(self, numbers: list[int], rows: list[str | list[str]]) -> Columns:
        columns: Columns = {"line": numbers}
        texts = self.options["text"]
        cuts = [0, *(start for start, _ in self.options["gaps"])]
        for at, (name, start, end) in enumerate(zip_longest(self.options["names"], cuts, cuts[1:])):
            cells = [row[start:end].strip() if isinstance(row, str) else row[at] for row in rows]
            columns[name] = texts_of(cells) if name in texts else typed(cells)
        return columns

    def _note(self, number: int, line: str) -> None:
        if len(self.notes) < EXCERPT_NOTES:
            self.notes.append((number, line[:LONGEST_LINE]))

    def words(self, tables: Sequence[Table]) -> Words:
        [table] = tables
        what = f"a table in aligned columns: {counted(table.count, 'row')} of {len(self.options['names'])} columns"
        facts = []
        if self.shifted and self.options["gaps"]:
            facts.append(f"{counted(self.shifted, 'row')} out of line with the header, split where they are blank")
        if self.before:
            facts.append(f"{counted(self.before, 'line')} before the header")
        if self.unfit:
            facts.append(f"{counted(self.unfit, 'other line')} that are no rows")
        return Words(what=what, facts=tuple(facts), excerpts=Excerpt.of("lines that are no rows", self.notes))


FORM: Final = TextForm(name="aligned", title="a table", recognise=recognise, make=AlignedParser, is_costly=True)
