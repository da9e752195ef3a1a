"""Findings of compilers and linters, one on a line: gcc, clang, mypy, ruff, flake8, pylint, shellcheck, javac, cppcheck
and others (``file:line:col: severity: message [code]``, ``file:line:col: CODE message``), tsc, MSBuild and MSVC
(``file(line,col): severity CODE: message``), pyright (``file:line:col - severity: message (code)``), go vet and
golangci-lint (``file:line:col: message``).

Table ``items``: ``line``, ``file``, ``file_line``, ``col``, ``severity``, ``code``, ``message``; a column that the text
never has is left out. The message is its first line, without a code that stands behind it (``[arg-type]``).

The severity or the code stands in its place on every line, or it is no finding: a search result with "error" somewhere
in it is a match. Source that is quoted below a finding, and headings above, are no rows.

``BLOCKS`` are findings of several lines each, or with a heading above those of a file. ``headings``: eslint, stylelint,
yamllint and ruff's grouped output: the file on a line of its own, below it indented lines ``line:col severity message
rule``. ``arrows``: rustc, cargo, clippy and ruff's full output: ``error[E0308]: message`` and below it ``-->
file:line:col``, then quoted source.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from dataclasses import dataclass, field
from itertools import count, takewhile
from typing import TYPE_CHECKING, Final

from penstock.core.forms.api import BATCH, LONGEST_LINE, ParserForm, Words
from penstock.core.forms.file_places import FILE, NO_TIME
from penstock.core.forms.line_parser import LineParser, columns_of, matched
from penstock.core.forms.path_counts import amount_of_files, facts_of_files, is_file_name
from penstock.core.forms.text_cells import texts_of
from penstock.core.text import counted, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from penstock.core.forms.api import Batch, Lines, Options, Sample, Tables

LEAST: Final = 3  # findings; fewer may be quoted anywhere
SPARE: Final = 2  # lines that any output may have beside findings,
UNFIT: Final = 10  # and one in so many: what a build tells between them
SPREAD: Final = 25  # lines for one finding at most, on average: compilers quote the source below each
MOST_SUMMARIES: Final = 3  # lines that sum up, the last ones
LONGEST_SUMMARY: Final = 200  # characters
LONGEST_CODE: Final = 120  # characters of a code behind a message, with its brackets
OFTEN: Final = {"[": 10, "(": 2}  # of so many findings without a code one has it behind its message, in such brackets
MOST_OTHER: Final = 20  # without severity and code, one line in so many may be no finding

_SEVERITY: Final = (
    r"(?:[Ee]rror|[Ww]arning|[Nn]ote|[Ii]nfo(?:rmation)?+|[Hh]int|[Ss]tyle|[Ff]atal error|internal compiler error"
    r"|[Pp]erformance|[Pp]ortability|[Cc]onvention|[Rr]efactor|[Rr]emark|[Nn]otice|[Ss]uggestion)"
)
_CODE: Final = r"[A-Z][A-Za-z]{0,8}-?[0-9]{1,5}(?:/[a-z][\w/-]*)?"
_AT: Final = r"(?P<file_line>[0-9]{1,9})"
_COLUMN: Final = r"(?P<col>[0-9]{1,9})"
_COLON: Final = rf"(?P<file>{FILE}){NO_TIME}:{_AT}(?::{_COLUMN})?+(?:-[0-9]{{1,9}})?+(?:: | - | )"
_PAREN: Final = (
    rf"(?:[0-9]{{1,4}}>)?+(?P<file>[^\s(](?:[^(\n]++|\((?![0-9]+[,)]))*+)\({_AT}"
    rf"(?:,{_COLUMN})?+(?:,[0-9]{{1,9}}){{0,2}}+\) ?: "
)
_CAUSE: Final = (
    rf"(?:\[?(?P<code1>{_CODE})\]?:? (?:(?P<severity1>{_SEVERITY}): )?+"  # E501 message
    rf"|\[?(?P<severity2>{_SEVERITY})\]?(?: (?P<code2>{_CODE}))?+(?::| -|(?<=\])) "  # error TS2322: message
    r"(?:\[(?P<code3>[a-z][\w-]*)\] )?+"
    r"|(?P<severity3>[A-Z]): (?:\[\w+\] )?+(?P<code4>[A-Z]\w*(?:/\w+)+): )(?P<message1>.*+)"  # C: Style/Name: message
)
# A finding of a whole file.
_WHOLE: Final = rf"(?=[^:\n]{{0,4094}}[./])(?P<file2>{FILE}): (?P<severity4>{_SEVERITY}): (?P<message2>.*+)"
# Without severity and code: a column, one blank, and a message that begins like one.
_BARE: Final = rf"(?P<file>{FILE}){NO_TIME}:{_AT}:{_COLUMN}: (?P<code>)(?P<message1>[A-Za-z\"'`(].*+)"
_STYLES: Final = {"colon": _COLON + _CAUSE, "paren": _PAREN + _CAUSE, "bare": _BARE}
_LINE: Final = {style: re.compile(rf" {{0,4}}+{pattern}") for style, pattern in _STYLES.items()}
_LINES: Final = {style: re.compile(rf"(?: {{0,4}}+(?:{pattern}|{_WHOLE})|.*+)\n") for style, pattern in _STYLES.items()}
# What stands above findings: `In file included from`, `a.c: In function 'f':`, `**** Module a`, a file's name.
_HEADING = re.compile(r"In file included from |.{1,400}: (?:In |At )|\*{3,}|-{5,}$|# |(?=\S*[./\\])\S++$")
_CARET = re.compile(r"[\s~]*+\^[\s~^]*+$")
_TRAILING: Final = {"[": re.compile(r"\[([^\[\]\s]+)\]$"), "(": re.compile(r"\(([A-Za-z@][\w@/:.-]*)\)$")}
_HEADED: Final = (
    rf"[ \t]{{1,8}}+{_AT}:{_COLUMN}(?:-[0-9:]{{1,20}})?+[ \t]++"
    rf"(?:\[?(?P<severity>{_SEVERITY}|[✖⚠×✕])\]?[ \t]++|(?P<code>{_CODE}) )(?P<message>\S.*+)"
)
_HEADED_LINES = re.compile(rf"(?:{_HEADED}|.*+)\n")
_FILE_HEADING = re.compile(r"((?:[A-Za-z]:(?=[\\/]))?+[^\s:][^:\n]{0,4094}+):?")
_ARROW: Final = (
    rf"(?:(?P<severity>[Ee]rror|[Ww]arning)(?:\[(?P<code1>[^\]\n]{{1,80}})\])?+: |(?P<code2>{_CODE}) )"
    rf"(?P<message>.*+)\n[ \t]*+--> (?P<file>(?:[A-Za-z]:(?=[\\/]))?+[^:\n]++):{_AT}:{_COLUMN}[ \t]*+"
)
_ARROW_LINES = re.compile(rf"(?:{_ARROW}|.*+)\n")
# Below a finding: the gutter with quoted source, and advice.
_BELOW = re.compile(r"[ \t|]|[0-9]+ *[|+~-]|(?:\.\.\.|help|note|For more|Some errors|error|warning)\b")
# What linters write below their findings.
_SUMMARY = re.compile(
    r"(?:Found|Checked|Success:|Your code|All checks|No fixes) \b.*|\[\*\] [0-9].*|(?:✖ |✔ )?[0-9,]+ (?:fatal )?"
    r"(?:errors?|warnings?|notes?|problems?|issues?|findings?|violations?|offenses?|diagnostics?)\b.*"
    r"|(?:error|warning): (?:aborting|could not|`[^`]*` \().*"
)

Findings = tuple[list[int], dict[str, "Sequence[str]"]]  # the lines of some, and their columns; empty texts for nothing


def recognise(sample: Sample) -> Options | None:
    """Return the style of which enough lines are."""
    lines = sample.short
    for style, pattern in _LINE.items():
        matches = list(map(pattern.match, lines))
        rows = [match.groupdict("") for match in matches if match]
        other = sum(not match and line[0] not in " \t|" for match, line in zip(matches, lines, strict=True))
        named = sum(is_file_name(row["file"]) for row in rows)
        most = len(lines) // (MOST_OTHER if style == "bare" else 2)
        if len(rows) >= _least_of(lines) and other <= SPARE + most and named * 2 >= len(rows):
            messages = [row["message1"] for row in rows if not any(row[name] for name in row if "code" in name)]
            return {"style": style, "trailing": _mark_of(messages)}
    return None


def recognise_blocks(sample: Sample) -> Options | None:
    """Return the layout of which there are enough findings."""
    lines = sample.short
    least = _least_of(lines)
    if sum(line.lstrip().startswith("--> ") for line in lines) >= least:
        arrows = re.findall(rf"{_ARROW}\n", "\n".join([*lines, ""]))
        return {"style": "arrows"} if len(arrows) >= least else None
    if sample.starts.isdisjoint(" \t"):
        return None
    rows = sum(map(bool, map(re.compile(_HEADED).match, lines)))
    headings = sum(line[:1].strip() > "" and is_file_name(line.removesuffix(":")) for line in lines)
    fits = rows >= max(least, headings) and (rows + headings) * 2 > len(lines) and headings
    return {"style": "headings"} if fits else None


def _least_of(lines: Sequence[str]) -> int:
    """Return how many of the lines of a sample have to be findings."""
    return max(LEAST, len(lines) // SPREAD)


def _mark_of(messages: list[str]) -> str:
    """Return the brackets in which codes stand behind messages of findings that have none before it; empty for none."""
    for mark, pattern in _TRAILING.items():
        count = sum(pattern.search(message[-LONGEST_CODE:]) is not None for message in messages)
        if count and count * OFTEN[mark] >= len(messages):
            return mark
    return ""


def _with_codes(columns: dict[str, Sequence[str]], part: Callable[[str], tuple[str, str]]) -> dict[str, Sequence[str]]:
    """Take codes from behind the messages of findings that have none: ``part`` splits a message and its code."""
    codes, messages = list(columns["code"]), list(columns["message"])
    for at, message in enumerate(messages):
        if not codes[at]:
            messages[at], codes[at] = part(message)
    return {**columns, "code": codes, "message": messages}


def _part_bracketed(message: str, mark: str) -> tuple[str, str]:
    start = message.rfind(mark)
    code = _TRAILING[mark].match(message, start) if start >= 0 else None
    return (message[:start].rstrip(), code[1]) if code else (message, "")


def _part_rule(message: str) -> tuple[str, str]:
    """Split a message from the rule behind it: two blanks stand before that."""
    before, blanks, rule = message.rstrip().rpartition("  ")
    if not blanks or not rule or " " in rule:
        return message, ""
    return before.rstrip(), rule[1:-1] if rule[0] == "(" and rule[-1] == ")" else rule


def whole_findings(lines: Lines) -> Iterator[list[str]]:
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


@dataclass(slots=True, kw_only=True)
class FindingsParser(LineParser):
    """Takes the findings of a text in; ``find`` of a layout finds them in some lines."""

    nouns: dict[str, str] = field(default_factory=lambda: {"items": "findings"})
    blank: int = 0
    summaries: list[str] = field(default_factory=list)

    @abstractmethod
    def find(self, lines: list[str]) -> Findings:
        """Return the findings in some lines, which follow those seen before, and count the other lines."""

    def groups(self, lines: Lines) -> Iterator[list[str]]:
        return whole_findings(lines)

    def holds(self) -> bool:
        """Return True if the text is findings and what belongs to them."""
        is_dense = self.count * SPREAD >= self.seen - self.blank
        return self.count >= LEAST and is_dense and not self.exceeds(SPARE, UNFIT, self.seen)

    def read(self, lines: list[str]) -> Batch:
        numbers, columns = self.find(lines)
        if not numbers:
            return {}
        self.count += len(numbers)
        files, severities = columns["file"], columns.get("severity", [""] * len(numbers))
        batch: Batch = {"items": {"line": numbers, "file": list(files)}}
        for name in ("file_line", "col"):
            if name == "file_line" or any(columns[name]):
                batch["items"][name] = [int(text) if text else None for text in columns[name]]
        for name, texts in (("severity", severities), ("code", columns["code"])):
            if any(texts):
                batch["items"][name] = texts_of(texts)
        batch["items"]["message"] = list(columns["message"])
        return batch

    def sums_up(self, line: str) -> bool:
        """Keep a line if it is one that sums up."""
        if not _SUMMARY.match(line):
            return False
        self.summaries = [*self.summaries, line][-MOST_SUMMARIES:]
        return True

    def words(self, tables: Tables) -> Words:
        facts = [f"its own summary: {plain(line.strip(), LONGEST_SUMMARY)}" for line in self.summaries]
        file = tables[0].field("file")
        files = "" if file is None else f" in {amount_of_files(file)}"
        facts += [] if file is None else facts_of_files(file)
        if self.unfit:
            facts.append(f"no part of a finding, and in no table: {counted(self.unfit, 'line')}")
        return Words(what=f"{counted(self.count, 'finding')}{files}", facts=tuple(facts))


@dataclass(slots=True, kw_only=True)
class LinterParser(FindingsParser):
    doubtful: int = 0  # the last line that belongs to no finding, unless a caret stands below it

    def find(self, lines: list[str]) -> Findings:
        pattern, mark = _LINES[self.options["style"]], self.options["trailing"]
        numbers, rows, others = matched(pattern, lines, self.seen + 1)
        self.blank += len(lines) - len(rows) - len(others)
        for number, line in others:
            self._note_other(number, line[:LONGEST_LINE])
        columns = columns_of(pattern, rows)
        if columns and mark:
            late = self._late_codes(numbers, dict(others)) if mark == "(" else {}
            columns = _with_codes(columns, lambda message: _part_bracketed(message, mark))
            columns["code"] = [code or late.get(at, "") for at, code in enumerate(columns["code"])]
        return numbers, columns

    def holds(self) -> bool:
        others = self.seen - self.blank - self.count
        is_bare = self.options["style"] == "bare"
        return FindingsParser.holds(self) and not (is_bare and (others - SPARE) * MOST_OTHER > self.seen)

    def _late_codes(self, numbers: list[int], others: dict[int, str]) -> dict[int, str]:
        """Return codes that stand behind the end of a message that goes on below its finding, by its place."""
        late: dict[int, str] = {}
        for at, number in enumerate(numbers):
            below = takewhile(lambda line: line[:1] == " ", (others.get(after, "") for after in count(number + 1)))
            codes = [code for line in below if (code := _part_bracketed(line, "(")[1])]
            late |= {at: codes[-1]} if codes else {}
        return late

    def _note_other(self, number: int, line: str) -> None:
        """Count a line that belongs to no finding: not quoted below one, not a heading above some, no summary."""
        if line[0] in " \t|":
            self.unfit -= number == self.doubtful + 1 and _CARET.match(line) is not None
        elif not (_CARET.match(line) or _HEADING.match(line) or self.sums_up(line)):
            self.doubtful = number
            self.unfit += 1


@dataclass(slots=True, kw_only=True)
class BlocksParser(FindingsParser):
    file: str = ""  # of the heading above

    def find(self, lines: list[str]) -> Findings:
        return self._arrows(lines) if self.options["style"] == "arrows" else self._headings(lines)

    def _headings(self, lines: list[str]) -> Findings:
        rows, files, numbers = [], [], []
        groups_of = _HEADED_LINES.findall("\n".join([*lines, ""]))
        for number, (line, groups) in enumerate(zip(lines, groups_of, strict=True), self.seen + 1):
            if groups[0] and self.file:
                numbers.append(number)
                files.append(self.file)
                rows.append(groups)
            elif not line or line.isspace():
                self.blank += 1
                self.file = ""
            elif line[0] in " \t":
                self.unfit += not self.file
            elif not self.sums_up(line):
                heading = None if self.file else _FILE_HEADING.fullmatch(line)
                self.file = heading[1] if heading else self.file
                self.unfit += heading is None
        columns = columns_of(_HEADED_LINES, rows)
        return numbers, _with_codes({**columns, "file": files}, _part_rule) if columns else columns

    def _arrows(self, lines: list[str]) -> Findings:
        rows: list[tuple[str, ...]] = []
        numbers: list[int] = []
        number = self.seen
        for groups in _ARROW_LINES.findall("\n".join([*lines, ""])):
            number += 1
            line = lines[number - self.seen - 1]
            if any(groups):
                rows.append(groups)
                numbers.append(number)
                number += 1  # the place has a line of its own
            elif not line or line.isspace():
                self.blank += 1
            elif line[0] not in " \t" and not self.sums_up(line):
                self.unfit += not _BELOW.match(line)
        return numbers, columns_of(_ARROW_LINES, rows)


FORM: Final = ParserForm(name="linter", title="linter output", looks_like=recognise, make=LinterParser, is_costly=True)
BLOCKS: Final = ParserForm(
    name="linter_blocks", title="linter output", looks_like=recognise_blocks, make=BlocksParser, is_costly=True
)
