"""List the servers that ``penstock doctor`` starts: a command, a URL, or the servers of a client's file."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from penstock.cli import relay
from penstock.cli.client_servers import no_server, servers_of_client
from penstock.cli.url_options import read_headers, read_url, shown_url
from penstock.client_config.expand import LocalServer
from penstock.errors import CallerError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

    from penstock.client_config.expand import RemoteServer


@dataclass(frozen=True, slots=True, kw_only=True)
class StartedServer:
    """The command that starts a server, and the words that name it to ``penstock run``."""

    name: str
    command: list[str]
    run: list[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    folder: str = ""
    of_client: bool = False


@contextmanager
def servers_of(args: argparse.Namespace) -> Iterator[list[StartedServer]]:
    """Give the servers that the command line names.

    A URL is written to a file for this time: other users can read a command line, and a header may be a secret.
    """
    several = servers_of_client(args.config)
    has_command = bool(args.command and args.command[0])
    number = has_command + (args.url is not None) + bool(several)
    if number > 1:
        raise CallerError("more than one of a command, a URL and a client's file is given", do="give one of them")
    if args.header and args.url is None:
        raise CallerError("--header is for a server over HTTP", do="give its --url, or leave the header out")
    if several:
        yield [_of_client(args.config, server) for server in several]
    elif has_command:
        yield [StartedServer(name=args.command[0], command=args.command, run=args.command)]
    elif args.url is not None:
        with _of_url(args.url, args.header) as server:
            yield [server]
    else:
        raise no_server("doctor", args)


def _of_client(file: str, server: LocalServer | RemoteServer) -> StartedServer:
    if isinstance(server, LocalServer):
        return StartedServer(
            name=server.name,
            command=list(server.command),
            run=list(server.command),
            environment=server.environment,
            folder=server.folder,
            of_client=True,
        )
    command = relay.command(file, server.name)
    return StartedServer(name=server.name, command=command, run=["--url", shown_url(server.url)], of_client=True)


@contextmanager
def _of_url(url: str, header_options: Sequence[str]) -> Iterator[StartedServer]:
    headers = dict(read_headers(header_options))
    members = {"url": read_url(url).replace("$", "%24"), "headers": headers}  # A dollar sign begins a variable there.
    options = [word for one in header_options for word in ("--header", f"{one.partition(':')[0]}: ...")]
    with TemporaryDirectory(prefix="penstock-doctor-") as folder:
        file = Path(folder) / "mcp.json"
        file.touch(0o600)
        file.write_text(json.dumps({"mcpServers": {"server": members}}))
        name = shown_url(url)
        yield StartedServer(name=name, command=relay.command(str(file), "server"), run=["--url", name, *options])
