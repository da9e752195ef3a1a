"""Lines that repeat but for their numbers, as ``shell_execute`` returns them from builds, installers and programs.

The kind of a line is the line with ``#`` for its numbers and ``*`` for its parts in quotes. ``items`` has a row for
each line that is not blank: ``line``, ``kind``, ``text``. A text has this form if a few kinds are most of it.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from penstock.core.forms.api import LONGEST_LINE, DoesNotHoldError, ParserForm, Words
from penstock.core.forms.line_parser import LineParser
from penstock.core.text import counted

if TYPE_CHECKING:
    from penstock.core.forms.api import Batch, Options, Sample, Tables

MIN_LINES: Final = 60  # Fewer than 60 lines are read as they are.
MIN_KINDS: Final = 3  # Fewer than 3 kinds leave nothing to count.
MIN_REPEATS: Final = 5  # A kind has 5 lines on average.
MIN_SHARE: Final = 0.8  # The most frequent kinds have at least 4 in 5 of all lines.
MAX_FREQUENT: Final = 12  # So many kinds are the most frequent ones: a model can read them in one answer.
MAX_KINDS: Final = 2_000  # At most 2,000 kinds are counted, which takes less than a megabyte.

# Numbers, also with a sign of their base, and digits of hashes and addresses; parts in quotes on one line.
_NUMBER: Final = r"\b0x[0-9A-Fa-f]++|\b(?=[a-f]*+[0-9])[0-9a-f]{7,}+\b|[0-9]++"
_VARIABLE = re.compile(rf"\"[^\"\n]*+\"|'[^'\n]*+'|`[^`\n]*+`|{_NUMBER}")


def kind_of(text: str) -> str:
    """Return lines without the parts that differ between lines of one kind."""
    return _VARIABLE.sub(lambda match: "*" if match[0][0] in "\"'`" else "#", text)


def recognise(sample: Sample) -> Options | None:
    """Return no options, if a few kinds are most of the lines of the sample."""
    kinds = Counter(kind_of("\n".join(sample.short)).split("\n"))
    return {} if sample.count >= MIN_LINES and _is_repeated(kinds) else None


def _is_repeated(kinds: Counter[str]) -> bool:
    lines = kinds.total()
    frequent = sum(count for _, count in kinds.most_common(MAX_FREQUENT))
    return len(kinds) >= MIN_KINDS and frequent >= MIN_SHARE * lines and len(kinds) * MIN_REPEATS <= lines


@dataclass(slots=True, kw_only=True)
class KindsParser(LineParser):
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "lines"})
    kinds: Counter[str] = field(default_factory=Counter)

    def read(self, lines: list[str]) -> Batch:
        kept = [(number, line) for number, line in enumerate(lines, self.seen + 1) if line and not line.isspace()]
        if not kept:
            return {}
        numbers, texts = (list(cells) for cells in zip(*kept, strict=True))
        kinds = kind_of("\n".join([line[:LONGEST_LINE] for line in texts])).split("\n")
        self.kinds.update(kinds)
        if len(self.kinds) > MAX_KINDS:
            raise DoesNotHoldError("too many kinds of lines")
        return {"items": {"line": numbers, "kind": kinds, "text": texts}}

    def holds(self) -> bool:
        return _is_repeated(self.kinds)

    def words(self, tables: Tables) -> Words:
        blank = self.seen - tables[0].count
        more = f" and {counted(blank, 'blank one')}" if blank else ""
        what = f"{counted(tables[0].count, 'line')} of text of {counted(len(self.kinds), 'kind')}{more}"
        return Words(what=what, facts=("a kind is a line with # for its numbers and * for its parts in quotes",))


FORM: Final = ParserForm(
    name="kinds", title="lines that repeat", looks_like=recognise, make=KindsParser, needs_whole=True
)
