"""Count changes in words."""

from __future__ import annotations


def signed_counts(noun: str, added: int, removed: int, changed: int = 0) -> str:
    """Write ``+12 -3 ~5 rows``: added, removed and changed, without zero counts. ``no rows`` if all three are zero."""
    counts = [f"{sign}{count:,}" for sign, count in (("+", added), ("-", removed), ("~", changed)) if count]
    if not counts:
        return f"no {noun}s changed"
    return f"{' '.join(counts)} {noun if added + removed + changed == 1 else noun + 's'}"
