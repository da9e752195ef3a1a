"""The command line: one file per command, heavy imports inside it.

``main`` looks at the first word only and imports that command's file; each file has ``HELP``, ``EXAMPLE``,
``add_arguments`` and ``run``, but for ``run.py``, whose words are not for a parser alone. ``parsers`` makes the
parsers, ``output`` writes to any terminal. Errors of ours become one line on stderr and exit code 2.
"""

from __future__ import annotations

import os
import sys

from penstock import __version__
from penstock.cli.output import prepare
from penstock.cli.process_title import hide_secrets
from penstock.errors import PenstockError

# What each group of commands is for, and what each command does.
GROUPS = {
    "try it": {
        "demo": "see the gateway at work in front of a real server",
        "inspect": "show what a data file costs in tokens, and what Penstock would do with it",
        "doctor": "start a server, list its tools, make a call if you like, and say what Penstock would do",
    },
    "use it": {
        "run": "run a server behind the gateway, on standard input and output",
        "serve": "the same over HTTP",
        "wrap": "put the gateway in front of the servers in an MCP client's configuration",
        "unwrap": "take the gateway out of a client's configuration again",
        "gather": "relay to several servers as one; run --config and serve --config do this too",
    },
    "look at what is held": {
        "ui": "open a page in the browser: what is held, what it saved, and what the model has read of it",
        "list": "list the held results",
        "show": "show a held result: its rows, tree or text; by page, table, SQL, jq or search",
        "stats": "show how many tokens were kept out of the context, by tool, server and day",
        "purge": "delete held results: all, of one tool, or older ones",
    },
    "help": {
        "replay": "act as a server again from a file that run --record made",
        "completion": "print a script that lets your shell complete commands and options",
        "help": "show the help of a command",
        "version": "show the version, and the features that are missing because a package is not installed",
    },
}
COMMANDS = {name: line for group in GROUPS.values() for name, line in group.items() if name not in ("help", "version")}
BAD_USE = 2
INTERRUPTED = 130
ABOUT = (
    "Keeps large MCP tool results out of the model's context. A result that fits passes untouched; a larger one is "
    "held whole, answered with a preview, and read on demand."
)
USAGE = """usage: penstock COMMAND [options]

{commands}

options:
  -V, --version  show the version
  -h, --help     show this help; penstock COMMAND --help shows that of a command

examples:
  penstock demo
  penstock run npx -y @modelcontextprotocol/server-filesystem .
"""


def main(argv: list[str] | None = None) -> int:
    """Run a command and return its exit code."""
    words = sys.argv[1:] if argv is None else argv
    prepare()
    hide_secrets(words)
    try:
        code = _run(words)
        sys.stdout.flush()
        return code
    except PenstockError as error:
        print(f"penstock: {error}", file=sys.stderr)  # noqa: T201
        return BAD_USE
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone (`| head`): nothing may be written to it any more, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:  # a full disk behind `> file`, for example
        print(f"penstock: the output cannot be written: {error.strerror}", file=sys.stderr)  # noqa: T201
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BAD_USE


def _run(words: list[str]) -> int:
    words = _without_help_words(words)
    if not words or words[0] in ("-h", "--help"):
        sys.stdout.write(USAGE.format(commands=_listing()))
        return 0 if words else BAD_USE
    if words[0] in ("-V", "--version", "version"):
        from penstock.distribution import missing_features

        sys.stdout.writelines(f"{line}\n" for line in (f"penstock {__version__}", *missing_features()))
        return 0
    name = words[0]
    if name not in COMMANDS:
        from penstock.core.text import nearest

        near = nearest(name, COMMANDS)
        known = f"did you mean {near[0]}?" if near else f"commands: {', '.join(COMMANDS)}"
        raise PenstockError(f"there is no command {name!r}", do=known)
    if name == "run":  # a server waits to be started, and for every import before that
        from penstock.cli import run

        run.main(words[1:])
    from importlib import import_module

    from penstock.cli.parsers import parse

    return int(import_module(f"penstock.cli.{name}").run(parse(name, words[1:])))


def _without_help_words(words: list[str]) -> list[str]:
    """Read ``help`` and ``help COMMAND`` as options."""
    if words[:1] != ["help"]:
        return words
    return [words[1], "--help"] if words[1:] and not words[1].startswith("-") else ["--help"]


def _listing() -> str:
    """Return the commands by group, in lines that a narrow terminal wraps under their column."""
    from shutil import get_terminal_size
    from textwrap import fill

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
