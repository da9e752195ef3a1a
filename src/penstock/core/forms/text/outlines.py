"""Nested lists, as ``fetch`` and ``convert_to_markdown`` return them from tables of contents.

The table has a row for every line that is not blank: ``line``, ``_depth`` from 0, ``_parent`` (the row of the parent,
from 1) and ``text`` without indentation and bullet. If most items are ``key: value``, the text is YAML.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from operator import sub
from typing import TYPE_CHECKING, Final

from penstock.core.forms.api import LONGEST_LINE, ParserForm, Words
from penstock.core.forms.levels import Levels
from penstock.core.forms.line_parser import LineParser
from penstock.core.text import counted

if TYPE_CHECKING:
    from penstock.core.forms.api import Batch, Options, Sample, Tables

MIN_LINES: Final = 10  # Fewer than 10 lines show no pattern of indentation.
MIN_INDENTED: Final = 0.1  # At least 1 in 10 items is below another one.
MAX_UNMARKED: Final = 0.05  # At most 1 in 20 lines has no bullet: an item may go on in such a line.
MAX_PAIRS: Final = 0.2  # At most 1 in 5 items is ``key: value``. Notes have some, and YAML has little else.

_BULLET = re.compile(r"(?:[-*+•◦▪‣–]|[0-9]{1,4}[.)]|[A-Za-z][.)])[ \t]++(?=\S)")
_PAIR = re.compile(r"""(?:- )*+[\w./"'-]++:(?: |$)""")


def recognise(sample: Sample) -> Options | None:
    """Return no options, if nearly all lines of the sample are bullets, and some are below others."""
    texts, indents = _parted(sample.short)
    if len(texts) < MIN_LINES or indents[0] > min(indents):
        return None
    unmarked = sum(_BULLET.match(text) is None for text in texts)
    pairs = sum(_PAIR.match(text) is not None for text in texts)
    indented = sum(indent > indents[0] for indent in indents)
    fits = unmarked <= MAX_UNMARKED * len(texts) and pairs <= MAX_PAIRS * len(texts)
    return {"text": []} if fits and indented >= MIN_INDENTED * len(texts) else None


def _parted(lines: list[str]) -> tuple[list[str], list[int]]:
    """Split lines into their texts and the columns that each is indented by; a tab goes to the next eighth."""
    texts = [line.lstrip(" \t") for line in lines]
    indents = list(map(sub, map(len, lines), map(len, texts)))
    if "\t" in "\n".join(lines):
        indents = [len(line[:indent].expandtabs(8)) for line, indent in zip(lines, indents, strict=True)]
    return texts, indents


@dataclass(slots=True, kw_only=True)
class OutlineParser(LineParser):
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "lines"})
    levels: Levels = field(default_factory=Levels)

    def read(self, lines: list[str]) -> Batch:
        numbered = [(number, line) for number, line in enumerate(lines, self.seen + 1) if line and not line.isspace()]
        if not numbered:
            return {}
        numbers, kept = (list(cells) for cells in zip(*numbered, strict=True))
        texts, indents = _parted(kept)
        depths, parents = self.levels.place(indents)
        self.levels.keep(depths, numbers, kept)
        items = [self._item(text).strip() or None for text in texts]
        return {"items": {"line": numbers, "_depth": depths, "_parent": parents, "text": items}}

    def _item(self, text: str) -> str:
        """Return a line without its bullet. A line that has none is counted."""
        bullet = _BULLET.match(text[:LONGEST_LINE])
        self.unfit += bullet is None
        return text[bullet.end() :] if bullet else text

    def holds(self) -> bool:
        return self.unfit <= MAX_UNMARKED * self.levels.count

    def words(self, tables: Tables) -> Words:
        what = f"a nested list: {counted(tables[0].count, 'line')}, {len(self.levels.depths)} levels"
        facts = (f"{counted(self.unfit, 'line')} without a bullet",) if self.unfit else ()
        return Words(what=what, facts=facts, excerpts=self.levels.excerpts())


FORM: Final = ParserForm(name="outline", title="a nested list", looks_like=recognise, make=OutlineParser)
