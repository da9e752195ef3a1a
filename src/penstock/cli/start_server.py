"""``penstock run COMMAND ARGS...``: start the server, then import everything else.

A server needs longer to its first answer than all our imports, and the two go on together. So this module, and what it
imports at its top, is only what the server's start needs. ``run`` is the rest of the command.
"""

from __future__ import annotations

from penstock.cli.output import print_error
from penstock.gateway.upstreams.process import CannotStartError, start

TYPE_CHECKING = False  # no ``typing`` here: the server waits for these imports
if TYPE_CHECKING:
    from typing import NoReturn

    from penstock.gateway.upstreams.process import Child

REMOTE = ("--url", "--header")
SETTINGS = (
    *("max_tokens", "preview_tokens", "page_tokens", "store", "profile", "ttl", "tool_name", "output_schema", "tools"),
    *("call_timeout", "owner", "by_handle", "ask", "turn_tokens", "notice", "act", "export_folder", "log_level"),
)
FLAGS = frozenset((*REMOTE, "--was", "--config", "--record", *(f"--{one.replace('_', '-')}" for one in SETTINGS)))


def main(words: list[str]) -> NoReturn:
    """Start the server if one is given as a command, then go on with ``run``."""
    options, command = split(words)
    if not command or _has_other_words(options):
        from penstock.cli.run_without_command import run_without_command  # noqa: PLC0415  (what a command does not need)

        run_without_command(options, command)
    server: CannotStartError | Child
    try:
        server = start(command)
    except CannotStartError as error:
        print_error(error)
        server = error
    from penstock.cli.run import relay  # noqa: PLC0415  (the server starts while this is imported)

    relay(server, command, options)


def split(words: list[str]) -> tuple[list[str], list[str] | None]:
    """Return the options and the server's command, None if there is none. Without a parser, which would take longer
    than all else before the server is started: each of our options has one value, but for --help."""
    at = 0
    while at < len(words):
        word = words[at]
        if word == "--":
            return words[:at], words[at + 1 :]
        if not word.startswith("-"):
            return words[:at], words[at:]
        has_value = word in FLAGS and words[at + 1 : at + 2] != ["--"]
        at += 2 if has_value else 1
    return words, None


def _has_other_words(options: list[str]) -> bool:
    """Return True if an option is unknown, asks for help, or is not for a command: no server is started then."""
    names = {word.split("=", 1)[0] for word in options if word.startswith("-")}
    return not names <= FLAGS or bool(names & set(REMOTE))
