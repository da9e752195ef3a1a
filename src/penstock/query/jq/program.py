"""Recognises jq programs that take a large array by batches, because they look at one item after the other.

Recognised are ``PATH[] | f``, ``[PATH[] | f]`` and ``PATH | map(f)``, the last two also with ``| tail`` behind them.
Everything else runs on the whole document: a program that is not recognised costs memory, one that is recognised
wrongly would give a wrong answer. So whatever is not understood here is left alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from penstock.core.json.path import parse
from penstock.errors import CallerError
from penstock.query.jq.lexer import lex

if TYPE_CHECKING:
    from penstock.core.json.path import Path
    from penstock.query.jq.lexer import Token

# These look beyond the item they are given: at other inputs, at their own place, or they stop the whole program.
_LOOKS_AROUND: Final = frozenset(
    ("input", "inputs", "input_line_number", "input_filename", "halt", "halt_error", "$__loc__", "$__prog_args")
)
# Between an array and its tail the items are written as JSON, which has no NaN and no infinity. A step that only
# picks, tests and builds cannot make one, so before a tail no other word is allowed.
_EXACT: Final = frozenset(
    (
        *("and", "or", "not", "if", "then", "elif", "else", "end", "as", "true", "false", "null", "empty"),
        *("select", "map", "del", "has", "inside", "contains", "test", "startswith", "endswith", "any", "all"),
        *("type", "values", "nulls", "strings", "booleans", "arrays", "objects", "scalars", "iterables"),
        *("length", "keys", "keys_unsorted", "to_entries", "from_entries", "with_entries", "first", "last"),
        *("sort", "sort_by", "group_by", "unique", "unique_by", "min", "max", "min_by", "max_by", "reverse", "flatten"),
        *("tostring", "ascii_downcase", "ascii_upcase", "split", "join"),
    )
)
_ARITHMETIC: Final = frozenset(("+", "-", "*", "/", "%", "+=", "-=", "*=", "/=", "%="))
_DIRECTIVES: Final = frozenset(("import", "include", "module"))

_STRING = r'"(?:[^"\\]|\\[^(])*"'
_STEP = rf"(?:\.[A-Za-z_][A-Za-z0-9_]*|\.{_STRING}|\.?\[\s*(?:{_STRING}|\d{{1,9}})\s*\])"
_WORD = re.compile(r"[A-Za-z_]")
_MODULES = re.compile(r"^\s*(?:#[^\n]*\n\s*)*(?:import|include|module)\b|\bmodulemeta\b")
_PATH = re.compile(rf"(?=\.)(?:\.|{_STEP}+)")
_EACH = re.compile(rf"(?=\.)(?P<path>\.|{_STEP}+)(?P<each>\[\s*\]\??(?:(?:{_STEP}|\[\s*\])\??)*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """The program takes the document as one value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Each:
    """The program goes through the items at ``path``.

    ``run`` is what it does with any number of them, given as an array. With ``collect`` all that comes out of it is
    put into one array, which ``tail``, if there is one, is run on.
    """

    path: Path
    run: str
    collect: bool = False
    tail: str | None = None


Plan = Whole | Each


def plan(program: str) -> Plan:
    """Plan how a program is fed. jq must have taken it: what jq refuses is not checked here."""
    tokens = lex(program)
    if tokens is None or _LOOKS_AROUND.intersection(token.text for token in tokens):
        return Whole()
    try:
        return _items(program, tokens) or _collected(program, tokens) or Whole()
    except CallerError:  # a path that cannot be read here: jq may know better
        return Whole()


def uses_modules(program: str) -> bool:
    """Return True if a program would read files: directives stand at its start, the function for them anywhere."""
    tokens = lex(program)
    if tokens is None:
        return _MODULES.search(program) is not None
    words = [token.text for token in tokens]
    return "modulemeta" in words or not _DIRECTIVES.isdisjoint(words[:1])


def _steps(program: str, tokens: list[Token]) -> tuple[Path, str, str | None]:
    """Return the path that the program begins with (``.a | .b | ...``), the step after it, and what follows that
    step."""
    path: Path = ()
    start = 0
    for pipe in (token.start for token in tokens if token.text == "|" and not token.within):
        step = program[start:pipe].strip()
        if not _PATH.fullmatch(step):
            return path, step, program[pipe + 1 :]
        path = (*path, *parse(step))
        start = pipe + 1
    return path, program[start:].strip(), None


def _items(program: str, tokens: list[Token]) -> Each | None:
    """Return the plan for ``PATH[] | f``."""
    path, step, rest = _steps(program, tokens)
    each = _EACH.fullmatch(step)
    if each is None:
        return None
    run = f".{each['each']}" + ("" if rest is None else f" | {rest}")
    return Each(path=(*path, *parse(each["path"])), run=run)


def _collected(program: str, tokens: list[Token]) -> Each | None:
    """Return the plan for ``[PATH[] | f] | tail`` or ``map(f) | tail``."""
    path, step, tail = _steps(program, tokens)
    inner = lex(step) or []
    each = _collected_step(step, inner)
    if each is None or (tail is not None and not _is_exact(inner)):
        return None
    return replace(each, path=(*path, *each.path), collect=True, tail=tail)


def _collected_step(step: str, tokens: list[Token]) -> Each | None:
    top = [token.text for token in tokens if not token.within]
    if top == ["[", "]"]:
        content = step[1:-1]
        return _items(content, lex(content) or [])
    if top == ["map", "(", ")"]:
        return Each(path=(), run=f".[] | {step.removeprefix('map')}")
    return None


def _is_exact(tokens: list[Token]) -> bool:
    before = ""
    for token in tokens:
        is_key = token.within == "{" and before in ("{", ",")
        if token.text in _ARITHMETIC or not (is_key or token.text in _EXACT or not _WORD.match(token.text)):
            return False
        before = token.text
    return True
