"""``penstock stats``: how many calls each tool had, how many results were stored, and the tokens that this saved.

Without ``--since`` the figures are the store's counters of each tool, which outlive the results. With it they are the
sizes by day, server and tool (``penstock.stores.sizes``). Neither contains any text of a result.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from penstock.cli.options import age, store_options
from penstock.cli.output import write_json
from penstock.cli.stats_view import show
from penstock.cli.stored import is_missing, visible_store
from penstock.config.sources import add_flags, from_flags
from penstock.errors import CallerError
from penstock.gate.looking import Looking
from penstock.stores import Counts, Sizes
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
ENDED: Final = ("run:", "nobody")  # Beginnings of owners that no later run can have.
MILLION: Final = 1_000_000
NO_STORE: Final = "there is no store yet: the first result that is stored creates it"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    since = "by day, server and tool, for the last 24h, 7d, ... (at most 90d)"
    parser.add_argument("--since", type=age, metavar="AGE", help=since)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    add_flags(parser, ("price",))
    store_options(parser)


def run(args: argparse.Namespace) -> int:
    config = from_flags(args, file=args.config)
    today = day_of(time.time())
    since = None if args.since is None else _first_day(args.since, today)
    with visible_store(config) as store:
        report = _report(store, config, since, today)
    if args.json:
        write_json(report)
    else:
        show(report)
    return 0


def _report(store: Store, config: Config, since: int | None, today: int) -> dict[str, Any]:
    """Return what ``--json`` prints, and the tables are made from. A store that does not exist is not created."""
    is_new = is_missing(store)
    if since is None:
        members = _counters({} if is_new else store.counts())
        why = "" if members["tools"] else "no call has been counted yet"
    else:
        members = _period({} if is_new else store.sizes(since), since, today)
        why = "" if members["days"] else _why_no_sizes(config)
    if config.price is not None:
        saved = members["total"]["tokens_saved"] * config.price / MILLION  # as input that is read once
        members |= {"price_per_million_tokens": config.price, "money_saved": round(saved, 2)}
    results = [] if is_new else Looking(store, config).results()
    lasting = [one.stored for one in results if not one.owner.startswith(ENDED)]
    of_runs = [one.stored for one in results if one.owner.startswith(ENDED)]
    return {
        "store": store.place,
        **members,
        "held_now": {"results": len(lasting), "bytes": sum(lasting)},
        "held_for_single_runs": {"results": len(of_runs), "bytes": sum(of_runs)},
        **({"note": NO_STORE if is_new else why} if is_new or why else {}),
    }


def _counters(counts: Mapping[str, Counts]) -> dict[str, Any]:
    """Return the counters of each tool, the tool that saved most first."""
    # ``penstock doctor`` tries the store by adding nothing to a counter.
    rows = [{"tool": tool, **_numbers(one)} for tool, one in counts.items() if one != Counts()]
    rows.sort(key=lambda row: (-row["tokens_saved"], -row["calls"], row["tool"]))
    total = Counts()
    for one in counts.values():
        total = total.plus(one)
    return {"tools": rows, "total": _numbers(total)}


def _period(sizes: Mapping[SizeKey, Sizes], first: int, last: int) -> dict[str, Any]:
    """Return the sizes of some days: by day, the newest first; by server and by tool, the most saved first."""
    days = _rows(sizes, lambda key: {"day": date_of(key.day)})
    return {
        "since": date_of(first),
        "until": date_of(last),
        "days": sorted(days, key=lambda row: row["day"], reverse=True),
        "servers": sorted(_rows(sizes, lambda key: {"server": key.server}), key=_most_saved),
        "tools": sorted(_rows(sizes, lambda key: {"server": key.server, "tool": key.tool}), key=_most_saved),
        "total": _sizes(total(sizes.values())),
    }


def _rows(sizes: Mapping[SizeKey, Sizes], name: Callable[[SizeKey], dict[str, Any]]) -> list[dict[str, Any]]:
    """Add up the sizes whose keys have the same name, and return one row for each name."""
    sums: dict[tuple[tuple[str, str], ...], Sizes] = {}
    for key, one in sizes.items():
        names = tuple(name(key).items())
        sums[names] = sums.get(names, Sizes()).plus(one)
    return [{**dict(names), **_sizes(one)} for names, one in sums.items()]


def _most_saved(row: dict[str, Any]) -> tuple[int, int, str, str]:
    return -row["tokens_saved"], -row["calls"], row["server"], row.get("tool", "")


def date_of(day: int) -> str:
    """Return a day as a date."""
    return datetime.fromtimestamp(day * DAY, UTC).date().isoformat()


def _first_day(seconds: int, today: int) -> int:
    """Return the first day of the last so many days: 1d is today alone."""
    if not 0 < seconds <= KEPT_DAYS * DAY:
        raise CallerError(f"--since: only the last {KEPT_DAYS} days are kept", do="for example 24h, 7d or 90d")
    return today - -(-seconds // DAY) + 1


def _why_no_sizes(config: Config) -> str:
    if not config.daily_sizes:
        return "sizes by day are switched off (daily_sizes)"
    return "no call was counted in these days; a gateway writes what it counted each half minute"


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 1) if whole else 0.0


def _numbers(one: Counts) -> dict[str, Any]:
    held = _percent(one.held, one.calls)
    return {"calls": one.calls, "held": one.held, "held_percent": held, "tokens_saved": one.tokens_saved}


def _sizes(one: Sizes) -> dict[str, Any]:
    return {
        "calls": one.calls,
        "held": one.held,
        "passed": one.passed,
        "tokens_in": one.tokens_in,
        "tokens_out": one.tokens_out,
        "tokens_saved": one.tokens_saved,
        "saved_percent": _percent(one.tokens_saved, one.tokens_in),
    }
