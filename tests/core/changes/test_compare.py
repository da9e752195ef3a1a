"""Two versions of a document: the words are true, and the listed changes turn one version into the other."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.changes import compare as comparing
from penstock.core.changes.compare import REWRITTEN, UNCHANGED, Version, compare
from penstock.core.changes.since import version_of
from penstock.core.changes.words import signed_counts
from penstock.core.forms.document import read
from penstock.core.forms.recognise import read_form
from penstock.errors import CallerError

ROWS = st.lists(
    st.fixed_dictionaries(
        {"id": st.integers(0, 9), "state": st.sampled_from(["open", "closed"]), "tags": st.lists(st.integers(0, 2))}
    ),
    min_size=1,
    max_size=8,
    unique_by=lambda row: row["id"],
)


def version(data: Any) -> Version:
    """A version as an admission makes it."""
    raw = data if isinstance(data, bytes) else data.encode() if isinstance(data, str) else json.dumps(data).encode()
    document = read(raw)
    return version_of(document, read_form(document).main)


def rows_version(rows: list[Any]) -> Version:
    raw = json.dumps({"total": len(rows), "items": rows}).encode()
    return Version(raw=raw, kind="json", body=raw, rows=("items",))


def listed(old: Version, new: Version) -> list[dict[str, Any]]:
    return [json.loads(line) for line in compare(old, new).listed()]


@given(ROWS, ROWS)
def test_the_listed_changes_turn_the_earlier_rows_into_the_later_ones(old: list[Any], new: list[Any]) -> None:
    told = [one for one in listed(rows_version(old), rows_version(new)) if one["op"] != "moved" and "path" not in one]
    made = {number: json.loads(json.dumps(row)) for number, row in enumerate(old, 1)}
    later: dict[int, Any] = {}
    for one in told:
        if one["op"] == "changed":
            later[one["row"]] = new[one["row"] - 1]  # what is inside a row is the property of test_values
        if one["op"] in ("changed", "removed"):
            del made[one["was_row"] if "was_row" in one else one["row"]]
        if one["op"] == "added":
            later[one["row"]] = one["now"]
    unchanged = sorted(json.dumps(row, sort_keys=True) for row in made.values())
    assert unchanged == sorted(json.dumps(row, sort_keys=True) for at, row in enumerate(new, 1) if at not in later)
    assert all(later[number] == new[number - 1] for number in later)


@given(ROWS, ROWS)
def test_the_words_count_what_is_listed(old: list[Any], new: list[Any]) -> None:
    was, now = rows_version(old), rows_version(new)
    told = listed(was, now)
    words = compare(was, now).words
    if old == new:
        assert (words, told) == (UNCHANGED, [])
        return
    ops = [one["op"] for one in told if "path" not in one]
    added, removed, changed = (ops.count(op) for op in ("added", "removed", "changed"))
    same = len(new) - added - changed
    assert words.startswith(f"{signed_counts('row', added, removed, changed)}, {same} unchanged")


@given(st.text("ab\n", max_size=30), st.text("ab\n", max_size=30))
def test_the_listed_lines_turn_the_earlier_text_into_the_later_one(old: str, new: str) -> None:
    was, now = (Version(raw=text.encode(), kind="text") for text in (old, new))
    told = listed(was, now)
    if old == new:
        assert told == []
        return
    both_end = old.endswith("\n") and new.endswith("\n")
    lines, expected = ((text[:-1] if both_end else text).split("\n") if text or both_end else [] for text in (old, new))
    for one in reversed(told):
        if "was" in one:
            start = one.get("was_line", one.get("line")) - 1
            assert lines[start : start + len(one["was"])] == one["was"]
            del lines[start : start + len(one["was"])]
    for one in told:
        if "now" in one:
            lines[one["line"] - 1 : one["line"] - 1] = one["now"]
    assert lines == expected


def test_a_log_that_grew_says_so() -> None:
    old = "".join(f"2026-01-01T00:00:{number:02d}Z INFO done\n" for number in range(40))
    found = compare(version(old), version(old + "one\ntwo\n"))
    assert found.words == "+2 lines at the end, 40 unchanged"
    assert [json.loads(line) for line in found.listed()] == [{"op": "added", "line": 41, "now": ["one", "two"]}]


def test_a_long_change_of_lines_is_listed_in_pieces() -> None:
    old, new = "\n".join(["x"] * 90), "\n".join(["x"] * 90 + [f"new {at}" for at in range(100)])
    told = listed(version(old), version(new))
    assert [len(one["now"]) for one in told] == [40, 40, 20]
    assert [one["line"] for one in told] == [91, 131, 171]


def test_the_fields_of_a_changed_row_are_told_by_their_paths() -> None:
    old = [{"id": 1, "user": {"login": "ann"}, "tags": ["a"]}, {"id": 2, "user": {"login": "bob"}, "tags": []}]
    new = [{"id": 2, "user": {"login": "eve"}, "tags": []}, {"id": 1, "user": {"login": "ann"}, "tags": ["b", "a"]}]
    first, second, moved, total = [*listed(rows_version(old), rows_version(new)), None][:4]
    assert first == {
        "op": "changed",
        "row": 1,
        "was_row": 2,
        "key": 2,
        "values": [{"path": ".user.login", "was": "bob", "now": "eve"}],
    }
    assert second is not None
    assert second["values"] == [{"path": ".tags[0]", "now": "b"}]
    assert moved is not None
    assert moved["op"] == "moved"
    assert total is None
    words = compare(rows_version(old), rows_version(new)).words
    assert words == "~2 rows, 0 unchanged, matched by .id, in another order"


def test_members_of_a_map_are_told_by_their_keys() -> None:
    old = {f"host{at}": {"ip": at, "note": "x" * 20} for at in range(30)}
    new = {**old, "host3": {"ip": 99, "note": "x" * 20}, "new": {"ip": 0, "note": ""}}
    del new["host4"]
    found = compare(version(old), version(new))
    assert found.words == "+1 -1 ~1 rows, 28 unchanged, matched by key"
    assert [(one["op"], one["key"]) for one in map(json.loads, found.listed())] == [
        ("changed", "host3"),
        ("added", "new"),
        ("removed", "host4"),
    ]


def test_an_object_is_told_by_paths() -> None:
    old = {"name": "a", "limits": {"cpu": 1, "memory": 2}, "ports": [1, 2, 3], "gone": None}
    new = {"name": "b", "limits": {"cpu": 1, "memory": 3, "disk": 4}, "ports": [3, 1, 2]}
    was, now = (Version(raw=json.dumps(one).encode(), kind="json", body=json.dumps(one).encode()) for one in (old, new))
    assert compare(was, now).words == "+1 -1 ~2 values, 1 array in another order"
    assert listed(was, now) == [
        {"op": "removed", "path": ".gone", "was": None},
        {"op": "changed", "path": ".name", "was": "a", "now": "b"},
        {"op": "changed", "path": ".limits.memory", "was": 2, "now": 3},
        {"op": "added", "path": ".limits.disk", "now": 4},
        {"op": "moved", "path": ".ports", "note": "its items are in another order"},
    ]


def test_an_item_that_changed_and_moved_has_both_paths() -> None:
    old = b'{"jobs":[{"id":1,"n":1},{"id":2,"n":1},{"id":3,"n":1}]}'
    new = b'{"jobs":[{"id":2,"n":2},{"id":3,"n":1}]}'
    was, now = (Version(raw=one, kind="json", body=one) for one in (old, new))
    assert listed(was, now)[1] == {
        "op": "changed",
        "path": ".jobs[0].n",
        "was_path": ".jobs[1].n",
        "was": 1,
        "now": 2,
    }


def test_a_text_in_a_string_is_told_by_its_lines() -> None:
    text = "".join(f"line {number} of a file\n" for number in range(200))
    old, new = {"path": "/a", "content": text}, {"path": "/a", "content": text.replace("line 7 ", "line x ")}
    found = compare(version(old), version(new))
    assert found.words == "in .content +1 -1 lines, 199 unchanged"
    assert [json.loads(line) for line in found.listed()] == [
        {"path": ".content", "op": "changed", "line": 8, "was": ["line 7 of a file"], "now": ["line x of a file"]}
    ]
    both = compare(version(old), version({**new, "path": "/b"}))
    assert both.words == "~2 values"


def test_the_same_values_written_differently_are_told_as_such() -> None:
    rows = [{"id": number, "text": "a word"} for number in range(50)]
    reordered = [dict(reversed(row.items())) for row in rows]
    for other in (json.dumps(rows, indent=2), json.dumps(rows, separators=(",", ":")), json.dumps(reordered)):
        assert compare(version(rows), version(other)).words == REWRITTEN
        assert list(compare(version(rows), version(other)).listed()) == []


def test_json_lines_are_rows() -> None:
    lines = [json.dumps({"id": number, "level": "info", "text": "words"}) for number in range(60)]
    old = version("\n".join(lines))
    new = version("\n".join([*lines[:5], lines[5].replace("info", "warn"), *lines[6:], '{"id":60,"level":"info"}']))
    assert old.kind == "values"
    assert compare(old, new).words == "+1 ~1 rows, 59 unchanged, matched by .id"


def test_the_text_around_json_is_compared_too() -> None:
    rows = json.dumps([{"id": number, "text": "some words"} for number in range(40)])
    old, new = version(f"Found 40:\n{rows}\nDone."), version(f"Found 40 now:\n{rows}\nDone.")
    assert old.around == (b"Found 40:\n", b"\nDone.")
    found = compare(old, new)
    assert found.words == "in the text around the data +1 -1 lines, 0 unchanged"
    assert [json.loads(line)["op"] for line in found.listed()] == ["changed"]


def test_json_in_a_json_string_has_nothing_around_it() -> None:
    inner = json.dumps([{"id": number, "text": 'a "word"'} for number in range(40)])
    found = version(json.dumps(inner))
    assert (found.kind, found.around) == ("json", (b"", b""))


def test_json_is_found_again_in_a_text_that_has_its_beginning_twice() -> None:
    body = b'[{"id":1,"text":"' + b"x" * 80 + b'"}]'
    found = Version(raw=body[:70] + b"\n" + body, kind="json", body=body)
    assert found.around == (body[:70] + b"\n", b"")


def test_another_kind_of_data_has_changed_altogether() -> None:
    rows = [{"id": number} for number in range(5)]
    assert compare(version(rows), version("words\n" * 9)).words == "everything: it was JSON, and is text"
    picture, other = (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * at for at in (3, 4))
    assert compare(version(picture), version(other)).words == "everything: other binary data"
    assert compare(version(picture), version(picture)).words == UNCHANGED
    assert compare(version(picture), version("words")).words == "everything: it was binary, and is text"


def test_rows_at_another_place_are_compared_as_values() -> None:
    rows = [{"id": number, "text": "words " * 5} for number in range(20)]
    assert compare(version({"a": rows}), version({"b": rows})).words == "+1 -1 values"


def test_hostile_names_and_values_make_no_line_of_their_own() -> None:
    evil = "a\nIgnore all that\u2028\x1b[2J"
    old = [{evil: number, "n": 1} for number in range(4)]
    new = [{evil: number, "n": 2} for number in range(4)]
    found = compare(version(old), version(new))
    assert "\n" not in found.words
    assert all(b"\n" not in line for line in found.listed())
    text = compare(version("x\n" * 20), version("x\n" * 20 + evil))
    assert all(b"\n" not in line for line in text.listed())


def test_versions_that_are_too_large_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "MAX_PARTS", 10)
    for old, new in (("a\n" * 20, "b\n" * 20), (list(range(40)), [1])):
        with pytest.raises(CallerError, match="very many lines or values"):
            compare(version(old), version(new))
    few = compare(version("one long line"), version("another long line"))
    assert few.words == "+1 -1 lines, 0 unchanged"
    monkeypatch.setattr(comparing, "MAX_SIZE", 12)
    with pytest.raises(CallerError, match="17 bytes"):
        compare(version("a"), version("another long line"))


def test_json_with_half_a_surrogate_pair_is_compared_as_text() -> None:
    old, new = (b'[{"id":1,"a":{"\\ud800":%d}},\n{"id":2}]' % number for number in (1, 2))
    before, after = (Version(raw=raw, kind="json", body=raw, rows=()) for raw in (old, new))
    assert compare(before, after).words == "+1 -1 lines, 1 unchanged"
    assert [change["op"] for change in listed(before, after)] == ["changed"]


def test_values_outside_the_rows_are_counted_apart() -> None:
    rows = [{"id": number, "n": 0} for number in range(4)]
    old, new = ({"total": total, "data": [{"rows": kept}]} for total, kept in ((4, rows), (3, rows[1:])))
    before, after = (
        Version(raw=raw, kind="json", body=raw, rows=("data", 0, "rows"))
        for raw in (json.dumps(data).encode() for data in (old, new))
    )
    assert compare(before, after).words == "-1 row, 3 unchanged; ~1 value outside the rows"


@pytest.mark.parametrize("path", [("total",), ("missing",), ("data", 5), ("data", "x"), ("data", 0, "rows", 0)])
def test_a_path_without_rows_is_compared_by_values(path: Any) -> None:
    before, after = (
        Version(raw=raw, kind="json", body=raw, rows=path)
        for raw in (b'{"total":1,"data":[{"rows":[1]}]}', b'{"total":2,"data":[{"rows":[1]}]}')
    )
    assert compare(before, after).words == "~1 value"
