"""The package's prose says what is done and by whom: docstrings begin with a verb, and actors have names.

A verb that is missing here is added to the list; a noun phrase is written anew.
"""

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

SOURCE: Final = Path(__file__).parents[1] / "src/penstock"
FILES: Final = sorted(SOURCE.rglob("*.py"))

VERBS: Final = frozenset(
    re.findall(
        r"\w+",
        """
        Add Admit Allow Answer Apply Ask Assemble Begin Build Call Cancel Carry Claim Close Collect Commit
        Compare Compile Confine Continue Convert Copy Correct Count Cut Decide Declare Decode Delete Deliver
        Describe Do Drop Encode End Enter Escape Expand Explain Fail Fill Find Finish Follow Forbid Forget Give
        Go Hand Handle Hang Have Hear Hold Import Index Join Judge Keep Lay Learn Leave Lend Let Lift Limit List
        Log Look Lower Make Mark Measure Merge Move Name Note Open Overwrite Pack Parse Pass Plan Post Print
        Purge Put Queue Raise Rank Rate Read Receive Recognise Redirect Refuse Relay Release Remember Remove
        Rename Render Replace Report Request Reserve Resolve Restart Restore Resume Return Run Say Search Send
        Serve Shorten Show Skip Sort Split Stand Start Stop Suggest Sum Take Tell Try Turn Unescape Wait Walk
        Widen Write Yield
        """,
    )
)
QUESTIONS: Final = ("What", "Where", "How", "Which", "Who", "Whose", "When", "Why", "Whether")
NAMELESS: Final = re.compile(r"\b(?:whoever|nobody|somebody|someone|anybody)\b", re.IGNORECASE)
NAMES: Final = ('"nobody"',)  # a value that stores have: the owner of what no later run may open


def functions(file: Path) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, str]]:
    """Yield the functions of a file that have a docstring, with its first word."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (
            words := (ast.get_docstring(node) or "").split()
        ):
            yield node, words[0].rstrip(".,:;")


def prose(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the texts and the comments of a file."""
    for token in tokenize.generate_tokens(io.StringIO(file.read_text("utf-8")).readline):
        if token.type in (tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", -1)):
            yield token.start[0], token.string


def places(file: Path, lines: list[int]) -> list[str]:
    return [f"{file.relative_to(SOURCE).as_posix()}:{line}" for line in lines]


def test_the_docstring_of_every_function_begins_with_a_verb() -> None:
    wrong = {
        place: word
        for file in FILES
        for node, word in functions(file)
        if word not in VERBS
        for place in places(file, [node.lineno])
    }
    assert wrong == {}


def test_the_docstring_of_a_class_names_the_thing_and_asks_no_question() -> None:
    wrong = {
        place: words[0]
        for file in FILES
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
        if (words := (ast.get_docstring(node) or "").split()) and words[0] in QUESTIONS
        for place in places(file, [node.lineno])
    }
    assert wrong == {}


def test_no_verb_of_the_list_is_left_over() -> None:
    used = {word for file in FILES for _, word in functions(file)}
    assert VERBS - used == set()


def test_no_text_or_comment_speaks_of_an_actor_without_a_name() -> None:
    wrong = [
        place
        for file in FILES
        for line, text in prose(file)
        if text not in NAMES and NAMELESS.search(text)
        for place in places(file, [line])
    ]
    assert wrong == [], "say which: client, upstream, model, gate, store, user"


@pytest.mark.parametrize(
    ("text", "is_wrong"), [("The store tells", False), ("Nobody waits", True), ("whoever asks", True)]
)
def test_actors_without_a_name_are_recognised(text: str, is_wrong: bool) -> None:
    assert bool(NAMELESS.search(text)) is is_wrong
