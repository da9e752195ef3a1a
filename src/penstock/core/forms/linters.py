"""Findings of compilers and linters, one on a line: gcc, clang, mypy, ruff, flake8, pylint, shellcheck, javac, cppcheck
and others (``file:line:col: severity: message [code]``, ``file:line:col: CODE message``), tsc, MSBuild and MSVC
(``file(line,col): severity CODE: message``), pyright (``file:line:col - severity: message (code)``), go vet and
golangci-lint (``file:line:col: message``).

The severity or the code stands in its place on every line, or it is no finding: a search result with "error" somewhere
in it is a match. Source that is quoted below a finding, and headings above, are no rows; see linter_rows for the table.

``BLOCKS`` are findings of several lines each, or with a heading above those of a file. ``headings``: eslint, stylelint,
yamllint and ruff's grouped output: the file on a line of its own, below it indented lines ``line:col severity message
rule``. ``arrows``: rustc, cargo, clippy and ruff's full output: ``error[E0308]: message`` and below it ``-->
file:line:col``, then quoted source.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.core.forms.grep import FILE, NO_TIME
from penstock.core.forms.linter_rows import CODE, NO_FINDINGS, SEVERITY, SPARE, FindingColumns, FindingsParser, least_of
from penstock.core.forms.path_counts import is_file_name
from penstock.core.forms.text_form import LONGEST_LINE, Options, Sample, TextForm

if TYPE_CHECKING:
    from collections.abc import Sequence


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
_ROW: Final = (
    rf"[ \t]{{1,8}}+([0-9]{{1,9}}):([0-9]{{1,9}})(?:-[0-9:]{{1,20}})?+[ \t]++"
    rf"(?:\[?({SEVERITY}|[✖⚠×✕])\]?[ \t]++|({CODE}) )(\S.*+)"
)
_HEADED = re.compile(_ROW)
_HEADED_LINES = re.compile(rf"(?:{_ROW}|.*+)\n")
_FILE_HEADING = re.compile(r"((?:[A-Za-z]:(?=[\\/]))?+[^\s:][^:\n]{0,4094}+):?")
_BEGINS: Final = rf"(?:([Ee]rror|[Ww]arning)(?:\[([^\]\n]{{1,80}})\])?+: |({CODE}) )(.*+)"
_ARROW_PLACE: Final = r"[ \t]*+--> ((?:[A-Za-z]:(?=[\\/]))?+[^:\n]++):([0-9]{1,9}):([0-9]{1,9})[ \t]*+"
_ARROW = re.compile(rf"{_BEGINS}\n{_ARROW_PLACE}\n")
_ARROW_LINES = re.compile(rf"(?:{_BEGINS}\n{_ARROW_PLACE}|.*+)\n")
# Below a finding: the gutter with quoted source, and advice.
_BELOW = re.compile(r"[ \t|]|[0-9]+ *[|+~-]|(?:\.\.\.|help|note|For more|Some errors|error|warning)\b")


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
class LinterParser(FindingsParser):
    doubtful: bool = False  # the line before belongs to no finding, unless a caret stands below it

    def read(self, lines: list[str]) -> FindingColumns:
        rows = _LINES[self.options["style"]].findall("\n".join([*lines, ""]))
        numbers = list(range(self.seen + 1, self.seen + 1 + len(lines)))
        if not all(groups[0] for groups in rows):
            rows = self._with_late_codes(lines, rows)
            self._note_others(lines, rows)
            numbers = [number for number, groups in zip(numbers, rows, strict=True) if any(groups)]
            rows = [groups for groups in rows if any(groups)]
        return self._columns(numbers, rows) if rows else NO_FINDINGS

    def holds(self) -> bool:
        others = self.seen - self.blank - self.count
        is_bare = self.options["style"] == "bare"
        return FindingsParser.holds(self) and not (is_bare and (others - SPARE) * MOST_OTHER > self.seen)

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
        for line, groups in zip(lines, rows, strict=True):
            if groups[0] or groups[11]:
                self.doubtful = False
            elif not line or line.isspace():
                self.blank += 1
            elif line[0] in " \t|":
                self.unfit -= self.doubtful and _CARET.match(line, 0, LONGEST_LINE) is not None
                self.doubtful = False
            else:
                beginning = line[:LONGEST_LINE]
                self.doubtful = not (_CARET.match(beginning) or _HEADING.match(beginning) or self.sums_up(line))
                self.unfit += self.doubtful


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


def recognise_blocks(sample: Sample) -> Options | None:
    """Return the layout of which there are enough findings."""
    lines = sample.short
    least = least_of(lines)
    if sum(line.lstrip().startswith("--> ") for line in lines) >= least:
        arrows = _ARROW.findall("\n".join([*lines, ""]))
        return {"style": "arrows"} if len(arrows) >= least else None
    if sample.starts.isdisjoint(" \t"):
        return None
    rows = [match for match in map(_HEADED.match, lines) if match]
    if len(rows) < least:
        return None
    headings = [line for line in lines if line[:1].strip() and is_file_name(line.removesuffix(":"))]
    if len(rows) >= len(headings) and (len(rows) + len(headings)) * 2 > len(lines) and headings:
        return {"style": "headings"}
    return None


@dataclass(slots=True, kw_only=True)
class BlocksParser(FindingsParser):
    file: str = ""  # of the heading above

    def read(self, lines: list[str]) -> FindingColumns:
        return self._arrows(lines) if self.options["style"] == "arrows" else self._headings(lines)

    def _headings(self, lines: list[str]) -> FindingColumns:
        rows: list[tuple[int, str, tuple[str, ...]]] = []
        groups_of = _HEADED_LINES.findall("\n".join([*lines, ""]))
        for number, (line, groups) in enumerate(zip(lines, groups_of, strict=True), self.seen + 1):
            if groups[0] and self.file:
                rows.append((number, self.file, groups))
            elif not line or line.isspace():
                self.blank += 1
                self.file = ""
            elif line[0] in " \t":
                self.unfit += not self.file
            elif not self.sums_up(line):
                heading = None if self.file else _FILE_HEADING.fullmatch(line)
                self.file = heading[1] if heading else self.file
                self.unfit += heading is None
        if not rows:
            return NO_FINDINGS
        file_lines, cols, severities, codes, messages = zip(*(row[2] for row in rows), strict=True)
        numbers, files = [row[0] for row in rows], [row[1] for row in rows]
        return FindingColumns(numbers, files, file_lines, cols, severities, *_part_rules(codes, messages))

    def _arrows(self, lines: list[str]) -> FindingColumns:
        rows: list[tuple[str, ...]] = []
        numbers: list[int] = []
        number = self.seen
        for groups in _ARROW_LINES.findall("\n".join([*lines, ""])):
            number += 1
            if groups[4]:
                rows.append(groups)
                numbers.append(number)
                number += 1  # the place has a line of its own
                continue
            line = lines[number - self.seen - 1]
            if not line or line.isspace():
                self.blank += 1
            elif line[0] not in " \t" and not self.sums_up(line):
                self.unfit += not _BELOW.match(line)
        if not rows:
            return NO_FINDINGS
        severities, codes, codes_2, messages, files, file_lines, columns = zip(*rows, strict=True)
        either = [one or two for one, two in zip(codes, codes_2, strict=True)]
        return FindingColumns(numbers, files, file_lines, columns, severities, either, messages)


def _part_rules(codes: Sequence[str], messages: Sequence[str]) -> tuple[list[str], list[str]]:
    """Take the rule from behind messages of findings without a code: two blanks stand before it."""
    parted = list(codes), list(messages)
    for at, message in enumerate(messages):
        before, blanks, rule = message.rstrip().rpartition("  ")
        if blanks and rule and not codes[at] and " " not in rule:
            parted[0][at] = rule[1:-1] if rule[0] == "(" and rule[-1] == ")" else rule
            parted[1][at] = before.rstrip()
    return parted


BLOCKS: Final = TextForm(
    name="linter_blocks", title="linter output", recognise=recognise_blocks, make=BlocksParser, is_costly=True
)
