"""Python literals as JSON: what ``str(rows)`` gives, as servers written in Python often answer, ``pprint`` too.

What jq sees of them: lists and tuples are arrays, dicts objects, None null; numbers stay as they are written, as keys
they are texts. ``Decimal('1.50')`` is the number 1.50, dates and times are texts as ISO 8601 writes them, UUIDs and
ObjectIds their digits, bytes are texts written as Python writes them (``b'..'``).

A text with anything else (a set, ``inf``, ``<object at ...>``) is refused.
"""

from __future__ import annotations

import ast
import json
import re
from datetime import date, datetime, time, timedelta, timezone
from itertools import chain
from typing import Any, Final

from penstock.query.parse.refusal import Refusal

LONGEST_CALL: Final = 200  # characters: a moment with its zone takes half of that

_STRING: Final = r"""[bB]?(?:'(?:[^'\\\n]|\\.)*+'|"(?:[^"\\\n]|\\.)*+")"""
_DEEPER: Final = rf"\((?:[^()'\"]|{_STRING})*+\)"
_DEEP: Final = rf"\((?:[^()'\"]|{_STRING}|{_DEEPER})*+\)"
_CALL: Final = rf"(?<![\w.])[A-Za-z_][\w.]*+\((?:[^()'\"]|{_STRING}|{_DEEP})*+\)"
# What is rewritten as a whole: strings, and values that are written as calls.
_WHOLE = re.compile(rf"({_STRING}|{_CALL})")

_QUOTES: Final = "'\""
_HOLE: Final = "\x00"  # stands for one of these in the rest of the text
_GROUP = re.compile(r"\((\s*+\x00(?:\s*+\x00)*+\s*+)\)")  # pprint writes a long string in parts, in parentheses
_SINGLE = re.compile(r"\([^,()]*+\)")  # no tuple has one item without a comma
_WORD = re.compile(r"\b(?:None|True|False)\b")
_WORDS: Final = {"None": "null", "True": "true", "False": "false"}
_BRACKET = re.compile(r"\(|(?:,\s*+)?\)")
_KEY = re.compile(r"(?<=[{,])(\s*+)(-?[0-9][0-9.e+-]*+|true|false|null)(?=\s*+:)")
_COMMA = re.compile(r",(?=\s*+[\]}])")  # people leave one behind the last item
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?")

_MOMENTS: Final[dict[str, Any]] = {"datetime": datetime, "date": date, "time": time}
_PARTS: Final[dict[str, Any]] = {"timedelta": timedelta, "timezone": timezone}  # of the zone of a moment
_TEXTS: Final = frozenset(("Decimal", "UUID", "ObjectId"))


def convert(text: bytes) -> tuple[bytes, dict[str, Any]]:
    """Return the literal as JSON; nothing is known beside it."""
    try:
        source = text.decode().strip()
    except UnicodeError as error:
        raise Refusal(str(error)) from None
    if _HOLE in source:
        raise Refusal("a NUL")
    parts = _WHOLE.split(source)
    structure, keys = _structure(_HOLE.join(parts[::2]))
    body = _filled(structure, parts[1::2])
    if keys:
        _check_keys(body)
    return body.encode(), {}


def _structure(text: str) -> tuple[str, int]:
    """Return the JSON of what stands around strings and calls, and how many keys in it were no strings."""
    text = _GROUP.sub(r"\1", text)
    if (single := _SINGLE.search(text)) is not None and single[0].strip("() \t\r\n"):
        raise Refusal("a value in parentheses")
    text = _WORD.sub(lambda word: _WORDS[word[0]], text)
    text = _BRACKET.sub(lambda bracket: "[" if bracket[0] == "(" else "]", text)
    text, keys = _KEY.subn(r'\1"\2"', text)
    return _COMMA.sub("", text), keys


def _check_keys(body: str) -> None:
    """Refuse an object in which a number and a text became the same key: ``{1: .., '1': ..}``."""

    def refuse_repeated(pairs: list[tuple[str, Any]]) -> None:
        if len({key for key, _ in pairs}) < len(pairs):
            raise ValueError("two keys that JSON writes alike")

    try:
        json.loads(body, object_pairs_hook=refuse_repeated)
    except (ValueError, RecursionError) as error:
        raise Refusal(str(error)) from None


def _filled(structure: str, parts: list[str]) -> str:
    """Return the text with all holes filled. Strings with nothing but space between them are one string."""
    written = {part: _written(part) for part in set(parts)}
    around, holes = structure.split(_HOLE), [written[part] for part in parts]
    for at in range(1, len(around) - 1):
        if not around[at].strip():
            if parts[at - 1][0] not in _QUOTES or parts[at][0] not in _QUOTES:
                raise Refusal("two values without a comma")
            around[at], holes[at - 1], holes[at] = "", holes[at - 1][:-1], holes[at][1:]
    return "".join(chain.from_iterable(zip(around, [*holes, ""], strict=True)))


def _written(part: str) -> str:
    """Return the JSON of one string or call."""
    if part[0] == "'" and "\\" not in part and '"' not in part:
        return f'"{part[1:-1]}"'
    if part[0] in "bB" and part[1] in _QUOTES:
        return json.dumps(part, ensure_ascii=False)
    if part[0] not in _QUOTES and len(part) > LONGEST_CALL:
        raise Refusal("a long call")
    try:
        value = ast.literal_eval(part) if part[0] in _QUOTES else _called(ast.parse(part, mode="eval").body)
        written = value if isinstance(value, _Number) else json.dumps(value, ensure_ascii=False)
        written.encode()  # a lone surrogate is no text
    except (ValueError, TypeError, SyntaxError, OverflowError, RecursionError) as error:
        raise Refusal(str(error)) from None
    return written


class _Number(str):
    """A number as it is written."""

    __slots__ = ()


def _called(node: ast.expr) -> Any:
    """Return the value that a call of a known class makes."""
    if isinstance(node, ast.Attribute) and node.attr == "utc":
        return timezone.utc  # noqa: UP017  # as it is written
    if not isinstance(node, ast.Call):
        return ast.literal_eval(node)
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    plain = [_called(one) for one in node.args]
    named = {one.arg: _called(one.value) for one in node.keywords if one.arg is not None}
    if name in _MOMENTS:
        return _MOMENTS[name](*plain, **named).isoformat()
    if name in _PARTS:
        return _PARTS[name](*plain, **named)
    if name not in _TEXTS or named or list(map(type, plain)) != [str]:
        raise ValueError(f"a call of {name}")
    return _Number(plain[0]) if name == "Decimal" and _NUMBER.fullmatch(plain[0]) else plain[0]
