"""``git blame`` in its variants (-e, -s, -f, -n, -l, -t, --date), ``git annotate``, and --porcelain for programs.

``items`` has a row for each line of the blamed file: ``line`` (its number there, as the text tells it), ``commit``
(without the mark of a boundary), ``author`` (``email`` with -e), ``date`` (in the order of ISO 8601 with the offset of
the text, where it is a date), ``text``, and ``file`` if the text tells it. What -s leaves out has no column.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.git_text import iso_date, unquote
from penstock.core.forms.text_form import BATCH, LONGEST_LINE, DoesNotHoldError, Options, Sample, TextForm, Words
from penstock.core.text import counted, split_words, tally

if TYPE_CHECKING:
    from penstock.core.forms.text_form import Batches, Columns, Lines, Parser, Tables

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
_KEPT: Final = ("author", "author-mail", "date", "filename")
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
    return PorcelainParser() if options["style"] == "porcelain" else BlameParser(options=options)


@dataclass(slots=True, kw_only=True)
class Blame:
    """The words about a blame, however it is written."""

    nouns: dict[str, str] = field(default_factory=lambda: {"items": "lines"})
    misses: int = 0

    def _miss(self, total: int) -> None:
        self.misses += 1
        if self.misses > FEW_MISSES + total // MISSES:
            raise DoesNotHoldError("lines that are no lines of a blame")

    def words(self, tables: Tables) -> Words:
        [table] = tables
        who = table.field("author") or table.field("email")
        parts, facts = [], []
        if who is not None and who.column.different:
            parts.append(counted(who.column.different, "author"))
            facts.append(f"lines by author: {tally(who.column.values(), MOST_AUTHORS)}")
        commit = table.field("commit")
        if commit is not None and commit.column.different:
            parts.append(counted(commit.column.different, "commit"))
        if self.misses:
            facts.append(f"other lines: {self.misses:,}")
        return Words(
            what=f"git blame of {counted(table.count, 'line')}: {', '.join(parts)}".rstrip(": "), facts=tuple(facts)
        )


@dataclass(slots=True, kw_only=True)
class BlameParser(Blame):
    options: Options

    def parse(self, lines: Lines) -> Batches:
        match_line, last = _pattern(self.options["style"], tabbed=self.options["tabbed"]).match, 0
        rows: list[tuple[Any, ...]] = []
        for total, line in enumerate(lines, start=1):
            match = match_line(line, 0, LONGEST_LINE)
            if match is not None and (number := int(match[5])) > last:
                last = number
                rows.append(
                    match.groups() if len(line) <= LONGEST_LINE else (*match.groups()[:5], line[match.start(6) :])
                )
                if len(rows) == BATCH:
                    yield {"items": self._columns(rows)}
                    rows = []
            elif line:
                self._miss(total)
        if rows:
            yield {"items": self._columns(rows)}

    def _columns(self, rows: list[tuple[Any, ...]]) -> Columns:
        commits, places, people, dates, numbers, texts = (list(cells) for cells in zip(*rows, strict=True))
        columns: Columns = {"line": list(map(int, numbers)), "commit": commits}
        if self.options["mails"]:
            columns["email"] = [one.strip(" <>") or None for one in people]
        elif self.options["style"] != "none":
            columns["author"] = [one.strip() or None for one in people]
        if self.options["style"] != "none":
            known = {date: iso_date(date) for date in set(dates)}
            columns["date"] = [known[date] for date in dates]
        columns["text"] = texts
        files = [self._file(place.strip()) for place in places] if any(map(str.strip, places)) else []
        if any(files):
            columns["file"] = files
        return columns

    def _file(self, place: str) -> str | None:
        if place and self.options["numbered"] and (match := _NUMBERED.fullmatch(place)):
            place = (match[1] or "").strip()
        return unquote(place) or None


@dataclass(slots=True, kw_only=True)
class PorcelainParser(Blame):
    """``--line-porcelain`` tells all of a commit above each line, ``--porcelain`` above the first that it has."""

    def parse(self, lines: Lines) -> Batches:
        commits: dict[str, dict[str, str]] = {}  # what the text tells of each, so it is no longer than the text
        known: dict[str, str] = {}
        entry: re.Match[str] | None = None
        rows: list[tuple[Any, ...]] = []
        for total, line in enumerate(lines, start=1):
            if entry is None:
                entry = _ENTRY.fullmatch(line)
                if entry is not None:
                    known = commits.setdefault(entry[1], {})
                elif line:
                    self._miss(total)
            elif line.startswith("\t"):
                rows.append((int(entry[2]), entry[1], *map(known.get, _KEPT), line[1:]))
                entry = None
                if len(rows) == BATCH:
                    yield {"items": _porcelain_columns(rows)}
                    rows = []
            else:
                key, _, value = line.partition(" ")
                if key in _KEPT or key == "author-time":
                    known[key] = value
                elif key == "author-tz":
                    known["date"] = iso_date(f"{known.get('author-time', '')} {value}")
                elif key not in _OTHER_KEYS:
                    self._miss(total)
        if rows:
            yield {"items": _porcelain_columns(rows)}


def _porcelain_columns(rows: list[tuple[Any, ...]]) -> Columns:
    numbers, commits, authors, mails, dates, files, texts = (list(cells) for cells in zip(*rows, strict=True))
    columns: Columns = {"line": numbers, "commit": commits, "author": authors}
    columns["email"] = [mail and mail.strip("<>") for mail in mails]
    return {**columns, "date": dates, "text": texts, "file": [file and unquote(file) for file in files]}


FORM: Final = TextForm(name="blame", title="git blame", recognise=recognise, make=parser)
