"""Tell what a line of a text lies under: headings, the lines above that are indented less, the file of a diff.

Which of them depends on the form that the text was read as. A form whose lines are rows of a table has none: there a
line's number says it all.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Final

from penstock.core.forms.api import DoesNotHoldError
from penstock.core.forms.read_text import lines_of
from penstock.core.forms.registry import form_named
from penstock.core.text import shorten

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.core.json.index import Container, Read

Parents = tuple[str, ...]

LONG_PARENT: Final = 80  # characters of a line that others lie under
MOST_BACK: Final = 2_000  # lines looked back for what a line lies under; "…" stands for what is farther
BLOCK: Final = 128  # lines read at a time on the way back
LONG_LINE: Final = 400  # bytes of a line that are looked at
MOST_HEADED: Final = 4_194_304  # bytes of Markdown that are read for their headings: half a second
MOST_DIFF: Final = 1_048_576  # bytes looked back for the file that a line of a diff belongs to

INDENTED: Final = frozenset(
    ("lines", "snapshot", "outline", "yaml", "logs", "linter_blocks", "xml", "html", "file_tree")
)
OUTSIDE: Final = "outside regions"
MOST_REGIONS: Final = 200  # a page with more has no use for them
_LANDMARKS: Final = rb"banner|main|navigation|region|contentinfo|complementary|form|search|dialog|alertdialog"
_REGION = re.compile(rb"^( *)- '?((?:%b)\b[^\n]{0,200})" % _LANDMARKS, re.MULTILINE)
DIFFS: Final = frozenset(("diff", "commits"))
_BRANCHES: Final = " \t│├└─|`+-\xa0"  # what stands before a name in a drawn tree
_COMMIT: Final = (b"\ncommit ", b"\nFrom ")


def parents_for(form: str, lines: Container, read: Read) -> Callable[[int], Parents]:
    """Return the function that tells what a line (from 0) lies under, the outermost first."""
    if form == "markdown":
        return Headings(read(lines.start, min(lines.end, lines.start + MOST_HEADED))).of
    if form in DIFFS:
        return lambda line: _file_and_hunk(lines, read, line, commits=form != "diff")
    if form in INDENTED:
        return lambda line: _by_indentation(lines, read, line, _drawn if form == "file_tree" else _indent)
    return lambda _: ()


class Regions:
    """The landmarks of an accessibility snapshot (WAI-ARIA 1.2, section 5.3.4), and dialogs: where each begins and
    ends, in bytes from the start of the text."""

    def __init__(self, text: bytes) -> None:
        self._regions: list[tuple[int, int, str]] = []
        for match in islice(_REGION.finditer(text), MOST_REGIONS):
            behind = re.compile(rb"\n {0,%d}[^ \n]" % len(match[1])).search(text, match.end())
            label = match[2].decode("utf-8", "replace").rstrip().removesuffix(":").rstrip("'")
            end = behind.start() + 1 if behind is not None else len(text)
            self._regions.append((match.start(), end, shorten(label, LONG_PARENT)))

    def of(self, position: int) -> str:
        """Return the innermost region around a position."""
        around = [label for start, end, label in self._regions if start <= position < end]
        return around[-1] if around else OUTSIDE


class Headings:
    """The headings of a Markdown text, as its form reads them: nothing in a fence is one."""

    def __init__(self, text: bytes) -> None:
        form = form_named("markdown")
        options = {"text": [], "slack": float("inf")}
        self._lines: list[int] = []
        self._under: list[Parents] = []
        opened: list[tuple[int, str]] = []
        with suppress(DoesNotHoldError):  # the form holds for the whole text, of which this may be a part
            for batch in form.read(lines_of(text, "replace"), options) if form is not None else ():
                sections = (batch.get("items", {}).get(name, ()) for name in ("line", "level", "title"))
                for line, level, title in zip(*sections, strict=True):
                    named = shorten(f"{'#' * level} {title}", LONG_PARENT)
                    opened = [*(one for one in opened if one[0] < level), (level, named)]
                    self._lines.append(line - 1)
                    self._under.append(tuple(one for _, one in opened))
        self._last = text.count(b"\n")

    def of(self, line: int) -> Parents:
        """Return the headings above a line, none for a line that was not read. A heading lies under those above it."""
        at = bisect_right(self._lines, line) - 1
        if at < 0 or line > self._last:
            return ()
        return self._under[at][:-1] if self._lines[at] == line else self._under[at]


def _by_indentation(lines: Container, read: Read, line: int, width: Callable[[str], int]) -> Parents:
    """Return the lines above that are indented less, each less than the one below it."""
    text = _line(lines.item(read, line))
    indent, in_list = width(text), text.lstrip().startswith("- ")
    parents: list[str] = []
    for end in range(line, max(0, line - MOST_BACK), -BLOCK):
        first = max(0, end - BLOCK)
        data = read(lines.starts[first], lines.starts[end] - 1)
        for above in map(_line, reversed(data.split(b"\n"))):
            if not indent and not in_list:
                return tuple(reversed(parents))
            bare = above.strip()
            if not bare:
                continue
            inner = width(above)
            # The items of a list in YAML may stand right below their key, indented no more than that.
            if inner < indent or (inner == indent and in_list and bare.endswith(":") and not bare.startswith("- ")):
                indent, in_list = inner, bare.startswith("- ")
                parents.append(shorten(_named(above), LONG_PARENT))
    if line > MOST_BACK and (indent or in_list):
        parents.append("…")
    return tuple(reversed(parents))


def _line(data: bytes) -> str:
    return data[:LONG_LINE].decode("utf-8", "replace")


def _indent(text: str) -> int:
    """Return the columns that a line is indented by; a tab goes to the next eighth."""
    bare = text.lstrip(" \t")
    indent = text[: len(text) - len(bare)]
    return len(indent.expandtabs(8)) if "\t" in indent else len(indent)


def _drawn(text: str) -> int:
    """Return the column where the name begins in a line of a drawn tree."""
    return len(text) - len(text.lstrip(_BRANCHES))


def _named(text: str) -> str:
    """Return a line without its indentation, its bullet and the colon behind it."""
    return text.lstrip(_BRANCHES).rstrip().removesuffix(":")


def _file_and_hunk(lines: Container, read: Read, line: int, *, commits: bool) -> Parents:
    """Return the commit, the file and the hunk that a line lies in, as far as they begin above it and near enough."""
    position = lines.starts[line]
    start = max(lines.start, position - MOST_DIFF)
    data = (b"\n" if start == lines.start else b"") + read(start, position)
    commit = max(data.rfind(mark) for mark in _COMMIT) if commits else -1
    file = data.rfind(b"\ndiff --git ")
    if file < 0 and data.count(b"\n--- ") and data.count(b"\n+++ "):
        file = data.rfind(b"\n+++ ")
    hunk = data.rfind(b"\n@@ ")
    file = file if file > commit else -1
    hunk = hunk if hunk > file >= 0 else -1
    lines_above = [_line(data[at + 1 : at + 1 + LONG_LINE].split(b"\n")[0]) for at in (commit, file, hunk) if at >= 0]
    return tuple(shorten(text, LONG_PARENT) for text in lines_above)
