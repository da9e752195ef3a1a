"""A message of the client on its way to an HTTP server: what waits for its answer, and the headers it needs.

In the modern era each request says in headers what stands in its body, so that whoever is on the way need not read
it: its version, its method, what it names, and those arguments that the tool's schema asks for (``x-mcp-header``).
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from msgspec import UNSET

from penstock.gateway.http.envelope import NAMED, declared
from penstock.protocol.exchange import TIMED
from penstock.protocol.pending import META
from penstock.protocol.wire import jsonrpc

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.protocol.commands import Waiting
    from penstock.protocol.exchange import Exchange
    from penstock.protocol.wire.jsonrpc import Message

TOKEN: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")  # what a header's name is made of

_PLAIN = re.compile(r"[\x20-\x7e]*")
_ENCODED = re.compile(r"=\?base64\?.*\?=")


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """One message, or a batch of them. ``asks`` are its requests; ``cancels`` is the id that it takes back."""

    line: bytes
    method: str = ""  # empty for an answer, and for what is no single message
    asks: tuple[Waiting, ...] = ()
    cancels: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()  # of the modern era

    @property
    def is_modern(self) -> bool:
        return bool(self.headers)

    @property
    def is_notification(self) -> bool:
        return bool(self.method) and not self.asks

    @property
    def ends(self) -> bool:
        """Whether an answer can be waited for: some requests stay open for as long as somebody listens."""
        return all(waiting.method in TIMED for waiting in self.asks)


def written(line: bytes, exchange: Exchange) -> Letter:
    """The letter for a line that the exchange wants sent."""
    message = jsonrpc.decode(line)
    if message is None:
        told = [one for one in map(jsonrpc.decode, jsonrpc.batch(line) or ()) if one is not None]
        return Letter(line=line, asks=tuple(_waiting(told, exchange)))
    if message.method is UNSET:
        return Letter(line=line)
    method = str(message.method)
    asks = tuple(_waiting([message], exchange))
    cancels = jsonrpc.key_at(message.params, "requestId") if method == "notifications/cancelled" else b""
    headers = tuple(_headers(asks[0], exchange)) if asks and asks[0].modern else ()
    return Letter(line=line, method=method, asks=asks, cancels=cancels, headers=headers)


def _waiting(messages: list[Message], exchange: Exchange) -> Iterator[Waiting]:
    for message in messages:
        if message.method is not UNSET and message.id is not UNSET:
            waiting = exchange.waiting.get(jsonrpc.key_of(message.id))
            if waiting is not None:
                yield waiting


def _headers(waiting: Waiting, exchange: Exchange) -> Iterator[tuple[str, str]]:
    told = jsonrpc.value(waiting.params)
    params = told if isinstance(told, dict) else {}
    version = jsonrpc.text_at(waiting.params, "_meta", f"{META}protocolVersion")
    yield "mcp-protocol-version", field_value(version)
    yield "mcp-method", field_value(waiting.method)
    name = params.get(NAMED.get(waiting.method, ""))
    if isinstance(name, str):
        yield "mcp-name", field_value(name)
    if waiting.method == "tools/call":
        for token, value in declared(exchange.known.schema(waiting.name), params.get("arguments")):
            text = _text(value)
            if text is not None and TOKEN.fullmatch(token):
                yield f"mcp-param-{token}", field_value(text)


def field_value(text: str) -> str:
    """A text as a header's value: itself, or encoded where a header could not carry it."""
    if _PLAIN.fullmatch(text) and text == text.strip() and not _ENCODED.fullmatch(text):
        return text
    return f"=?base64?{base64.b64encode(text.encode('utf-8', 'replace')).decode('ascii')}?="


def _text(value: object) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int) else None
