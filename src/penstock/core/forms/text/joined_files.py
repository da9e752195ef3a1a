"""Several files in one text, each below a line with its path.

Servers that return it: the reference filesystem server (``read_multiple_files``: ``src/a.py:``, with ``---`` between),
packers of repositories such as gitingest (``FILE: src/a.py`` between rules), and shell servers (``head``, ``tail``).

``items`` has a row for each file: ``line`` of its heading, ``path``, ``name``, ``folder``, ``extension``, the number of
its ``lines``, and its ``text``, without rules and blank lines at both ends. All headings are written as the first line
of the text is, which is one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from penstock.core.forms.api import LONGEST_LINE, DoesNotHoldError, ParserForm, Words
from penstock.core.forms.file_names import is_file_name, path_columns
from penstock.core.forms.line_parser import LineParser
from penstock.core.text import counted

if TYPE_CHECKING:
    from penstock.core.forms.api import Batch, Batches, Columns, Options, Sample, Tables

MIN_FILES: Final = 3  # One or two lines like headings may be in any text.

_PATH: Final = r"(?!\d+:)([^\s:<>|\"*?][^:<>|\"*?\n]{0,400}[^\s:<>|\"*?/])"
_HEADINGS: Final = {
    "arrows": re.compile(rf"==> {_PATH} <=="),
    "rules": re.compile(rf"(?:[-=#]{{3,}}) {_PATH} (?:[-=#]{{3,}})"),
    "named": re.compile(rf"(?:[#/]+ ?)?(?:File|file|FILE|Path|path): `?{_PATH}`?"),
    "colon": re.compile(rf"(?=[^\n]*\.[A-Za-z]\w{{0,9}}:$){_PATH}:"),
}
_RULE = re.compile(r"[-=#*]{3,}|")
_BLANK = re.compile("")


def _path_of(style: str, line: str) -> str | None:
    """Return the path in a heading; None if the line is not a heading."""
    heading = _HEADINGS[style].fullmatch(line[:LONGEST_LINE])
    return heading[1] if heading is not None and is_file_name(heading[1]) else None


def recognise(sample: Sample) -> Options | None:
    """Return how the headings are written, if the first line is one; others may be far from it."""
    first = next((line for line in sample.head if not _RULE.fullmatch(line[:LONGEST_LINE])), "")
    return next(({"style": style} for style in _HEADINGS if _path_of(style, first) is not None), None)


@dataclass(slots=True, kw_only=True)
class JoinedFilesParser(LineParser):
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "files"})
    files: list[tuple[int, str, list[str]]] = field(default_factory=list)  # line, path, lines
    before: str = ""  # the line before

    def read(self, lines: list[str]) -> Batch:
        """Return the files that end on these lines. The last one may go on."""
        style = self.options["style"]
        for number, line in enumerate(lines, self.seen + 1):
            # A path with nothing but a colon is a heading behind a rule or a blank line.
            may_be = style != "colon" or (line[-1:] == ":" and _RULE.fullmatch(self.before[:LONGEST_LINE]) is not None)
            path = _path_of(style, line) if may_be else None
            self.before = line
            if path is not None:
                self.files.append((number, path, []))
            elif self.files:
                self.files[-1][2].append(line)
            elif not _RULE.fullmatch(line[:LONGEST_LINE]):
                raise DoesNotHoldError("a line before all files")
        return self._take(len(self.files) - 1)

    def rest(self) -> Batches:
        yield self._take(len(self.files))

    def holds(self) -> bool:
        return self.count >= MIN_FILES

    def _take(self, count: int) -> Batch:
        if count < 1:
            return {}
        files, self.files = self.files[:count], self.files[count:]
        self.count += count
        edge = _BLANK if self.options["style"] == "arrows" else _RULE  # No rules are around these headings.
        for _, _, lines in files:
            while lines and edge.fullmatch(lines[-1][:LONGEST_LINE]):
                lines.pop()
            while lines and edge.fullmatch(lines[0][:LONGEST_LINE]):
                del lines[0]
        numbers, paths, texts = ([*column] for column in zip(*files, strict=True))
        sizes: Columns = {"lines": list(map(len, texts)), "text": list(map("\n".join, texts))}
        return {"items": {"line": numbers, **path_columns(paths), **sizes}}

    def words(self, tables: Tables) -> Words:
        return Words(what=f"{counted(tables[0].count, 'file')} in one text, each below its path")


FORM: Final = ParserForm(name="joined_files", title="files in one text", looks_like=recognise, make=JoinedFilesParser)
