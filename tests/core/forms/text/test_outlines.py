"""Outlines are made from trees that the test knows; depth, parent and text of every line must come back."""

from __future__ import annotations

import random

import pytest

from penstock.core.forms.api import BATCH, DoesNotHoldError
from penstock.core.forms.text.outlines import FORM
from tests.kit.forms.reading import Read, read_as

WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]


def make_tree(seed: int, count: int, deepest: int = 5) -> list[tuple[int, int | None, str]]:
    """Depth, parent (its row, from 1) and text of every node, in the order of the text."""
    rng = random.Random(seed)
    nodes: list[tuple[int, int | None, str]] = []
    path: list[int] = []
    for row in range(1, count + 1):
        depth = rng.randint(0, min(len(path), deepest)) if row > 3 else row - 1
        path = [*path[:depth], row]
        nodes.append((depth, path[-2] if depth else None, " ".join(rng.choices(WORDS, k=rng.randint(1, 5)))))
    return nodes


def read(text: str | bytes) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("indent", ["  ", "    ", "\t", " "])
@pytest.mark.parametrize("bullet", ["- ", "* ", "1. ", "+   ", "• ", "a) "])
def test_every_line_has_its_depth_its_parent_and_its_text(seed: int, indent: str, bullet: str) -> None:
    tree = make_tree(seed, random.Random(seed).randint(12, 200))
    text = "\n".join(f"{indent * depth}{bullet}{words}" for depth, _, words in tree)
    found = read(text)
    assert found.column("line") == list(range(1, len(tree) + 1))
    assert found.column("_depth") == [depth for depth, _, _ in tree]
    assert found.column("_parent") == [parent for _, parent, _ in tree]
    assert found.column("text") == [words for _, _, words in tree]
    deepest = max(depth for depth, _, _ in tree)
    assert found.words.what == f"a nested list: {len(tree)} lines, {deepest + 1} levels"


def test_a_long_outline_with_blank_lines_is_given_out_in_batches() -> None:
    tree = make_tree(7, 2 * BATCH + 9)
    lines: list[str] = []
    numbers = []
    for at, (depth, _, words) in enumerate(tree):
        lines += [""] * (at % 7 == 3) + ["   "] * (at % 11 == 5)
        lines.append(f"{'  ' * depth}- {words}")
        numbers.append(len(lines))
    found = read("\n".join([*lines, *[""] * BATCH * 2]))
    assert found.column("line") == numbers
    assert found.column("_parent") == [parent for _, parent, _ in tree]


def test_the_first_lines_of_a_long_top_level_are_shown() -> None:
    text = "\n".join(
        f"- part {part}\n" + "".join(f"  - item {item}\n" for item in range(part + 1)) for part in range(15)
    )
    [excerpt] = read(text).words.excerpts
    assert excerpt.title == "first 12 of 15 lines of the top level"
    assert excerpt.lines[:2] == ("- part 0", "- part 1")
    assert excerpt.numbers[:2] == (1, 4)


def test_the_upper_levels_that_fit_are_shown() -> None:
    text = "- one\n  - a\n  - b\n- two\n  - c\n" + "    - deep\n" * 30
    found = read(text)
    [excerpt] = found.words.excerpts
    assert excerpt.title == "top 2 levels"
    assert excerpt.lines == ("- one", "  - a", "  - b", "- two", "  - c")
    [only] = read("- one\n" + "  - a\n" * 30).words.excerpts
    assert (only.title, only.lines) == ("top level", ("- one",))


def test_a_line_without_a_bullet_is_counted_and_lies_below_the_item_it_continues() -> None:
    tree = [f"{'  ' * (number % 3)}- item {number}" for number in range(60)]
    tree[5] += "\n      which goes on"
    found = read("\n".join(tree))
    assert found.column("text")[6] == "which goes on"
    assert found.column("_parent")[6] == 6
    assert "1 line without a bullet" in found.words.facts


YAML = "\n".join(f"- name: thing\n  size: {number}\n  parts:\n    - one\n    - two" for number in range(30))
KEYS = "\n".join(f"- key{number}: value\n  - other{number}: value" for number in range(30))
CODE = "\n".join(f"class Name{number}:\n    def method(self):\n        return self.value" for number in range(30))
PROSE = "\n\n".join(
    "    A paragraph begins with an indented line that is as long as lines of prose are,\n"
    "and then goes on in lines that are not indented, until it ends. And so on and on."
    for _ in range(30)
)


@pytest.mark.parametrize(
    "text",
    [
        YAML,
        KEYS,
        CODE,
        PROSE,
        "a,b\n1,2\n" * 20,
        '{\n  "a": {\n    "b": 1\n  }\n}\n' * 20,
        "# Title\n\n- a\n- b\n\nText.\n" * 10,
        "- one\n- two\n" * 20,
        "one\n  two\n" * 20,
        "- one\n  - two\n" * 3,
        "  one\n    two\n- three\n      four\n" * 20,
        "- one\n" * 50 + "  - two\n" * 2,
        "one\n        two\n  three\n    four\n" * 20,
        "one\n   two\n     three\n  four\n" * 20,
        "├── one\n│   └── two\n│       three\n" * 20,
        "  0   0 139  dark blue\n 12  12 139  blue\n200 100 139  red\n" * 20,
        "- a\n  - " + "long " * 60 + "\n",
        "- " + "long " * 60 + "\n  - x\n",
        "",
    ],
)
def test_other_texts_are_no_outlines(text: str) -> None:
    assert read_as(FORM, text) is None


def test_a_list_that_becomes_another_text_does_not_hold() -> None:
    tree = "\n".join(f"{'  ' * depth}- {words}" for depth, _, words in make_tree(1, 500))
    other = "a line of another kind\n"
    assert read_as(FORM, f"{tree}\n{other * 60}") is None


def test_hostile_texts_come_back_as_they_are_and_are_quoted_in_what_we_say() -> None:
    odd = ["\x1b[2J| ignore this", "x" * 1_000_000, "\ud800", "9" * 400, "'; DROP TABLE items; --"]
    lines = [line for text in odd for line in (f"- {text}", *["  - below", "    - deeper"] * 20)]
    found = read("\r\n".join(lines))
    assert [text for depth, text in zip(found.column("_depth"), found.column("text"), strict=True) if not depth] == odd
    assert all(fact.isprintable() for fact in found.words.facts)


@pytest.mark.parametrize("line", [" " * 1_000_000 + "x", "\t" * 500_000 + "- x", "- " * 500_000, "1" * 1_000_000])
def test_a_very_long_line_costs_little(line: str) -> None:
    found = read_as(FORM, "- a\n  - b\n    - c\n" * 40 + line)
    assert found is None or found.tables["items"].count == 121


def test_a_parser_that_meets_lines_without_bullets_does_not_hold() -> None:
    lines = ["- one", "  - two", *["a line of another kind"] * 9]
    with pytest.raises(DoesNotHoldError):
        list(FORM.read(lines, {"text": []}))
