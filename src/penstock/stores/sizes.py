"""Sizes of results by day, server, tool and size class. No word of a result or of a call's arguments is in them.

A day is a number, days since 1970-01-01 in UTC: stores are shared between machines, whose own days differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from penstock.core.plain import Plain
from penstock.core.text import shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

DAY: Final = 86_400  # seconds
KEPT_DAYS: Final = 90  # a quarter of a year; at most ``MAX_ROWS`` rows each
MAX_ROWS: Final = 2_000  # of one day: some hundred tools in a dozen classes each; the rest is counted as ``OTHERS``
OTHERS: Final = "(others)"
MAX_NAME: Final = 128  # characters of a server's or a tool's name


class SizeKey(NamedTuple):
    """The key that sizes are counted by. ``up_to`` is the size class (``core.tokens.size_class``): its most tokens."""

    day: int
    server: str
    tool: str
    up_to: int


class Sizes(Plain, frozen=True, kw_only=True):
    """Calls and the tokens of their results, both estimates: as they came from upstream, and as the client got them."""

    calls: int = 0
    held: int = 0
    tokens_in: int = 0
    tokens_out: int = 0

    @property
    def passed(self) -> int:
        return self.calls - self.held

    @property
    def tokens_saved(self) -> int:
        return max(0, self.tokens_in - self.tokens_out)

    def plus(self, other: Sizes) -> Sizes:
        return Sizes(
            calls=self.calls + other.calls,
            held=self.held + other.held,
            tokens_in=self.tokens_in + other.tokens_in,
            tokens_out=self.tokens_out + other.tokens_out,
        )


COUNTED: Final = ("calls", "held", "tokens_in", "tokens_out")


def day_of(time: float) -> int:
    """Return the day of a time in seconds."""
    return int(time // DAY)


def oldest_day(time: float) -> int:
    """Return the first day that is still kept at a time."""
    return day_of(time) - KEPT_DAYS + 1


def tidied(sizes: Mapping[SizeKey, Sizes]) -> dict[SizeKey, Sizes]:
    """Return the sizes under names that every store can write: without NUL and lone surrogates, and not too long."""
    sums: dict[SizeKey, Sizes] = {}
    for key, value in sizes.items():
        tidy = key._replace(server=_name(key.server), tool=_name(key.tool))
        sums[tidy] = sums.get(tidy, Sizes()).plus(value)
    return sums


def others(key: SizeKey) -> SizeKey:
    """Return the row that counts what a full day has no row for."""
    return key._replace(server="", tool=OTHERS)


def total(sizes: Iterable[Sizes]) -> Sizes:
    """Add sizes up."""
    whole = Sizes()
    for one in sizes:
        whole = whole.plus(one)
    return whole


def passed_above(sizes: Mapping[SizeKey, Sizes], max_tokens: int) -> int:
    """Return about how many results passed that a lower limit would have held. A class that reaches above the limit is
    counted whole, so give a limit that ends one (``core.tokens.size_class.UP_TO``). Results of up to 20 KB are in the
    class that a look at parts of them tells, since their length alone lets them pass."""
    return sum(one.passed for key, one in sizes.items() if key.up_to > max_tokens)


def _name(text: str) -> str:
    return shorten(text.replace("\0", ""), MAX_NAME).encode("utf-8", "replace").decode()
