"""``penstock serve``: the gateway over HTTP, in front of an HTTP server or of a command."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from penstock.distribution import install
from penstock.errors import CallerError, ConfigError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from penstock.client_config.expand import LocalServer, RemoteServer
    from penstock.config.model import Config
    from penstock.gateway.http.build import StoreOf
    from penstock.gateway.observe.request_record import Asgi
    from penstock.gateway.upstreams.process import Child

HELP = """Run an MCP server behind the gateway, over HTTP. A result that fits passes untouched; a larger one is held
whole and answered with a preview. Listens on this machine only, unless --host says otherwise. The server is a command,
a URL, or all servers of a client's configuration as one."""
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
    *("call_timeout", "by_handle", "envelope", "act", "log_level"),
)
UI: Final = "/ui"
OURS: Final = ("/healthz", "/readyz", "/metrics", UI)
MOST: Final = 65_535  # ports
LEAST_TOKEN: Final = 16  # characters of a token; each guess costs a request, but nothing counts them
# Flags, the limits that they set, and what these are: of what is taken in, and of the processes of a command.
TAKEN: Final = (
    ("--max-requests", "requests", "requests that are answered at the same time; more get 429"),
    ("--max-streams", "streams", "streams that clients listen on; more get 503"),
    ("--max-body-bytes", "body", "bytes of a request; more get 413"),
)
STARTED: Final = (
    (
        "--max-processes",
        "processes",
        "processes of a command, one for each session; more get 503 (clients of MCP 2026-07-28 share one)",
    ),
    ("--idle-timeout", "idle_seconds", "seconds without a request after which a process is ended"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    from penstock.config.sources import add_flags
    from penstock.gateway.http.guard import RequestLimits
    from penstock.gateway.http.process_pool import PoolLimits

    server = parser.add_argument_group("server")
    server.add_argument("command", nargs="*", metavar="COMMAND ARGS...", help="a server on standard input and output")
    server.add_argument("--url", metavar="URL", help="a server over HTTP")
    help_text = (
        "a configuration file of Penstock (TOML, YAML or JSON); or a client's, with mcpServers: its servers as one"
    )
    server.add_argument("--config", metavar="FILE", help=help_text)
    listening = parser.add_argument_group("address")
    access = parser.add_argument_group("who may call")
    listening.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: this machine only)")
    listening.add_argument("--port", type=int, default=8808, help="the port to listen on, 0 for any (default: 8808)")
    listening.add_argument("--path", default="/mcp", help="the path of the MCP endpoint (default: /mcp)")
    access.add_argument("--token-file", metavar="FILE", help="a file with the bearer token that clients must show")
    access.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="a name under which clients may call, beside localhost; or the origin of a page, as https://a.example:3000",
    )
    access.add_argument(
        "--trusted-proxy",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="a proxy, or a network of them as 10.0.0.0/8, whose X-Forwarded-For tells the client's address, by which "
        "clients without a token get their shares",
    )
    access.add_argument("--ui", action="store_true", help=f"show all that is held on a page at {UI}, to an admin")
    help_text = f"a file with the admin token that opens {UI}; another than that of clients"
    access.add_argument("--ui-token-file", metavar="FILE", help=help_text)
    bounds = parser.add_argument_group("limits")
    for flags, limits in ((TAKEN, RequestLimits()), (STARTED, PoolLimits())):
        for flag, name, help_text in flags:
            text = f"{help_text} (default: {int(getattr(limits, name)):,})"
            bounds.add_argument(flag, dest=name, type=int, metavar="N", help=text)
    add_flags(parser.add_argument_group("settings"), SETTINGS)


def run(options: argparse.Namespace) -> int:
    """Serve until a signal comes."""
    import sys

    from penstock.cli.gather import command_for, servers_of_client, settings_of_client
    from penstock.cli.url_options import shown_url
    from penstock.config.sources import from_flags
    from penstock.stores import open_store

    of_client = ""
    if servers := servers_of_client(options.config):
        if options.url or options.command:
            raise CallerError(
                f"expected exactly one server, and {options.config} names servers too",
                do="leave out --url and the command, or give a configuration of Penstock",
            )
        of_client = f"the servers of {options.config}"
        options.command, options.config = command_for(options.config), settings_of_client(options.config)
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
        from penstock.gateway.http.build import listen
        from penstock.gateway.http.build import run as run_gateway
        from penstock.gateway.http.guard import RequestLimits
        from penstock.gateway.http.process_pool import PoolLimits
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
    """Return the token that opens the page; empty where it is not switched on."""
    if not options.ui:
        if options.ui_token_file:
            raise CallerError("--ui-token-file is given without --ui", do="add --ui, or leave the file out")
        return ""
    admin = _token(options.ui_token_file)
    if not admin:
        raise CallerError(
            f"{UI} shows the results of all owners, and no admin token protects it",
            do="name a file with one: --ui-token-file FILE",
        )
    if admin == token:
        raise CallerError(
            f"the admin token of {UI} is the token of the clients, who would see each other's results",
            do="put another one into its file",
        )
    return admin


def _page(options: argparse.Namespace, config: Config, admin: str, port: int) -> Callable[[StoreOf], Asgi]:
    """Return what makes the page, once the gateway has a store."""
    from penstock.cli.ui import make_api
    from penstock.config.sources import origins_from_flags
    from penstock.ui.app import UiApp
    from penstock.ui.guard import LOCAL, PageGuard

    names = [name for name in options.allow_host if "://" not in name]
    hosts = [*names, *(f"{name}:{port}" for name in (*LOCAL, *names))]
    origins = [f"{scheme}://{host}" for scheme in ("http", "https") for host in hosts]
    guard = PageGuard(
        hosts=hosts,
        origins=[*origins, *(name for name in options.allow_host if "://" in name)],
        cookie=f"penstock_ui_{port}",
        admin=admin,
    )
    where = origins_from_flags(options, file=options.config)
    return lambda store_of: UiApp(lambda: make_api(store_of(), config, where), guard, mount=UI)


def _limits(options: argparse.Namespace, flags: Sequence[tuple[str, str, str]]) -> dict[str, int]:
    """Return the limits that are given; the others keep their defaults."""
    return {name: getattr(options, name) for _, name, _ in flags if getattr(options, name) is not None}


def _combined(servers: Sequence[LocalServer | RemoteServer], config: Config) -> Callable[[], Child]:
    from penstock.gateway.upstreams.combined import CombinedChild

    return partial(CombinedChild, servers, may_write=not config.store.startswith("memory:"))


def _check(options: argparse.Namespace, token: str) -> None:
    from ipaddress import ip_network

    from penstock.gateway.http.guard import is_loopback

    if bool(options.url) == bool(options.command):
        raise CallerError("expected exactly one server", do="give its command, or --url URL, or a client's --config")
    for one in options.trusted_proxy:
        try:
            ip_network(one, strict=False)
        except ValueError:
            raise CallerError(
                f"--trusted-proxy {one[:60]!r} is no address and no network", do="write it like 10.0.0.5 or 10.0.0.0/8"
            ) from None
    for flag, name, _ in (*TAKEN, *STARTED):
        if (value := getattr(options, name)) is not None and value < 1:
            raise CallerError(f"{flag} is below 1", do="leave it out, or give a larger number")
    for flag, name, _ in STARTED if options.url else ():
        if getattr(options, name) is not None:
            raise CallerError(
                f"{flag} is about the processes of a command: it has no effect with --url", do="leave it out"
            )
    if not is_loopback(options.host) and not token:
        raise CallerError(
            f"{options.host} can be reached from other machines, and clients need no token",
            do="name a file with one: --token-file FILE",
        )
    if not 0 <= options.port <= MOST:
        raise CallerError(f"there is no port {options.port}", do=f"choose one up to {MOST:,}, or 0 for any")
    if not options.path.startswith("/") or options.path in OURS:
        raise CallerError(
            f"{options.path!r} cannot be the path of the MCP endpoint",
            do=f"choose a --path that begins with a slash, and is none of {', '.join(OURS)}",
        )


def _token(file: str | None) -> str:
    import sys

    from penstock.stores.state_folder import open_to_others

    if file is None:
        return ""
    try:
        words = Path(file).read_text("ascii").split()
    except OSError as error:
        raise ConfigError(
            f"the token file {file} cannot be read: {error.strerror}", do="check its path and rights"
        ) from None
    except ValueError:
        raise ConfigError(f"the token file {file} is no plain text", do="put a long random word into it") from None
    if len(words) != 1:
        raise ConfigError(
            f"the token file {file} {'is empty' if not words else 'has more than one word'}",
            do="put one long random word into it",
        )
    if len(words[0]) < LEAST_TOKEN:
        raise ConfigError(
            f"the token in {file} has {len(words[0])} characters, and may be guessed",
            do=f"put a random word of at least {LEAST_TOKEN} characters into it, as `openssl rand -hex 32` makes one",
        )
    if mode := open_to_others(Path(file)):
        print(  # noqa: T201
            f"penstock: warning: the token file {file} can be read by others (mode {mode}): chmod 600 it",
            file=sys.stderr,
        )
    return words[0]
