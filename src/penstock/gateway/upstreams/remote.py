"""A streamable-HTTP server, as its client sees it: messages are posted, and each line of its responses is handed on.

Whatever goes wrong is a ``TroubleError`` with words that go on after the server's name.
"""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from msgspec import UNSET, Raw, UnsetType

from penstock import __version__
from penstock.gateway.sse import MESSAGE, Events
from penstock.gateway.upstreams import http_client
from penstock.gateway.upstreams.http_client import BROKEN, STREAM, HttpClient, what_broke
from penstock.protocol.wire import jsonrpc
from penstock.protocol.wire.jsonrpc import Message
from penstock.protocol.wire.lines import Arriving, TooLong

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from penstock.gateway.upstreams.http_client import HttpResponse
    from penstock.gateway.upstreams.outgoing import OutgoingMessage
    from penstock.protocol.wire.lines import Grew
    from penstock.spool import Spool

    Receive = Callable[..., Awaitable[None]]  # of a line, and its envelope where that was read already
    Headers = dict[str, str]

PAUSE: Final = 1.0  # seconds before a stream is resumed, where the server names none
SHORTEST_PAUSE: Final = 0.02  # a server that asks for none would be asked without end
LONGEST_PAUSE: Final = 30.0
RESUMES: Final = 4  # attempts in a row to resume the stream of an open request
READ: Final = 65_536  # bytes of a refusal that are read
QUOTE: Final = 200  # characters of a refusal in an error
CHALLENGE: Final = 400  # characters of a WWW-Authenticate, which names where to go for a token
SESSION: Final = "mcp-session-id"

_FIELD = re.compile(rb"(?:\A|[\r\n])(id|retry|event):? ?([^\r\n]*)")


class RemoteError(Exception):
    """A server did not answer as the protocol has it; the words follow its name."""


@dataclass(slots=True, kw_only=True)
class StreamPosition:
    """The position up to which a stream was read, and the pause before it is resumed."""

    last_id: str = ""
    pause: float = PAUSE

    def note(self, event: bytes) -> bool:
        """Note an event's id and pause. Returns whether its data is a message."""
        is_message = True
        for name, value in _FIELD.findall(event):
            if name == b"id":
                self.last_id = value.decode("latin-1")
            elif name == b"event":
                is_message = value in MESSAGE
            elif value.isdigit():
                self.pause = min(max(int(value) / 1_000, SHORTEST_PAUSE), LONGEST_PAUSE)
        return is_message

    def after(self, failures: int) -> float:
        return min(self.pause * 2.0 ** min(failures, 10), LONGEST_PAUSE)


class Remote:
    """One server and, in the legacy era, our session with it. ``limit`` bounds the bytes of one message; ``note`` hears
    of messages that are lost outside of a request. A message that arrives is gathered in a ``new_spool``. ``grew``
    hears how a long one grows, and between two parts of it this waits for ``settle``."""

    def __init__(
        self,
        url: str,
        headers: Sequence[tuple[str, str]],
        *,
        limit: Callable[[], int],
        note: Callable[[str], None],
        new_spool: Callable[[], Spool],
        grew: Grew,
        settle: Callable[[], Awaitable[None]],
    ) -> None:
        self._http = HttpClient(url)
        self._new_spool = new_spool
        self._grew = grew
        self._settle = settle
        self._url = self._http.url  # or where the server has sent us since
        self._note = note
        self._fixed_headers = {"user-agent": f"penstock/{__version__}"}
        self._fixed_headers |= {"authorization": self._http.login} if self._http.login else {}
        self._fixed_headers |= {name.lower(): value for name, value in headers}
        self._limit = limit
        self._session = ""
        self.version = ""  # agreed upon in the legacy era

    async def post(self, message: OutgoingMessage, receive: Receive, is_over: Callable[[], bool]) -> None:
        """Send a message, and hand on the lines of the response until it ``is_over``."""
        if message.method == "initialize":
            self._session = self.version = ""
        headers = self._headers(message)
        place = StreamPosition()
        try:
            of_body = {"content-type": "application/json"}
            async with await self._open("POST", headers | of_body, message.line) as answer:
                if message.method == "initialize":
                    self._session = answer.header(SESSION.encode())
                await self._answered(message, answer, place, receive, is_over)
        except BROKEN as error:
            if not place.last_id:
                raise RemoteError(what_broke(error)) from None
        if place.last_id and message.asks:
            await self._resume(headers, place, receive, is_over)

    async def listen(self, receive: Receive, opened: Callable[[], None]) -> None:
        """Hand on what the server says unasked, for as long as it does. It is told when the server has first
        answered, whatever the answer is."""
        place, failures = StreamPosition(), 0
        while True:
            headers = {**self._headers(), "accept": STREAM, **_from(place)}
            try:
                async with await self._open("GET", headers) as answer:
                    opened()
                    if answer.status < 500 and not _is_open_stream(answer):
                        return  # it has no such stream, or none any more
                    if _is_open_stream(answer):
                        failures = -1
                        await self._read(answer, place, receive, lambda: False)
            except RemoteError as trouble:
                self._note(str(trouble))
            except BROKEN:
                pass  # it is asked again below
            opened()
            failures += 1
            await asyncio.sleep(place.after(failures))

    async def leave(self, patience: float) -> None:
        """End the session, if there is one, and let go of all connections."""
        with suppress(RemoteError, *BROKEN):
            if self._session:
                async with asyncio.timeout(patience), await self._open("DELETE", self._headers()):
                    pass
        await self._http.close()

    def _headers(self, message: OutgoingMessage | None = None) -> Headers:
        headers = {**self._fixed_headers, "accept": http_client.BOTH, "accept-encoding": "identity"}
        if message is not None and message.is_modern:
            return {**headers, **dict(message.headers)}
        if self._session:
            headers[SESSION] = self._session
        if self.version:
            headers["mcp-protocol-version"] = self.version
        return headers

    async def _open(self, method: str, headers: Headers, data: bytes | None = None) -> HttpResponse:
        raw = [(name.encode(), value.encode()) for name, value in headers.items()]
        answer = await self._http.open(method, raw, data, url=self._url)
        self._url = answer.url
        return answer

    async def _answered(
        self,
        message: OutgoingMessage,
        answer: HttpResponse,
        place: StreamPosition,
        receive: Receive,
        is_over: Callable[[], bool],
    ) -> None:
        if answer.status >= 300:
            await self._refused(message, answer, receive)
        elif not message.asks:
            return  # it was taken, and there is nothing to say to it
        elif _is_open_stream(answer):
            await self._read(answer, place, receive, is_over)
        elif answer.content_type.endswith("json"):
            await self._read_body(answer, message, receive)
        elif answer.status == 200:
            raise RemoteError(f"answered with {answer.content_type[:QUOTE]}, which is no message; check its URL")
        else:
            raise RemoteError(f"took the request (HTTP {answer.status}) and gave no answer")

    async def _read_body(self, answer: HttpResponse, message: OutgoingMessage, receive: Receive) -> None:
        """Hand on the one message of a body, on one line."""
        arriving = Arriving(self._limit, self._new_spool, self._grew)
        while arriving.size <= self._limit() and (chunk := await http_client.next_chunk(answer, lambda: None)):
            arriving.add(chunk)
            await self._settle()
        body = arriving.done()
        if isinstance(body, TooLong):
            raise RemoteError(body.failure or _too_large(self._limit()))
        await receive(*_addressed(body, message))

    async def _refused(self, message: OutgoingMessage, answer: HttpResponse, receive: Receive) -> None:
        """Hand on an error of the protocol, or raise what else it may be in words."""
        status = answer.status
        if status == 401:
            challenge = answer.header(b"www-authenticate")[:CHALLENGE] or "nothing more"
            raise RemoteError(
                f"asks for authorization (HTTP 401; WWW-Authenticate: {challenge}); "
                "give a header: penstock run --header 'Authorization: Bearer TOKEN'"
            )
        if status == 404 and self._session and not message.is_modern:
            raise RemoteError("has ended the session (HTTP 404); reconnect to it to begin a new one")
        if http_client.moved_to(answer) is not None:
            raise RemoteError("redirects without end; check its URL")
        if status < 400:
            place = answer.header(b"location")[:QUOTE] or "nowhere"
            raise RemoteError(f"has moved to {place} (HTTP {status}); give that URL if it is the server you mean")
        head = (await answer.read())[:READ]
        if message.asks and answer.content_type.endswith("json"):
            line, response = _addressed(head, message)
            if response is not UNSET and _error(response):
                await receive(line, response)
                return
        text = " ".join(head.decode("utf-8", "replace").split())[:QUOTE] if answer.content_type != "text/html" else ""
        raise RemoteError(f"answered with HTTP {status}" + (f": {text}" if text else ""))

    async def _read(
        self, answer: HttpResponse, place: StreamPosition, receive: Receive, is_over: Callable[[], bool]
    ) -> None:
        """Hand on the messages of a stream."""
        events = Events(self._limit, new_spool=self._new_spool, grew=self._grew)
        while chunk := await http_client.next_chunk(answer, lambda: None):
            for event in events.feed(chunk):
                if isinstance(event, TooLong):
                    place.last_id = ""  # it would be no shorter the next time
                    raise RemoteError(event.failure or _too_large(self._limit()))
                if place.note(event.raw) and (data := event.data):
                    await receive(data if isinstance(data, memoryview) else jsonrpc.one_line(data))
                if is_over():
                    return
            await self._settle()

    async def _resume(
        self, headers: Headers, place: StreamPosition, receive: Receive, is_over: Callable[[], bool]
    ) -> None:
        """Resume a stream that ended before the response came."""
        failures = 0
        while not is_over():
            await asyncio.sleep(place.after(failures))
            try:
                async with await self._open("GET", {**headers, "accept": STREAM, **_from(place)}) as answer:
                    if not _is_open_stream(answer):
                        words = f"closed its stream before the response, and does not resume it (HTTP {answer.status})"
                        raise RemoteError(f"{words}; repeat the call")
                    failures = -1
                    await self._read(answer, place, receive, is_over)
            except BROKEN as error:
                if failures >= RESUMES:
                    raise RemoteError(f"closed its stream before the response, and then {what_broke(error)}") from None
            failures += 1


def _is_open_stream(answer: HttpResponse) -> bool:
    return answer.status == 200 and answer.content_type == STREAM


def _from(place: StreamPosition) -> Headers:
    return {"last-event-id": place.last_id} if place.last_id else {}


def _addressed(
    body: bytes | memoryview, sent: OutgoingMessage
) -> tuple[bytes | memoryview, Message | UnsetType | None]:
    """Return a whole answer as a line, and its envelope unless it is long. An error in answer to one request is that
    request's, also where the server could not tell its id."""
    if isinstance(body, memoryview):
        return body, UNSET
    if len(body) > READ:
        return jsonrpc.one_line(body), UNSET
    message = jsonrpc.decode(body)
    if len(sent.asks) == 1 and message is not None and (error := _error(message)):
        key = sent.asks[0].key
        if message.id is UNSET or jsonrpc.key_of(message.id) != key:
            return jsonrpc.answer(key, error, "error"), Message(id=Raw(key), error=Raw(error))
    return jsonrpc.one_line(body), message


def _error(message: Message | None) -> bytes:
    """Return the error of a message; empty for what is none of the protocol's."""
    error = b"" if message is None or message.error is UNSET else bytes(message.error)
    return error if error[:1] == b"{" else b""


def _too_large(limit: int) -> str:
    return f"sent a message of more than {limit:,} bytes, more than max_result_bytes allows; narrow the call"
