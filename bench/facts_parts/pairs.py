"""Find the rows of keyed texts again: stanzas and settings."""

from __future__ import annotations

import configparser
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.facts_parts.texts import Text


def _headed(found: Text, mark: str) -> Text:
    """Blocks below headings, which are the lines at the margin that are no key with a value."""
    rows: list[dict[str, list[str]]] = []
    starts: list[int] = []
    key = ""
    for number, line in enumerate(found.lines, 1):
        name = r"\s*(?:[-*] )?([A-Za-z][\w./()+-]*(?: [\w./()+-]+){0,4})"
        pair = re.fullmatch(name + rf"\s*{re.escape(mark)}(?:\s+(.*)|)", line)
        if line[:1].strip() and (pair is None or not pair[2]):
            rows.append(
                {
                    "heading": [
                        (line.strip("-=*[] \t") if line[0] in "-=*[" else line.rstrip()).removesuffix(":") or line
                    ]
                }
            )
            starts.append(number)
        elif pair is not None:
            key = pair[1]
            rows[-1].setdefault(key, []).append((pair[2] or "").strip())
        elif line.strip():
            rows[-1][key].append(line.strip())
    if len(rows[-1]) == 1:
        rows.pop()
        starts.pop()
    names = list(dict.fromkeys(name for row in rows for name in row))
    found.numbers |= {"stanzas": len(rows), "different keys": len(names) - 1}
    cells = {name: ["\n".join(row[name]) or None if name in row else None for row in rows] for name in names}
    return found.take(len(rows), {"line": starts, **cells})


def stanzas(found: Text, text: str, words: str) -> Text:
    """Blocks between blank lines; a key in each line that is not indented."""
    if "below headings" in words:
        return _headed(found, "|" if "Key | value" in words else "=" if "Key = value" in words else ":")
    del text
    if "Key = value" in words:
        found.lines = [re.sub(r"^ *(\S+) = ?", r"\1: ", line) for line in found.lines]
    rows: list[dict[str, list[str]]] = []
    starts: list[int] = []
    is_open, key = False, ""
    for number, line in enumerate(found.lines, 1):
        if not line.strip() or re.fullmatch(r"-{3,}", line):
            is_open = False
        elif line[0] in " \t":
            rows[-1][key].append(line[1:])
        else:
            first = next(iter(rows[0]), None) if rows else None
            if not is_open or line.partition(":")[0].strip() == first:
                rows.append({})
                starts.append(number)
                is_open = True
            key, _, value = line.partition(":")
            key = key.strip()
            rows[-1].setdefault(key, []).append(value.strip())
    names = list(dict.fromkeys(name for row in rows for name in row))
    found.numbers |= {"stanzas": len(rows), "different keys": len(names)}
    if len({name.lower() for name in (*names, "line")}) <= len(names):
        return found.take(len(rows), {})
    cells = {name: ["\n".join(row[name]) or None if name in row else None for row in rows] for name in names}
    return found.take(len(rows), {"line": starts, **cells})


def settings(found: Text, text: str, words: str) -> Text:
    """Keys with values; those in sections as configparser reads them."""
    rows: list[tuple[str | None, str, str]] = []
    if "section" in words:
        file = configparser.RawConfigParser(
            strict=False, allow_no_value=True, interpolation=None, default_section="\0", comment_prefixes=("#", ";")
        )
        file.optionxform = str  # type: ignore[method-assign, assignment]
        try:
            file.read_string("[\1]\n" + "\n".join(line.lstrip("\t") for line in text.split("\n")))
        except configparser.Error:
            return found
        sections = [name for name in file.sections() if name != "\1"]
        rows = [(name, key, value or "") for name in file.sections() for key, value in file.items(name)]
        found.numbers["sections"] = len(sections)
        keys = sum(bool(re.match(r"\s*[^\s\[#;=:][^=:]*[=:]", line)) for line in found.lines)
        if len(rows) != keys:
            return found  # a key that repeats, which configparser takes once
        names = [None if name == "\1" else name for name, _, _ in rows]
        found.numbers["keys"] = len(rows)
        return found.take(len(rows), {"section": names, "key": [key for _, key, _ in rows]})
    if re.search(r"=[\"'][^\"']*$", text, re.MULTILINE):
        return found
    pairs = [re.fullmatch(r"(?:export\s+)?([^=\s]+)\s*=\s*(.*?)\s*", line.strip()) for line in found.lines]
    kept = [one for one in pairs if one is not None and not one[0].startswith(("#", ";"))]
    found.numbers["keys"] = len(kept)
    numbers = [at for at, one in enumerate(pairs, 1) if one in kept]
    values = [re.sub(r"^([\"'])(.*)\1$", r"\2", one[2]) or None for one in kept]
    return found.take(len(kept), {"line": numbers, "key": [one[1] for one in kept], "value": values})


READERS: Final[dict[str, Callable[[Text, str, str], Text]]] = {
    "stanzas": stanzas,
    "settings": settings,
}
