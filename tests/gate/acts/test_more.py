"""``more``: all pages of a tool become one table, byte for byte; and no cursor keeps it going for ever."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.config import Config
from penstock.core.fit import Call
from penstock.core.tokens.count import count
from penstock.errors import UpstreamError
from penstock.gate import Gate
from penstock.gate.acts.request import ActTerms
from penstock.gate.passing import Target
from penstock.stores import open_store
from tests.gate.conftest import OWNER, Clock, numbered_handle
from tests.kit.answers import head_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.config.typed import ConfigArguments
    from penstock.gate.acts.more import PageCall

CURSOR = {"type": "object", "properties": {"cursor": {"type": "string"}, "q": {"type": "string"}}}
ROWS = [{"id": n, "name": f"name {n}", "big": 2**53 + n, "price": 1.0} for n in range(500)]


def result(value: Any, **members: Any) -> bytes:
    text = value if isinstance(value, str) else json.dumps(value)
    return json.dumps({"content": [{"type": "text", "text": text}], **members}).encode()


def by_cursor(rows: list[Any], size: int) -> Callable[[dict[str, Any]], bytes]:
    def answer(given: dict[str, Any]) -> bytes:
        first = int(given.get("cursor", 0))
        last = first + size
        return result({"rows": rows[first:last], "next_cursor": str(last) if last < len(rows) else None})

    return answer


@dataclass
class Server:
    """A gate before a tool that is this function, and the calls that it got."""

    tool: Callable[[dict[str, Any]], bytes]
    schema: dict[str, Any] | None = field(default_factory=lambda: CURSOR)
    read_only: bool = True
    server: str = ""
    calls: list[dict[str, Any]] = field(default_factory=list)
    clock: Clock = field(default_factory=Clock)
    gate: Gate = field(init=False)

    def __post_init__(self) -> None:
        self.open()

    def open(self, **changes: Any) -> None:
        given: ConfigArguments = {"max_tokens": 1_500, "act": "more", "notice": "full", **changes}  # type: ignore[typeddict-item]
        config = Config(**given)
        store = open_store("memory:", now=self.clock)
        self.gate = Gate(store, config, now=self.clock, new_handle=numbered_handle)

    def call(self, _: str, arguments: dict[str, Any]) -> bytes:
        self.calls.append(arguments)
        return self.tool(arguments)

    def first(self, **arguments: Any) -> dict[str, Any]:
        """The notice of the first page."""
        call = Call(tool="list", owner=OWNER, arguments=arguments, schema=self.schema, read_only=self.read_only)
        answer = json.loads(self.gate.admit(call, self.tool(arguments)))
        told: dict[str, Any] = head_of(answer)
        return told

    def more(self, **given: Any) -> dict[str, Any]:
        terms = ActTerms(
            target_of=lambda tool: Target(tool=tool, server=self.server, schema=self.schema, read_only=self.read_only)
        )
        answer: dict[str, Any] = json.loads(
            self.gate.act(OWNER, {"action": "more", **given}, terms=terms, call=self.call)
        )
        return answer

    def receipt(self, **given: Any) -> dict[str, Any]:
        answer = self.more(**given)
        assert "isError" not in answer, answer
        assert sum(count(one["text"]).upper for one in answer["content"]) <= 1_500
        told: dict[str, Any] = head_of(answer)["receipt"]
        return told

    def error(self, **given: Any) -> str:
        answer = self.more(**given)
        assert answer.get("isError") is True, answer
        return str(answer["content"][0]["text"])

    def whole(self, **given: Any) -> str:
        """The held text of all rows."""
        handle = head_of(self.more(**given))["cache_id"]
        target = Target(tool="t", schema={"properties": {"x": {"type": "string"}}})
        filled = self.gate.resolve(OWNER, target, json.dumps({"x": f"held:{handle} ."}).encode())
        return str(json.loads(filled)["x"])


@settings(max_examples=25)
@given(
    st.lists(
        st.recursive(st.none() | st.integers() | st.text(), lambda one: st.dictionaries(st.text(), one)), max_size=30
    ),
    st.integers(1, 7),
)
def test_the_pages_of_more_put_together_are_the_whole(rows: list[Any], size: int) -> None:
    server = Server(by_cursor(rows, size))
    assert json.loads(server.whole(tool="list", pages=50)) == rows


def test_rows_keep_their_bytes() -> None:
    texts = ['{"a": 9007199254740993, "b":1.0}', '{"a":1e400,"b" : -0.0}', '{"a":"\\u00fc"}']

    def answer(given: dict[str, Any]) -> bytes:
        at = int(given.get("cursor", 0))
        following = "null" if at == 2 else f'"{at + 1}"'
        return result(f'{{"rows":[ {texts[at]} ],"next_cursor":{following}}}')

    assert Server(answer).whole(tool="list") == f"[{','.join(texts)}]"


def test_a_held_page_says_that_it_is_one_and_offers_the_call_which_runs_as_it_stands() -> None:
    server = Server(by_cursor(ROWS, 100))
    notice = server.first(q="x")
    assert "More pages exist (next_cursor)." in notice["message"]
    offered = notice["next"][0]
    assert (offered["tool"], offered["arguments"]["action"]) == ("act_on_cached_response", "more")
    given = {name: value for name, value in offered["arguments"].items() if name != "action"}
    assert server.receipt(**given) == {
        "pages": 5,
        "rows": 500,
        "complete": True,
        "key": "id",
        "repeated_keys": 0,
        "rows_without_key": 0,
    }
    assert server.calls == [{"q": "x", "cursor": str(100 * n)} for n in range(1, 5)]


@pytest.mark.parametrize(
    ("changes", "read_only", "offers"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"act": "drop"}, True, False),
        ({"more": "off"}, True, False),
        ({"rules": {"list": {"more": "any"}}}, False, True),
    ],
)
def test_the_call_is_offered_only_where_it_would_run(changes: dict[str, Any], read_only: bool, offers: bool) -> None:
    server = Server(by_cursor(ROWS, 100), read_only=read_only)
    server.open(**changes)
    notice = server.first()
    assert "More pages exist (next_cursor)" in notice["message"]
    assert any(one["tool"] == "act_on_cached_response" for one in notice["next"]) is offers
    answer = server.more(cache_id=notice["cache_id"])
    assert ("isError" not in answer) is offers


def test_all_rows_go_on_from_where_they_ended_and_know_what_was_fetched() -> None:
    server = Server(by_cursor(ROWS, 50))
    notice = server.first()
    answer = server.more(cache_id=notice["cache_id"], pages=3)
    told = head_of(answer)
    assert "Not all pages: the limit of 3 pages for one call." in told["message"]
    receipt = head_of(answer)["receipt"]
    assert (receipt["pages"], receipt["rows"], receipt["complete"]) == (4, 200, False)
    assert told["next"][0]["arguments"] == {"cache_id": told["cache_id"], "action": "more"}
    info = head_of(server.gate.fetch(OWNER, {"action": "info", "cache_id": told["cache_id"]}))
    assert (info["joined"], info["source"]) == (receipt, notice["cache_id"])
    last = server.more(cache_id=told["cache_id"])
    assert head_of(last)["receipt"]["rows"] == 500
    done = head_of(last)["cache_id"]
    assert "does not say that there is more" in server.error(cache_id=done)


@pytest.mark.parametrize(
    ("members", "sign"),
    [
        ({"has_more": True, "next_cursor": None}, "has_more"),
        ({"next_cursor": {"after": 60}}, "next_cursor"),
        ({"next": "https://a?page=2"}, "next"),
        ({"total_count": 480}, "total_count"),
    ],
)
def test_page_that_says_there_is_more_is_not_complete_if_it_cannot_be_asked_for(
    members: dict[str, Any], sign: str
) -> None:
    server = Server(lambda _: result({"rows": ROWS[:60], **members}))
    answer = server.more(tool="list")
    receipt = head_of(answer)["receipt"]
    assert (receipt["pages"], receipt["rows"], receipt["complete"]) == (1, 60, False)
    assert receipt["stopped"] == (
        f"{sign} says that there is more, but the page has no cursor, link or number that an argument of the tool takes"
    )
    notice = head_of(answer)
    assert f"Not all pages: {receipt['stopped']}." in notice["message"]
    assert all(one["tool"] == "fetch_cached_response" for one in notice["next"])


@pytest.mark.parametrize(
    "members",
    [
        {"next_cursor": None},
        {"has_more": False},
        {"total_count": 60},
        {"total": 60, "limit": 100},
        {"page": 1, "total_pages": 1},
    ],
)
def test_page_that_says_it_is_the_last_one_is_complete(members: dict[str, Any]) -> None:
    receipt = Server(lambda _: result({"rows": ROWS[:60], **members})).receipt(tool="list")
    assert (receipt["complete"], "stopped" in receipt) == (True, False)


def test_page_of_a_tool_that_cannot_be_asked_for_another_one_is_complete() -> None:
    assert Server(lambda _: result({"rows": ROWS[:60]}), schema={"properties": {}}).receipt(tool="list")["complete"]


@pytest.mark.parametrize("members", [{}, {"link": "https://a"}, {"total_pages": 8}, {"total": 480}])
def test_page_that_does_not_say_whether_it_is_the_last_one_is_not_called_complete(members: dict[str, Any]) -> None:
    notice = head_of(Server(lambda _: result({"rows": ROWS[:60], **members})).more(tool="list"))
    words = "the last page does not say whether there is another one"
    assert (notice["receipt"]["complete"], notice["receipt"]["stopped"]) == (False, words)
    assert f"Perhaps not all pages: {words}." in notice["message"]


@pytest.mark.parametrize("first", [0, 1])
def test_pages_with_an_offset_and_a_total_are_fetched_to_the_end_from_any_of_them(first: int) -> None:
    schema = {"properties": {"offset": {"type": "integer", "default": first}}}

    def answer(given: dict[str, Any]) -> bytes:
        start = given.get("offset", first)
        rows = ROWS[:420][start - first : start - first + 100]
        return result({"rows": rows, "total": 420, "offset": start})

    whole = Server(answer, schema=schema).receipt(tool="list")
    assert (whole["pages"], whole["rows"], whole["complete"]) == (5, 420, True)
    part = Server(answer, schema=schema).receipt(tool="list", arguments={"offset": 200 + first})
    assert (part["rows"], part["complete"], part["server_total"]) == (220, True, 420)


def test_pages_by_number_end_with_an_empty_one_and_totals_are_compared() -> None:
    schema = {"properties": {"page": {"type": "integer"}}}

    def answer(given: dict[str, Any]) -> bytes:
        first = 100 * (given.get("page", 1) - 1)
        return result({"rows": ROWS[first : first + 100], "total_count": 620})

    receipt = Server(answer, schema=schema).receipt(tool="list")
    assert (receipt["pages"], receipt["rows"], receipt["complete"], receipt["server_total"]) == (6, 500, False, 620)
    assert receipt["stopped"] == "total_count says that there is more, but page 6 has no rows"


def test_keys_that_repeat_or_are_missing_are_counted() -> None:
    odd = [*ROWS[:100], *ROWS[40:60], {"name": "no id"}, {"id": None}, *ROWS[100:120]]
    receipt = Server(by_cursor(odd, 50)).receipt(tool="list")
    assert (receipt["key"], receipt["repeated_keys"], receipt["rows_without_key"]) == ("id", 20, 2)
    plain = Server(by_cursor(list(range(120)), 50)).receipt(tool="list")
    assert "key" not in plain


def test_a_cursor_that_never_ends_is_stopped_by_pages() -> None:
    counter = iter(range(10**9))
    endless = Server(lambda _: result({"rows": [{"id": next(counter)}], "next_cursor": f"c{next(counter)}"}))
    receipt = endless.receipt(tool="list")
    assert (receipt["pages"], receipt["complete"]) == (20, False)
    assert receipt["stopped"] == "the limit of 20 pages for one call"
    assert "max_pages is 200" in endless.error(tool="list", pages=201)


def test_a_cursor_that_repeats_is_found_out() -> None:
    counter = iter(range(10**9))
    round_and_round = Server(
        lambda given: result(
            {"rows": [{"id": next(counter)}], "next_cursor": {"": "a", "a": "b", "b": "a"}[given.get("cursor", "")]}
        )
    )
    receipt = round_and_round.receipt(tool="list", pages=100)
    assert (receipt["pages"], receipt["complete"]) == (3, False)
    assert receipt["stopped"] == "next_cursor repeats: the pages go round in a circle"


def test_a_tool_that_ignores_its_cursor_is_found_out() -> None:
    counter = iter(range(10**9))
    deaf = Server(lambda _: result({"rows": ROWS[:3], "next_cursor": f"c{next(counter)}"}))
    receipt = deaf.receipt(tool="list", pages=100)
    assert (receipt["pages"], receipt["rows"], receipt["complete"]) == (1, 3, False)
    assert receipt["stopped"] == "page 2 has the same rows as page 1"
    schema = {"properties": {"page": {"type": "integer"}}}
    numbered = Server(lambda _: result({"rows": [1, 2], "has_more": True}), schema=schema).receipt(tool="list")
    assert (numbered["rows"], numbered["complete"]) == (2, False)


def test_the_time_limit_ends_it_with_what_is_there() -> None:
    server = Server(by_cursor(ROWS, 50))

    def slow(given: dict[str, Any]) -> bytes:
        server.clock.time += 50
        return by_cursor(ROWS, 50)(given)

    server.tool = slow
    receipt = server.receipt(tool="list", pages=100)
    assert (receipt["pages"], receipt["stopped"]) == (3, "the limit of 120 seconds for one call")


def test_more_bytes_than_are_held_are_an_error() -> None:
    server = Server(by_cursor([{"id": n, "text": "x" * 1_000} for n in range(3_000)], 500))
    server.open(max_result_bytes=1_048_576)
    assert "more than the 1,048,576 bytes" in server.error(tool="list")


@pytest.mark.parametrize(
    ("failing", "words"),
    [
        (result("slow down", isError=True), "the tool failed: slow down"),
        (result("no json"), "the page is no JSON"),
        (result({"other": 1}), "no rows where the first one has them"),
        (result({"rows": {"a": 1}}), "the page has no list of rows"),
    ],
)
def test_a_page_that_fails_ends_it_with_what_is_there(failing: bytes, words: str) -> None:
    server = Server(lambda given: failing if given.get("cursor") == "100" else by_cursor(ROWS, 50)(given))
    receipt = server.receipt(tool="list")
    assert (receipt["pages"], receipt["rows"], receipt["complete"]) == (2, 100, False)
    assert receipt["stopped"].startswith("page 3: ")
    assert words[:60] in receipt["stopped"]
    server.tool = lambda _: failing
    assert server.error(tool="list")


def test_after_a_failure_it_can_be_tried_again_from_there() -> None:
    server = Server(
        lambda given: result("slow down", isError=True) if given.get("cursor") == "100" else by_cursor(ROWS, 50)(given)
    )
    handle = head_of(server.more(tool="list"))["cache_id"]
    server.tool = by_cursor(ROWS, 50)
    assert server.receipt(cache_id=handle) == server.receipt(tool="list")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "cache_id is missing"),
        ({"cache_id": "r_1", "tool": "list"}, "both given"),
        ({"tool": "list", "arguments": "{"}, "arguments cannot be read"),
        ({"tool": "list", "arguments": [1]}, "arguments cannot be read"),
        ({"tool": "fetch_cached_response"}, "no tool of the server"),
        ({"tool": "act_on_cached_response"}, "no tool of the server"),
        ({"tool": "list", "pages": 0}, "pages is 0"),
        ({"cache_id": f"r_{'x' * 22}"}, "there is no held result"),
    ],
)
def test_a_wrong_call_calls_nothing(given: dict[str, Any], words: str) -> None:
    server = Server(by_cursor(ROWS, 50))
    assert words in server.error(**given)
    assert server.calls == []


def test_arguments_may_be_the_text_of_an_object() -> None:
    server = Server(by_cursor(ROWS, 50))
    server.receipt(tool="list", arguments='{"q": "x"}', pages=1)
    assert server.calls == [{"q": "x"}]


def test_a_text_an_unknown_tool_and_one_with_a_filter_are_refused() -> None:
    server = Server(lambda _: result("words " * 5_000))
    handle = server.first()["cache_id"]
    assert "no JSON with a list of rows" in server.error(cache_id=handle)
    server.schema = None
    assert "are not known here" in server.error(cache_id=handle)
    filtered = Server(by_cursor(ROWS, 50))
    filtered.open(rules={"list": {"filter": "."}})
    assert "has a filter in its rule" in filtered.error(tool="list")
    silent = Server(lambda _: result({"rows": ROWS}))
    assert "does not say that there is more" in silent.error(cache_id=silent.first()["cache_id"])


def test_a_result_of_another_server_or_owner_is_not_gone_on_with() -> None:
    server = Server(by_cursor(ROWS, 100))
    handle = server.first()["cache_id"]
    server.server = "another"
    assert "comes from another server" in server.error(cache_id=handle)
    other = json.loads(server.gate.act("bob", {"action": "more", "cache_id": handle}))
    assert "there is no held result" in other["content"][0]["text"]
    assert server.calls == []


def test_without_a_way_to_call_tools_it_is_refused() -> None:
    server = Server(by_cursor(ROWS, 100))
    terms = ActTerms(target_of=lambda tool: Target(tool=tool, schema=CURSOR, read_only=True))
    answer = json.loads(server.gate.act(OWNER, {"action": "more", "tool": "list"}, terms=terms))
    assert "no tool can be called here" in answer["content"][0]["text"]


@pytest.mark.parametrize("max_tokens", [250, 300, 500, 1_500])
def test_the_answer_fits_every_budget(max_tokens: int) -> None:
    server = Server(by_cursor(ROWS, 50))
    server.open(max_tokens=max_tokens)
    answer = server.more(tool="list")
    assert sum(count(one["text"]).upper for one in answer["content"]) <= max_tokens
    handle = head_of(answer)["cache_id"]
    assert handle.startswith("r_")


def test_an_object_with_no_list_or_several_is_no_page() -> None:
    pages: list[dict[str, Any]] = [{"a": 1}, {f"key {n}": n for n in range(300)}, {"a": [], "b": []}]
    for page in pages:
        answer = result(page)
        server = Server(lambda _, answer=answer: answer)  # type: ignore[misc]
        assert "no list of rows" in server.error(tool="list")


def test_a_call_that_cannot_be_made_is_a_failure_in_words() -> None:
    def broken(_: dict[str, Any]) -> bytes:
        raise UpstreamError("the server has gone")

    server = Server(broken)
    assert "the server has gone" in server.error(tool="list")
    server.tool = lambda given: broken(given) if given else by_cursor(ROWS, 50)(given)
    assert server.receipt(tool="list")["stopped"] == "page 2: the server has gone"


def test_without_blocking_the_answer_is_the_same_and_a_call_that_hangs_is_given_up() -> None:
    server = Server(by_cursor(ROWS, 50))
    server.open(more_timeout=1)
    terms = ActTerms(target_of=lambda tool: Target(tool=tool, schema=CURSOR, read_only=True))

    async def call(needed: PageCall) -> bytes:
        if needed.arguments.get("cursor") == "100":
            await asyncio.Event().wait()
        return server.tool(dict(needed.arguments))

    given = {"action": "more", "tool": "list"}
    answer = json.loads(asyncio.run(server.gate.act_async(OWNER, given, terms=terms, call=call)))
    receipt = head_of(answer)["receipt"]
    assert (receipt["rows"], receipt["stopped"]) == (100, "page 3: list has not answered in time")
    refused = json.loads(asyncio.run(server.gate.act_async(OWNER, given, terms=terms)))
    assert "no tool can be called here" in refused["content"][0]["text"]
