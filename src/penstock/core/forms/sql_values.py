"""Reads names, values, comments and the columns of a table from SQL, in the dialects that dumps are in."""

from __future__ import annotations

import re
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.delimited import typed

if TYPE_CHECKING:
    from collections.abc import Sequence

# A string with doubled quotes, and the same where a backslash escapes as well (MySQL).
_PLAIN: Final = r"'[^']*+(?:''[^']*+)*+'"
_ESCAPING: Final = r"'[^'\\]*+(?:(?:''|\\.)[^'\\]*+)*+'"
_NAME: Final = r'(?:"(?:[^"]|"")*+"|`(?:[^`]|``)*+`|\[[^\]]*+\]|[^\s"`\[(),;.]++)'
NAME: Final = rf"{_NAME}(?:\.{_NAME}){{0,2}}+"
NAMES = re.compile(_NAME)

_PARTS = re.compile(rf"--[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/|{_ESCAPING}|\"[^\"]*+\"|`[^`]*+`|[(),]")
_COLUMN = re.compile(
    rf"\s*+({_NAME})\s*+((?:[A-Za-z_]\w*+(?:\s++(?:varying|precision|with(?:out)?\s++time\s++zone|unsigned))?+)?+"
    r"(?:\s*+\([^()]*+\))?+)",
    re.IGNORECASE,
)
_NO_COLUMN = re.compile(
    r"\s*+(?:primary|key|unique|constraint|foreign|check|index|fulltext|spatial|exclude|like|period)\b"
    r"(?!\s++(?:text|(?:var)?char|character|(?:small|big)?int|integer|date|time|bool|jsonb?|uuid|numeric|blob)\b)",
    re.IGNORECASE,
)
_TEXT_TYPE = re.compile(r"(?i)char|text|uuid|json|bytea|clob|enum|inet|cidr|xml|blob|name|citext")
_BOOL_TYPE = re.compile(r"(?i)bool")
_QUOTED = re.compile(r"(?:[nNeEbB]|_[a-z0-9]++ ?)?+'(.*)'(?:::[\w \"\[\]().]++)?+", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)|''", re.DOTALL)
_MEANT: Final = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "f": "\f", "v": "\v"}
_COPIED = re.compile(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)", re.DOTALL)
_DOLLAR = re.compile(r"\$\w*+\$")
_NULLS: Final = frozenset({"NULL", "null", "Null"})
_TRUTHS: Final = {"true": True, "false": False}


class Values:
    """Patterns of rows and values, with or without backslashes that escape."""

    def __init__(self, *, escaping: bool) -> None:
        text = _ESCAPING if escaping else rf"(?<=[eE]){_ESCAPING}|{_PLAIN}"
        inner = rf"\((?:[^'()]++|{text})*+\)"
        self.escaping = escaping
        self._row = re.compile(rf"[\s,]*+\(((?:[^'()]++|{text}|{inner})*+)\)", re.DOTALL)
        self._value = re.compile(rf"(?:[^',()]++|{text}|{inner})++", re.DOTALL)

    def width(self, rest: str) -> int:
        """Return the number of values in the first row of a text."""
        row = self._row.match(rest)
        return len(self._value.findall(row[1])) if row else 0

    def rows(self, width: int) -> re.Pattern[str]:
        """Return a pattern of rows of so many values, a group each; the last group has all that is behind the last
        row."""
        return _rows(self._value.pattern, width, escaping=self.escaping)


@lru_cache(maxsize=64)
def _rows(value: str, width: int, *, escaping: bool) -> re.Pattern[str]:
    plain = r"[^'\\]" if escaping else "[^']"
    one = rf"('{plain}*'(?=[,)])|[^'(),]+(?=[,)])|{value})"  # most are a simple text or a number
    return re.compile(rf"[\s,]*+\({','.join([one] * width)}\)|(.+)", re.DOTALL)


def bare(name: str) -> str:
    """Return a name without its quotes."""
    if name[:1] in ('"', "`"):
        return name[1:-1].replace(name[0] * 2, name[0])
    return name[1:-1] if name.startswith("[") else name


def columns_of(definition: str) -> dict[str, str]:
    """Return the columns of a table by their names, with their types, from what stands in the parentheses of CREATE
    TABLE."""
    parts, depth, start = [], 0, 0
    kept: list[str] = []
    for match in _PARTS.finditer(definition):
        mark = match[0]
        if mark.startswith(("--", "/*")):
            kept.append(definition[start : match.start()])
            start = match.end()
        elif mark == "," and not depth:
            parts.append("".join((*kept, definition[start : match.start()])))
            kept, start = [], match.end()
        else:
            depth += (mark == "(") - (mark == ")")
    parts.append("".join((*kept, definition[start:])))
    columns: dict[str, str] = {}
    for part in parts:
        found_column = _COLUMN.match(part)
        if found_column is not None and _NO_COLUMN.match(part) is None:
            columns[bare(found_column[1])] = " ".join(found_column[2].split())
    return columns


def inserted(cells: Sequence[str], *, escaping: bool, as_text: bool) -> list[Any]:
    """Return the values of one column as INSERT writes them: numbers only if all would be written back as they
    stand."""
    firsts = set(map(itemgetter(0), cells))
    if not firsts.isdisjoint(" \n\t"):
        cells = list(map(str.strip, cells))
        firsts = set(map(itemgetter(slice(1)), cells))
    text = "\n".join(cells)
    if firsts == {"'"} and "\\" not in text and "::" not in text:
        if "''" not in text and text.count("\n") == len(cells) - 1:
            return text[1:-1].split("'\n'")
        return [cell[1:-1].replace("''", "'") for cell in cells]
    if "'" not in text:
        empty = cells if _NULLS.isdisjoint(cells) else ["" if cell in _NULLS else cell for cell in cells]
        if as_text:
            return [cell or None for cell in empty]
        numbers = typed(empty)
        if str not in set(map(type, numbers)):
            return numbers
        truths = [_TRUTHS.get(cell.lower()) if cell else None for cell in empty]
        return numbers if truths.count(None) > empty.count("") else truths
    return [_unquoted(cell, escaping=escaping) if "'" in cell else None if cell in _NULLS else cell for cell in cells]


def _unquoted(cell: str, *, escaping: bool) -> str:
    """Return the text in quotes; anything else around a text stays as it is written."""
    match = _QUOTED.fullmatch(cell)
    if match is None:
        return cell
    text = match[1]
    if "'" not in text and "\\" not in text:
        return text
    if escaping or cell[0] in "eE":
        return _ESCAPE.sub(lambda one: "'" if one[1] is None else _MEANT.get(one[1], one[1]), text)
    return text.replace("''", "'")


def copied(cells: Sequence[str], declared: str, *, as_text: bool) -> list[Any]:
    r"""Return the values of one column as COPY writes them: ``\N`` is null, and other backslashes escape."""
    if _BOOL_TYPE.match(declared) and {"t", "f", r"\N"}.issuperset(cells) and not as_text:
        return [None if cell == r"\N" else cell == "t" for cell in cells]
    if not as_text and not _TEXT_TYPE.search(declared) and "" not in cells:
        numbers = typed(["" if cell == r"\N" else cell for cell in cells])
        if str not in set(map(type, numbers)):
            return numbers
    plain = (cell if "\\" not in cell else None if cell == r"\N" else _COPIED.sub(_copied, cell) for cell in cells)
    return list(plain)


def _copied(match: re.Match[str]) -> str:
    code = match[1]
    if code[0] == "x" and len(code) > 1:
        return chr(int(code[1:], 16))
    return chr(int(code, 8) & 0xFF) if code[0] in "01234567" else _MEANT.get(code, code)


def names_in(written: str | None) -> list[str]:
    """Return the names in a list of columns, with or without its parentheses."""
    return [bare(one) for one in NAMES.findall(written.strip("() "))] if written else []


def inside(text: str) -> str:
    """Return what stands before the parenthesis that closes a definition: options of the table follow it."""
    return text[: text.rfind(")")] if ")" in text else text


def without_comment(line: str) -> str:
    """Return a line without the comment at its end; one in which quotes come before it is left as it is."""
    head, mark, _ = line.partition("--")
    return head.rstrip() if mark and not head.count("'") & 1 else line.rstrip()


def dollar_quote(line: str, dollar: str) -> str:
    """Return the mark of the text in dollar quotes that goes on behind a line; nothing where none does."""
    for tag in _DOLLAR.findall(line) if "$" in line else ():
        dollar = "" if dollar == tag else dollar or tag
    return dollar
