"""Indented outlines: nested lists with bullets, and short lines under each other by their indentation.

The table has a row for every line that is not blank: ``line``, ``_depth`` from 0, ``_parent`` (the row of the parent,
from 1) and ``text`` without indentation and bullet. YAML, source code and prose are no outlines: lines with bullets
may not mostly be ``key: value``, and lines without need three levels, one step at a time, and no marks of code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice, pairwise
from operator import sub
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.api import LONGEST_LINE, ParserForm, Words
from penstock.core.forms.levels import UPPER, Levels
from penstock.core.forms.line_parser import LineParser
from penstock.core.text import counted, plain

if TYPE_CHECKING:
    from penstock.core.forms.api import Batch, Options, Sample, Tables

LEAST_LINES: Final = 10  # fewer show no pattern of indentation
LEAST_LEVELS: Final = 3  # of an outline without bullets: paragraphs, poems and help texts have two
INDENTED: Final = 0.1  # of the lines at least
LONG_ITEM: Final = 200  # characters; lines of prose are as long,
MOST_LONG: Final = 0.05  # and so many of an outline's lines may be
AVERAGE: Final = 60  # characters of a line without a bullet: prose is longer
UNMARKED: Final = 0.05  # of the lines in a list: an item may run on in a line without a bullet
MOST_KEYS: Final = 0.2  # of the items may be ``key: value``: notes have some, YAML has little else
MOST_ODD: Final = 0.05  # of the lines without bullets may look like code, or jump by more than a step

_BULLETS: Final = {"- ", "* ", "+ ", "• ", "◦ ", "▪ ", "‣ ", "– "}
_BULLET = re.compile(r"(?:[-*+•◦▪‣–]|[0-9]{1,4}[.)]|[A-Za-z][.)])[ \t]++(?=\S)")
_KEY = re.compile(r"""(?:- )*+[\w./"'-]++:(?: |$)""")
# Ends of statements and openings of blocks; comments, markup, trees drawn with lines; operators, keys of a mapping.
_ENDS: Final = frozenset("{}();,[]=\\:")
_STARTS: Final = frozenset("0123456789#@/\"'<>(){}[]|│├└$`")
_INNER: Final = (" = ", "==", "::", "()", "->", "=>", ": ")


def recognise(sample: Sample) -> Options | None:
    """Return True if lines are bullets of two levels, or short lines of three levels without a skipped level."""
    lines = sample.short
    if len(lines) < LEAST_LINES:
        return None
    texts, indents = _parted(lines)
    indents = indents[: sum(1 for line in sample.head if line.strip())]
    levels = sorted(set(indents))
    long = sum(len(text) > LONG_ITEM for text in texts)
    if len(levels) < 2 or indents[0] != levels[0] or long > MOST_LONG * len(lines):
        return None
    if sum(indent > levels[0] for indent in indents) < INDENTED * len(indents):
        return None
    unmarked = sum(_BULLET.match(text) is None for text in texts)
    if unmarked <= UNMARKED * len(lines):
        keys = sum(_KEY.match(text) is not None for text in texts)
        return {"bullets": True, "step": 0, "text": []} if keys <= MOST_KEYS * len(lines) else None
    if len(levels) < LEAST_LEVELS or sum(map(len, texts)) > AVERAGE * len(lines) or unmarked * 2 < len(lines):
        return None
    step = min(after - before for before, after in pairwise(levels))
    odd = _odd(texts) + _jumps(indents, step) + sum((indent - levels[0]) % step > 0 for indent in indents)
    return {"bullets": False, "step": step, "text": []} if odd <= MOST_ODD * len(lines) else None


def _parted(lines: list[str]) -> tuple[list[str], list[int]]:
    """Split lines into their texts and the columns that each is indented by; a tab goes to the next eighth."""
    texts = [line.lstrip(" \t") for line in lines]
    indents = list(map(sub, map(len, lines), map(len, texts)))
    if "\t" in "\n".join(lines):
        indents = [len(line[:indent].expandtabs(8)) for line, indent in zip(lines, indents, strict=True)]
    return texts, indents


def _odd(texts: list[str]) -> int:
    """Count how many marks of source code and of mappings there are in lines that should be but words."""
    odd = sum(text[-1:] in _ENDS or text[:1] in _STARTS for text in texts)
    joined = "\n".join(texts)
    return odd + sum(map(joined.count, _INNER))


def _jumps(indents: list[int], step: int) -> int:
    return sum(after - before > step for before, after in pairwise(indents))


@dataclass(slots=True, kw_only=True)
class OutlineParser(LineParser):
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "lines"})
    levels: Levels = field(default_factory=Levels)
    odd: int = 0
    top: list[tuple[int, int, str]] = field(default_factory=list)  # row, line and text of the first top lines
    before: int = 0  # the indentation of the line before

    def read(self, lines: list[str]) -> Batch:
        numbers = [at for at, line in enumerate(lines, self.seen + 1) if line and not line.isspace()]
        kept = [lines[at - self.seen - 1] for at in numbers]
        return {"items": self._columns(numbers, kept)} if kept else {}

    def holds(self) -> bool:
        share = UNMARKED if self.options["bullets"] else MOST_ODD
        return self.odd <= share * self.levels.count and len(self.levels.depths) > 1

    def _columns(self, numbers: list[int], lines: list[str]) -> dict[str, list[Any]]:
        texts, indents = _parted(lines)
        if self.options["bullets"]:
            texts = [text[2:] if text[:2] in _BULLETS else self._item(text) for text in texts]
        else:
            self.odd += _odd(texts) + _jumps([self.before, *indents], self.options["step"])
            self.before = indents[-1]
        first = self.levels.count
        depths, parents = self.levels.place(indents)
        self.levels.keep(depths, numbers, lines)
        if len(self.top) <= UPPER:
            tops = ((first + at + 1, numbers[at], texts[at]) for at, depth in enumerate(depths) if not depth)
            self.top += islice(tops, UPPER + 1 - len(self.top))
        return {"line": numbers, "_depth": depths, "_parent": parents, "text": [text.strip() or None for text in texts]}

    def _item(self, text: str) -> str:
        """Return the text of an item of a numbered list, say; a line without any bullet is counted."""
        bullet = _BULLET.match(text[:LONGEST_LINE])
        self.odd += bullet is None
        return text[bullet.end() :] if bullet else text

    def words(self, tables: Tables) -> Words:
        [table] = tables
        depths = self.levels.depths
        kind = "a nested list" if self.options["bullets"] else "an indented outline"
        what = f"{kind}: {counted(table.count, 'line')}, {len(depths)} levels"
        by_depth = [f"{depth} ×{depths[depth]:,}" for depth in range(min(len(depths), UPPER))]
        by_depth += [f"+{counted(len(depths) - UPPER, 'deeper level')}"] if len(depths) > UPPER else []
        facts = [f"lines by depth: {' · '.join(by_depth)}"]
        ends = [*(row for row, _, _ in self.top[1:]), table.count + 1]
        tops = [
            f"{plain(text)} (line {line:,}, {end - row - 1:,} below)"
            for (row, line, text), end in zip(self.top, ends, strict=True)
        ]
        left = depths[0] - UPPER
        more = [f"+{counted(left, 'line')}"] if left > 0 else []
        facts.append(f"top: {' · '.join([*tops[:UPPER], *more])}")
        if self.odd and self.options["bullets"]:
            facts.append(f"{counted(self.odd, 'line')} without a bullet")
        return Words(what=what, facts=tuple(facts), excerpts=self.levels.excerpts())


FORM: Final = ParserForm(name="outline", title="an outline", looks_like=recognise, make=OutlineParser, is_costly=True)
