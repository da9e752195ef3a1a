"""``git shortlog -s`` (-n, -e): how many commits each author has. ``items``: line, commits, author, and email with -e.

Numbers stand in six columns before a tab, as in ``cat -n`` too; but a shortlog has them fall (-n), or its names rise,
and never counts one by one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from heapq import nlargest
from itertools import islice, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from penstock.core.forms.git_text import person
from penstock.core.forms.text_form import BATCH, DoesNotHoldError, Options, Sample, TextForm, Words
from penstock.core.text import counted, tally

if TYPE_CHECKING:
    from penstock.core.forms.text_form import Batches, Columns, Lines, Tables

WIDTH: Final = 6  # columns that git writes a number in
LEAST: Final = 5  # authors; of fewer lines nothing can be told
MOST_AUTHORS: Final = 8  # authors that are named with their counts

_LINE = re.compile(r"( *)([0-9]{1,9})\t([^\t]+)")


def recognise(sample: Sample) -> Options | None:
    """Tell whether all lines are a number and a name; the first may have lost its spaces to a tool that strips
    texts."""
    lines = sample.lines
    if len(lines) < LEAST or not all(map(_is_padded, lines[1:])) or not _LINE.fullmatch(lines[0]):
        return None
    return {"mails": all(line.endswith(">") for line in lines)}


def _is_padded(line: str) -> bool:
    match = _LINE.fullmatch(line)
    return match is not None and len(match[1]) == max(0, WIDTH - len(match[2]))


@dataclass(slots=True, kw_only=True)
class ShortlogParser:
    options: Options
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "authors"})
    commits: int = 0
    most: list[tuple[str, int]] = field(default_factory=list)

    def parse(self, lines: Lines) -> Batches:
        numbered = enumerate(lines, start=1)
        last: tuple[int, str] | None = None
        falling = rising = True  # the counts; the names
        one_by_one = True
        while rows := [row for row in map(_row, islice(numbered, BATCH)) if row is not None]:
            counts, names = [row[1] for row in rows], [row[2] for row in rows]
            for pair in pairwise([*((last,) if last else ()), *zip(counts, names, strict=True)]):
                (count, name), (next_count, next_name) = pair
                falling = falling and count >= next_count
                rising = rising and name <= next_name
                one_by_one = one_by_one and count + 1 == next_count
            if one_by_one or not (falling or rising):
                raise DoesNotHoldError("neither numbers nor names are in order")
            last = (counts[-1], names[-1])
            self.commits += sum(counts)
            self.most = nlargest(MOST_AUTHORS + 1, [*self.most, *zip(names, counts, strict=True)], key=itemgetter(1))
            columns: Columns = {"line": [row[0] for row in rows], "commits": counts, "author": names}
            if self.options["mails"]:
                people = list(map(person, names))
                columns["author"] = [name for name, _ in people]
                columns["email"] = [address for _, address in people]
            yield {"items": columns}

    def words(self, tables: Tables) -> Words:
        [table] = tables
        what = f"git shortlog: {counted(self.commits, 'commit')} by {counted(table.count, 'author')}"
        return Words(
            what=what, facts=(f"most commits: {tally(self.most, MOST_AUTHORS, more=table.count - len(self.most))}",)
        )


def _row(entry: tuple[int, str]) -> tuple[int, int, str] | None:
    number, line = entry
    match = _LINE.fullmatch(line)
    if match is not None:
        return number, int(match[2]), match[3]
    if line.strip():
        raise DoesNotHoldError("a line without a number and a name")
    return None


FORM: Final = TextForm(name="shortlog", title="git shortlog", recognise=recognise, make=ShortlogParser)
