"""The ASGI application: it routes requests by path, and answers with a status when something goes wrong.

/mcp       the protocol: POST a message, GET a stream, DELETE a session
/          a page for people who open the address in a browser
/healthz   200 while the process runs
/readyz    200 once the upstream has answered and while it can be reached, and we are not about to end; without its
           store a gateway still answers. Every client may ask, so one probe of the upstream serves all who ask
           within two seconds
/metrics   figures for Prometheus
/ui        the page of ``penstock ui``, where it is switched on; it has a guard of its own
"""

from __future__ import annotations

import asyncio
import re
import time
from typing import TYPE_CHECKING, Final, Protocol

from penstock.gateway.http.callers import Callers
from penstock.gateway.http.index_page import PAGE_HEADERS, index_page
from penstock.web.asgi import GoneError, RefusedError, Reply, Request, live
from penstock.web.guard import AccessGuard

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from penstock.gate.owners import Caller
    from penstock.gateway.http.intake import Intake
    from penstock.gateway.observe.request_record import Asgi
    from penstock.web.asgi import Receive, Scope, Send

TEXT: Final = (b"content-type", b"text/plain; charset=utf-8")
PAGE: Final = "/ui"
WATCH_SECONDS: Final = 0.05  # after which it is watched whether the client of a request is still there
READY_SECONDS: Final = 2.0  # that the outcome of a probe stands for

# The documents that clients of the protocol look for (RFC 8414, RFC 9728, OpenID Connect Discovery), below which the
# path of a resource may stand: plain segments only, since ".." or an escaped slash would name any path of the upstream.
_METADATA = re.compile(rb"/\.well-known/(?:oauth-[a-z-]+|openid-configuration)(?:/(?!\.\.?(?:/|$))[A-Za-z0-9._~-]+)*")


class Upstream(Protocol):
    """The upstream's end of the HTTP gateway. ``caller`` is the sender of the request."""

    async def post(self, request: Request, reply: Reply, body: bytes, caller: Caller) -> None: ...

    async def listen(self, request: Request, reply: Reply, caller: Caller) -> None: ...

    async def delete(self, request: Request, reply: Reply) -> None: ...

    async def well_known(self, request: Request, reply: Reply) -> None: ...

    async def is_ready(self) -> bool: ...

    async def close(self) -> None: ...


class App:
    """One upstream behind one path."""

    def __init__(
        self,
        upstream: Upstream,
        intake: Intake,
        *,
        guard: AccessGuard | None = None,
        path: str = "/mcp",
        callers: Callers | None = None,
        metrics: Callable[[], Awaitable[bytes]] | None = None,
        ended: Callable[[], None] = lambda: None,
        failed: Callable[[str, Exception], str],
        page: Asgi | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take the parts; ``failed`` makes the error for a request that could not be answered, by a mistake of ours."""
        self._upstream = upstream
        self._intake = intake
        self._guard = guard or AccessGuard()
        self._path = path
        self._callers = callers or Callers()
        self._metrics = metrics
        self._ended = ended
        self._failed = failed
        self._page = page
        self._now = now
        self._probing = asyncio.Lock()
        self._probed: tuple[float, bool] | None = None  # when, and with what outcome

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or see the server start and end."""
        if scope["type"] == "lifespan":
            await live(receive, send, self._end)
        elif self._page is not None and scope["type"] == "http" and _is_page(scope["path"]):
            await self._page(scope, receive, send)
        elif scope["type"] == "http":
            await self._answer(Request(scope, receive), Reply(send))

    async def _end(self) -> None:
        await self._upstream.close()
        self._ended()

    async def _answer(self, request: Request, reply: Reply) -> None:
        try:
            await self._routed(request, reply)
        except RefusedError as refused:
            if not reply.status:
                await reply.whole(refused.status, [TEXT, *refused.headers], f"penstock: {refused}\n".encode())
        except GoneError:
            return
        except Exception as error:
            words = self._failed(f"{request.method} {request.path[:100]}", error)
            if reply.status:  # half an answer is no answer: the connection is closed
                raise
            await reply.whole(500, [TEXT], f"penstock: {words}\n".encode())

    async def _routed(self, request: Request, reply: Reply) -> None:
        path = request.path
        if path == "/healthz":
            await reply.whole(200, [TEXT], b"ok\n")
        elif path == "/readyz":
            self._guard.check_host(request, by_address=True)
            is_ready = not self._intake.draining and await self._is_ready()
            await reply.whole(200 if is_ready else 503, [TEXT], b"ready\n" if is_ready else b"not ready\n")
        elif path == "/metrics":
            self._guard.check(request)
            await reply.whole(200, [TEXT], b"" if self._metrics is None else await self._metrics())
        elif path == "/" != self._path and request.method in ("GET", "HEAD"):
            self._guard.check_host(request, by_address=True)
            await reply.whole(200, PAGE_HEADERS, index_page(self._path))
        elif path == self._path:
            self._guard.check(request)
            await self._serve_protocol(request, reply)
        elif path.startswith("/.well-known/") and request.method == "GET":
            self._guard.check(request)
            if not _METADATA.fullmatch(request.raw_path):
                raise RefusedError(404, "below /.well-known/ only the metadata for OAuth and OpenID is relayed")
            with self._intake.admitted(self._callers.of(request).share.group):
                await self._upstream.well_known(request, reply)
        else:
            raise RefusedError(404, f"there is nothing at {path[:100]!r}; the protocol is spoken at {self._path}")

    async def _is_ready(self) -> bool:
        async with self._probing:
            if self._probed is None or self._now() - self._probed[0] >= READY_SECONDS:
                is_ready = await self._upstream.is_ready()
                self._probed = self._now(), is_ready
            return self._probed[1]

    async def _serve_protocol(self, request: Request, reply: Reply) -> None:
        caller = self._callers.of(request)
        group = caller.share.group
        if request.method == "POST":
            _check_content_type(request)
            self._intake.check_open()
            with self._intake.holding(group=group) as take:
                body = await request.body(self._intake.limits.body, take)
                with self._intake.admitted(group):  # only now: a body that never ends takes no place from others
                    async with _WhileThere(request):
                        await self._upstream.post(request, reply, body, caller)
        elif request.method == "GET":
            with self._intake.admitted(group, stream=True):
                await request.body(0)
                async with _WhileThere(request):
                    await self._upstream.listen(request, reply, caller)
        elif request.method == "DELETE":
            with self._intake.admitted(group):
                await request.body(0)
                await self._upstream.delete(request, reply)
        else:
            raise RefusedError(405, "POST, GET or DELETE", (b"allow", b"GET, POST, DELETE"))


def _is_page(path: str) -> bool:
    return path == PAGE or path.startswith(f"{PAGE}/")


def _check_content_type(request: Request) -> None:
    """Refuse what a web page can send without asking first: only ``application/json`` makes its browser ask."""
    kind = request.header(b"content-type").partition(b";")[0].strip().lower()
    if kind != b"application/json":
        raise RefusedError(415, "the content-type is not application/json; send messages with that one")


class _WhileThere:
    """Cancel what is done for a request once its client hangs up. The watch begins after a moment, since most requests
    are answered by then, and a task of its own would cost a tenth of such a request."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._watching: asyncio.Task[None] | None = None
        self._has_left = False

    async def __aenter__(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._timer = asyncio.get_running_loop().call_later(WATCH_SECONDS, self._watch)

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        self._timer.cancel()
        if self._watching is not None:
            self._watching.cancel()
        return self._has_left and not self._task.uncancel() and kind is asyncio.CancelledError

    def _watch(self) -> None:
        self._watching = asyncio.get_running_loop().create_task(self._await_end())

    async def _await_end(self) -> None:
        await self._request.gone()
        self._has_left = True
        self._task.cancel()
