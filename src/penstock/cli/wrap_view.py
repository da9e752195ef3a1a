"""Print a plan: for each server the command line before and after, and why the others stay as they are.

Only command lines are shown, not the lines of the file: those may hold keys of services.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from rich.text import Text

from penstock.cli.output import console as console_of
from penstock.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from penstock.client_config.command_line import Words
    from penstock.client_config.plan import Change, Group, Plan
    from penstock.client_config.servers import ServerEntry


def show(plan: Plan) -> None:
    """Print the plan of one file."""
    note = f" ({plan.place.note})" if plan.place.note else ""
    lines = [(f"{plan.file.path}{note}", "bold")]
    for change in plan.changes:
        lines += [
            (f"  {_label(change.server)}", ""),
            (f"    - {_command_line(change, change.server.words)}", "red"),
            (f"    + {_command_line(change, change.words)}", "green"),
        ]
        if outcome := plan.notes.get((*change.server.section, change.server.name)):
            lines.append((f"    {outcome}", "dim"))
    for group in plan.joined:
        lines += _joined(group, plan.notes)
    for group in plan.parted:
        lines.append((f"  {group.name} becomes {', '.join(group.servers)} again, as they were", "green"))
    for left in plan.left:
        lines.append((f"  {_label(left.server)} {left.why}", "dim"))
        lines += [(f"    its stderr: {word}", "dim") for word in left.words]
    _print(lines)


def _joined(group: Group, notes: Mapping[tuple[str, ...], str]) -> list[tuple[str, str]]:
    works = {key[-1]: note for key, note in notes.items()}
    lines = [(f"  {group.name}, instead of {counted(len(group.servers), 'server')}", "")]
    lines += [(f"    - {name}{': ' + works[name] if name in works else ''}", "red") for name in group.servers]
    return [
        *lines,
        (f"    + {shlex.join(group.words)}", "green"),
        (
            f"    Their tools get the prefix of {group.name}, for example mcp__{group.name}__TOOL in Claude Code.",
            "",
        ),
        ("    Change allow-lists, permissions and prompts that name a tool with its server.", ""),
    ]


def say(text: str) -> None:
    """Print one line that is not part of a plan."""
    _print([(text, "")])


def plain(text: str) -> str:
    """Escape control characters, and characters that cannot be encoded."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape", "replace").decode() for one in text)


def _command_line(change: Change, words: Words) -> str:
    """Return a command line, or the URL of a server without one, without anything that may be a key."""
    if not change.remote:
        return shlex.join(words)
    return f"{shlex.join(words[:-1])} {change.remote.split(', ')[0]}" if words else change.remote


def _label(server: ServerEntry) -> str:
    """Return a server's name, with its project if the file has several."""
    return server.name if len(server.section) == 1 else f"{server.name} (in {server.section[1]})"


def _print(lines: Iterable[tuple[str, str]]) -> None:
    console = console_of(wide=True)
    for text, style in lines:
        console.print(Text(plain(text), style))
