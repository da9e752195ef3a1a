"""The command line: one file per command.

``main`` looks at the first word only. ``dispatch`` imports the command's file, with all that the command needs. Each
file has ``HELP``, ``USAGE``, ``EXAMPLE``, ``add_arguments`` and ``run``. The command ``run`` begins in ``start_server``
instead, because a server waits for it. ``parsers`` makes the parsers, ``output`` writes to any terminal.

Errors go one way: a command raises a ``PenstockError``, and ``main`` prints it on stderr and returns 2. Nothing else
returns 2. A command returns 1 if it worked and the answer is no: a user who declined, a server that does not work.
"""

from __future__ import annotations

import os
import sys

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
BAD_USE = 2
INTERRUPTED = 130


def main(argv: list[str] | None = None) -> int:
    """Run a command and return its exit code."""
    words = sys.argv[1:] if argv is None else argv
    prepare()
    hide_secrets(words)
    try:
        if words[:1] == ["run"]:
            from penstock.cli.start_server import main as start_server  # noqa: PLC0415  (a server waits for all imports)

            start_server(words[1:])
        from penstock.cli.dispatch import run  # noqa: PLC0415  (so that `run` does not import it)

        code = run(words)
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
