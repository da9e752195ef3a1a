"""A budget is kept in every unit at once: tokens, bytes of text, bytes of all, lines; and twice where it is copied."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from penstock.core.answer.notice import SAMPLE_HANDLE, line_and_text
from penstock.core.answer.result import parse
from penstock.core.answer.stand_in import cost
from penstock.core.budget import LEAST_LINES, Budget, Room, line_count, wire_length
from penstock.core.fit import Call, Compact, Hold, Pass, fit, fit_document
from penstock.core.fit_room import with_drawn_preview
from penstock.core.forms.document import read
from penstock.core.tokens.count import count_json_string
from penstock.core.tokens.profiles import PROFILES
from penstock.errors import CallerError
from tests.core.test_fit import HANDLE, PIXELS, ROWS, notice_of, result, results, text
from tests.kit.answers import line_of
from tests.kit.strategies import any_text

if TYPE_CHECKING:
    from penstock.core.answer.preview_text import Preview

AT_THE_SEAM = 4  # tokens by which two texts may cost more as one, for the signs that meet
IMAGE = {"type": "image", "data": PIXELS, "mimeType": "image/png"}


def held(raw: bytes, budget: Budget) -> Hold:
    plan = fit(raw, budget)
    assert isinstance(plan, Hold)
    return plan


def lines_of(raw: bytes) -> int:
    return sum(line_count(block.data) for block in parse(raw).blocks if block.data is not None)


def text_bytes(raw: bytes) -> int:
    return len(raw) - sum(len(block.raw) for block in parse(raw).blocks if block.is_media)


@st.composite
def budgets(draw: st.DrawFn) -> Budget:
    structured = draw(st.booleans())
    tokens = draw(st.integers(500 if structured else 250, 6_000))
    return Budget(
        max_tokens=tokens,
        preview_tokens=draw(st.integers(500 if structured else 250, tokens)),
        page_tokens=tokens,
        preview_bytes=draw(st.integers(1_024, 20_000)),
        max_bytes=draw(st.integers(1_024, 100_000)),
        max_text_bytes=draw(st.integers(1_024, 20_000)),
        max_lines=draw(st.none() | st.integers(LEAST_LINES, 300)),
        auto_truncate=draw(st.booleans()),
        structured=structured,
    )


SMALLEST = Budget(
    max_tokens=250, preview_tokens=250, page_tokens=250, preview_bytes=1_024, max_bytes=1_024, max_text_bytes=1_024
)
LINES_OF_NOTHING = json.dumps({"content": [text(json.dumps([None], indent=1) * 20)], "isError": True}).encode()


@settings(max_examples=150)
@example(LINES_OF_NOTHING, SMALLEST)  # was answered with 251 tokens
@given(results | st.integers(0, 800).map(lambda n: result(text("ab\n" * n), *[IMAGE] * (n % 3))), budgets())
def test_p1_no_answer_is_more_than_its_budget_in_any_unit(raw: bytes, budget: Budget) -> None:
    match fit(raw, budget):
        case Pass():
            answers = [raw]
        case Compact(raw=small):
            answers = [small]
        case hold:
            handles = [SAMPLE_HANDLE] * len(hold.extras.hidden)
            answers = [hold.answer(SAMPLE_HANDLE, 1_800, handles), hold.answer(None)]
    for answer in answers:
        assert len(answer) <= budget.max_bytes
        assert text_bytes(answer) <= budget.max_text_bytes
        assert budget.max_lines is None or lines_of(answer) <= budget.max_lines or len(answer) <= budget.unread
        assert cost(parse(answer), "claude") <= budget.max_tokens or len(answer) <= budget.max_tokens


@given(results, budgets())
def test_a_tool_with_an_output_schema_is_always_answered_with_structured_content(raw: bytes, budget: Budget) -> None:
    plan = fit(raw, budget)
    if budget.structured and isinstance(plan, Hold):
        told = json.loads(plan.answer(HANDLE, 60))["structuredContent"]
        assert told["cache_id"] == HANDLE
        assert told == line_of(plan.answer(HANDLE, 60)) | {"preview": plan.preview.text}
    elif isinstance(plan, Compact):
        kept = json.loads(plan.raw).get("structuredContent")
        assert not budget.structured or kept == json.loads(raw).get("structuredContent")


def test_the_copy_of_a_structured_result_is_minified_instead_of_dropped() -> None:
    rows = ROWS[:40]
    pretty = json.dumps(
        {"content": [text(json.dumps(rows, indent=9))], "structuredContent": {"result": rows}}, indent=2
    )
    tight = Budget(max_tokens=3_000, preview_tokens=500, page_tokens=500, structured=True)
    plan = fit(pretty.encode(), tight)
    assert isinstance(plan, Compact)
    told = json.loads(plan.raw)
    assert told["structuredContent"] == {"result": rows}
    assert json.dumps(rows, separators=(",", ":")).encode() in plan.raw
    assert told["_meta"]["penstock/compacted"] is True


def test_a_copy_alone_may_be_what_is_minified() -> None:
    rows = ROWS[:40]
    plain = json.dumps(rows, separators=(",", ":"))
    raw = b'{"content":[' + json.dumps(text(plain)).encode() + b'],"structuredContent":%b}'
    raw %= json.dumps({"result": rows}, indent=40).encode()
    tight = Budget(max_tokens=4_500, max_text_bytes=len(raw) // 2, structured=True)
    assert isinstance(fit(raw, tight), Compact)
    kept = b'{"content":[' + json.dumps(text(plain)).encode() + b'],"structuredContent":{}}'
    assert isinstance(fit(kept, Budget(max_tokens=500, preview_tokens=500, page_tokens=500, structured=True)), Hold)


def test_pictures_pass_above_the_limit_on_text_and_text_does_not() -> None:
    budget = Budget(max_text_bytes=4_000)
    assert isinstance(fit(result(text("see"), IMAGE), budget), Pass)
    assert isinstance(fit(result(text("see " * 1_000), IMAGE), budget), Hold)
    assert isinstance(fit(result(text("see"), IMAGE), Budget(max_bytes=len(PIXELS))), Hold)


def test_text_with_more_lines_than_the_client_takes_is_held_and_shown_in_fewer() -> None:
    many = "a line\n" * 900
    assert isinstance(fit(result(text(many)), Budget()), Pass)
    answer = held(result(text(many)), Budget(max_lines=500)).answer(HANDLE, 60)
    assert lines_of(answer) <= 500
    assert isinstance(fit(result(text("a line\n" * 400), text("b\n" * 400)), Budget(max_lines=500)), Hold)
    assert isinstance(fit_document(read(many), Budget(max_lines=500)), Hold)
    assert isinstance(fit_document(read(many), Budget(max_lines=1_000)), Pass)


def test_lines_count_where_they_are_read_and_not_where_they_are_escaped() -> None:
    room = Room(tokens=10_000, lines=3)
    assert room.fits("a\nb\nc")
    assert not room.fits("a\nb\nc\n")
    assert not room.fits(b"a\nb\nc\n")
    assert room.fits(json.dumps("a\n" * 50))


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("max_tokens", 500),
        ("preview_tokens", 500),
        ("page_tokens", 500),
        ("preview_bytes", 1_024),
        ("max_bytes", 1_024),
    ],
)
def test_a_budget_for_two_copies_is_twice_as_large_at_least(name: str, least: int) -> None:
    given: dict[str, Any] = {"structured": True, name: least}
    assert getattr(Budget(**given), name) == least
    with pytest.raises(CallerError, match=f"{name} is {least - 1}; give {least} or more"):
        Budget(**{**given, name: least - 1})


@pytest.mark.parametrize(("name", "value"), [("max_lines", LEAST_LINES - 1), ("max_text_bytes", 511)])
def test_a_budget_too_small_for_a_stand_in_is_the_callers_error(name: str, value: int) -> None:
    given: dict[str, Any] = {name: value}
    with pytest.raises(CallerError, match=name):
        Budget(**given)


def test_what_a_client_takes_as_a_block_depends_on_its_own_limit_alone() -> None:
    assert Budget().gives_back(10**9)
    assert Budget(max_block_bytes=100_000).gives_back(90_000)
    assert not Budget(max_block_bytes=100_000).gives_back(99_999)
    assert not Budget(max_tokens=1_700, preview_tokens=1_000, page_tokens=1_000).gives_back(10)


def test_the_first_blocks_that_are_held_by_themselves_have_calls_that_give_them_back() -> None:
    blob = {"type": "resource", "resource": {"uri": "b", "blob": PIXELS}}
    odd = {"type": "hologram", "payload": "x" * 90_000}
    hold = held(result(text(json.dumps(ROWS)), odd, IMAGE, blob, IMAGE), Budget(notice="full", max_bytes=60_000))
    handles = [f"r_{n:022d}" for n in range(len(hold.extras.hidden))]
    assert [one.block for one in hold.extras.hidden] == [None, "image", "resource", "image"]
    calls = [one["arguments"] for one in notice_of(hold.answer(HANDLE, 60, handles))["next"]]
    assert calls == [
        {"cache_id": HANDLE, "action": "get_page", "page": 1},
        {"cache_id": handles[1], "action": "get"},
        {"cache_id": handles[2], "action": "get"},
    ]
    limited = held(
        result(text(json.dumps(ROWS)), IMAGE), Budget(notice="full", max_bytes=60_000, max_block_bytes=60_000)
    )
    assert len(notice_of(limited.answer(HANDLE, 60, handles))["next"]) == 1


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "ValueError: no such table\n" + "  at line 5\n" * 9_000,
            "failed: ValueError: no such table. Its error",
        ),
        ("Stop.\n" * 9_000, "The tool failed: Stop. Its error is 9,000 lines"),
        (
            json.dumps({"error": "no such table", "rows": ROWS}, indent=1),
            'failed: { "error": "no such table",',
        ),
        ("\n" * 90_000, "The tool failed; its error is 90,000 lines"),
        (PIXELS, "The tool failed; its error is "),
        ("word " * 90_000, " word …"),
        ("\u202eevil\x1b[2J\r\n" + "x " * 90_000, "failed: \\u202eevil\\u001b[2J. Its error"),
    ],
)
def test_an_error_that_is_held_says_its_cause_first(said: str, told: str) -> None:
    hold = held(result(text(said), isError=True), Budget())
    assert told in hold.notice.message
    assert len(hold.notice.message) < 300


def test_a_text_says_how_many_characters_and_lines_are_left_out() -> None:
    hold = held(result(text("word " * 90_000)), Budget(notice="full"))
    left = int(re.findall(r"… \[([\d,]+) characters not shown\] …", hold.preview.text)[0].replace(",", ""))
    shown = hold.preview.text.count("word")
    assert left == 450_000 - 5 * shown
    assert hold.notice.message.endswith("Below: its beginning and end.")
    part = f"line 1: {450_000 - left:,} characters shown"
    assert notice_of(hold.answer(HANDLE, 60))["shown"] == {"lines": "none", "of": 1, "cut": part}


@pytest.mark.parametrize("structured", [{}, {"structuredContent": {"result": ROWS}}])
def test_a_resource_is_named_by_its_uri(structured: dict[str, Any]) -> None:
    resource = {"type": "resource", "resource": {"uri": "file:///a/b.json", "text": json.dumps(ROWS)}}
    assert notice_of(held(result(resource, **structured), Budget()).answer(HANDLE, 60))["uri"] == "file:///a/b.json"
    long = {"type": "resource", "resource": {"uri": "x" * 5_000, "text": json.dumps(ROWS)}}
    assert len(notice_of(held(result(long), Budget()).answer(HANDLE, 60))["uri"]) == 200
    odd = {"type": "resource", "resource": {"uri": 5, "text": json.dumps(ROWS)}}
    assert "uri" not in notice_of(held(result(odd), Budget()).answer(HANDLE, 60))
    assert "uri" not in notice_of(held(result(resource, resource), Budget()).answer(HANDLE, 60))


def test_pictures_alone_are_counted_as_pictures() -> None:
    small = Budget(max_bytes=60_000)
    hold = held(result(IMAGE, IMAGE), small)
    assert hold.notice.message.startswith("2 blocks that are not text, about 3,258 tokens, ")
    assert hold.notice.message.endswith("; the limit is 60,000 bytes. Nothing of it is shown.")
    assert hold.measure.size > 2 * len(PIXELS)
    alone = held(result(IMAGE), small)
    assert alone.notice.message.startswith("1 block that is not text, about 1,629 tokens, ")
    link = {"type": "resource_link", "uri": "file:///a", "name": "some words " * 9_000}
    mixed = held(result(IMAGE, link), small)
    assert mixed.measure.tokens.tokens > 10_000
    assert mixed.measure.tokens.method == "blocks"


LOG = "".join(f"2026-01-01T00:{n // 60:02d}:{n % 60:02d}Z INFO worker did job {n}\n" for n in range(600))


@pytest.mark.parametrize(
    ("raw", "budget", "reason"),
    [
        (result(text(json.dumps(ROWS))), Budget(notice="full"), r"tokens; the limit is 20,000\."),
        (result(text('\\"' * 1_500)), Budget(max_tokens=2_500), r"tokens, and up to [\d,]+ as it is sent; the limit"),
        (result(text("a line\n" * 900)), Budget(max_lines=500), r"90[01] lines; the limit is 500 lines\."),
        (result(text(LOG)), Budget(max_lines=500, max_tokens=50_000), r"60[01] lines; the limit is 500 lines\."),
        (result(text(LOG), IMAGE), Budget(max_lines=500, max_tokens=50_000, max_text_bytes=60_000), r"60[01] lines"),
        (
            result(text(json.dumps(ROWS[:100]))),
            Budget(max_text_bytes=4_000),
            r", [\d,]+ bytes; the limit is 4,000 bytes",
        ),
        (result(text("x"), IMAGE), Budget(max_bytes=60_000), r", [\d,]+ bytes; the limit is 60,000 bytes\."),
        (result(text("[1,2]")), Budget(always_hold=True), r"tokens; held because of the setting always_hold\."),
    ],
)
def test_the_figure_that_decided_is_named_with_its_limit(raw: bytes, budget: Budget, reason: str) -> None:
    hold = held(raw, budget)
    assert re.search(reason, hold.notice.message)
    assert hold.notice.exceeds == (not budget.always_hold)


@pytest.mark.parametrize(
    ("data", "budget", "reason"),
    [
        ('\\"' * 1_500, Budget(max_tokens=2_500), r"and up to [\d,]+ as it is sent; the limit is 2,500\."),
        ("é" * 900, Budget(max_text_bytes=1_000), r"1,800 bytes; the limit is 1,000 bytes\."),
        (LOG, Budget(max_lines=500, max_tokens=50_000), r"60[01] lines; the limit is 500 lines\."),
    ],
)
def test_data_that_is_no_result_names_the_figure_that_decided_too(data: str, budget: Budget, reason: str) -> None:
    hold = fit_document(read(data), budget)
    assert isinstance(hold, Hold)
    assert re.search(reason, hold.notice.message)
    assert hold.notice.exceeds


def test_what_is_held_though_it_fits_does_not_say_that_it_exceeds() -> None:
    fits = held(result(text("[1,2]")), Budget(notice="full", always_hold=True))
    assert notice_of(fits.answer(HANDLE, 60))["metadata"]["would_exceed_limit"] is False
    too_large = held(result(text(json.dumps(ROWS))), Budget(notice="full", always_hold=True))
    assert notice_of(too_large.answer(HANDLE, 60))["metadata"]["would_exceed_limit"] is True


def test_where_two_stubs_have_no_room_one_stands_for_all() -> None:
    raw = result(text("x"), IMAGE, other=["y" * 900], _meta={"z": "w" * 900})
    hold = held(raw, Budget(max_tokens=250, preview_tokens=250, page_tokens=250))
    [hidden] = hold.extras.hidden
    assert json.loads(hidden.raw) == {"content": [IMAGE], "other": ["y" * 900], "_meta": {"z": "w" * 900}}
    answer = hold.answer(HANDLE, 60, [HANDLE])
    assert "[+3 more blocks, not shown; held as" in json.loads(answer)["content"][-1]["text"]
    assert cost(parse(answer), "claude") <= 250


def test_a_result_that_only_has_too_many_bytes_is_told_so_and_narrower_calls_fit_them() -> None:
    schema = {"properties": {"status": {"type": "string"}}}
    rows = result(text(json.dumps(ROWS[:300])))
    plan = fit(rows, Budget(notice="full", max_text_bytes=8_192), Call(tool="t", schema=schema))
    assert isinstance(plan, Hold)
    told = notice_of(plan.answer(HANDLE, 60))
    assert told["metadata"]["total_tokens"] < told["metadata"]["token_limit"]
    assert told["metadata"]["byte_limit"] == 8_192
    [status] = [one.arguments["status"] for one in plan.notice.suggestions if one.tool == "t"]
    assert len(json.dumps([row for row in ROWS[:300] if row["status"] == status])) <= 8_192
    assert (
        "byte_limit"
        not in notice_of(held(rows, Budget(notice="full", max_tokens=3_000)).answer(HANDLE, 60))["metadata"]
    )


@given(before=any_text, text=any_text, profile=st.sampled_from(sorted(PROFILES)))
@example(before='{"total":3000}', text="a b\r\n" * 60, profile="claude")
def test_room_left_beside_a_text_is_that_of_both_as_one(before: str, text: str, profile: str) -> None:
    whole = count_json_string(before + text, profile).upper
    for tokens in (whole // 2, whole, 2 * whole):
        left = Room(tokens=tokens, profile=profile).less(before)
        if left.fits(text):
            assert not text or whole <= tokens + AT_THE_SEAM
        assert (left.load(text) <= 1) >= left.fits(text)


def test_room_left_beside_a_text_counts_a_dense_text_by_its_bytes() -> None:
    head, dense = '{"total":3000,"shown":"1-60 of 3,000"}', "a b\r\n" * 60
    room = Room(tokens=wire_length(head + dense))
    assert room.less(head).fits(dense)
    assert room.less(head).load(dense) <= 1
    assert not room.limited(tokens=room.tokens - 1).less(head).fits(dense)
    assert room.less(head * 40).load(dense) > 1


@pytest.mark.parametrize("times", [1, 3, 1_000])
def test_preview_that_does_not_fit_beside_the_notice_is_drawn_again_in_less_room(times: int) -> None:
    draft, room = held(result(text(json.dumps(ROWS))), Budget(notice="full")).notice, Room(tokens=1_000)
    rooms: list[int] = []

    def draw(share: Room) -> Preview:
        rooms.append(share.tokens)
        return replace(draft.preview, text="word " * (times * share.tokens // 2))

    notice = with_drawn_preview(draft, room, draw)
    assert rooms == sorted(set(rooms), reverse=True)
    assert room.fits(line_and_text(notice.shortest.decode(), notice.preview.text))
    assert (len(rooms) == 1) == (times == 1)
    assert (rooms[-1] == 0) == (times == 1_000)
