"""No pattern of the package takes quadratic work on a line, whatever one character or pair fills it."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import string
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest

import penstock
from penstock.core.forms import log_facts
from penstock.core.forms.engine import LineForm
from penstock.core.forms.log_layout import BEFORE, HEADS, SOURCES, entry_pattern
from penstock.core.forms.log_times import STAMPS
from tests.kit.pattern_steps import MOST, search_of, walk_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import ModuleType

LENGTH = 40  # characters of a line, and twice as many
GROWTH = 3  # times the steps for twice the characters: linear work takes 2 times as many, quadratic work 4 times
FEW = 300  # steps that any pattern may take for a line
STARTS = ["", "a", "[", "FAILED "]
FILLS = [*string.punctuation, " ", "a", "0", "a:", "a ", "1,", "/a", "a::", "a.", "=a", "[a]", "a_", "- ", ") "]
ENDS = ["\x01", "a\n"]
LINES = [
    "",
    "a/b.py:12:5: error: no such name [E501]",
    "2024-05-01 10:00:00,123 INFO x=1",
    "| a | b |",
    "---+---",
    "3 rows\n",
]


SEARCHING: Final = ("search", "sub", "subn", "finditer", "findall", "split")  # They try each place of a text.
BOUNDED: Final = {  # Patterns that take quadratic work, with the reason why their texts are short.
    r"\[.[^]]*\]|[*?]": "a pattern of a rule: the operator writes it",
    log_facts._VALUES.pattern: "a message: it is cut to 200 characters",
}


class Pattern(NamedTuple):
    """A pattern, and whether it is searched for in a text, or matches at one place."""

    compiled: re.Pattern[Any]
    is_searched: bool = False

    @property
    def few(self) -> int:
        """The steps that the pattern may take for any line: some for each place."""
        return 4 * FEW if self.is_searched else FEW

    def steps(self, line: str) -> int:
        return (search_of if self.is_searched else walk_of)(self.compiled, line).steps


def patterns() -> Iterator[tuple[str, Pattern]]:
    """All patterns of the package: those in the members of its modules, and those that a function writes as a text."""
    searched: set[re.Pattern[Any]] = set()
    names: dict[re.Pattern[Any], str] = {}
    for info in pkgutil.walk_packages(penstock.__path__, f"{penstock.__name__}."):
        if info.name.endswith("__main__"):
            continue
        module = importlib.import_module(info.name)
        for name, value, is_searched in (*in_members(module), *in_calls(module)):
            for one in values_in(value):
                names.setdefault(one, f"{info.name.partition('.')[2]}.{name} {one.pattern[:40]!r}")
                searched |= {one} if is_searched else set()
    for one, name in names.items():
        yield name, Pattern(one, is_searched=one in searched)


def calls_of(module: ModuleType) -> Iterator[tuple[str, str, list[ast.expr]]]:
    """The calls of a method of a name in a module: the name, the method, and the arguments."""
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method), args=arguments):
                yield name, method, arguments


def in_members(module: ModuleType) -> Iterator[tuple[str, Any, bool]]:
    searched = {name for name, method, _ in calls_of(module) if method in SEARCHING}
    for name, value in vars(module).items():
        yield name, value, name in searched


def in_calls(module: ModuleType) -> Iterator[tuple[str, Any, bool]]:
    for name, method, arguments in calls_of(module):
        match arguments:
            case [ast.Constant(value=str() | bytes() as source), *_] if name == "re":
                yield method, re.compile(source), method in SEARCHING


def layouts() -> Iterator[tuple[str, Pattern]]:
    """The patterns of layouts of logs: with each stamp, each text before it, each head, and each source."""
    plain = {"before": "nothing", "stamp": "iso", "head": "", "level": None, "source": "none"}
    parts: dict[str, Iterable[str]] = {"stamp": STAMPS, "before": BEFORE, "head": HEADS, "source": SOURCES}
    for part, values in parts.items():
        for value in values:
            for level in (None, 0, 2) if part == "source" else (None,):
                layout = {**plain, part: value, "level": level}
                yield f"a log: {' '.join(map(str, layout.values()))}", Pattern(entry_pattern(layout))


def values_in(value: Any) -> Iterator[re.Pattern[Any]]:
    value = getattr(value, "__self__", value) if callable(value) else value
    value = value.patterns if isinstance(value, LineForm) else value
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict | tuple | list | set | frozenset):
        for one in value.values() if isinstance(value, dict) else value:
            yield from values_in(one)


ALL = {**dict(patterns()), **dict(layouts())}


def is_quadratic(pattern: Pattern) -> bool:
    for start in STARTS:
        for fill in FILLS:
            for end in ENDS:
                line, longer = (start + (fill * size)[:size] + end for size in (LENGTH, 2 * LENGTH))
                steps = pattern.steps(longer)
                if steps > MOST or (steps > pattern.few and steps > GROWTH * pattern.steps(line)):
                    return True
    return False


@pytest.mark.parametrize("name", sorted(ALL))
def test_pattern_takes_work_that_grows_with_the_line_only(name: str) -> None:
    assert is_quadratic(ALL[name]) is (ALL[name].compiled.pattern in BOUNDED)


@pytest.mark.parametrize(
    "source", [r"[^\s:]\S*?::(\S.*?) PASSED", r"\w+[-_]+\w\S*+", r"\[ *([^\]]*?)\] x", r"[/ ]*[/][/ ]*", r"(?:a|aa)*c"]
)
def test_steps_tell_quadratic_patterns(source: str) -> None:
    assert is_quadratic(Pattern(re.compile(source)))


@pytest.mark.parametrize("source", [r"\s+$", r"\w+:", r"\[[^]]*+\]", r"[0-9]*+,"])
def test_steps_tell_quadratic_searches(source: str) -> None:
    assert is_quadratic(Pattern(re.compile(source), is_searched=True))
    assert not is_quadratic(Pattern(re.compile(source)))


@pytest.mark.parametrize("name", sorted(ALL))
def test_steps_end_where_the_re_module_ends(name: str) -> None:
    pattern = ALL[name].compiled
    for line in LINES:
        text = line if isinstance(pattern.pattern, str) else line.encode()
        assert walk_of(pattern, line).matched is (pattern.fullmatch(text) is not None)
        assert search_of(pattern, line).matched is (pattern.search(text) is not None)


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (r"(?:a|bc)*?d", "abcad"),
        (r"(?P<x>\w)(?P=x)\b", "aa"),
        (r"(?i:AB)[x-z][^0-9\x01]+$", "abxyz"),
        (r"(?<!\\)\|(?=x)(?>a*|x)x?y", "|xy"),
        (r"^\d{2,3}+\D.\Z", "123a!"),
        (r"(\()?x(?(1)\)|!)", "(x)"),
        (r"(\()?x(?(1)\)|!)", "x!"),
        (r"(?:x\B)?+.*?\s[\S]", "xy z"),
    ],
)
def test_steps_end_with_a_match(source: str, line: str) -> None:
    assert re.fullmatch(source, line)
    assert walk_of(re.compile(source), line).matched
    assert not walk_of(re.compile(source), f"{line}\x01").matched
