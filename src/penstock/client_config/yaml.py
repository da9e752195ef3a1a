"""YAML, as Goose and Continue write it: PyYAML says what a file means, and where each value is.

Edits are made in the text. A round trip through ruamel.yaml changes bytes of parts that are not edited: the blanks
after a colon and in flow collections, the indentation of lists, long lines, CRLF and document ends.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

import yaml

from penstock.client_config.servers import Dialect, EntryKeys, EntryMember, KeyedValue, Section, ServerEntry, Span
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from yaml.nodes import Node

GOOSE: Final = EntryKeys(command="cmd", env="envs", url="uri", remote="streamable_http", has_name=True)
_UNPRINTED: Final = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
CONTINUE: Final = EntryKeys(remote="streamable-http", is_list=True)
CONTINUE_TABLE: Final = "mcpServers"
TABLES: Final = {"extensions": GOOSE, "mcpServers": EntryKeys()}


def read(text: str) -> list[ServerEntry]:
    """Return every server of the file, in its order. An error names the line."""
    try:
        root = yaml.compose(text, yaml.SafeLoader)
        values = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise CallerError(f"is not valid YAML: {_reason(error)}", do="repair the file first") from None
    except (RecursionError, ValueError):  # ValueError: a number or a date that is none
        raise CallerError("cannot be read as YAML", do="repair the file first") from None
    if root is None:
        raise CallerError("is empty", do="add a server in the client first")
    if not isinstance(root, yaml.MappingNode):
        raise CallerError("is not a YAML mapping", do="servers are written under extensions, each by its name")
    servers = []
    for name, _, table in _members(root):
        if name in TABLES and isinstance(table, yaml.MappingNode):
            servers += [
                _server(text, (name,), (inner, values[name][inner]), member, node, keys=TABLES[name])
                for inner, member, node in _members(table)
            ]
        elif name == CONTINUE_TABLE and isinstance(table, yaml.SequenceNode):
            servers += _items(text, name, values[name], table)
    return servers


def _items(text: str, section: str, values: list[Any], table: yaml.SequenceNode) -> list[ServerEntry]:
    """Return the servers of a list, each of which has its name as a member."""
    servers: dict[str, ServerEntry] = {}
    for node, value in zip(table.value, values, strict=True):
        name = value.get("name") if isinstance(value, dict) else None
        if not isinstance(name, str):
            raise CallerError(f"has a server without a name in {section}", do="give it a name")
        if name in servers:
            line = node.start_mark.line + 1
            raise CallerError(f"has {json.dumps(name)} a second time in line {line}", do="rename one of the two")
        span = _span(node)
        servers[name] = _server(text, (section,), (name, value), KeyedValue(key=span, value=span), node, keys=CONTINUE)
    return list(servers.values())


def _members(mapping: Node) -> list[tuple[str, KeyedValue, Node]]:
    """Return the members of a mapping, or raise if a name stands twice: parsers differ in which one counts."""
    members = {}
    for key, node in mapping.value:
        if key.value in members:
            line = key.start_mark.line + 1
            raise CallerError(f"has {json.dumps(key.value)} a second time in line {line}", do="remove one of the two")
        members[key.value] = KeyedValue(key=_span(key), value=_span(node)), node
    return [(name, member, node) for name, (member, node) in members.items()]


def _span(node: Node) -> Span:
    return Span(start=node.start_mark.index, end=node.end_mark.index)


def _server(
    text: str, section: Section, named: tuple[str, Any], whole: KeyedValue, node: Node, *, keys: EntryKeys
) -> ServerEntry:
    name, value = named
    block = isinstance(node, yaml.MappingNode) and not node.flow_style
    entries = {
        key: EntryMember(
            key=member.key,
            name=member.key,
            value=member.value,
            names=tuple(_span(one) for one, _ in inner.value) if isinstance(inner, yaml.MappingNode) else (),
            items=tuple(map(_span, inner.value)) if isinstance(inner, yaml.SequenceNode) else (),
            separator=_separator(text, inner),
            around=_around(text, member, block=block),
        )
        for key, member, inner in (_members(node) if isinstance(value, dict) else ())
    }
    return ServerEntry(
        section=section,
        name=name,
        value=value,
        entries=entries,
        keys=keys,
        indent=len(_prefix(text, whole.key.start).rstrip("- "))
        if keys.is_list
        else len(_prefix(text, whole.key.start)),
        whole=Span(start=_line_start(text, whole.key.start), end=_line_start(text, whole.value.end)) if block else None,
    )


def _separator(text: str, array: Node) -> str:
    """Return the text between two items of a list that has one on each line."""
    if not isinstance(array, yaml.SequenceNode) or array.flow_style or not array.value:
        return ""
    first = _span(array.value[0]).start
    return "\n" + _prefix(text, first)


def _around(text: str, member: KeyedValue, *, block: bool) -> tuple[str, str]:
    indent = _prefix(text, member.key.start).replace("-", " ")  # the dash of a list's item is not repeated
    return "args: ", f"\n{indent}" if block else ", "


def _prefix(text: str, at: int) -> str:
    """Return the text of a line before a position."""
    return text[_line_start(text, at) : at]


def _line_start(text: str, at: int) -> int:
    """Return where the line of a position begins; the end of the text is a line of its own."""
    return at if at == len(text) else text.rfind("\n", 0, at) + 1


def _reason(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    where = f" (at line {mark.line + 1}, column {mark.column + 1})" if mark else ""
    return f"{getattr(error, 'problem', None) or error}{where}"


def _quote(word: str) -> str:
    """Write a word. A JSON string is a double-quoted scalar of YAML, but for what YAML alone must escape."""
    return _UNPRINTED.sub(lambda one: f"\\u{ord(one[0]):04x}", json.dumps(word, ensure_ascii=False))


def _member(instead: ServerEntry, name: str, members: Mapping[str, Any]) -> str:
    """Write a server in one line, with the indentation of the one that it replaces."""
    if instead.keys.is_list:
        return f"{' ' * instead.indent}- {json.dumps({'name': name, **members})}\n"
    return f"{' ' * instead.indent}{_quote(name)}: {json.dumps(members)}\n"


YAML: Final = Dialect(
    read=read,
    quote=_quote,
    member=_member,
    has_commas=False,
    comment=re.compile(r"#[^\n]*\n\s*"),
)
