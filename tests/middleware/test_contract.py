"""One wire contract for every way in: the gateway over standard input and output and over HTTP, in front of a command,
a URL and several servers; FastMCP, both servers of the SDK, and a plain function.

Each is a real process, and each gets the same questions. Each is started once.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from penstock.core.tokens.count import count
from tests.kit.answers import head_of, split
from tests.kit.interaction.wire import Wire
from tests.kit.middleware_servers.data import ROWS, TEXT, kept, rows
from tests.kit.middleware_servers.data import RULES as RULES_OF_DATA
from tests.kit.over_http.http_wire import HttpWire

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
SERVER = [sys.executable, "-m"]
FRAMEWORK = [*SERVER, "tests.kit.middleware_servers.with_fastmcp", "plain"]
PLAIN = [*SERVER, "tests.kit.middleware_servers.plain", "whole"]  # the same tools; FastMCP takes two seconds to start
SETTINGS = ["--max-tokens", "2000", "--store", "memory:", "--log-level", "info"]
GATEWAY = [sys.executable, "-m", "penstock", "run", *SETTINGS]
RULES = str(Path(__file__).resolve().parents[1] / "kit" / "middleware_servers" / "rules.toml")
WAYS = {
    "gateway": [*GATEWAY, "--config", RULES, "--", *FRAMEWORK],
    "fastmcp": [*SERVER, "tests.kit.middleware_servers.with_fastmcp"],
    "sdk": [*SERVER, "tests.kit.middleware_servers.with_sdk"],
    "lowlevel": [*SERVER, "tests.kit.middleware_servers.with_lowlevel"],
    "decorator": [*SERVER, "tests.kit.middleware_servers.with_decorator"],
    "gateway before fastmcp": [*GATEWAY, "--", *SERVER, "tests.kit.middleware_servers.with_fastmcp"],
    "run --url": [*GATEWAY, "--config", RULES, "--url"],
    "run --config": [*GATEWAY, "--config"],
    "serve command": [*SETTINGS, "--config", RULES, "--", *PLAIN],
    "serve --url": [*SETTINGS, "--config", RULES, "--url"],
    "serve --config": [*SETTINGS, "--config"],
}
BUDGET = 2_000
FETCH = "fetch_cached_response"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The URL of the same server over HTTP."""
    with subprocess.Popen([*PLAIN, "http"], stdout=subprocess.PIPE, cwd=ROOT) as process:
        try:
            assert process.stdout is not None
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/mcp"
        finally:
            process.kill()


@pytest.fixture(scope="module")
def client_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A client's configuration with the server, another one, and the same rules."""
    file = tmp_path_factory.mktemp("client") / "mcp.json"
    servers = {
        "data": {"command": PLAIN[0], "args": PLAIN[1:], "cwd": str(ROOT)},
        "gone": {"command": sys.executable, "args": ["-c", "raise SystemExit(3)"]},
    }
    file.write_text(json.dumps({"mcpServers": servers, "penstock": {"rules": RULES_OF_DATA}}))
    return str(file)


@pytest.fixture(scope="module", params=WAYS)
def wire(request: pytest.FixtureRequest) -> Iterator[Wire | HttpWire]:
    way, command = request.param, list(WAYS[request.param])
    if command[-1] == "--url":
        command.append(request.getfixturevalue("url"))
    if command[-1] == "--config":
        command.append(request.getfixturevalue("client_file"))
    with HttpWire(command, cwd=ROOT) if way.startswith("serve") else Wire(command, cwd=ROOT) as wire:
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        wire.request("initialize", hello)
        wire.notify("notifications/initialized")
        yield wire


def held(wire: Wire, tool: str, **arguments: Any) -> dict[str, Any]:
    """The notice of a result that was held."""
    notice: dict[str, Any] = head_of(wire.call(tool, arguments).result)
    assert notice["type"] == "buffered_response"
    return notice


def asked(wire: Wire, **arguments: Any) -> Any:
    return head_of(wire.call(FETCH, arguments).result)


def test_the_tool_that_reads_on_is_listed_last_and_no_tool_has_an_output_schema(wire: Wire) -> None:
    tools = wire.request("tools/list").result["tools"]
    assert [tool["name"] for tool in tools][:3] == ["list_rows", "read_text", "fail"]
    assert tools[-1]["name"].startswith(FETCH)
    assert not any("outputSchema" in tool for tool in tools)


def test_a_small_answer_is_the_data_itself(wire: Wire) -> None:
    texts = wire.call("list_rows", {"number": 3}).texts
    told = [json.loads(text) for text in texts]  # the SDK's high-level server makes a block of each row
    assert (told if len(texts) > 1 else told[0]) == rows(3)


def test_a_large_answer_is_a_notice_and_a_preview_within_the_budget(wire: Wire) -> None:
    reply = wire.call("list_rows", {"number": ROWS + 1})  # No other test asks for these: a repeat has one line.
    notice = head_of(reply.result)
    assert notice["metadata"]["item_count"] == ROWS + 1
    assert notice["tool"] == "list_rows"
    assert "structuredContent" not in reply.result
    assert sum(count(text).upper for text in reply.texts) <= BUDGET


def test_an_error_keeps_its_flag_and_is_bounded(wire: Wire) -> None:
    reply = wire.call("fail", {"number": ROWS})
    assert reply.result["isError"] is True
    assert head_of(reply.result)["type"] == "buffered_response"
    assert sum(count(text).upper for text in reply.texts) <= BUDGET


def test_every_next_call_runs_verbatim(wire: Wire) -> None:
    for call in held(wire, "list_rows", number=ROWS + 2)["next"]:
        reply = wire.call(call["tool"], call["arguments"])
        assert not reply.result.get("isError"), reply.texts
        assert count(reply.texts[-1]).tokens <= BUDGET


def test_windows_put_together_are_the_original_text(wire: Wire) -> None:
    handle, start, parts = held(wire, "read_text")["cache_id"], 0, []
    while True:
        reply = wire.call(FETCH, {"cache_id": handle, "action": "get", "start_index": start, "max_length": 60_000})
        where, part = split(reply.result)
        parts.append(part)
        if not where["has_more"]:
            break
        start = where["next_index"]
    assert "".join(parts) == TEXT


def test_jq_and_sql_answer_for_the_whole(wire: Wire) -> None:
    handle = held(wire, "list_rows", number=ROWS)["cache_id"]
    assert asked(wire, cache_id=handle, action="filter", jq_filter="map(.id) | add")["result"] == sum(range(ROWS))
    told = asked(wire, cache_id=handle, action="sql", sql="SELECT team, count(*) n FROM items GROUP BY 1 ORDER BY 1")
    assert told["result"] == [{"team": "blue", "n": ROWS // 3}, {"team": "red", "n": ROWS - ROWS // 3}]


def test_question_in_a_call_is_answered_from_its_own_result(wire: Wire) -> None:
    sql = "SELECT team, count(*) n FROM items GROUP BY 1 ORDER BY 1"
    told = head_of(wire.call("list_rows", {"number": ROWS, "_ask": sql}).result)
    assert told["result"] == [{"team": "blue", "n": ROWS // 3}, {"team": "red", "n": ROWS - ROWS // 3}]
    assert asked(wire, cache_id=told["cache_id"], action="info")["cache_id"] == told["cache_id"]


def test_small_result_comes_with_the_answer_to_its_question(wire: Wire) -> None:
    answer, *own = wire.call("list_rows", {"number": 3, "_ask": "map(.id) | add"}).texts
    assert json.loads(answer)["result"] == 3
    assert own == wire.call("list_rows", {"number": 3}).texts


def test_question_that_does_not_fit_the_data_gives_the_notice_with_the_error(wire: Wire) -> None:
    reply = wire.call("list_rows", {"number": ROWS + 3, "_ask": "SELECT nobody FROM items"})
    notice = head_of(reply.result)
    assert notice["message"].startswith(f"{ROWS + 3:,} records")
    assert "no such column: nobody" in notice["ask_error"]
    assert sum(count(text).upper for text in reply.texts) <= BUDGET


def test_tools_that_a_rule_names_are_listed_with_a_question(wire: Wire) -> None:
    tools = {tool["name"]: tool for tool in wire.request("tools/list").result["tools"]}
    if "scan" in tools and "_ask" in tools["scan"]["inputSchema"].get("properties", {}):
        assert "_ask" in tools[FETCH]["description"]


def test_a_held_result_is_passed_to_another_tool_by_its_handle(wire: Wire) -> None:
    wire.request("tools/list")
    text, table = held(wire, "read_text")["cache_id"], held(wire, "list_rows", number=ROWS)["cache_id"]
    told = json.loads(wire.call("keep", {"text": f"held:{text}", "value": f"held:{table}"}).texts[0])
    assert told == kept(TEXT, rows(ROWS))
    told = json.loads(wire.call("keep", {"text": f"held:{table} .[5]", "value": [f"held:{table} .[1]", 1]}).texts[0])
    assert told["items"] == 2
    assert told["characters"] >= len(json.dumps(rows(6)[5], separators=(",", ":")))  # as the server has written it


def test_a_held_table_is_replaced_before_the_arguments_are_checked(wire: Wire) -> None:
    """A list is what the schema wants: the text that names it would be refused."""
    wire.request("tools/list")
    table = held(wire, "list_rows", number=ROWS)["cache_id"]
    assert wire.call("size_of", {"table": f"held:{table}"}).texts[0] == str(ROWS)


def test_what_is_passed_is_bounded_and_kept_from_tools_that_are_not_read_only(wire: Wire) -> None:
    wire.request("tools/list")
    text = held(wire, "read_text")["cache_id"]
    for tool, words in (("keep_little", "max_argument_bytes is 2,048"), ("keep_safely", "not marked as read-only")):
        refused = wire.call(tool, {"text": f"held:{text}"})
        assert refused.result["isError"] is True
        assert words in refused.texts[0]
        assert json.loads(wire.call(tool, {"text": "short"}).texts[0]) == kept("short")


def test_the_log_notes_what_was_passed_by_digests_alone(wire: Wire, request: pytest.FixtureRequest) -> None:
    handle = held(wire, "read_text")["cache_id"]
    wire.call("keep", {"text": f"held:{handle}"})
    if any(way in request.node.name for way in ("run", "serve", "[gateway]")):  # others log by Python's own means
        digest = hashlib.sha256(TEXT.encode()).hexdigest()
        log = wire.stderr()
        assert f"to 'keep': {len(TEXT.encode()):,} bytes, sha256 {digest}" in log
        assert handle not in log
        assert "plain words" not in log


def test_a_held_text_is_edited_and_the_changed_copy_passed_on(wire: Wire) -> None:
    wire.request("tools/list")
    handle = held(wire, "read_text")["cache_id"]
    pair = {"find": "line 77: ", "with": "LINE 77: "}
    head, diff = split(wire.call(FETCH, {"action": "edit", "cache_id": handle, "replace": [pair]}).result)
    changed = TEXT.replace("line 77: ", "LINE 77: ")
    assert diff.startswith("@@ line 78 @@\n-line 77: ")
    assert json.loads(wire.call("keep", {"text": f"held:{head['cache_id']}"}).texts[0]) == kept(changed)
    assert json.loads(wire.call("keep", {"text": f"held:{handle}"}).texts[0]) == kept(TEXT)
    wrong = wire.call(FETCH, {"action": "edit", "cache_id": handle, "replace": [{"find": "plain", "with": ""}]})
    assert wrong.result["isError"] is True
    assert "6,000 times, expected 1" in wrong.texts[0]


def test_a_held_result_knows_which_rows_were_read(wire: Wire) -> None:
    handle = held(wire, "list_rows", number=ROWS)["cache_id"]
    assert asked(wire, cache_id=handle, action="info")["read"].startswith(f"none of {ROWS:,} rows by get")
    page = asked(wire, cache_id=handle, action="get_page")["_pagination"]
    assert page["unseen"] == f"{page['end_index'] + 1}-{ROWS} of {ROWS:,}"
    left = ROWS - page["end_index"]
    told = asked(wire, cache_id=handle, action="info")["read"]
    assert told.startswith(f"rows 1-{page['end_index']} of {ROWS:,} by get")
    assert told.endswith(f"; {left:,} unseen")


def test_a_filter_of_a_tool_leaves_out_what_nobody_needs_and_the_original_is_held(wire: Wire) -> None:
    reply = wire.call("scan", {"number": 5})
    left, note = reply.texts
    assert "help" not in json.dumps(reply.result.get("structuredContent", {}))
    assert json.loads(left) == [{"id": n} for n in range(5)]
    assert note.startswith("filtered by a configured jq rule (map(del(.help)))")
    told = asked(wire, cache_id=note.rpartition(" ")[2], action="filter", jq_filter="map(.help) | unique | length")
    assert told["result"] == 1


def test_the_same_call_again_says_what_changed_and_shows_it(wire: Wire, request: pytest.FixtureRequest) -> None:
    first, later = held(wire, "poll", number=500), held(wire, "poll", number=500)
    words = f"+1 row, {first['metadata']['item_count']} unchanged"
    if "serve --url" in request.node.name:  # without a token, in a session that the upstream has named, nobody is known
        assert "changes" not in later
    else:
        assert later["changes"].startswith(f"since {first['cache_id']}, ")
        assert later["changes"].endswith(f" s ago: {words}")
        assert asked(wire, action="changes", cache_id=later["cache_id"])["changes"] == words
    told = asked(wire, action="changes", cache_id=later["cache_id"], since=first["cache_id"])
    number = later["metadata"]["item_count"]
    assert told["result"] == [{"op": "added", "row": number, "now": rows(number)[-1]}]


def test_a_string_that_only_looks_like_a_handle_is_passed_as_it_is(wire: Wire) -> None:
    for text in ("held:inventory", "held:r_short", f"held:r_{'x' * 22} and more"):
        assert json.loads(wire.call("keep", {"text": text}).texts[0]) == kept(text)


def test_an_unknown_handle_in_an_argument_is_an_error_of_the_tool_and_the_tool_is_not_called(wire: Wire) -> None:
    reply = wire.call("keep", {"text": f"held:r_{'x' * 22}"})
    assert reply.result["isError"] is True
    assert "there is no held result" in reply.texts[0]
    handle = held(wire, "list_rows", number=ROWS)["cache_id"]
    assert wire.call("keep", {"text": f"held:{handle} .[]"}).result["isError"] is True


def test_a_wrong_handle_is_an_error_of_the_tool_under_a_kilobyte(wire: Wire) -> None:
    reply = wire.call(FETCH, {"cache_id": "r_nobody", "action": "info"})
    assert reply.result["isError"] is True
    assert len(reply.texts[0].encode()) < 1_024


def test_resources_and_prompts_are_bounded_too(wire: Wire, request: pytest.FixtureRequest) -> None:
    if "decorator" in request.node.name:
        return  # functions have neither
    contents = wire.request("resources/read", {"uri": "data://text"}).result["contents"]
    messages = wire.request("prompts/get", {"name": "explain"}).result["messages"]
    for texts in ([one["text"] for one in contents], [one["content"]["text"] for one in messages]):
        assert head_of(texts[0])["type"] == "buffered_response"
        assert sum(count(text).upper for text in texts) <= BUDGET
