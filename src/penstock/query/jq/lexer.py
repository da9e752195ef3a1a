"""The words of a jq program and the brackets that each stands in; no more grammar than that."""

from __future__ import annotations

import re
from dataclasses import dataclass

_CODE = re.compile(
    r"""(?P<blank>\s+)
      | (?P<word>[A-Za-z_]\w*(?:::[A-Za-z_]\w*)* | \$(?:__loc__|[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*) | @\w+)
      | (?P<field>\.[A-Za-z_]\w*)
      | (?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)
      | (?P<quote>")
      | (?P<open>[(\[{])
      | (?P<close>[)\]}])
      | (?P<mark>\?//=?|//=|\|=|[+\-*/%]=|==|!=|<=|>=|//|\.\.|[.,:;|?=<>+\-*/%])""",
    re.VERBOSE | re.ASCII,
)
_STRING = re.compile(r'(?:[^"\\]|\\[^(])*(?P<end>"|\\\()', re.DOTALL)
_PAIRS = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A word or mark of the program, and the bracket that it stands in (none at the top).

    Strings have no token of their own, but the programs inside them (``\\(...)``) have.
    """

    text: str
    start: int
    within: str


def lex(program: str) -> list[Token] | None:
    """Return the tokens of a program; None where the brackets do not match, or something is not known here (as
    comments)."""
    tokens: list[Token] = []
    inside: list[str] = []
    at = 0
    while at < len(program):
        if inside and inside[-1] == '"':
            part = _STRING.match(program, at)
            if part is None:
                return None
            if part["end"] == '"':
                inside.pop()
            else:
                inside.append("(")
            at = part.end()
            continue
        match = _CODE.match(program, at)
        if match is None:
            return None
        text, kind = match[0], match.lastgroup
        if kind == "close" and (not inside or inside.pop() != _PAIRS[text]):
            return None
        if kind not in ("blank", "quote"):
            tokens.append(Token(text=text, start=at, within=inside[-1] if inside else ""))
        if kind in ("open", "quote"):
            inside.append(text)
        at = match.end()
    return None if inside else tokens
