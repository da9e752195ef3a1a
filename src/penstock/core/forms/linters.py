"""Findings of compilers and linters, one on a line: gcc, clang, mypy, ruff, flake8, pylint, shellcheck, javac, cppcheck
and others (``file:line:col: severity: message [code]``, ``file:line:col: CODE message``), tsc, MSBuild and MSVC
(``file(line,col): severity CODE: message``), pyright (``file:line:col - severity: message (code)``), go vet and
golangci-lint (``file:line:col: message``).

The severity or the code stands in its place on every line, or it is no finding: a search result with "error" somewhere
in it is a match. Source that is quoted below a finding, and headings above, are no rows; see linter_rows for the table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from penstock.core.forms.grep import FILE, NO_TIME
from penstock.core.forms.linter_rows import CODE, SEVERITY, SPARE, FindingColumns, Findings, least_of, whole_findings
from penstock.core.forms.path_counts import is_file_name
from penstock.core.forms.text_form import LONGEST_LINE, DoesNotHoldError, Options, Sample, TextForm, Words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.core.forms.text_form import Batches, Lines, Tables

LONGEST_CODE: Final = 120  # characters of a code behind a message, with its brackets
OFTEN: Final = {"[": 10, "(": 2}  # of so many findings without a code one has it behind its message, in such brackets
MOST_OTHER: Final = 20  # without severity and code, one line in so many may be no finding

_FILE: Final = rf"({FILE})"
_COLON: Final = rf"{_FILE}{NO_TIME}:([0-9]{{1,9}})(?::([0-9]{{1,9}}))?+(?:-[0-9]{{1,9}})?+(?:: | - | )"
_PAREN: Final = (
    r"(?:[0-9]{1,4}>)?+([^\s(](?:[^(\n]++|\((?![0-9]+[,)]))*+)\(([0-9]{1,9})"
    r"(?:,([0-9]{1,9}))?+(?:,[0-9]{1,9}){0,2}+\) ?: "
)
_CAUSE: Final = (
    rf"(?:\[?({CODE})\]?:? (?:({SEVERITY}): )?+"  # E501 message
    rf"|\[?({SEVERITY})\]?(?: ({CODE}))?+(?::| -|(?<=\])) (?:\[([a-z][\w-]*)\] )?+"  # error TS2322: message
    r"|([A-Z]): (?:\[\w+\] )?+([A-Z]\w*(?:/\w+)+): )(.*+)"  # C: Style/Name: message
)
_WHOLE: Final = rf"(?=[^:\n]{{0,4094}}[./]){_FILE}: ({SEVERITY}): (.*+)"  # a finding of a whole file
# Without severity and code: a column, one blank, and a message that begins like one.
_BARE: Final = rf"{_FILE}{NO_TIME}:([0-9]{{1,9}}):([0-9]{{1,9}}): ()()()()()()()([A-Za-z\"'`(].*+)"
_CODES: Final = (3, 6, 7, 9)  # groups
_SEVERITIES: Final = (4, 5, 8, 12)
_STYLES: Final = {"colon": _COLON + _CAUSE, "paren": _PAREN + _CAUSE, "bare": _BARE}
_LINE: Final = {style: re.compile(rf" {{0,4}}+{pattern}") for style, pattern in _STYLES.items()}
_LINES: Final = {style: re.compile(rf"(?: {{0,4}}+(?:{pattern}|{_WHOLE})|.*+)\n") for style, pattern in _STYLES.items()}
# What stands above findings: `In file included from`, `a.c: In function 'f':`, `**** Module a`, a file's name.
_HEADING = re.compile(r"In file included from |.{1,400}: (?:In |At )|\*{3,}|-{5,}$|# |(?=\S*[./\\])\S++$")
_CARET = re.compile(r"[\s~]*+\^[\s~^]*+$")
_TRAILING: Final = {"[": re.compile(r"\[([^\[\]\s]+)\]$"), "(": re.compile(r"\(([A-Za-z@][\w@/:.-]*)\)$")}


def recognise(sample: Sample) -> Options | None:
    """Return the style of which enough lines are."""
    lines = sample.short
    for style in ("colon", "paren", "bare"):
        matches = list(map(_LINE[style].match, lines))
        rows = [match.groups("") for match in matches if match]
        other = sum(not match and line[0] not in " \t|" for match, line in zip(matches, lines, strict=True))
        named = sum(is_file_name(groups[0]) for groups in rows)
        most = len(lines) // (MOST_OTHER if style == "bare" else 2)
        if len(rows) >= least_of(lines) and other <= SPARE + most and named * 2 >= len(rows):
            messages = [groups[10] for groups in rows if not any(groups[at] for at in _CODES)]
            return {"style": style, "trailing": _mark_of(messages)}
    return None


def _mark_of(messages: list[str]) -> str:
    """Return the brackets in which codes stand behind messages of findings that have none before it; empty for none."""
    for mark, pattern in _TRAILING.items():
        count = sum(pattern.search(message[-LONGEST_CODE:]) is not None for message in messages)
        if count and count * OFTEN[mark] >= len(messages):
            return mark
    return ""


@dataclass(slots=True, kw_only=True)
class LinterParser:
    options: Options
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "findings"})
    findings: Findings = field(default_factory=Findings)
    doubtful: bool = False  # the line before belongs to no finding, unless a caret stands below it

    def parse(self, lines: Lines) -> Batches:
        findings, pattern = self.findings, _LINES[self.options["style"]]
        for some in whole_findings(lines):
            rows = pattern.findall("\n".join([*some, ""]))
            numbers = list(range(findings.seen + 1, findings.seen + 1 + len(some)))
            if not all(groups[0] for groups in rows):
                rows = self._with_late_codes(some, rows)
                self._note_others(some, rows)
                numbers = [number for number, groups in zip(numbers, rows, strict=True) if any(groups)]
                rows = [groups for groups in rows if any(groups)]
            yield findings.take(self._columns(numbers, rows), some) if rows else {}
            findings.seen += len(some)
        others = findings.seen - findings.blank - findings.count
        if not findings.holds or (self.options["style"] == "bare" and (others - SPARE) * MOST_OTHER > findings.seen):
            raise DoesNotHoldError("lines that are no findings")

    def _columns(self, numbers: list[int], rows: list[tuple[str, ...]]) -> FindingColumns:
        groups = list(zip(*rows, strict=True))
        codes, messages = _first(*(groups[at] for at in _CODES)), _first(groups[10], groups[13])
        if self.options["trailing"]:
            codes, messages = _part_codes(codes, messages, self.options["trailing"])
        files, severities = _first(groups[0], groups[11]), _first(*(groups[at] for at in _SEVERITIES))
        return FindingColumns(numbers, files, groups[1], groups[2], severities, codes, messages)

    def _with_late_codes(self, lines: list[str], rows: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
        """Return the findings, those of which the message goes on below with the code that stands behind its end."""
        if self.options["trailing"] != "(":  # brackets are at the end of quoted source as well
            return rows
        pattern, last, rows = _TRAILING["("], -1, list(rows)
        for at, (line, groups) in enumerate(zip(lines, rows, strict=True)):
            if any(groups):
                last = at
            elif last >= 0 and line[:1] == " " and line[-1] == ")":
                message = rows[last][10] or rows[last][13]
                if (late := pattern.match(line, line.rfind("("))) and not pattern.match(message, message.rfind("(")):
                    rows[last] = (*rows[last][:9], late[1], *rows[last][10:])
            else:
                last = last if line[:1] == " " else -1
        return rows

    def _note_others(self, lines: list[str], rows: list[tuple[str, ...]]) -> None:
        """Count lines that belong to no finding: not quoted below one, not a heading above some, no summary."""
        findings = self.findings
        for line, groups in zip(lines, rows, strict=True):
            if groups[0] or groups[11]:
                self.doubtful = False
            elif not line or line.isspace():
                findings.blank += 1
            elif line[0] in " \t|":
                findings.unfit -= self.doubtful and _CARET.match(line, 0, LONGEST_LINE) is not None
                self.doubtful = False
            else:
                beginning = line[:LONGEST_LINE]
                self.doubtful = not (_CARET.match(beginning) or _HEADING.match(beginning) or findings.sums_up(line))
                findings.unfit += self.doubtful

    def words(self, tables: Tables) -> Words:
        del tables
        return self.findings.words()


def _first(*columns: Sequence[str]) -> Sequence[str]:
    """Return the first text of each row that is not empty."""
    filled = [column for column in columns if any(column)]
    if len(filled) < 2:
        return filled[0] if filled else columns[0]
    return [next(filter(None, texts), "") for texts in zip(*filled, strict=True)]


def _part_codes(codes: Sequence[str], messages: Sequence[str], mark: str) -> tuple[list[str], list[str]]:
    """Take codes from behind the messages of findings that have none: in brackets that begin with ``mark``."""
    close, pattern = {"[": "]", "(": ")"}[mark], _TRAILING[mark]
    parted = list(codes), list(messages)
    for at, message in enumerate(messages):
        if message.endswith(close) and not codes[at]:
            start = message.rfind(mark)
            if match := pattern.match(message, start):
                parted[0][at], parted[1][at] = match[1], message[:start].rstrip()
    return parted


FORM: Final = TextForm(name="linter", title="linter output", recognise=recognise, make=LinterParser, is_costly=True)
