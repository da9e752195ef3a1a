"""The servers of an MCP client's configuration file, for ``run``, ``serve`` and ``doctor`` with ``--config FILE``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from penstock.cli.url_options import read_headers
from penstock.client_config.expand import RemoteServer, has_servers, servers_in
from penstock.client_config.remotes import PREFIX
from penstock.config.files import read_file
from penstock.config.sources import from_flags
from penstock.errors import CallerError, ConfigError
from penstock.gateway.carry import COMBINED

if TYPE_CHECKING:
    import argparse

    from penstock.client_config.expand import LocalServer


def servers_of_client(file: str | None) -> list[LocalServer | RemoteServer]:
    """Return the servers of a client's file; none if the file is a configuration of Penstock.

    Raises a ``ConfigError`` if the file is missing or is neither of the two, or if one of its servers cannot be used:
    no client should have to wait for that.
    """
    if file is None:
        return []
    try:
        if not has_servers(file):
            return []
    except ConfigError as error:
        try:
            read_file(file)
        except ConfigError:
            raise error from None  # The reader of clients' files accepts more, so its error is the right one.
        return []
    return checked_servers(file, [])


def settings_of_client(file: str) -> str | None:
    """Return a client's file if it has settings of Penstock in a table ``penstock`` beside its servers. JSON with
    comments, which only the client can read, has none."""
    try:
        return file if "penstock" in read_file(file).table else None
    except ConfigError:
        return None


def no_server(command: str, options: argparse.Namespace) -> CallerError:
    """Return the error for a command line that names no server; or raise what is wrong with its settings."""
    from_flags(options, file=options.config)
    what = f"{options.config} names no MCP server, and no other is given" if options.config else "no server is given"
    return CallerError(
        what,
        do=f"give its command: penstock {command} COMMAND ARGS..., or its URL: penstock {command} --url URL, "
        f"or the file of an MCP client: penstock {command} --config FILE",
    )


def command_for(file: str) -> list[str]:
    """Return the command that names the servers of a client's file in owners, and as the origin of results."""
    return [*COMBINED, file]


def checked_servers(file: str, only: list[str]) -> list[LocalServer | RemoteServer]:
    """Return the servers of a file. Raises if one cannot be used, for example because of a header that no request can
    carry."""
    servers = servers_in(file, only)
    for at, server in enumerate(servers):
        if isinstance(server, RemoteServer):
            headers = read_headers([], {f"{PREFIX}{name}": value for name, value in server.headers.items()})
            servers[at] = replace(server, headers=dict(headers))
    return servers
