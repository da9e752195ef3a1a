"""Figures for the first page: tokens that were kept out of the context, by day, server and tool; what is largest."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from penstock.stores.base import Counts
from penstock.stores.sizes import KEPT_DAYS, Sizes, day_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.gate.looking import HeldSummary
    from penstock.stores.sizes import SizeKey

MOST: Final = 12  # servers and tools that are shown as bars; the rest is added up
LARGEST: Final = 6  # held results, and as many tools that are called most


def overview_of(
    counts: Mapping[str, Counts],
    sizes: Mapping[SizeKey, Sizes],
    held: Sequence[HeldSummary],
    *,
    now: float,
    place: str,
    days: int,
) -> dict[str, Any]:
    """Return all that the overview shows. Totals are since the first call; days are those of UTC."""
    today = day_of(now)
    first = today - min(days, KEPT_DAYS) + 1
    recent = {key: one for key, one in sizes.items() if key.day >= first}
    tools = {tool: one for tool, one in counts.items() if one != Counts()}
    total = Counts()
    for one in tools.values():
        total = total.plus(one)
    frequent = sorted(tools.items(), key=lambda one: (-one[1].calls, one[0]))[:LARGEST]
    largest = sorted(held, key=lambda one: -one.tokens)[:LARGEST]
    return {
        "store": place,
        "now": now,
        "total": {**asdict(total), "passed": total.calls - total.held},
        "today": _figures([one for key, one in sizes.items() if key.day == today]),
        "days": [
            {"day": day, **_figures([one for key, one in recent.items() if key.day == day])}
            for day in range(first, today + 1)
        ],
        "has_days": bool(sizes),
        "servers": _by(recent, lambda key: key.server or "unnamed"),
        "tools": _by_tool(tools),
        "largest": largest,
        "frequent": [{"tool": tool, **asdict(one)} for tool, one in frequent],
        "held_now": {
            "results": len(held),
            "tokens": sum(one.tokens for one in held),
            "stored": sum(one.stored for one in held),
        },
    }


def _figures(sizes: Sequence[Sizes]) -> dict[str, int]:
    whole = Sizes()
    for one in sizes:
        whole = whole.plus(one)
    return {
        "calls": whole.calls,
        "held": whole.held,
        "passed": whole.passed,
        "tokens_in": whole.tokens_in,
        "tokens_saved": whole.tokens_saved,
    }


def _by(sizes: Mapping[SizeKey, Sizes], name_of: Any) -> list[dict[str, Any]]:
    names: dict[str, list[Sizes]] = {}
    for key, one in sizes.items():
        names.setdefault(name_of(key), []).append(one)
    rows = [{"name": name, **_figures(some)} for name, some in names.items()]
    return _most(rows)


def _by_tool(tools: Mapping[str, Counts]) -> list[dict[str, Any]]:
    return _most([{"name": tool, "passed": one.calls - one.held, **asdict(one)} for tool, one in tools.items()])


def _most(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return those that saved most, and one more for all others together."""
    rows.sort(key=lambda one: (-one["tokens_saved"], -one["calls"], one["name"]))
    rest = rows[MOST:]
    if len(rest) > 1:
        names = [name for name in rest[0] if name != "name"]
        rows[MOST:] = [{"name": f"{len(rest)} others", **{name: sum(one[name] for one in rest) for name in names}}]
    return rows
