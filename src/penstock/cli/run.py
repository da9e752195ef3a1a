"""``penstock run [options] COMMAND ARGS...``: stand between an MCP client and a server; or ``--url URL``;
or ``--config FILE`` of a client, for all servers in it.

The command line goes to ``start_server`` first, which starts a command before it imports this. What is not a command is
run by ``run_without_command``.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from penstock.cli.options import CLIENT_CONFIG
from penstock.cli.parsers import parser_of
from penstock.cli.start_server import SETTINGS
from penstock.config.sources import add_flags, from_flags
from penstock.errors import PenstockError
from penstock.gateway.recording import Recorder, record
from penstock.gateway.redact import Redactor
from penstock.gateway.stdio.connection import StdioConnection
from penstock.gateway.stdio.last_words import end_process
from penstock.gateway.upstreams.process import CannotStartError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import NoReturn

    from penstock.config.model import Config
    from penstock.gateway.upstreams.process import Child

HELP = """Run an MCP server behind the gateway, on standard input and output. Results that fit pass through unchanged;
larger ones are stored in full and answered with a preview. Everything from the first non-option word on is the server's
command (you may write -- before it). Give --url instead for a server over HTTP, or --config with a client's file for
several servers: they appear as one."""
USAGE = """penstock run [options] COMMAND ARGS...
       penstock run [options] --url URL
       penstock run [options] --config FILE"""
EXAMPLE = """\
  penstock run npx -y @modelcontextprotocol/server-filesystem /some/folder
  penstock run --max-tokens 8000 python server.py --its-own-option
  penstock run --url https://example.com/mcp --header 'Authorization: Bearer TOKEN'
  penstock run --config ~/.cursor/mcp.json
  penstock run --record bug.jsonl npx -y some-server"""


def relay(server: Child | CannotStartError, command: list[str], options: list[str]) -> NoReturn:
    """Relay to a server that was started. If an option is wrong, end the server again."""
    try:
        flags = parser_of("run").parse_args(options)
        config = from_flags(flags, file=flags.config)
        recorder = recorder_for(flags.record)
    except PenstockError:
        _kill(server)
        raise
    connect(server, command, config, recorder)


def recorder_for(file: str | None, secrets: Sequence[str] = ()) -> Recorder | None:
    """Return what writes messages to the file of ``--record``, and leaves out the ``secrets``."""
    return None if file is None else Recorder(file, Redactor(os.environ, secrets))


def connect(
    server: Child | CannotStartError, command: list[str], config: Config, recorder: Recorder | None
) -> NoReturn:
    """Relay between the client and a server until one of them ends."""
    try:
        if recorder is not None and not isinstance(server, CannotStartError):
            record(server, recorder)
        StdioConnection(server, config, command).run()
    except Exception as error:  # noqa: BLE001  (of the memory, for example: without a thread requests would hang)
        end_process(error, lambda: _kill(server))


def _kill(server: Child | CannotStartError) -> None:
    if not isinstance(server, CannotStartError):
        server.kill()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    server = parser.add_argument_group("server")
    server.add_argument("--url", metavar="URL", help="a server over HTTP, instead of a command")
    text = "a header for every request to it (repeatable); the variable PENSTOCK_HEADER_NAME sets one too"
    server.add_argument("--header", action="append", default=[], metavar="'NAME: VALUE'", help=text)
    text = "written by penstock wrap and read by unwrap: how the client's file spelled the URL's key; run ignores it"
    server.add_argument("--was", metavar="KEY[:TYPE]", help=text)
    server.add_argument("--config", metavar="FILE", help=CLIENT_CONFIG)
    text = "write all messages to and from the server to FILE, without secrets, for penstock replay and bug reports"
    server.add_argument("--record", metavar="FILE", help=text)
    add_flags(parser.add_argument_group("settings"), SETTINGS)
