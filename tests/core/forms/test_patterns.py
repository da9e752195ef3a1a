"""No pattern of a form takes quadratic work on a line, whatever one character or pair fills it."""

from __future__ import annotations

import importlib
import pkgutil
import re
import string
from typing import TYPE_CHECKING, Any

import pytest

from penstock.core import forms
from penstock.core.forms.engine import LineForm
from penstock.core.forms.log_layout import BEFORE, HEADS, SOURCES, entry_pattern
from penstock.core.forms.log_times import STAMPS
from tests.kit.forms.pattern_steps import MOST, walk_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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


def patterns() -> Iterator[tuple[str, re.Pattern[Any]]]:
    """All compiled patterns of the modules, also those in dictionaries and tuples, each once."""
    known = set()
    for module in pkgutil.walk_packages(forms.__path__, f"{forms.__name__}."):
        members = vars(importlib.import_module(module.name))
        for name, value in members.items():
            for one in values_in(value):
                if one not in known:
                    known.add(one)
                    yield f"{module.name.rpartition('.')[2]}.{name} {one.pattern[:40]!r}", one


def layouts() -> Iterator[tuple[str, re.Pattern[Any]]]:
    """The patterns of layouts of logs: with each stamp, each text before it, each head, and each source."""
    plain = {"before": "nothing", "stamp": "iso", "head": "", "level": None, "source": "none"}
    parts: dict[str, Iterable[str]] = {"stamp": STAMPS, "before": BEFORE, "head": HEADS, "source": SOURCES}
    for part, values in parts.items():
        for value in values:
            for level in (None, 0, 2) if part == "source" else (None,):
                layout = {**plain, part: value, "level": level}
                yield f"a log: {' '.join(map(str, layout.values()))}", entry_pattern(layout)


def values_in(value: Any) -> Iterator[re.Pattern[Any]]:
    value = getattr(value, "__self__", value) if callable(value) else value
    value = value.patterns if isinstance(value, LineForm) else value
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict | tuple | list | set | frozenset):
        for one in value.values() if isinstance(value, dict) else value:
            yield from values_in(one)


ALL = {**dict(patterns()), **dict(layouts())}


def is_quadratic(pattern: re.Pattern[Any]) -> bool:
    for start in STARTS:
        for fill in FILLS:
            for end in ENDS:
                line, longer = (start + (fill * size)[:size] + end for size in (LENGTH, 2 * LENGTH))
                steps = walk_of(pattern, longer).steps
                if steps > MOST or (steps > FEW and steps > GROWTH * walk_of(pattern, line).steps):
                    return True
    return False


@pytest.mark.parametrize("name", sorted(ALL))
def test_pattern_takes_work_that_grows_with_the_line_only(name: str) -> None:
    assert not is_quadratic(ALL[name])


@pytest.mark.parametrize(
    "source", [r"[^\s:]\S*?::(\S.*?) PASSED", r"\w+[-_]+\w\S*+", r"\[ *([^\]]*?)\] x", r"[/ ]*[/][/ ]*", r"(?:a|aa)*c"]
)
def test_steps_tell_quadratic_patterns(source: str) -> None:
    assert is_quadratic(re.compile(source))


@pytest.mark.parametrize("name", sorted(ALL))
def test_steps_end_where_the_re_module_ends(name: str) -> None:
    pattern = ALL[name]
    for line in LINES:
        text = line if isinstance(pattern.pattern, str) else line.encode()
        assert walk_of(pattern, line).matched is (pattern.fullmatch(text) is not None)


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (r"(?:a|bc)*?d", "abcad"),
        (r"(?P<x>\w)(?P=x)\b", "aa"),
        (r"(?i:AB)[x-z][^0-9\x01]+$", "abxyz"),
        (r"(?<!\\)\|(?=x)(?>a*|x)x?y", "|xy"),
        (r"^\d{2,3}+\D.\Z", "123a!"),
        (r"(?:x\B)?+.*?\s[\S]", "xy z"),
    ],
)
def test_steps_end_with_a_match(source: str, line: str) -> None:
    assert re.fullmatch(source, line)
    assert walk_of(re.compile(source), line).matched
    assert not walk_of(re.compile(source), f"{line}\x01").matched
