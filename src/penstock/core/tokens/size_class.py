"""Classes of sizes in tokens, by which results are counted. It imports nothing else of the core: a relay counts too."""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

BYTES_PER_TOKEN: Final = 3  # of a result that is not counted: to count a short one takes longer than to relay it

# The most tokens of each class. Limits that people choose are among them, so that a class is on one side of each.
UP_TO: Final = (
    *(250, 500, 1_000, 1_500, 2_000, 2_500, 3_000, 4_000, 5_000, 6_000, 8_000, 10_000, 12_500, 15_000, 17_500, 20_000),
    *(25_000, 30_000, 40_000, 50_000, 75_000, 100_000, 150_000, 200_000, 300_000, 500_000, 750_000, 1_000_000),
    *(2_000_000, 5_000_000, 10_000_000),
)
BEYOND: Final = 1_000_000_000_000  # the last class; no result has so many


def size_class(tokens: int) -> int:
    """Return the class of a size: the most tokens that a result of this class has."""
    at = bisect_left(UP_TO, tokens)
    return UP_TO[at] if at < len(UP_TO) else BEYOND
