"""The decision keeps the promises: what fits passes, what does not is answered within the budget, and counted."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core import fit_room
from penstock.core.answer.block import MOST_BLOCKS
from penstock.core.answer.notice import HANDLE_LENGTH, SAMPLE_HANDLE, encode
from penstock.core.answer.result import parse, text_result
from penstock.core.answer.stand_in import cost
from penstock.core.budget import MEDIA_TOKENS, Room
from penstock.core.changes.since import Since
from penstock.core.fit import Budget, Call, Compact, Hold, Pass, fit, fit_document
from penstock.core.forms.document import Document, read
from penstock.core.json.index import reader
from penstock.core.json.lookup import container_at
from penstock.core.json.strings import unquote
from penstock.core.reading import order
from penstock.core.reading.next_calls import room_of_window
from penstock.core.reading.page import page, paginate, render_page
from penstock.core.reading.page_frame import frame_for
from penstock.core.reading.window import ruler, window
from penstock.core.tokens.count import count
from penstock.errors import CallerError
from tests.kit.answers import head_of
from tests.kit.strategies import any_text, json_bytes, records, values

if TYPE_CHECKING:
    from penstock.core.forms.reading import Reading

SMALL = Budget(max_tokens=600, preview_tokens=600, page_tokens=600)
HANDLE = "r_0123456789abcdefghijkl"
ROWS = [{"id": n, "name": f"name {n}", "status": ["open", "closed"][n % 5 == 0]} for n in range(2_000)]
PIXELS = base64.b64encode(bytes(range(256)) * 200).decode()


def result(*blocks: Any, **members: Any) -> bytes:
    return json.dumps({"content": list(blocks), **members}).encode()


def text(value: str) -> dict[str, str]:
    return {"type": "text", "text": value}


def held(raw: bytes, budget: Budget, call: Call | None = None) -> Hold:
    plan = fit(raw, budget, call)
    assert isinstance(plan, Hold)
    return plan


def notice_of(answer: bytes) -> dict[str, Any]:
    told = head_of(answer)
    assert isinstance(told, dict)
    return told


budgets = st.integers(250, 3_000).map(
    lambda tokens: Budget(max_tokens=tokens, preview_tokens=tokens, page_tokens=tokens, preview_bytes=10**6)
)
blocks = st.lists(
    any_text.map(text)
    | values.map(lambda value: text(json.dumps(value, indent=1) * 20))
    | st.just({"type": "image", "data": PIXELS, "mimeType": "image/png"})
    | st.just({"type": "resource_link", "uri": "file:///a", "name": "a"})
    | records.map(lambda rows: text(json.dumps(rows * 30)))
    | values,
    max_size=6,
)
results = st.builds(
    lambda blocks, structured, error, meta: json.dumps(
        {"content": blocks}
        | ({"structuredContent": structured} if structured is not None else {})
        | ({"isError": True} if error else {})
        | ({"_meta": meta} if meta is not None else {})
    ).encode(),
    blocks,
    st.none() | values | records.map(lambda rows: {"result": rows * 30}),
    st.booleans(),
    st.none() | st.dictionaries(st.text(max_size=5), values, max_size=3),
)


@settings(max_examples=80)
@given(results | st.binary() | json_bytes(), budgets)
def test_p1_no_answer_costs_more_than_its_budget(raw: bytes, budget: Budget) -> None:
    match fit(raw, budget):
        case Pass():
            assert len(raw) <= budget.max_tokens or cost(parse(raw), "claude") <= budget.max_tokens
        case Compact(raw=small):
            assert cost(parse(small), "claude") <= budget.max_tokens
        case Hold() as hold:
            for handle in (HANDLE, None):
                assert cost(parse(hold.answer(handle, 1_800)), "claude") <= budget.max_tokens


@given(results, budgets, st.integers(0, 3_000))
def test_a_bigger_budget_never_shows_less(raw: bytes, budget: Budget, more: int) -> None:
    tokens = budget.max_tokens + more
    larger = Budget(max_tokens=tokens, preview_tokens=tokens, page_tokens=tokens, preview_bytes=10**6)
    before, after = fit(raw, budget), fit(raw, larger)
    if isinstance(before, Hold) and isinstance(after, Hold):
        assert after.preview.shown.count >= before.preview.shown.count
    else:
        assert not isinstance(after, Hold)


@given(results, budgets)
def test_p4_what_is_shown_and_what_is_hidden_are_counted(raw: bytes, budget: Budget) -> None:
    plan = fit(raw, budget)
    if isinstance(plan, Hold):
        shown = plan.preview.shown
        ends = [0, *(end for one in shown.ranges for end in one), shown.total]
        assert ends == sorted(ends)
        assert shown.count <= shown.total
        told = notice_of(plan.answer(HANDLE, 60))
        assert told["type"] == "buffered_response"
        assert told["cache_id"] == HANDLE
        assert "shown" not in told or told["shown"]["of"] == shown.total


@given(st.binary(max_size=600) | json_bytes())
def test_p3_what_fits_is_not_even_read(raw: bytes) -> None:
    assert isinstance(fit(raw, Budget(max_tokens=100_000)), Pass)


def test_the_notice_says_what_the_design_says_and_its_calls_cost_what_they_say() -> None:
    schema = {"properties": {"status": {"type": "string"}}}
    call = Call(tool="list_rows", arguments={"query": "x"}, schema=schema)
    hold = held(result(text(json.dumps({"rows": ROWS, "total": 2_000}))), Budget(notice="full"), call)
    answer = hold.answer(HANDLE, 1_800)
    told = notice_of(answer)
    assert list(told) == ["type", "cache_id", "tool", "message", "metadata", "shape", "shown", "next", "suggestions"]
    assert told["tool"] == "list_rows"
    tokens = hold.measure.tokens.tokens
    assert told["metadata"] == {
        "total_tokens": tokens,
        "total_bytes": len(hold.document.raw),
        "item_count": 2_000,
        "max_depth": 3,
        "would_exceed_limit": True,
        "token_limit": 20_000,
        "expires_in_s": 1_800,
    }
    assert told["shape"] == "{rows: [{id: int, name: str, status: str}], total: int}"
    assert (told["shown"]["path"], told["shown"]["of"]) == (".rows", 2_000)
    assert told["message"].startswith(
        f"2,000 records in .rows (3 columns), about {tokens:,} tokens; the limit is 20,000. Below: "
    )
    assert "Below: facts, 2 rows." in told["message"]
    assert "status: open ×1,600 · closed ×400" in hold.preview.text
    assert cost(parse(answer), "claude") <= 2_000
    assert len(answer) <= 8_192
    [first] = told["next"]
    assert first["arguments"] == {"cache_id": HANDLE, "action": "get_page", "page": 1}
    read_at = reader(hold.document.body)
    rows = container_at(hold.document.index, read_at, hold.reading.pages)
    room = Budget(notice="full").page
    frame = frame_for(hold.document.index, read_at, rows, room)
    found = render_page(page(rows, read_at, paginate(rows, read_at, room, frame), 1), frame)
    assert abs(count(found).tokens - first["tokens"]) <= 0.02 * first["tokens"]
    held_calls = [one for one in told["suggestions"] if one["tool"] == "fetch_cached_response"]
    assert all(one["arguments"]["cache_id"] == HANDLE for one in held_calls)
    assert [one["arguments"] for one in told["suggestions"] if one["tool"] == "list_rows"] == [
        {"query": "x", "status": "closed"}
    ]
    assert all(SAMPLE_HANDLE not in json.dumps(one) for one in told["suggestions"])


def test_what_changed_since_the_same_call_is_asked_for_once_it_is_held_and_no_error() -> None:
    asked: list[bytes] = []

    def compare(document: Document, reading: Reading) -> Since:
        asked.append(document.raw[:])
        assert reading.main is not None
        return Since(handle=SAMPLE_HANDLE, seconds=3, words="changed")

    rows = json.dumps([{"id": number} for number in range(2_000)])
    hold = fit(result(text(rows)), Budget(notice="full", max_tokens=3_000), compare=compare)
    assert isinstance(hold, Hold)
    told = notice_of(hold.answer(SAMPLE_HANDLE, 60))
    assert told["changes"].endswith("3 s ago: changed")
    assert told["next"][0] == {
        "tool": "fetch_cached_response",
        "arguments": {"cache_id": SAMPLE_HANDLE, "action": "changes"},
        "at_most_tokens": 2_936,
    }
    fit(result(text(rows), isError=True), Budget(notice="full", max_tokens=3_000), compare=compare)
    fit(result(text("short")), Budget(notice="full", max_tokens=3_000), compare=compare)
    fit(
        result({"type": "image", "data": "x" * 9_000_000, "mimeType": "image/png"}),
        Budget(notice="full"),
        compare=compare,
    )
    assert asked == [rows.encode()]


@pytest.mark.parametrize(
    ("words", "room", "is_line"), [("unchanged", 300, True), ("unchanged", 20, False), ("1 row added", 300, False)]
)
def test_repeat_is_one_line_if_nothing_changed_and_the_line_fits(words: str, room: int, is_line: bool) -> None:
    since = Since(handle=SAMPLE_HANDLE, seconds=3, words=words)
    hold = fit(text_result(json.dumps(ROWS)), Budget(), compare=lambda _document, _reading: since)
    assert isinstance(hold, Hold)
    line = msgspec.structs.replace(hold, room=Room(tokens=room)).repeat()
    assert (line is not None) == is_line
    assert line is None or line.notice["cache_id"] == SAMPLE_HANDLE


def test_text_is_read_on_by_windows() -> None:
    prose = "some words and a line\n" * 20_000
    hold = held(result(text(prose)), Budget(notice="full"))
    [first] = notice_of(hold.answer(HANDLE, 60))["next"]
    assert first["arguments"] == {"cache_id": HANDLE, "action": "get"}
    room = room_of_window(Budget(notice="full").page)
    found = window(lambda a, b: hold.document.raw[a:b], ruler(hold.document), 0, len(prose), room)
    assert abs(count(found.text).tokens - first["tokens"]) <= 0.25 * first["tokens"]


def test_a_handle_is_as_long_as_the_one_that_was_counted_with() -> None:
    assert len(SAMPLE_HANDLE) == HANDLE_LENGTH == len(HANDLE)


def test_without_a_handle_the_answer_says_that_the_rest_was_not_kept() -> None:
    hold = held(
        result(text(json.dumps(ROWS))), Budget(), Call(tool="t", schema={"properties": {"status": {"type": "string"}}})
    )
    told = notice_of(hold.answer(None))
    assert "cache_id" not in told
    assert "next" not in told
    assert "was not kept" in told["message"]
    assert [one["tool"] for one in told["suggestions"]] == ["t"]


def test_pretty_json_that_fits_when_minified_is_compacted_and_says_so() -> None:
    rows = ROWS[:60]
    raw = result(text(json.dumps(rows, indent=8)), _meta={"theirs": 1}, other=[1])
    tight = Budget(max_tokens=3_000, preview_tokens=500, page_tokens=500)
    plan = fit(raw, tight)
    assert isinstance(plan, Compact)
    told = json.loads(plan.raw)
    assert told["content"][0]["text"] == json.dumps(rows, separators=(",", ":"))
    assert told["_meta"] == {"theirs": 1, "penstock/compacted": True, "penstock/original_bytes": len(raw)}
    assert told["other"] == [1]


LINES = "\n".join(f"line {n} says something of use" for n in range(400))
ITEMS = [f"item {n}" for n in range(MOST_BLOCKS + 5)]


@pytest.mark.parametrize(
    ("blocks", "structured"),
    [
        ([text(LINES)], {"result": LINES}),
        ([text(json.dumps(ROWS, indent=1))], {"rows": ROWS}),
        ([text(f"row {n} of a few") for n in range(300)], [f"row {n} of a few" for n in range(300)]),
        (list(map(text, ITEMS)), {"result": ITEMS}),
    ],
)
def test_a_result_that_fits_without_a_copy_of_its_data_passes_without_it(blocks: list[Any], structured: Any) -> None:
    raw, bare = result(*blocks, structuredContent=structured, other=[1]), result(*blocks, other=[1])
    most = cost(parse(bare), "claude") + 60
    assert cost(parse(raw), "claude") > most
    plan = fit(raw, Budget(max_tokens=most, preview_tokens=500, page_tokens=500))
    assert isinstance(plan, Compact)
    told = json.loads(plan.raw)
    assert told.pop("_meta") == {"penstock/compacted": True, "penstock/original_bytes": len(raw)}
    assert told == json.loads(bare)
    assert isinstance(fit(raw, Budget(max_tokens=most, structured=True)), Hold | Pass)
    assert isinstance(fit(raw, Budget(max_tokens=most, always_hold=True)), Hold)


STEPS = [
    {"task": {"taskId": "1", "status": "working"}},
    {"resultType": "input_required", "inputRequests": {"q": {"message": "sure?"}}, "requestState": "s"},
    {"resultType": "of tomorrow", "state": 1},
    {"taskId": "1", "status": "input_required", "inputRequests": {}},
]


@pytest.mark.parametrize("step", STEPS)
def test_step_of_the_protocol_that_fits_passes_even_where_everything_is_held(step: dict[str, Any]) -> None:
    raw = json.dumps(step).encode()
    assert isinstance(fit(raw, Budget(always_hold=True)), Pass)
    assert isinstance(fit(raw, Budget(max_tokens=250)), Pass)
    long = json.dumps({**step, "more": "some words " * 9_000}).encode()
    hold = held(long, Budget())
    assert hold.document.raw == long
    assert json.loads(hold.answer(HANDLE, 60)).get("resultType") == ("complete" if "resultType" in step else None)


@pytest.mark.parametrize("step", [{"content": []}, {"resultType": "complete"}, {"structuredContent": {}, "task": {}}])
def test_result_that_answers_a_call_is_held_where_everything_is(step: dict[str, Any]) -> None:
    assert isinstance(fit(json.dumps(step).encode(), Budget(always_hold=True)), Hold)


@pytest.mark.parametrize("copy", [{"result": "some words " * 3_000}, {"result": ["some words " * 3_000]}])
def test_result_that_fits_without_a_copy_passes_with_the_members_next_to_it(copy: dict[str, Any]) -> None:
    raw = result(text("some words " * 3_000), structuredContent={"kind": "prose", **copy, "count": 1}, isError=False)
    plan = fit(raw, Budget())
    assert isinstance(plan, Compact)
    told = json.loads(plan.raw)
    assert told.pop("_meta")["penstock/compacted"] is True
    expected = {"content": [text("some words " * 3_000)], "structuredContent": {"kind": "prose", "count": 1}}
    assert told == {**expected, "isError": False}
    assert isinstance(fit(raw, Budget(structured=True)), Hold)


def test_json_that_fits_minified_and_without_a_copy_passes_with_the_members_next_to_it() -> None:
    rows = ROWS[:500]
    raw = result(text(json.dumps(rows, indent=8)), structuredContent={"rows": rows, "next": "page 2"})
    plan = fit(raw, Budget())
    assert isinstance(plan, Compact)
    told = json.loads(plan.raw)
    assert (json.loads(told["content"][0]["text"]), told["structuredContent"]) == (rows, {"next": "page 2"})


def test_result_with_a_repeated_member_is_held_and_not_compacted() -> None:
    whole = result(text(json.dumps(ROWS[:500], indent=8)), structuredContent={"rows": ROWS[:500]})
    assert isinstance(fit(whole, Budget()), Compact)
    hold = held(b'{"x":"early",' + whole[:-1].removeprefix(b"{") + b',"x":"late"}', Budget())
    assert [json.loads(one.raw, object_pairs_hook=list) for one in hold.extras.hidden] == [
        [("x", "early"), ("x", "late")]
    ]


def test_a_copy_is_held_with_its_result_where_half_an_emoji_hides_what_is_noted_of_it() -> None:
    raw = result(text(LINES), structuredContent={"result": LINES}, _meta={"half": "\ud83d"})
    assert isinstance(fit(raw, Budget(max_tokens=cost(parse(result(text(LINES))), "claude") + 90)), Hold)


def test_what_stands_around_json_stays_when_that_is_compacted() -> None:
    """Regression: a text with JSON in a fence became the JSON alone."""
    lead, tail = "### Result\n```json\n", "\n```\n### Page\n- 2 errors\n"
    told = lead + json.dumps(ROWS[:60], indent=8) + tail
    tight = Budget(max_tokens=3_000, preview_tokens=500, page_tokens=500)
    plan, plain = fit(result(text(told)), tight), fit_document(read(told), tight)
    assert isinstance(plan, Compact)
    assert isinstance(plain, Compact)
    small = lead + json.dumps(ROWS[:60], separators=(",", ":")) + tail
    assert [json.loads(plan.raw)["content"][0]["text"], plain.raw.decode()] == [small, small]


def test_a_copy_in_structured_content_is_left_out_when_that_makes_it_fit() -> None:
    rows = ROWS[:60]
    resource = {"type": "resource", "resource": {"uri": "a", "text": json.dumps(rows)}}
    image = {"type": "image", "data": "QUJD", "mimeType": "image/png"}
    raw = result(resource, image, structuredContent={"result": rows})
    plan = fit(raw, Budget(max_tokens=5_000, preview_tokens=500, page_tokens=500))
    assert isinstance(plan, Compact)
    told = json.loads(plan.raw)
    assert "structuredContent" not in told
    assert json.loads(told["content"][0]["resource"]["text"]) == rows
    assert told["content"][1] == image
    assert told["_meta"]["penstock/compacted"] is True


def test_nothing_to_compact_means_hold() -> None:
    assert isinstance(fit(result(text(json.dumps(ROWS, separators=(",", ":")))), SMALL), Hold)
    assert isinstance(fit(result(text(json.dumps(ROWS[:40], separators=(",", ":")))), SMALL), Hold)
    assert isinstance(fit(result(text("word " * 3_000)), SMALL), Hold)


def test_a_held_result_keeps_its_flag_and_metadata_and_drops_structured_content() -> None:
    raw = result(text(json.dumps(ROWS)), structuredContent={"result": ROWS}, isError=True, _meta={"a": 1})
    told = json.loads(held(raw, Budget(notice="full")).answer(HANDLE, 60))
    assert set(told) == {"content", "isError", "_meta"}
    assert (told["isError"], told["_meta"]) == (True, {"a": 1})
    assert head_of(told)["message"].startswith("The tool failed")


def test_other_members_are_named_when_their_names_are_plain_and_counted_when_not() -> None:
    plain = held(result(text(json.dumps(ROWS)), progress=[1, 2]), Budget())
    assert b"[progress: 19 bytes, not shown; held as" in plain.answer(HANDLE, 60, [HANDLE])
    odd = held(result(text(json.dumps(ROWS)), **{"\u00e9" * 9: 1}), Budget())
    assert b"[1 other members: 24 bytes, not shown; not kept]" in odd.answer(None)


def test_metadata_too_large_for_an_answer_is_left_out() -> None:
    raw = result(text(json.dumps(ROWS)), _meta={"a": "x" * 50_000})
    answer = held(raw, Budget(notice="full")).answer(HANDLE, 60)
    assert "_meta" not in json.loads(answer)
    assert cost(parse(answer), "claude") <= 2_000


def test_pictures_count_as_pictures_and_pass_while_the_client_takes_them() -> None:
    image = {"type": "image", "data": PIXELS, "mimeType": "image/png"}
    assert isinstance(fit(result(text("see"), image), Budget()), Pass)
    told = json.loads(held(result(text(json.dumps(ROWS)), image), Budget()).answer(HANDLE, 60))
    assert told["content"][1:] == [image]
    stubbed = json.loads(held(result(text(json.dumps(ROWS)), image), Budget(max_bytes=60_000)).answer(HANDLE, 60))
    assert "image/png" in stubbed["content"][1]["text"]
    assert len(stubbed["content"][1]["text"]) < 200


def test_many_pictures_alone_are_bounded_too() -> None:
    image = {"type": "image", "data": PIXELS, "mimeType": "image/png"}
    answer = held(result(*[image] * 40), Budget()).answer(HANDLE, 60)
    told = json.loads(answer)["content"]
    assert sum(one["type"] == "image" for one in told) <= 20_000 // MEDIA_TOKENS
    assert "more blocks" in told[-1]["text"] or told[-1]["type"] == "text"


def test_other_blocks_go_along_or_become_stubs_and_are_counted() -> None:
    link = {"type": "resource_link", "uri": "file:///a", "name": "a"}
    blob = {"type": "resource", "resource": {"uri": "b", "blob": PIXELS, "mimeType": "application/pdf"}}
    odd = {"type": "hologram", "payload": "x" * 90_000}
    told = json.loads(held(result(text(json.dumps(ROWS)), link, blob, odd), Budget()).answer(HANDLE, 60))["content"]
    assert told[1] == link
    assert "application/pdf" in told[2]["text"]
    assert "hologram" in told[3]["text"]
    many = json.loads(held(result(text(json.dumps(ROWS)), *[link] * 500), Budget()).answer(HANDLE, 60))["content"]
    assert "more blocks" in many[-1]["text"]


def test_always_hold_holds_what_fits_and_never_hold_passes_what_does_not() -> None:
    assert isinstance(fit(result(text("[1,2]")), Budget(always_hold=True)), Hold)
    assert isinstance(fit(result(text("x " * 90_000)), Budget(never_hold=True)), Pass)
    assert isinstance(fit_document(read("[1,2]"), Budget(always_hold=True)), Hold)
    dense = read(json.dumps(list(range(1_000)), separators=(",", ":")))  # no white space to save
    over = count(dense.raw).tokens - 1
    assert isinstance(fit_document(dense, Budget(max_tokens=over)), Hold)
    assert isinstance(fit_document(read("x " * 90_000), Budget(never_hold=True)), Pass)


def test_the_clients_limit_in_bytes_counts_too() -> None:
    assert isinstance(fit(result(text(" " * 60_000)), Budget(max_bytes=50_000)), Hold)


def test_auto_truncate_answers_with_the_data_itself_down_to_a_depth() -> None:
    symbols = [{"name": f"s{n}", "children": [{"name": "c", "range": {"start": {"line": n}}}] * 8} for n in range(60)]
    budget = Budget(notice="full", auto_truncate=True, max_depth=3)
    hold = held(result(text(json.dumps(symbols))), budget)
    assert hold.preview.depth == 3
    shown = json.loads(hold.preview.text)
    assert len(shown) == 60
    assert shown[0]["children"][0] == "[Object: 2 properties, truncated]"
    told = notice_of(hold.answer(HANDLE, 60))
    assert told["metadata"]["truncated_at_depth"] == 3
    assert "Below: all of it, 3 of 6 levels [+3 levels truncated]." in told["message"]
    assert told["shown"] == {"path": ".[].children[]", "rows": "none", "of": 480}
    assert cost(parse(hold.answer(HANDLE, 60)), "claude") <= 20_000


def test_auto_truncate_falls_back_to_a_preview_when_the_outline_does_not_fit() -> None:
    budget = Budget(auto_truncate=True)
    rows = held(result(text(json.dumps(ROWS * 9))), budget).preview
    assert rows.depth is None
    assert rows.below.startswith("facts, ")
    prose = held(result(text("word " * 90_000)), budget).preview
    assert (prose.depth, prose.below) == (None, "its beginning and end")
    assert held(result(text(json.dumps({"a": "x" * 90_000}))), budget).preview.depth is None


@pytest.mark.parametrize(
    ("value", "depth", "path", "rows"),
    [
        ({"name": "a", "data": {"rows": ROWS}}, 2, ".data.rows", "none"),
        ({"name": "a", "data": {"rows": ROWS}}, 3, ".data.rows", "none"),
        ({"name": "a", "data": {"rows": ROWS}}, 4, ".data.rows", "1-2000"),
        ({"rows": [{"id": n, "deep": {"er": {"n": n}}} for n in range(900)]}, 3, ".rows", "1-900"),
        ({"values": [n * 7 for n in range(6_000)], "a": {"b": {"c": 1}}}, 2, ".values", "1-6000"),
        ({"a": list(range(5_000)), "b": list(range(5_000)), "c": {"d": {"e": 1}}}, 2, ".", "1-5000"),
        ({"a": list(range(5_000)), "b": list(range(5_000)), "c": {"d": {"e": 1}}}, 1, ".", "none"),
    ],
)
def test_an_outline_that_has_only_marks_of_the_rows_shows_none_of_them(
    value: Any, depth: int, path: str, rows: str
) -> None:
    budget = Budget(notice="full", auto_truncate=True, max_depth=depth, always_hold=True, max_tokens=90_000)
    hold = held(result(text(json.dumps(value))), budget)
    assert hold.preview.depth == depth
    shown = notice_of(hold.answer(HANDLE, 60))["shown"]
    assert (shown.get("path", "."), shown["rows"]) == (path, rows)


def test_a_tree_is_shown_whole_or_not_counted_as_shown() -> None:
    tree: dict[str, Any] = {"name": "leaf", "children": []}
    for level in range(5):
        tree = {"name": f"level {level}", "children": [tree, tree, tree]}
    for depth, rows in ((3, "none"), (40, "1-364")):
        budget = Budget(notice="full", auto_truncate=True, max_depth=depth, always_hold=True, max_tokens=90_000)
        assert notice_of(held(result(text(json.dumps(tree))), budget).answer(HANDLE, 60))["shown"]["rows"] == rows


def test_a_text_inside_of_json_is_shown_with_the_outline() -> None:
    log = "\n".join(f"2026-01-01T00:00:{n % 60:02d}Z INFO worker did job {n}" for n in range(300))
    value = {"ok": True, "log": log, "more": {"a": {"b": 1}}}
    budget = Budget(auto_truncate=True, max_depth=1, always_hold=True)
    hold = held(result(text(json.dumps(value))), budget)
    assert hold.reading.form == "logs"
    assert json.loads(hold.preview.text) == {**value, "more": "[Object: 1 properties, truncated]"}
    assert hold.preview.shown.count == 300


def test_what_is_too_large_to_be_outlined_in_vain_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fit_room, "OUTLINED", 100)
    assert held(result(text(json.dumps([[[ROWS]]]))), Budget(auto_truncate=True)).preview.depth is None


@pytest.mark.parametrize(
    ("strategy", "first"), [("priority", "critical"), ("newest", "2026-03-01"), ("oldest", "2026-01-01")]
)
def test_a_strategy_decides_which_items_are_shown_first(strategy: Any, first: str) -> None:
    findings = [
        {"severity": ["low", "medium", "critical"][n % 3], "date": f"2026-0{n % 3 + 1}-01", "id": n}
        for n in range(3_000)
    ]
    hold = held(result(text(json.dumps(findings))), Budget(strategy=strategy))
    lines = hold.preview.text.splitlines()
    header = next(at for at, line in enumerate(lines) if line.count("|") == 2 and "id" in line)
    shown = lines[header + 1 : header + 1 + hold.preview.shown.count]
    assert len(shown) >= 4
    assert sum(first in line for line in shown) >= 4 > sum(first not in line for line in shown[:4])
    assert all(first in line for line in shown)


def test_a_strategy_that_finds_nothing_to_sort_by_leaves_the_order() -> None:
    rows = result(text(json.dumps([{"x": n} for n in range(9_000)])))
    assert held(rows, Budget(strategy="priority")).preview == held(rows, Budget()).preview
    named = Budget(strategy="priority", priority_field="no_such_field")
    rows = result(text(json.dumps(ROWS)))
    assert held(rows, named).preview == held(rows, Budget()).preview
    single = result(text(json.dumps({"a": "x y " * 90_000})))
    assert held(single, Budget(strategy="newest")).preview == held(single, Budget()).preview


def test_only_the_first_part_of_something_huge_is_sorted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(order, "SORTED_BYTES", 2_000)
    findings = [{"id": n, "severity": "critical" if n in (9, 70_007) else "low"} for n in range(100_000)]
    hold = held(result(text(json.dumps(findings))), Budget(strategy="priority"))
    assert (9, 10) in hold.preview.shown.ranges or hold.preview.shown.ranges[0][1] > 9
    assert not any(first <= 70_007 < last for first, last in hold.preview.shown.ranges)


def test_a_notice_is_shortened_down_to_what_nobody_can_do_without() -> None:
    notice = held(result(text(json.dumps(ROWS))), Budget()).notice
    assert list(json.loads(notice.render(HANDLE, 60, room=Room(tokens=1)))) == ["type", "cache_id", "message"]
    assert json.loads(notice.render(None, None, room=Room(tokens=1)))["message"] == "Too large; not kept."
    lengths = [len(notice.render(HANDLE, 60, room=Room(tokens=tokens))) for tokens in (1, 150, 250, 400, 900)]
    assert lengths == sorted(lengths)


def test_half_an_emoji_is_encoded_as_an_escape() -> None:
    assert encode({"a": "\ud83d"}) == b'{"a":"\\ud83d"}'
    assert unquote(encode({"a": "\ud83d"})[5:-1]) == "\ud83d"


def test_numbers_that_cannot_be_read_come_last_in_a_strategy() -> None:
    rows = [{"priority": "low", "n": n} for n in range(2_000)]
    raw = json.dumps(rows).replace('"n": 7}', '"n": ' + "7" * 5_000 + "}")
    assert isinstance(fit(result(text(raw)), Budget(strategy="priority")), Hold)


@pytest.mark.parametrize("name", ["max_tokens", "preview_tokens", "page_tokens", "preview_bytes", "max_bytes"])
def test_a_budget_too_small_for_a_notice_is_the_callers_error(name: str) -> None:
    with pytest.raises(CallerError, match=name):
        Budget(**{name: 10})  # type: ignore[arg-type]  # the name is one of the numbers


@given(any_text | st.binary() | json_bytes(), budgets)
def test_data_that_is_no_result_is_decided_alike(data: str | bytes, budget: Budget) -> None:
    document = read(data)
    match fit_document(document, budget):
        case Pass():
            assert Room(tokens=budget.max_tokens).fits(document.raw[:])
        case Compact(raw=small):
            assert Room(tokens=budget.max_tokens).fits(small)
        case Hold() as hold:
            assert hold.document is document
            assert cost(parse(hold.answer(HANDLE, 60)), "claude") <= budget.max_tokens


def test_plain_data_that_fits_when_minified_is_compacted() -> None:
    plan = fit_document(
        read(json.dumps(ROWS[:60], indent=8)), Budget(max_tokens=3_000, preview_tokens=500, page_tokens=500)
    )
    assert isinstance(plan, Compact)
    assert json.loads(plan.raw) == ROWS[:60]


def test_arguments_with_half_an_emoji_do_not_break_the_notice() -> None:
    call = Call(tool="t", arguments={"query": "\ud83d"}, schema={"properties": {"limit": {"type": "integer"}}})
    assert (
        notice_of(held(result(text(json.dumps(ROWS))), Budget(notice="full"), call).answer(HANDLE, 60))["tool"] == "t"
    )


def test_binary_data_is_held_with_nothing_to_read_on() -> None:
    hold = held(bytes(text_result(PIXELS).raw), Budget())
    assert hold.notice.next_calls == ()
    assert "base64" in hold.notice.message
    assert hold.notice.message.endswith("Nothing of it is shown.")
    assert hold.preview.text == ""


def test_the_quoted_cause_of_a_failure_has_no_orders_to_a_terminal() -> None:
    raw = result(text("\x1b]0;pwned\x07 \u202e gone\n" + "x y z " * 30_000), isError=True)
    message = head_of(held(raw, Budget()).answer(HANDLE, 60))["message"]
    assert message.startswith("The tool failed: \\u001b]0;pwned\\u0007 \\u202e gone")


PICTURE = {"type": "image", "data": PIXELS, "mimeType": "image/png"}


@pytest.mark.parametrize("copy", [{"content": [PICTURE]}, {"result": PICTURE}])
@pytest.mark.parametrize("meta", [{}, {"_meta": {"a": 1}}, {"_meta": None}])
def test_a_picture_that_stands_in_the_structured_content_once_more_passes_as_a_picture(
    copy: dict[str, Any], meta: dict[str, Any]
) -> None:
    plan = fit(result(PICTURE, structuredContent=copy, **meta), Budget())
    assert isinstance(plan, Compact)
    told = json.loads(plan.raw)
    assert told["content"] == [PICTURE]
    assert "structuredContent" not in told
    assert told["_meta"]["penstock/compacted"] is True
    assert told["_meta"].get("a") == (1 if meta.get("_meta") else None)
    assert plan.cost.charged < 2 * MEDIA_TOKENS < plan.tokens


def test_one_that_is_too_large_is_held_as_a_picture_and_not_as_text() -> None:
    raw = result(PICTURE, structuredContent={"content": [PICTURE]})
    for budget in (Budget(max_tokens=1_000, preview_tokens=600, page_tokens=600), Budget(always_hold=True)):
        assert "1 block that is not text" in notice_of(held(raw, budget).answer(HANDLE))["message"]


@pytest.mark.parametrize(
    "structured",
    [
        {"content": [{**PICTURE, "data": PIXELS + "A"}]},
        {"content": [PICTURE], "size": len(PIXELS)},
        {"content": [PICTURE, PICTURE]},
        {"data": PIXELS},
    ],
)
def test_what_says_more_than_the_picture_is_data(structured: dict[str, Any]) -> None:
    raw = result(PICTURE, structuredContent=structured)
    assert "1 block that is not text" not in notice_of(held(raw, SMALL).answer(HANDLE))["message"]


def test_a_client_that_was_promised_structured_content_gets_it_or_a_stand_in_with_it() -> None:
    raw = result(PICTURE, structuredContent={"content": [PICTURE]})
    assert isinstance(fit(raw, Budget(structured=True)), Hold)


def test_a_picture_beside_what_no_parser_takes_is_no_copy() -> None:
    half = (
        b'{"content":['
        + json.dumps(PICTURE).encode()
        + b'],"structuredContent":{"content":["\\ud800'
        + b"x" * 90_000
        + b'"]}}'
    )
    assert isinstance(fit(half, Budget()), Hold)
