"""``penstock gather FILE``: the servers of a client's configuration as one server."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from penstock.errors import ConfigError

if TYPE_CHECKING:
    import argparse

    from penstock.client_config.expand import LocalServer, RemoteServer

HELP = """Relay to several servers of an MCP client's configuration as one server, on standard input and output. Tools
keep their names; if two servers have a tool of one name, each gets its server's name as a prefix. Nothing is held here:
penstock run --config FILE and penstock serve --config FILE do the same behind the gateway."""
USAGE = "penstock gather FILE [SERVER...]"
EXAMPLE = """\
  penstock gather ~/.cursor/mcp.json
  penstock run penstock gather ~/.cursor/mcp.json files search"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("file", metavar="FILE", help="a configuration with mcpServers (or servers), as clients have it")
    parser.add_argument(
        "servers",
        nargs="*",
        default=[],
        metavar="SERVER",
        help="relay to these servers only (default: all that are not switched off)",
    )


def run(options: argparse.Namespace) -> int:
    """Relay to those servers until the client has gone."""
    from penstock.gateway.upstreams.combined import gather

    gather(checked_servers(options.file, options.servers))


def servers_of_client(file: str | None) -> list[LocalServer | RemoteServer]:
    """Return the servers of a client's configuration; none for a file that is none. A server that cannot be understood
    is an error here, before a client waits for it."""
    from penstock.client_config.expand import is_client_config

    return checked_servers(file, []) if file and is_client_config(file) else []


def settings_of_client(file: str) -> str | None:
    """Return a client's configuration if it has settings of ours beside its servers, in a table ``penstock``. What only
    the client can read (JSON with comments) has none."""
    from penstock.config.files import read_file

    try:
        return file if "penstock" in read_file(file).table else None
    except ConfigError:
        return None


def command_for(file: str) -> list[str]:
    """Return the command that names the servers of a client's configuration, in owners and as origin of results."""
    return [sys.executable, "-m", "penstock", "gather", file]


def checked_servers(file: str, only: list[str]) -> list[LocalServer | RemoteServer]:
    """Return the servers of a configuration, or raise what is wrong with it, also with a header that cannot be sent."""
    from dataclasses import replace

    from penstock.cli.url_options import read_headers
    from penstock.client_config.expand import RemoteServer, servers_in
    from penstock.client_config.remotes import PREFIX

    servers = servers_in(file, only)
    for at, server in enumerate(servers):
        if isinstance(server, RemoteServer):
            headers = read_headers([], {f"{PREFIX}{name}": value for name, value in server.headers.items()})
            servers[at] = replace(server, headers=dict(headers))
    return servers
