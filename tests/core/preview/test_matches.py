"""Matches are counted by file, and the first, the middle and the last of them are shown: as valid JSON within the room,
true to the data, never fewer in a bigger room."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.budget import Room
from penstock.core.preview import matches as module
from penstock.core.preview.matches import matches
from tests.core.preview import hostile
from tests.core.preview.promises import WIDE, growing, must_show, shown

ROOM = Room(tokens=1_500, size=8_192)

files = st.sampled_from(["src/a.ts", "src/b.ts", "lib/ü.ts", "x" * 300 + ".ts"])
found = st.fixed_dictionaries(
    {
        "file": files,
        "line": st.integers(1, 999),
        "text": st.text(st.characters(exclude_categories=["Cs"]), max_size=200),
    },
    optional={"score": st.floats(0, 1), "tags": st.lists(st.booleans()), "column": st.none() | st.integers(0, 9)},
)


def told(data: object, room: Room = ROOM) -> dict[str, Any]:
    return dict(json.loads(must_show(matches, json.dumps(data), room).text))


def headline(data: object) -> str:
    return must_show(matches, json.dumps(data)).headline


def hits(count: int) -> list[dict[str, Any]]:
    return [{"file": f"src/f{number % 7}.ts", "line": number, "text": f"use{number}()"} for number in range(count)]


@given(hostile.documents)
@settings(max_examples=40)
def test_any_json_is_shown_within_its_room_or_left_to_others(document: bytes) -> None:
    for preview in growing(matches, document):
        assert len(json.loads(preview.text)["matches"]) == preview.shown.end


@given(
    hostile.records_of(b'"path"', b'"line"', b'"text"', values=hostile.scalars)
    | hostile.records_of(b'"file"', b'"matches"', values=st.just(b'"a/b"') | hostile.values)
)
@settings(max_examples=40)
def test_odd_values_in_matches_do_no_harm(document: bytes) -> None:
    for preview in growing(matches, document):
        assert len(json.loads(preview.text)["matches"]) == preview.shown.end


@pytest.mark.parametrize("name", hostile.fixed)
def test_hostile_documents_are_no_matches(name: str) -> None:
    assert growing(matches, hostile.fixed[name]) == []


@given(st.lists(found, min_size=1, max_size=40))
@settings(max_examples=40)
def test_every_count_and_every_match_is_true(rows: list[dict[str, Any]]) -> None:
    for preview in growing(matches, json.dumps(rows)):
        body = json.loads(preview.text)
        by_file = [row["file"] for row in rows]
        for file, count in body.get("files", {}).items():
            assert sum(one.endswith(file.removeprefix("…")) for one in by_file) == count
        assert len(body.get("files", {})) + body.get("more_files", 0) == len(set(by_file))
        assert len(body["matches"]) + body.get("not_shown", {}).get("matches", 0) == len(rows) == preview.shown.total
        for place, match in enumerate(body["matches"]):
            assert rows[match.get("at", place)]["line"] == match["line"]


def test_counts_by_file_come_with_the_first_the_middle_and_the_last_match() -> None:
    preview = must_show(matches, json.dumps({"query": "use", "matches": hits(312)}), Room(tokens=600))
    body = json.loads(preview.text)
    assert (preview.style, preview.headline) == ("matches", "312 matches in 7 files")
    assert body["files"]["src/f0.ts"] == 45
    assert body["matches"][0] == {"file": "src/f0.ts", "line": 0, "text": "use0()"}
    assert [match.get("at") for match in body["matches"][-2:]] == [156, 311]
    assert [match.get("at") for match in body["matches"][:-2]] == [None] * (len(body["matches"]) - 2)
    assert body["beside"] == {".query": "use"}
    assert body["not_shown"] == {"matches": 312 - preview.shown.end}
    assert preview.shown.path == ("matches",)


def test_the_first_then_the_last_then_the_middle_come_with_more_room() -> None:
    seen = [json.loads(preview.text) for preview in growing(matches, json.dumps(hits(50)))]
    shown_at = [[match.get("at", place) for place, match in enumerate(body["matches"])] for body in seen]
    assert [0] in shown_at
    assert all(at[-1] == 49 and 25 in at for at in shown_at if len(at) > 2)
    assert shown_at[-1] == list(range(50))
    assert "files" not in seen[0]
    assert seen[0]["more_files"] == 7


def test_matches_listed_under_their_file_are_counted_one_by_one() -> None:
    rows = [
        {
            "filename": f"notes/{number}.md",
            "score": number / 7,
            "matches": [{"context": f"c{inner}", "match": {"start": 1}}] * inner,
        }
        for number in range(90)
        for inner in [number % 4]
    ]
    preview = must_show(matches, json.dumps({"hits": rows}), Room(tokens=500))
    body = json.loads(preview.text)
    assert preview.headline == "133 matches in 67 files"
    assert preview.shown.total == 133
    assert body["files"]["notes/3.md"] == 3
    assert body["matches"][0] == {"filename": "notes/1.md", "context": "c1"}
    assert body["matches"][-1] == {"at": ".hits[89].matches[0]", "filename": "notes/89.md", "context": "c1"}
    assert body["not_shown"]["fields"] == ["match.start"]


def test_a_map_from_files_to_matches_is_counted_by_its_keys() -> None:
    data = {f"src/{number}.ts": [{"line": line, "text": "t"} for line in range(3)] for number in range(20)}
    body = told(data, Room(tokens=500))
    assert headline(data) == "60 matches in 20 files"
    assert body["matches"][0] == {"file": "src/0.ts", "line": 0, "text": "t"}
    assert body["matches"][-1]["at"] == '.["src/19.ts"][2]'
    wrapped = {f"src/{number}.ts": {"matches": [{"line": 1}], "size": 5} for number in range(20)}
    assert headline(wrapped) == "20 matches in 20 files"
    assert shown(matches, json.dumps({f"user{number}": [{"text": "hi"}] for number in range(20)})) is None


def test_matches_in_lines_of_json_are_found_among_other_records() -> None:
    lines: list[dict[str, Any]] = []
    for number in range(20):
        path = {"text": f"src/{number % 5}.ts"}
        lines.append({"type": "begin", "data": {"path": path}})
        lines.extend(
            {"type": "match", "data": {"path": path, "lines": {"text": f"foo {line}\n"}, "line_number": line}}
            for line in range(3)
        )
        lines.append({"type": "end", "data": {"path": path, "stats": {"elapsed": {"secs": 0}}}})
    preview = must_show(matches, "\n".join(map(json.dumps, lines)), Room(tokens=900))
    body = json.loads(preview.text)
    assert preview.headline == "60 matches in 5 files"
    assert body["files"]["src/0.ts"] == 12
    first = {
        "at": 1,
        "type": "match",
        "data.path.text": "src/0.ts",
        "data.lines.text": "foo 0\n",
        "data.line_number": 0,
    }
    assert body["matches"][0] == first


def test_places_of_symbols_and_messages_of_linters_are_matches_too() -> None:
    places = [
        {"uri": f"file:///src/{number % 3}.ts", "range": {"start": {"line": number, "character": 4}}}
        for number in range(9)
    ]
    assert headline(places) == "9 matches in 3 files"
    assert told(places)["matches"][0]["range.start.character"] == 4
    lint = [{"file": f"{number % 3}.py", "line": number, "message": f"unused {number}"} for number in range(9)]
    assert headline(lint) == "9 findings in 3 files"
    grouped = [
        {"filePath": f"{number}.js", "messages": [{"line": 1, "message": "no", "ruleId": "x"}]} for number in range(9)
    ]
    assert headline(grouped) == "9 messages in 9 files"
    assert headline([{"path": "a.md", "matches": ["one", "two"]}]) == "2 matches in 1 file"
    assert told([{"path": "a.md", "matches": ["one", "two"]}])["matches"] == [
        {"path": "a.md", "match": "one"},
        {"path": "a.md", "match": "two"},
    ]


def test_texts_of_the_same_few_sources_are_matches() -> None:
    data = [{"source": f"docs/{number % 3}.md", "content": f"words {number}"} for number in range(30)]
    assert headline(data) == "30 matches in 3 files"
    assert (
        headline([{"path": f"{number}.md", "snippet": f"words {number}"} for number in range(9)])
        == "9 matches in 9 files"
    )


@pytest.mark.parametrize(
    "data",
    [
        [{"url": f"https://x.org/{number}", "title": f"t{number}", "snippet": "s"} for number in range(20)],
        [{"path": f"{number}.md", "content": f"all of file {number}"} for number in range(20)],
        [{"path": f"{number}.md", "matches": [[1], [2]]} for number in range(20)],
        [{"path": f"{number}.md", "matches": []} for number in range(20)],
        [{"document": f"D{number}", "line": number} for number in range(20)],
        [{"source": "crm", "line": number} for number in range(20)],
        [{"timestamp": "2026-01-01", "level": "info", "file": "a.py", "line": n, "message": "m"} for n in range(20)],
        [{"id": number} for number in range(20)],
        [],
        {},
    ],
)
def test_what_only_looks_like_matches_is_left_to_others(data: object) -> None:
    assert shown(matches, json.dumps(data)) is None


def test_text_has_no_matches_here() -> None:
    assert shown(matches, "src/a.ts:1:use()\nsrc/b.ts:2:use()") is None
    assert shown(matches, b"") is None


def test_long_paths_show_their_ends_and_stay_apart() -> None:
    end = "/deep" * 30 + "/file.ts"
    data = [{"file": f"{'ab'[number % 2]}{end}", "line": number} for number in range(20)]
    counts = told(data)["files"]
    assert list(counts.values()) == [10, 10]
    assert all(file.startswith("…") for file in counts)


def test_a_match_without_its_file_is_shown_and_not_counted_by_file() -> None:
    data = [{"path": f"{number}.md", "hits": [{"line": 1}]} for number in range(5)] + [{"hits": [{"line": 2}]}]
    body = told(data, WIDE)
    assert headline(data) == "6 hits in 5 files"
    assert body["matches"][-1] == {"path": None, "line": 2}


def test_very_many_matches_are_counted_from_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_COUNTED", 100)
    monkeypatch.setattr(module, "COUNTED_SAMPLE", 50)
    body = told(hits(400), WIDE)
    assert headline(hits(400)) == "400 matches in at least 7 files"
    assert body["counts"] == "from a sample of 50"
    assert sum(body["files"].values()) == 50
    mixed = [hit if number % 2 else {"file": hit["file"]} for number, hit in enumerate(hits(401))]
    assert headline(mixed).startswith("about ")
    nested = [{"path": f"{number}.md", "hits": [{"line": 1}] * 3} for number in range(400)]
    assert headline(nested) == "about 1,200 hits in 400 files"


def test_an_estimate_never_hides_less_than_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "COUNTED_BYTES", 100)
    nested = [{"path": f"{number}.md", "hits": [{"line": 1}] * (number % 9)} for number in range(91)]
    preview = must_show(matches, json.dumps(nested), WIDE)
    assert preview.shown.end <= preview.shown.total
    assert "matches" not in json.loads(preview.text).get("not_shown", {})


def test_no_more_is_read_for_the_shown_matches_than_a_preview_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SHOWN_BYTES", 1_000)
    assert must_show(matches, json.dumps(hits(400)), WIDE).shown.end < 40


def test_a_strategy_decides_which_matches_are_shown() -> None:
    ordered = partial(matches, order=[9, 4, 100])
    body = json.loads(must_show(ordered, json.dumps(hits(20)), ROOM).text)
    assert [match["at"] for match in body["matches"]] == [9, 4]
    assert body["not_shown"]["matches"] == 18


def test_other_light_fields_are_shown_and_the_rest_is_named() -> None:
    data = [
        {**hit, "score": hit["line"] / 7, "id": hit["line"], "hash": "h" * 60, "repo": "same", "column": 1, "tags": []}
        for hit in hits(20)
    ]
    body = told(data, WIDE)
    assert set(body["matches"][0]) == {"file", "line", "text", "score", "id", "column"}
    assert body["not_shown"]["fields"] == ["hash", "repo", "tags"]
