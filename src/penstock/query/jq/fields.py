"""Finds the keys that a jq program asks for and the data does not have.

jq gives null for a key that is not there, without a word: ``map(select(.stat == "open")) | length`` is 0, and looks
like an answer. What is named here is certain: programs that may make keys of their own are left alone, and so is data
whose keys may be written with escapes.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from penstock.query.jq.lexer import lex
from penstock.query.source import whole

if TYPE_CHECKING:
    from penstock.query.source import Source

MOST: Final = 3  # keys that are named
LARGEST: Final = 16_777_216  # bytes of data that are looked through once more

# These give objects or keys that stand neither in the data nor in the program.
_MAKES_KEYS: Final = frozenset(
    (
        *("match", "capture", "fromjson", "fromstream", "env", "$ENV", "$__loc__", "input", "inputs", "setpath"),
        *("getpath", "reduce", "foreach", "def", "INDEX", "try", "catch", "limit", "splits"),
        *("=", "|=", "+=", "-=", "*=", "/=", "%=", "//="),
    )
)
_ENTRIES: Final = frozenset(("to_entries", "with_entries", "from_entries"))
_OF_ENTRIES: Final = frozenset(("key", "value", "name", "Key", "Value", "Name", "k", "v", "K", "V"))
_FIELD = re.compile(r"\.([A-Za-z_]\w*)", re.ASCII)
_ESCAPED = re.compile(rb"\\u00(?:3[0-9]|[4-7])", re.IGNORECASE)  # a letter, digit or underscore written as an escape
_QUOTED_KEY = re.compile(r'"(\w+)"\s*:')


def missing_keys(program: str, source: Source) -> list[str]:
    """Return keys that a program takes from JSON which has none of that name anywhere."""
    names = _names(program)
    if not names or source.root().kind == "lines" or source.index.size > LARGEST:
        return []
    body = b"".join(whole(source))
    missing = [name for name in names if f'"{name}"'.encode() not in body]
    return missing[:MOST] if missing and not _ESCAPED.search(body) else []


def _names(program: str) -> list[str]:
    """Return the keys that a program takes from its data; none where it could make keys that are not seen here."""
    tokens = lex(program) or []
    words = {token.text for token in tokens}
    computed = any(
        after.text == "(" and after.within == "{" and before.text in ("{", ",") for before, after in pairwise(tokens)
    )
    if computed or words & _MAKES_KEYS:
        return []
    made = {token.text for token in tokens if token.within == "{"} | set(_QUOTED_KEY.findall(program))
    made |= _OF_ENTRIES if words & _ENTRIES else frozenset()
    fields = (match[1] for token in tokens if (match := _FIELD.fullmatch(token.text)))
    return [name for name in dict.fromkeys(fields) if name not in made]
