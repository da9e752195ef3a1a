"""TOML, as Codex has it: the standard library says what a file means, and a scan of the text says where.

The scan only ever sees a text that the standard library took, so that it need not look for mistakes.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock.client_config.servers import Dialect, EntrySpans, KeyedValue, Line, Section, ServerEntry, Span, past
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Iterator

SECTION: Final = ("mcp_servers",)
_ITEM: Final = ("[]",)  # the path of what is in an array; all that matters is that it is not the section's

_BLANK = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_PART = re.compile(r""""(?:[^"\\]|\\.)*+"|'[^']*+'|[A-Za-z0-9_-]++""")
_DOT = re.compile(r"[ \t]*+\.?[ \t]*+")
_SCALAR = re.compile(
    # A text in three quotes may have one or two more of them right before its end.
    r'"""(?:\\.|(?!""")[^\\])*+"{3,5}'
    r"|'''(?:(?!''').)*+'{3,5}"
    r'|"(?:\\.|[^"\\])*+"'
    r"|'[^']*+'"
    r"|[^,\]}#\r\n]++",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """``a.b.c = value``: the whole path of its key, and where its parts are."""

    path: Section
    member: KeyedValue
    last: int  # where the last part of the key begins
    items: tuple[Span, ...]
    inline: bool


def read(text: str) -> list[ServerEntry]:
    """Return every server of the file, in its order. An error names the line."""
    try:
        # Nothing is done with a number, and not even nan may differ from itself when two texts are compared.
        tables = tomllib.loads(text, parse_float=lambda number: (number,)).get(SECTION[0], {})
        found = {one.path: one for one in _Scanner(text).assignments()}
    except tomllib.TOMLDecodeError as error:
        raise CallerError(f"is not valid TOML: {error}", do="repair the file first") from None
    except RecursionError:
        raise CallerError("is nested too deeply", do="repair the file first") from None
    if not isinstance(tables, dict):
        raise CallerError(f"has an {SECTION[0]} that is not a table", do=f"servers are written [{SECTION[0]}.NAME]")
    return [_server(text, found, name, given) for name, given in tables.items()]


def _server(text: str, found: dict[Section, Assignment], name: str, given: Any) -> ServerEntry:
    command, args = found.get((*SECTION, name, "command")), found.get((*SECTION, name, "args"))
    line = (
        command
        if command is None
        else Line(
            command=command.member,
            args=args.member if args else None,
            items=args.items if args else (),
            around=_around(text, command),
        )
    )
    entries = {
        path[-1]: EntrySpans(
            name=Span(start=one.last, end=one.member.key.end),
            value=one.member.value,
            names=_names(found, path, one.member.value),
            around=_around(text, one),
        )
        for path, one in found.items()
        if path[:-1] == (*SECTION, name)
    }
    return ServerEntry(section=SECTION, name=name, given=given, line=line, entries=entries)


def _names(found: dict[Section, Assignment], table: Section, inside: Span) -> tuple[Span, ...]:
    """Return where the keys of an inline table stand, each as a whole."""
    return tuple(
        one.member.key
        for path, one in found.items()
        if path[: len(table)] == table and inside.start < one.member.key.start < inside.end
    )


def _around(text: str, command: Assignment) -> tuple[str, str]:
    key, value = command.member.key, command.member.value
    before = f"{text[key.start : command.last]}args{text[key.end : value.start]}"
    if command.inline:
        return before, ", "
    line = text.rfind("\n", 0, key.start) + 1
    return before, ("\r\n" if "\r\n" in text else "\n") + text[line : key.start]


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found: list[Assignment] = []

    def assignments(self) -> list[Assignment]:
        table: Section = ()
        while self._skip():
            if self.text[self.at] == "[":
                brackets = 2 if self.text.startswith("[[", self.at) else 1
                self.at += brackets
                self._skip()
                table, _ = self._key()
                self.at += brackets
            else:
                self._assignment(table, inline=False)
        return self.found

    def _skip(self) -> bool:
        self.at = past(_BLANK, self.text, self.at)
        return self.at < len(self.text)

    def _key(self) -> tuple[Section, Span]:
        """Read a key: its parts, and where the last one stands. An equals sign or a bracket follows."""
        parts: list[str] = []
        while True:
            part = Span(start=self.at, end=past(_PART, self.text, self.at))
            literal = self.text[part.start : part.end]
            parts.append(_text(literal) if literal[:1] in ("'", '"') else literal)
            self.at = past(_DOT, self.text, part.end)
            if "." not in self.text[part.end : self.at]:
                return tuple(parts), part

    def _assignment(self, table: Section, *, inline: bool) -> None:
        start = self.at
        key, last = self._key()
        self.at += 1  # the equals sign
        self._skip()
        path = (*table, *key)
        value, items = self._value(path)
        member = KeyedValue(key=Span(start=start, end=last.end), value=value)
        self.found.append(Assignment(path=path, member=member, last=last.start, items=items, inline=inline))

    def _value(self, path: Section) -> tuple[Span, tuple[Span, ...]]:
        start, mark = self.at, self.text[self.at]
        items: list[Span] = []
        if mark == "[":
            items.extend(self._value(_ITEM)[0] for _ in self._separated("]"))
        elif mark == "{":
            for _ in self._separated("}"):
                self._assignment(path, inline=True)
        else:
            self.at = start + len(self.text[start : past(_SCALAR, self.text, start)].rstrip())
        return Span(start=start, end=self.at), tuple(items)

    def _separated(self, end: str) -> Iterator[None]:
        """Yield at each item between brackets, for the caller to read past it."""
        self.at += 1
        while self._skip() and self.text[self.at] != end:
            yield
            self._skip()
            self.at += self.text[self.at] == ","
        self.at += 1


def _text(literal: str) -> str:
    return str(tomllib.loads(f"text = {literal}")["text"])


TOML: Final = Dialect(
    read=read,
    # A JSON string is a basic string of TOML, but for one character that JSON does not escape and TOML must.
    quote=lambda word: json.dumps(word, ensure_ascii=False).replace("\x7f", "\\u007f"),
    headers="http_headers",
    comment=re.compile(r"#[^\n]*\n\s*"),
)
