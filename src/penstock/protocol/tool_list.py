"""Change ``tools/list`` and capabilities for the client: add our tools, and let output schemas allow a stand-in.

The list never varies: our tools stand at the end of its last page, whether anything is held or not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.act.question import ARGUMENT, PROPERTY
from penstock.core.answer.stand_in import joined
from penstock.core.json.strings import quote_exactly
from penstock.protocol.brief_tools import brief
from penstock.protocol.wire import jsonrpc

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

WRAPPED: Final = "#/anyOf/0"  # where a wrapped schema lies in its wrapping
HOISTED: Final = ("$schema", "$id", "$defs", "definitions")  # members that count at the root only
AT_ROOT: Final = ("#/$defs/", "#/%24defs/", "#/definitions/")

SERVERS: Final = "penstock/servers"  # in a list of combined servers' tools: the server of each tool

STAND_IN: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "type": {"const": "buffered_response"},
        "cache_id": {"type": "string"},
        "message": {"type": "string"},
        "preview": {"type": "string"},
    },
    "required": ["type", "message"],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One page of the upstream's tools."""

    members: tuple[tuple[str, bytes], ...]
    tools: tuple[tuple[tuple[str, bytes], ...], ...]

    @property
    def names(self) -> frozenset[str]:
        return frozenset(name for tool in self.tools if (name := _name(dict(tool))))

    @property
    def is_last(self) -> bool:
        return dict(self.members).get("nextCursor", b"null") in (b"null", b'""')

    @property
    def structured(self) -> frozenset[str]:
        """Return the tools that declare an output schema."""
        return frozenset(_name(fields) for tool in self.tools if "outputSchema" in (fields := dict(tool)))

    @property
    def read_only(self) -> frozenset[str]:
        """Return the tools that say that they change nothing."""
        notes = ((_name(fields := dict(tool)), fields.get("annotations", b"")) for tool in self.tools)
        return frozenset(name for name, one in notes if jsonrpc.member(one, "readOnlyHint") is True)

    @property
    def servers(self) -> dict[str, str]:
        """Return the servers by tool, where several are combined."""
        servers = jsonrpc.value(dict(self.members).get(SERVERS, b"null"))
        return {name: str(one) for name, one in servers.items()} if isinstance(servers, dict) else {}

    @property
    def schemas(self) -> dict[str, bytes]:
        """Return the input schemas by tool."""
        schemas = ((_name(fields := dict(tool)), fields.get("inputSchema", b"")) for tool in self.tools)
        return {name: schema for name, schema in schemas if name and schema[:1] == b"{"}

    def definition(self, tool: str) -> bytes | None:
        """Return a tool's definition as the upstream has it; None if it is not on this page."""
        return next((joined(one) for one in self.tools if _name(dict(one)) == tool), None)

    def for_client(
        self, added: Sequence[bytes], mode: str, *, briefly: bool = False, asked: Collection[str] = ()
    ) -> bytes:
        """Write the page for the client, with ``added`` tools at its end. The ``asked`` ones take a question."""
        tools: list[bytes] = []
        for tool in self.tools:
            one = joined(_with_schema(tool, mode))
            one = _shortened(one) if briefly else one
            tools.append(with_question(one) if _name(dict(tool)) in asked else one)
        tools += added
        array = b"[" + b",".join(tools) + b"]"
        return joined((name, array if name == "tools" else one) for name, one in self.members if name != SERVERS)


def read_list(result: bytes) -> Listed | None:
    """Read a page of ``tools/list``; None for what is no such page."""
    try:
        members = tuple(jsonrpc.members(result))
        tools = tuple(tuple(jsonrpc.members(one)) for one in jsonrpc.items(dict(members)["tools"]))
    except (ValueError, KeyError):
        return None
    return Listed(members=members, tools=tools)


def introduced(result: bytes, names: Sequence[str], instructions: str) -> bytes:
    """Add capabilities to a server's result of ``initialize``, because it has our tools and resources if none of its
    own; and ``instructions`` after the server's."""
    try:
        members = dict(jsonrpc.members(result))
        abilities = dict(jsonrpc.members(members.get("capabilities", b"{}")))
    except ValueError:
        return result
    added = {name: b"{}" for name in names if name not in abilities}
    changed = {"capabilities": joined({**abilities, **added}.items())} if added else {}
    before = jsonrpc.value(members.get("instructions", b"null"))
    if instructions and (before is None or isinstance(before, str)):
        words = "\n\n".join(filter(None, (before, instructions)))
        changed["instructions"] = quote_exactly(words)
    return joined({**members, **changed}.items()) if changed else result


def _name(tool: dict[str, bytes]) -> str:
    name = jsonrpc.value(tool.get("name", b"null"))
    return name if isinstance(name, str) else ""


def _shortened(tool: bytes) -> bytes:
    """Return a tool with less prose; the same bytes where it cannot be read or written."""
    members = jsonrpc.value(tool)
    try:
        return msgspec.json.encode(brief(members)) if isinstance(members, dict) and members.get("name") else tool
    except (ValueError, RecursionError):  # texts that are no Unicode, or nested too deeply
        return tool


def with_question(tool: bytes) -> bytes:
    """Return a tool with the argument for a question, unless it has one of this name or its schema cannot be read."""
    schema = jsonrpc.bytes_at(tool, "inputSchema")
    if schema is None or schema[:1] != b"{":
        return tool
    properties = jsonrpc.bytes_at(schema, "properties")
    try:
        known = jsonrpc.members(properties or b"{}")
    except ValueError:
        return tool
    if ARGUMENT in dict(known):
        return tool
    extended = joined([*known, (ARGUMENT, PROPERTY)])
    if properties is None:
        schema = joined([*jsonrpc.members(schema), ("properties", extended)])
    else:
        schema = jsonrpc.put(schema, extended, "properties")
    return jsonrpc.put(tool, schema, "inputSchema")


def _with_schema(tool: tuple[tuple[str, bytes], ...], mode: str) -> list[tuple[str, bytes]]:
    kept: list[tuple[str, bytes]] = []
    for name, one in tool:
        value = one if name != "outputSchema" else wrapped(one) if mode == "wrap" else None
        if value is not None:
            kept.append((name, value))
    return kept


def wrapped(schema: bytes) -> bytes | None:
    """Return a schema that allows what the given one allows, or a stand-in; None if the given one cannot be read. Its
    root is an object, as clients demand, and definitions move to the root, where references look for them."""
    inner = jsonrpc.value(schema)
    if not isinstance(inner, dict):
        return None
    hoisted = {name: inner.pop(name) for name in HOISTED if name in inner}
    kind = {"type": "object"} if inner.get("type", "object") == "object" else {}
    try:
        return msgspec.json.encode(_moved({**kind, "anyOf": [inner, STAND_IN], **hoisted}))
    except (ValueError, RecursionError):  # texts that are no Unicode, or a schema nested too deeply
        return None


def _moved(value: Any) -> Any:
    """Redirect references into the wrapped schema to its new place. A schema with an ``$id`` stays as it is: its
    references start there."""
    if isinstance(value, list):
        return [_moved(one) for one in value]
    if not isinstance(value, dict):
        return value
    moved = {name: one if _is_addressed(one) else _moved(one) for name, one in value.items()}
    to = moved.get("$ref")
    if isinstance(to, str) and (to == "#" or to.startswith("#/")) and not to.startswith(AT_ROOT):
        moved["$ref"] = WRAPPED + to[1:]
    return moved


def _is_addressed(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("$id"), str)
