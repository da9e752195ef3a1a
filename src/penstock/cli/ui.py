"""``penstock ui``: a page in the browser over the stored results. It listens on this machine only."""

from __future__ import annotations

import sys
import threading
import webbrowser
from typing import TYPE_CHECKING, Final

from penstock.cli.options import port_number, store_options
from penstock.cli.stored import visible_store
from penstock.config.sources import from_flags, origins_from_flags
from penstock.distribution import install
from penstock.errors import CallerError, ConfigError
from penstock.gate.looking import Looking
from penstock.ui.api import Api
from penstock.ui.app import UiApp
from penstock.ui.guard import PageGuard
from penstock.web.listening import listen

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from penstock.config.model import Config
    from penstock.config.origins import Origins
    from penstock.stores import Store

HELP: Final = """Open a page in the browser: stored results, tokens saved, and what the model has read. Looking changes
nothing. The page listens on this machine only, and shows the results of all owners in the store."""
USAGE: Final = "penstock ui [options]"
EXAMPLE: Final = """\
  penstock ui
  penstock ui --store redis://localhost:6379/0 --port 0 --no-open"""
PORT: Final = 8807


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    port = f"the port to listen on, 0 for any (default: {PORT})"
    parser.add_argument("--port", type=port_number, default=PORT, metavar="PORT", help=port)
    parser.add_argument("--no-open", action="store_true", help="print the address, and open no browser")
    store_options(parser)


def run(args: argparse.Namespace) -> int:
    """Serve the page until a signal comes."""
    config = from_flags(args, file=args.config)
    try:
        from penstock.ui.server import serve  # noqa: PLC0415  (the extra may be missing)
    except ModuleNotFoundError as error:
        raise ConfigError(f"the package {error.name} is needed for the page", do=install("http")) from None
    with visible_store(config) as store:
        try:
            listening = listen("127.0.0.1", args.port)
        except OSError as error:
            raise CallerError(
                f"port {args.port} cannot be listened on: {error.strerror}", do="choose another --port, or 0 for any"
            ) from None
        port = listening.getsockname()[1]
        guard = PageGuard.local(port)

        def say(words: str) -> None:
            print(f"penstock: {words} http://127.0.0.1:{port}/?token={guard.new_token()}", file=sys.stderr, flush=True)  # noqa: T201

        def ready() -> None:
            address = f"http://127.0.0.1:{port}/?token={guard.new_token()}"
            print(f"penstock: {store.place} is shown at {address}", file=sys.stderr, flush=True)  # noqa: T201
            if not args.no_open:
                _open(address)

        origins = origins_from_flags(args, file=args.config)
        app = UiApp(
            lambda: _api(store, config, origins),
            guard,
            entered=lambda: say("the page was opened; once more, in another browser:"),
        )
        try:
            serve(app, listening, ready)
        finally:
            app.close()
    return 0


def admin_page(
    store_of: Callable[[], Store],
    config: Config,
    origins: Origins,
    *,
    hosts: frozenset[str],
    cookie: str,
    admin: str,
    mount: str,
) -> UiApp:
    """Return the page for ``penstock serve --ui``, which opens with the token of an admin."""
    guard = PageGuard(hosts=hosts, cookie=cookie, admin=admin)
    return UiApp(lambda: _api(store_of(), config, origins), guard, mount=mount)


def _api(store: Store, config: Config, origins: Origins) -> Api:
    """Return what answers the page. It opens results, for which it imports most of the core."""
    return Api(Looking(store, config), origins)


def _open(address: str) -> None:
    """Open the browser beside this: some of them do not return at once."""
    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
