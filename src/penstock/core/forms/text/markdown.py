"""Markdown: text with sections under headings, which begin with ``#`` or are underlined with ``===`` or ``---``.

Servers that return it: MarkItDown, Firecrawl, the reference fetch server, Context7, and every file server that reads
documentation.

``items`` has a row for every section: ``line`` of its heading, ``level``, ``title``, ``lines`` from its heading to the
next one of any level, and ``characters`` of these, line ends included. ``links`` has the links that stand on one line
(``line``, ``text``, ``url``; no images), ``code`` the fences (``line``, ``language``, ``lines`` inside), ``tables`` the
tables (``line``, ``columns``, ``rows``). Nothing inside a fence, a comment or the front matter counts.

Comments of programs and settings look like headings. So a text is Markdown only if it has three headings, of which at
most half have one ``#``; if these mostly stand alone, and not in blocks; and if few of the other lines look like code,
settings, a log or a diff.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from penstock.core.forms.api import LONGEST_LINE, DoesNotHoldError, Excerpt, ParserForm, Words
from penstock.core.forms.line_parser import RowBatches, holds
from penstock.core.forms.table_lines import MARKDOWN, rule_of
from penstock.core.text import counted, plain

if TYPE_CHECKING:
    from penstock.core.forms.api import Batches, Lines, Options, Sample, Tables

MIN_HEADINGS: Final = 3  # One or two lines with a hash are in any text.
MAX_FIRST: Final = 0.5  # Share of the headings with a single hash. Nearly all comments of programs have one.
MAX_BLOCKED: Final = 0.2  # Share of the headings right below one of the same level. Comments come in blocks.
MAX_ODD: Final = 0.2  # Share of the other lines that look like code. Documents have some outside of fences.
MAX_SLACK: Final = 1.5  # A sample may exceed these shares 1.5 times, because its lines are a matter of chance.
MAX_OUTLINE: Final = 40  # Headings that the outline names, with at most MAX_TITLE characters each.
MAX_TITLE: Final = 40
MIN_OUTLINE: Final = 8  # An outline with fewer headings gets the first ones of the next level, even if not all fit.
MAX_PARAGRAPH: Final = 5  # Lines of the first paragraph that are shown.
MIN_PROSE: Final = 40  # Characters of its first line. A shorter line is a label, or a link to a translation.

_HEADING = re.compile(r" {0,3}+(#{1,6})[ \t]++(\S.*)")
_CLOSING = re.compile(r"[ \t]#++$")
_UNDERLINE = re.compile(r"(?:={3,}+|-{3,}+)")
_FENCE = re.compile(r"(?:(?:[-*+>]|[0-9]{1,3}[.)]) ++)*+(`{3,}+|~{3,}+)([^`]*+)")
_CODE_SPAN = re.compile(r"(?<!`)(`++)[^`]*+\1")
_LINK = re.compile(
    r"(!?)\[((?:[^\[\]]++|\[[^\[\]]*+\](?:\([^()]*+\))?+)*+)\]"
    r"\([ \t]*+<?+([^()\s<>]*+(?:\([^()\s]*+\)[^()\s<>]*+)*+)[^()]*+\)"
)
_KEY = re.compile(r"[\w-]++:(?:\s|$)")
# Statements, settings, mappings, times of a log, lines of a diff, directives of reStructuredText; no items of lists.
_ODD = re.compile(
    r"""(?![-*+][ \t]|[0-9]++[.)] )(?:["'\w.$\[\]-]++\s*+(?:=|:=|\+=|<-)(?![=>])|["']?+[a-z_][\w.-]*+["']?+:(?:\s|$)"""
    r"|(?:def|class|import|function|export|return|echo|elif|fi|done|esac|sudo|RUN|COPY)\b|[$%]\S|//|/\*|\.\. \w++::"
    r"|\[?+[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:|[+-](?!-)|@@ |.*[;{}(\\]$)"
)
_MARKS: Final = frozenset("#=-`~<")  # first characters of lines that may divide the text
_NO_TITLE: Final = frozenset("-*+>|#<=")  # first characters of lines that no underline makes a heading
_NO_PROSE: Final = frozenset("-*+>|#<=![`")  # first characters of lines that begin no paragraph
_FRONT: Final = "---"
_COMMENT: Final = "-->"
_COLUMNS: Final = {
    "items": "line level title lines characters",
    "links": "line text url",
    "code": "line language lines",
    "tables": "line columns rows",
}
_NOUNS: Final = {"items": "sections", "links": "links", "code": "fences", "tables": "tables"}


def recognise(sample: Sample) -> Options | None:
    """Return options if the first lines, or else lines from all over the text, are Markdown."""
    if sum(line.lstrip()[:1] in ("#", "=", "-") for line in sample.lines) < MIN_HEADINGS:
        return None
    some = (sample.head, [line for run in (sample.head, *sample.runs) for line in (*run, "")])
    return {} if any(holds(MarkdownParser(options={"slack": MAX_SLACK}), lines) for lines in some) else None


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading, with its line and the characters before it."""

    line: int
    level: int
    title: str
    offset: int


@dataclass(slots=True, kw_only=True)
class MarkdownParser:
    options: Options
    nouns: dict[str, str] = field(default_factory=lambda: dict(_NOUNS))
    number: int = 0  # the line that is read
    offset: int = 0  # characters before it
    above: str = ""  # the line before, if it is text that an underline may make a heading,
    above_offset: int = 0  # and the characters before it
    may_be_table: bool = False  # The line before has a bar: a rule may follow.
    fence: str = ""  # the mark that ends what is not Markdown
    block: tuple[int, str | None] = (0, None)  # line and language of the open fence
    table: tuple[int, int] = (0, 0)  # line and columns of the open table
    section: Heading | None = None
    outline: list[Heading] = field(default_factory=list)  # the first sections of each level
    levels: dict[int, int] = field(default_factory=dict)  # headings by level
    hashes: list[int] = field(default_factory=lambda: [0, 0])  # headings with several hashes, and with one
    blocked: int = 0  # headings right below one of the same level
    body: int = 0  # lines of text
    odd: int = 0
    paragraph: list[tuple[int, str]] = field(default_factory=list)
    last_shown: int = sys.maxsize  # the last line that may belong to the first paragraph
    rows: RowBatches = field(default_factory=lambda: RowBatches(**_COLUMNS))

    def parse(self, lines: Lines) -> Batches:
        for self.number, line in enumerate(lines, 1):
            text = line[:LONGEST_LINE].strip()
            if self.fence:
                self._read_fenced(line, text)
            else:
                self._read(line, text)
            self.offset += len(line) + 1
            if self.rows.is_full:
                yield from self.rows.take()
        self.number += 1
        self._end_table()
        self._end_section(self.number, self.offset)
        if self.block[0]:
            self._end_fence()
        yield from self.rows.take()
        self._check()

    def _check(self) -> None:
        """Raise unless this is Markdown: see the module's rule."""
        headings, slack = sum(self.levels.values()), self.options.get("slack", 1)
        if headings * slack < MIN_HEADINGS or self.fence == _FRONT:
            raise DoesNotHoldError("too few headings")
        if self.hashes[1] > MAX_FIRST * headings * slack or self.blocked > MAX_BLOCKED * headings * slack:
            raise DoesNotHoldError("comments, rather than headings")
        if self.odd > MAX_ODD * self.body * slack:
            raise DoesNotHoldError("lines of code")

    def _read_fenced(self, line: str, text: str) -> None:
        if self.fence == _FRONT:
            if self.number == 2 and not _KEY.match(text):  # The first line was only a rule.
                self.fence = ""
                self._read(line, text)
            elif text in ("---", "..."):
                self.fence = ""
        elif self.fence == _COMMENT:
            self.fence = "" if _COMMENT in text else _COMMENT
        elif text.startswith(self.fence) and not text.strip(self.fence[0]):
            self._end_fence()

    def _read(self, line: str, text: str) -> None:
        if not text:
            self._end_table()
            self.above, self.may_be_table = "", False
            return
        may_divide = text[0] in _MARKS or "```" in text or "~~~" in text
        if may_divide and self._divides(line, text):
            self.above, self.may_be_table = "", False
            return
        self._read_text(line, text)
        # An underline makes a heading of a paragraph of one line, which is neither code nor an item of a list.
        is_title = not self.above and text[0] not in _NO_TITLE and not line.startswith(("    ", "\t"))
        self.above, self.above_offset = text if is_title else " ", self.offset
        self.may_be_table = "|" in text

    def _divides(self, line: str, text: str) -> bool:
        """Return True if a line is a heading, the underline of one, or opens a fence."""
        if text[0] == "#" and (heading := _HEADING.match(line[:LONGEST_LINE])):
            self._head(self.number, len(heading[1]), _CLOSING.sub("", heading[2].rstrip()), self.offset)
            self.hashes[len(heading[1]) == 1] += 1
            return True
        if text.startswith("<!--") and _COMMENT not in text:
            self.fence = _COMMENT
        elif self.number == 1 and text == _FRONT:
            self.fence = _FRONT
        elif (match := _FENCE.fullmatch(text)) is not None:
            self._end_table()
            self.fence = match[1]
            self.block = (self.number, match[2].split()[0] if match[2].strip() else None)
        elif self.above.strip() and _UNDERLINE.fullmatch(text):
            self._head(self.number - 1, 1 if text[0] == "=" else 2, self.above, self.above_offset)
            self.body -= 1
            return True
        return bool(self.fence)

    def _head(self, number: int, level: int, title: str, offset: int) -> None:
        self._end_table()
        self._end_section(number, offset)
        if self.section is not None:
            self.blocked += (self.section.line, self.section.level) == (number - 1, level)
        self.section = Heading(number, level, title, offset)
        self.levels[level] = self.levels.get(level, 0) + 1
        if self.levels[level] <= MAX_OUTLINE:
            self.outline.append(self.section)

    def _end_section(self, number: int, offset: int) -> None:
        if (one := self.section) is not None:
            self.rows.add("items", one.line, one.level, one.title, number - one.line, offset - one.offset)

    def _end_fence(self) -> None:
        line, language = self.block
        self.rows.add("code", line, language, self.number - line - 1)
        self.fence, self.block = "", (0, None)

    def _end_table(self) -> None:
        line, columns = self.table
        if line:
            self.rows.add("tables", line, columns, self.number - line - 2)
            self.table = (0, 0)

    def _read_text(self, line: str, text: str) -> None:
        self.body += 1
        if "](" in text:
            self._read_links(text)
        if self.table[0]:
            if "|" in text:
                return
            self._end_table()
        if "|" in text and self.may_be_table and (rule := rule_of(text)) is not None and rule.kind == MARKDOWN:
            self.table = (self.number - 1, rule.width)
        elif not line.startswith(("    ", "\t")):
            self.odd += _ODD.match(text) is not None
        if self.number <= self.last_shown and (self.paragraph or _begins_paragraph(text)):
            self.paragraph.append((self.number, text))
            self.last_shown = self.number + (len(self.paragraph) < MAX_PARAGRAPH)

    def _read_links(self, text: str) -> None:
        if "](" in text[text.find("`") : text.rfind("`")]:  # All code is between the first backtick and the last.
            text = _CODE_SPAN.sub(lambda span: " " if "](" in span[0] else span[0], text)
        for image, label, url in _LINK.findall(text):
            if not image:
                self.rows.add("links", self.number, label or None, url or None)

    def words(self, tables: Tables) -> Words:
        kind = "Markdown" if any(self.hashes) else "text with underlined headings"
        what = f"{kind}: {counted(tables[0].count, 'section')}, {counted(self.number - 1, 'line')}"
        what += f"; first heading: {plain(self.outline[0].title)}"
        outline = f"outline (line, heading): {self._outline()}"
        return Words(what=what, facts=(outline,), excerpts=Excerpt.of("the first paragraph", self.paragraph))

    def _outline(self) -> str:
        """Return the headings of as many upper levels as fit, in their order, or the first of the uppermost."""
        shown: list[Heading] = []
        left = 0
        for level in sorted(self.levels):
            room = MAX_OUTLINE - len(shown)
            if left or (self.levels[level] > room and len(shown) > MIN_OUTLINE):
                break
            named = [one for one in self.outline if one.level == level][:room]
            left = self.levels[level] - len(named)
            shown += named
        shown.sort(key=lambda one: one.line)
        entries = [f"{one.line} {'#' * one.level} {plain(one.title, MAX_TITLE)}" for one in shown]
        return " · ".join([*entries, f"+{counted(left, 'heading')}"] if left else entries)


def _begins_paragraph(text: str) -> bool:
    return len(text) >= MIN_PROSE and text[0] not in _NO_PROSE


FORM: Final = ParserForm(name="markdown", title="Markdown", looks_like=recognise, make=MarkdownParser)
