"""Estimate the tokens of a result that its length alone lets pass, in some microseconds: for figures, never for a
decision."""

from __future__ import annotations

from typing import Final

from penstock.core.tokens.count import Count, count

WINDOW: Final = 500  # bytes; three of them take a thirtieth of the time that 20 KB take


def glance(raw: bytes) -> Count:
    """Count the beginning, the middle and the end, and take the rest to be like them."""
    size = len(raw)
    if size <= 3 * WINDOW:
        return count(raw, exact=False)
    middle = (size - WINDOW) // 2
    parts = [count(raw[at : at + WINDOW], exact=False) for at in (0, middle, size - WINDOW)]
    return Count(
        tokens=sum(part.tokens for part in parts) * size // (3 * WINDOW),
        upper=sum(part.upper for part in parts) * size // (3 * WINDOW),
        method="glance",
    )
