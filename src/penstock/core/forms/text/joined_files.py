"""Several files in one text, each below a line with its path: ``head`` and ``tail`` of many (``==> a.log <==``), file
servers (``src/a.py:``, with ``---`` between), packers of repositories (``File: src/a.py`` between rules).

``items`` has a row for each file: ``line`` (of its heading), ``path``, ``name``, ``folder``, ``extension``, how many
``lines`` it has, and its ``text``. All headings are written as the first line of the text is, which is one; rules and
blank lines around a heading belong to no file. Names below a folder (``ls -R``) are no file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from penstock.core.forms.api import LONGEST_LINE, DoesNotHoldError, ParserForm, Words
from penstock.core.forms.listing_rows import EntriesParser
from penstock.core.forms.path_counts import is_file_name
from penstock.core.text import counted

if TYPE_CHECKING:
    from penstock.core.forms.api import Batch, Batches, Options, Sample, Tables

LEAST: Final = 3  # files

_PATH: Final = r"(?!\d+:)([^\s:<>|\"*?][^:<>|\"*?\n]{0,400}[^\s:<>|\"*?/])"
_HEADINGS: Final = {
    "arrows": re.compile(rf"==> {_PATH} <=="),
    "rules": re.compile(rf"(?:[-=#]{{3,}}) {_PATH} (?:[-=#]{{3,}})"),
    "named": re.compile(rf"(?:[#/]+ ?)?(?:File|file|FILE|Path|path): `?{_PATH}`?"),
    "colon": re.compile(rf"(?=[^\n]*\.[A-Za-z]\w{{0,9}}:$){_PATH}:"),
}
_RULE = re.compile(r"[-=#*]{3,}|")
_BLANK = re.compile("")


def recognise(sample: Sample) -> Options | None:
    """Return how the headings are written, if the first line is one; others may be far from it."""
    first = next((line for line in sample.head if not _RULE.fullmatch(line)), "")[:LONGEST_LINE]
    for style, pattern in _HEADINGS.items():
        heading = pattern.fullmatch(first)
        if heading is not None and is_file_name(heading[1]):
            return {"style": style}
    return None


@dataclass(slots=True, kw_only=True)
class JoinedFilesParser(EntriesParser):
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "files"})
    sizes: str = "lines"
    files: list[tuple[int, str, list[str]]] = field(default_factory=list)  # line, path, lines
    before: str = ""  # the line before

    def path_of(self, before: str, line: str) -> str | None:
        """Return the path in a heading. A path with nothing but a colon is one behind a rule or a blank line."""
        if self.options["style"] == "colon" and (line[-1:] != ":" or not _RULE.fullmatch(before[:LONGEST_LINE])):
            return None
        heading = _HEADINGS[self.options["style"]].fullmatch(line[:LONGEST_LINE])
        return heading[1] if heading is not None and is_file_name(heading[1]) else None

    def read(self, lines: list[str]) -> Batch:
        """Give out the files that end on these lines: the last one may go on."""
        for number, line in enumerate(lines, self.seen + 1):
            path = self.path_of(self.before, line)
            self.before = line
            if path is not None:
                self.files.append((number, path, []))
            elif self.files:
                self.files[-1][2].append(line)
            elif not _RULE.fullmatch(line[:LONGEST_LINE]):
                raise DoesNotHoldError("a line before all files")
        return self._batch(self.files[:-1])

    def rest(self) -> Batches:
        yield self._batch(self.files)

    def holds(self) -> bool:
        return self.count >= LEAST

    def _batch(self, files: list[tuple[int, str, list[str]]]) -> Batch:
        if not files:
            return {}
        self.files = self.files[len(files) :]
        edge = _BLANK if self.options["style"] == "arrows" else _RULE  # no rules stand around these headings
        for _, _, lines in files:
            while lines and edge.fullmatch(lines[-1][:LONGEST_LINE]):
                lines.pop()
            while lines and edge.fullmatch(lines[0][:LONGEST_LINE]):
                del lines[0]
        numbers, paths, texts = ([*column] for column in zip(*files, strict=True))
        columns = self.take(numbers, paths, {"lines": list(map(len, texts))})
        return {"items": {**columns, "text": list(map("\n".join, texts))}}

    def words(self, tables: Tables) -> Words:
        words = EntriesParser.words(self, tables)
        what = f"{counted(self.count, 'file')} in one text, each below its path"
        edges = "blank lines" if self.options["style"] == "arrows" else "blank lines and rules"
        return Words(what=what, facts=(*words.facts, f"{edges} at both ends of a file are not counted"))


FORM: Final = ParserForm(name="joined_files", title="files in one text", looks_like=recognise, make=JoinedFilesParser)
