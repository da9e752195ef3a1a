"""Reads answers of ``/metrics``: samples in the text format of Prometheus or OpenMetrics.

``items`` has a row for each sample: ``line``, ``name``, ``type``, ``family`` (the metric that it is part of), a column
for each label, and ``value``. A label that has the name of another column is ``label_type``. Labels are texts, as the
formats say; values are numbers, and those that are none (NaN, +Inf) are absent, and counted. ``families`` has a row for
each family with its ``type``, ``help`` and ``samples``. All lines of the text are samples, or comments.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, field
from heapq import nlargest
from itertools import compress, count, groupby, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.growing import GrowingRows
from penstock.core.forms.text_form import DoesNotHoldError, LineParser, TextForm, Words, facts
from penstock.core.text import counted, plain, tally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.core.forms.text_form import Batch, Batches, Columns, Options, Sample, Tables

LEAST: Final = 3  # samples
MOST_FAMILIES: Final = 50_000  # metrics of one text; more are no metrics
LARGEST: Final = 3  # samples that are told for their values
LARGEST_FAMILIES: Final = 4  # families that are told for their samples

_OWN: Final = frozenset({"line", "name", "type", "family", "value", "timestamp"})
_SUFFIXES: Final = {
    "histogram": ("_bucket", "_sum", "_count", "_created"),
    "gaugehistogram": ("_bucket", "_gsum", "_gcount"),
    "summary": ("_sum", "_count", "_created"),
    "counter": ("_total", "_created"),
    "info": ("_info",),
}
_NAME: Final = r"[a-zA-Z_:][a-zA-Z0-9_:]*+"
_META = re.compile(rf"# (HELP|TYPE|UNIT) ({_NAME})(?: (.*))?")
_KEY: Final = r"[a-zA-Z_][a-zA-Z0-9_]*+"
_EQUALS: Final = r"[ \t]*+=[ \t]*+"
_TEXT: Final = r'[^"\\\n]*+(?:\\.[^"\\\n]*+)*+'
_LABEL = re.compile(rf'({_KEY}){_EQUALS}"({_TEXT})"')
_LABELS: Final = rf'(?:[ \t]*+{_KEY}{_EQUALS}"{_TEXT}"[ \t]*+(?:,|(?=\}})))*+'
_NUMBER: Final = r"[0-9][0-9.]*+(?:[eE][+-]?[0-9]++)?+"
# Name, labels, value and time of a sample, or any other line.
_LINES = re.compile(
    rf"(?:({_NAME})(?:\{{({_LABELS})[ \t]*+\}})?[ \t]++"
    rf"([+-]?(?:{_NUMBER}|\.[0-9]++(?:[eE][+-]?[0-9]++)?+|[Ii]nf|NaN|nan))(?:[ \t]++(-?{_NUMBER}))?+[ \t]*+"
    r"(?:\#[ \t].*)?|(.*))\n"
)
_ESCAPE = re.compile(r'\\([\\n"])')


def recognise(sample: Sample) -> Options | None:
    """Tell whether all lines of the sample are samples or comments, of which one tells the type of a metric."""
    if not any(map(_META.match, sample.head[:20])):
        return None
    rows = _LINES.findall("\n".join((*sample.lines, "")))
    others = [row[-1] for row in rows if not row[0]]
    are_comments = all(line[0] == "#" for line in others)
    return {} if are_comments and len(rows) - len(others) >= min(LEAST, len(sample.runs)) else None


@dataclass(slots=True)
class _Family:
    """The facts about a metric from its comments, and the number of its samples."""

    type: str = "untyped"
    help: str | None = None
    samples: int = 0


@dataclass(slots=True, kw_only=True)
class MetricsParser(LineParser):
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "samples", "families": "families"})
    families: dict[str, _Family] = field(default_factory=dict)
    others: Counter[str] = field(default_factory=Counter)  # values that are no finite numbers
    largest: list[tuple[Any, int, str]] = field(default_factory=list)  # values, lines (negative) and names
    labels: GrowingRows = field(default_factory=GrowingRows)
    _names: dict[str, tuple[str, _Family]] = field(default_factory=dict)

    def read(self, lines: list[str]) -> Batch:
        rows = _LINES.findall("\n".join((*lines, "")))
        families: list[str] = []  # of each sample, and
        types: list[str] = []
        for metric, run in groupby(rows, itemgetter(0)):
            if not metric:
                for row in run:
                    self._comment(row[-1])
                continue
            size = sum(1 for _ in run)
            name, family = self._names.get(metric) or self._family_of(metric)
            family.samples += size
            families += [name] * size
            types += [family.type] * size
        if not families:
            return {}
        lines_of_samples = list(compress(count(self.seen + 1), map(itemgetter(0), rows)))
        return self._batch(lines_of_samples, families, types, [row for row in rows if row[0]])

    def rest(self) -> Batches:
        columns: Columns = {"family": list(self.families)}
        for name in ("type", "samples", "help"):
            columns[name] = [getattr(one, name) for one in self.families.values()]
        yield {"families": columns}

    def holds(self) -> bool:
        return self.count >= LEAST

    def _comment(self, line: str) -> None:
        meta = _META.fullmatch(line)
        if meta is None:
            if line and line[0] != "#" and not line.isspace():
                raise DoesNotHoldError("a line that is no sample")
            return
        family = self._family(meta[2])
        if meta[1] == "TYPE":
            family.type = (meta[3] or "").strip() or "untyped"
        elif meta[1] == "HELP":
            family.help = _unescaped(meta[3]) if meta[3] else None

    def _family(self, name: str) -> _Family:
        family = self.families.get(name)
        if family is None:
            if len(self.families) >= MOST_FAMILIES:
                raise DoesNotHoldError("too many metrics")
            family = self.families[name] = _Family()
        return family

    def _family_of(self, metric: str) -> tuple[str, _Family]:
        """Return the family of a metric: its own, or that of a histogram, summary or counter whose part it is."""
        stem, mark, suffix = metric.rpartition("_")
        family = self.families.get(stem)
        if metric in self.families or family is None or mark + suffix not in _SUFFIXES.get(family.type, ()):
            stem, family = metric, self._family(metric)
        return self._names.setdefault(metric, (stem, family))

    def _batch(self, lines: list[int], families: list[str], types: list[str], rows: list[tuple[str, ...]]) -> Batch:
        names, labels, texts, times, _ = zip(*rows, strict=True)
        self.labels.put_rows(*_labels("\n".join(labels)), len(labels))
        values = _numbers(texts)
        self.count += len(lines)
        if None in values:
            self.others.update(text for text, value in zip(texts, values, strict=True) if value is None)
        least = self.largest[-1][0] if len(self.largest) == LARGEST else -math.inf
        places = [at for at, value in enumerate(values) if value is not None and value > least]
        self.largest = nlargest(LARGEST, [*self.largest, *((values[at], -lines[at], names[at]) for at in places)])
        columns: Columns = {"line": lines, "name": list(names), "type": types, "family": families}
        columns |= {**self.labels.take(_Everything()), "value": values}
        if any(times):
            columns["timestamp"] = [_numbers([one])[0] if one else None for one in times]
        return {"items": columns}

    def words(self, tables: Tables) -> Words:
        del tables
        filled = [one for one in self.families.values() if one.samples]
        what = f"metrics: {counted(self.count, 'sample')} of {counted(len(filled), 'family', 'families')}"
        by_type = Counter(one.type for one in self.families.values())
        by_family = Counter({name: one.samples for name, one in self.families.items() if one.samples})
        greatest = [f"{plain(name)} {plain(amount)} (line {-number:,})" for amount, number, name in self.largest]
        empty = len(self.families) - len(filled)
        return Words(
            what=what,
            facts=facts(
                (True, f"families by type: {tally(by_type.most_common())}"),
                (True, f"samples by family: {tally(by_family.most_common(), LARGEST_FAMILIES)}"),
                (greatest, f"greatest values: {' · '.join(greatest)}"),
                (empty, f"families without samples: {empty:,}"),
                (self.others, f"values that are no numbers: {tally(self.others.most_common())}"),
            ),
        )


class _Everything:
    """The names of all columns: labels are texts, whatever they look like."""

    def __contains__(self, name: object) -> bool:
        return True


def _numbers(texts: Sequence[str]) -> list[int | float | None]:
    """Read values as numbers; None for NaN and infinities, which neither JSON nor SQL has."""
    try:
        numbers = list(map(float, texts))
    except ValueError:  # two points
        raise DoesNotHoldError("a line that is no sample") from None
    whole: list[int | float | None] = [
        int(one) if one.is_integer() and abs(one) < 2**63 else one if math.isfinite(one) else None for one in numbers
    ]
    return whole


def _labels(text: str) -> tuple[list[tuple[int, str]], list[str]]:
    """Return the keys of the labels of samples, one sample a line, each with how many samples end before it, and what
    they are set to."""
    if "\\" in text:
        matches = list(_LABEL.finditer(text))
        ends = [text.count("\n", start, stop) for start, stop in pairwise((0, *(match.start() for match in matches)))]
        keys = [(ended, _column(match[1])) for ended, match in zip(ends, matches, strict=True)]
        return keys, [_unescaped(match[2]) for match in matches]
    *parts, _ = text.split('"')
    heads = parts[::2]  # such as ``code=``, with the comma or the line breaks before it
    known = {head: (head.count("\n"), _column(head.strip(" \t\n,="))) for head in set(heads)}
    return list(map(known.__getitem__, heads)), parts[1::2]


def _column(key: str) -> str:
    return f"label_{key}" if key in _OWN else key


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda match: "\n" if match[1] == "n" else match[1], text) if "\\" in text else text


FORM: Final = TextForm(name="metrics", title="metrics", recognise=recognise, make=MetricsParser)
