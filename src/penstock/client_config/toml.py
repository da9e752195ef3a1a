"""TOML, as Codex writes it: the standard library says what a file means, and a scan of the text says where.

The scan only ever sees a text that the standard library accepted, so it need not look for mistakes. tomlkit keeps the
bytes of a file that it does not change. But of 400 generated files that were wrapped and unwrapped through it, 120 were
not as before: it adds lines with another line end, loses the end of the line before, and cannot read some mixtures of
tables and dotted keys.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock.client_config.servers import (
    Dialect,
    EntryKeys,
    EntryMember,
    KeyedValue,
    Section,
    ServerEntry,
    Span,
    past,
)
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SECTION: Final = ("mcp_servers",)
CODEX: Final = EntryKeys(headers="http_headers")
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
        scanner = _Scanner(text)
        assignments = {one.path: one for one in scanner.assignments()}
    except tomllib.TOMLDecodeError as error:
        raise CallerError(f"is not valid TOML: {error}", do="repair the file first") from None
    except RecursionError:
        raise CallerError("is nested too deeply", do="repair the file first") from None
    if not isinstance(tables, dict):
        raise CallerError(f"has an {SECTION[0]} that is not a table", do=f"servers are written [{SECTION[0]}.NAME]")
    return [
        _server(text, assignments, name, value, _whole(text, scanner.tables, (*SECTION, name)))
        for name, value in tables.items()
    ]


def _whole(text: str, tables: list[tuple[Section, int]], path: Section) -> Span | None:
    """Return the lines of a server's tables, if they stand side by side under headings of their own."""
    starts = [*(at for _, at in tables), len(text)]
    mine = [at for at, (name, _) in enumerate(tables) if name[: len(path)] == path]
    if not mine or tables[mine[0]][0] != path or mine != list(range(mine[0], mine[-1] + 1)):
        return None
    return Span(start=starts[mine[0]], end=starts[mine[-1] + 1])


def _server(
    text: str, assignments: dict[Section, Assignment], name: str, value: Any, whole: Span | None
) -> ServerEntry:
    entries = {
        path[-1]: EntryMember(
            key=one.member.key,
            name=Span(start=one.last, end=one.member.key.end),
            value=one.member.value,
            names=_names(assignments, path, one.member.value),
            items=one.items,
            around=_around(text, one),
        )
        for path, one in assignments.items()
        if path[:-1] == (*SECTION, name)
    }
    return ServerEntry(section=SECTION, name=name, value=value, entries=entries, keys=CODEX, whole=whole)


def _names(assignments: dict[Section, Assignment], table: Section, inside: Span) -> tuple[Span, ...]:
    """Return where the keys of an inline table stand, each as a whole."""
    return tuple(
        one.member.key
        for path, one in assignments.items()
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
        self._seen: list[Assignment] = []
        self.tables: list[tuple[Section, int]] = []  # the headings, and where their lines begin

    def assignments(self) -> list[Assignment]:
        table: Section = ()
        while self._skip():
            if self.text[self.at] == "[":
                brackets = 2 if self.text.startswith("[[", self.at) else 1
                line = self.text.rfind("\n", 0, self.at) + 1
                self.at += brackets
                self._skip()
                table, _ = self._key()
                self.at += brackets
                self.tables.append((table, line))
            else:
                self._assignment(table, inline=False)
        return self._seen

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
        self._seen.append(Assignment(path=path, member=member, last=last.start, items=items, inline=inline))

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


def _quote(word: str) -> str:
    """Write a word. A JSON string is a basic string of TOML, but for one character that TOML must escape."""
    return json.dumps(word, ensure_ascii=False).replace("\x7f", "\\u007f")


def _member(_: ServerEntry, name: str, members: Mapping[str, Any]) -> str:
    """Write a server's table. Of its members only texts, lists of texts and truth values are written."""
    lines = [f"[{SECTION[0]}.{_quote(name)}]"]
    for key, value in members.items():
        if isinstance(value, list):
            lines.append(f"{key} = [{', '.join(map(_quote, value))}]")
        elif isinstance(value, str | bool):
            lines.append(f"{key} = {_quote(value) if isinstance(value, str) else json.dumps(value)}")
    return "\n".join([*lines, "", ""])


TOML: Final = Dialect(
    read=read,
    quote=_quote,
    member=_member,
    has_commas=False,
    comment=re.compile(r"#[^\n]*\n\s*"),
)
