"""``penstock run [options] COMMAND ARGS...``: stand between an MCP client and a server; or ``--url URL``;
or ``--config FILE`` of a client, for all servers in it.

The server is started first: it needs longer to its first answer than everything here, and the two then go together.
"""

from __future__ import annotations

import os
import sys

from penstock.cli.output import print_error
from penstock.distribution import install
from penstock.errors import CallerError
from penstock.gateway.upstreams.process import CannotStartError, start

TYPE_CHECKING = False  # no ``typing`` here: the server waits for these imports
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence
    from typing import NoReturn

    from penstock.client_config.expand import LocalServer, RemoteServer
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
REMOTE = ("--url", "--header")
ACTING = ("--act", "--config")
SWITCH = 0.0005  # seconds for which one thread may keep others waiting: a relayed line is worth more than other work
GREETING = 0.2  # seconds in which a server that starts fast has answered; to one that does not, our imports are nothing
SETTINGS = (
    *("max_tokens", "preview_tokens", "page_tokens", "store", "profile", "ttl", "tool_name", "output_schema", "tools"),
    *("call_timeout", "owner", "by_handle", "notice", "act", "export_folder", "log_level"),
)


FLAGS = frozenset(
    ("--url", "--header", "--was", "--config", "--record", *(f"--{one.replace('_', '-')}" for one in SETTINGS))
)


def main(words: list[str]) -> NoReturn:
    """Start the server, then read the options. A wrong value of an option ends the server again."""
    options, command = split(words)
    if command is None:
        _run_other(words)
    if any(word.split("=", 1)[0] not in FLAGS for word in options if word.startswith("-")):
        _parser().parse_args(options)  # --help ends here, and an unknown option is an error before any server starts
    if not command:
        raise CallerError("no command follows --", do="penstock run -- COMMAND ARGS...")
    if any(word.split("=", 1)[0] in REMOTE for word in options):
        raise CallerError("both a URL and a command are given", do="give --url URL, or the command of a server")
    recorded = [at for at, word in enumerate(options) if word.split("=", 1)[0] == "--record"]
    begin = _recorded(start, _parser().parse_args(options).record) if recorded else start
    _serve(command, lambda: _config(options), begin, may_export=_may_export(options))


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


def _recorded(
    begin: Callable[[list[str]], Child], file: str, secrets: list[str] | None = None
) -> Callable[[list[str]], Child]:
    """Return a way to start the server that records what it says to the gateway, and the gateway to it."""
    import os

    from penstock.gateway.recording import Recorder, record
    from penstock.gateway.redact import Redactor

    recorder = Recorder(file, Redactor(os.environ, secrets or ()))

    def started(command: list[str]) -> Child:
        server = begin(command)
        record(server, recorder)
        return server

    return started


def _run_other(options: list[str]) -> NoReturn:
    """Run in front of what is no command: the servers of a client's configuration, or a URL."""
    flags = _parser().parse_args(options)  # --help ends here, and so does an unknown option
    from penstock.cli.client_servers import command_for, no_server, servers_of_client, settings_of_client
    from penstock.config.sources import from_flags

    if servers := servers_of_client(flags.config):
        if flags.url is not None or flags.header:
            raise CallerError(
                f"both a URL and the servers of {flags.config} are given",
                do="leave out --url and --header, or give a configuration of Penstock",
            )
        config = from_flags(flags, file=settings_of_client(flags.config))
        _serve_several(command_for(flags.config), servers, config, flags.record)
    if flags.url is None:
        raise no_server("run", flags)
    _bridge(flags)


def _serve_several(
    command: list[str], servers: Sequence[LocalServer | RemoteServer], config: Config, record: str | None
) -> NoReturn:
    """Run in front of servers that are reached from this process."""
    from penstock.gateway.upstreams.combined import CombinedChild

    secrets = [value for one in servers for value in getattr(one, "headers", {}).values()]
    may_write = not config.store.startswith("memory:")
    begin: Callable[[list[str]], Child] = lambda _: CombinedChild(servers, may_write=may_write)  # noqa: E731
    begin = begin if record is None else _recorded(begin, record, secrets)
    _serve(command, lambda: config, begin, may_export="export" in config.act)


def _bridge(flags: argparse.Namespace) -> NoReturn:
    """Run in front of a server over HTTP, with imports that a command does not need."""
    from penstock.cli.url_options import read_headers, read_url

    url, headers = read_url(flags.url), read_headers(flags.header)
    from penstock.config.sources import from_flags

    config = from_flags(flags, file=flags.config)
    if flags.record is not None:  # a recording is of lines, which a server behind a URL has none of
        from penstock.client_config.expand import RemoteServer

        _serve_several([url], [RemoteServer(name="server", url=url, headers=dict(headers))], config, flags.record)
    try:
        from penstock.gateway.stdio.bridge import run
    except ImportError as error:
        from penstock.errors import ConfigError

        raise ConfigError(f"the package {error.name} is needed for a server over HTTP", do=install("http")) from None
    run(url, headers, config)


def _may_export(options: list[str]) -> bool:
    """Return True if export may be on. The configuration is not read yet, and the server's introduction may change."""
    return "PENSTOCK_ACT" in os.environ or any(word.split("=", 1)[0] in ACTING for word in options)


def _serve(
    command: list[str],
    load: Callable[[], Config],
    begin: Callable[[list[str]], Child] = start,
    *,
    may_export: bool,
) -> NoReturn:
    server: Child | CannotStartError
    try:
        server = begin(command)
    except CannotStartError as error:
        print_error(error)
        server = error
    from penstock.gateway.stdio.early_relay import ReaderThreads
    from penstock.gateway.stdio.last_words import end_process

    if isinstance(server, CannotStartError):
        readers = ReaderThreads(stdin=0, stdout=1, server_stdin=None, server_stdout=None)
    else:
        readers = ReaderThreads(
            stdin=0, stdout=1, server_stdin=server.stdin, server_stdout=server.stdout, may_export=may_export
        )
    sys.setswitchinterval(SWITCH)
    try:
        readers.start()
        readers.await_greeting(GREETING)

        from penstock.cli.light_imports import without_typing_extensions

        with without_typing_extensions():
            from penstock.gateway.stdio.connection import StdioConnection

        StdioConnection(server, readers, load, command).run()
    except Exception as error:  # noqa: BLE001  (of the memory, for example: without a thread requests would hang)
        end_process(error, (lambda: None) if isinstance(server, CannotStartError) else server.kill)


def _config(options: list[str]) -> Config:
    if not options:
        from penstock.config.sources import load

        return load()
    from penstock.config.sources import from_flags

    flags = _parser().parse_args(options)
    return from_flags(flags, file=flags.config)


def _parser() -> argparse.ArgumentParser:
    from penstock.cli.parsers import parser_of

    return parser_of("run")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    from penstock.cli.options import CLIENT_CONFIG
    from penstock.config.sources import add_flags

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
