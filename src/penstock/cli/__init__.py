"""The command line: one file per command.

``main`` looks at the first word only and imports that command's file, with all that the command needs. Each file has
``HELP``, ``USAGE``, ``EXAMPLE``, ``add_arguments`` and ``run``. ``run.py`` has a ``main`` of its own, because a server
waits for it. ``parsers`` makes the parsers, ``output`` writes to any terminal.

Errors go one way: a command raises a ``PenstockError``, and ``main`` prints it on stderr and returns 2. Nothing else
returns 2. A command returns 1 if it worked and the answer is no: a user who declined, a server that does not work.
"""

from __future__ import annotations

import os
import sys

from penstock import __version__
from penstock.cli.output import prepare, print_error
from penstock.cli.process_title import hide_secrets
from penstock.errors import PenstockError

# The commands by group, and what each of them does.
GROUPS = {
    "try it": {
        "demo": "see the gateway at work in front of a real server",
        "inspect": "show what a data file costs in tokens, and what Penstock would do with it",
        "doctor": "start a server, list its tools, optionally call one, and report what Penstock would do",
    },
    "use it": {
        "run": "run a server, or all servers of a client's file, behind the gateway on standard input and output",
        "serve": "run them behind the gateway over HTTP",
        "wrap": "put the gateway in front of the servers in your MCP clients' files",
        "unwrap": "take the gateway out of these files again",
    },
    "look at stored results": {
        "ui": "open a page in the browser: stored results, tokens saved, and what the model has read",
        "list": "list the stored results",
        "show": "show a stored result: its rows, tree or text; by page, table, SQL, jq or search",
        "stats": "show how many tokens were kept out of the context, by tool, server and day",
        "purge": "delete stored results: all, those of one tool, or older ones",
    },
    "debug and help": {
        "replay": "act as a server from a file that run --record made",
        "completion": "print a script that lets your shell complete commands and options",
        "help": "show the help of a command",
        "version": "show the version, and the features that a missing package switches off",
    },
}
COMMANDS = {name: line for group in GROUPS.values() for name, line in group.items() if name not in ("help", "version")}
REPLACED = {"gather": "penstock run --config FILE and penstock serve --config FILE relay to several servers"}
BAD_USE = 2
INTERRUPTED = 130
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
        print_error(error)
        return BAD_USE
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone (`| head`): nothing may be written to it any more, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:  # a full disk behind `> file`, for example
        print_error(PenstockError(f"the output cannot be written: {error.strerror}"))
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BAD_USE


def _run(words: list[str]) -> int:
    words = _without_help_words(words)
    if not words or words[0] in ("-h", "--help"):
        sys.stdout.write(USAGE.format(commands=_listing()))
        return 0
    if words[0] in ("-V", "--version", "version"):
        from penstock.distribution import missing_features

        sys.stdout.writelines(f"{line}\n" for line in (f"penstock {__version__}", *missing_features()))
        return 0
    name = words[0]
    if name not in COMMANDS:
        raise _unknown(name)
    if name == "run":  # a server waits to be started, and for every import before that
        from penstock.cli import run

        run.main(words[1:])
    from importlib import import_module

    from penstock.cli.output import log_like_errors
    from penstock.cli.parsers import parse

    log_like_errors()
    return int(import_module(f"penstock.cli.{name}").run(parse(name, words[1:])))


def _unknown(name: str) -> PenstockError:
    from penstock.core.text import nearest

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
