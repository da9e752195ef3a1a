"""The ASGI application of the page.

/                     the page, and the files that it is made of
/?token=...           the way in: a cookie is set, and the browser is sent on without the token
/login                the same for a token that is typed in
/api/...              JSON (``api``), with the cookie and our header
/api/events           a stream that says when something has changed
/download/TICKET      a file that was asked for below the API
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl

from penstock.errors import CallerError, PenstockError
from penstock.ui.request import MAX_BODY_BYTES, PageReply, PageRequest
from penstock.ui.static import page_file
from penstock.web.asgi import NOT_KEPT, STREAM, GoneError, RefusedError, live

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.ui.api import Api
    from penstock.ui.guard import PageGuard
    from penstock.web.asgi import Receive, Scope, Send

LOOKS: Final = 1.0  # seconds between two looks at the store for a page that listens
ALIVE: Final = 15.0  # seconds after which a stream says that it is alive
MAX_STREAMS: Final = 16  # pages that listen at once
OPEN_FILES: Final = ("login.html", "login.js", "style.css", "icon.svg")  # the way in; they tell nothing

_LOG = logging.getLogger("penstock.ui")


class UiApp:
    """The page over one store. ``make_api`` is called in a thread at the first request that needs it, because what it
    imports takes memory that a gateway without visitors does not need. ``mount`` is the path of the page. ``entered``
    is called when a token was used."""

    def __init__(
        self,
        make_api: Callable[[], Api],
        guard: PageGuard,
        *,
        mount: str = "",
        entered: Callable[[], None] = lambda: None,
    ) -> None:
        self._make_api = make_api
        self._guard = guard
        self._mount = mount
        self._entered = entered
        self._api: Api | None = None
        self._making = asyncio.Lock()
        self._listening: set[asyncio.Future[None]] = set()  # one for each stream, done when its page is left

    def end_streams(self) -> None:
        """End the streams that pages listen on, which would never end by themselves."""
        for one in list(self._listening):
            one.cancel()

    async def _ended(self) -> None:
        """See the server end. The caller that made this application closes it."""

    def close(self) -> None:
        """End what was made for the API."""
        if self._api is not None:
            self._api.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await live(receive, send, self._ended)
            return
        if scope["type"] != "http":
            return
        request, reply = PageRequest(scope, receive, self._mount), PageReply(send)
        try:
            await self._routed(request, reply, is_secure=scope.get("scheme") == "https")
        except RefusedError as error:
            await self._refused(reply, error.status, error.words, error.do)
        except GoneError:
            return
        except CallerError as error:
            await self._refused(reply, 400, error.what, error.do)
        except PenstockError as error:
            await self._refused(reply, 503, error.what, error.do)
        except Exception:  # noqa: BLE001  (a mistake of ours must not end the page)
            _LOG.exception("the page could not be answered")
            await self._refused(reply, 500, "a mistake in Penstock", "see the terminal that it runs in")

    async def _refused(self, reply: PageReply, status: int, what: str, do: str) -> None:
        if not reply.status:  # else half of an answer is out already
            await reply.json({"error": {"what": what, "do": do}}, status)

    async def _routed(self, request: PageRequest, reply: PageReply, *, is_secure: bool) -> None:
        self._guard.check_place(request)
        if request.path == "":  # the place where it is mounted, without the slash that its files are relative to
            await self._home(reply)
            return
        path = request.path
        if path == "/login" and request.method == "POST":
            fields = dict(parse_qsl((await request.body(MAX_BODY_BYTES)).decode("utf-8", "replace")))
            await self._enter(fields.get("token", ""), reply, is_secure=is_secure)
        elif path == "/" and "token" in request.given:
            if self._guard.is_known(request):
                await self._home(reply)
            else:
                await self._enter(request.given["token"], reply, is_secure=is_secure)
        elif path.removeprefix("/") in OPEN_FILES:
            await _file(path.removeprefix("/"), request, reply)
        elif not self._guard.is_known(request):
            if path == "/":
                await _file("login.html", request, reply, status=401)
                return
            raise RefusedError(401, "a token is needed", do="open the address that was printed, or log in")
        elif path.startswith("/api/"):
            self._guard.check_header(request)
            await self._call_api(request, reply)
        elif path.startswith("/download/") and request.method == "GET":
            await self._download(path.removeprefix("/download/"), reply)
        elif request.method in ("GET", "HEAD"):
            await _file("index.html" if path == "/" else path.removeprefix("/"), request, reply)
        else:
            raise RefusedError(405, "GET or HEAD")

    async def _enter(self, token: str, reply: PageReply, *, is_secure: bool) -> None:
        cookie = self._guard.enter(token, path=self._mount or "/", is_secure=is_secure)
        if cookie is None:
            file = page_file("login.html")
            body = b"" if file is None else file.plain
            await reply.whole(401, [(b"content-type", b"text/html; charset=utf-8"), NOT_KEPT], body)
            return
        await self._home(reply, (b"set-cookie", cookie))
        self._entered()

    async def _home(self, reply: PageReply, *headers: tuple[bytes, bytes]) -> None:
        """Send the browser to the page, so that no token stays in its address."""
        place = (b"location", f"{self._mount}/".encode())
        await reply.whole(303, [place, NOT_KEPT, *headers])

    async def _call_api(self, request: PageRequest, reply: PageReply) -> None:
        if request.path == "/api/events" and request.method == "GET":
            await self._events(request, reply)
            return
        body = await request.body(MAX_BODY_BYTES)
        api = await self._ready()
        await reply.json(await asyncio.to_thread(api.answer, request, body))

    async def _ready(self) -> Api:
        async with self._making:
            if self._api is None:
                self._api = await asyncio.to_thread(self._make_api)
            return self._api

    async def _events(self, request: PageRequest, reply: PageReply) -> None:
        """Say ``changed`` whenever the store has changed, until the page is left or the server ends."""
        if len(self._listening) >= MAX_STREAMS:
            raise RefusedError(503, f"{MAX_STREAMS} pages listen already", do="close some of them")
        await request.body(0)
        left = asyncio.ensure_future(request.gone())
        self._listening.add(left)
        try:
            await reply.begin(200, [STREAM, NOT_KEPT])
            await reply.bit(b": penstock\n\n")
            api = await self._ready()
            before, silent = await _pulse(api), 0.0
            while not left.done():
                await asyncio.wait((left,), timeout=LOOKS)
                now, silent = await _pulse(api), silent + LOOKS
                if now != before:
                    before, silent = now, 0.0
                    await reply.bit(b"event: changed\ndata: {}\n\n")
                elif silent >= ALIVE:
                    silent = 0.0
                    await reply.bit(b": alive\n\n")
            if left.cancelled():
                await reply.end()
        finally:
            self._listening.discard(left)
            left.cancel()

    async def _download(self, ticket: str, reply: PageReply) -> None:
        download = (await self._ready()).tickets.take(ticket)
        if download is None:
            raise RefusedError(404, "this link was used already", do="ask for the file again")
        pieces = await asyncio.to_thread(download.pieces)
        piece: Any = await asyncio.to_thread(next, pieces, None)
        await reply.begin(200, [*download.headers, NOT_KEPT])
        while piece is not None:
            await reply.bit(piece)
            piece = await asyncio.to_thread(next, pieces, None)
        await reply.end()


async def _pulse(api: Api) -> str:
    try:
        return await asyncio.to_thread(api.pulse)
    except PenstockError as error:  # the store is away: that is a change, and its return is another
        return str(error)


async def _file(name: str, request: PageRequest, reply: PageReply, *, status: int = 200) -> None:
    file = page_file(name)
    if file is None:
        raise RefusedError(404, f"there is nothing at /{name[:100]}")
    headers = [(b"content-type", file.kind), (b"cache-control", b"no-cache"), (b"etag", file.tag.encode())]
    if status == 200 and request.header(b"if-none-match") == file.tag.encode():
        await reply.whole(304, headers)
        return
    body = file.plain
    if b"gzip" in request.header(b"accept-encoding"):
        body = file.packed
        headers += [(b"content-encoding", b"gzip"), (b"vary", b"accept-encoding")]
    await reply.whole(status, headers, b"" if request.method == "HEAD" else body)
