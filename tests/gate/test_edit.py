"""``edit``: a changed copy under a new handle, the change in few lines; nothing is made when a count is wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.config import Config
from penstock.core.fit import Call
from penstock.errors import StoreError
from penstock.gate import Gate
from penstock.gate.passing import Target
from penstock.stores import NewRecord, open_store
from penstock.stores.memory import MemoryStore
from tests.gate.conftest import OWNER, Desk, notice
from tests.kit.answers import head_of, split

LINES = [f'line {n}: some words, and \\ "more" of them' for n in range(4_000)]
TEXT = "\n".join(LINES) + "\n"
ROWS = [{"id": n, "name": f"name {n}", "price": 1.0} for n in range(400)]
VALUE = {"rows": ROWS, "big": 2**53 + 1, "note": "é/old\n"}


def edited(desk: Desk, handle: str, **arguments: Any) -> tuple[dict[str, Any], str]:
    told = json.loads(desk.raw("edit", handle, **arguments))
    assert "isError" not in told, told
    return split(told)


def whole(desk: Desk, handle: str) -> str:
    """All of a held result as it would be passed to a tool that wants text."""
    target = Target(tool="t", schema={"properties": {"x": {"type": "string"}}})
    filled = desk.gate.resolve(OWNER, target, json.dumps({"x": f"held:{handle}"}).encode())
    return str(json.loads(filled)["x"])


def test_one_line_of_a_text_is_changed_and_the_original_stays(desk: Desk) -> None:
    handle = desk.hold(TEXT)
    head, diff = edited(desk, handle, replace=[{"find": "line 7: some", "with": "line 7: SOME"}])
    changed = TEXT.replace("line 7: some", "line 7: SOME")
    assert whole(desk, head["cache_id"]) == changed
    assert whole(desk, handle) == TEXT
    assert (head["source"], head["changes"], head["total_bytes"]) == (handle, 1, len(changed.encode()))
    assert head["expires_in_s"] == 1_800
    assert diff == f"@@ line 8 @@\n-{LINES[7]}\n+{LINES[7].replace('some', 'SOME')}"
    told = desk.fetch("info", head["cache_id"])
    assert (told["source"], told["total_bytes"]) == (handle, head["total_bytes"])
    assert "jq_filter" not in told


def test_a_wrong_count_is_an_error_and_nothing_is_made(desk: Desk) -> None:
    handle = desk.hold(TEXT)
    before = desk.fetch("list")["total"]
    said = desk.error("edit", handle, replace=[{"find": "line 7", "with": "x"}])
    assert "'line 7' occurs 111 times, expected 1" in said
    assert "occurs 0 times" in desk.error("edit", handle, replace=[{"find": "absent", "with": "x"}])
    assert "expected at least 1" in desk.error("edit", handle, replace=[{"find": "no", "with": "", "count": "all"}])
    assert "expected 3" in desk.error("edit", handle, replace=[{"find": "line 7:", "with": "x", "count": 3}])
    assert desk.fetch("list")["total"] == before


@pytest.mark.parametrize("count", ["2", 2, "all"])
def test_edit_accepts_a_count_as_text_or_as_number(desk: Desk, count: object) -> None:
    handle = desk.hold("one one\n" + TEXT)
    head, _ = edited(desk, handle, replace=[{"find": "one", "with": "two", "count": count}])
    assert whole(desk, head["cache_id"]).startswith("two two\n")


def test_several_pairs_are_found_in_the_text_as_it_was(desk: Desk) -> None:
    handle = desk.hold("one two\n" + TEXT)
    head, _ = edited(desk, handle, replace=[{"find": "one", "with": "two"}, {"find": "two", "with": "one"}])
    assert whole(desk, head["cache_id"]).startswith("two one\n")
    assert "two changes" in desk.error(
        "edit", handle, replace=[{"find": "one t", "with": "x"}, {"find": "e two", "with": "y"}]
    )


def test_a_regular_expression_replaces_with_its_groups(desk: Desk) -> None:
    handle = desk.hold(TEXT)
    pair = {"find": r"^line (\d+): some", "with": r"\1 some", "regex": True, "count": "all"}
    head, diff = edited(desk, handle, replace=[pair])
    assert whole(desk, head["cache_id"]).startswith("0 some words")
    assert head["changes"] == 4_000
    assert diff.endswith("… 3,980 changes not shown")
    head, _ = edited(desk, handle, replace=[{"find": "line 3: (s)", "with": r"\1"}], regex=True)
    assert "\ns" in whole(desk, head["cache_id"])
    assert "cannot be read" in desk.error("edit", handle, replace=[{"find": "(", "with": "", "regex": True}])
    assert desk.error("edit", handle, replace=[{"find": "line 3: ", "with": r"\7", "regex": True}])
    assert "too complex" in desk.error("edit", handle, replace=[{"find": r"\pL{30}", "with": "", "regex": True}])


def test_a_string_at_a_path_and_the_text_that_the_notice_names(desk: Desk) -> None:
    handle = desk.hold(json.dumps(VALUE))
    head, diff = edited(desk, handle, path=".note", replace=[{"find": "old", "with": "new"}])
    assert whole(desk, head["cache_id"]) == json.dumps(VALUE).replace("/old", "/new")
    assert diff == "@@ line 1 @@\n-é/old\n+é/new"
    handle = desk.hold(json.dumps({"path": "é.txt", "content": TEXT}))
    head, _ = edited(desk, handle, replace=[{"find": LINES[5], "with": "é"}])
    assert whole(desk, head["cache_id"]) == TEXT.replace(LINES[5], "é")
    handle = desk.hold(json.dumps(VALUE))
    assert "is no string" in desk.error("edit", handle, path=".big", replace=[{"find": "9", "with": "b"}])


def test_replace_in_json_changes_what_strings_say_and_counts_each_place(desk: Desk) -> None:
    rows = [{"id": n, "title": f"don’t panic 2019 – {n}"} for n in range(400)]
    for text in (json.dumps(rows), json.dumps(rows, ensure_ascii=False, indent=1), json.dumps(json.dumps(rows))):
        handle = desk.hold(text)
        for find, new in (("2019", "1999"), ("panic", 'a"b\\'), ("’", "'")):
            head, diff = edited(desk, handle, replace=[{"find": find, "with": new, "count": "all"}])
            changed = json.loads(whole(desk, head["cache_id"]))
            changed = json.loads(changed) if isinstance(changed, str) else changed
            assert changed == [{**row, "title": str(row["title"]).replace(find, new)} for row in rows]
            assert head["changes"] == 400
            shown = diff.count("@@ line")
            assert ("not shown" in diff) == (shown > 1)


def test_replace_that_breaks_json_is_refused(desk: Desk) -> None:
    handle = desk.hold(json.dumps(ROWS))
    before = desk.fetch("list")["total"]
    said = desk.error("edit", handle, replace=[{"find": '"id": 7,', "with": '"id": x,'}])
    assert "would not be valid JSON" in said
    assert "nothing changed" in said
    assert desk.fetch("list")["total"] == before
    lines = desk.hold("\n".join(map(json.dumps, ROWS)))
    assert "valid JSON" in desk.error("edit", lines, replace=[{"find": '"id": 7,', "with": '"id": x,'}])
    head, _ = edited(desk, lines, replace=[{"find": '"id": 7,', "with": '"id": "seven",'}])
    assert json.loads(whole(desk, head["cache_id"]).split("\n")[7])["id"] == "seven"


def test_replace_in_json_with_a_regular_expression_sees_decoded_strings(desk: Desk) -> None:
    handle = desk.hold(json.dumps([{"id": n, "title": f"don’t {n}"} for n in range(400)]))
    pair = {"find": r"don(.)t (\d+)", "with": r'\2 "\1"', "regex": True, "count": "all"}
    head, _ = edited(desk, handle, replace=[pair])
    assert head["changes"] == 400
    assert json.loads(whole(desk, head["cache_id"]))[3] == {"id": 3, "title": '3 "’"'}


def test_edit_counts_several_places_of_one_line(desk: Desk) -> None:
    handle = desk.hold("key key\n" * 3_000)
    head, diff = edited(desk, handle, replace=[{"find": "key", "with": "x", "count": "all"}])
    assert head["changes"] == 6_000
    assert diff.endswith("… 5,960 changes not shown")


def test_json_is_changed_at_its_paths_and_nowhere_else(desk: Desk) -> None:
    text = json.dumps(VALUE, indent=1)
    handle = desk.hold(text)
    head, diff = edited(desk, handle, set={".rows[3].name": "new", ".added": [1]}, remove=[".note"])
    changed = whole(desk, head["cache_id"])
    assert json.loads(changed)["rows"][3]["name"] == "new"
    assert '"big": 9007199254740993' in changed
    assert changed.count("1.0") == 400
    assert (head["changes"], "note" in json.loads(changed), json.loads(changed)["added"]) == (3, False, [1])
    assert diff.split("\n") == ['.rows[3].name: "name 3" -> "new"', ".added: absent -> [1]", '-.note: "\\u00e9/old\\n"']
    head, diff = edited(desk, head["cache_id"], append={".rows": {"id": 1}})
    assert diff == '+.rows[]: {"id":1}'
    assert json.loads(whole(desk, head["cache_id"]))["rows"][-1] == {"id": 1}


def test_json_lines_are_changed_by_path_too(desk: Desk) -> None:
    text = "\n".join(map(json.dumps, ROWS))
    head, _ = edited(desk, desk.hold(text), set={".[2].id": 7}, append={".": {"id": 9}}, remove=[".[0]"])
    told = [json.loads(line) for line in whole(desk, head["cache_id"]).split("\n")]
    assert [one["id"] for one in told] == [1, 7, *range(3, 400), 9]


def test_an_edited_result_is_read_and_asked_like_any_other(desk: Desk) -> None:
    head, _ = edited(desk, desk.hold(json.dumps(ROWS)), set={".[0].name": "first"})
    handle = head["cache_id"]
    assert desk.fetch("sql", handle, sql="SELECT name FROM items WHERE id = 0")["result"] == [{"name": "first"}]
    assert desk.fetch("get_page", handle)["_pagination"]["has_more"] is True


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"replace": []},
        {"replace": "["},
        {"replace": 7},
        {"replace": [7]},
        {"replace": [{"find": "", "with": "x"}]},
        {"replace": [{"find": "a"}]},
        {"replace": [{"find": "a", "with": "b", "count": 0}]},
        {"replace": [{"find": "a", "with": "b", "count": True}]},
        {"replace": [{"find": "a", "with": "b", "count": "0"}]},
        {"replace": [{"find": "a", "with": "b", "count": "many"}]},
        {"replace": [{"find": "a", "with": "b", "count": "9" * 5_000}]},
        {"replace": [{"find": "a", "with": "b"}], "set": {".a": 1}},
        {"set": {}},
        {"set": [1]},
        {"set": {".[": 1}},
        {"remove": 7},
        {"remove": [7]},
        {"remove": ["."]},
        {"set": {".note.deep": 1}},
    ],
)
def test_what_cannot_be_read_is_said(desk: Desk, arguments: dict[str, Any]) -> None:
    assert desk.error("edit", desk.hold(json.dumps(VALUE)), **arguments)


def test_arguments_that_came_as_text_are_taken_for_what_they_mean(desk: Desk) -> None:
    handle = desk.hold(json.dumps(VALUE))
    head, _ = edited(desk, handle, set='{".big": 1}', remove=".note")
    assert json.loads(whole(desk, head["cache_id"]))["big"] == 1
    told = json.loads(desk.gate.fetch(OWNER, {"cache_id": handle, "replace": {"find": 'name 7"', "with": 'x"'}}))
    assert "isError" not in told


def test_paths_of_what_was_made_of_a_text_cannot_be_written_to(desk: Desk) -> None:
    yaml = "".join(f"- id: {n}\n  name: name {n}\n" for n in range(900))
    fenced = f"### Result\n```json\n{json.dumps(ROWS)}\n```\n"
    for text in (TEXT, yaml, fenced):
        assert "use replace" in desk.error("edit", desk.hold(text), set={".[0]": 1})
    head, _ = edited(desk, desk.hold(yaml), replace=[{"find": "name 7\n", "with": "x\n"}])
    assert desk.fetch("sql", head["cache_id"], sql="SELECT name FROM items WHERE id = 7")["result"] == [{"name": "x"}]


def test_a_change_inside_of_text_that_was_converted_in_its_string(desk: Desk) -> None:
    page = "<html><body><p>old words</p>" + "<p>and more</p>" * 3_000 + "</body></html>"
    head, _ = edited(desk, desk.hold(json.dumps({"url": "x", "html": page})), replace=[{"find": "old", "with": "new"}])
    assert whole(desk, head["cache_id"]) == page.replace("old", "new")


def test_a_copy_above_the_limit_is_not_made(desk: Desk) -> None:
    gate = Gate(desk.store, Config(max_tokens=3_000, max_result_bytes=1_048_576), now=desk.clock)
    pair = {"find": "line", "with": "x" * 1_000, "count": "all"}
    told = json.loads(gate.fetch(OWNER, {"action": "edit", "cache_id": desk.hold(TEXT), "replace": [pair]}))
    assert "at most 1,048,576" in told["content"][0]["text"]


def test_a_store_that_fails_gives_an_error_and_no_handle(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    handle = desk.hold(TEXT)

    def fail(_: MemoryStore, record: NewRecord) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(MemoryStore, "put", fail)
    assert "the disk is full" in desk.error("edit", handle, replace=[{"find": "line 7:", "with": "x"}])


def test_a_block_is_not_edited(desk: Desk) -> None:
    block = {"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo" + "A" * 4_000_000}
    result = json.dumps({"content": [{"type": "text", "text": "a picture"}, block]}).encode()
    told = desk.gate.admit(Call(tool="t", owner=OWNER, client="claude-ai"), result).decode()
    handle = told.rpartition("held as ")[2].partition("]")[0]
    assert "block of type image" in desk.error("edit", handle, replace=[{"find": "a", "with": "b"}])


def test_the_handle_of_another_owner_is_unknown(desk: Desk) -> None:
    handle = desk.hold(TEXT)
    assert "no held result" in desk.error("edit", handle, owner="bob", replace=[{"find": "line 7:", "with": "x"}])


def test_an_expired_copy_says_what_to_edit_again(desk: Desk) -> None:
    handle = desk.hold(TEXT)
    head, _ = edited(desk, handle, replace=[{"find": "line 7:", "with": "x"}])
    desk.clock.time += 1_801
    assert f"edit {handle} again" in desk.error("info", head["cache_id"])


@settings(max_examples=30)
@given(st.text(st.characters(exclude_categories=["Cs"])), st.text(st.characters(exclude_categories=["Cs"])))
def test_an_edit_and_its_inverse_give_the_original(old: str, new: str) -> None:
    """Marks around both make each of them unique."""
    text = f"{'words ' * 2_000}<<{old}>>\n"
    with open_store("memory:") as store:
        gate = Gate(store, Config(max_tokens=600, always_hold=True))
        result = json.dumps({"content": [{"type": "text", "text": text}]}).encode()
        handle = notice(json.loads(gate.admit(Call(tool="t", owner=OWNER), result)))["cache_id"]
        for find, put in ((old, new), (new, old)):
            pair = {"find": f"<<{find}>>\n", "with": f"<<{put}>>\n"}
            told = json.loads(gate.fetch(OWNER, {"action": "edit", "cache_id": handle, "replace": [pair]}))
            assert "isError" not in told, told
            handle = head_of(told)["cache_id"]
        filled = gate.resolve(OWNER, Target(tool="t"), json.dumps({"x": f"held:{handle}"}).encode())
        assert json.loads(filled)["x"] == text
