"""Reads values that git writes: names of files (quoted, renamed, with prefixes), persons, dates."""

from __future__ import annotations

import re
from typing import Final

MAX_QUOTED_NAME: Final = (
    8_192  # A name has at most 8,192 characters. A system takes 4,096 bytes, and git may quote each as \ooo.
)
NOTHING: Final = "/dev/null"

# The beginning of the two names of a file: a and b; with diff.mnemonicPrefix commit, index, worktree, object; 1 and 2
# for files outside of a repository. ``git diff -R`` swaps them.
_PREFIXES: Final = frozenset({"ab", "ba", "ci", "ic", "cw", "wc", "iw", "wi", "ow", "wo", "12", "21"})
_ESCAPE = re.compile(rb'\\([abfnrtv"\\]|[0-7]{3})')
_ESCAPED: Final = dict(zip(b'abfnrtv"\\', b'\a\b\f\n\r\t\v"\\', strict=True))
_NAMES: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTHS: Final = {name: f"{number:02}" for number, name in enumerate(_NAMES, start=1)}
_DATE = re.compile(r"[A-Z][a-z]{2} ([A-Z][a-z]{2}) {1,2}([0-9]{1,2}) ([0-9:]{8}) ([0-9]{4})(?: ([+-][0-9]{4}))?")


def unquote(name: str) -> str:
    """Return a name of a file without the quotes and escapes that git writes around tabs, quotes and bytes beyond
    ASCII."""
    if len(name) < 2 or name[0] != '"' or name[-1] != '"' or len(name) > MAX_QUOTED_NAME:
        return name
    raw = name[1:-1].encode("utf-8", "surrogatepass")
    return _ESCAPE.sub(_unescape, raw).decode("utf-8", "backslashreplace")


def _unescape(match: re.Match[bytes]) -> bytes:
    code = match[1]
    return bytes((_ESCAPED[code[0]],)) if len(code) == 1 else bytes((int(code, 8) & 0xFF,))


def moved_name(text: str) -> str:
    """Return the new name in ``src/{old => new}/x`` or ``old => new``, as --stat and --numstat write a rename."""
    if " => " not in text:
        return unquote(text)
    before, brace, inner = text.partition("{")
    inside, end, after = inner.rpartition("}")
    if brace and end and " => " in inside:
        return (before + inside.partition(" => ")[2] + after).replace("//", "/")
    return unquote(text.partition(" => ")[2])


def name_in_header(names: str) -> str | None:
    """Return the name in ``a/x b/x``, which follows ``diff --git``; None where the two are not the same name."""
    half = len(names) // 2
    old, new = unquote(names[:half]), unquote(names[half + 1 :])
    if names[half : half + 1] != " " or not new:
        return None
    if old == new:
        return new  # git diff --no-prefix
    stripped_old, stripped_new = without_prefixes(old, new)
    return stripped_new if stripped_old == stripped_new else None


def without_prefixes(old: str, new: str) -> tuple[str, str]:
    """Return the two names of a file without ``a/`` and ``b/``, if both have theirs, or one has and the other is
    nothing."""
    if NOTHING in (old, new):
        prefixed = old if new == NOTHING else new
        name = prefixed[2:] if prefixed.startswith(("a/", "b/")) else prefixed
        return (name, new) if new == NOTHING else (old, name)
    if old[1:2] == new[1:2] == "/" and old[0] + new[0] in _PREFIXES:
        return old[2:], new[2:]
    return old, new


def person(text: str) -> tuple[str | None, str | None]:
    """Return the name and the address in ``Name <address>``; None where there is none."""
    name, mark, address = text.strip().rpartition("<")
    if not mark or not address.endswith(">"):
        return text.strip() or None, None
    return name.strip() or None, address[:-1] or None


def iso_date(text: str) -> str:
    """Return a date in the order of ISO 8601, ``2026-04-08 21:04:03 -0700``, with the offset that the text has. A date
    in another form (``3 days ago``) stays as it is."""
    match = _DATE.fullmatch(text.strip())
    if match is None or match[1] not in _MONTHS:
        return text.strip()
    month, day, time, year, offset = match.groups()
    return f"{year}-{_MONTHS[month]}-{day:0>2} {time}" + (f" {offset}" if offset else "")
