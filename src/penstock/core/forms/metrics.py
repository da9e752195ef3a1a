"""What ``/metrics`` answers: samples in the text format of Prometheus or OpenMetrics.

``items`` has a row for each sample: ``line``, ``name``, ``type``, ``family`` (the metric that it is part of), a column
for each label, and ``value``. A label that has the name of another column is ``label_type``. Labels are texts, as the
formats say; values are numbers, and those that are none (NaN, +Inf) are absent, and counted. ``families`` has a row for
each family with its ``type``, ``help`` and ``samples``. All lines of the text are samples, or comments.
"""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.growing import GrowingRows
from penstock.core.forms.text_form import BATCH, DoesNotHoldError, Options, Sample, TextForm, Words
from penstock.core.text import counted, plain, tally

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from penstock.core.forms.reading import Table
    from penstock.core.forms.text_form import Batch

LEAST: Final = 3  # samples
MOST_FAMILIES: Final = 50_000  # metrics of one text; more are no metrics
LARGEST: Final = 3  # samples that are told for their values
SHOWN: Final = 4  # families that are told for their samples

_OWN: Final = ("line", "name", "type", "family", "value", "timestamp")
_SUFFIXES: Final = {
    "histogram": ("_bucket", "_sum", "_count", "_created"),
    "gaugehistogram": ("_bucket", "_gsum", "_gcount"),
    "summary": ("_sum", "_count", "_created"),
    "counter": ("_total", "_created"),
    "info": ("_info",),
}
_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*+")
_META = re.compile(r"# (HELP|TYPE|UNIT) ([a-zA-Z_:][a-zA-Z0-9_:]*+)(?: (.*))?")
_LABEL = re.compile(r'[ \t]*+([a-zA-Z_][a-zA-Z0-9_]*+)[ \t]*+=[ \t]*+"((?:[^"\\]|\\.)*+)"[ \t]*+(?:,|(?=\}))')
_VALUE = re.compile(
    r"[ \t]++([+-]?(?:[0-9][0-9.]*+(?:[eE][+-]?[0-9]++)?+|\.[0-9]++(?:[eE][+-]?[0-9]++)?+|[Ii]nf|NaN|nan))"
    r"(?:[ \t]++(-?[0-9][0-9.]*+(?:[eE][+-]?[0-9]++)?+))?+[ \t]*+(?:\#[ \t].*)?"
)
_ESCAPE = re.compile(r'\\([\\n"])')


def recognise(sample: Sample) -> Options | None:
    """Whether all lines of the sample are samples or comments, of which one tells the type of a metric."""
    if not any(map(_META.match, sample.head[:20])):
        return None
    try:
        for run in sample.runs:
            for _ in MetricsParser(options={}, least=0).parse(run):
                pass
        for _ in MetricsParser(options={}, least=min(LEAST, len(sample.runs))).parse(sample.head):
            pass
    except DoesNotHoldError:
        return None
    return {}


def parser(options: Options) -> MetricsParser:
    return MetricsParser(options=options)


@dataclass(slots=True)
class _Family:
    """What comments tell of a metric, and how many samples it has."""

    type: str = "untyped"
    help: str | None = None
    samples: int = 0


@dataclass(slots=True, kw_only=True)
class MetricsParser:
    options: Options
    least: int = LEAST
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "samples", "families": "families"})
    families: dict[str, _Family] = field(default_factory=dict)
    samples: int = 0
    others: Counter[str] = field(default_factory=Counter)  # values that are no finite numbers
    largest: list[tuple[float, int, str]] = field(default_factory=list)
    labels: GrowingRows = field(default_factory=GrowingRows)
    rows: dict[str, list[Any]] = field(default_factory=lambda: {name: [] for name in _OWN})
    _names: dict[str, tuple[str, _Family]] = field(default_factory=dict)

    def parse(self, lines: Iterable[str]) -> Iterator[Batch]:
        for number, line in enumerate(lines, 1):
            if line.startswith("#"):
                self._comment(line)
            elif line and not line.isspace():
                self._sample(number, line)
                if self.labels.size >= BATCH:
                    yield self._batch()
        if self.samples < self.least:
            raise DoesNotHoldError("no samples")
        if self.labels.size:
            yield self._batch()
        known = list(self.families.items())
        columns: dict[str, list[Any]] = {"family": [name for name, _ in known]}
        for name in ("type", "samples", "help"):
            columns[name] = [getattr(one, name) for _, one in known]
        yield {"families": columns}

    def _comment(self, line: str) -> None:
        meta = _META.fullmatch(line)
        if meta is None:
            return
        family = self._family(meta[2])
        if meta[1] == "TYPE":
            family.type = (meta[3] or "").strip() or "untyped"
        elif meta[1] == "HELP":
            family.help = _unescaped(meta[3]) if meta[3] else None

    def _family(self, name: str) -> _Family:
        found = self.families.get(name)
        if found is None:
            if len(self.families) >= MOST_FAMILIES:
                raise DoesNotHoldError("too many metrics")
            found = self.families[name] = _Family()
        return found

    def _sample(self, number: int, line: str) -> None:
        name = _NAME.match(line)
        if name is None:
            raise DoesNotHoldError("a line that is no sample")
        at = name.end()
        metric = name[0]
        if line[at : at + 1] == "{":
            at = self._labels(line, at + 1)
        value = _VALUE.fullmatch(line, at)
        if value is None:
            raise DoesNotHoldError("a line that is no sample")
        known = self._names.get(metric)
        if known is None:
            known = self._names[metric] = self._place(metric)
        known[1].samples += 1
        self.samples += 1
        self.labels.close()
        amount = _number(value[1])
        rows = self.rows
        rows["line"].append(number)
        rows["name"].append(metric)
        rows["type"].append(known[1].type)
        rows["family"].append(known[0])
        rows["value"].append(amount)
        rows["timestamp"].append(_number(value[2]) if value[2] else None)
        if amount is None:
            self.others[value[1]] += 1
        elif len(self.largest) < LARGEST:
            heapq.heappush(self.largest, (amount, -number, metric))
        elif amount > self.largest[0][0]:
            heapq.heapreplace(self.largest, (amount, -number, metric))

    def _labels(self, line: str, at: int) -> int:
        """Take the labels from a place in a line on; the place behind them."""
        put = self.labels.put
        while line[at : at + 1] != "}":
            label = _LABEL.match(line, at)
            if label is None:
                if line[at:].lstrip(" \t")[:1] == "}":
                    return line.index("}", at) + 1
                raise DoesNotHoldError("a line that is no sample")
            key, text = label[1], label[2]
            put(f"label_{key}" if key in _OWN else key, _unescaped(text) if "\\" in text else text)
            at = label.end()
        return at + 1

    def _place(self, metric: str) -> tuple[str, _Family]:
        """The family of a metric: its own, or that of a histogram, summary or counter whose part it is."""
        if metric not in self.families:
            stem, mark, suffix = metric.rpartition("_")
            family = self.families.get(stem)
            if family is not None and mark + suffix in _SUFFIXES.get(family.type, ()):
                return stem, family
        return metric, self._family(metric)

    def _batch(self) -> Batch:
        rows, self.rows = self.rows, {name: [] for name in _OWN}
        labels = self.labels.take(_Everything())
        value, times = rows.pop("value"), rows.pop("timestamp")
        columns = {**rows, **labels, "value": value}
        if any(one is not None for one in times):
            columns["timestamp"] = times
        return {"items": columns}

    def words(self, tables: Sequence[Table]) -> Words:
        del tables
        filled = [one for one in self.families.values() if one.samples]
        what = f"metrics: {counted(self.samples, 'sample')} of {counted(len(filled), 'family', 'families')}"
        by_type = Counter(one.type for one in self.families.values())
        by_family = sorted(((name, one.samples) for name, one in self.families.items()), key=lambda one: -one[1])
        by_family = [one for one in by_family if one[1]]
        facts = [f"families by type: {tally(by_type.most_common())}", f"samples by family: {tally(by_family, SHOWN)}"]
        ends = sorted(self.largest, key=lambda one: (-one[0], -one[1]))
        greatest = [f"{plain(name)} {plain(amount)} (line {-number:,})" for amount, number, name in ends]
        facts += [f"greatest values: {' · '.join(greatest)}"] if greatest else []
        empty = len(self.families) - len(filled)
        facts += [f"families without samples: {empty:,}"] if empty else []
        facts += [f"values that are no numbers: {tally(self.others.most_common())}"] if self.others else []
        return Words(what=what, facts=tuple(facts))


class _Everything:
    """The names of all columns: labels are texts, whatever they look like."""

    def __contains__(self, name: object) -> bool:
        return True


def _number(text: str) -> int | float | None:
    """A value as a number; None for NaN and infinities, which neither JSON nor SQL has."""
    try:
        number = float(text)
    except ValueError:  # two points
        raise DoesNotHoldError("a line that is no sample") from None
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() and abs(number) < 2**63 else number


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: "\n" if found[1] == "n" else found[1], text) if "\\" in text else text


FORM: Final = TextForm(name="metrics", title="metrics", recognise=recognise, parser=parser)
