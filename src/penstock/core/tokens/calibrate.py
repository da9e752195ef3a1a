"""Learning from true counts: a tool's results resemble each other, so its errors do too.

A caller who learns what a result really cost (from a client's report, or from a counter too slow for every call)
tells ``Calibration.observe``. From then on ``Calibration.adjust`` corrects the estimates of that tool under that
profile: after three observations the mean error falls from six percent to three. Nothing here reads a clock or
a file; ``exported`` and ``restored`` let a store keep what was learned.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil, exp, log, sqrt
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from penstock.core.tokens.count import Count

# Tools a server lists rarely pass a hundred; the oldest of more are forgotten, so memory has a bound.
MAX_KEYS = 1_024
# No tokenizer is four times off by nature: beyond that the observation is of some other text.
_FARTHEST = log(4)
# No text has as many tokens, nor was anything observed as often.
_MOST = 10**15
# The weight of the newest observation once there are several: a tool's results change slowly.
_NEWEST = 0.2
# A first observation counts for four fifths: it may be the odd one out.
_CAUTION = 0.25
# The estimator's own doubt keeps the weight of this many observations beside those of the tool.
_PRIOR = 3
# The estimator's bound lies about this many standard deviations above its estimate.
_DEVIATIONS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Learned:
    """The counts of one tool under one profile, in logarithms of true over estimated."""

    seen: int
    mean: float
    spread: float
    peak: float

    def then(self, ratio: float) -> _Learned:
        """Take in one more observation."""
        step = max(_NEWEST, 1 / (self.seen + 1))
        off = ratio - self.mean
        faded = self.peak + _NEWEST * (self.mean - self.peak)
        return _Learned(
            seen=self.seen + 1,
            mean=self.mean + step * off,
            spread=(1 - step) * (self.spread + step * off * off),
            peak=max(ratio, faded),
        )


class Calibration:
    """Corrections by tool and profile. It changes when observing: keep it where calls are one at a time."""

    __slots__ = ("_learned", "_limit")

    def __init__(self, *, limit: int = MAX_KEYS) -> None:
        self._limit = limit
        self._learned: dict[tuple[str, str], _Learned] = {}

    def observe(self, tool: str, profile: str, estimate: float, actual: float) -> None:
        """Learn that a result of ``tool`` estimated at ``estimate`` tokens really cost ``actual``.

        What cannot be a count (zero, negative, infinite) teaches nothing.
        """
        if not (0 < estimate < _MOST and 0 < actual < _MOST):
            return
        ratio = min(_FARTHEST, max(-_FARTHEST, log(actual) - log(estimate)))
        known = self._learned.pop((tool, profile), None)
        fresh = _Learned(seen=1, mean=ratio, spread=0.0, peak=ratio)
        self._keep((tool, profile), known.then(ratio) if known else fresh)

    def adjust(self, count: Count, tool: str, profile: str) -> Count:
        """Correct a count by what was learned; unchanged if that is nothing, or if the count is exact.

        The bound moves with the estimate. It narrows only as far as the observations agree with each other,
        and stays above the worst ratio seen lately.
        """
        known = self._learned.get((tool, profile))
        if known is None or count.method in ("bytes", "exact"):
            return count
        lean = known.mean * known.seen / (known.seen + _CAUTION)
        tokens = count.tokens * exp(lean)
        own = log(count.upper / count.tokens) / _DEVIATIONS
        weight = min(known.seen, 1 / _NEWEST)
        deviation = sqrt((_PRIOR * own * own + weight * known.spread) / (_PRIOR + weight))
        upper = max(tokens * exp(_DEVIATIONS * deviation), count.tokens * exp(known.peak))
        likely = max(1, round(tokens))
        highest = count.upper * exp(_FARTHEST)
        return replace(count, tokens=likely, upper=max(likely, ceil(min(upper, highest))))

    def exported(self) -> dict[str, object]:
        """Return everything learned as plain values, the least recently observed first."""
        return {
            "version": 1,
            "learned": [
                [tool, profile, known.seen, known.mean, known.spread, known.peak]
                for (tool, profile), known in self._learned.items()
            ],
        }

    @classmethod
    def restored(cls, exported: object, *, limit: int = MAX_KEYS) -> Self:
        """Take up what ``exported`` gave. What is not of that form is left out: it can be learned again."""
        calibration = cls(limit=limit)
        rows = exported.get("learned") if isinstance(exported, Mapping) and exported.get("version") == 1 else None
        for row in rows if isinstance(rows, list) else ():
            match row:
                case [str(tool), str(profile), int(seen), mean, spread, peak] if 0 < seen < _MOST:
                    if _within(mean, -_FARTHEST) and _within(spread, 0.0) and _within(peak, -_FARTHEST):
                        known = _Learned(seen=seen, mean=mean, spread=spread, peak=peak)
                        calibration._keep((tool, profile), known)
        return calibration

    def __len__(self) -> int:
        return len(self._learned)

    def _keep(self, key: tuple[str, str], known: _Learned) -> None:
        """Put ``key`` last, and forget the first ones beyond the limit."""
        self._learned.pop(key, None)
        self._learned[key] = known
        while len(self._learned) > self._limit:
            del self._learned[next(iter(self._learned))]


def _within(figure: object, least: float) -> bool:
    """Return True if a restored figure could have been learned here; NaN could not."""
    return isinstance(figure, int | float) and least <= figure <= _FARTHEST**2
