"""Estimate the tokens of a result that its length alone lets pass, in some microseconds: for figures, never for a
decision."""

from __future__ import annotations

from typing import Final

from penstock.core.tokens.count import Count, count

WINDOW: Final = 400  # bytes; three of them take a thirtieth of the time that 20 KB take


def glance(raw: bytes) -> Count:
    """Count the beginning, the middle and the end, and take the rest to be like them."""
    size = len(raw)
    if size <= 3 * WINDOW:
        return count(raw, exact=False)
    middle = (size - WINDOW) // 2
    sample = count(raw[:WINDOW] + raw[middle : middle + WINDOW] + raw[-WINDOW:], exact=False)
    scale = size / (3 * WINDOW)
    return Count(tokens=round(sample.tokens * scale), upper=round(sample.upper * scale), method="glance")
