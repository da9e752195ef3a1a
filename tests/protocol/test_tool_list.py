"""``tools/list`` and capabilities: our tool once, last, under a free name; no schema that a stand-in would break."""

from __future__ import annotations

import json
from typing import Any

import pytest

from penstock.core.answer.notice import MARK
from penstock.protocol.rules import RelayRules
from penstock.protocol.tool_list import introduced, read_list
from penstock.protocol.tools import definition
from penstock.protocol.upstream_facts import LONGEST, TASKS, TOOLS, UpstreamFacts
from tests.kit.protocol.playbook import (
    OURS,
    PlainRules,
    Playbook,
    answer,
    call,
    error,
    modern,
    names,
    request,
    text,
    tool,
)

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}}


def listed(play: Playbook, *pages: list[dict[str, Any]]) -> Any:
    """All pages asked for, one after the other; the last of them as the client hears it."""
    heard: Any = None
    for number, page in enumerate(pages):
        more = {"nextCursor": f"c{number}"} if number < len(pages) - 1 else {}
        play.asks(request(f"list {number}", "tools/list", **({"cursor": f"c{number - 1}"} if number else {})))
        play.upstream(answer(f"list {number}", {"tools": page, **more}))
        heard = play.heard()
    return heard


def test_our_tool_is_the_last_of_the_last_page_and_stands_there_once() -> None:
    with Playbook() as play:
        play.asks(request(1, "tools/list"))
        play.answers(answer(1, {"tools": [tool("a"), tool("b")], "nextCursor": "two", "ttlMs": 5}))
        play.asks(request(2, "tools/list", cursor="two"))
        play.upstream(answer(2, {"tools": [tool("c")], "ttlMs": 5, "cacheScope": "public", "more": 1}))
        heard = play.heard()
        assert names(heard) == ["c", OURS]
        assert heard["result"]["tools"][-1] == json.loads(definition(OURS))
        rest = {name: value for name, value in heard["result"].items() if name != "tools"}
        assert rest == {"ttlMs": 5, "cacheScope": "public", "more": 1}


def test_brief_lists_keep_their_pages_and_what_is_learned_is_the_whole() -> None:
    wordy = {**tool("a"), "description": "Does it. " * 50, "inputSchema": {**SCHEMA, "description": "Much. " * 50}}
    with Playbook(PlainRules(lists_briefly=True)) as play:
        play.asks(request(1, "tools/list"))
        play.upstream(answer(1, {"tools": [wordy], "nextCursor": "two", "ttlMs": 5}))
        heard = play.heard()
        assert heard["result"]["tools"] == [{"name": "a", "description": "Does it…", "inputSchema": SCHEMA}]
        assert {name: heard["result"][name] for name in ("nextCursor", "ttlMs")} == {"nextCursor": "two", "ttlMs": 5}
        assert play.exchange.schema_of("a") == wordy["inputSchema"]
        play.asks(request(2, "tools/list", cursor="two"))
        play.upstream(answer(2, {"tools": [tool("b")]}))
        assert play.heard()["result"]["tools"][-1] == json.loads(definition(OURS, briefly=True))


@pytest.mark.parametrize("cursor", [{}, {"nextCursor": None}, {"nextCursor": ""}])
def test_a_page_without_a_cursor_is_the_last(cursor: dict[str, Any]) -> None:
    with Playbook() as play:
        play.asks(request(1, "tools/list"))
        play.upstream(answer(1, {"tools": [], **cursor}))
        assert names(play.heard()) == [OURS]


def test_the_rest_of_the_line_stays_byte_for_byte() -> None:
    with Playbook() as play:
        play.asks(request(1, "tools/list"))
        play.upstream(b' {"x" : 1 , "result":{"tools":[ {"name":"a",  "inputSchema":{ }} ]}, "id" : 1}\r\n')
        heard = play.to_client.popleft()
        assert heard.startswith(b' {"x" : 1 , "result":{"tools":[{"name":"a","inputSchema":{ }},{"name":"')
        assert heard.endswith(b'}, "id" : 1}\r\n')


def test_the_list_is_the_same_every_time() -> None:
    with Playbook() as play:
        first = listed(play, [tool("a"), tool(OURS)])
        play.asks(call(1, "a"))
        play.answers(answer(1, text("x")))
        assert listed(play, [tool("a"), tool(OURS)]) == first


def test_output_schemas_are_taken_out_of_every_page() -> None:
    with Playbook() as play:
        play.asks(request(1, "tools/list"))
        play.upstream(answer(1, {"tools": [tool("a", outputSchema=SCHEMA, title="A"), tool("b")], "nextCursor": "x"}))
        play.client_hears(answer(1, {"tools": [tool("a", title="A"), tool("b")], "nextCursor": "x"}))
        play.asks(request(2, "tools/list", cursor="x"))
        play.upstream(answer(2, {"tools": [tool("c", outputSchema=SCHEMA)]}))
        assert play.heard()["result"]["tools"][0] == tool("c")


def test_input_schemas_go_along_with_a_large_result() -> None:
    with Playbook() as play:
        listed(play, [tool("a"), {"name": "b", "inputSchema": SCHEMA}])
        for name, schema in (("a", {"type": "object"}), ("b", SCHEMA), ("c", None)):
            play.asks(call(name, name, n=1))
            play.upstream(answer(name, text("x" * 500)))
            admit = play.admissions[0]
            assert (admit.tool, admit.schema, admit.arguments, admit.structured) == (name, schema, {"n": 1}, False)
            play.decide()
            play.to_client.clear()


def test_with_wrapped_schemas_the_gate_is_told_who_was_promised_structure() -> None:
    with Playbook(PlainRules(output_schema="wrap")) as play:
        heard = listed(play, [tool("a", outputSchema=SCHEMA), tool("b"), tool("c", outputSchema=True)])
        assert [set(one) - {"name", "inputSchema"} for one in heard["result"]["tools"][:3]] == [
            {"outputSchema"},
            set(),
            set(),
        ]
        for name, structured in (("a", True), ("b", False)):
            play.asks(call(name, name))
            play.upstream(answer(name, text("x" * 500)))
            assert play.admissions[0].structured is structured
            play.decide()
            play.to_client.clear()


def test_a_tool_of_our_name_keeps_it_and_ours_has_another() -> None:
    with Playbook() as play:
        assert names(listed(play, [tool(OURS), tool("b")])) == [OURS, "b", f"{OURS}_2"]
        play.asks(call(1, OURS))
        play.answers(answer(1, text("theirs")))
        play.client(call(2, f"{OURS}_2"))
        play.read(b'{"content":[]}')
        play.client_hears(answer(2, {"content": []}))


def test_a_name_taken_on_any_page_is_taken() -> None:
    with Playbook() as play:
        heard = listed(play, [tool(OURS)], [tool("x"), tool(f"{OURS}_2")], [tool("y")])
        assert names(heard) == ["y", f"{OURS}_3"]
        assert play.exchange.tool_name == f"{OURS}_3"


def test_a_long_name_is_cut_to_make_room_for_its_number() -> None:
    name = "n" * 64
    with Playbook(PlainRules(tool_name=name)) as play:
        heard = listed(play, [tool(name)])
        assert names(heard)[-1] == "n" * 59 + "_2"


def test_a_server_without_tools_gets_the_ability_and_our_tool() -> None:
    with Playbook() as play:
        play.asks(request(0, "initialize"))
        play.upstream(b'{"id":0,"result":{"capabilities":{"prompts":{"x": 1}}, "instructions":"a  b"},"more":[ ]}\n')
        play.client_hears(
            b'{"id":0,"result":{"capabilities":{"prompts":{"x": 1},"tools":{}},"instructions":"a  b"},"more":[ ]}\n'
        )
        play.asks(request(1, "tools/list"))
        play.upstream(error(1, -32601, "Method not found"))
        play.client_hears(answer(1, {"tools": [json.loads(definition(OURS))]}))


def test_in_the_modern_era_that_list_says_all_that_it_must() -> None:
    with Playbook() as play:
        play.asks(modern(0, "server/discover"))
        play.upstream(
            answer(0, {"capabilities": {}, "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "bare"}}})
        )
        assert play.heard()["result"]["capabilities"] == {"tools": {}}
        assert play.exchange.server_name == "bare"
        play.asks(modern(1, "tools/list"))
        play.upstream(error(1, -32601, "Method not found"))
        heard = play.heard()["result"]
        assert names({"result": heard}) == [OURS]
        assert (heard["resultType"], heard["ttlMs"], heard["cacheScope"]) == ("complete", 0, "private")


def test_another_error_of_tools_list_is_the_client_s_to_hear() -> None:
    with Playbook() as play:
        play.asks(request(1, "tools/list"))
        play.answers(error(1, -32603, "broken"))


@pytest.mark.parametrize(
    "result",
    [
        {"capabilities": {"tools": {"listChanged": True}}, "serverInfo": {"name": 5}},
        {"capabilities": {"tools": None}},
        {"capabilities": 5},
        {"capabilities": ["tools"]},
        "a word",
        None,
        [],
    ],
)
def test_an_introduction_that_needs_no_tools_or_is_none_passes_as_it_is(result: Any) -> None:
    for method in ("initialize", "server/discover"):
        with Playbook() as play:
            play.asks(request(1, method))
            play.answers(answer(1, result))
            assert play.exchange.server_name == ""


def test_an_introduction_with_half_an_emoji_gets_the_ability_too() -> None:
    with Playbook() as play:
        play.asks(request(0, "initialize"))
        play.upstream(b'{"id":0,"result":{"instructions":"\\ud83d"}}\n')
        play.client_hears({"id": 0, "result": {"instructions": "\ud83d", "capabilities": {"tools": {}}}})


def test_what_cannot_be_read_gets_nothing_added() -> None:
    assert introduced(b"[]", ["tools"], "") == b"[]"
    assert introduced(b'{"capabilities":null}', ["tools"], "") == b'{"capabilities":null}'


@pytest.mark.parametrize(
    "result", [{}, {"tools": {}}, {"tools": [5]}, {"tools": None}, [], "x", {"resultType": "other"}]
)
def test_a_list_that_is_none_passes_as_it_is(result: Any) -> None:
    with Playbook() as play:
        play.asks(request(1, "tools/list"))
        play.answers(answer(1, result))


@pytest.mark.parametrize("odd", [b'{"name":"\\ud83d"}', b'{"name":"\xff"}', b'{"name":5}', b"{}"])
def test_a_list_with_an_odd_tool_gets_ours_all_the_same(odd: bytes) -> None:
    with Playbook() as play:
        play.asks(request(1, "tools/list"))
        play.upstream(b'{"id":1,"result":{"tools":[{"outputSchema":{}},' + odd + b"]}}\n")
        line = play.to_client.popleft()
        assert definition(OURS) in line
        assert b"outputSchema" not in line


def test_a_list_whose_names_are_no_text_passes_as_it_is() -> None:
    with Playbook() as play:
        play.asks(request(1, "tools/list"))
        play.answers(b'{"id":1,"result":{"tools":[{"\xff":1}]}}\n')


def test_what_an_upstream_tells_is_remembered_within_bounds() -> None:
    known = UpstreamFacts()
    for start in range(0, 3 * TOOLS, 1_000):
        page = [tool(f"{OURS}_{number}", outputSchema={}) for number in range(start, start + 1_000)]
        found = read_list(json.dumps({"tools": [*page, tool("big", inputSchema={"x": "y" * LONGEST})]}).encode())
        assert found is not None
        known.learn(found, OURS)
    last = f"{OURS}_{3 * TOOLS - 1}"
    assert known.schema(last) == {"type": "object"}
    assert known.is_structured(last)
    assert known.schema("big") is None
    assert known.schema(f"{OURS}_1") is None
    assert len(known._schemas) == len(known._structured) == len(known._rivals) == TOOLS


def test_tasks_are_remembered_within_bounds() -> None:
    with Playbook() as play:
        for number in range(TASKS + 10):
            play.asks(call(number, f"t{number}", big="x" * LONGEST if number == 50 else ""))
            play.answers(answer(number, {"task": {"taskId": f"task {number}"}}))
        known = play.exchange._state.session.facts
        assert known.call_of("task 9") is None
        newest = known.call_of(f"task {TASKS + 9}")
        assert newest is not None
        assert newest.name == f"t{TASKS + 9}"
        large = known.call_of("task 50")
        assert large is not None
        assert (large.name, large.params) == ("t50", b"")


def stand_in(*tools: Any) -> dict[str, Any]:
    told = {"type": "buffered_response", "cache_id": "r_1", "next": [{"tool": name, "arguments": {}} for name in tools]}
    return marked(text(json.dumps(told, separators=(",", ":")) + "\nthe preview"))


def marked(result: dict[str, Any]) -> dict[str, Any]:
    return {**result, "_meta": {MARK: "0123456789abcdef"}}


def test_a_stand_in_of_a_gateway_nearer_to_the_tools_tells_that_our_name_is_taken() -> None:
    with Playbook() as play:
        play.asks(call(1, "t"))
        play.answers(answer(1, stand_in(OURS)))
        play.asks(call(2, OURS))
        play.answers(answer(2, text("from the other one")))
        assert play.exchange.tool_name == f"{OURS}_2"


@pytest.mark.parametrize(
    "result",
    [
        {**stand_in(OURS), "_meta": {}},  # a file with a notice in it, for example
        {**stand_in(OURS), "_meta": 5},
        stand_in("another"),
        stand_in(5),
        marked(text('{"type":"buffered_response"}')),
        marked(text('{"type":"buffered_response","next":[5]}')),
        marked(text('{"type":"buffered_response"')),
        marked(text('{"type":"buffered_response","x":"\ud83d"}')),
        marked({"content": [], "x": '{"type":"buffered_response"'}),
        marked({"content": [5], "x": '{"type":"buffered_response"'}),
        marked({"x": '{"type":"buffered_response"'}),
    ],
)
def test_what_only_looks_like_a_stand_in_tells_nothing(result: Any) -> None:
    with Playbook() as play:
        play.asks(call(1, "t"))
        play.answers(answer(1, result))
        assert play.exchange.tool_name == OURS


def test_once_the_tools_are_listed_no_text_changes_the_name_of_ours() -> None:
    with Playbook() as play:
        listed(play, [tool("read_file")])
        play.asks(call(1, "read_file"))
        play.answers(answer(1, stand_in(OURS)))
        assert play.exchange.tool_name == OURS


def test_our_tool_tells_the_client_the_mark_of_real_notices() -> None:
    with Playbook(PlainRules(mark="a word")) as play:
        assert listed(play, [tool("read_file")])["result"]["tools"][-1]["_meta"] == {MARK: "a word"}


def test_an_exchange_without_a_tool_changes_no_list_and_holds_nothing() -> None:
    with Playbook(RelayRules()) as play:
        play.asks(request(1, "initialize"))
        play.answers(answer(1, {"capabilities": {}, "serverInfo": {"name": "s"}}))
        play.asks(request(2, "tools/list"))
        play.answers(answer(2, {"tools": [tool("a", outputSchema=SCHEMA), tool(OURS)]}))
        play.asks(request(3, "tools/list"))
        play.answers(error(3, -32_601, "no tools"))
        play.asks(call(4, OURS))
        play.answers(answer(4, text("x" * 1_000_000)))
        play.asks(request(5, "tools/call"))
        play.answers(answer(5, text(json.dumps({"type": "buffered_response", "next": [{"tool": ""}]}))))
        play.asks(call(6, "_2"))
        play.wait(1e9)
        play.answers(answer(6, text("late")))
        assert play.exchange.schema_of("a") == tool("a")["inputSchema"]
