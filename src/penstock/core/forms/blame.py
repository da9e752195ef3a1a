"""``git blame`` in its variants (-e, -s, -f, -n, -l, -t, --date), ``git annotate``, and --porcelain for programs.

``items`` has a row for each line of the blamed file: ``line`` (its number there, as the text tells it), ``commit``
(without the mark of a boundary), ``author`` (``email`` with -e), ``date`` (in the order of ISO 8601 with the offset of
the text, where it is a date), ``text``, and ``file`` if the text tells it. What -s leaves out has no column.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from penstock.core.forms.git_text import iso_date, unquote
from penstock.core.forms.text_form import LONGEST_LINE, LineParser, RowBatches, TextForm, Words, facts
from penstock.core.text import counted, split_words, tally

if TYPE_CHECKING:
    from penstock.core.forms.text_form import Batch, Options, Parser, Sample, Tables

LEAST: Final = 3  # lines; of fewer nothing can be told
MISSES: Final = 100  # one line in so many may be another: words of the tool around the blame
FEW_MISSES: Final = 2
MOST_AUTHORS: Final = 8  # authors that are named with their counts

_CLOCK = "[0-9]{2}:[0-9]{2}:[0-9]{2}"
_DATES: Final = {
    "iso": f"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}} {_CLOCK} [+-][0-9]{{4}}",
    "strict": f"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}T{_CLOCK}(?:Z|[+-][0-9]{{2}}:[0-9]{{2}})",
    "short": "[0-9]{4}-[0-9]{2}-[0-9]{2}",
    "default": f"[A-Z][a-z]{{2}} [A-Z][a-z]{{2}} {{1,2}}[0-9]{{1,2}} {_CLOCK} [0-9]{{4}}(?: [+-][0-9]{{4}})?",
    "mail": f"[A-Z][a-z]{{2}}, [0-9]{{1,2}} [A-Z][a-z]{{2}} [0-9]{{4}} {_CLOCK} [+-][0-9]{{4}}",
    "seconds": "[0-9]{9,10}(?: [+-][0-9]{4})?",
    "relative": "(?:[0-9]{1,4} [a-z]{1,9}(?:, [0-9]{1,4} [a-z]{1,9})? ago|in the future)",
}
# Before the parenthesis may stand the name of the file (-f, or if it was renamed) and the number of the line then (-n).
_COMMIT = r"[\^*?]{0,2}([0-9a-f]{4,64})[ \t]"
_STYLES: Final = {
    **{name: rf"{_COMMIT}([^(]*+)\((.*?)[ \t]({date})[ \t]++([0-9]{{1,9}})\)" for name, date in _DATES.items()},
    "none": rf"{_COMMIT}([^()]*?)()()([0-9]{{1,9}})\)",
}
_BEGINNING = re.compile(_COMMIT)
_ENTRY = re.compile(r"([0-9a-f]{40,64}) [0-9]{1,9} ([0-9]{1,9})(?: [0-9]{1,9})?")
_KEPT: Final = ("author", "author-mail", "author-time", "filename")
_OTHER_KEYS: Final = split_words(
    "committer committer-mail committer-time committer-tz summary previous boundary ignored unblamable"
)
_NUMBERED = re.compile(r"(?:(.*?) )??[0-9]{1,9}")


def recognise(sample: Sample) -> Options | None:
    """Return how the text is written, if nearly all lines of the sample are like the first, with numbers that rise."""
    lines = [line for line in sample.head if line]
    if len(lines) < LEAST:
        return None
    if _ENTRY.fullmatch(lines[0]) and lines[1].startswith("author "):
        return {"style": "porcelain"}
    if not any(map(_BEGINNING.match, lines[:LEAST])):
        return None
    tabbed = any("\t(" in line for line in lines[:LEAST])  # git annotate
    for style in _STYLES:
        pattern = _pattern(style, tabbed=tabbed)
        if not any(pattern.match(line, 0, LONGEST_LINE) for line in lines[:LEAST]):
            continue
        matches = [match for line in lines if (match := pattern.match(line, 0, LONGEST_LINE))]
        rising = sum(int(one[5]) < int(two[5]) for one, two in pairwise(matches))
        if rising and rising + 1 >= len(lines) - FEW_MISSES - len(lines) // MISSES:
            numbered = all(_NUMBERED.fullmatch(match[2].strip()) for match in matches)
            mails = style != "none" and all(match[3].startswith("<") and ">" in match[3] for match in matches)
            return {"style": style, "tabbed": tabbed, "numbered": numbered, "mails": mails}
    return None


def _pattern(style: str, *, tabbed: bool) -> re.Pattern[str]:
    """Return what each line matches: commit, place, author, date, number, text. ``git annotate`` has no space before
    it."""
    return re.compile(_STYLES[style] + ("(.*)" if tabbed else " ?(.*)"))


def parser(options: Options) -> Parser:
    return (PorcelainParser if options["style"] == "porcelain" else BlameParser)(options=options)


@dataclass(slots=True, kw_only=True)
class Blame(LineParser):
    """The words about a blame, however it is written."""

    nouns: dict[str, str] = field(default_factory=lambda: {"items": "lines"})

    def holds(self) -> bool:
        return self.unfit <= FEW_MISSES + self.seen // MISSES

    def words(self, tables: Tables) -> Words:
        [table] = tables
        who, commit = table.field("author") or table.field("email"), table.field("commit")
        amounts = [(one.column.different, noun) for one, noun in ((who, "author"), (commit, "commit")) if one]
        parts = ", ".join(counted(amount, noun) for amount, noun in amounts if amount)
        authors = who.column.values() if who else []
        return Words(
            what=f"git blame of {counted(table.count, 'line')}: {parts}".rstrip(": "),
            facts=facts(
                (authors, f"lines by author: {tally(authors, MOST_AUTHORS)}"),
                (self.unfit, f"other lines: {self.unfit:,}"),
            ),
        )


@dataclass(slots=True, kw_only=True)
class BlameParser(Blame):
    last: int = 0  # the number before

    def read(self, lines: list[str]) -> Batch:
        match_line = _pattern(self.options["style"], tabbed=self.options["tabbed"]).match
        rows: list[tuple[str, ...]] = []
        for line in lines:
            match = match_line(line, 0, LONGEST_LINE)
            if match is not None and int(match[5]) > self.last:
                self.last = int(match[5])
                whole = len(line) <= LONGEST_LINE
                rows.append(match.groups() if whole else (*match.groups()[:5], line[match.start(6) :]))
            else:
                self.unfit += bool(line)
        return self._columns(*map(list, zip(*rows, strict=True))) if rows else {}

    def _columns(
        self, commits: list[str], places: list[str], people: list[str], dates: list[str], *rest: list[str]
    ) -> Batch:
        numbers, texts = rest
        batch: Batch = {"items": {"line": list(map(int, numbers)), "commit": commits}}
        columns = batch["items"]
        if self.options["style"] != "none":
            signs, name = (" <>", "email") if self.options["mails"] else (None, "author")
            columns[name] = [one.strip(signs) or None for one in people]
            known = {date: iso_date(date) for date in set(dates)}
            columns["date"] = [known[date] for date in dates]
        columns["text"] = texts
        if any(map(str.strip, places)) and any(files := [self._file(place.strip()) for place in places]):
            columns["file"] = files
        return batch

    def _file(self, place: str) -> str | None:
        if place and self.options["numbered"] and (match := _NUMBERED.fullmatch(place)):
            place = (match[1] or "").strip()
        return unquote(place) or None


@dataclass(slots=True, kw_only=True)
class PorcelainParser(Blame):
    """``--line-porcelain`` tells all of a commit above each line, ``--porcelain`` above the first that it has."""

    commits: dict[str, dict[str, str]] = field(default_factory=dict)  # what the text tells of each
    entry: re.Match[str] | None = None  # above a line that is still to come

    def read(self, lines: list[str]) -> Batch:
        rows = RowBatches(items="line commit author email date text file")
        for line in lines:
            entry, known = self.entry, self.commits[self.entry[1]] if self.entry else {}
            if entry is None:
                self.entry = _ENTRY.fullmatch(line)
                if self.entry is not None:
                    self.commits.setdefault(self.entry[1], {})
                else:
                    self.unfit += bool(line)
            elif line.startswith("\t"):
                author, mail, date, file = map(known.get, ("author", "author-mail", "date", "filename"))
                rows.add("items", int(entry[2]), entry[1], author, mail and mail.strip("<>"), date, line[1:], file)
                self.entry = None
            else:
                key, _, value = line.partition(" ")
                if key == "author-tz":
                    known["date"] = iso_date(f"{known.get('author-time', '')} {value}")
                elif key in _KEPT:
                    known[key] = unquote(value) if key == "filename" else value
                else:
                    self.unfit += key not in _OTHER_KEYS
        return next(rows.take())


FORM: Final = TextForm(name="blame", title="git blame", recognise=recognise, make=parser)
