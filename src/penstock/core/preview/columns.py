"""Which columns of many records tell most, found out from a sample of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from penstock.core.json import scan
from penstock.core.preview.cells import LABELS, LONG_CELL, fields, part_of
from penstock.core.sample import spread
from penstock.core.toolkit.fields import TIME

if TYPE_CHECKING:
    from penstock.core.json.index import Container
    from penstock.core.subject import Subject

SAMPLE: Final = 100  # records looked at to choose the columns
SAMPLE_BYTES: Final = 1_048_576  # of them: records may be large
FRONT: Final = 20  # records at the front looked at besides: they are the ones that will be shown
FEW: Final = 3  # records or columns; so few are shown in full
MOST_COLUMNS: Final = 12  # more than a reader takes in
MOST_SAME: Final = 8  # columns with one value in all rows that are told
ROW_WIDTH: Final = 400  # bytes of an average row: with the usual 8 KB there are some twenty rows
LIGHT: Final = 40  # bytes; a column of such cells costs little
HEAVY: Final = 1_000  # bytes of a nested value that says nothing when summed up

# Names that people look for, besides those that an object is known by.
_KINDS: Final = {"status", "state", "kind", "category", "level", "severity", "priority", "user", "author", "file"}
_WORDS: Final = {"line", "message", "summary", "subject", "description", "price", "amount", "total", "count", "score"}
_WANTED: Final = {*LABELS, *_KINDS, *_WORDS}
_OPAQUE: Final = 5  # the rank of columns that tell nothing at a glance, behind all others
_MARKUP: Final = (b'"http', b'"<', b'"data:')  # addresses, pages and data URIs
_ENCODED = re.compile(rb'"(?=[^"]*[0-9])[A-Za-z0-9+/=_-]{30}')  # keys, hashes and base64, rather than words


def survey_of(subject: Subject, main: Container) -> Survey:
    """Look at records from all over a container, and at its first ones."""
    average = max(1, main.size // main.count)
    sampled = spread(main.count, max(2, min(SAMPLE, SAMPLE_BYTES // average)))
    front = range(min(main.count, max(1, min(FRONT, SAMPLE_BYTES // average))))
    survey = Survey()
    for at in sorted({*sampled, *front}):
        survey.add(part_of(subject, main, at)[1])
    return survey


@dataclass(slots=True, kw_only=True)
class Column:
    """What the sampled records have in one field: ``width`` and ``weight`` are the bytes shown and the bytes there."""

    position: int
    filled: int = 0
    width: int = 0
    weight: int = 0
    same: bool = True
    first: bytes = b""

    def add(self, value: bytes) -> None:
        if value == b"null":
            return
        self.first = self.first or value
        self.filled += 1
        self.weight += len(value)
        self.width += min(len(value), LONG_CELL)
        self.same = self.same and value == self.first


@dataclass(slots=True, kw_only=True)
class Survey:
    """The columns of a sample of the records, and which of them to show."""

    seen: int = 0
    objects: int = 0
    columns: dict[str, Column] = field(default_factory=dict)

    def add(self, value: bytes) -> None:
        self.seen += 1
        self.objects += value[:1] == b"{"
        for key, inner in fields(value).items():
            if key not in self.columns:
                self.columns[key] = Column(position=len(self.columns))
            self.columns[key].add(inner)

    @property
    def fill(self) -> float:
        """The share of the table's cells that would hold something, columns without any value left aside."""
        filled = [column.filled for column in self.columns.values() if column.filled]
        return sum(filled) / (len(filled) * self.objects) if filled else 1.0

    def chosen(self) -> tuple[list[str], list[str]]:
        """The columns to show, the most telling first, and those that have one value in all records."""
        same = [key for key, column in self.columns.items() if self._is_same(column)]
        varied = [key for key, column in self.columns.items() if column.filled and key not in same]
        if not varied:
            return list(self.columns)[:1], same[1 : MOST_SAME + 1]
        ranks = {key: self._rank(key) for key in varied}
        taken: list[str] = []
        width = 0.0
        for key in sorted(varied, key=ranks.__getitem__):
            average = self.columns[key].width / self.objects
            unwanted = width + average > ROW_WIDTH or (ranks[key] >= _OPAQUE and len(taken) >= FEW)
            if not (taken and unwanted):
                taken.append(key)
                width += average
        return taken[:MOST_COLUMNS], same[:MOST_SAME]

    def _is_same(self, column: Column) -> bool:
        return self.objects > FEW and column.same and column.filled == self.objects

    def _rank(self, key: str) -> int:
        """How little a column tells: it is named like something people look for, or light, or heavy, or opaque; and
        less if most records leave it empty."""
        column = self.columns[key]
        average = column.weight / column.filled
        rare = (column.filled * 2 < self.objects) + (column.filled * 10 < self.objects)
        if column.first.startswith(_MARKUP) or (scan.is_container(column.first) and average > HEAVY):
            return _OPAQUE + rare
        if key.lower() in _WANTED or TIME.preference((key,)) is not None:
            return rare
        if _ENCODED.match(column.first):
            return _OPAQUE + rare
        return (1 if average <= LIGHT else 2) + rare
