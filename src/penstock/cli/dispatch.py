"""Every command but ``run COMMAND``: find it by the first word, import its file, and run it."""

from __future__ import annotations

import logging
import sys
from importlib import import_module
from shutil import get_terminal_size
from textwrap import fill

from penstock import __version__
from penstock.cli import COMMANDS, GROUPS
from penstock.cli.parsers import parse
from penstock.cli.start_server import main as start_server
from penstock.core.text import nearest
from penstock.distribution import missing_features
from penstock.errors import PenstockError

REPLACED = {"gather": "penstock run --config FILE and penstock serve --config FILE relay to several servers"}
ABOUT = (
    "Keeps large MCP tool results out of the model's context. Results that fit pass through unchanged. Larger ones are "
    "stored in full; the model gets a preview and reads the rest on demand."
)
USAGE = """usage: penstock COMMAND [options]

{commands}

options:
  -V, --version  show the version
  -h, --help     show this help; penstock COMMAND --help shows the help of a command

examples:
  penstock demo
  penstock wrap
  penstock run npx -y @modelcontextprotocol/server-filesystem .
"""


def run(words: list[str]) -> int:
    """Run a command and return its exit code. Raises a ``PenstockError`` for words that are not a command."""
    words = _without_help_words(words)
    if not words or words[0] in ("-h", "--help"):
        sys.stdout.write(USAGE.format(commands=_listing()))
        return 0
    if words[0] in ("-V", "--version", "version"):
        sys.stdout.writelines(f"{line}\n" for line in (f"penstock {__version__}", *missing_features()))
        return 0
    name = words[0]
    if name not in COMMANDS:
        raise _unknown(name)
    if name == "run":  # by ``help run``; otherwise ``main`` has started the server before this is imported
        start_server(words[1:])
    _log_like_errors()
    return int(import_module(f"penstock.cli.{name}").run(parse(name, words[1:])))


def _unknown(name: str) -> PenstockError:
    if name.startswith("-"):
        return PenstockError(f"unknown option {name}", do="options follow the command: penstock COMMAND [options]")
    if name in REPLACED:
        return PenstockError(f"the command {name!r} was removed", do=REPLACED[name])
    near = nearest(name, COMMANDS)
    do = f"did you mean {near[0]}?" if near else f"commands: {', '.join(COMMANDS)}"
    return PenstockError(f"unknown command {name!r}", do=do)


def _without_help_words(words: list[str]) -> list[str]:
    """Read ``help`` and ``help COMMAND`` as options."""
    if words[:1] != ["help"]:
        return words
    return [words[1], "--help"] if words[1:] and not words[1].startswith("-") else ["--help"]


def _listing() -> str:
    """Return the commands by group, in lines that a narrow terminal wraps under their column."""
    width = min(get_terminal_size().columns, 100)
    lines = [fill(ABOUT, width), ""]
    for group, commands in GROUPS.items():
        lines.append(f"{group}:")
        lines += [
            fill(line, width, initial_indent=f"  {name:<11} ", subsequent_indent=" " * 14)
            for name, line in commands.items()
        ]
        lines.append("")
    return "\n".join(lines[:-1])


def _log_like_errors() -> None:
    """Give the warnings of the standard library's logging the form that ``print_warning`` has."""
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(logging.Formatter("penstock: warning: %(message)s"))
