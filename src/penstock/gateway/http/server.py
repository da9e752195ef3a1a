"""The process of ``penstock serve``: uvicorn, and an orderly end.

The first SIGTERM or SIGINT drains: what is being answered is finished, everything new gets 503, and ``/readyz`` says
so. The second ends the process at once; servers that were started are ended by their watchers then.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import uvicorn

from penstock.gateway.http.connection import Connection
from penstock.web.listening import BACKLOG

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator

    from penstock.gateway.http.intake import Intake
    from penstock.gateway.log import Log
    from penstock.gateway.observe.request_record import Asgi
    from penstock.web.asgi import Receive, Scope, Send

DRAIN_SECONDS: Final = 20.0  # for requests that are being answered; Kubernetes kills after thirty
CLOSE_SECONDS: Final = 2  # for connections, once nothing is being answered any more
SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
FILES: Final = 8_192  # files that the process may open, where the system lets us raise the limit that far
LOOK_TICKS: Final = 10  # of uvicorn's ten a second: how often it is seen whether files can still be opened
QUIET_SECONDS: Final = 1.0  # in which the same complaint of a library is logged once
COMPLAINTS: Final = 100  # different ones that are remembered for that


class Seldom(logging.Filter):
    """Lets the same words through once a second, and then says how often they were left out: any client can send
    malformed requests as fast as it likes."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._now = now
        self._seen: dict[str, tuple[float, int]] = {}  # when the words were logged last, and left out since

    def filter(self, record: logging.LogRecord) -> bool:
        words, now = record.getMessage(), self._now()
        last, left_out = self._seen.get(words, (-QUIET_SECONDS, 0))
        if now - last < QUIET_SECONDS:
            self._seen[words] = last, left_out + 1
            return False
        if len(self._seen) >= COMPLAINTS:
            self._seen.clear()
        self._seen[words] = now, 0
        if left_out:
            record.msg, record.args = f"{words.strip()} ({left_out:,} more like it since)", ()
        return True


class Streams:
    """Lets streams end with the gateway: one that a client listens on would never end by itself."""

    def __init__(self, app: Asgi) -> None:
        self._app = app
        self._ending = asyncio.Event()

    def end(self) -> None:
        self._ending.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        is_open = False

        async def receiving() -> dict[str, Any]:
            waiting = asyncio.ensure_future(receive()), asyncio.ensure_future(self._ending.wait())
            try:
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                return waiting[0].result() if waiting[0].done() else {"type": "http.disconnect"}
            finally:
                for one in waiting:
                    one.cancel()

        async def sending(message: dict[str, Any]) -> None:
            nonlocal is_open
            is_open = message["type"] == "http.response.start" or bool(message.get("more_body"))
            await send(message)

        await self._app(scope, receiving, sending)
        if is_open and self._ending.is_set():
            await send({"type": "http.response.body", "body": b""})


class Server(uvicorn.Server):
    """Drains before it ends."""

    def __init__(self, config: uvicorn.Config, intake: Intake, streams: Streams, log: Log) -> None:
        super().__init__(config)
        self._intake = intake
        self._streams = streams
        self._log = log
        self._deadline = 0.0
        self._has_files = True
        self.code = 0

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take signals. Unlike with uvicorn's own, one that was obeyed is not raised again: an orderly end is no
        failure."""
        before = {one: signal.signal(one, self.handle_exit) for one in SIGNALS}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)

    def handle_exit(self, sig: int, frame: Any) -> None:  # noqa: ARG002  (uvicorn's signature)
        if self._intake.draining:
            os._exit(128 + sig)
        self._intake.draining = True
        self._deadline = time.monotonic() + DRAIN_SECONDS
        self.code = 128 + sig if sig == signal.SIGINT else 0

    async def on_tick(self, counter: int) -> bool:
        if self._intake.draining and not self.should_exit:
            is_late = time.monotonic() > self._deadline
            if is_late:
                self._log.note(
                    "warning", f"{self._intake.requests} requests are broken off, after {DRAIN_SECONDS:.0f} s"
                )
            if is_late or not self._intake.requests:
                self._streams.end()
                self.should_exit = True
        if counter % LOOK_TICKS == 0:
            self._look_for_files()
        return await super().on_tick(counter)

    def _look_for_files(self) -> None:
        """Log when no more files can be opened, and when they can again: the event loop resets the connections that
        it cannot take, and says nothing."""
        try:
            os.close(os.open(os.devnull, os.O_RDONLY))
            has_files = True
        except OSError:
            has_files = False
        if has_files != self._has_files:
            self._has_files = has_files
            count = len(self.server_state.connections)
            text = (
                f"files can be opened again; {count:,} connections are open"
                if has_files
                else f"no more files can be opened ({count:,} connections are open): new clients are turned away; "
                "raise the limit (ulimit -n)"
            )
            self._log.note("warning" if has_files else "error", text)


def raised_file_limit() -> int:
    """Raise the number of files that this process may open, as far as it may. Returns what it is then."""
    try:
        import resource  # noqa: PLC0415
    except ImportError:  # Windows, which has no such limit
        return FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= FILES:
        return FILES
    wanted = FILES if hard == resource.RLIM_INFINITY else min(hard, FILES)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):  # macOS has a lower limit beside this one
        return soft
    return wanted


def serve(app: Asgi, intake: Intake, listening: socket.socket, log: Log) -> int:
    """Answer until a signal says that it is enough; the exit code."""
    logging.getLogger("uvicorn.error").addFilter(Seldom())
    connections = intake.limits.requests + intake.limits.streams + 64

    async def serving() -> int:
        streams = Streams(app)
        config.app = streams
        server = Server(config, intake, streams, log)
        await server.serve(sockets=[listening])
        return server.code

    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # uvicorn would believe what any program on this machine writes there
        date_header=False,
        http=Connection,
        ws="none",
        backlog=BACKLOG,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=CLOSE_SECONDS,
        limit_concurrency=min(connections, raised_file_limit() * 3 // 4),  # the rest is for upstreams and the store
        lifespan="on",
    )
    with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:  # uvloop's, where it is installed
        return runner.run(serving())
