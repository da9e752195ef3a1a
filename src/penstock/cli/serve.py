"""``penstock serve``: the gateway over HTTP, in front of an HTTP server or of a command."""

from __future__ import annotations

import sys
from functools import partial
from ipaddress import ip_network
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Final

from penstock.cli.client_servers import command_for, no_server, servers_of_client, settings_of_client
from penstock.cli.options import CLIENT_CONFIG, port_number, whole_number
from penstock.cli.output import print_warning
from penstock.cli.url_options import shown_url
from penstock.config.sources import add_flags, from_flags, origins_from_flags
from penstock.distribution import install
from penstock.errors import CallerError, ConfigError
from penstock.gateway.http.intake import RequestLimits
from penstock.gateway.http.process_pool import PoolLimits
from penstock.gateway.upstreams.combined import CombinedChild
from penstock.stores import open_store
from penstock.stores.state_folder import open_to_others
from penstock.web.guard import is_loopback
from penstock.web.listening import listen

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from penstock.client_config.expand import LocalServer, RemoteServer
    from penstock.config.model import Config
    from penstock.gateway.http.build import StoreOf
    from penstock.gateway.observe.request_record import Asgi
    from penstock.gateway.upstreams.process import Child

HELP = """Run an MCP server behind the gateway, over HTTP. Results that fit pass through unchanged; larger ones are
stored in full and answered with a preview. Penstock listens on this machine only, unless you give --host. The server is
a command, a URL, or all servers of a client's file as one."""
USAGE = """penstock serve [options] COMMAND ARGS...
       penstock serve [options] --url URL
       penstock serve [options] --config FILE"""
EXAMPLE = """\
  penstock serve npx -y @modelcontextprotocol/server-filesystem /some/folder
  penstock serve --url http://127.0.0.1:9000/mcp --port 8808
  penstock serve --host 0.0.0.0 --token-file token.txt --allow-host mcp.example.com python server.py
  penstock serve --config ~/.cursor/mcp.json"""
SETTINGS = (
    *("max_tokens", "preview_tokens", "page_tokens", "store", "profile", "ttl", "tool_name", "output_schema", "tools"),
    *("call_timeout", "by_handle", "notice", "act", "log_level"),
)
UI: Final = "/ui"
OURS: Final = ("/healthz", "/readyz", "/metrics", UI)
MIN_TOKEN: Final = 16  # Characters of a token. Each guess costs a request, but nothing limits the guesses.
# Flags, the limits that they set, and their help: first of requests, then of the processes of a command.
TAKEN: Final = (
    ("--max-requests", "requests", "maximum requests answered at the same time (429 beyond)"),
    ("--max-streams", "streams", "maximum open client streams (503 beyond)"),
    ("--max-body-bytes", "body", "maximum bytes of a request (413 beyond)"),
)
STARTED: Final = (
    (
        "--max-processes",
        "processes",
        "maximum processes of a command, one per session (503 beyond); clients of MCP 2026-07-28 share one",
    ),
    ("--idle-timeout", "idle_seconds", "seconds without a request before a process is ended"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    server = parser.add_argument_group("server")
    server.add_argument("command", nargs="*", metavar="COMMAND ARGS...", help="a server on standard input and output")
    server.add_argument("--url", metavar="URL", help="a server over HTTP")
    server.add_argument("--config", metavar="FILE", help=CLIENT_CONFIG)
    listening = parser.add_argument_group("address")
    access = parser.add_argument_group("who may call")
    listening.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: this machine only)")
    port = "the port to listen on, 0 for any (default: 8808)"
    listening.add_argument("--port", type=port_number, default=8808, metavar="PORT", help=port)
    listening.add_argument("--path", default="/mcp", help="the path of the MCP endpoint (default: /mcp)")
    access.add_argument("--token-file", metavar="FILE", help="a file with the bearer token that clients must show")
    access.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="a host name for clients, in addition to localhost; or a page's origin like https://a.example:3000 "
        "(repeatable)",
    )
    access.add_argument(
        "--trusted-proxy",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="a proxy, or a network like 10.0.0.0/8, whose X-Forwarded-For Penstock believes: clients without a token "
        "get their shares by address (repeatable)",
    )
    access.add_argument("--ui", action="store_true", help=f"show all stored results on a page at {UI}, to an admin")
    help_text = f"a file with the admin token that opens {UI}; it must differ from that of the clients"
    access.add_argument("--ui-token-file", metavar="FILE", help=help_text)
    bounds = parser.add_argument_group("limits")
    for flags, limits in ((TAKEN, RequestLimits()), (STARTED, PoolLimits())):
        for flag, name, help_text in flags:
            text = f"{help_text} (default: {int(getattr(limits, name)):,})"
            bounds.add_argument(flag, dest=name, type=whole_number(1), metavar="N", help=text)
    add_flags(parser.add_argument_group("settings"), SETTINGS)


def run(options: argparse.Namespace) -> int:
    """Serve until a signal comes."""
    of_client = ""
    if servers := servers_of_client(options.config):
        if options.url or options.command:
            raise CallerError(
                f"more than one server is given: {options.config} names servers too",
                do="leave out --url and the command, or give a configuration of Penstock",
            )
        of_client = f"the servers of {options.config}"
        options.command, options.config = command_for(options.config), settings_of_client(options.config)
    elif not options.url and not options.command:
        raise no_server("serve", options)
    elif options.command and not options.url and which(options.command[0]) is None:
        raise CallerError(
            f"{options.command[0]!r} cannot be started: there is no such program", do="check the spelling, and PATH"
        )
    config = from_flags(options, file=options.config)
    if config.export_folder is not None:
        raise ConfigError(
            "export_folder has no effect over HTTP: an export is a resource there, which the client reads",
            do="leave export_folder out",
        )
    if config.warm and (options.url or config.owner in ("auto", "run")):
        why = "a server behind a URL gets each request by itself" if options.url else "clients have owners of their own"
        raise ConfigError(
            f"warm has no effect here: {why}",
            do="leave it out" if options.url else "set owner to a name, whose results all callers then share",
        )
    open_store(config.store).close()  # nothing is connected to yet: a wrong URL, or a package that is not there
    token = _token(options.token_file)
    _check(options, token)
    admin = _admin(options, token)
    shown_upstream = shown_url(options.url) if options.url else of_client or options.command[0]
    try:
        from penstock.gateway.http.build import run as run_gateway  # noqa: PLC0415  (the extra may be missing)

        if options.url:
            import penstock.gateway.upstreams.http_client  # noqa: F401, PLC0415  (needed for a URL only)
    except ModuleNotFoundError as error:
        raise ConfigError(f"the package {error.name} is needed to serve over HTTP", do=install("http")) from None
    try:
        listening = listen(options.host, options.port)
    except OSError as error:
        raise CallerError(
            f"{options.host}:{options.port} cannot be listened on: {error.strerror}",
            do="choose another --port or --host",
        ) from None
    host, port = listening.getsockname()[:2]
    address = f"[{host}]" if ":" in host else host
    print(f"penstock: serving {shown_upstream} at http://{address}:{port}{options.path}", file=sys.stderr, flush=True)  # noqa: T201
    return run_gateway(
        options.url or options.command,
        config,
        listening,
        path=options.path,
        token=token,
        hosts=frozenset(name.lower() for name in options.allow_host),
        proxies=options.trusted_proxy,
        limits=RequestLimits(**_limits(options, TAKEN)),
        process_limits=PoolLimits(**_limits(options, STARTED)),
        begin=_combined(servers, config) if servers else None,
        page=_page(options, config, admin, port) if admin else None,
    )


def _admin(options: argparse.Namespace, token: str) -> str:
    """Return the token that opens the page; empty if the page is off."""
    if not options.ui:
        if options.ui_token_file:
            raise CallerError("--ui-token-file needs --ui", do="add --ui, or leave the file out")
        return ""
    admin = _token(options.ui_token_file)
    if not admin:
        raise CallerError(
            f"{UI} shows the results of all owners, but no admin token protects it",
            do="give a file with a token: --ui-token-file FILE",
        )
    if admin == token:
        raise CallerError(
            f"the admin token of {UI} is the token of the clients, who would see each other's results",
            do="put a different one into its file",
        )
    return admin


def _page(options: argparse.Namespace, config: Config, admin: str, port: int) -> Callable[[StoreOf], Asgi]:
    """Return what makes the page, once the gateway has a store."""
    from penstock.cli.ui import admin_page  # noqa: PLC0415  (its memory would be lost without a page)

    hosts = frozenset(name.lower() for name in options.allow_host)
    origins = origins_from_flags(options, file=options.config)
    return lambda store_of: admin_page(
        store_of, config, origins, hosts=hosts, cookie=f"penstock_ui_{port}", admin=admin, mount=UI
    )


def _limits(options: argparse.Namespace, flags: Sequence[tuple[str, str, str]]) -> dict[str, int]:
    """Return the limits on the command line; the others keep their defaults."""
    return {name: getattr(options, name) for _, name, _ in flags if getattr(options, name) is not None}


def _combined(servers: Sequence[LocalServer | RemoteServer], config: Config) -> Callable[[], Child]:
    return partial(CombinedChild, servers, may_write=not config.store.startswith("memory:"))


def _check(options: argparse.Namespace, token: str) -> None:
    if options.url and options.command:
        raise CallerError("both a URL and a command are given", do="give one of them")
    for one in options.trusted_proxy:
        try:
            ip_network(one, strict=False)
        except ValueError:
            raise CallerError(
                f"--trusted-proxy: expected an address or a network, got {one[:60]!r}",
                do="for example 10.0.0.5 or 10.0.0.0/8",
            ) from None
    for flag, name, _ in STARTED if options.url else ():
        if getattr(options, name) is not None:
            raise CallerError(
                f"{flag} has no effect with --url: it limits the processes of a command", do="leave it out"
            )
    if not is_loopback(options.host) and not token:
        raise CallerError(
            f"{options.host} can be reached from other machines, but clients need no token",
            do="give a file with a token: --token-file FILE",
        )
    if not options.path.startswith("/") or options.path in OURS:
        raise CallerError(
            f"{options.path!r} cannot be the path of the MCP endpoint",
            do=f"choose a --path that begins with a slash and is not one of {', '.join(OURS)}",
        )


def _token(file: str | None) -> str:
    if file is None:
        return ""
    try:
        words = Path(file).read_text("ascii").split()
    except OSError as error:
        raise ConfigError(
            f"the token file {file} cannot be read: {error.strerror}", do="check its path and rights"
        ) from None
    except ValueError:
        raise ConfigError(f"the token file {file} is not plain text", do="put a long random word into it") from None
    if len(words) != 1:
        raise ConfigError(
            f"the token file {file} {'is empty' if not words else 'has more than one word'}",
            do="put one long random word into it",
        )
    if len(words[0]) < MIN_TOKEN:
        raise ConfigError(
            f"the token in {file} has {len(words[0])} characters, and may be guessed",
            do=f"put a random word of at least {MIN_TOKEN} characters into it, as `openssl rand -hex 32` makes one",
        )
    if mode := open_to_others(Path(file)):
        print_warning(f"the token file {file} can be read by others (mode {mode}): chmod 600 it")
    return words[0]
