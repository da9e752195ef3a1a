"""The parsers of all commands: for the command line, the man page, the reference page and shell completion.

Each command's file has ``HELP``, ``USAGE``, ``EXAMPLE`` and ``add_arguments``. A usage that argparse writes itself
would repeat every option.
"""

from __future__ import annotations

import argparse
import re
import textwrap
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from penstock.cli import COMMANDS
from penstock.core.text import nearest
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

MAX_WIDTH: Final = 100  # Longer lines of help, in characters, are hard to read.

# The errors that argparse words itself, and our words for them.
WORDINGS: Final = (
    (re.compile(r"the following arguments are required: (.+)"), r"no \1 is given"),
    (re.compile(r"argument (\S+): ignored explicit argument (.+)", re.DOTALL), r"\1 takes no value, got \2"),
    (re.compile(r"argument (\S+): expected one argument"), r"\1: expected a value, got none"),
    (re.compile(r"argument (\S+): expected (\d+) arguments"), r"\1: expected \2 values"),
)


class HelpFormatter(argparse.HelpFormatter):
    """Wrap descriptions, and keep examples as they are written."""

    def __init__(self, prog: str, width: int | None = None) -> None:
        super().__init__(prog, max_help_position=30, width=width)
        self._width = min(self._width, MAX_WIDTH)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith("example"):
            return text
        paragraphs = text.split("\n\n")
        return "\n\n".join(textwrap.fill(one, width, initial_indent=indent) for one in paragraphs)


class CommandParser(argparse.ArgumentParser):
    """A parser whose errors are ``CallerError``, as all others are: ``main`` prints them."""

    def parse_args(  # type: ignore[override]  # without the overloads for a namespace of another class
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        parsed, unknown = self.parse_known_args(args, namespace)
        if unknown:
            raise self._unknown(unknown[0])
        return parsed

    def error(self, message: str) -> NoReturn:
        for pattern, words in WORDINGS:
            if match := pattern.fullmatch(message):
                message = match.expand(words)
        raise CallerError(message.removeprefix("argument "), do=f"see {self.prog} --help")

    def _unknown(self, word: str) -> CallerError:
        if not word.startswith("-"):
            return CallerError(f"unexpected argument {word!r}", do=f"see {self.prog} --help")
        name = word.partition("=")[0]
        near = nearest(name, [option for option in self._option_string_actions if option.startswith("--")])
        do = f"did you mean {near[0]}?" if near else f"see {self.prog} --help"
        return CallerError(f"unknown option {name}", do=do)


def parser_of(name: str) -> CommandParser:
    """Return the parser of one command."""
    command = import_module(f"penstock.cli.{name}")
    parser = CommandParser(
        prog=f"penstock {name}", allow_abbrev=False, formatter_class=HelpFormatter, **_words(command)
    )
    command.add_arguments(parser)
    return parser


def whole_parser() -> CommandParser:
    """Return one parser with all commands below it, as completion needs it."""
    whole = CommandParser(prog="penstock", allow_abbrev=False)
    whole.add_argument("-V", "--version", action="store_true", help="show the version")
    commands = whole.add_subparsers(metavar="COMMAND")
    for name, line in COMMANDS.items():
        command = import_module(f"penstock.cli.{name}")
        one = commands.add_parser(name, help=line, allow_abbrev=False, formatter_class=HelpFormatter, **_words(command))
        command.add_arguments(one)
    return whole


def parse(name: str, words: Sequence[str]) -> argparse.Namespace:
    """Parse a command line. If the command takes a server's command, that begins at the first word that is not an
    option, or after ``--``."""
    parser = parser_of(name)
    if not any(action.dest == "command" for action in parser._actions):
        return parser.parse_args(words)
    options, command = split_command(parser, words)
    parsed = parser.parse_args(options)
    parsed.command = command
    return parsed


def split_command(parser: argparse.ArgumentParser, words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the options, and the server's command without ``--``."""
    known = parser._option_string_actions
    at = 0
    while at < len(words):
        word = words[at]
        if word == "--":
            return list(words[:at]), list(words[at + 1 :])
        if not word.startswith("-") or word == "-":
            return list(words[:at]), list(words[at:])
        action = known.get(word)
        at += 1 if action is None else 1 + _values(action)
    return list(words), []


def _values(action: argparse.Action) -> int:
    return 1 if action.nargs is None else action.nargs if isinstance(action.nargs, int) else 0


def _words(command: Any) -> dict[str, Any]:
    return {"usage": command.USAGE, "description": command.HELP, "epilog": f"examples:\n{command.EXAMPLE}"}
