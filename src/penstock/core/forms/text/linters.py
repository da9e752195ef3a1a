"""Findings of compilers and linters, as cargo-mcp and servers that run commands return them: gcc, clang, mypy,
ruff, flake8, pylint, shellcheck, javac and others (``file:line:col: severity: message [code]``, ``file:line:col: CODE
message``), tsc, MSBuild and MSVC (``file(line,col): severity CODE: message``), pyright (``file:line:col - severity:
message (code)``), go vet and golangci-lint (``file:line:col: message``); eslint, stylelint and yamllint (the file on a
line of its own, and indented lines ``line:col severity message rule``); rustc, cargo and ruff's full output
(``error[E0308]: message``, and below it ``--> file:line:col``).

Table ``items``: ``line``, ``file``, ``file_line``, ``col``, ``severity``, ``code``, ``message``; a column that the text
never has is left out. The message is its first line, without a code behind it (``[arg-type]``).

The severity or the code is in its place on every line, or it is no finding: a search result with "error" somewhere in
it is a match. Source that is quoted below a finding, and headings above, are no rows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.api import BATCH
from penstock.core.forms.engine import Style, StyleParser, line_form
from penstock.core.forms.file_names import FILE, NO_TIME, is_file_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.forms.api import Lines
    from penstock.core.forms.engine import Texts

MAX_CODE: Final = 120  # A code behind a message has at most 120 characters, with its brackets.
OFTEN: Final = {"[": 10, "(": 2}  # Of so many findings without a code one has it behind its message, in such brackets.

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
# Without severity and code: a column, one blank, and a message that begins like one.
_BARE: Final = rf"(?P<file>{FILE}){NO_TIME}:{_AT}:{_COLUMN}: (?=[A-Za-z\"'`(])"
_CAUSE: Final = (
    rf"(?:\[?(?P<code1>{_CODE})\]?:? (?:(?P<severity1>{_SEVERITY}): )?+"  # E501 message
    r"|(?P<severity2>[A-Z]): (?:\[\w+\] )?+(?P<code2>[A-Z]\w*(?:/\w+)+): "  # C: Style/Name: message
    rf"|\[?(?P<severity3>{_SEVERITY})\]?(?: (?P<code3>{_CODE}))?+(?::| -|(?<=\])) "  # error TS2322: message
    r"(?:\[(?P<code4>[a-z][\w-]*)\] )?+)"
)
# A finding of a whole file.
_WHOLE: Final = rf"|(?=[^:\n]{{0,4094}}[./])(?P<file2>{FILE}): (?P<severity4>{_SEVERITY}): (?P<message2>.*+)"
# A code behind a message, in the brackets that the text has there.
_BEHIND: Final = {"[": r"\[{code}[^\[\]\s]++)\]", "(": r"\({code}[A-Za-z@][\w@/:.-]*+)\)"}
_TRAILING: Final = {mark: re.compile(rule.format(code="(?:") + "$") for mark, rule in _BEHIND.items()}
_ROWS: Final = {"colon": _COLON + _CAUSE, "paren": _PAREN + _CAUSE, "bare": _BARE}

_HEADED: Final = (
    rf"[ \t]{{1,8}}+{_AT}:{_COLUMN}(?:-[0-9:]{{1,20}})?+[ \t]++"
    rf"(?:\[?(?P<severity>{_SEVERITY}|[✖⚠×✕])\]?[ \t]++|(?P<code1>{_CODE}) )"
    r"(?P<message>(?:[^ \n]++| (?! )| ++(?!\S++ *\n))++)(?:  ++\(?(?P<code2>[^\s()]++)\)?)?+ *+"
)
_ARROW: Final = (
    rf"(?:(?P<severity>[Ee]rror|[Ww]arning)(?:\[(?P<code1>[^\]\n]{{1,80}})\])?+: |(?P<code2>{_CODE}) )"
    rf"(?P<message>.*+)(?=\n[ \t]*+--> (?P<file>(?:[A-Za-z]:(?=[\\/]))?+[^:\n]++):{_AT}:{_COLUMN}[ \t]*+\n)"
)
# Lines around findings: quoted source, carets, `In file included from`, `a.c: In function 'f':`, `**** Module a`.
_AROUND: Final = (
    r"[ \t|]|(?=\S*[./\\])\S++$|[\s~]*+\^[\s~^]*+$|In file included from |.{1,400}: (?:In |At )|\*{3,}|-{5,}$|# "
)
_BELOW: Final = r"[ \t|]|[0-9]+ *[|+~-]|(?:\.\.\.|help|note|For more|Some errors|error|warning)\b"
_SUMMARY: Final = (
    r"(?:Found|Checked|Success:|Your code|All checks|No fixes) \b|\[\*\] [0-9]|(?:✖ |✔ )?[0-9,]+ (?:fatal )?"
    r"(?:errors?|warnings?|notes?|problems?|issues?|findings?|violations?|offenses?|diagnostics?)\b"
    r"|(?:error|warning): (?:aborting|could not|`[^`]*` \()"
)


def _message(mark: str) -> str:
    """Return the pattern of a message; one without a code before it may have it behind, in these brackets."""
    if not mark:
        return "(?P<message1>.*+)"
    rule, named = (_BEHIND[mark].format(code=code) for code in ("(?:", "(?P<code5>"))
    return rf"(?P<message1>(?:[^ \n]++| ++(?!{rule}\n))*+)(?: ++{named})?+"


def _are_findings(columns: Texts, marks: str) -> bool:
    """Return True if most names are those of files, and few messages end with a code in such brackets."""
    files = columns["file"]
    if sum(map(is_file_name, files)) * 2 < len(files):
        return False
    rows = zip(columns["message"], columns.get("code", [""] * len(files)), strict=True)
    ends = [message[-MAX_CODE:] for message, code in rows if not code]
    counts = {mark: sum(_TRAILING[mark].search(end) is not None for end in ends) for mark in marks}
    return not any(count and count * OFTEN[mark] >= len(ends) for mark, count in counts.items())


@dataclass(slots=True, kw_only=True)
class LinterParser(StyleParser):
    def groups(self, lines: Lines) -> Iterator[list[str]]:
        """Yield lines some thousands at a time. An indented line stays with the line that it belongs to."""
        some: list[str] = []
        for line in lines:
            if len(some) >= BATCH and (line[:1] not in (" ", "\t") or len(some) == 2 * BATCH):
                yield some
                some = []
            some.append(line)
        if some:
            yield some


_FINDINGS: Final[dict[str, Any]] = {
    "noun": "findings",
    "numbers": ("file_line", "col"),
    "unfit": 3,
    "spread": 25,
    "summary": _SUMMARY,
}
FORM: Final = line_form(
    "linter",
    "linter output",
    *(
        Style(
            name=f"{layout} {mark}".rstrip(),
            pattern=rf" {{0,4}}+(?:{row}{_message(mark)}{'' if layout == 'bare' else _WHOLE})",
            fits=partial(_are_findings, marks=other),
            between=_AROUND,
            **(_FINDINGS if layout != "bare" else {**_FINDINGS, "unfit": 20}),
        )
        for layout, row in _ROWS.items()
        for mark, other in (("", "(["), ("(", "["), ("[", ""))
    ),
    Style(name="arrows", pattern=_ARROW, has=("--> ",), between=_BELOW, **_FINDINGS),
    Style(name="headings", pattern=_HEADED, heading="file", between=r"[ \t]", **_FINDINGS),
    parser=LinterParser,
    reads_items=True,
)
