"""Docstrings and comments avoid phrases that a reader has to decode. CONTRIBUTING.md has the whole guide."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).parents[1]
FILES: Final = sorted(file for folder in ("src/penstock", "examples") for file in (ROOT / folder).rglob("*.py"))
BANNED: Final = {
    r"\b(Tell|Return) whether\b": "write: Return True if",
    r"\binside of\b": "write: inside",
    r"\b(whoever|somebody|someone|anybody)\b": "name the actor: client, upstream, model, gate, store, user",
}
QUESTIONS: Final = ("What", "Where", "How", "Which", "Who", "Whose", "When", "Why", "Whether")


def prose(source: str) -> Iterator[tuple[int, str]]:
    """Yield the strings and the comments of a module, with their lines."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in (tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", -1)):
            yield token.start[0], token.string


def banned(source: str) -> list[tuple[int, str]]:
    """Return the lines with a banned phrase, each with the advice."""
    return [
        (line, advice)
        for line, text in prose(source)
        for pattern, advice in BANNED.items()
        if re.search(pattern, text, re.IGNORECASE)
    ]


def test_no_docstring_or_comment_has_a_banned_phrase() -> None:
    wrong = {f"{file.relative_to(ROOT)}": lines for file in FILES if (lines := banned(file.read_text("utf-8")))}
    assert wrong == {}


def test_the_docstring_of_a_module_or_class_is_not_a_question() -> None:
    wrong = [
        f"{file.relative_to(ROOT)}: {words[0]}"
        for file in FILES
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Module | ast.ClassDef)
        if (words := (ast.get_docstring(node) or "").split()) and words[0] in QUESTIONS
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("source", "is_wrong"),
    [
        ('"""Tell whether it fits."""', True),
        ("x = 1  # inside of a block", True),
        ('"""Return True if somebody waits."""', True),
        ('"""Return True if the client waits inside the block."""', False),
        ("somebody = 1", False),
    ],
)
def test_a_banned_phrase_is_found_in_strings_and_comments(source: str, is_wrong: bool) -> None:
    assert bool(banned(source + "\n")) is is_wrong
