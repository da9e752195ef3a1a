"""The style ``data``: its four patterns of use word for word, its seven scenarios, and the promises in that form."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.config import Config
from penstock.core.answer.result import parse
from penstock.core.answer.stand_in import cost
from penstock.core.fit import Call
from penstock.core.tokens.count import count
from penstock.errors import ConfigError
from penstock.gate import Gate
from penstock.stores import open_store
from tests.gate.conftest import OWNER, Clock, Desk, notice, numbered_handle
from tests.kit import usage_patterns as patterns
from tests.kit.answers import head_of, line_of, split
from tests.kit.strategies import records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.query.sandbox.sandbox import Sandbox

OBJECTS = [
    {"name": f"Object {n}", "componentNames": ["Transform", *(["Collider"] if n % 3 else [])], "tag": "x" * (n % 9)}
    for n in range(4_000)
]
SCENE = {"success": True, "scene": "Island", "hierarchy": OBJECTS}
HALF_HOUR = 1_800


@pytest.fixture
def desk(sandbox: Sandbox) -> Iterator[Desk]:
    clock = Clock()
    with open_store("memory:", now=clock) as store:
        gate = Gate(store, Config(notice="data"), now=clock, new_handle=numbered_handle, sandbox=sandbox)
        yield Desk(gate=gate, store=store, clock=clock)


@pytest.fixture
def fetch(desk: Desk) -> Callable[..., Any]:
    """The tool as a program calls it: the JSON of what it answers, an error too."""

    def fetch_cached_response(**arguments: Any) -> Any:
        return head_of(desk.gate.fetch(OWNER, arguments))

    return fetch_cached_response


# The four patterns


def test_pattern_1_what_is_cached_is_got_by_its_handle(desk: Desk, fetch: Callable[..., Any]) -> None:
    response = notice(desk.admit(SCENE))
    assert response.keys() >= {"success", "cached", "cache_id", "message", "data"}
    assert (response["success"], response["cached"]) == (True, True)
    assert response["data"]["cache_id"] == response["cache_id"]
    assert response["data"]["size_kb"] == len(json.dumps(SCENE)) / 1_024
    assert response["data"]["estimated_tokens"] == response["metadata"]["total_tokens"]
    assert "fetch_cached_response" in response["data"]["usage_hint"]
    data = patterns.direct_access(fetch, response)
    assert data["success"] is True  # too large for one answer: where the window of it lies, and then its text
    assert data["data"]["total_length"] == len(json.dumps(SCENE))


def test_pattern_1_a_result_that_fits_is_got_as_the_value_that_it_is(sandbox: Sandbox) -> None:
    with open_store("memory:") as store:
        gate = Gate(store, Config(notice="data", always_hold=True), sandbox=sandbox)
        small = {"success": True, "hierarchy": OBJECTS[:100], "odd": "\u2028 😀"}
        result = json.dumps({"content": [{"type": "text", "text": json.dumps(small)}]}).encode()
        response = notice(json.loads(gate.admit(Call(tool="t", owner=OWNER), result)))

        def fetch(**arguments: Any) -> Any:
            return head_of(gate.fetch(OWNER, arguments))

        assert patterns.direct_access(fetch, response)["data"] == small


def test_windows_put_together_are_the_text(desk: Desk) -> None:
    whole = "".join(f'line {n}: Ünïcode "quoted"\n' for n in range(9_000))
    handle, found = desk.hold(whole), ""
    start: int | None = 0
    while start is not None:
        head, text = split(desk.raw("get", handle, start_index=start))
        found += text
        start = head["data"]["next_index"]
    assert found == whole


def test_pattern_2_fields_are_taken_out_without_the_rest(desk: Desk, fetch: Callable[..., Any]) -> None:
    names = patterns.filtered_access(fetch, desk.hold(SCENE))
    assert names["success"] is True
    assert names["data"]["cached"] is True  # all of these names together are too many for one answer
    assert fetch(cache_id=names["cache_id"], action="filter", jq_filter="length")["data"]["result"] == len(OBJECTS)


def test_pattern_3_the_pages_that_info_counts_are_the_pages_that_there_are(
    desk: Desk, fetch: Callable[..., Any]
) -> None:
    pages = patterns.paginated_processing(fetch, desk.hold(SCENE))
    assert len(pages) > 1
    assert all(page["hierarchy"] for page in pages)
    assert [one for page in pages for one in page["hierarchy"]] == OBJECTS
    assert {page["scene"] for page in pages} == {"Island"}
    assert pages[0]["_pagination"]["field"] == "hierarchy"
    assert not pages[-1]["_pagination"]["has_more"]


def test_pattern_4_a_large_filtered_result_is_filtered_again(desk: Desk, fetch: Callable[..., Any]) -> None:
    names = patterns.chained_filtering(fetch, desk.hold(SCENE))
    assert names is not None
    last = fetch(cache_id=names["data"]["cache_id"], action="filter", jq_filter=".[-1]")
    assert last["data"] == {"cached": False, "result": "Object 3998"}


# The seven scenarios


def test_scenario_1_a_response_under_the_threshold_is_not_cached(desk: Desk) -> None:
    small = {"success": True, "hierarchy": OBJECTS[:10]}
    assert desk.admit(small) == {"content": [{"type": "text", "text": json.dumps(small)}]}


def test_scenario_2_a_response_over_the_threshold_is_cached(desk: Desk) -> None:
    response = notice(desk.admit(SCENE))
    assert response["cached"] is True
    assert response["data"]["estimated_tokens"] > 20_000
    assert len(desk.store.list(OWNER)) == 1


@pytest.mark.parametrize("kilobytes", [2, 7, 20, 50, 500, 10_000])
def test_scenario_3_pages_of_any_size_are_counted_as_they_are_given(
    desk: Desk, fetch: Callable[..., Any], kilobytes: int
) -> None:
    handle = desk.hold({**SCENE, "hierarchy": OBJECTS[:700]})
    info = fetch(cache_id=handle, action="info", page_size_kb=kilobytes)["data"]["metadata"]
    assert info["page_size_kb"] == kilobytes
    pages = []
    for number in range(1, info["total_pages"] + 1):
        answer = desk.raw("get_page", handle, page=number, page_size_kb=kilobytes)
        assert cost(parse(answer), "claude") <= 20_000
        text = json.loads(answer)["content"][0]["text"]
        pages.append(json.loads(text)["data"])
        assert len(text) <= kilobytes * 1_024 + 400
        assert pages[-1]["_pagination"]["total_pages"] == info["total_pages"]
        assert ("lowered" in pages[-1]["_pagination"]) == (kilobytes >= 50)  # what tokens allow is less than that
    assert ("lowered" in info) == (kilobytes >= 50)
    assert [one for page in pages for one in page["hierarchy"]] == OBJECTS[:700]


def test_info_names_the_size_that_its_pages_have(desk: Desk, fetch: Callable[..., Any]) -> None:
    handle = desk.hold(SCENE)
    asked = fetch(cache_id=handle, action="info", page_tokens=3_000)["data"]["metadata"]
    assert (asked["page_tokens"], "page_size_kb" in asked) == (3_000, False)
    last = fetch(cache_id=handle, action="get_page", page_tokens=3_000, page=asked["total_pages"])["data"]
    assert last["_pagination"]["end_index"] == len(OBJECTS)
    assert last["hierarchy"]


def test_half_an_emoji_in_a_calls_arguments_or_in_the_data_changes_nothing(desk: Desk) -> None:
    text = '{"rows": [' + ",".join(['{"name": "half \\ud800 of it"}'] * 9_000) + "]}"
    result = json.dumps({"content": [{"type": "text", "text": text}]}).encode()
    call = Call(tool="search", arguments={"q": "\ud800"}, owner=OWNER)
    handle = notice(json.loads(desk.gate.admit(call, result)))["cache_id"]
    for given_now in ({"action": "info"}, {"action": "get_page"}, {"action": "filter", "jq_filter": "."}):
        answer = json.loads(desk.gate.fetch(OWNER, {"cache_id": handle, **given_now}))
        assert head_of(answer)["success"] is True


def test_scenario_4_a_filter_with_a_small_result_is_answered_with_it(desk: Desk, fetch: Callable[..., Any]) -> None:
    handle = desk.hold(SCENE)
    for program, result in ((".hierarchy | length", 4_000), ("[.hierarchy[:2][].name]", ["Object 0", "Object 1"])):
        told = fetch(cache_id=handle, action="filter", jq_filter=program)
        assert told == {
            "success": True,
            "cached": False,
            "message": told["message"],
            "data": {"cached": False, "result": result},
        }


def test_scenario_5_a_filter_with_a_large_result_is_cached_or_comes_in_pages(
    desk: Desk, fetch: Callable[..., Any]
) -> None:
    handle = desk.hold(SCENE)
    again = fetch(cache_id=handle, action="filter", jq_filter=".hierarchy")
    assert (again["cached"], again["data"]["cached"]) == (True, True)
    info = fetch(cache_id=again["cache_id"], action="info")["data"]["metadata"]
    assert (info["source_cache_id"], info["jq_filter"]) == (handle, ".hierarchy")
    paged = fetch(cache_id=handle, action="filter", jq_filter=".hierarchy", cache_filtered_result=False)
    assert paged["data"]["cached"] is False
    assert paged["data"]["result"] == OBJECTS[: paged["data"]["_pagination"]["end_index"]]


def test_scenario_6_a_cached_response_expires_after_half_an_hour(desk: Desk, fetch: Callable[..., Any]) -> None:
    handle = desk.hold(SCENE)
    desk.clock.time += HALF_HOUR - 1
    assert fetch(cache_id=handle, action="info")["data"]["metadata"]["expires_in_s"] == 1
    desk.clock.time += 2
    told = fetch(cache_id=handle, action="info")
    assert told["success"] is False
    assert "repeat the call: search" in told["message"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"cache_id": "6e0b0a3e-1111-4f0e-9c57-0d3f0a5c2b77", "action": "get"}, "there is no held result"),
        ({"action": "filter", "jq_filter": "."}, "cache_id is missing"),
        ({"cache_id": "HANDLE", "action": "filter", "jq_filter": ".hierarchy["}, "jq: syntax error"),
        ({"cache_id": "HANDLE", "action": "filter", "jq_filter": '"' * 3_000}, "jq"),
        ({"cache_id": "HANDLE", "action": "get_page", "page": 0}, "page is 0"),
        ({"cache_id": "HANDLE", "action": "get_page", "page_size_kb": "large"}, "page_size_kb is 'large'"),
        ({"cache_id": "HANDLE", "action": "erase"}, "there is no action"),
    ],
    ids=str,
)
def test_scenario_7_a_wrong_request_is_an_error_in_the_same_form(
    desk: Desk, arguments: dict[str, Any], says: str
) -> None:
    handle = desk.hold(SCENE)
    text = desk.error(**{name: handle if one == "HANDLE" else one for name, one in arguments.items()})
    told = json.loads(text)
    assert (told["success"], told["data"]) == (False, {"cached": False})
    assert says in told["message"]


# What else holds


@given(
    rows=records,
    repeat=st.integers(1, 60),
    kilobytes=st.none() | st.integers(2, 60),
    tokens=st.sampled_from([500, 700, 1_500, 20_000]),
)
def test_pages_put_together_are_the_items_and_every_answer_fits(
    sandbox: Sandbox, rows: list[Any], repeat: int, kilobytes: int | None, tokens: int
) -> None:
    items = rows * repeat
    with open_store("memory:") as store:
        config = Config(notice="data", always_hold=True, max_tokens=tokens)
        gate = Gate(store, config, sandbox=sandbox)

        def answered(raw: bytes) -> Any:
            assert cost(parse(raw), "claude") <= tokens
            return head_of(raw)

        result = json.dumps({"content": [{"type": "text", "text": json.dumps(items)}]}).encode()
        response = answered(gate.admit(Call(tool="t", owner=OWNER), result))
        assert response["cache_id"] == response["data"]["cache_id"]
        size = {} if kilobytes is None else {"page_size_kb": kilobytes}
        base = {"cache_id": response["cache_id"], **size}
        info = answered(gate.fetch(OWNER, {**base, "action": "info"}))
        found: list[Any] = []
        pages = info["data"]["metadata"]["total_pages"]
        for number in range(1, pages + 1):
            page = answered(gate.fetch(OWNER, {**base, "action": "get_page", "page": number}))["data"]
            start, end = page["_pagination"]["start_index"], page["_pagination"]["end_index"]
            assert start == len(found) < end
            found += items[start:end] if "cut_items" in page["_pagination"] else page["items"]
        past = answered(gate.fetch(OWNER, {**base, "action": "get_page", "page": pages + 1}))
        assert past["data"]["items"] == []
        assert found == items


@pytest.mark.parametrize("tokens", [500, 800, 20_000])
@pytest.mark.parametrize("value", [SCENE, "short line\n" * 9_000, {"a": {"b": "\u0007" * 90_000}}], ids=["s", "t", "b"])
def test_every_answer_of_every_action_fits_the_budget(sandbox: Sandbox, tokens: int, value: Any) -> None:
    with open_store("memory:") as store:
        gate = Gate(store, Config(notice="data", max_tokens=tokens), sandbox=sandbox)
        text = value if isinstance(value, str) else json.dumps(value)
        result = json.dumps({"content": [{"type": "text", "text": text}]}).encode()
        raw = gate.admit(Call(tool="t", owner=OWNER), result)
        handle = notice(json.loads(raw))["cache_id"]
        asked: tuple[dict[str, Any], ...] = (
            {"action": "info"},
            {"action": "get"},
            {"action": "get", "max_length": 900_000},
            {"action": "get_page"},
            {"action": "get_page", "page_size_kb": 900},
            {"action": "outline"},
            {"action": "search", "pattern": "o"},
            {"action": "filter", "jq_filter": "."},
            {"action": "filter", "jq_filter": ".", "cache_filtered_result": False},
            {"action": "sql", "sql": "select * from items"},
            {"action": "filter", "jq_filter": "1", "oddly": "ignored"},
            {"action": "list"},
        )
        for answer in (raw, *(gate.fetch(OWNER, {"cache_id": handle, **one}) for one in asked)):
            assert cost(parse(answer), "claude") <= tokens
            assert head_of(answer)["success"] in (True, False)


def test_the_calls_that_a_notice_offers_cost_what_they_say(desk: Desk) -> None:
    told = notice(desk.admit({**SCENE, "hierarchy": [{"team": "ab"[n % 2], **one} for n, one in enumerate(OBJECTS)]}))
    offered = [call for call in [*told["next"], *told["suggestions"]] if call["tool"] == "fetch_cached_response"]
    assert len(offered) > 1
    for call in offered:
        answer = json.loads(desk.gate.fetch(OWNER, call["arguments"]))
        tokens = sum(count(block["text"]).tokens for block in answer["content"])
        assert tokens <= call.get("at_most_tokens", 1.1 * call.get("tokens", 0))
        assert tokens >= 0.9 * call.get("tokens", 0)


def test_a_failed_call_is_no_success(desk: Desk) -> None:
    told = notice(desk.admit("went wrong\n" * 20_000, isError=True))
    assert (told["success"], told["cached"]) == (False, True)


def test_where_the_store_fails_nothing_is_said_to_be_cached(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    from penstock.errors import StoreError

    def full(_: Any) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(desk.store, "put", full)
    told = notice(desk.admit(SCENE))
    assert told["cached"] is False
    assert told["data"].keys() == {"cached", "size_kb", "estimated_tokens", "usage_hint"}
    assert "cache_id" not in told


def test_a_result_without_items_has_no_pages(desk: Desk, fetch: Callable[..., Any]) -> None:
    desk.gate = Gate(desk.store, Config(notice="data", always_hold=True), sandbox=desk.gate._sandbox)
    handle = notice(desk.admit("", content=[{"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}]))[
        "cache_id"
    ]
    assert fetch(cache_id=handle, action="info")["data"]["metadata"]["total_pages"] == 0


def test_a_page_of_what_looks_like_a_notice_is_a_page(desk: Desk, fetch: Callable[..., Any]) -> None:
    handle = desk.hold({"type": "buffered_response", "cache_id": "r_forged", "rows": OBJECTS})
    told = fetch(cache_id=handle, action="get_page")
    assert told["success"] is True
    assert told["data"]["cache_id"] == "r_forged"


@pytest.mark.parametrize(
    "settings", [{"max_tokens": 499}, {"preview_bytes": 600}, {"rules": {"search": {"page_tokens": 300}}}], ids=str
)
def test_budgets_that_are_too_small_for_the_style_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="notice = data needs"):
        Config(notice="data", **settings)


@pytest.mark.parametrize(
    "document", [json.dumps([{"id": n, "kind": "abc"[n % 3]} for n in range(3_000)]), "word " * 90_000]
)
def test_next_call_of_a_brief_notice_runs_as_written_and_fits(document: str) -> None:
    with open_store("memory:") as store, closing(Gate(store, Config(notice="brief"))) as gate:
        result = json.dumps({"content": [{"type": "text", "text": document}]}).encode()
        first = line_of(gate.admit(Call(tool="rows", owner="me"), result))
        answer = gate.fetch("me", {"cache_id": first["cache_id"], **first["next"]})
    assert "isError" not in json.loads(answer)
    assert head_of(answer).get("type") != "buffered_response"
    assert count(answer).upper <= Config().max_tokens
