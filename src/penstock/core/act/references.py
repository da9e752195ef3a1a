"""Find the strings in a call's arguments that stand for held results, and write what takes their place.

A reference is a whole string, ``held:`` and a handle in its full syntax, or that, one space and a path that begins with
a dot. Every other string, ``held:inventory`` too, is data and stays as it is; so do the keys of objects. A string that
is a handle without ``held:`` is found as well: a tool would write those 24 characters in the place of the result.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from penstock.core.json import mend, scan
from penstock.core.json.splice import Splice, splice
from penstock.core.json.strings import quote_exactly, unquote
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from penstock.core.json.path import Path

MAX_REFERENCES: Final = 1_000  # references in one call; each may be a read of the store

# In JSON a quote that is not escaped, with a letter behind it, opens a string: no parsing is needed to find one.
_REFERENCE = re.compile(
    rb'(?<!\\)"held:(r_[A-Za-z0-9_-]{22})( (?:\.[^"\\]*+(?:\\.[^"\\]*+)*+))?"(?![ \t\r\n]*:)', re.DOTALL
)
_BARE = re.compile(rb'(?<!\\)"(r_[A-Za-z0-9_-]{22})"(?![ \t\r\n]*:)')


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """One reference: where its string lies in the arguments, and the way to it; the handle, and the path if it has
    one."""

    start: int
    end: int
    handle: str
    path: str | None
    way: Path


def has_reference(arguments: bytes) -> bool:
    """Return True if a call's arguments name a held result, with ``held:`` or without."""
    return _REFERENCE.search(arguments) is not None or _BARE.search(arguments) is not None


def bare_handles(arguments: bytes) -> list[str]:
    """Return the strings in a call's arguments that are a handle, and nothing else."""
    found = [match[1].decode() for match in islice(_BARE.finditer(arguments), MAX_REFERENCES)]
    return list(dict.fromkeys(found))


def find_references(arguments: bytes) -> list[Reference]:
    """Return the references in a call's arguments, in their order. What is no JSON has none."""
    matches = list(_REFERENCE.finditer(arguments))
    if not matches:
        return []
    if len(matches) > MAX_REFERENCES:
        raise CallerError(
            f"the arguments name held results {len(matches):,} times", do=f"name at most {MAX_REFERENCES:,} in one call"
        )
    strict = mend.mended(arguments)
    try:
        ways = dict(_ways(strict, [match.start() for match in matches]))
        return [
            Reference(
                start=match.start(),
                end=match.end(),
                handle=match[1].decode(),
                path=None if match[2] is None else unquote(b'"' + match[2][1:] + b'"'),
                way=ways[match.start()],
            )
            for match in matches
        ]
    except (ValueError, KeyError, RecursionError):
        return []


def replaced(arguments: bytes, references: Sequence[Reference], value: Callable[[Reference], bytes]) -> bytes:
    """Return the arguments with the JSON that ``value`` gives in the place of each reference."""
    return splice(arguments, [Splice(one.start, one.end, value(one)) for one in references])


def as_argument(value: bytes, accepted: frozenset[str] | None) -> bytes:
    """Return a JSON value as it stands in the arguments: on one line, as pipes carry it; or its text as a string, where
    the schema takes strings and nothing of the value's own type. None is a schema that takes anything."""
    if accepted is not None and "string" in accepted and not _types_of(value) & accepted:
        return quote_exactly(value.decode())
    if b"\n" in value or b"\r" in value:  # in JSON they stand between values only
        return value.replace(b"\n", b" ").replace(b"\r", b" ")
    return value


def _types_of(value: bytes) -> frozenset[str]:
    """Return the names that JSON Schema has for the type of a JSON value."""
    if scan.is_container(value):
        return frozenset(("object",) if value[:1] == b"{" else ("array",))
    names = {"str": ("string",), "int": ("integer", "number"), "float": ("number",), "bool": ("boolean",)}
    return frozenset(names.get(scan.scalar_type(value), ("null",)))


def _ways(data: bytes, positions: Sequence[int]) -> Iterator[tuple[int, Path]]:
    """Yield each position with the way to the value that begins there. Containers without one are not looked into."""
    waiting: list[tuple[int, int, Path, Sequence[int]]] = [(*scan.bounds(data), (), positions)]
    while waiting:
        start, end, way, wanted = waiting.pop()
        if start == wanted[0]:
            yield start, way
            continue
        parts: Iterator[tuple[int | str, int, int]]
        if data[start : start + 1] == b"{":
            parts = ((key, first, last) for key, _, first, last in scan.member_spans(data, start, end))
        else:
            parts = ((number, *span) for number, span in enumerate(mend.item_spans(data, start, end)))
        left = 0
        for step, first, last in parts:
            inside = left
            while inside < len(wanted) and wanted[inside] < last:
                inside += 1
            if inside > left:
                waiting.append((first, last, (*way, step), wanted[left:inside]))
            left = inside
