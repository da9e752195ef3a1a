"""Run ``wrap`` and ``unwrap``: find the files, plan, show, ask, write."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from penstock.cli import wrap_view as view
from penstock.client_config import files
from penstock.client_config.places import CLIENTS, existing, known, of_client
from penstock.core.text import nearest
from penstock.errors import CallerError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from penstock.client_config.places import ConfigPlace
    from penstock.client_config.plan import Plan

DECLINED: Final = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of both commands."""
    client = f"only this client, or this file (repeatable). Clients: {', '.join(CLIENTS)}"
    parser.add_argument("servers", nargs="*", default=[], metavar="SERVER", help="only these servers (default: all)")
    parser.add_argument("--client", action="append", default=[], metavar="CLIENT|FILE", help=client)
    parser.add_argument("--yes", "-y", action="store_true", help="write to every file that is found, without asking")
    parser.add_argument("--dry-run", action="store_true", help="only show what would be written")


def carry_out(
    args: argparse.Namespace,
    planned: Callable[[ConfigPlace, files.File], Plan],
    write: Callable[[Plan], list[str]],
) -> int:
    """Plan every file before the first is written, so that a broken file stops all."""
    places = _places(args.client)
    if not (args.client or args.yes or args.dry_run):
        places = _chosen(places)
    plans = [planned(place, files.read(place.path)) for place in places]
    _check_names(args.servers, plans)
    for one in plans:
        view.show(one)
    due = [one for one in plans if one.is_due]
    if not due:
        view.say("nothing to change")
        return 0
    if args.dry_run:
        view.say("nothing was written (--dry-run)")
        return 0
    if not args.yes and not _agrees(f"Write {', '.join(view.plain(str(one.file.path)) for one in due)}? [y/N] "):
        view.say("nothing was written")
        return DECLINED
    for one in due:
        for line in write(one):
            view.say(line)
    view.say("Restart the client, or reconnect its servers.")
    return 0


def _places(clients: list[str]) -> list[ConfigPlace]:
    """Return the files of these clients; if none is named, every file that exists, of the project and of the user."""
    try:
        folder, home = Path.cwd(), Path(os.path.expanduser("~"))
    except OSError:
        raise CallerError("the current folder no longer exists", do="change to another folder") from None
    places = known(folder=folder, home=home, platform=sys.platform, env=os.environ)
    if clients:
        chosen = {os.path.abspath(place.path): place for client in clients for place in of_client(client, places)}
        return list(chosen.values())
    files_there = existing(places)
    if not files_there:
        raise CallerError(
            "no file of an MCP client was found",
            do=f"looked in {' and '.join(dict.fromkeys(map(str, (folder, home))))}; give the file: --client FILE",
        )
    return files_there


def _chosen(places: list[ConfigPlace]) -> list[ConfigPlace]:
    """Ask which of several files are meant."""
    if len(places) == 1:
        return places
    for number, place in enumerate(places, 1):
        view.say(f"{number:>3}  {place.path} ({place.note})")
    answer = _ask(f"Which files? Numbers like 1 3, or nothing for all {len(places)}: ").replace(",", " ").split()
    if all(word.isdecimal() and 1 <= int(word) <= len(places) for word in answer):
        return [places[int(word) - 1] for word in dict.fromkeys(answer)] or places
    raise CallerError("expected numbers from the list; nothing was written", do="run the command again")


def _check_names(names: list[str], plans: list[Plan]) -> None:
    there = sorted({name for one in plans for name in one.names})
    where = ", ".join(str(one.file.path) for one in plans)
    if not there:
        raise CallerError(f"{where}: no MCP server is configured", do="add one in the client first")
    for name in names:
        if name not in there:
            near = nearest(name, there)
            do = f"did you mean {' or '.join(near)}?" if near else f"servers: {', '.join(there[:20])}"
            raise CallerError(view.plain(f"{where}: unknown server {name!r}"), do=view.plain(do))


def _agrees(question: str) -> bool:
    return _ask(question).strip().lower() in ("y", "yes")


def _ask(question: str) -> str:
    """Ask the user on standard input. A closed input is an error, not consent."""
    try:
        return input(question)
    except (EOFError, RuntimeError):  # RuntimeError: standard input is closed
        view.say("")
        raise CallerError("no terminal to ask on; nothing was written", do="use --yes, or --client") from None
    except UnicodeDecodeError:
        return "no"
