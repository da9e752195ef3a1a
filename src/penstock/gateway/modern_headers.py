"""Check the headers and marks of a modern-era request before it reaches a server that clients share.

A server takes the era of its connection from what it hears first: one request without the marks of this era would turn
it away from all clients of it. And what the headers say of a request must be true, as others decide by them.
"""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Any, Final

from penstock.core.act.argument_schema import HEADER_MARK
from penstock.protocol.state import META
from penstock.protocol.wire import jsonrpc

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.protocol.wire.jsonrpc import Message
    from penstock.web.asgi import Request

HEADER_MISMATCH: Final = -32_020  # of MCP
# Where the name stands that the header Mcp-Name repeats.
NAMED: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
# The status of an answer that is an error; others are answered with 200.
STATUS: Final = {
    **dict.fromkeys((-32_700, jsonrpc.INVALID_REQUEST, jsonrpc.INVALID_PARAMS, HEADER_MISMATCH, -32_021, -32_022), 400),
    jsonrpc.METHOD_NOT_FOUND: 404,
}

_ENCODED = re.compile(rb"=\?base64\?(.*)\?=")


def has_marks(message: Message) -> bool:
    """Return True if a message names a protocol version of the modern era."""
    return bool(jsonrpc.text_at(message.params, "_meta", f"{META}protocolVersion"))


def declared(schema: Any, arguments: Any) -> Iterator[tuple[str, Any]]:
    """Yield the arguments that the schema wants repeated in headers: the header's name and the value."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    for name, one in properties.items() if isinstance(properties, dict) else ():
        value = arguments.get(name) if isinstance(arguments, dict) else None
        if isinstance(one, dict) and isinstance(one.get(HEADER_MARK), str):
            yield one[HEADER_MARK], value
        yield from declared(one, value)


def fault(request: Request, message: Message, schema: dict[str, Any] | None) -> tuple[int, str] | None:
    """Return why a request cannot be handed on, as a code and words; None if it can. ``schema`` is that of the tool's
    input, where it is known."""
    if message.method == "initialize":
        return jsonrpc.METHOD_NOT_FOUND, "there is no initialize in this version of the protocol"
    params = jsonrpc.value(message.params)
    meta = params.get("_meta") if isinstance(params, dict) else None
    marks = meta if isinstance(meta, dict) else {}
    version, abilities = marks.get(f"{META}protocolVersion"), marks.get(f"{META}clientCapabilities")
    if not (isinstance(version, str) and isinstance(abilities, dict)):
        return jsonrpc.INVALID_PARAMS, f"params._meta needs {META}protocolVersion and {META}clientCapabilities"
    expected: dict[str, Any] = {"mcp-protocol-version": version, "mcp-method": message.method}
    if (named := params.get(NAMED.get(str(message.method), ""))) is not None:
        expected["mcp-name"] = named
    expected |= {f"mcp-param-{name.lower()}": value for name, value in declared(schema, params.get("arguments"))}
    for name, value in expected.items():
        sent = [_decoded(one.strip()) for key, one in request.headers if key == name.encode("latin-1", "replace")]
        if sent != ([] if value is None else [_written(value, sent)]):
            return HEADER_MISMATCH, f"the header {name} does not say what the request does"
    return None


def _written(value: Any, sent: list[bytes]) -> bytes:
    """Return a value as it stands in a header. A whole number may have been written with zeros behind its point."""
    if isinstance(value, bool):
        return b"true" if value else b"false"
    if isinstance(value, int | float):
        written = re.sub(r"\.0+$", "", str(value)).encode()
        return sent[0] if sent and re.sub(rb"\.0+$", b"", sent[0]) == written else written
    return str(value).encode("utf-8", "surrogatepass")


def _decoded(value: bytes) -> bytes:
    """Return a header's value; one that no header could have is written in base64."""
    encoded = _ENCODED.fullmatch(value)
    if encoded is None:
        return value
    try:
        decoded = base64.b64decode(encoded[1], validate=True)
    except ValueError:
        return value
    return decoded if base64.b64encode(decoded) == encoded[1] else value
