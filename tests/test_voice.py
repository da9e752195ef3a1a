"""The package and the examples say who does what, and name things by what they are.

Docstrings begin with a verb, and actors have names. Values are ``matches``, ``arguments``, ``notice``, not ``found``,
``given``, ``told``. A verb that is missing here is added to the list; a noun phrase is written anew.
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

ROOT: Final = Path(__file__).parents[1]
FILES: Final = sorted(file for folder in ("src/penstock", "examples") for file in (ROOT / folder).rglob("*.py"))

VERBS: Final = frozenset(
    re.findall(
        r"\w+",
        """
        Add Admit Allow Answer Apply Ask Begin Build Call Cancel Carry Change Check Claim Close Collect
        Commit Compare Compile Confine Continue Convert Copy Correct Count Cut Decide Declare Decode Delete
        Deliver Describe Do Drop Encode End Enter Escape Expand Explain Fail Fetch Fill Find Finish Follow
        Forbid Forget Give Go Hand Handle Hang Have Hear Hold Import Index Join Judge Keep Lay Learn Leave Lend
        Let Lift Limit List Load Log Look Lower Make Mark Measure Merge Move Name Note Open Overwrite Pack Parse
        Pass Plan Post Print Purge Put Query Queue Raise Rank Rate Read Receive Recognise Redirect Refuse Relay
        Release Remember Remove Rename Render Replace Report Request Reserve Resolve Restart Restore Resume
        Return Run Say Scan Search Send Serve Shorten Show Skip Sort Split Stand Start Stop Store Suggest Sum
        Take Tell Try Turn Wait Walk Widen Write Yield
        """,
    )
)
QUESTIONS: Final = ("What", "Where", "How", "Which", "Who", "Whose", "When", "Why", "Whether")
NAMELESS: Final = re.compile(r"\b(?:whoever|nobody|somebody|someone|anybody)\b", re.IGNORECASE)
NAMES: Final = ('"nobody"',)  # a value that stores have: the owner of what no later run may open
PARTICIPLES: Final = frozenset({"told", "asked", "found", "given", "shown", "said"})
PUBLIC: Final = {"shown"}  # a member of Preview, Selection and Allocation, which callers use


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


def names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield all names in the code of a file, but for members of public classes."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.arg(arg=name) | ast.ClassDef(name=name):
                yield node.lineno, name
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield node.lineno, name
            case ast.ImportFrom(module=str(module)):
                yield from ((node.lineno, name) for name in module.split("."))
            case ast.alias(name=name, asname=other):
                yield from ((node.lineno, one) for one in (*name.split("."), other or ""))
            case (
                ast.Attribute(attr=name)
                | ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.keyword(arg=str(name))
            ) if name not in PUBLIC:
                yield node.lineno, name


def participles(source: str) -> list[int]:
    """Return the lines that name something by a participle."""
    tree = ast.parse(source)
    fields = {
        (member.lineno, member.target.id)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for member in node.body
        if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name) and member.target.id in PUBLIC
    }
    return [line for line, name in names(tree) if name.strip("_").lower() in PARTICIPLES and (line, name) not in fields]


def places(file: Path, lines: list[int]) -> list[str]:
    return [f"{file.relative_to(ROOT).as_posix()}:{line}" for line in lines]


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


def test_values_are_named_by_nouns() -> None:
    wrong = [place for file in FILES for place in places(file, participles(file.read_text("utf-8")))]
    assert wrong == [], "say what the value is: facts, request, matches, arguments, rows, message"


def test_the_docstring_of_a_module_is_a_statement() -> None:
    questions = [
        file.relative_to(ROOT).as_posix()
        for file in FILES
        if (ast.get_docstring(ast.parse(file.read_text("utf-8"))) or "").split(" ", 1)[0] in QUESTIONS
    ]
    assert questions == []


@pytest.mark.parametrize(
    ("source", "is_wrong"),
    [
        ("found = 1", True),
        ("def told(): ...", True),
        ("class Asked: ...", True),
        ("lambda given: 0", True),
        ("self._said = 1", True),
        ("call(found=1)", True),
        ("SHOWN = 60", True),
        ("from package.shown import other", True),
        ("match one:\n    case Pass(cost=found): ...", True),
        ("shown = 1", True),
        ("class Preview:\n    shown: int", False),
        ("preview.shown", False),
        ("shown_text = matches", False),
        ("not_found = 'found'", False),
    ],
)
def test_names_by_participles_are_recognised(source: str, is_wrong: bool) -> None:
    assert bool(participles(source)) is is_wrong
