"""JSON with or without comments and trailing commas: every value with its position, so that one can be replaced alone.

Each client reads its file more or less strictly; what is taken here is what the most lenient one, VS Code, takes.
Claude Code keeps its history in the same file, some megabytes of it, so that only what leads to servers is looked at
closely; the rest is left to the standard library as long as that takes it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NoReturn

from penstock.client_config.servers import (
    BREAK,
    Dialect,
    EntryKeys,
    EntryMember,
    KeyedValue,
    Section,
    ServerEntry,
    Span,
    past,
    tight,
)
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLES: Final = ("mcpServers", "servers", "amp.mcpServers", "context_servers")  # the last two: Amp, and Zed
OPENCODE_TABLE: Final = "mcp"  # other clients have settings of that name
USUAL: Final = EntryKeys()
OPENCODE: Final = EntryKeys(env="environment", local="local", remote="remote", is_array=True, braces_are_variables=True)
MAX_DEPTH: Final = 100  # a client's own file has a dozen levels; each takes a few calls of Python's thousand

_BLANK = re.compile(r"(?:[ \t\r\n]++|//[^\n]*+|/\*.*?\*/)*+", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"')
_SCALAR = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?")
_WORDS: Final = {"true": True, "false": False, "null": None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A value, where it stands, and what is in it."""

    span: Span
    value: object
    members: tuple[tuple[str, KeyedValue, Node], ...] = ()
    items: tuple[Node, ...] = ()


def read(text: str) -> list[ServerEntry]:
    """Return every server of the file, in its order. An error names the line."""
    root = _Scanner(text).document()
    if not isinstance(root.value, dict):
        raise CallerError("is not a JSON object", do='an MCP configuration is {"mcpServers": {...}}')
    return [
        _server(text, section, name, member, node)
        for section, table in _sections(text, root)
        for name, member, node in _once(text, table)
    ]


def _sections(text: str, root: Node) -> Iterator[tuple[Section, Node]]:
    for name, _, node in _once(text, root):
        if name in TABLES:
            yield _table((name,), node)
        elif name == OPENCODE_TABLE and _is_of_opencode(node.value):
            yield (name,), node
        elif name == "projects":  # Claude Code keeps what belongs to one folder under the folder's name
            for folder, _, settings in _once(text, node):
                for inner, _, table in _once(text, settings):
                    if inner == "mcpServers":
                        yield _table((name, folder, inner), table)


def _is_of_opencode(value: object) -> bool:
    """Tell OpenCode's servers from settings of the same name: each is an object, and one at least has a type."""
    entries = list(value.values()) if isinstance(value, dict) else []
    return all(isinstance(one, dict) for one in entries) and any(
        one.get("type") in (OPENCODE.local, OPENCODE.remote) for one in entries
    )


def _table(section: Section, node: Node) -> tuple[Section, Node]:
    if not isinstance(node.value, dict):
        raise CallerError(
            f"has a {section[-1]} that is not an object", do='servers are written {"NAME": {"command": ...}}'
        )
    return section, node


def _once(text: str, node: Node) -> tuple[tuple[str, KeyedValue, Node], ...]:
    """Return the members of an object, or raise if a name stands twice: parsers differ in which one counts."""
    seen: set[str] = set()
    for name, member, _ in node.members:
        if name in seen:
            line = text.count("\n", 0, member.key.start) + 1
            raise CallerError(f"has {json.dumps(name)} a second time in line {line}", do="remove one of the two")
        seen.add(name)
    return node.members


def _server(text: str, section: Section, name: str, whole: KeyedValue, node: Node) -> ServerEntry:
    keys = OPENCODE if section == (OPENCODE_TABLE,) else USUAL
    entries = {
        key: EntryMember(
            key=member.key,
            name=member.key,
            value=member.value,
            names=tuple(inside.key for _, inside, _ in inner.members),
            items=tuple(item.span for item in inner.items),
            around=_around(text, member),
        )
        for key, member, inner in _once(text, node)
    }
    return ServerEntry(
        section=section,
        name=name,
        value=node.value,
        entries=entries,
        keys=keys,
        whole=Span(start=whole.key.start, end=whole.value.end),
    )


def _around(text: str, command: KeyedValue) -> tuple[str, str]:
    colon = text[command.key.end : command.value.start]
    start = command.key.start
    while text[start - 1] in " \t\r\n":  # it ends at a bracket or a comma
        start -= 1
    blank = text[start : command.key.start]
    breaks = BREAK.findall(blank)
    after = breaks[-1] if breaks else blank or ("" if tight(text, command.key, command.value) else " ")
    return f'"args"{": " if "/" in colon else colon}', f",{after}"


def _leads_to_servers(path: Section) -> bool:
    match path:
        case () | ("projects",) | ("projects", _) | ("projects", _, "mcpServers", *_):
            return True
        case (first, *_) if first in TABLES or first == OPENCODE_TABLE:
            return True
        case _:
            return False


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)  # NaN and the like, which Python writes and no client reads


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse)


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def document(self) -> Node:
        self._skip()
        if self.at == len(self.text):
            raise CallerError("is empty", do="add a server in the client first")
        root = self._value(())
        if self._skip() != "":
            self._fail("nothing more")
        return root

    def _skip(self) -> str:
        """Skip blanks and comments, and return the next character."""
        self.at = past(_BLANK, self.text, self.at)
        return self.text[self.at : self.at + 1]

    def _value(self, path: Section) -> Node:
        if len(path) > MAX_DEPTH:
            self._fail(f"at most {MAX_DEPTH} levels")
        if not _leads_to_servers(path) and (node := self._strict()):
            return node
        start, mark = self.at, self.text[self.at : self.at + 1]
        if mark == "{":
            members = tuple(self._members(path))
            value: object = {name: node.value for name, _, node in members}
            return Node(span=Span(start=start, end=self.at), value=value, members=members)
        if mark == "[":
            items = tuple(self._items(path))
            return Node(span=Span(start=start, end=self.at), value=[item.value for item in items], items=items)
        if mark == '"':
            span, value = self._string()
            return Node(span=span, value=value)
        match = _SCALAR.match(self.text, self.at)
        if match is None:
            self._fail("a value")
        self.at = match.end()
        # Nothing is done with a number, and unlike int() float() takes one of any length.
        value = _WORDS[match[0]] if match[0] in _WORDS else float(match[0])
        return Node(span=Span(start=start, end=self.at), value=value)

    def _strict(self) -> Node | None:
        """Read a value that leads to no server in one step. None if it is not strict JSON: the slow way reads it."""
        start = self.at
        try:
            value, self.at = _DECODER.raw_decode(self.text, start)
        except (ValueError, RecursionError):
            return None
        return Node(span=Span(start=start, end=self.at), value=value)

    def _string(self) -> tuple[Span, str]:
        match = _STRING.match(self.text, self.at)
        if match is None:
            self._fail("text in double quotes")
        self.at = match.end()
        return Span(start=match.start(), end=match.end()), json.loads(match[0])

    def _members(self, path: Section) -> Iterator[tuple[str, KeyedValue, Node]]:
        for _ in self._separated("}"):
            key, name = self._string()
            if self._skip() != ":":
                self._fail("a colon")
            self.at += 1
            self._skip()
            node = self._value((*path, name))
            yield name, KeyedValue(key=key, value=node.span), node

    def _items(self, path: Section) -> Iterator[Node]:
        for _ in self._separated("]"):
            yield self._value((*path, ""))

    def _separated(self, end: str) -> Iterator[None]:
        """Yield at each item between brackets, for the caller to read past it. A trailing comma is allowed."""
        self.at += 1
        while self._skip() != end:
            yield
            mark = self._skip()
            if mark not in (",", end):
                self._fail(f"a comma or {end}")
            self.at += mark == ","
        self.at += 1

    def _fail(self, expected: str) -> NoReturn:
        line = self.text.count("\n", 0, self.at) + 1
        column = self.at - self.text.rfind("\n", 0, self.at)
        character = repr(self.text[self.at]) if self.at < len(self.text) else "the end"
        what = f"is not valid JSON: expected {expected}, found {character} (at line {line}, column {column})"
        raise CallerError(what, do="repair the file first")


JSONC: Final = Dialect(
    read=read,
    quote=lambda word: json.dumps(word, ensure_ascii=False),
    member=lambda _, name, members: f"{json.dumps(name)}: {json.dumps(members, ensure_ascii=False)}",
    has_commas=True,
    comment=re.compile(r"//[^\n]*(?:\n\s*)?|/\*.*?\*/\s*", re.DOTALL),
)
