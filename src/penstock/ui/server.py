"""Run the page on this machine: uvicorn around its application."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import uvicorn

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from penstock.ui.app import UiApp


class _Server(uvicorn.Server):
    """Call back once it listens, and end the streams of pages with itself."""

    def __init__(self, config: uvicorn.Config, app: UiApp, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._app = app
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._app.end_streams()
        await super().shutdown(sockets)


def serve(app: UiApp, listening: socket.socket, ready: Callable[[], None]) -> None:
    """Answer until a signal comes."""
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        lifespan="off",
        timeout_graceful_shutdown=1,
    )
    try:
        _Server(config, app, ready).run(sockets=[listening])
    except KeyboardInterrupt:
        return
