"""A request of the page, and the reply to it: JSON, and headers that keep a page safe."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl

import msgspec

from penstock.errors import CallerError
from penstock.web.asgi import JSON, NOT_KEPT, Reply, Request

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.web.asgi import Receive, Scope

MAX_BODY_BYTES: Final = 262_144  # The longest request, because a query is far shorter.
FAR: Final = 2**53  # no row, line or match has a larger number
MOST_ROWS: Final = 1_000  # rows, lines, parts or results of one window
# Nothing of the page may come from elsewhere, run inline, be framed, or be guessed to be of another type.
SAFE: Final = (
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


class PageRequest(Request):
    """A request whose ``path`` begins behind the place where the application is mounted."""

    def __init__(self, scope: Scope, receive: Receive, mount: str) -> None:
        super().__init__(scope, receive)
        self.path = self.path.removeprefix(mount)
        self.given = dict(parse_qsl(self.query.decode("latin-1"), keep_blank_values=True))

    def number(self, name: str, default: int, *, most: int) -> int:
        """Return a whole number of the query, from 0."""
        text = self.given.get(name, "")
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
        """Return True if a word of the query is switched on."""
        return self.given.get(name, "") in ("1", "true")


class PageReply(Reply):
    """A reply with the headers that keep a page safe."""

    async def begin(self, status: int, headers: Iterable[tuple[bytes, bytes]]) -> None:
        await super().begin(status, [*headers, *SAFE])

    async def json(self, value: Any, status: int = 200) -> None:
        """Answer with JSON, which no browser keeps."""
        await self.whole(status, [JSON, NOT_KEPT], encoded(value))


def encoded(value: Any) -> bytes:
    """Return a value as JSON, in signs that every browser takes."""
    try:
        return msgspec.json.encode(value)
    except (ValueError, OverflowError):  # half of a surrogate pair, or a number past 64 bits
        return json.dumps(msgspec.to_builtins(value)).encode()
