"""Trees, lines, matches and coverage of held results."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from penstock.errors import CallerError
from penstock.gate.looking.cells import clean, shown_cell, written
from penstock.gate.looking.coverage import coverage_of
from penstock.gate.looking.matches import matched_places
from penstock.gate.looking.text import TextLines
from penstock.gate.looking.tree import branch_at
from penstock.query.search.search import SearchQuery

if TYPE_CHECKING:
    from penstock.gate.looking import Looking
    from tests.gate.conftest import Desk

TREE = {
    "data": {"items": [{"id": n, "text": "long " * 100, "odd key": None} for n in range(700)]},
    "n": 1.5,
    "ok": True,
}
TEXT = "".join(f"line {n}: {'ü' * (n % 7)} word\n" for n in range(3_000)) + "x" * 30_000 + "\nend"
ROWS = [{"id": n, "name": f"name {n}", "tags": ["a", "b"]} for n in range(439)]


def test_a_tree_is_opened_branch_by_branch(desk: Desk, looking: Looking) -> None:
    opened = looking.open(desk.hold(TREE))
    root = branch_at(opened, ".", 0, 10)
    assert [(one["key"], one["kind"], one.get("count")) for one in root.parts[:1]] == [("data", "object", None)]
    assert root.parts[1:] == [
        {"key": "n", "path": ".n", "kind": "float", "text": "1.5"},
        {"key": "ok", "path": ".ok", "kind": "bool", "text": "true"},
    ]
    items = branch_at(opened, ".data.items", 690, 100)
    assert (items.kind, items.total, len(items.parts)) == ("array", 700, 10)
    first = branch_at(opened, items.parts[0]["path"], 0, 10).parts
    assert first[0] == {"key": "id", "path": ".data.items[690].id", "kind": "int", "text": "690"}
    assert (first[1]["kind"], first[1]["length"], len(first[1]["text"])) == ("string", 500, 300)
    assert (first[2]["path"], first[2]["kind"]) == ('.data.items[690]["odd key"]', "null")
    with pytest.raises(CallerError, match="is a single float"):
        branch_at(opened, ".n", 0, 1)
    with pytest.raises(CallerError, match="a text has no parts"):
        branch_at(looking.open(desk.hold(TEXT)), ".", 0, 1)


@pytest.mark.parametrize("value", [TEXT, json.dumps(ROWS, indent=1)], ids=["text", "json"])
def test_lines_put_together_are_the_text(desk: Desk, looking: Looking, value: str) -> None:
    opened, lines = looking.open(desk.hold(value)), TextLines()
    expected: list[Any] = value.split("\n")
    total = lines.window(opened, 0, 1).total
    found = [line for at in range(0, total, 250) for line in lines.window(opened, at, 250).lines]
    if value is TEXT:
        assert found[3_000] == {"text": "x" * 2_000, "bytes": 30_000}
        found[3_000] = expected[3_000]
    assert found == expected
    assert lines.window(opened, total, 5).lines == []


def test_matches_are_marked_in_the_text_of_their_lines(desk: Desk, looking: Looking) -> None:
    opened = looking.open(desk.hold(TEXT))
    found = matched_places(opened, SearchQuery(pattern="word", start=2))
    assert (found.total, found.complete, found.start, found.end) == (3_000, True, 2, 202)
    for place in found.places:
        [[first, last]] = place["marks"]
        assert place["text"][first:last] == "word"
        assert place["text"] == TEXT.split("\n")[place["line"] - 1]
    [long] = matched_places(opened, SearchQuery(pattern="x{9}", regex=True, start=1)).places[:1]
    assert long["line"] == 3_001
    assert long["before"] + len(long["text"]) + long["behind"] == 30_000
    assert len(long["text"]) < 2_000


def test_matches_in_json_have_their_paths_and_rows(desk: Desk, looking: Looking) -> None:
    opened = looking.open(desk.hold(ROWS))
    found = matched_places(opened, SearchQuery(pattern="name 43"))
    assert [(one["path"], one["row"]) for one in found.places[:2]] == [(".[43].name", 44), (".[430].name", 431)]
    [[first, last]] = found.places[0]["marks"]
    assert found.places[0]["text"][first:last] == "name 43"
    with pytest.raises(CallerError, match="the regular expression cannot be read"):
        matched_places(opened, SearchQuery(pattern="(", regex=True))


def test_coverage_has_the_calls_in_order_and_the_parts_that_each_has_shown(desk: Desk, looking: Looking) -> None:
    handle = desk.hold(ROWS)
    none = coverage_of(looking.open(handle))
    assert (none["calls"], none["read"], none["rows_read"], none["reads"]) == ([], [], 0, 0)
    assert none["preview"]["rows"][0][0] == 0
    assert none["preview"]["spans"][0][0] < 0.01
    page = desk.fetch("get_page", handle, page=2)["_pagination"]
    desk.fetch("sql", handle, sql="SELECT max(id) FROM items")
    told = coverage_of(looking.open(handle))
    first, second = told["calls"]
    assert first["words"] == 'get_page {"page": 2}'
    assert first["rows"] == [[page["start_index"], page["end_index"]]]
    [[start, end]] = first["spans"]
    assert start == pytest.approx(page["start_index"] / 439, abs=0.02)
    assert end == pytest.approx(page["end_index"] / 439, abs=0.02)
    assert (second["spans"], second["rows"], second["failed"]) == ([], [], False)
    assert told["rows_read"] == page["end_index"] - page["start_index"]
    assert told["read"] == [[start, end]]
    assert (told["noun"], told["count"], told["complete"], told["calls_complete"]) == ("rows", 439, True, True)


def test_coverage_of_texts_and_of_other_languages(desk: Desk, looking: Looking) -> None:
    text = desk.hold(TEXT)
    desk.raw("get", text, start_line=1_001, lines=100)
    told = coverage_of(looking.open(text))
    assert told["noun"] == "lines"
    assert told["calls"][0]["rows"] == [[1_000, 1_100]]
    yaml = desk.hold("".join(f"- id: {n}\n  name: name {n}\n" for n in range(900)))
    desk.fetch("get_page", yaml, page=2)
    told = coverage_of(looking.open(yaml))
    assert len(told["calls"][0]["spans"]) == 1
    assert told["rows_read"] == told["calls"][0]["rows"][0][1] - told["calls"][0]["rows"][0][0]
    many = desk.hold(ROWS)
    desk.store.touch("ann", many, seen=b"\0" * 70_000)
    assert coverage_of(looking.open(many))["complete"] is False


def test_cells_are_plain_bounded_and_exact() -> None:
    assert [shown_cell(one) for one in (None, True, 3, 1.5, "x")] == [None, True, 3, 1.5, "x"]
    assert shown_cell(2**53 + 1) == {"number": "9007199254740993"}
    assert shown_cell(float("inf")) == {"number": "inf"}
    assert shown_cell("é" * 400) == {"text": "é" * 300, "length": 400}
    assert shown_cell({"a": [1]}) == {"json": '{"a":[1]}', "length": 9}
    assert shown_cell("a\ud800b") == "a?b"
    assert json.loads(written({"a": "\ud800", "b": 2**80})) == {"a": "\ud800", "b": 2**80}
    assert clean("ü\ud800") == "ü?"
