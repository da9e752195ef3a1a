"""A message of the client on its way to an HTTP server: what waits for its answer, and the headers it needs.

In the modern era each request says in headers what stands in its body, so that no proxy on the way needs to read it:
its version, its method, what it names, and those arguments that the tool's schema asks for (``x-mcp-header``).
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.gateway.modern_headers import NAMED, declared
from penstock.protocol.state import META, TIMED
from penstock.protocol.wire import jsonrpc

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.protocol.commands import OpenRequest, ToUpstream
    from penstock.protocol.exchange import Exchange

TOKEN: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")  # what a header's name is made of

_PLAIN = re.compile(r"[\x20-\x7e]*")
_ENCODED = re.compile(r"=\?base64\?.*\?=")


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingMessage:
    """One message, or a batch of them. ``asks`` are its requests; ``cancels`` is the id that it takes back."""

    line: bytes
    method: str = ""  # empty for an answer, and for what is no single message
    asks: tuple[OpenRequest, ...] = ()
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
        """Return True if a response will come: some requests stay open for as long as the client listens."""
        return all(request.method in TIMED for request in self.asks)


def written(command: ToUpstream, exchange: Exchange) -> OutgoingMessage:
    """Return the message for a line that the exchange sends, with its headers."""
    asks = command.requests
    headers = tuple(_headers(asks[0], exchange)) if command.method and asks and asks[0].modern else ()
    return OutgoingMessage(
        line=command.line, method=command.method, asks=asks, cancels=command.cancels, headers=headers
    )


def _headers(request: OpenRequest, exchange: Exchange) -> Iterator[tuple[str, str]]:
    value_of_params = jsonrpc.value(request.params)
    params = value_of_params if isinstance(value_of_params, dict) else {}
    version = jsonrpc.text_at(request.params, "_meta", f"{META}protocolVersion")
    yield "mcp-protocol-version", field_value(version)
    yield "mcp-method", field_value(request.method)
    name = params.get(NAMED.get(request.method, ""))
    if isinstance(name, str):
        yield "mcp-name", field_value(name)
    if request.method == "tools/call":
        for token, value in declared(exchange.schema_of(request.name), params.get("arguments")):
            text = _text(value)
            if text is not None and TOKEN.fullmatch(token):
                yield f"mcp-param-{token}", field_value(text)


def field_value(text: str) -> str:
    """Return a text as a header's value: itself, or in base64 where a header could not carry it."""
    if _PLAIN.fullmatch(text) and text == text.strip() and not _ENCODED.fullmatch(text):
        return text
    return f"=?base64?{base64.b64encode(text.encode('utf-8', 'replace')).decode('ascii')}?="


def _text(value: object) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int) else None
