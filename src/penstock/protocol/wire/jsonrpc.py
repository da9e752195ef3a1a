"""Read and write the envelope of JSON-RPC messages. Ids, parameters and results stay in their bytes.

TypeScript servers write the id last, so the first bytes of a message never decide what it is.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

import msgspec
from msgspec import UNSET, Raw, UnsetType

from penstock.core.json import mend, nesting, scan
from penstock.core.json.strings import quote_exactly

INTERNAL_ERROR: Final = -32_603  # of JSON-RPC itself; MCP keeps -32000 to -32099 for servers and its own use
INVALID_REQUEST: Final = -32_600
METHOD_NOT_FOUND: Final = -32_601
INVALID_PARAMS: Final = -32_602
RESOURCE_NOT_FOUND: Final = -32_002  # of MCP (Resources, Error Handling)

MODERN: Final = b'"io.modelcontextprotocol/protocolVersion"'  # each request of the stateless era names its version

MOST_DIGITS: Final = 4_000  # of a whole number; Python refuses more than 4,300

ENDS: Final = 65_536  # bytes at the beginning and the end of a line in which its id is looked for

_ID: Final = rb'"id"\s*:\s*(-?[0-9.eE+-]+|"(?:[^"\\]|\\.)*")'
_VERSION: Final = rb'"jsonrpc"\s*:\s*"2\.0"'


class Message(msgspec.Struct, gc=False):
    """A request (id and method), a notification (method) or a response (id, and result or error)."""

    id: Raw | UnsetType = UNSET
    method: str | UnsetType = UNSET
    params: Raw | UnsetType = UNSET
    result: Raw | UnsetType = UNSET
    error: Raw | UnsetType = UNSET


class _Named(msgspec.Struct, gc=False):
    name: str | UnsetType = UNSET


_MESSAGE = msgspec.json.Decoder(Message)
_BATCH = msgspec.json.Decoder(list[Raw])
_NAMED = msgspec.json.Decoder(_Named)
_ANY = msgspec.json.Decoder()


def decode(line: bytes | memoryview) -> Message | None:
    """Decode the envelope of a line; None for what is no JSON object, or is nested too deeply for any parser."""
    try:
        return _MESSAGE.decode(line)
    except RecursionError:
        return None
    except ValueError:
        return _odd_message(bytes(line))


def _odd_message(line: bytes) -> Message | None:
    """Decode what only a lenient parser takes, or whose method is no text. Each part keeps its bytes."""
    try:
        parts = dict(members(line))
    except ValueError:
        return None
    method = value(parts["method"]) if "method" in parts else None  # the other side judges one that is no text
    return Message(
        **{name: Raw(parts[name]) for name in ("id", "params", "result", "error") if name in parts},
        method=method if isinstance(method, str) else UNSET if method is None else "",
    )


def batch(line: bytes) -> list[bytes] | None:
    """Split a batch into its messages; None for a line that is no array."""
    if line.lstrip()[:1] != b"[":
        return None
    try:
        try:
            return [bytes(raw) for raw in _BATCH.decode(line)]
        except ValueError:
            strict = mend.mended(line)
            return [line[start:end] for start, end in mend.item_spans(strict, *scan.bounds(strict))]
    except (ValueError, RecursionError):
        return None


def value(raw: Raw | bytes | UnsetType) -> Any:
    """Decode a part to Python objects; None when it is absent or cannot be decoded."""
    if raw is UNSET:
        return None
    try:
        return _ANY.decode(raw)
    except RecursionError:
        return None
    except ValueError:
        return _parsed(bytes(raw))


def _parsed(data: bytes) -> Any:
    """Decode by the standard parser what msgspec refuses: JavaScript sends half an emoji as an escape, Python sends
    NaN, and .NET begins with a byte order mark."""
    try:
        return json.loads(data.decode("utf-8-sig", "surrogatepass"), parse_int=_int)
    except (ValueError, RecursionError):
        return None


def _int(digits: str) -> int | float:
    """Convert a whole number. One with more digits than Python converts becomes infinite, as in parsers of doubles."""
    return int(digits) if len(digits) <= MOST_DIGITS else float(digits)


def member(raw: Raw | bytes | UnsetType, *names: str) -> Any:
    """Return the value at nested ``names``; None where a name is missing."""
    inner = value(raw)
    for name in names:
        inner = inner.get(name) if isinstance(inner, dict) else None
    return inner


def text_at(raw: Raw | bytes | UnsetType, *names: str) -> str:
    """Return the text at nested ``names``; empty where there is none."""
    text = member(raw, *names)
    return text if isinstance(text, str) else ""


def name_in(params: bytes) -> str:
    """Return the tool's name in the parameters of a call; empty when there is none."""
    try:
        name = _NAMED.decode(params).name
    except (ValueError, RecursionError):
        return text_at(params, "name")
    return "" if name is UNSET else str(name)


def key_of(raw: Raw | bytes) -> bytes:
    """Return an id in the spelling by which ids are compared: peers may write the same id with other escapes, or 1.0
    for 1. Nearly all ids have that spelling already."""
    key = bytes(raw)
    if key.isdigit() or (key[:1] == b'"' and b"\\" not in key and key.isascii()):
        return key
    return _key(value(key)) or key


def key_at(raw: Raw | bytes | UnsetType, *names: str) -> bytes:
    """Return the id or the token at nested ``names``, spelled as by ``key_of``; empty where there is none."""
    return _key(member(raw, *names))


def _key(identifier: Any) -> bytes:
    if isinstance(identifier, float) and identifier.is_integer():
        identifier = int(identifier)
    return spelled(identifier) if isinstance(identifier, str | int) else b""


def spelled(data: Any) -> bytes:
    """Encode a value as JSON, always in the same spelling. Raise ``ValueError`` if it is nested too deeply."""
    try:
        return json.dumps(data, separators=(",", ":")).encode()
    except RecursionError:
        raise ValueError("nested too deeply") from None


def members(raw: bytes) -> list[tuple[str, bytes]]:
    """Split an object into its members, each in its own bytes. Raise ``ValueError`` for anything else."""
    try:
        try:
            return scan.members(raw)
        except ValueError:
            strict = mend.mended(raw)
            spans = scan.member_spans(strict, *scan.bounds(strict))
            return [(name, raw[start:end]) for name, _, start, end in spans]
    except (ValueError, RecursionError):
        raise ValueError("no JSON object") from None


def items(raw: bytes) -> list[bytes]:
    """Split an array into its items, each in its own bytes. Raise ``ValueError`` for anything else."""
    parts = batch(raw)
    if parts is None:
        raise ValueError("no JSON array")
    return parts


def id_in(head: bytes, tail: bytes) -> bytes | None:
    """Find the id of a message of which only the beginning and the end are known; None if it is in neither."""
    match = re.match(rb"\s*\{\s*(?:" + _VERSION + rb"\s*,\s*)?" + _ID, head)
    match = match or re.search(_ID + rb"\s*(?:,\s*" + _VERSION + rb"\s*)?\}\s*\Z", tail)
    return key_of(match[1]) if match else None


def id_of_unread(line: bytes | memoryview) -> bytes | None:
    """Find the id of an object that no parser takes; None if it has none, or if its end is missing."""
    tail = bytes(line[-ENDS:])
    return id_in(bytes(line[:ENDS]), tail) if tail.rstrip().endswith(b"}") else None


def is_too_deep(line: bytes) -> bool:
    """Return True if a line is nested too deeply for the parsers."""
    return nesting.depth(line) > scan.MAX_DEPTH


def result_of_deep(line: bytes) -> bytes | None:
    """Return the result of a response that is nested too deeply for the parsers: the object between the members that
    every response has. None for any other line."""
    others = rb"(?:" + _VERSION + rb"|" + _ID + rb")"
    head = re.match(rb"\s*\{\s*(?:" + others + rb'\s*,\s*)*"result"\s*:\s*(?=\{)', line[:ENDS])
    tail = re.search(rb"(?<=\})\s*(?:,\s*" + others + rb"\s*)*\}\s*\Z", line[-ENDS:])
    if head is None or tail is None or not is_too_deep(line):
        return None
    return line[head.end() : max(0, len(line) - ENDS) + tail.start()]


def first_member(head: bytes | memoryview) -> bytes:
    """Return the name of a message's first member but for its id and version: it tells requests and responses apart."""
    before = rb"(?:(?:" + _VERSION + rb"|" + _ID + rb")\s*,\s*)*"
    match = re.match(rb"\s*\{\s*" + before + rb'"(\w+)"', head)
    return match[2] if match else b""


def is_answer(head: bytes | memoryview) -> bool:
    """Return True if a message that begins with ``head`` is a response."""
    return first_member(head) in (b"result", b"error")


def replaced(line: bytes | memoryview, name: str, new: bytes) -> bytes | None:
    """Replace the value of one member, and keep every other byte. Of several members of that name the last one counts,
    as for every parser. Return None if there is no such member, or the line cannot be read."""
    try:
        try:
            spans = list(scan.member_spans(line, *scan.bounds(line)))
        except ValueError:
            strict = mend.mended(bytes(line))
            spans = list(scan.member_spans(strict, *scan.bounds(strict)))
    except (ValueError, RecursionError):
        return None
    for key, _, start, end in reversed(spans):
        if key == name:
            return b"".join((line[:start], new, line[end:]))
    return None


def bytes_at(raw: bytes, *names: str) -> bytes | None:
    """Return the bytes at nested ``names``; None where a name is missing."""
    for name in names:
        try:
            fields = dict(members(raw))
        except ValueError:
            return None
        if name not in fields:
            return None
        raw = fields[name]
    return raw


def put(raw: bytes, new: bytes, *names: str) -> bytes:
    """Replace the value at nested ``names``, and keep all other bytes. An object without these names stays as it is."""
    name, *further = names
    if further:
        inner = bytes_at(raw, name)
        if inner is None:
            return raw
        new = put(inner, new, *further)
    return replaced(raw, name, new) or raw


def one_line(message: bytes) -> bytes:
    """Put a message on one line. In JSON a line break stands between values only, where a blank means the same."""
    bare = message.strip()
    if b"\n" in bare or b"\r" in bare:
        bare = bare.replace(b"\n", b" ").replace(b"\r", b" ")
    return bare + b"\n"


def ended(line: bytes) -> bytes:
    """Return the line with a newline at its end."""
    return line if line.endswith(b"\n") else line + b"\n"


def answer(key: bytes, result: bytes, name: str = "result") -> bytes:
    """Write the response to a request, with its result; or its error, if that is the ``name``."""
    return b'{"jsonrpc":"2.0","id":' + key + b',"' + name.encode() + b'":' + result + b"}\n"


def failure(key: bytes, code: int, message: str) -> bytes:
    """Write the response that fails a request."""
    error = b'{"code":' + str(code).encode() + b',"message":' + quote_exactly(message) + b"}"
    return answer(key, error, "error")


def request(key: bytes, method: str, params: bytes) -> bytes:
    """Write a request."""
    return b'{"jsonrpc":"2.0","id":' + key + b',"method":' + quote_exactly(method) + b',"params":' + params + b"}\n"


def notification(method: str, params: bytes) -> bytes:
    """Write a notification."""
    return b'{"jsonrpc":"2.0","method":' + quote_exactly(method) + b',"params":' + params + b"}\n"


def cancelled(key: bytes, reason: str) -> bytes:
    """Write the notification that cancels a request."""
    params = b'{"requestId":' + key + b',"reason":' + quote_exactly(reason) + b"}"
    return notification("notifications/cancelled", params)
