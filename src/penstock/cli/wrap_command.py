"""Run ``wrap`` and ``unwrap``: find the files, plan, show, ask, write."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from penstock.cli import wrap_view as view
from penstock.client_config import files
from penstock.client_config.places import CLIENTS, known, of_client
from penstock.client_config.plan import plan
from penstock.core.text import nearest
from penstock.errors import CallerError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from penstock.client_config.places import ConfigPlace
    from penstock.client_config.plan import Decide, Plan

DECLINED: Final = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of both commands."""
    names = "|".join(CLIENTS)
    client = "the client, or its file; without it the files of this project are taken"
    parser.add_argument(
        "servers", nargs="*", default=[], metavar="SERVER", help="only these servers; all of them if none is named"
    )
    parser.add_argument("--client", metavar=f"{names}|FILE", help=client)
    parser.add_argument("--yes", "-y", action="store_true", help="write without asking")
    parser.add_argument("--dry-run", action="store_true", help="only show what would be written")


def carry_out(args: argparse.Namespace, decide: Decide, write: Callable[[Plan], list[str]]) -> int:
    """Plan every file before the first is written, so that a broken file stops all."""
    plans = [plan(place, files.read(place.path), args.servers, decide) for place in _places(args.client)]
    _check_names(args.servers, plans)
    for one in plans:
        view.show(one)
    due = [one for one in plans if one.changes]
    if not due:
        view.say("there is nothing to change")
        return 0
    if args.dry_run:
        view.say("nothing was written (--dry-run)")
        return 0
    if not args.yes and not _agreed(due):
        view.say("nothing was written")
        return DECLINED
    for one in due:
        for line in write(one):
            view.say(line)
    view.say("restart the client, or reconnect its servers, to use it")
    return 0


def _places(client: str | None) -> list[ConfigPlace]:
    try:
        folder, home = Path.cwd(), Path(os.path.expanduser("~"))
    except OSError:
        raise CallerError("the current folder no longer exists", do="change to another folder") from None
    places = known(folder=folder, home=home, platform=sys.platform, env=os.environ)
    if client is not None:
        return of_client(client, places)
    existing = [place for place in places if place.exists]
    view.show_others(place for place in existing if not place.of_project)
    mine = [place for place in existing if place.of_project]
    if not mine:
        do = (
            f"looked in {folder} and {home}; give the file: --client FILE" if not existing else "name one with --client"
        )
        raise CallerError("this folder has no MCP client's configuration", do=do)
    return mine


def _check_names(names: list[str], plans: list[Plan]) -> None:
    there = sorted({name for one in plans for name in one.names})
    where = ", ".join(str(one.file.path) for one in plans)
    if not there:
        raise CallerError(f"{where}: no MCP server is configured there", do="add one in the client first")
    for name in names:
        if name not in there:
            near = nearest(name, there)
            do = f"did you mean {' or '.join(near)}?" if near else f"there is {', '.join(there[:20])}"
            raise CallerError(view.plain(f"{where}: there is no server {name!r}"), do=view.plain(do))


def _agreed(due: list[Plan]) -> bool:
    """Ask the user on standard input. A closed input is an error, not consent."""
    question = f"Write {', '.join(view.plain(str(one.file.path)) for one in due)}? [y/N] "
    try:
        answer = input(question)
    except (EOFError, RuntimeError):  # RuntimeError: standard input is closed
        view.say("")
        raise CallerError(
            "the question got no answer, and nothing was written", do="add --yes to write without asking"
        ) from None
    except UnicodeDecodeError:
        return False
    return answer.strip().lower() in ("y", "yes")
