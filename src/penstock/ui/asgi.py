"""One HTTP request, and the reply to it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl

import msgspec

from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Headers = tuple[tuple[bytes, bytes], ...]

MOST_BODY: Final = 262_144  # bytes of a request: a query is far shorter
FAR: Final = 2**53  # no row, line or match has a larger number
MOST_ROWS: Final = 1_000  # rows, lines, parts or results of one window
JSON: Final = (b"content-type", b"application/json")
# Nothing of the page may come from elsewhere, run inline, be framed, or be guessed to be of another type.
SAFE: Final[Headers] = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        b"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)


class PageError(Exception):
    """A request that is not answered, with the status that says why."""

    def __init__(self, status: int, what: str, do: str = "") -> None:
        super().__init__(what)
        self.status = status
        self.what = what
        self.do = do


class PageRequest:
    """A request as ASGI hands it over. ``path`` begins behind the place where the application is mounted."""

    def __init__(self, scope: Scope, receive: Receive, mount: str) -> None:
        self.method: str = scope["method"]
        self.path: str = scope["path"].removeprefix(mount)
        self.query: Mapping[str, str] = dict(
            parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
        )
        self._headers = [(bytes(name).lower(), bytes(value)) for name, value in scope["headers"]]
        self._receive = receive

    def all(self, name: bytes) -> list[str]:
        """Return all values of a header."""
        return [value.decode("latin-1") for key, value in self._headers if key == name]

    def header(self, name: bytes) -> str:
        """Return the one value of a header, or an empty text."""
        return next(iter(self.all(name)), "")

    async def body(self) -> bytes:
        """Read the body. Raises for one that is longer than any query."""
        parts = bytearray()
        while True:
            message = await self._receive()
            parts += message.get("body", b"")
            if len(parts) > MOST_BODY:
                raise PageError(413, f"the request has more than {MOST_BODY:,} bytes", "send a shorter query")
            if message["type"] == "http.disconnect" or not message.get("more_body"):
                return bytes(parts)

    async def gone(self) -> None:
        """Wait until the client has hung up. Its body must have been read."""
        while (await self._receive())["type"] != "http.disconnect":
            pass

    def number(self, name: str, default: int, *, most: int) -> int:
        """Return a whole number of the query, from 0."""
        text = self.query.get(name, "")
        if not text:
            return default
        if not (text.isascii() and text.isdigit() and len(text) < 16 and int(text) <= most):
            raise CallerError(f"{name} is {text[:40]!r}", do=f"expected a whole number from 0 to {most:,}")
        return int(text)

    @property
    def window(self) -> tuple[int, int]:
        """Return where a window begins, from 0, and how many it has at most."""
        return self.number("start", 0, most=FAR), self.number("count", 100, most=MOST_ROWS)

    def truth(self, name: str) -> bool:
        """Return whether a word of the query is switched on."""
        return self.query.get(name, "") in ("1", "true")


class PageReply:
    """The answer to a request: whole, or bit by bit. Every answer has the headers that keep a page safe."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0

    async def whole(self, status: int, body: bytes = b"", headers: Iterable[tuple[bytes, bytes]] = ()) -> None:
        """Answer at once."""
        await self.begin(status, [*headers, (b"content-length", b"%d" % len(body))])
        await self._send({"type": "http.response.body", "body": body})

    async def json(self, value: Any, status: int = 200) -> None:
        """Answer with JSON, which no browser keeps."""
        await self.whole(status, encoded(value), [JSON, (b"cache-control", b"no-store")])

    async def begin(self, status: int, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """Begin an answer that has no length yet."""
        self.status = status
        await self._send({"type": "http.response.start", "status": status, "headers": [*headers, *SAFE]})

    async def bit(self, data: bytes) -> None:
        """Send some more of the answer."""
        await self._send({"type": "http.response.body", "body": data, "more_body": True})

    async def end(self) -> None:
        """End the answer."""
        await self._send({"type": "http.response.body", "body": b""})


def encoded(value: Any) -> bytes:
    """Return a value as JSON, in signs that every browser takes."""
    try:
        return msgspec.json.encode(value)
    except (ValueError, OverflowError):  # half of a surrogate pair, or a number past 64 bits
        import json  # noqa: PLC0415

        return json.dumps(msgspec.to_builtins(value)).encode()
