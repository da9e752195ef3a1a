"""Stand in front of a server over HTTP: requests keep their bytes, and so does every response that fits.

Each request is a ``ProxiedRequest``. Each event of a stream is handled and flushed before the next; a JSON response is
handled whole. Only a message that carries a large result is written anew.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin, urlsplit

from penstock.gateway.http.own_calls import OwnCalls
from penstock.gateway.http.proxied_request import ProxiedRequest, as_batch
from penstock.gateway.http.proxy_sessions import ProxySessions
from penstock.gateway.sse import event
from penstock.gateway.upstreams.http_client import (
    BOTH,
    MOVED,
    STREAM,
    WRONG,
    ConnectError,
    HttpClient,
    what_broke,
    what_went_wrong,
    whole,
)
from penstock.web.asgi import JSON, NOT_KEPT, RefusedError, named_in_connection

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from penstock.gate.owners import Caller
    from penstock.gateway.carry_async import AsyncCarrier
    from penstock.gateway.upstreams.http_client import HttpResponse
    from penstock.protocol.commands import ToClient
    from penstock.web.asgi import Headers, Reply, Request

BRIEF_SECONDS: Final = 30.0  # for the end of a session and for metadata, which take a server no work
READY_SECONDS: Final = 5.0  # those who ask for /readyz wait about as long themselves
METADATA: Final = 1_048_576  # bytes of an answer that is no protocol
PAGE: Final = 2_000  # bytes of words that go on as they came: some clients show all of it to the model
HOP: Final = frozenset(
    (
        *(b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"te", b"trailer"),
        *(b"transfer-encoding", b"upgrade", b"host", b"content-length", b"accept-encoding", b"expect"),
    )
)
NOT_RELAYED: Final = HOP | {b"content-encoding"}  # a body that was compressed is so no more
PLAIN: Final = (b"accept-encoding", b"identity")
PUBLIC: Final = [(b"accept", BOTH.encode()), PLAIN]  # and no credential
OF_BODY: Final = (b"content-type", b"cache-control", b"etag", b"last-modified", b"digest", b"content-digest")
GREETED: Final = b'"notifications/initialized"'
SHORT: Final = 4_096  # bytes of a message that may be that one


class ReverseProxy:
    """One HTTP upstream. ``close`` when it is no longer needed."""

    def __init__(self, url: str, carrier: AsyncCarrier, *, strips_authorization: bool = False) -> None:
        """Take the upstream. With ``strips_authorization`` the header of clients is meant for this gateway alone."""
        self._http = HttpClient(url)
        self._carrier = carrier
        self._left_out = HOP | ({b"authorization"} if strips_authorization else set())
        self.sessions = ProxySessions()
        self._telling: set[asyncio.Task[None]] = set()
        self._is_reached = True  # as far as is known

    async def post(self, request: Request, reply: Reply, body: bytes, caller: Caller) -> None:
        """Handle a POST: send the message on, and relay the response or stream."""
        proxied = ProxiedRequest(self._carrier, self.sessions, request, self._carrier.owners.over_http(caller))
        local, forwarded = await proxied.split(body)
        if proxied.has_own_calls:
            local = await self._own_calls(request, reply, proxied, local)
            if reply.status:
                return
        if not forwarded:
            await reply.whole(*_answered(proxied, local))
            return
        data = body if forwarded[0] is body else b"".join(forwarded)
        if request.session:
            await proxied.session.streams.are_open()
        proxied.begin()
        try:
            async with await self._answer(request, data, patience=proxied.exchange.seconds_left()) as answer:
                if len(data) <= SHORT and GREETED in data:
                    proxied.session.streams.greeted()
                await self._relay(answer, reply, proxied, local)
        except WRONG as error:
            if isinstance(error, TimeoutError):
                self._begin(request, proxied.cancellations())
            await self._broken(reply, proxied, local, error)
        finally:
            proxied.end()

    async def _own_calls(
        self, request: Request, reply: Reply, proxied: ProxiedRequest, local: Sequence[ToClient]
    ) -> list[ToClient]:
        """Make the calls that a request of our own tool needs, and return its response, unless it was streamed."""

        async def open_response(line: bytes, more: Sequence[tuple[str, str]]) -> HttpResponse:
            own = [(name.lower().encode(), value.encode("latin-1")) for name, value in more]
            names = {name for name, _ in own}
            kept = [
                (name, value)
                for name, value in self._headers(request)
                if name not in names and not (own and name.startswith(b"mcp-param-"))
            ]
            return await self._answer(request, line, headers=[*kept, *own], patience=proxied.exchange.seconds_left())

        calls = OwnCalls(request, reply, proxied, open_response)
        proxied.begin()
        try:
            responses = await calls.made(local)
        finally:
            proxied.end()
        if reply.status:
            await calls.end(responses)
        return responses

    async def listen(self, request: Request, reply: Reply, caller: Caller) -> None:
        """Handle a GET: relay the stream of unsolicited messages, and of responses whose own stream has ended."""
        owner = self._carrier.owners.over_http(caller)
        proxied = ProxiedRequest(self._carrier, self.sessions, request, owner, listens=True)
        proxied.begin()
        try:
            with proxied.session.streams.opening() as opened:
                async with await self._answer(request) as answer:
                    opened()
                    await self._relay(answer, reply, proxied, [])
        except WRONG as error:
            if not reply.status:
                raise RefusedError(502, f"the upstream {what_went_wrong(error)}") from None
            await reply.end()  # the client asks again, and says after which event
        finally:
            proxied.end()

    async def delete(self, request: Request, reply: Reply) -> None:
        """Handle a DELETE: end a session."""
        if await self._brief(request, reply) in (200, 202, 204, 404):
            self.sessions.end(request.session)

    async def well_known(self, request: Request, reply: Reply) -> None:
        """Relay the metadata by which clients find out where to authorize themselves. It is public (RFC 9728, section
        3), so neither the gateway's login nor the client's credentials go there."""
        query = request.query.decode("latin-1")
        there = urljoin(self._http.url, request.path + (f"?{query}" if query else ""))
        await self._brief(request, reply, there, PUBLIC)

    async def is_ready(self) -> bool:
        """Return True if the upstream answers at all: a refusal counts, so the request carries no login."""
        try:
            async with asyncio.timeout(READY_SECONDS):
                async with await self._open("GET", PUBLIC):
                    return True
        except WRONG:
            return False

    async def close(self) -> None:
        """Let go of the connections."""
        for task in self._telling:
            task.cancel()
        await self._http.close()

    async def _answer(
        self,
        request: Request,
        data: bytes | None = None,
        *,
        url: str = "",
        headers: Headers | None = None,
        patience: float | None = None,
    ) -> HttpResponse:
        """Open the upstream's response. ``headers`` stand in for those of the request."""
        headers = self._headers(request) if headers is None else headers
        answer = await self._open(request.method, headers, data, url=url, patience=patience)
        if answer.status in MOVED:
            answer.close()
            there = answer.header(b"location")[:200]
            raise RefusedError(502, f"the upstream sends its clients to {there!r}; name that with --url")
        return answer

    async def _open(self, method: str, headers: Headers, data: bytes | None = None, **how: Any) -> HttpResponse:
        """Open a response, and log when the upstream can no longer be reached."""
        try:
            answer = await self._http.open(method, headers, data, **how)
        except ConnectError as error:
            if self._is_reached:
                place = urlsplit(self._http.url)
                words = f"{place.scheme}://{place.netloc}{place.path} {what_broke(error)}"
                self._carrier.log.note("error", words)
            self._is_reached = False
            raise
        self._is_reached = True
        return answer

    def _begin(self, request: Request, lines: Sequence[bytes]) -> None:
        """Send lines to the upstream beside the reply, which does not wait for them."""
        for line in lines:
            task = asyncio.create_task(self._tell(request, line))
            self._telling.add(task)
            task.add_done_callback(self._telling.discard)

    async def _tell(self, request: Request, line: bytes) -> None:
        try:
            async with asyncio.timeout(BRIEF_SECONDS), await self._answer(request, line):
                return
        except (*WRONG, RefusedError):
            return  # it was told, as well as it can be

    async def _brief(self, request: Request, reply: Reply, url: str = "", headers: Headers | None = None) -> int:
        try:
            async with asyncio.timeout(BRIEF_SECONDS), await self._answer(request, url=url, headers=headers) as answer:
                body = await whole(answer, METADATA)
                if body is None:
                    raise RefusedError(502, f"the upstream sent more than {METADATA:,} bytes")
        except WRONG as error:
            raise RefusedError(502, f"the upstream {what_went_wrong(error)}") from None
        await reply.whole(answer.status, _relayed(answer), body)
        return answer.status

    def _headers(self, request: Request) -> Headers:
        left_out = self._left_out | named_in_connection(request.headers)
        headers = [(name, value) for name, value in request.headers if name not in left_out]
        if self._http.login and not any(name == b"authorization" for name, _ in headers):
            headers.append((b"authorization", self._http.login.encode()))
        return [*headers, PLAIN]

    async def _relay(
        self, answer: HttpResponse, reply: Reply, proxied: ProxiedRequest, local: Sequence[ToClient]
    ) -> None:
        if name := answer.header(b"mcp-session-id"):
            proxied.move_to(name)
        if answer.content_type == STREAM:
            await self._stream(answer, reply, proxied, local)
            return
        body, messages = await proxied.read(answer)
        lines = messages or await self._no_message(answer, proxied, body)
        is_same = len(lines) == 1 and lines[0].line == body
        if body is None and not lines:
            raise RefusedError(502, f"the upstream {self._what(answer, body)}")
        if body is None or (local and (lines or answer.status < 300)) or not (is_same or not lines):
            await reply.whole(*_answered(proxied, [*local, *lines], answer.status, _relayed(answer)))
        else:
            await reply.whole(answer.status, _relayed(answer), body)

    async def _stream(
        self, answer: HttpResponse, reply: Reply, proxied: ProxiedRequest, local: Sequence[ToClient]
    ) -> None:
        await reply.begin(answer.status, _relayed(answer))
        for message in local:
            await reply.bit(event(message.line))
        async for data in proxied.events(answer):
            await reply.bit(data)
        if not proxied.can_go_on:
            for message in await proxied.fail_open("ended its stream without an answer"):
                await reply.bit(event(message.line))
        await reply.end()

    async def _no_message(self, answer: HttpResponse, proxied: ProxiedRequest, body: bytes | None) -> list[ToClient]:
        """Build error responses when the upstream sent something other than JSON-RPC. A short refusal, or an empty
        one, is relayed in its own bytes."""
        if body is not None and (not body or (answer.status >= 300 and len(body) <= PAGE)):
            return []
        return await proxied.fail_open(self._what(answer, body))

    def _what(self, answer: HttpResponse, body: bytes | None) -> str:
        if body is None:
            limit = self._carrier.rules.config.max_result_bytes
            return f"sent more than the {limit:,} bytes that max_result_bytes allows; narrow the call, or raise it"
        return f"answered {answer.status} with {len(body):,} bytes of {answer.content_type}, which are no message"

    async def _broken(self, reply: Reply, proxied: ProxiedRequest, local: Sequence[ToClient], error: Exception) -> None:
        """Fail the open requests, with what happened. A stream that can be resumed is left to the client."""
        how = what_went_wrong(error)
        if reply.status and proxied.can_go_on and not isinstance(error, TimeoutError):
            words = []
        else:
            words = await proxied.fail_open(how)
        if reply.status:
            for message in words:
                await reply.bit(event(message.line))
            await reply.end()
        elif words or local:
            await reply.whole(*_answered(proxied, [*local, *words]))
        else:
            raise RefusedError(502, f"the upstream {how}")


def _answered(
    proxied: ProxiedRequest,
    messages: Sequence[ToClient],
    status: int = 200,
    headers: Iterable[tuple[bytes, bytes]] = (),
) -> tuple[int, Headers, bytes]:
    """Return messages as one reply: a message, or an array of them; 202 without a body when there is none."""
    kept = [(name, value) for name, value in headers if name not in OF_BODY]
    if not messages:
        return 202, kept, b""
    lines = [message.line for message in messages]
    body = as_batch(lines) if proxied.is_batch or len(lines) > 1 else lines[0].rstrip(b"\n")
    return (
        (status if status >= 300 and all(message.code for message in messages) else 200),
        [*kept, JSON, NOT_KEPT],
        body,
    )


def _relayed(answer: HttpResponse) -> Headers:
    left_out = NOT_RELAYED | named_in_connection(answer.headers)
    return [(name, value) for name, value in answer.headers if name not in left_out]
