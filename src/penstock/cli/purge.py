"""``penstock purge``: delete what is held, of every owner, and say what went."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Final

from penstock.cli.options import seconds_of, store_options
from penstock.config.sources import from_flags
from penstock.core.text import counted
from penstock.errors import CallerError
from penstock.stores import open_store

if TYPE_CHECKING:
    import argparse

HELP: Final = "Delete held results of every owner: all of them, those of one tool, or those above an age."
USAGE: Final = """penstock purge --all [options]
       penstock purge [--tool NAME] [--older-than AGE] [options]"""
EXAMPLE: Final = """\
  penstock purge --all
  penstock purge --tool search --older-than 2h"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_argument_group("what to delete")
    what.add_argument("--all", action="store_true", help="everything that is held")
    what.add_argument("--tool", metavar="NAME", help="only results of this tool")
    what.add_argument("--older-than", metavar="AGE", help="only results above an age: 90s, 30m, 2h, 7d")
    store_options(parser)


def run(args: argparse.Namespace) -> int:
    if args.all == bool(args.tool or args.older_than):
        raise CallerError("nothing says what to delete", do="give --all, or --tool NAME, or --older-than AGE, or both")
    before = None if args.older_than is None else time.time() - seconds_of("--older-than", args.older_than)
    config = from_flags(args, file=args.config)
    if config.store.startswith("memory:"):
        raise CallerError("a memory: store is inside of its gateway", do="end the gateway, and it is gone")
    with open_store(config.store) as store:
        gone = store.purge(tool=args.tool, before=before)
        left = store.stats()
    sys.stdout.write(
        f"deleted {counted(gone.items, 'held result')} ({gone.stored:,} bytes) from {store.place}; "
        f"{left.items:,} left ({left.stored:,} bytes)\n"
    )
    return 0
