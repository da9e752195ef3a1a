"""Findings of linters that write several lines about each, or a heading above those of a file.

``headings``: eslint, stylelint, yamllint and ruff's grouped output: the file on a line of its own, below it indented
lines ``line:col severity message rule``. ``arrows``: rustc, cargo, clippy and ruff's full output: ``error[E0308]:
message`` and below it ``--> file:line:col``, then quoted source. See linter_rows for the table; ``line`` is the line on
which the finding begins.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from penstock.core.forms.linter_rows import CODE, SEVERITY, FindingColumns, Findings, least_of, whole_findings
from penstock.core.forms.path_counts import is_file_name
from penstock.core.forms.text_form import DoesNotHoldError, Options, Sample, TextForm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.core.forms.text_form import Batches, Lines, Tables, Words

_ROW: Final = (
    rf"[ \t]{{1,8}}+([0-9]{{1,9}}):([0-9]{{1,9}})(?:-[0-9:]{{1,20}})?+[ \t]++"
    rf"(?:\[?({SEVERITY}|[✖⚠×✕])\]?[ \t]++|({CODE}) )(\S.*+)"
)
_HEADED = re.compile(_ROW)
_HEADED_LINES = re.compile(rf"(?:{_ROW}|.*+)\n")
_FILE_HEADING = re.compile(r"((?:[A-Za-z]:(?=[\\/]))?+[^\s:][^:\n]{0,4094}+):?")
_BEGINS: Final = rf"(?:([Ee]rror|[Ww]arning)(?:\[([^\]\n]{{1,80}})\])?+: |({CODE}) )(.*+)"
_PLACE: Final = r"[ \t]*+--> ((?:[A-Za-z]:(?=[\\/]))?+[^:\n]++):([0-9]{1,9}):([0-9]{1,9})[ \t]*+"
_ARROW = re.compile(rf"{_BEGINS}\n{_PLACE}\n")
_ARROW_LINES = re.compile(rf"(?:{_BEGINS}\n{_PLACE}|.*+)\n")
# Below a finding: the gutter with quoted source, and advice.
_BELOW = re.compile(r"[ \t|]|[0-9]+ *[|+~-]|(?:\.\.\.|help|note|For more|Some errors|error|warning)\b")


def recognise(sample: Sample) -> Options | None:
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
class LinterBlocksParser:
    options: Options
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "findings"})
    findings: Findings = field(default_factory=Findings)
    file: str = ""  # of the heading above

    def parse(self, lines: Lines) -> Batches:
        find = self._arrows if self.options["style"] == "arrows" else self._headings
        for some in whole_findings(lines):
            columns = find(some)
            yield self.findings.take(columns, some) if columns.line else {}
            self.findings.seen += len(some)
        if not self.findings.holds:
            raise DoesNotHoldError("lines that are no findings")

    def _headings(self, lines: list[str]) -> FindingColumns:
        rows: list[tuple[int, str, tuple[str, ...]]] = []
        findings = self.findings
        groups_of = _HEADED_LINES.findall("\n".join([*lines, ""]))
        for number, (line, groups) in enumerate(zip(lines, groups_of, strict=True), findings.seen + 1):
            if groups[0] and self.file:
                rows.append((number, self.file, groups))
            elif not line or line.isspace():
                findings.blank += 1
                self.file = ""
            elif line[0] in " \t":
                findings.unfit += not self.file
            elif not findings.sums_up(line):
                heading = None if self.file else _FILE_HEADING.fullmatch(line)
                self.file = heading[1] if heading else self.file
                findings.unfit += heading is None
        columns = list(zip(*(row[2] for row in rows), strict=True)) if rows else [()] * 5
        file_lines, cols, severities, codes, messages = columns
        numbers, files = [row[0] for row in rows], [row[1] for row in rows]
        return FindingColumns(numbers, files, file_lines, cols, severities, *_part_rules(codes, messages))

    def _arrows(self, lines: list[str]) -> FindingColumns:
        findings = self.findings
        rows: list[tuple[str, ...]] = []
        numbers: list[int] = []
        number = findings.seen
        for groups in _ARROW_LINES.findall("\n".join([*lines, ""])):
            number += 1
            if groups[4]:
                rows.append(groups)
                numbers.append(number)
                number += 1  # the place has a line of its own
                continue
            line = lines[number - findings.seen - 1]
            if not line or line.isspace():
                findings.blank += 1
            elif line[0] not in " \t" and not findings.sums_up(line):
                findings.unfit += not _BELOW.match(line)
        severities, codes, codes_2, messages, files, file_lines, columns = zip(*rows, strict=True) if rows else [()] * 7
        either = [one or two for one, two in zip(codes, codes_2, strict=True)]
        return FindingColumns(numbers, files, file_lines, columns, severities, either, messages)

    def words(self, tables: Tables) -> Words:
        del tables
        return self.findings.words()


def _part_rules(codes: Sequence[str], messages: Sequence[str]) -> tuple[list[str], list[str]]:
    """Take the rule from behind messages of findings without a code: two blanks stand before it."""
    parted = list(codes), list(messages)
    for at, message in enumerate(messages):
        before, blanks, rule = message.rstrip().rpartition("  ")
        if blanks and rule and not codes[at] and " " not in rule:
            parted[0][at] = rule[1:-1] if rule[0] == "(" and rule[-1] == ")" else rule
            parted[1][at] = before.rstrip()
    return parted


FORM: Final = TextForm(
    name="linter_blocks", title="linter output", recognise=recognise, make=LinterBlocksParser, is_costly=True
)
