"""``penstock list``: the stored results of all owners, newest first. Looking changes nothing."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

import msgspec

from penstock.cli.list_view import show
from penstock.cli.options import one_of, store_options, whole_number
from penstock.cli.output import write_json
from penstock.cli.stored import is_missing, visible_store
from penstock.config.sources import from_flags
from penstock.core.text import counted
from penstock.gate.looking import Looking

if TYPE_CHECKING:
    import argparse

    from penstock.gate.looking import HeldSummary

HELP: Final = "List the stored results of all owners, newest first. Looking at them changes nothing."
USAGE: Final = "penstock list [options]"
EXAMPLE: Final = """\
  penstock list
  penstock list --tool search --limit 100
  penstock list --sort tokens --json"""
LIMIT: Final = 50  # Results: more than a terminal shows.
ORDERS: Final = ("created", "tokens", "rows", "reads", "expires")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tool", metavar="NAME", help="only results of this tool")
    parser.add_argument("--server", metavar="NAME", help="only results of this server")
    order = f"sort key, descending: {', '.join(ORDERS)} (default: created)"
    parser.add_argument("--sort", type=one_of(*ORDERS), choices=ORDERS, default="created", metavar="KEY", help=order)
    limit = f"how many results to show (default: {LIMIT})"
    parser.add_argument("--limit", type=whole_number(1), default=LIMIT, metavar="N", help=limit)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    store_options(parser)


def run(args: argparse.Namespace) -> int:
    config = from_flags(args, file=args.config)
    with visible_store(config) as store:
        missing, place = is_missing(store), store.place
        results = [] if missing else Looking(store, config).results()
    chosen = [one for one in results if args.tool in (None, one.tool) and args.server in (None, one.server)]
    chosen.sort(key=lambda one: _rank(one, args.sort), reverse=True)
    first = chosen[: args.limit]
    if args.json:
        members = [msgspec.structs.asdict(one) for one in first]
        write_json({"store": place, "total": len(chosen), "results": members})
        return 0
    show(first, total=len(chosen), place=place, now=time.time(), why=_why_empty(args, len(results), missing=missing))
    return 0


def _why_empty(args: argparse.Namespace, stored: int, *, missing: bool) -> str:
    if missing:
        return "There is no store yet: the first result that is stored creates it."
    if not stored:
        return "No results are stored."
    filters = [f"--{name} {value}" for name in ("tool", "server") if (value := getattr(args, name)) is not None]
    verb = "is" if stored == 1 else "are"
    pronoun = "it" if stored == 1 else "them"
    return (
        f"No results match {' '.join(filters)}. {counted(stored, 'result')} {verb} stored; "
        f"run penstock list to see {pronoun}."
    )


def _rank(one: HeldSummary, order: str) -> float:
    value = getattr(one, order)
    return float("inf") if value is None else float(value)
