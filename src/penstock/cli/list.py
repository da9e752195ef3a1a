"""``penstock list``: the held results of all owners, the newest first. Looking changes nothing."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.cli.options import store_options
from penstock.cli.output import write_json
from penstock.config.sources import from_flags
from penstock.errors import CallerError
from penstock.stores import open_store

if TYPE_CHECKING:
    import argparse

    from penstock.gate.looking import HeldSummary

HELP: Final = "List the held results of all owners, the newest first. Looking at them changes nothing."
USAGE: Final = "penstock list [options]"
EXAMPLE: Final = """\
  penstock list
  penstock list --tool search --most 100
  penstock list --sort tokens --json"""
MOST: Final = 50  # results: more than a terminal shows
ORDERS: Final = ("created", "tokens", "rows", "reads", "expires")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tool", metavar="NAME", help="only results of this tool")
    parser.add_argument("--server", metavar="NAME", help="only results of this server")
    parser.add_argument(
        "--sort", choices=ORDERS, default="created", metavar="ORDER", help=f"by {', '.join(ORDERS)}; the most first"
    )
    parser.add_argument("--most", type=int, default=MOST, metavar="N", help=f"how many to show (default: {MOST})")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    store_options(parser)


def run(args: argparse.Namespace) -> int:
    from penstock.cli.stats import why_unseen
    from penstock.gate.looking import Looking

    if args.most < 1:
        raise CallerError("--most is below 1", do="leave it out, or give a larger number")
    config = from_flags(args, file=args.config)
    with open_store(config.store) as store:
        why = why_unseen(store)
        results = [] if why else Looking(store, config).results()
        place = store.place
    chosen = [one for one in results if args.tool in (None, one.tool) and args.server in (None, one.server)]
    chosen.sort(key=lambda one: _rank(one, args.sort), reverse=True)
    if args.json:
        write_json({"store": place, "total": len(chosen), "results": [_members(one) for one in chosen[: args.most]]})
        return 0
    from penstock.cli.list_view import show

    if not why and results and not chosen:
        why = "no held result is of this tool or server; without --tool and --server there are others"
    show(chosen[: args.most], total=len(chosen), place=place, now=time.time(), why=why)
    return 0


def _rank(one: HeldSummary, order: str) -> float:
    value = getattr(one, order)
    return float("inf") if value is None else float(value)


def _members(one: HeldSummary) -> dict[str, Any]:
    return msgspec.structs.asdict(one)
