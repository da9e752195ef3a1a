"""Makes the table of findings of compilers and linters, and its words: the same for every layout of their output.

Table ``items``: ``line``, ``file``, ``file_line``, ``col``, ``severity``, ``code``, ``message``; a column that the text
never has is left out. The message is its first line, without a code that stands behind it (``[arg-type]``).
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from penstock.core.forms.delimited import texts_of
from penstock.core.forms.path_counts import MOST_NAMED, PathCounts, base_of, extension_fact, file_fact, folder_fact
from penstock.core.forms.text_form import BATCH, DoesNotHoldError, Excerpt, Words
from penstock.core.text import counted, plain, tally

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from penstock.core.forms.text_form import Batch, Batches, Columns, Lines, Options, Tables

LEAST: Final = 3  # findings; fewer may be quoted anywhere
SPARE: Final = 2  # lines that any output may have beside findings,
UNFIT: Final = 10  # and one in so many: what a build tells between them
SPREAD: Final = 25  # lines for one finding at most, on average: compilers quote the source below each
MOST_SUMMARIES: Final = 3  # lines that sum up, the last ones
MOST_CODES: Final = 500  # codes of which the first finding is kept
SHOWN_FINDINGS: Final = 6
LONGEST_SUMMARY: Final = 200  # characters

SEVERITY: Final = (
    r"(?:[Ee]rror|[Ww]arning|[Nn]ote|[Ii]nfo(?:rmation)?+|[Hh]int|[Ss]tyle|[Ff]atal error|internal compiler error"
    r"|[Pp]erformance|[Pp]ortability|[Cc]onvention|[Rr]efactor|[Rr]emark|[Nn]otice|[Ss]uggestion)"
)
CODE: Final = r"[A-Z][A-Za-z]{0,8}-?[0-9]{1,5}(?:/[a-z][\w/-]*)?"
# What linters write below their findings.
_SUMMARY = re.compile(
    r"(?:Found|Checked|Success:|Your code|All checks|No fixes) \b.*|\[\*\] [0-9].*|(?:✖ |✔ )?[0-9,]+ (?:fatal )?"
    r"(?:errors?|warnings?|notes?|problems?|issues?|findings?|violations?|offenses?|diagnostics?)\b.*"
    r"|(?:error|warning): (?:aborting|could not|`[^`]*` \().*"
)


class FindingColumns(NamedTuple):
    """Some findings, column by column; what is missing is an empty text."""

    line: list[int]
    file: Sequence[str]
    file_line: Sequence[str]
    col: Sequence[str]
    severity: Sequence[str]
    code: Sequence[str]
    message: Sequence[str]


NO_FINDINGS: Final = FindingColumns([], (), (), (), (), (), ())


def whole_findings(lines: Iterable[str]) -> Iterator[list[str]]:
    """Yield lines some thousands at a time; indented lines stay with the line that they belong to, if they are not
    many."""
    some: list[str] = []
    for line in lines:
        if len(some) >= BATCH and (line[:1] not in (" ", "\t") or len(some) == 2 * BATCH):
            yield some
            some = []
        some.append(line)
    if some:
        yield some


def least_of(lines: Sequence[str]) -> int:
    """Return how many of the lines of a sample have to be findings."""
    return max(LEAST, len(lines) // SPREAD)


def numbers_of(texts: Sequence[str]) -> list[int | None]:
    """Read digits as numbers, empty texts as None."""
    return list(map(int, texts)) if all(texts) else [int(text) if text else None for text in texts]


@dataclass(slots=True, kw_only=True)
class FindingsParser:
    """Takes the findings of a text in; ``read`` of a layout finds them in some lines."""

    options: Options
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "findings"})
    seen: int = 0  # lines read
    count: int = 0
    unfit: int = 0
    blank: int = 0
    files: PathCounts = field(default_factory=PathCounts)
    error_files: PathCounts = field(default_factory=PathCounts)
    severities: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    first: dict[str, tuple[int, str]] = field(default_factory=dict)  # the first finding of each code or severity
    summaries: list[str] = field(default_factory=list)

    @abstractmethod
    def read(self, lines: list[str]) -> FindingColumns:
        """Return the findings in some lines, which follow those seen before, and count the other lines."""

    def parse(self, lines: Lines) -> Batches:
        for some in whole_findings(lines):
            columns = self.read(some)
            yield self._take(columns, some) if columns.line else {}
            self.seen += len(some)
        if not self.holds():
            raise DoesNotHoldError("lines that are no findings")

    def holds(self) -> bool:
        """Tell whether the text is findings and what belongs to them."""
        return (
            self.count >= LEAST
            and (self.unfit - SPARE) * UNFIT <= self.seen
            and self.count * SPREAD >= self.seen - self.blank
        )

    def _take(self, columns: FindingColumns, lines: Sequence[str]) -> Batch:
        items: Columns = {"line": columns.line, "file": list(columns.file), "file_line": numbers_of(columns.file_line)}
        if any(columns.col):
            items["col"] = numbers_of(columns.col)
        for name, texts in (("severity", columns.severity), ("code", columns.code)):
            if any(texts):
                items[name] = texts_of(texts)
        self.count += len(columns.line)
        self.files.add(columns.file)
        self.severities.update(filter(None, columns.severity))
        errors = {severity for severity in set(columns.severity) if severity.lower().endswith("error")}
        pairs = zip(columns.file, columns.severity, strict=True)
        self.error_files.add([file for file, severity in pairs if severity in errors] if errors else ())
        self._note_codes(columns, lines)
        return {"items": {**items, "message": list(columns.message)}}

    def _note_codes(self, columns: FindingColumns, lines: Sequence[str]) -> None:
        """Count codes, and keep the first finding of each, or of each severity where there are no codes."""
        keys = columns.code if any(columns.code) else columns.severity
        for key in sorted(set(keys) - self.first.keys())[: MOST_CODES - len(self.first)]:
            number = columns.line[keys.index(key)]
            self.first[key] = (number, lines[number - self.seen - 1])
        if len(self.codes) <= MOST_CODES:
            self.codes.update(filter(None, columns.code))

    def sums_up(self, line: str) -> bool:
        """Keep a line if it is one that sums up."""
        if not _SUMMARY.match(line):
            return False
        self.summaries = [*self.summaries, line][-MOST_SUMMARIES:]
        return True

    def words(self, tables: Tables) -> Words:
        del tables
        facts = [f"its own summary: {plain(line.strip(), LONGEST_SUMMARY)}" for line in self.summaries]
        if self.files.complete:
            folders = self.files.folders()
            facts += folder_fact(folders)
            if 0 < self.error_files.counts.total() < self.count:
                facts += file_fact(self.error_files, "errors by file", base_of(folders))
            facts += file_fact(self.files, "by file", base_of(folders))
        if self.severities:
            none = self.count - self.severities.total()
            counts = [*self.severities.most_common(), *([("none", none)] if none else [])]
            facts.append(f"by severity: {tally(counts, MOST_NAMED)}")
        if self.codes and len(self.codes) <= MOST_CODES:
            facts.append(f"by code: {tally(self.codes.most_common(), MOST_NAMED)}")
        if self.files.complete and len(extensions := self.files.extensions()) > 1:
            facts += extension_fact(extensions)
        if self.unfit:
            facts.append(f"no part of a finding, and in no table: {counted(self.unfit, 'line')}")
        what = f"{counted(self.count, 'finding')} in {self.files.amount('file')}"
        return Words(what=what, facts=tuple(facts), excerpts=self._excerpts())

    def _excerpts(self) -> tuple[Excerpt, ...]:
        common = [code for code, _ in (self.codes or self.severities).most_common()]
        firsts = sorted(self.first[code] for code in [one for one in common if one in self.first][:SHOWN_FINDINGS])
        title = f"the first finding of each of the commonest {'codes' if self.codes else 'severities'}"
        if not firsts:
            firsts, title = sorted(self.first.values()), "the first finding"
        return Excerpt.of(title, firsts)
