"""``penstock gather FILE``: the servers of a client's configuration as one server."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import argparse

    from penstock.client_config.expand import LocalServer, RemoteServer
    from penstock.gateway.upstreams.combined import ServerCommand

UNLISTED: Final = "penstock_reads_nothing_here"  # the tool of a gateway that holds nothing; no server has that name
HELP = """Relay to all servers of an MCP client's configuration as one server, on standard input and output. Tools keep
their names; if two servers have a tool of one name, each gets its server's name as a prefix. Put the gateway in front:
penstock run --config FILE, or penstock serve --config FILE; for some of the servers, penstock run -- penstock gather
FILE SERVER..."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("file", help="a configuration with mcpServers (or servers), as clients have it")
    parser.add_argument(
        "servers", nargs="*", help="relay to these servers only (default: all that are not switched off)"
    )


def run(options: argparse.Namespace) -> int:
    """Relay to those servers until the client has gone."""
    from penstock.client_config.expand import servers_in
    from penstock.gateway.upstreams.combined import CombinedServers

    CombinedServers([started(server) for server in servers_in(options.file, options.servers)]).run()


def command_for(file: str | None) -> list[str]:
    """Return the command that combines the servers of a client's configuration; empty for a file that is none. A server
    that cannot be understood is an error here, before a client waits for it."""
    from penstock.client_config.expand import is_client_config, servers_in

    if not file or not is_client_config(file):
        return []
    servers_in(file, [])
    return [sys.executable, "-m", "penstock", "gather", file]


def started(server: LocalServer | RemoteServer) -> ServerCommand:
    """Say how a configured server is started: by its command, or by a gateway to its URL that holds nothing. Headers
    go by the environment, which other users of this machine cannot read."""
    from penstock.client_config.expand import LocalServer
    from penstock.client_config.remotes import PREFIX
    from penstock.gateway.upstreams.combined import ServerCommand

    if isinstance(server, LocalServer):
        return ServerCommand(
            name=server.name, command=server.command, environment=server.environment, folder=server.folder
        )
    environment = {f"{PREFIX}{key}": value for key, value in server.headers.items()}
    environment |= {"PENSTOCK_NEVER_HOLD": "true", "PENSTOCK_TOOL_NAME": UNLISTED}
    command = [sys.executable, "-m", "penstock", "run", "--store", "memory:", "--url", server.url]
    return ServerCommand(name=server.name, command=command, environment=environment, unlisted=UNLISTED)
