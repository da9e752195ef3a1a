"""``penstock run --url URL`` and ``penstock run --config FILE``: servers that this process reaches itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.cli.client_servers import command_for, no_server, servers_of_client, settings_of_client
from penstock.cli.parsers import parser_of
from penstock.cli.run import connect, recorder_for
from penstock.cli.url_options import read_headers, read_url
from penstock.client_config.expand import RemoteServer
from penstock.config.sources import from_flags
from penstock.distribution import install
from penstock.errors import CallerError, ConfigError
from penstock.gateway.upstreams.combined import CombinedChild

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import NoReturn

    from penstock.client_config.expand import LocalServer
    from penstock.config.model import Config


def run_without_command(options: list[str], command: list[str] | None) -> NoReturn:
    """Run in front of the servers of a client's configuration, or of a URL; or raise what is wrong with the options of
    a ``command``, which was not started."""
    flags = parser_of("run").parse_args(options)  # --help ends here, and so does an unknown option
    if command is not None and not command:
        raise CallerError("no command follows --", do="penstock run -- COMMAND ARGS...")
    if command:
        raise CallerError("both a URL and a command are given", do="give --url URL, or the command of a server")
    if servers := servers_of_client(flags.config):
        if flags.url is not None or flags.header:
            raise CallerError(
                f"both a URL and the servers of {flags.config} are given",
                do="leave out --url and --header, or give a configuration of Penstock",
            )
        config = from_flags(flags, file=settings_of_client(flags.config))
        _run_several(command_for(flags.config), servers, config, flags.record)
    if flags.url is None:
        raise no_server("run", flags)
    _bridge(flags)


def _run_several(
    command: list[str], servers: Sequence[LocalServer | RemoteServer], config: Config, file: str | None
) -> NoReturn:
    """Run in front of servers that are reached from this process."""
    secrets = [value for one in servers for value in getattr(one, "headers", {}).values()]
    recorder = recorder_for(file, secrets)
    may_write = not config.store.startswith("memory:")
    connect(CombinedChild(servers, may_write=may_write), command, config, recorder)


def _bridge(flags: argparse.Namespace) -> NoReturn:
    """Run in front of a server over HTTP."""
    url, headers = read_url(flags.url), read_headers(flags.header)
    config = from_flags(flags, file=flags.config)
    if flags.record is not None:  # A recording is of lines, which a server behind a URL does not have.
        _run_several([url], [RemoteServer(name="server", url=url, headers=dict(headers))], config, flags.record)
    try:
        from penstock.gateway.stdio.bridge import run  # noqa: PLC0415  (aiohttp takes 10 MB, and may be missing)
    except ImportError as error:
        raise ConfigError(f"the package {error.name} is needed for a server over HTTP", do=install("http")) from None
    run(url, headers, config)
