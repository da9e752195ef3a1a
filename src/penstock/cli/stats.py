"""``penstock stats``: how many calls each tool had, how many results were stored, and the tokens that this saved.

Without ``--since`` the figures are the store's counters of each tool, which outlive the results. With it they are the
sizes by day, server and tool (``penstock.stores.sizes``). Neither contains any text of a result.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from penstock.cli.options import age, store_options
from penstock.cli.output import write_json
from penstock.cli.stored import is_missing, visible_store
from penstock.config.sources import add_flags, from_flags
from penstock.errors import CallerError
from penstock.stores import Counts, Sizes, Stats
from penstock.stores.sizes import DAY, KEPT_DAYS, day_of, total

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping

    from penstock.config.model import Config
    from penstock.stores import SizeKey, Store

HELP: Final = (
    "Show how many results were stored and how many tokens that kept out of the context: by tool since the store was "
    "created, or with --since by day, server and tool. With a price per million tokens it shows the money saved."
)
USAGE: Final = "penstock stats [--since AGE] [options]"
EXAMPLE: Final = """\
  penstock stats
  penstock stats --since 7d --price 3
  penstock stats --since 30d --json"""
NOTHING: Final = Stats(items=0, stored=0)
ENDED: Final = ("run:", "nobody")  # Beginnings of owners that no later run can have.
MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The counters of a store, the tools that saved most first. ``why_empty`` says why there are none. ``of_runs`` are
    the results that only the run which stored them can open, and ``held_now`` all others. ``price`` is the price of a
    million tokens, or None."""

    place: str
    tools: tuple[tuple[str, Counts], ...] = ()
    held_now: Stats = NOTHING
    of_runs: Stats = NOTHING
    why_empty: str = ""
    period: Period | None = None
    price: float | None = None

    @property
    def tokens_saved(self) -> int:
        return self.total.tokens_saved if self.period is None else self.period.total.tokens_saved

    @property
    def money_saved(self) -> float | None:
        """Return what the saved tokens would have cost as input, each read once."""
        return None if self.price is None else self.tokens_saved * self.price / MILLION

    @property
    def total(self) -> Counts:
        total = Counts()
        for _, counts in self.tools:
            total = total.plus(counts)
        return total


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """The sizes of some days: by day (the newest first), by server, and by server and tool (the most saved first)."""

    first: int
    last: int
    by_day: Mapping[int, Sizes] = field(default_factory=dict)
    by_server: Mapping[str, Sizes] = field(default_factory=dict)
    by_tool: Mapping[tuple[str, str], Sizes] = field(default_factory=dict)

    @property
    def total(self) -> Sizes:
        return total(self.by_day.values())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    since = "by day, server and tool, for the last 24h, 7d, ... (at most 90d)"
    parser.add_argument("--since", type=age, metavar="AGE", help=since)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    add_flags(parser, ("price",))
    store_options(parser)


def run(args: argparse.Namespace) -> int:
    config = from_flags(args, file=args.config)
    since = None if args.since is None else _first_day(args.since, time.time())
    with visible_store(config) as store:
        figures = look(store, config, since)
    if args.json:
        write_json(as_dict(figures))
    else:
        from penstock.cli.stats_view import show

        show(figures)
    return 0


def look(store: Store, config: Config, since: int | None = None, now: Callable[[], float] = time.time) -> Figures:
    """Read the counters, or the sizes since a day. A store that does not exist is not created."""
    if is_missing(store):
        return Figures(place=store.place, why_empty="there is no store yet: the first result that is stored creates it")
    held_now, of_runs = _held(store, config)
    if since is not None:
        period = _period(store.sizes(since), since, day_of(now()))
        why = "" if period.by_day else _why_no_sizes(config)
        return Figures(
            place=store.place, held_now=held_now, of_runs=of_runs, period=period, why_empty=why, price=config.price
        )
    # ``penstock doctor`` tries the store by adding nothing to a counter.
    counted = {tool: counts for tool, counts in store.counts().items() if counts != Counts()}
    tools = sorted(counted.items(), key=lambda one: (-one[1].tokens_saved, -one[1].calls, one[0]))
    why = "" if tools else "no call has been counted yet"
    return Figures(
        place=store.place, tools=tuple(tools), held_now=held_now, of_runs=of_runs, why_empty=why, price=config.price
    )


def as_dict(figures: Figures) -> dict[str, Any]:
    """Return the figures as JSON members."""
    members: dict[str, Any] = {"store": figures.place}
    if figures.period is None:
        members["tools"] = [{"tool": tool, **_numbers(counts)} for tool, counts in figures.tools]
        members["total"] = _numbers(figures.total)
    else:
        period = figures.period
        members |= {
            "since": date_of(period.first),
            "until": date_of(period.last),
            "days": [{"day": date_of(day), **_sizes(one)} for day, one in period.by_day.items()],
            "servers": [{"server": name, **_sizes(one)} for name, one in period.by_server.items()],
            "tools": [{"server": at, "tool": tool, **_sizes(one)} for (at, tool), one in period.by_tool.items()],
            "total": _sizes(period.total),
        }
    if figures.price is not None:
        members["price_per_million_tokens"] = figures.price
        members["money_saved"] = round(figures.money_saved or 0.0, 2)
    members["held_now"] = {"results": figures.held_now.items, "bytes": figures.held_now.stored}
    members["held_for_single_runs"] = {"results": figures.of_runs.items, "bytes": figures.of_runs.stored}
    return {**members, **({"note": figures.why_empty} if figures.why_empty else {})}


def date_of(day: int) -> str:
    """Return a day as a date."""
    return datetime.fromtimestamp(day * DAY, UTC).date().isoformat()


def percent(part: float, whole: float) -> float:
    """Return a part in percent; 0 of nothing."""
    return 100 * part / whole if whole else 0.0


def _first_day(seconds: int, now: float) -> int:
    """Return the first day of the last so many days: 1d is today alone."""
    if not 0 < seconds <= KEPT_DAYS * DAY:
        raise CallerError(f"--since: only the last {KEPT_DAYS} days are kept", do="for example 24h, 7d or 90d")
    return day_of(now) - -(-seconds // DAY) + 1


def _period(sizes: Mapping[SizeKey, Sizes], first: int, last: int) -> Period:
    by_day: dict[int, Sizes] = {}
    by_server: dict[str, Sizes] = {}
    by_tool: dict[tuple[str, str], Sizes] = {}
    for key, one in sizes.items():
        by_day[key.day] = by_day.get(key.day, Sizes()).plus(one)
        by_server[key.server] = by_server.get(key.server, Sizes()).plus(one)
        by_tool[key.server, key.tool] = by_tool.get((key.server, key.tool), Sizes()).plus(one)
    return Period(
        first=first,
        last=last,
        by_day=dict(sorted(by_day.items(), reverse=True)),
        by_server=dict(sorted(by_server.items(), key=_most_saved)),
        by_tool=dict(sorted(by_tool.items(), key=_most_saved)),
    )


def _most_saved(one: tuple[Any, Sizes]) -> tuple[int, int, Any]:
    return -one[1].tokens_saved, -one[1].calls, one[0]


def _why_no_sizes(config: Config) -> str:
    if not config.daily_sizes:
        return "sizes by day are switched off (daily_sizes)"
    return "no call was counted in these days; a gateway writes what it counted each half minute"


def _held(store: Store, config: Config) -> tuple[Stats, Stats]:
    from penstock.gate.looking import Looking

    results = Looking(store, config).results()
    ended = [one for one in results if one.owner.startswith(ENDED)]
    others = [one for one in results if not one.owner.startswith(ENDED)]
    held_now, of_runs = (Stats(items=len(some), stored=sum(one.stored for one in some)) for some in (others, ended))
    return held_now, of_runs


def _numbers(counts: Counts) -> dict[str, Any]:
    held = round(percent(counts.held, counts.calls), 1)
    return {"calls": counts.calls, "held": counts.held, "held_percent": held, "tokens_saved": counts.tokens_saved}


def _sizes(one: Sizes) -> dict[str, Any]:
    return {
        "calls": one.calls,
        "held": one.held,
        "passed": one.passed,
        "tokens_in": one.tokens_in,
        "tokens_out": one.tokens_out,
        "tokens_saved": one.tokens_saved,
        "saved_percent": round(percent(one.tokens_saved, one.tokens_in), 1),
    }
