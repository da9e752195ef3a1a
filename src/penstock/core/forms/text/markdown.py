"""Markdown: text with sections under headings, which begin with ``#`` or are underlined with ``===`` or ``---``.

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
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from penstock.core.forms.api import LONGEST_LINE, DoesNotHoldError, Excerpt, ParserForm, Words
from penstock.core.forms.line_parser import RowBatches, facts, holds
from penstock.core.forms.table_lines import MARKDOWN, rule_of
from penstock.core.text import counted, plain, tally

if TYPE_CHECKING:
    from penstock.core.forms.api import Batches, Lines, Options, Sample, Tables

LEAST_HEADINGS: Final = 3
MOST_FIRST: Final = 0.5  # of the headings may be of the first level: comments are nearly all
MOST_BLOCKED: Final = 0.2  # of the headings may follow one of the same level: comments come in blocks
MOST_ODD: Final = 0.2  # of the other lines may look like code: documents have some outside of fences
SLACK: Final = 1.5  # times as much of all that is allowed in a sample, which is a matter of chance
MOST_OUTLINE: Final = 40  # headings that are named in the facts,
LONG_TITLE: Final = 40  # with so many characters;
FEW: Final = 8  # headings of the upper levels, to which the first of the next level are added
MOST_LANGUAGES: Final = 200  # languages of fences that are counted
MOST_PARAGRAPH: Final = 5  # lines of the first paragraph that are shown;
SHORT: Final = 40  # characters: a shorter line is a label, or a link to a translation

_HEADING = re.compile(r" {0,3}+(#{1,6})[ \t]++(\S.*)")
_CLOSING = re.compile(r"[ \t]#++$")
_UNDERLINE = re.compile(r"(?:={3,}+|-{3,}+)")
_FENCE = re.compile(r"(?:(?:[-*+>]|[0-9]{1,3}[.)]) ++)*+(`{3,}+|~{3,}+)([^`]*+)")
_CODE_SPAN = re.compile(r"(`++)[^`]*+\1")
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
_FRONT: Final = "---"
_COMMENT: Final = "-->"
_COLUMNS: Final = {
    "items": "line level title lines characters",
    "links": "line text url",
    "code": "line language lines",
    "tables": "line columns rows",
}
_PROSE: Final = frozenset("*_(\"'“‘")  # first characters of a paragraph, beside letters and digits


def recognise(sample: Sample) -> Options | None:
    """Return True if the first lines, or else lines from all over the text, are Markdown."""
    if sum(line.lstrip()[:1] in ("#", "=", "-") for line in sample.lines) < LEAST_HEADINGS or _are_comments(sample):
        return None
    some = (sample.head, [line for run in (sample.head, *sample.runs) for line in (*run, "")])
    fits = any(holds(MarkdownParser(options={"slack": SLACK}), lines) for lines in some)
    return {"text": []} if fits else None


def _are_comments(sample: Sample) -> bool:
    """Return True if lines with one hash are too many for headings, where no fence has any of them."""
    marks = Counter(line[:2] for line in sample.lines)
    others = sum(marks[mark] for mark in ("##", "==", "--"))
    return marks["# "] > MOST_FIRST * SLACK * (marks["# "] + others) and not marks["``"] + marks["~~"]


@dataclass(slots=True, kw_only=True)
class MarkdownParser:
    options: Options
    nouns: dict[str, str] = field(
        default_factory=lambda: {"items": "sections", "links": "links", "code": "fences", "tables": "tables"}
    )
    number: int = 0  # the line that is read
    offset: int = 0  # characters before it
    above: str = ""  # the line before it, if that is text,
    above_offset: int = 0
    indented: bool = False  # that line is code, or goes on with the item of a list: no heading
    higher: str = ""  # and the one before that
    fence: str = ""  # the mark that ends what is no Markdown
    block: tuple[int, str] = (0, "")  # line and language of the open fence
    table: tuple[int, int] = (0, 0)  # line and columns of the open table
    section: tuple[int, int, str, int] = (0, 0, "", 0)  # line, level, title and offset of the open section
    preface: int = 0  # lines before the first heading
    front: int = 0  # lines of the front matter
    levels: Counter[int] = field(default_factory=Counter)
    hashes: Counter[bool] = field(default_factory=Counter)  # headings with hashes, by whether they have one only
    blocked: int = 0  # headings right below one of the same level
    body: int = 0  # lines with text that are no headings, outside of fences
    odd: int = 0
    images: int = 0
    table_rows: int = 0
    languages: Counter[str] = field(default_factory=Counter)
    outline: dict[int, list[tuple[int, str]]] = field(default_factory=dict)
    paragraph: list[tuple[int, str]] = field(default_factory=list)
    prose: int = sys.maxsize  # the last line that may belong to the first paragraph
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
        headings = self.levels.total()
        slack = self.options.get("slack", 1)
        if headings * slack < LEAST_HEADINGS or self.fence == _FRONT:
            raise DoesNotHoldError("too few headings")
        if self.hashes[True] > MOST_FIRST * headings * slack or self.blocked > MOST_BLOCKED * headings * slack:
            raise DoesNotHoldError("comments, rather than headings")
        if self.odd > MOST_ODD * self.body * slack:
            raise DoesNotHoldError("lines of code")

    def _read(self, line: str, text: str) -> None:
        if not text:
            self._end_table()
            self.above = self.higher = ""
        elif text[0] not in _MARKS or not self._divides(line, text):
            self._read_text(line, text)

    def _read_fenced(self, line: str, text: str) -> None:
        if self.fence == _FRONT:
            if self.number == 2 and not _KEY.match(text):  # the first line was but a rule
                self.fence = ""
                self._read(line, text)
            elif text in ("---", "..."):
                self.fence, self.front = "", self.number
        elif self.fence == _COMMENT:
            self.fence = "" if _COMMENT in text else _COMMENT
        elif text.startswith(self.fence) and not text.strip(self.fence[0]):
            self._end_fence()

    def _divides(self, line: str, text: str) -> bool:
        """Return True if a line is a heading, the underline of one, or opens a fence."""
        if text[0] == "#":
            if heading := _HEADING.match(line[:LONGEST_LINE]):
                self._head(self.number, len(heading[1]), _CLOSING.sub("", heading[2].rstrip()), self.offset)
                self.hashes[len(heading[1]) == 1] += 1
            return heading is not None
        if text[0] == "<":
            self.fence = _COMMENT if text.startswith("<!--") and _COMMENT not in text else ""
            return bool(self.fence)
        if text[0] in "`~":
            return self._opens_fence(text)
        if self.number == 1 and text == _FRONT:
            self.fence = _FRONT
            return True
        if (
            not self.above
            or self.higher
            or self.indented
            or self.above[0] in _NO_TITLE
            or not _UNDERLINE.fullmatch(text)
        ):
            return False
        self._head(self.number - 1, 1 if text[0] == "=" else 2, self.above, self.above_offset)
        self.body -= 1
        return True

    def _head(self, number: int, level: int, title: str, offset: int) -> None:
        self._end_table()
        self._end_section(number, offset)
        self.blocked += self.section[:2] == (number - 1, level)
        self.section = (number, level, title, offset)
        self.levels[level] += 1
        if len(named := self.outline.setdefault(level, [])) < MOST_OUTLINE:
            named.append((number, title))
        self.above = self.higher = ""

    def _end_section(self, number: int, offset: int) -> None:
        line, level, title, start = self.section
        if line:
            self.rows.add("items", line, level, title, number - line, offset - start)
        else:
            self.preface = number - 1 - self.front

    def _opens_fence(self, text: str) -> bool:
        match = _FENCE.fullmatch(text)
        if match is None:
            return False
        self._end_table()
        self.fence = match[1]
        self.block = (self.number, match[2].split()[0] if match[2].strip() else "")
        self.above = self.higher = ""
        return True

    def _end_fence(self) -> None:
        line, language = self.block
        self.rows.add("code", line, language or None, self.number - line - 1)
        if language in self.languages or len(self.languages) < MOST_LANGUAGES:
            self.languages[language] += 1
        self.fence, self.block = "", (0, "")

    def _end_table(self) -> None:
        line, columns = self.table
        if line:
            self.rows.add("tables", line, columns, self.number - line - 2)
            self.table_rows += self.number - line - 2
            self.table = (0, 0)

    def _read_text(self, line: str, text: str) -> None:
        if ("```" in text or "~~~" in text) and self._opens_fence(text):
            return
        self.body += 1
        if "](" in text:
            self._read_links(text)
        if self.table[0]:
            if "|" in text:
                return
            self._end_table()
        elif "|" in text and "|" in self.above and (rule := rule_of(text)) is not None and rule.kind == MARKDOWN:
            self.table = (self.number - 1, rule.columns)
        elif not line.startswith(("    ", "\t")):
            self.odd += _ODD.match(text) is not None
        if self.number <= self.prose:
            self._read_paragraph(text)
        self.higher, self.above, self.above_offset = self.above, text, self.offset
        self.indented = line.startswith(("    ", "\t"))

    def _read_links(self, text: str) -> None:
        if "`" in text:
            text = _CODE_SPAN.sub(lambda span: " " if "](" in span[0] else span[0], text)
        for image, label, url in _LINK.findall(text):
            if image:
                self.images += 1
            else:
                self.images += label.count("![")
                self.rows.add("links", self.number, label or None, url or None)

    def _read_paragraph(self, text: str) -> None:
        """Keep the first lines of prose that stand together."""
        if self.paragraph or ((text[0].isalnum() or text[0] in _PROSE) and len(text) >= SHORT):
            self.paragraph.append((self.number, text))
            self.prose = self.number + (len(self.paragraph) < MOST_PARAGRAPH)

    def words(self, tables: Tables) -> Words:
        counts = {table.name: table.count for table in tables}
        kind = "Markdown" if self.hashes else "text with underlined headings"
        what = f"{kind}: {counted(counts['items'], 'section')}, {counted(self.number - 1, 'line')}"
        what += f"; first heading: {plain(min(min(named) for named in self.outline.values())[1])}"
        links, fences, drawn = (counts.get(name, 0) for name in ("links", "code", "tables"))
        levels = [f"h{level} ×{self.levels[level]:,}" for level in sorted(self.levels)]
        languages = [(language or "no language", count) for language, count in self.languages.most_common()]
        lines = facts(
            (True, f"headings: {' · '.join(levels)}"),
            (True, f"outline (line, heading): {self._outline()}"),
            (self.preface, f"{counted(self.preface, 'line')} before the first heading"),
            (self.front, f"front matter: {counted(self.front, 'line')}"),
            (fences, f"{counted(fences, 'code fence')}: {tally(languages, 10)}"),
            (drawn, f"{counted(drawn, 'table')} with {counted(self.table_rows, 'row')}"),
            (links or self.images, f"{counted(links, 'link')}, {counted(self.images, 'image')}"),
        )
        return Words(what=what, facts=lines, excerpts=Excerpt.of("the first paragraph", self.paragraph))

    def _outline(self) -> str:
        """Return the headings of as many upper levels as fit, in their order, or the first of the uppermost."""
        headings: list[tuple[int, str]] = []
        left = 0
        for level in sorted(self.levels):
            room = MOST_OUTLINE - len(headings)
            if left or (self.levels[level] > room and len(headings) > FEW):
                break
            named = self.outline[level][:room]
            headings += [(line, f"{'#' * level} {plain(title, LONG_TITLE)}") for line, title in named]
            left = self.levels[level] - len(named)
        entries = [f"{line} {title}" for line, title in sorted(headings)]
        return " · ".join([*entries, f"{left:,} more"] if left else entries)


FORM: Final = ParserForm(name="markdown", title="Markdown", looks_like=recognise, make=MarkdownParser)
