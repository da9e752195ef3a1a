"""A notice is one line of JSON within its room; it says what is held, and every call in it can be made as it stands."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from penstock.core.answer.notice import HANDLE_LENGTH, SAMPLE_HANDLE, NextCall, Notice, encode
from penstock.core.answer.preview_text import Preview, ShownRanges
from penstock.core.answer.suggest import Suggestion
from penstock.core.budget import Room
from penstock.core.changes.since import Since
from penstock.core.forms.document import read
from penstock.core.measure import measure
from tests.kit import hostile_names as hostile
from tests.kit.strategies import values

HANDLE = "r_0123456789abcdefghijkl"
ROWS = [{"id": n, "status": "ab"[n % 2], "parts": [{"n": n}] * 3} for n in range(40)]
PREVIEW = Preview(
    text="x", shown=ShownRanges(path=".", ranges=((0, 2),), total=40), below="facts of all 40, then 2 rows"
)
READ = Suggestion(why="how many", tool="fetch_cached_response", tokens=9, arguments={"sql": "SELECT 1"}, is_read=True)
OWN = Suggestion(why="fewer", tool="search", tokens=900, arguments={"status": "a"}, about=True)


def notice(data: Any = ROWS, **settings: Any) -> Notice:
    whole = measure(read(data if isinstance(data, str) else json.dumps(data)))
    given: dict[str, Any] = {
        "tool": "search",
        "style": "full",
        "measure": whole,
        "token_limit": 20_000,
        "reason": "about 900 tokens; the limit is 500",
        "preview": PREVIEW,
        "next_calls": (NextCall(arguments={"action": "get_page", "page": 1}, tokens=700),),
        "suggestions": (READ, OWN, READ),
    }
    return Notice(**{**given, **settings})


def told(made: Notice, handle: str | None = HANDLE, *hidden: str, room: Room | None = None) -> dict[str, Any]:
    found = json.loads(made.render(handle, 60, hidden, room=room))
    assert isinstance(found, dict)
    return found


def test_a_handle_is_as_long_as_the_one_that_is_counted_with() -> None:
    assert len(SAMPLE_HANDLE) == HANDLE_LENGTH == len(HANDLE)


def test_what_changed_since_the_same_call_is_told_and_given_up_before_the_message() -> None:
    since = Since(handle=SAMPLE_HANDLE, seconds=9, words="2 lines added, 0 removed, 7 unchanged")
    made = notice(since=since)
    assert told(made)["changes"] == str(since) == f"since {SAMPLE_HANDLE}, 9 s ago: {since.words}"
    assert list(told(made))[2:5] == ["tool", "message", "changes"]
    forms = made._forms(HANDLE, 60, ())
    without = [one for one in forms if "changes" not in one]
    assert "metadata" not in without[0]
    assert without[0]["message"] == made.message


def test_the_message_says_what_it_is_what_was_too_large_and_what_is_shown() -> None:
    made = notice()
    message = "about 900 tokens; the limit is 500. Below: facts of all 40, then 2 rows."
    assert made.message == f"{made.measure.reading.words}, {message}"
    assert notice(preview=replace(PREVIEW, below="")).message.endswith("500. Nothing of it is shown.")
    failed = notice(failed=True, cause="No such table.").message
    assert failed.startswith("The tool failed: No such table. Its error is 40 ")
    assert notice(failed=True).message.startswith("The tool failed; its error is 40 ")


def test_tables_beside_the_main_one_are_named_with_their_rows() -> None:
    rows = [{"id": n, "words": f"some words {n}", "parts": [{"n": n, "m": 1}] * (n % 3)} for n in range(40)]
    tables = told(notice(rows))["tables"]
    assert tables == {one.name: one.count for one in notice(rows).measure.reading.tables}
    assert len(tables) > 1
    assert "tables" not in told(notice([{"id": 1}]))
    many = [
        {"id": n, "words": f"some words {n}", **{f"list{at}": [{f"f{at}": n, "m": n}] * 3 for at in range(9)}}
        for n in range(40)
    ]
    found = told(notice(many))["tables"]
    assert len(found) == 6
    assert found["…"] == f"+{len(notice(many).measure.reading.tables) - 5} tables"
    reading = notice(rows).measure.reading
    sampled = replace(reading, tables=tuple(replace(one, exact=False, about="about") for one in reading.tables))
    about = replace(notice(rows), measure=replace(notice(rows).measure, reading=sampled))
    assert told(about)["tables"]["items"] == "about 40"


def test_calls_have_the_handle_first_and_say_what_they_cost() -> None:
    calls = (
        NextCall(arguments={"action": "get_page", "page": 1}, tokens=700, at_most=True),
        NextCall(arguments={"action": "get"}, tokens=9, hidden=1),
        NextCall(arguments={"action": "get"}, tokens=9, hidden=2),
    )
    assert told(notice(next_calls=calls), HANDLE, "r_0", "r_1")["next"] == [
        {
            "tool": "fetch_cached_response",
            "arguments": {"cache_id": HANDLE, "action": "get_page", "page": 1},
            "at_most_tokens": 700,
        },
        {"tool": "fetch_cached_response", "arguments": {"cache_id": "r_1", "action": "get"}, "tokens": 9},
    ]


def test_without_a_handle_only_calls_to_the_tool_itself_are_offered() -> None:
    found = told(notice(), None)
    assert [one["tool"] for one in found["suggestions"]] == ["search"]
    assert not {"cache_id", "next"} & found.keys()
    assert "expires_in_s" not in found["metadata"]
    assert found["message"].endswith("The rest was not kept: the store failed; narrow the call and repeat it.")
    assert "suggestions" not in told(notice(suggestions=(READ,)), None)


def test_figures_of_the_data_and_of_the_limits() -> None:
    made = notice(byte_limit=9_000, exceeds=False, preview=replace(PREVIEW, depth=3), uri="u" * 300)
    found = told(made)
    assert found["metadata"] == {
        "total_tokens": made.measure.tokens.tokens,
        "total_bytes": made.measure.size,
        "item_count": made.measure.items,
        "max_depth": 4,
        "truncated_at_depth": 3,
        "would_exceed_limit": False,
        "token_limit": 20_000,
        "byte_limit": 9_000,
        "expires_in_s": 60,
    }
    assert len(found["uri"]) == 200
    assert "uri" not in told(notice())


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 900), st.integers(0, 900), st.sampled_from([HANDLE, None]))
def test_a_notice_fits_its_room_and_says_no_less_in_a_bigger_one(tokens: int, more: int, handle: str | None) -> None:
    made = notice(uri="file:///a")
    least = made.render(handle, 60, room=Room(tokens=0))
    small, large = (made.render(handle, 60, room=Room(tokens=room)) for room in (tokens, tokens + more))
    assert Room(tokens=tokens).fits(small) or small == least
    known, better = json.loads(small), json.loads(large)
    assert "cache_id" in known or handle is None
    assert len(better.get("suggestions", ())) >= len(known.get("suggestions", ()))
    assert {"type", "message"} <= known.keys()


def test_the_shortest_notice_has_the_handle_and_says_that_there_is_more() -> None:
    assert told(notice(), room=Room(tokens=1)) == {
        "type": "buffered_response",
        "cache_id": HANDLE,
        "message": "Too large; stored.",
    }
    assert told(notice(), None, room=Room(tokens=1))["message"] == "Too large; not kept."


def test_a_room_without_a_limit_has_all_of_it() -> None:
    made = notice(uri="u")
    assert made.render(HANDLE, 60, room=Room(tokens=10**6)) == made.render(HANDLE, 60)
    assert len(told(made)["suggestions"]) == 3


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(hostile.texts, hostile.cells, max_size=4) | values.map(lambda value: {"a": value}))
def test_a_notice_is_one_line_and_the_same_json_whatever_is_in_it(data: dict[str, Any]) -> None:
    line = encode(data).decode()
    assert json.loads(line) == json.loads(json.dumps(data))
    assert line.isprintable()


@example("", "", "\ud800\udfff", [{}])
@settings(max_examples=100, deadline=None)
@given(hostile.texts, hostile.texts, hostile.texts, hostile.records)
def test_no_name_argument_or_key_breaks_the_line(
    tool: str, uri: str, argument: str, rows: list[dict[str, Any]]
) -> None:
    call = Suggestion(why="x", tool=tool, tokens=1, arguments={argument: argument})
    made = notice(rows, tool=tool, uri=uri, suggestions=(call,), cause=argument, failed=True)
    line = made.render(HANDLE, 60).decode()
    assert line.isprintable()
    meant = json.loads(json.dumps(argument))  # two halves of a character that meet are that character
    assert json.loads(line)["suggestions"][0]["arguments"] == {meant: meant}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("\ud83d", '{"a":"\\ud83d"}'),
        ("\u2028\x7f", '{"a":"\\u2028\\u007f"}'),
        ("\U000e0001", '{"a":"\\udb40\\udc01"}'),
        ("é", '{"a":"é"}'),
    ],
)
def test_what_cannot_be_shown_is_an_escape(text: str, line: str) -> None:
    assert encode({"a": text}) == line.encode()


def brief(data: Any = ROWS, **settings: Any) -> Notice:
    return notice(data, style="brief", **settings)


def test_brief_notice_has_only_what_a_reader_needs() -> None:
    members = told(brief())
    assert list(members) == ["type", "cache_id", "message", "shape", "tables", "next", "suggestions"]
    assert members["message"] == "40 records (3 columns), about 900 tokens; the limit is 500. Stored for 1 min."
    assert members["tables"] == {"items": "40", "items_parts": "120, _row = items.rowid: n"}
    assert members["next"] == {"sql": "SELECT 1"}
    assert members["suggestions"] == [OWN.as_dict()]


@pytest.mark.parametrize(("seconds", "words"), [(7_200, "2 h"), (5_400, "90 min"), (61, "61 s")])
def test_brief_notice_says_how_long_the_result_is_stored(seconds: int, words: str) -> None:
    members = json.loads(brief().render(HANDLE, seconds))
    assert members["message"].endswith(f" Stored for {words}.")
    assert "Stored" not in json.loads(brief().render(HANDLE, None))["message"]


def test_brief_notice_without_a_handle_offers_only_calls_of_the_tool_itself() -> None:
    members = told(brief(), None)
    assert "next" not in members
    assert members["suggestions"] == [OWN.as_dict()]
    assert members["message"].endswith("narrow the call and repeat it.")


def test_brief_notice_names_a_reading_tool_with_another_name_and_the_tool_that_fetches_more() -> None:
    page = NextCall(arguments={"action": "get_page", "page": 1}, tokens=700)
    more = NextCall(arguments={"action": "more"}, tokens=9, tool="act")
    members = told(brief(fetch_tool="read_on", next_calls=(more, page), suggestions=(), uri="file:///a"))
    assert members["next"] == {"tool": "read_on", "action": "get_page", "page": 1}
    assert members["suggestions"] == [{"tool": "act", "arguments": {"cache_id": HANDLE, "action": "more"}}]
    assert members["uri"] == "file:///a"


def test_brief_notice_without_calls_or_further_tables_has_no_members_for_them() -> None:
    since = Since(handle=SAMPLE_HANDLE, seconds=9, words="1 line added")
    members = told(brief("words of a text", next_calls=(), suggestions=(), since=since))
    assert list(members) == ["type", "cache_id", "message", "changes", "shape"]


def test_brief_notice_counts_tables_and_columns_that_it_does_not_name() -> None:
    row = {f"list{n}": [{f"column{k}": k for k in range(15)}] * 2 for n in range(6)}
    tables = told(brief([row] * 30))["tables"]
    assert tables["…"] == "+2 tables"
    assert all(one.endswith(", +3 columns") for name, one in tables.items() if name.startswith("items_"))
