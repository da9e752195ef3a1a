"""Facts of a log that no column has: the commonest messages without their numbers, and the longest silence.

Both are counted while the log is read. The counters are bounded, and all numbers are exact.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from operator import gt, sub
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.log_layout import ERRORS
from penstock.core.text import counted, tally

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.core.forms.api import Columns

MAX_TEMPLATES: Final = 2_000  # If more than 2,000 messages differ without their numbers, none is common.
MAX_TEMPLATE: Final = 200  # Two messages are the same if their first 200 characters are.
MAX_REWRITTEN: Final = 4_000  # Messages that differ without their digits. To rewrite more of them takes too long.
MIN_FINE: Final = len(
    "2026-01-31 00:00:00.0000000"
)  # A time with at least so many characters has more decimals than a datetime keeps.

_DIGITS = b"0123456789"
_FINE = re.compile(r"[.,][0-9]{7}")
# Quoted texts, paths, numbers, and what numbers are parts of: times, addresses, versions, ids in hexadecimal digits.
_VALUES = re.compile(
    r"""[0-9]+(?:[.,:-][0-9]+)+(?![\w-])|(?<!\w)(?:"[^"\n]*"|'[^'\n]*'|/[\w.@+%~:/-]+|"""
    r"""(?:0x)?(?=[a-fA-F-]*[0-9])[0-9a-fA-F-]+(?!\w))|[0-9]+"""
)


@dataclass(slots=True)
class UndatedSpan:
    """The times of a log without a year or without a date, which begin again at New Year or at midnight."""

    first: str = ""
    last: str = ""
    least: str = ""
    greatest: str = ""
    falls: int = 0

    def learn(self, times: Sequence[str]) -> None:
        self.first = self.first or times[0]
        self.least, self.greatest = min(self.least or self.first, *times), max(self.greatest, *times)
        self.falls += sum(map(gt, [self.last, *times], times))
        self.last = times[-1]

    def words(self) -> str:
        """Return the first and the last time. A log whose times fall once, to below its first one, began again."""
        began_again = self.falls == 1 and self.last < self.first
        first, last = (self.first, self.last) if began_again else (self.least, self.greatest)
        date, without = (first[:6], "year") if first[2] == "-" else ("", "date")
        return f"{first} to {last.removeprefix(date)} (without a {without})"


@dataclass(slots=True)
class Templates:
    """Counts messages without their numbers; those of errors only, if the entries have levels."""

    has_levels: bool
    counts: Counter[str] | None = field(default_factory=Counter)
    seen: int = 0
    rewritten: int = 0

    def learn(self, columns: Columns) -> None:
        messages = columns.get("message", ())
        if self.has_levels:
            levels = columns.get("level") or [None] * len(messages)
            if ERRORS.keys().isdisjoint(levels):
                return
            messages = [message for message, level in zip(messages, levels, strict=True) if level in ERRORS]
        texts = [message[:MAX_TEMPLATE] for message in messages if message]
        if self.counts is None or not texts:
            return
        self.seen += len(texts)
        # Without digits first, which is quick; then what still differs is rewritten.
        bare = "\n".join(texts).encode("utf-8", "surrogatepass").translate(None, _DIGITS).split(b"\n")
        kinds = Counter(bare)
        self.rewritten += len(kinds)
        if self.rewritten > MAX_REWRITTEN and self.rewritten * 4 > self.seen:
            self.counts = None
            return
        examples = dict(zip(reversed(bare), reversed(texts), strict=True))
        written = _VALUES.sub("#", "\n".join([examples[kind] for kind in kinds])).split("\n")
        for template, count in zip(written, kinds.values(), strict=True):
            self.counts[template] += count
        if len(self.counts) > MAX_TEMPLATES:
            self.counts = None

    def facts(self) -> Iterator[str]:
        if self.counts and max(self.counts.values()) > 1:
            kind = "error messages" if self.has_levels else "messages"
            yield f"top {kind} (numbers as #): {tally(self.counts.most_common())}"


@dataclass(slots=True)
class Gaps:
    """Finds the longest time without an entry, as long as all times can be compared."""

    longest: timedelta = timedelta(0)
    after: int = 0  # the line of the entry after it
    backwards: int = 0  # entries with a time before that of the entry above
    previous: datetime | None = None
    is_known: bool = True
    is_cut: bool = False  # times have more than six decimals, which do not count

    def learn(self, times: list[Any], numbers: list[int]) -> None:
        if not self.is_known:
            return
        try:
            moments = list(map(datetime.fromisoformat, times))
            gaps = list(map(sub, moments, [self.previous or moments[0], *moments]))
        except (TypeError, ValueError):  # a date that does not exist, a leap second, or only some with an offset
            self.is_known = False
            return
        self.previous = moments[-1]
        if not self.is_cut and max(map(len, times)) >= MIN_FINE:
            self.is_cut = any(map(_FINE.search, times))
        self.backwards += sum(map(timedelta(0).__gt__, gaps))
        if (longest := max(gaps)) > self.longest:
            self.longest, self.after = longest, numbers[gaps.index(longest)]

    def facts(self) -> Iterator[str]:
        if self.is_known and self.backwards:
            yield f"entries out of time order: {self.backwards:,}"
        elif self.is_known and self.longest:
            about = "about " if self.is_cut else ""
            yield f"longest gap: {about}{_duration(self.longest)}, before line {self.after:,}"


def _duration(span: timedelta) -> str:
    """Write a duration: ``4.1 s``, ``3 min 20 s``, ``2 days 1 h``."""
    minutes, seconds = divmod(span.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    part = f"{seconds}.{span.microseconds:06}".rstrip("0").rstrip(".") if span.microseconds else str(seconds)
    parts = ((span.days, counted(span.days, "day")), (hours, f"{hours} h"), (minutes, f"{minutes} min"))
    texts = [text for amount, text in parts if amount]
    return " ".join([*texts, f"{part} s"] if part != "0" or not texts else texts)
