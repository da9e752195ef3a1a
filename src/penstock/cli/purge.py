"""``penstock purge``: delete stored results of every owner, and report what was deleted."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Final

from penstock.cli.options import age, store_options
from penstock.cli.stored import is_missing, visible_store
from penstock.config.sources import from_flags
from penstock.core.text import counted
from penstock.errors import CallerError

if TYPE_CHECKING:
    import argparse

HELP: Final = "Delete stored results of every owner: all of them, those of one tool, or those older than an age."
USAGE: Final = """penstock purge --all [options]
       penstock purge [--tool NAME] [--older-than AGE] [options]"""
EXAMPLE: Final = """\
  penstock purge --all
  penstock purge --tool search --older-than 2h"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_argument_group("what to delete")
    what.add_argument("--all", action="store_true", help="all stored results")
    what.add_argument("--tool", metavar="NAME", help="only results of this tool")
    what.add_argument("--older-than", type=age, metavar="AGE", help="only results older than 90s, 30m, 2h, 7d, ...")
    store_options(parser)


def run(args: argparse.Namespace) -> int:
    if args.all == bool(args.tool or args.older_than is not None):
        raise CallerError("choose what to delete", do="give --all, or --tool NAME and/or --older-than AGE")
    before = None if args.older_than is None else time.time() - args.older_than
    with visible_store(from_flags(args, file=args.config)) as store:
        if is_missing(store):
            sys.stdout.write(f"no store at {store.place}: nothing to delete\n")
            return 0
        gone = store.purge(tool=args.tool, before=before)
        left = store.stats()
    sys.stdout.write(
        f"deleted {counted(gone.items, 'result')} ({gone.stored:,} bytes) from {store.place}; "
        f"{left.items:,} left ({left.stored:,} bytes)\n"
    )
    return 0
