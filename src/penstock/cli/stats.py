"""``penstock stats``: how many calls each tool had, how many results were held, and the tokens that this saved.

The figures are the store's counters. They outlive the results, and have no word of them.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from penstock.config.sources import add_flags, from_flags
from penstock.core.answer.notice import encode
from penstock.stores import Counts, Stats, open_store

if TYPE_CHECKING:
    import argparse

    from penstock.stores import Store

HELP: Final = "Show by tool how many results were held and how many tokens were kept out of the context."
NOTHING: Final = Stats(items=0, stored=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The counters of a store, the tools that saved most first. ``why_empty`` says why there are none."""

    place: str
    tools: tuple[tuple[str, Counts], ...]
    held_now: Stats
    why_empty: str = ""

    @property
    def total(self) -> Counts:
        total = Counts()
        for _, counts in self.tools:
            total = total.plus(counts)
        return total


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    parser.add_argument("--config", metavar="FILE", help="a configuration file (TOML, YAML or JSON)")
    add_flags(parser, ("store",))


def run(args: argparse.Namespace) -> int:
    config = from_flags(args, file=args.config)
    with open_store(config.store) as store:
        figures = look(store)
    if args.json:
        sys.stdout.write(encode(as_dict(figures)).decode() + "\n")
    else:
        from penstock.cli.stats_view import show

        show(figures)
    return 0


def look(store: Store) -> Figures:
    """Read the counters. A store that does not exist is not created."""
    from penstock.stores.memory import MemoryStore
    from penstock.stores.sqlite import SqliteStore

    if isinstance(store, MemoryStore):
        why = "a memory: store is inside of its gateway, and ends with it; nothing of it can be seen from here"
        return Figures(place=store.place, tools=(), held_now=NOTHING, why_empty=why)
    # An empty file is what is left where a gateway was stopped as it began; opening it would make it a store.
    if isinstance(store, SqliteStore) and not _has_bytes(store.place):
        why = "there is no store yet; the first result that is held makes one"
        return Figures(place=store.place, tools=(), held_now=NOTHING, why_empty=why)
    # ``penstock doctor`` tries the store by adding nothing to a counter.
    counted = {tool: counts for tool, counts in store.counts().items() if counts != Counts()}
    tools = sorted(counted.items(), key=lambda one: (-one[1].tokens_saved, -one[1].calls, one[0]))
    why = "" if tools else "no call has been counted yet"
    return Figures(place=store.place, tools=tuple(tools), held_now=store.stats(), why_empty=why)


def as_dict(figures: Figures) -> dict[str, Any]:
    """Return the figures as JSON members."""
    return {
        "store": figures.place,
        "tools": [{"tool": tool, **_numbers(counts)} for tool, counts in figures.tools],
        "total": _numbers(figures.total),
        "held_now": {"results": figures.held_now.items, "bytes": figures.held_now.stored},
        **({"note": figures.why_empty} if figures.why_empty else {}),
    }


def _numbers(counts: Counts) -> dict[str, int]:
    return {"calls": counts.calls, "held": counts.held, "tokens_saved": counts.tokens_saved}


def _has_bytes(place: str) -> bool:
    try:
        return Path(place).stat().st_size > 0
    except FileNotFoundError:
        return False
    except OSError:
        return True  # there is something that we may not look at; the store says it better
