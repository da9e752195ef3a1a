"""``git shortlog -s`` (-n, -e): how many commits each author has. ``items``: line, commits, author, and email with -e.

Numbers stand in six columns before a tab, as in ``cat -n`` too; but a shortlog has them fall (-n), or its names rise,
and never counts one by one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from heapq import nlargest
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from penstock.core.forms.git_text import person
from penstock.core.forms.text_form import DoesNotHoldError, LineParser, TextForm, Words, matched
from penstock.core.text import counted, tally

if TYPE_CHECKING:
    from penstock.core.forms.text_form import Batch, Options, Sample, Tables

WIDTH: Final = 6  # columns that git writes a number in
LEAST: Final = 5  # authors; of fewer lines nothing can be told
MOST_AUTHORS: Final = 8  # authors that are named with their counts

_LINE = re.compile(r"( *)([0-9]{1,9})\t([^\t\n]+)")
_LINES = re.compile(rf"(?:{_LINE.pattern}|.*)\n")


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
class ShortlogParser(LineParser):
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "authors"})
    commits: int = 0
    most: list[tuple[str, int]] = field(default_factory=list)
    last: list[tuple[str, int]] = field(default_factory=list)  # the author before
    is_falling: bool = True  # the counts,
    is_counting: bool = True  # each one more than that before,
    is_rising: bool = True  # and the names

    def read(self, lines: list[str]) -> Batch:
        numbers, rows, others = matched(_LINES, lines, self.seen + 1)
        if others:
            raise DoesNotHoldError("a line without a number and a name")
        if not rows:
            return {}
        counts, names = [int(row[1]) for row in rows], [row[2] for row in rows]
        authors = list(zip(names, counts, strict=True))
        pairs = list(pairwise((*self.last, *authors)))
        self.is_falling = self.is_falling and all(one[1] >= two[1] for one, two in pairs)
        self.is_counting = self.is_counting and all(one[1] + 1 == two[1] for one, two in pairs)
        self.is_rising = self.is_rising and all(one[0] <= two[0] for one, two in pairs)
        self.last = authors[-1:]
        self.commits += sum(counts)
        self.most = nlargest(MOST_AUTHORS + 1, [*self.most, *authors], key=itemgetter(1))
        if not self.options["mails"]:
            return {"items": {"line": numbers, "commits": counts, "author": names}}
        people, addresses = zip(*map(person, names), strict=True)
        return {"items": {"line": numbers, "commits": counts, "author": list(people), "email": list(addresses)}}

    def holds(self) -> bool:
        return (self.is_falling or self.is_rising) and not self.is_counting

    def words(self, tables: Tables) -> Words:
        [table] = tables
        what = f"git shortlog: {counted(self.commits, 'commit')} by {counted(table.count, 'author')}"
        return Words(
            what=what, facts=(f"most commits: {tally(self.most, MOST_AUTHORS, more=table.count - len(self.most))}",)
        )


FORM: Final = TextForm(name="shortlog", title="git shortlog", recognise=recognise, make=ShortlogParser)
