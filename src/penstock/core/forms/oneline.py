"""``git log --oneline``, with or without decorations and --graph: a commit in each line.

``items`` has a row for each: ``line``, ``commit``, ``subject``, and ``refs`` (branches and tags) if any are told.

Many texts have lines that begin with hex digits: checksums, addresses, dumps. A list of commits has digits of about one
length in all lines, of which none repeats and no beginning is common, one space after them, and subjects in words.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from penstock.core.forms.delimited import texts_of
from penstock.core.forms.text_form import LONGEST_LINE, Excerpt, LineParser, TextForm, Words, facts, matched
from penstock.core.text import counted

if TYPE_CHECKING:
    from penstock.core.forms.text_form import Batch, Options, Sample, Tables

LEAST: Final = 5  # commits; of fewer lines nothing can be told
MISSES: Final = 100  # one line in so many may be another, of the tool that made the list, and one at either end
SPREAD: Final = 4  # digits by which lengths differ: git makes names longer where they would be ambiguous
LONGEST_SHOWN: Final = 400  # characters of a line that is shown

# Branches and tags in parentheses: names have no spaces, but for "HEAD -> main" and "tag: v1".
_REF = r"(?:HEAD(?: -> [^\s,()]++)?+|tag: [^\s,()]++|[^\s,()]++)"
_REFS = rf"(?: \(({_REF}(?:, {_REF})*+)\)(?= |$))?+"
_NAME = r"([0-9a-f]{7,40}+)"
_SUBJECT = r"(?: (?! )|$)(.*)"
_GRAPH: Final = "*|/\\_ .-"
_DRAWN = r"[|/\\ ]*+\*[-.|/\\_ ]*+"
_BEGINNING = re.compile(rf"(?:{_DRAWN})?+[0-9a-f]{{7,40}}+(?: |$)")
_DECORATED = re.compile(rf"(?:{_DRAWN})?+[0-9a-f]{{7,40}} \((?:HEAD|tag: |[^\s,()/]+/[^\s,()]+[,)])")
_REFLOG = re.compile(r"[^\s@]*+@\{")
_DIGITS = re.compile(r"[0-9a-f][0-9a-f ]*+")


def recognise(sample: Sample) -> Options | None:
    """Return how the commits are written, if nearly all lines of the sample are commits."""
    lines = [line for line in sample.lines if line.strip(_GRAPH)]
    if not any(map(_BEGINNING.match, lines[:LEAST])):
        return None
    options = options_for(lines)
    pattern = line_pattern(options)
    matches = [match for line in lines if (match := pattern.match(line, 0, LONGEST_LINE))]
    misses = len(lines) - len(matches)
    if len(matches) < LEAST or misses > 2 + len(lines) // MISSES:
        return None
    # Runs of lines from all over a text may have those of its head again.
    head = [match for line in sample.head if (match := pattern.match(line, 0, LONGEST_LINE))]
    if not _are_names([match[1] for match in head]) or not _are_subjects([match[3] for match in matches]):
        return None
    return options


def options_for(lines: list[str]) -> Options:
    """Tell whether lines have decorations, and are drawn as a graph."""
    graph = any(line.startswith("* ") for line in lines)
    return {"refs": any(map(_DECORATED.match, lines)), "graph": graph}


def line_pattern(options: Options) -> re.Pattern[str]:
    """Return what each line of a commit matches: its name, refs and subject."""
    return re.compile(_line(options))


def _line(options: Options) -> str:
    return f"{_DRAWN if options['graph'] else ''}{_NAME}{_REFS if options['refs'] else '()'}{_SUBJECT}"


def _are_names(names: list[str]) -> bool:
    """Tell whether these can be names of commits: no checksums of files, no addresses, no numbers, none twice."""
    if not names:
        return False
    lengths = set(map(len, names))
    most = len(names)
    _, common = Counter(name[:2] for name in names).most_common(1)[0]
    return (
        max(lengths) - min(lengths) <= SPREAD
        and 32 not in lengths  # MD5
        and len(set(names)) == most
        and common * 2 <= most
        # Of seven random digits all are decimal in 4 of 100 names, none in 1 of 1,000.
        and sum(not name.isdecimal() for name in names) * 10 >= most * 8
        and sum(not name.isalpha() for name in names) * 10 >= most * 8
    )


def _are_subjects(subjects: list[str]) -> bool:
    """Tell whether these are what people write: words; not paths, refs, lines of a blame or a reflog, digits of a
    dump."""
    others = sum(
        subject.startswith(("refs/", "(")) or bool(_REFLOG.match(subject) or _DIGITS.fullmatch(subject))
        for subject in subjects
    )
    return others * 2 < len(subjects) and sum(" " in subject for subject in subjects) * 3 >= len(subjects)


@dataclass(slots=True, kw_only=True)
class OnelineParser(LineParser):
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "commits"})
    merges: int = 0
    first: tuple[int, str] | None = None
    last: tuple[int, str] | None = None

    def read(self, lines: list[str]) -> Batch:
        pattern = re.compile(rf"(?:{_line(self.options)}|.*)\n", re.MULTILINE)
        numbers, rows, others = matched(pattern, lines, self.seen + 1)
        self.unfit += sum(bool(line.strip(_GRAPH if self.options["graph"] else None)) for _, line in others)
        if not rows:
            return {}
        first, self.last = ((number, lines[number - self.seen - 1]) for number in (numbers[0], numbers[-1]))
        self.first = self.first or first
        commits, refs, subjects = zip(*rows, strict=True)
        self.merges += sum([subject.startswith("Merge ") for subject in subjects])
        more = {"refs": texts_of(refs)} if self.options["refs"] else {}
        return {"items": {"line": numbers, "commit": list(commits), "subject": texts_of(subjects), **more}}

    def holds(self) -> bool:
        return self.unfit <= 2 + self.seen // MISSES

    def words(self, tables: Tables) -> Words:
        [table] = tables
        merges = (self.merges, f'subjects that begin with "Merge ": {self.merges:,}')
        ends = (("first commit", self.first), ("last commit", self.last))
        excerpts = [
            one for title, end in ends if end and len(end[1]) <= LONGEST_SHOWN for one in Excerpt.of(title, [end])
        ]
        rest = facts(merges, (self.unfit, f"other lines: {self.unfit:,}"))
        return Words(what=f"{counted(table.count, 'commit')}, one a line", facts=rest, excerpts=tuple(excerpts))


FORM: Final = TextForm(name="oneline", title="a list of commits", recognise=recognise, make=OnelineParser)
