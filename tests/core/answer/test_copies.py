"""A copy of the text is found wherever it is in ``structuredContent``, and the members next to it are kept."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.answer import copies
from penstock.core.answer.copies import without_copies
from penstock.core.answer.result import parse, payload
from penstock.core.forms.document import read

PROSE = "a line of some words\n" * 40
ROWS = [{"id": n, "name": f"name {n}"} for n in range(40)]


def found_in(structured: Any, *texts: str) -> Any:
    content = [{"type": "text", "text": one} for one in texts]
    return payload(parse(json.dumps({"content": content, "structuredContent": structured}).encode()))


@pytest.mark.parametrize(
    ("text", "copy"),
    [
        (PROSE, PROSE),
        (PROSE, [PROSE]),
        (json.dumps(ROWS), ROWS),
        (json.dumps(ROWS, indent=2), ROWS),
        (json.dumps(ROWS), json.dumps(ROWS)),
        (json.dumps({"rows": ROWS}), [{"rows": ROWS}]),
        (json.dumps([{"b": "é" * 300, "a": 1}]), [{"a": 1, "b": "é" * 300}]),
    ],
)
def test_copy_next_to_other_members_is_found_and_they_are_left(text: str, copy: Any) -> None:
    for structured in ({"kind": "x", "result": copy}, {"result": copy, "kind": "x", "outputs": copy}):
        found = found_in(structured, text)
        assert (found.twin, found.origin, found.document.text) == (True, "text", text)
        assert json.loads(found.left) == {"kind": "x"}
        assert [(name, json.loads(value)) for name, value in found.beside] == [("structuredContent", {"kind": "x"})]


def test_structure_of_nothing_but_copies_leaves_nothing() -> None:
    for structured in (PROSE, {"a": PROSE}, {"a": PROSE, "b": PROSE}, {"a": [PROSE]}):
        found = found_in(structured, PROSE)
        assert (found.twin, found.left, found.beside) == (True, b"", ())


def test_text_that_repeats_a_small_part_of_the_structure_is_left_out() -> None:
    structured = {"summary": PROSE, "rows": ROWS * 9}
    found = found_in(structured, PROSE)
    assert (found.twin, found.origin, found.rest, found.beside) == (True, "structured", (), ())
    assert json.loads(found.document.raw[:]) == structured
    assert json.loads(found.left) == {"rows": ROWS * 9}


@pytest.mark.parametrize(
    "structured",
    [
        {"kind": "x", "result": PROSE + "more"},
        {"kind": "x", "result": [PROSE, "more"]},
        {"kind": "x", "result": {"text": PROSE}},
        {"kind": "x", "result": []},
        {"kind": "x"},
        [PROSE, "more"],
    ],
)
def test_member_that_says_more_or_less_than_the_text_is_not_a_copy(structured: Any) -> None:
    found = found_in(structured, PROSE)
    assert (found.twin, found.origin) == (False, "both")
    assert json.loads(found.document.raw[:]) == {"content": PROSE, "structuredContent": structured}


def test_short_text_that_is_repeated_next_to_other_members_is_a_remark() -> None:
    found = found_in({"status": "done", "rows": ROWS}, "done")
    assert (found.twin, found.origin) == (False, "structured")
    assert [block.text for block in found.rest] == ["done"]


@pytest.mark.parametrize("items", [[PROSE, "b"], [{"a": PROSE}, {"a": 2}], [1, PROSE]])
def test_list_of_the_blocks_next_to_other_members_is_found_and_they_are_left(items: list[Any]) -> None:
    texts = [one if isinstance(one, str) and isinstance(items[0], str) else json.dumps(one) for one in items]
    found = found_in({"result": items, "count": 2, "empty": []}, *texts)
    assert (found.twin, found.origin) == (True, "blocks")
    assert json.loads(found.document.raw[:]) == items
    assert json.loads(found.left) == {"count": 2, "empty": []}


def test_large_copies_are_compared_by_their_bytes_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "COMPARED", 100)
    assert found_in({"kind": "x", "result": ROWS}, json.dumps(ROWS, indent=2)).twin
    turned = [{"name": row["name"], "id": row["id"]} for row in ROWS]
    assert not found_in({"kind": "x", "result": turned}, json.dumps(ROWS)).twin


def test_structure_of_another_size_is_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "_decoded", lambda _: pytest.fail("decoded"))
    assert not found_in({"kind": "x", "result": ROWS * 9}, json.dumps(ROWS)).twin


@given(
    st.lists(st.sampled_from(["copy", "list", "word", "other"]), max_size=5),
    st.sampled_from([PROSE, "short", json.dumps(ROWS, indent=1)]),
    st.sampled_from([1, 99]),
)
def test_no_word_next_to_copies_is_lost(kinds: list[str], text: str, times: int) -> None:
    copy = ROWS if text.startswith("[") else text
    values = {"copy": copy, "list": [copy], "other": {"a": [copy, "deep"]}}
    structured = {f"k{n}": values.get(kind, f"word{n} " * times) for n, kind in enumerate(kinds)}
    found = found_in(structured, text)
    kept = b"".join((found.document.raw[:], found.left, *(block.whole for block in found.rest)))
    assert all(f"word{n} ".encode() in kept for n, kind in enumerate(kinds) if kind == "word")
    assert b"deep" in kept or "other" not in kinds


def test_a_copy_of_several_megabytes_is_found_whatever_its_white_space() -> None:
    rows = [{"id": at, "text": "some words to read " * 5} for at in range(70_000)]
    for other, is_copy in ((rows, True), ([*rows[:-1], {"id": 0}], False)):
        for indent in (None, 1):
            said = read(json.dumps(rows, indent=indent).encode())
            found = without_copies(json.dumps({"result": other}).encode(), said, blocks=1)
            assert found == (b"" if is_copy else None)
