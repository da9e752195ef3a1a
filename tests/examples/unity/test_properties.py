"""Whatever a scene or a log has in it: a tree comes back as it was written, and damage is never more than an error."""

from __future__ import annotations

import json
from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st
from tests.kit.examples.unity_scenes import HEADER, LAMP, NoAssets, instance, roots, thing

from penstock import CallerError
from unity_server.console import entries
from unity_server.details import details
from unity_server.tools import _glob
from unity_server.tree import read_scene

NAMES = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\x85\u2028\u2029\ufeff"), max_size=20
)
SCENE = (
    HEADER + thing(10, "A", children=(21, 31)) + thing(20, '"B\\u00e9"', father=11)
    + instance(30, 11, {"m_Name": "Lamp", "m_Layer": "2"}) + thing(40, "C") + roots(41, 11)
).encode()  # fmt: skip
LOG = (
    "Opening scene\n\nHello\nUnityEngine.Debug:LogError (object)\nA:B () (at Assets/A.cs:1)\n\n"
    "(Filename: Assets/A.cs Line: 1)\n\nAssets/A.cs(1,2): error CS1: no\nX\n  at Y.Z () [0x0]\n"
)


@given(st.lists(st.tuples(NAMES, st.integers(0, 1_000)), min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_a_tree_comes_back_as_it_was_written(drawn: list[tuple[str, int]], dice: object) -> None:
    parents = [None if number == 0 or pick % 4 == 0 else pick % number for number, (_, pick) in enumerate(drawn)]
    children = [[n for n, parent in enumerate(parents) if parent == number] for number in range(len(drawn))]
    documents = [
        thing(
            10 + number * 10,
            json.dumps(name),
            father=0 if parents[number] is None else 11 + (parents[number] or 0) * 10,
            children=tuple(11 + child * 10 for child in children[number]),
        )
        for number, (name, _) in enumerate(drawn)
    ]
    dice.shuffle(documents)  # type: ignore[attr-defined]
    tops = [number for number, parent in enumerate(parents) if parent is None]
    text = HEADER + "".join(documents) + roots(*(11 + top * 10 for top in tops))
    scene = read_scene("x", text.encode(), NoAssets())
    expected, waiting = [], tops[::-1]
    while waiting:
        number = waiting.pop()
        expected.append((10 + number * 10, drawn[number][0]))
        waiting += children[number][::-1]
    assert [(one.file_id, one.name) for one in scene.objects.values()] == expected
    assert scene.warnings == ()


@given(st.lists(st.tuples(st.integers(0, len(SCENE)), st.binary(max_size=6), st.integers(0, 30)), max_size=6))
def test_a_damaged_scene_is_read_or_refused_and_nothing_else(damage: list[tuple[int, bytes, int]]) -> None:
    data = SCENE
    for place, put, taken in damage:
        data = data[:place] + put + data[place + taken :]
    with suppress(CallerError):
        scene = read_scene("x", data, NoAssets())
        for one in scene.objects.values():
            json.dumps(details(scene, one), allow_nan=False)


@given(st.lists(st.tuples(st.integers(0, len(LOG)), st.text(max_size=6), st.integers(0, 30)), max_size=6))
def test_every_line_of_an_entry_is_a_line_of_the_log(damage: list[tuple[int, str, int]]) -> None:
    text = LOG
    for place, put, taken in damage:
        text = text[:place] + put + text[place + taken :]
    lines = text.replace("\r\n", "\n").split("\n")
    for entry in entries(text):
        first = entry.message.split("\n")[0]
        assert first.rstrip() in lines[entry.line - 1]


@given(st.text("ab?", max_size=8), st.lists(st.text("ab*?", max_size=5), max_size=4))
def test_a_term_with_stars_finds_what_it_is_made_of(name: str, terms: list[str]) -> None:
    def finds(term: str, rest: str) -> bool:
        if not term:
            return not rest
        if term[0] == "*":
            return any(finds(term[1:], rest[cut:]) for cut in range(len(rest) + 1))
        return bool(rest) and term[0] in ("?", rest[0]) and finds(term[1:], rest[1:])

    for term in (*terms, LAMP):
        assert (_glob(term).fullmatch(name) is not None) == finds(term, name)
