"""Count, while a log is parsed, what its columns alone do not tell: errors by source, the commonest messages, the
longest silence, entries over several lines; and say it. All of these counters are bounded, and all numbers exact.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from operator import sub
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.api import Excerpt, Words
from penstock.core.forms.log_pieces import ERRORS
from penstock.core.text import counted, plain, tally

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.core.forms.api import Columns
    from penstock.core.forms.reading import Table

MOST_NAMES: Final = 4_000  # different sources or paths that are counted; with more, that fact is left out
MOST_TEMPLATES: Final = 2_000  # different messages, numbers left out; with more, none is common
TEMPLATE: Final = 200  # characters of a message that it is told by
REWRITTEN: Final = 4_000  # messages that differ after their digits are left out: rewriting more of them takes too long
FINE: Final = len("2026-01-31 00:00:00.0000000")  # a time with more decimals than a datetime keeps
FIRSTS: Final = 4  # sources whose first error is shown

_FRAME = re.compile(r"\s+at |\s+File \"|Traceback|Caused by:|goroutine [0-9]+ \[|\s+#?[0-9]+: +(?:0x|[\w<])")
_DIGITS = b"0123456789"
_FINE = re.compile(r"[.,][0-9]{7}")
# Quoted texts, paths, numbers, and what numbers are parts of: times, addresses, versions, ids in hexadecimal digits.
_VALUES = re.compile(
    r"""[0-9]+(?:[.,:-][0-9]+)+(?![\w-])|(?<!\w)(?:"[^"\n]*"|'[^'\n]*'|/[\w.@+%~:/-]+|"""
    r"""(?:0x)?(?=[a-fA-F-]*[0-9])[0-9a-fA-F-]+(?!\w))|[0-9]+"""
)

Line = tuple[int, str]  # its number, and its text


@dataclass(slots=True, kw_only=True)
class LogFacts:
    has_level: bool
    is_access: bool
    is_dated: bool
    entries: int = 0
    stray: int = 0  # lines at the margin that begin no entry and belong to no stack trace
    before: int = 0  # lines before the first entry
    longer: int = 0  # entries of more than one line,
    most_lines: int = 1  # how many the longest has,
    traces: int = 0  # entries with a stack trace,
    traced: int = 0  # and the first line of the last of these
    mentions: int = 0  # entries with one of these words, where there is no level,
    mention: Line | None = None  # and the first of them
    span: tuple[str, str] | None = None  # the least and the greatest time, as texts, where there is no year
    silence: timedelta | None = None  # the longest, if any,
    after: Line | None = None  # and the entry after it
    backwards: int | None = 0  # entries with a time before that of the entry above; None where times do not compare
    previous: datetime | None = None
    is_cut: bool = False  # times have more than six decimals, which do not count
    errors: Counter[str] = field(default_factory=Counter)  # by level
    sources: dict[str, Counter[str] | None] = field(default_factory=dict)  # of errors, by level
    firsts: dict[str, dict[str | None, Line]] = field(default_factory=dict)
    lasts: dict[str, tuple[int, str | None]] = field(default_factory=dict)  # line and time of the last error, by level
    templates: Counter[str] | None = field(default_factory=Counter)
    rewritten: int = 0
    failures: Counter[str] | None = field(default_factory=Counter)  # paths of requests that the server failed

    def learn_other(self, line: str, *, is_stray: bool, entry: int | None) -> None:
        """Take a line that begins no entry; ``entry`` is the first line of the one that it belongs to."""
        self.stray += is_stray
        self.before += entry is None
        if entry is not None and entry != self.traced and _FRAME.match(line):
            self.traced = entry
            self.traces += 1

    def learn(self, columns: Columns, line_of: Callable[[int], str]) -> None:
        """Take the next entries; ``line_of`` gives the text of one of their lines."""
        numbers, times = columns["line"], columns.get("time", [])
        self.entries += len(numbers)
        if sizes := [size for size in columns.get("lines", ()) if size]:
            self.longer += len(sizes)
            self.most_lines = max(self.most_lines, *sizes)
        if self.is_dated:
            self._learn_gaps(times, numbers, line_of)
        elif times:
            least, greatest = self.span or (times[0], times[0])
            self.span = min(least, *times), max(greatest, *times)
        if self.is_access:
            self._learn_failures(columns)
        elif self.has_level:
            self._learn_errors(columns, line_of)
        else:
            self._learn_mentions(columns, line_of)
            self._learn_templates(columns["message"])

    def _learn_mentions(self, columns: Columns, line_of: Callable[[int], str]) -> None:
        texts = [text.lower() if text else "" for text in columns["message"]]
        mentions = ["error" in text or "fail" in text or "exception" in text for text in texts]
        self.mentions += sum(mentions)
        if self.mention is None and True in mentions:
            number = columns["line"][mentions.index(True)]
            self.mention = number, line_of(number)

    def _learn_gaps(self, times: list[Any], numbers: list[int], line_of: Callable[[int], str]) -> None:
        """Find the longest silence, as long as all times can be compared."""
        if self.backwards is None:
            return
        try:
            moments = list(map(datetime.fromisoformat, times))
            before = [self.previous or moments[0], *moments]
            gaps = list(map(sub, moments, before))
        except (TypeError, ValueError):  # a date that does not exist, a leap second, or only some with an offset
            self.backwards = None
            return
        self.previous = moments[-1]
        if not self.is_cut and max(map(len, times)) >= FINE:
            self.is_cut = any(map(_FINE.search, times))
        self.backwards += sum(map(timedelta(0).__gt__, gaps))
        longest = max(gaps)
        if longest > (self.silence or timedelta(0)):
            number = numbers[gaps.index(longest)]
            self.silence, self.after = longest, (number, line_of(number))

    def _learn_errors(self, columns: Columns, line_of: Callable[[int], str]) -> None:
        levels = columns.get("level", ())
        if ERRORS.keys().isdisjoint(levels):
            return
        numbers, messages = columns["line"], columns["message"]
        sources = columns.get("source") or [None] * len(levels)
        rows = [at for at, level in enumerate(levels) if level in ERRORS]
        self.errors.update([levels[at] for at in rows])
        times = columns.get("time") or [None] * len(levels)
        self.lasts |= {levels[at]: (numbers[at], times[at]) for at in rows}
        for at in rows:
            level, source = levels[at], sources[at]
            firsts = self.firsts.setdefault(level, {})
            if len(firsts) < FIRSTS and source not in firsts:
                firsts[source] = numbers[at], line_of(numbers[at])
        for level in {levels[at] for at in rows}:
            counts = self.sources.setdefault(level, Counter())
            if counts is not None:
                counts.update(sources[at] for at in rows if levels[at] == level and sources[at] is not None)
                if len(counts) > MOST_NAMES:
                    self.sources[level] = None
        self._learn_templates([messages[at] for at in rows])

    def _learn_templates(self, messages: list[str | None]) -> None:
        """Count messages without their numbers: without digits first, which is quick, then what still differs."""
        if self.templates is None:
            return
        texts = [message[:TEMPLATE] for message in messages if message] or [""]
        bare = "\n".join(texts).encode("utf-8", "surrogatepass").translate(None, _DIGITS).split(b"\n")
        forms = Counter(bare)
        self.rewritten += len(forms)
        if self.rewritten > REWRITTEN and self.rewritten * 4 > self.entries:
            self.templates = None
            return
        examples = dict(zip(reversed(bare), reversed(texts), strict=True))
        written = _VALUES.sub("#", "\n".join([examples[form] for form in forms])).split("\n")
        for template, count in zip(written, forms.values(), strict=True):
            self.templates[template] += count
        del self.templates[""]
        if len(self.templates) > MOST_TEMPLATES:
            self.templates = None

    def _learn_failures(self, columns: Columns) -> None:
        statuses, paths = columns.get("status", ()), columns.get("path", ())
        if self.failures is not None and statuses:
            failed = [path for status, path in zip(statuses, paths, strict=True) if status and status >= 500]
            self.failures.update(filter(None, failed))
            if len(self.failures) > MOST_NAMES:
                self.failures = None

    def words(self, table: Table, lines: int) -> Words:
        what = f"{'an access log' if self.is_access else 'a log'}: {counted(self.entries, 'entry', 'entries')}"
        parts = [f"{what} on {counted(lines, 'line')}" if lines != self.entries else what, *self._span(table)]
        if self.is_access and (failures := _classes(table)["5xx"]):
            parts.append(f"{failures:,} of status 5xx")
        elif self.has_level:
            worst = sorted(self.errors, key=lambda level: -ERRORS[level])
            parts += [f"{self.errors[level]:,} {level}" for level in worst] or ["none of level ERROR or worse"]
        return Words(what=", ".join(parts), facts=tuple(self._facts(table)), excerpts=tuple(self._excerpts()))

    def _span(self, table: Table) -> Iterator[str]:
        """Return the least and the greatest time."""
        if self.span is not None:
            first, last = self.span
            date, without = (first[:6], "year") if first[2] == "-" else ("", "date")
            yield f"{first} .. {last.removeprefix(date)} (without a {without})"
        elif (times := table.field("time")) and times.column.earliest and times.column.latest:
            first, last = times.column.earliest.value, times.column.latest.value
            yield f"{first} .. {last[11:] if first[:10] == last[:10] else last}"

    def _facts(self, table: Table) -> Iterator[str]:
        if self.is_access:
            yield f"status: {tally(sorted(_classes(table).items()))}"
            if self.failures:
                yield f"5xx by path: {tally(self.failures.most_common())}"
        for level, counts in sorted(self.sources.items(), key=lambda one: -ERRORS[one[0]]):
            if counts and max(counts.values()) > 1:
                yield f"{level} by source: {tally(counts.most_common())}"
        if self.templates and max(self.templates.values()) > 1:
            kind = "error messages" if self.has_level else "messages"
            yield f"the commonest {kind}, numbers left out: {tally(self.templates.most_common())}"
        if self.lasts and not self.backwards:
            worst = max(self.lasts, key=lambda level: ERRORS[level])
            line, time = self.lasts[worst]
            yield f"last {worst}: {f'{plain(time)}, ' if time else ''}line {line:,}"
        if not (self.has_level or self.is_access):
            yield f"entries that mention error, fail or exception: {self.mentions:,}"
        if self.backwards:
            yield f"entries with a time before that of the entry above: {self.backwards:,}"
        elif self.backwards is not None and self.silence is not None and self.after is not None:
            about = "about " if self.is_cut else ""
            yield f"the longest silence: {about}{_duration(self.silence)}, before line {self.after[0]:,}"
        if self.longer:
            traces = f", {self.traces:,} of them with a stack trace" if self.traces else ""
            yield f"entries of more than one line: {self.longer:,}{traces} (the longest has {self.most_lines:,} lines)"
        if self.before:
            yield f"lines before the first entry: {self.before:,}"

    def _excerpts(self) -> Iterator[Excerpt]:
        if self.firsts:
            worst = max(self.firsts, key=lambda level: ERRORS[level])
            each = " of each source" if len(self.firsts[worst]) > 1 else ""
            yield _excerpt(f"first {worst}{each}", *self.firsts[worst].values())
        if self.mention is not None:
            yield _excerpt("first entry that mentions error, fail or exception", self.mention)
        if self.backwards == 0 and self.after is not None:
            yield _excerpt("after the longest silence", self.after)


def _classes(table: Table) -> Counter[str]:
    """Count how many requests have a status of each hundred."""
    classes: Counter[str] = Counter()
    field = table.field("status")
    for status, count in field.column.values() if field else ():
        classes[f"{str(status)[0]}xx"] += count
    return classes


def _excerpt(title: str, *lines: Line | None) -> Excerpt:
    some = [line for line in lines if line is not None]
    return Excerpt(title=title, lines=tuple(text for _, text in some), numbers=tuple(number for number, _ in some))


def _duration(span: timedelta) -> str:
    """Write a duration: ``4.1 s``, ``3 min 20 s``, ``2 days 1 h``."""
    minutes, seconds = divmod(span.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    part = f"{seconds}.{span.microseconds:06}".rstrip("0").rstrip(".") if span.microseconds else str(seconds)
    parts = ((span.days, counted(span.days, "day")), (hours, f"{hours} h"), (minutes, f"{minutes} min"))
    texts = [text for amount, text in parts if amount]
    return " ".join([*texts, f"{part} s"] if part != "0" or not texts else texts)
