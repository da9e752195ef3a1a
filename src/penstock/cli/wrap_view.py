"""How a plan looks: for each server the command line before and after, and why the others stay as they are.

Only command lines are shown, not the lines of the file: those may hold keys of services.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.client_config.command_line import Words
    from penstock.client_config.places import Place
    from penstock.client_config.plan import Change, Plan
    from penstock.client_config.servers import Server


def show_others(places: Iterable[Place]) -> None:
    """The files that were found but not asked for."""
    _print((f"found {place.path} too, left alone without --client {place.client}", "dim") for place in places)


def show(plan: Plan) -> None:
    """One file's plan."""
    note = f" ({plan.place.note})" if plan.place.note else ""
    lines = [(f"{plan.file.path}{note}", "bold")]
    for change in plan.changes:
        lines += [
            (f"  {_label(change.server)}", ""),
            (f"    - {_shown(change, change.server.words)}", "red"),
            (f"    + {_shown(change, change.words)}", "green"),
        ]
    lines += [(f"  {_label(left.server)} {left.why}", "dim") for left in plan.left]
    _print(lines)


def say(text: str) -> None:
    """One line that is no part of a plan."""
    _print([(text, "")])


def plain(text: str) -> str:
    """Text that cannot do anything to a terminal, and that every encoding of Unicode can carry."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape", "replace").decode() for one in text)


def _shown(change: Change, words: Words) -> str:
    """A command line, or a URL where there is none. In neither is anything that may be a key of a remote server."""
    if not change.remote:
        return shlex.join(words)
    return f"{shlex.join(words[:-1])} {change.remote.split(', ')[0]}" if words else change.remote


def _label(server: Server) -> str:
    """A server's name, with the project if the file has several."""
    return server.name if len(server.section) == 1 else f"{server.name} (in {server.section[1]})"


def _print(lines: Iterable[tuple[str, str]]) -> None:
    console = Console(highlight=False, soft_wrap=True)
    for text, style in lines:
        console.print(Text(plain(text), style))
