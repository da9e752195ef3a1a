"""The command line: one file per command, heavy imports inside it.

``main`` looks at the first word only and imports that command's file; each file has ``HELP``, ``add_arguments`` and
``run``, but for ``run.py``, whose words are not for a parser alone. Errors of ours become one line on stderr and exit
code 2.
"""

from __future__ import annotations

import os
import sys

from penstock import __version__
from penstock.errors import PenstockError

COMMANDS = {
    "run": "put the gateway in front of an MCP server: penstock run -- COMMAND ARGS..., --url URL, or --config FILE",
    "serve": "the same over HTTP: penstock serve -- COMMAND ARGS..., --url URL, or --config FILE",
    "gather": "relay to all servers of a client's configuration as one server; use it behind run or serve",
    "wrap": "put the gateway in front of the servers in an MCP client's configuration",
    "unwrap": "take the gateway out of a client's configuration again",
    "doctor": "start a server, list its tools and say what Penstock would do; calls none of them",
    "ui": "look at what is held, what it saved and what the model has read, on a page in the browser",
    "stats": "show how many tokens were kept out of the context, by tool",
    "purge": "delete held results: all, of one tool, or older ones",
    "inspect": "show what a data file costs in tokens, its form, and what Penstock would do with it",
    "demo": "see the gateway at work in front of a real server",
}
BAD_USE = 2
INTERRUPTED = 130
USAGE = """usage: penstock COMMAND [options]

Keeps oversized MCP tool results out of the model's context: held whole, previewed within a budget, read on demand.

commands:
{commands}

options:
  --version   show the version
  -h, --help  show this help; `penstock COMMAND --help` shows a command's own
"""


def main(argv: list[str] | None = None) -> int:
    """Run a command and return its exit code."""
    words = sys.argv[1:] if argv is None else argv
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
    if not words or words[0] in ("-h", "--help"):
        listing = "\n".join(f"  {name:<10}  {line}" for name, line in COMMANDS.items())
        sys.stdout.write(USAGE.format(commands=listing))
        return 0 if words else BAD_USE
    if words[0] == "--version":
        sys.stdout.write(f"penstock {__version__}\n")
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
    import argparse
    from importlib import import_module

    command = import_module(f"penstock.cli.{name}")

    parser = argparse.ArgumentParser(prog=f"penstock {name}", description=command.HELP, allow_abbrev=False)
    command.add_arguments(parser)
    return int(command.run(parser.parse_args(words[1:])))
