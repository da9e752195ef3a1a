"""Patterns for the names of files: ``*`` and ``?`` stay within a folder, ``**`` crosses folders, ``[a-z]`` is one of.

A pattern without a slash is for the name alone, in whichever folder; one with a slash is for the whole path in the
vault. Letters match in either case. RE2 does the matching, in linear time whatever the pattern.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import re2

from server_parts.complaints import wrong

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST: Final = 500  # characters; longer than any path that a pattern has to tell from others
WIDEST: Final = 100  # stars in one pattern, for the automaton to stay small

_TOKEN: Final = re.compile(r"\*\*/|\*\*|\*|\?|\[[!^]?\]?[^\]/]*\]|.", re.DOTALL)
_WILD: Final = {"**/": r"(?:[^/\n]+/)*", "**": ".*", "*": r"[^/\n]*", "?": r"[^/\n]"}
NEITHER: Final = r"^/\n"  # what no sign of a pattern but ** stands for


@dataclass(frozen=True, slots=True, kw_only=True)
class Glob:
    """A pattern, ready to be asked."""

    compiled: Any

    def among(self, paths: Iterable[str]) -> list[str]:
        """Return the paths that have the pattern, all of them asked at once. No path has a line break in it."""
        joined = "\n".join(paths)
        matches: list[str] = self.compiled.findall(joined) if joined else []  # else * would find an empty name
        return matches

    def matches(self, path: str) -> bool:
        """Return True if one path has it."""
        return self.compiled.search(path) is not None


def glob(pattern: str, argument: str = "pattern") -> Glob:
    """Read a pattern, or raise an error that shows one."""
    expected = "a glob such as *.md or Projects/**/*.md, inside the vault"
    if not pattern or len(pattern) > LONGEST or pattern.count("*") > WIDEST:
        raise wrong(argument, expected, pattern, "*.md")
    if pattern.startswith("/") or ".." in pattern.split("/") or "\\" in pattern or not pattern.isprintable():
        raise wrong(argument, expected, pattern, "Projects/**/*.md")
    tokens = _TOKEN.findall(pattern)
    if "[" in tokens:
        raise wrong(argument, f"{expected}, with a ] for every [", pattern, "[A-M]*.md")
    whole = "".join(_translated(token) for token in tokens)
    if "/" not in pattern:
        whole = f"(?:.*/)?{whole}"
    try:
        return Glob(compiled=re2.compile(f"(?im)^{whole}$"))
    except re2.error:
        raise wrong(argument, expected, pattern, "*.md") from None


def _translated(token: str) -> str:
    if token in _WILD:
        return _WILD[token]
    if token.startswith("[") and len(token) > 2:
        body = token[1:-1]
        negated = body[0] in "!^"
        chars = re.sub(r"([\\\[\]^&~|])", r"\\\1", body[1:] if negated else body)
        return f"[{NEITHER if negated else ''}{chars}]" if chars else str(re2.escape(token))
    return str(re2.escape(token))
