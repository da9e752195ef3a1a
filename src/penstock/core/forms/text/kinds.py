"""Lines that repeat but for their numbers: what builds, installers, crashes and programs print that have no form known.

The kind of a line is the line with ``#`` for its numbers and ``*`` for what stands in quotes. ``items`` has a row for
each line that is not blank: ``line``, ``kind``, ``text``. A text has this form if a few kinds are most of it.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from penstock.core.forms.api import LONGEST_LINE, DoesNotHoldError, Excerpt, ParserForm, Words
from penstock.core.forms.line_parser import LineParser
from penstock.core.text import counted

if TYPE_CHECKING:
    from penstock.core.forms.api import Batch, Options, Sample, Tables

LEAST: Final = 60  # lines; fewer are read as they are
LEAST_KINDS: Final = 3  # with fewer there is nothing to count
FEW: Final = 12  # kinds that are most of a text: so many of
SHARE: Final = 0.8  # all its lines,
REPEATED: Final = 5  # each of them with so many lines on average, all kinds together
MOST_KINDS: Final = 2_000  # that are counted
MOST_NAMED: Final = 6  # kinds whose first line is shown

# Numbers, also with a sign of their base, and digits of hashes and addresses; what stands in quotes on one line.
_NUMBER: Final = r"\b0x[0-9A-Fa-f]++|\b(?=[a-f]*+[0-9])[0-9a-f]{7,}+\b|[0-9]++"
_VARIABLE = re.compile(rf"\"[^\"\n]*+\"|'[^'\n]*+'|`[^`\n]*+`|{_NUMBER}")


def kind_of(text: str) -> str:
    """Return lines without what differs between lines of one kind."""
    return _VARIABLE.sub(lambda match: "*" if match[0][0] in "\"'`" else "#", text)


def recognise(sample: Sample) -> Options | None:
    """Return no options, if a few kinds are most of the lines of the sample."""
    lines = sample.short
    if sample.count < LEAST:
        return None
    kinds = Counter(kind_of("\n".join(lines)).split("\n"))
    return {} if _is_repeated(kinds, len(lines)) else None


def _is_repeated(kinds: Counter[str], lines: int) -> bool:
    common = sum(count for _, count in kinds.most_common(FEW))
    return len(kinds) >= LEAST_KINDS and common >= SHARE * lines and len(kinds) * REPEATED <= lines


@dataclass(slots=True, kw_only=True)
class KindsParser(LineParser):
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "lines"})
    kinds: Counter[str] = field(default_factory=Counter)
    first: dict[str, tuple[int, str]] = field(default_factory=dict)
    blank: int = 0

    def read(self, lines: list[str]) -> Batch:
        kept = [(number, line) for number, line in enumerate(lines, self.seen + 1) if line and not line.isspace()]
        self.blank += len(lines) - len(kept)
        if not kept:
            return {}
        kinds = kind_of("\n".join(line[:LONGEST_LINE] for _, line in kept)).split("\n")
        self.kinds.update(kinds)
        if len(self.kinds) > MOST_KINDS:
            raise DoesNotHoldError("too many kinds of lines")
        self.first = {**dict(zip(reversed(kinds), reversed(kept), strict=True)), **self.first}
        numbers, texts = (list(cells) for cells in zip(*kept, strict=True))
        return {"items": {"line": numbers, "kind": kinds, "text": texts}}

    def holds(self) -> bool:
        return _is_repeated(self.kinds, self.kinds.total())

    def words(self, tables: Tables) -> Words:
        blank = f" and {counted(self.blank, 'blank one')}" if self.blank else ""
        what = f"{counted(tables[0].count, 'line')} of text of {counted(len(self.kinds), 'kind')}{blank}"
        facts = ("a kind is a line with # for its numbers and * for what stands in quotes",)
        first_lines = sorted(self.first[kind] for kind, _ in self.kinds.most_common(MOST_NAMED))
        excerpts = Excerpt.of("first line of each of the most frequent kinds", first_lines)
        return Words(what=what, facts=facts, excerpts=excerpts)


FORM: Final = ParserForm(
    name="kinds", title="lines that repeat", looks_like=recognise, make=KindsParser, needs_whole=True
)
