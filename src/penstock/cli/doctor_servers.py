"""List the servers that ``penstock doctor`` looks at, with what starts each: a command, a URL, or those of a client."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from penstock.errors import CallerError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

    from penstock.client_config.expand import LocalServer, RemoteServer


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
    """Give the servers that the command line names. A URL is written to a file for as long as it is looked at: a
    command line can be read by other users, and a header may be a secret."""
    from penstock.cli.gather import servers_of_client

    several = servers_of_client(args.config)
    named = [bool(args.command and args.command[0]), args.url is not None, bool(several)]
    if sum(named) != 1:
        raise CallerError(
            "no server was named" if not any(named) else "more than one of a command, a URL and a client is named",
            do="give a command: penstock doctor COMMAND ARGS..., or --url URL, or a client's --config FILE",
        )
    if args.header and args.url is None:
        raise CallerError("--header is for a server over HTTP", do="give its --url, or leave the header out")
    if several:
        yield [_of_client(args.config, server) for server in several]
    elif args.url is None:
        yield [StartedServer(name=args.command[0], command=args.command, run=args.command)]
    else:
        with _of_url(args.url, args.header) as server:
            yield [server]


def _of_client(file: str, server: LocalServer | RemoteServer) -> StartedServer:
    from penstock.client_config.expand import LocalServer

    run = ["penstock", "gather", file, server.name]
    if isinstance(server, LocalServer):
        return StartedServer(
            name=server.name,
            command=list(server.command),
            run=run,
            environment=server.environment,
            folder=server.folder,
            of_client=True,
        )
    return StartedServer(name=server.name, command=_gathering(file, server.name), run=run, of_client=True)


@contextmanager
def _of_url(url: str, header_options: Sequence[str]) -> Iterator[StartedServer]:
    from penstock.cli.url_options import read_headers, read_url, shown_url

    headers = dict(read_headers(header_options))
    members = {"url": read_url(url).replace("$", "%24"), "headers": headers}  # a dollar sign begins a variable there
    options = [word for one in header_options for word in ("--header", f"{one.partition(':')[0]}: ...")]
    with TemporaryDirectory(prefix="penstock-doctor-") as folder:
        file = Path(folder) / "mcp.json"
        file.touch(0o600)
        file.write_text(json.dumps({"mcpServers": {"server": members}}))
        name = shown_url(url)
        yield StartedServer(name=name, command=_gathering(str(file), "server"), run=["--url", name, *options])


def _gathering(file: str, name: str) -> list[str]:
    return [sys.executable, "-m", "penstock", "gather", file, name]
