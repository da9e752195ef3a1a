"""Any JSON has a tree: valid JSON within its room, with the upper levels first and a count in place of all that is not
shown; and a bigger room never shows less."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings

from penstock.core.budget import Room
from penstock.core.forms.document import Kind, read
from penstock.core.json import scan
from penstock.core.preview import tree as module
from penstock.core.preview.tree import tree
from tests.core.preview import hostile
from tests.core.preview.promises import WIDE, growing, must_show, shown
from tests.strategies import json_bytes


def outline(data: object, room: Room = WIDE) -> Any:
    text = must_show(tree, data if isinstance(data, bytes) else json.dumps(data), room).text
    return json.loads(text)["outline"]


@given(hostile.documents)
@settings(max_examples=40)
def test_any_json_has_a_tree_once_there_is_room(document: bytes) -> None:
    previews = growing(tree, document)
    assert previews
    deepest = 0
    for preview in previews:
        body = json.loads(preview.text)
        assert body["levels"] == f"{preview.depth} of {read(document).depth} shown"
        assert preview.depth is not None
        assert deepest <= preview.depth
        deepest = preview.depth


@given(json_bytes())
@settings(max_examples=50)
def test_in_ample_room_a_small_document_is_shown_whole(document: bytes) -> None:
    parsed = json.loads(document)
    preview = must_show(tree, document, WIDE)
    if len(document) < 2_000 and scan.depth(document) < 20 and "…[" not in preview.text:
        assert json.loads(preview.text)["outline"] == parsed
        assert preview.shown.end == preview.shown.total


@pytest.mark.parametrize("name", hostile.fixed)
def test_hostile_documents_have_a_tree_or_are_no_json(name: str) -> None:
    document = hostile.fixed[name]
    previews = growing(tree, document)
    assert bool(previews) == (read(document).kind in (Kind.JSON, Kind.JSONL))
    for preview in previews:
        json.loads(preview.text)
        assert preview.shown.end < preview.shown.total or preview.shown.total == len(
            json.loads(preview.text)["outline"]
        )


def test_upper_levels_come_before_lower_ones() -> None:
    leaf = {"kind": "leaf", "text": "some words that take room"}
    data = {"a": {"b": {"c": {"d": leaf}}}, "x": {"y": {"z": {"w": leaf}}}}
    sizes = [outline(data, Room(tokens=tokens)) for tokens in (80, 120, 160, 1_000)]
    assert sizes[0] == {"a": "{1 field}", "x": "{1 field}"}
    assert sizes[-1] == data
    texts = [json.dumps(size) for size in sizes]
    assert [len(text) for text in texts] == sorted(len(text) for text in texts)
    for size in sizes:
        assert abs(scan.depth(json.dumps(size["a"]).encode()) - scan.depth(json.dumps(size["x"]).encode())) <= 1


def test_parts_that_are_not_shown_are_counted() -> None:
    data = {
        "rows": [[number, "x" * 40] for number in range(1_000)],
        "map": {f"k{number}": "y" * 9 for number in range(99)},
    }
    preview = must_show(tree, json.dumps(data), Room(tokens=700))
    body = json.loads(preview.text)["outline"]
    shown_rows = [row for row in body["rows"] if isinstance(row, list)]
    assert body["rows"][-1] == f"+{1_000 - len(body['rows']) + 1:,} items"
    assert body["map"]["…"] == f"+{99 - len(body['map']) + 1} fields"
    assert (preview.shown.path, preview.shown.end, preview.shown.total) == (("rows",), len(shown_rows), 1_000)


def test_a_few_items_of_every_array_are_shown_before_many_of_one() -> None:
    data = {
        "a": [f"text number {number}" for number in range(50)],
        "b": [f"text number {number}" for number in range(50)],
    }
    body = outline(data, Room(tokens=150))
    assert len(body["a"]) > 1
    assert len(body["b"]) > 1


def test_long_texts_and_numbers_are_cut() -> None:
    body = outline([{"text": "word " * 100, "number": 1}, "x"])
    assert body[0]["text"].endswith("…[+340]")
    assert outline(b"[" + b"9" * 4_301 + b"]") == ["[number of 4,301 characters]"]


def test_a_preview_with_something_hidden_does_not_claim_to_show_all() -> None:
    deep = json.loads("[" * 60 + "]" * 60)
    preview = must_show(tree, json.dumps(deep), WIDE)
    assert (preview.shown.end, preview.shown.total) == (0, 1)
    assert preview.depth == 24
    assert must_show(tree, json.dumps(["x" * 500, 1]), WIDE).shown.end == 1
    assert must_show(tree, json.dumps(["x" * 50, 1]), WIDE).shown.end == 2


def test_headlines_say_what_the_root_is() -> None:
    assert must_show(tree, b'{"a": [1], "b": 2}').headline == "an object with 2 fields, 2 levels deep"
    assert must_show(tree, b"[1, 2, 3]").headline == "an array of 3 items, 1 level deep"
    lines = must_show(tree, b'{"a": [1]}\n{"a": [2]}\n')
    assert lines.headline == "2 lines of JSON, 2 levels deep"
    assert lines.depth == 2
    assert json.loads(lines.text) == {"levels": "2 of 2 shown", "outline": [{"a": [1]}, {"a": [2]}]}
    assert lines.style == "tree"


def test_large_parts_are_read_by_the_index_and_never_whole() -> None:
    rows = [{"id": number, "text": "t" * 50} for number in range(3_000)]
    body = outline({"one": rows, "two": {"three": rows}, "few": [rows, rows]}, Room(tokens=500))
    assert body["one"][0] == rows[0]
    assert body["few"][-1][-1] == "+2,997 items"


def test_keys_that_come_twice_are_both_shown() -> None:
    inner = json.dumps(list(range(2_000)))
    text = must_show(tree, f'{{"a": {inner}, "b": 1, "a": [7, {inner}]}}'.encode(), Room(tokens=150)).text
    assert text.count('"a":') == 2
    assert '"a":[7,[0,1,2,' in text


def test_what_would_take_too_long_to_split_is_told_by_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    data = [[list(range(100)), {"a": "b" * 100}, 5] for _ in range(20)]
    monkeypatch.setattr(module, "MOST_PARSED", 500)
    assert outline(data)[:2] == ["[506 bytes]", "[506 bytes]"]
    monkeypatch.undo()
    monkeypatch.setattr(module, "MOST_WORK", 2_000)
    body = outline(data)
    assert body[0][1:] == ["{109 bytes}", 5] or body[0] == data[0]
    assert body[-1] == "[506 bytes]"
    assert must_show(tree, json.dumps(data), WIDE).shown.end < 20


def test_only_an_object_too_wide_to_keep_its_keys_is_searched_for_them() -> None:
    wide = {f"k{number}": [number] * 20 for number in range(1_500)}
    body = outline(wide, Room(tokens=500))
    assert body["k0"][:2] == [0, 0]
    assert body["…"] == f"+{1_500 - len(body) + 1:,} fields"


@pytest.mark.parametrize("room", [Room(tokens=0), Room(tokens=5), Room(tokens=500, size=10)])
def test_nothing_is_shown_where_nothing_fits(room: Room) -> None:
    assert shown(tree, b'{"a": 1}', room) is None


def test_text_has_no_tree() -> None:
    assert shown(tree, "just\ntext") is None
    assert shown(tree, b"") is None
