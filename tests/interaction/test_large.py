"""Results of real servers that do not fit: bounded, told of honestly, and all there to be read."""

from __future__ import annotations

import base64
import json
import random
from typing import TYPE_CHECKING

import pytest
from tests.kit.interaction.conversation import FETCH, converse, gateway, opening
from tests.kit.interaction.held import WIDE, fetch, notice_of, pages, row_numbers, texts_of, tokens_of, windows
from tests.kit.interaction.large import CASES
from tests.kit.interaction.wire import Wire

from penstock.core.tokens.count import count

if TYPE_CHECKING:
    from tests.kit.interaction.large import Servers, Told

PREVIEW_TOKENS = 2_000
PREVIEW_BYTES = 8_192
PAGE_TOKENS = 5_000
NEAR = 0.25  # how far the price of a next call may be from what it costs

PAGED: dict[str, tuple[str, ...]] = {"records": ("",), "graph": (".entities", ".relations")}


@pytest.mark.parametrize("name", CASES)
def test_a_large_result_is_bounded_told_of_honestly_and_read_back_to_the_byte(servers: Servers, name: str) -> None:
    """One test a case, as two workers would otherwise make and hold every result twice."""
    told = servers.ask(name)
    the_answer_is_bounded_and_opens_with_the_notice(told)
    all_windows_put_together_are_the_text_that_the_server_sent(told)
    every_next_call_runs_as_it_stands_and_costs_what_it_says(told)
    for path in PAGED.get(name, ()):
        all_pages_put_together_are_the_items(told, path)


def the_answer_is_bounded_and_opens_with_the_notice(told: Told) -> None:
    result, notice = told.through.result, notice_of(told.through)
    assert len(told.through.line) <= PREVIEW_BYTES
    assert tokens_of(result) <= PREVIEW_TOKENS
    assert "structuredContent" not in result
    for kept in ("isError", "resultType"):
        assert result.get(kept) == told.direct.result.get(kept)
    meta = dict(result["_meta"])
    assert meta.pop("penstock/notice").isdigit()  # the mark of a real notice, beside what the server says
    assert meta == told.direct.result.get("_meta", {})
    assert notice["cache_id"].startswith("r_")
    assert notice["tool"] == (told.case.params["name"] if told.case.method == "tools/call" else told.case.method)
    assert " tokens; the limit is 20,000. Below: " in notice["message"]
    metadata = notice["metadata"]
    assert metadata["would_exceed_limit"] is True
    assert metadata["token_limit"] == 20_000
    assert metadata["total_bytes"] == len(told.text.encode())
    assert metadata["total_tokens"] == pytest.approx(count(told.text).tokens, rel=0.05)
    assert 0 < metadata["expires_in_s"] <= 1_800
    shown = notice["shown"]
    numbers = row_numbers(shown.get("rows") or shown["lines"])
    assert numbers == sorted(set(numbers))
    assert all(1 <= number <= shown["of"] for number in numbers)


def all_windows_put_together_are_the_text_that_the_server_sent(told: Told) -> None:
    assert windows(told.wire, notice_of(told.through)["cache_id"]) == told.text


def every_next_call_runs_as_it_stands_and_costs_what_it_says(told: Told) -> None:
    calls = notice_of(told.through)["next"]
    assert calls
    for call in calls:
        reply = fetch(told.wire, call["tool"], **call["arguments"])
        if "tokens" in call:
            assert tokens_of(reply.result) == pytest.approx(call["tokens"], rel=NEAR), call
        else:
            assert tokens_of(reply.result) <= call["at_most_tokens"], call
        assert tokens_of(reply.result) <= PAGE_TOKENS


def all_pages_put_together_are_the_items(told: Told, path: str) -> None:
    value = json.loads(told.text)
    items = value[path.removeprefix(".")] if path else value
    assert pages(told.wire, notice_of(told.through)["cache_id"], path or None) == items


@pytest.mark.parametrize("server", ["filesystem", "memory", "git"])
def test_suggested_calls_run_as_they_stand_and_are_not_held_again(servers: Servers, server: str) -> None:
    """A suggestion is there because its answer would fit."""
    for name in (name for name, case in CASES.items() if case.server == server):
        told = servers.ask(name)
        for call in notice_of(told.through).get("suggestions", ()):
            reply = told.wire.call(call["tool"], call["arguments"])
            assert not reply.result.get("isError"), (call, reply.texts)
            assert not reply.texts[0].startswith('{"type":"buffered_response"'), call


def test_a_picture_that_the_client_takes_goes_along_as_a_block(servers: Servers) -> None:
    """The copy of it in ``structuredContent`` is what is too large: as text it would be a million tokens."""
    direct, through = servers.pair("filesystem")
    arguments = {"path": str(servers.root / "folder" / "photo.png")}
    whole, reply = direct.call("read_media_file", arguments).result, through.call("read_media_file", arguments).result
    assert reply["content"][-1] == whole["content"][0]
    assert "structuredContent" not in reply
    assert tokens_of(reply) <= PREVIEW_TOKENS


def test_a_picture_too_large_for_the_client_is_held_and_can_be_read_to_its_end(servers: Servers) -> None:
    direct, _ = servers.pair("filesystem")
    arguments = {"path": str(servers.root / "folder" / "photo.png")}
    whole = direct.call("read_media_file", arguments).result["content"][0]
    with Wire(gateway(servers.commands["filesystem"])) as wire:
        converse(wire, opening("claude-ai"))  # which takes 1,048,576 bytes
        reply = wire.call("read_media_file", arguments)
        assert len(reply.line) <= PREVIEW_BYTES
        stub = texts_of(reply.result)[-1]
        assert stub.startswith("[image/png, ")
        handle = stub.rpartition("held as ")[2].removesuffix("]")
        assert json.loads(windows(wire, handle, **WIDE)) == whole


def test_a_tool_error_too_large_keeps_its_flag(servers: Servers) -> None:
    direct, through = servers.pair("filesystem")
    arguments = {"path": str(servers.root / "folder" / ("ö" * 60_000))}
    whole, reply = direct.call("read_text_file", arguments), through.call("read_text_file", arguments)
    assert whole.result["isError"] is reply.result["isError"] is True
    assert len(reply.line) <= PREVIEW_BYTES
    assert windows(through, notice_of(reply)["cache_id"]) == whole.texts[0]


def test_a_protocol_error_too_large_keeps_its_code_and_names_the_rest(servers: Servers) -> None:
    direct, through = servers.pair("everything")
    asked = {"name": "no such prompt " * 8_000}
    whole, reply = direct.request("prompts/get", asked), through.request("prompts/get", asked)
    assert len(reply.line) <= PREVIEW_BYTES
    assert reply.error["code"] == whole.error["code"]
    assert reply.error["message"].startswith(whole.error["message"][:200])
    assert json.loads(windows(through, reply.error["data"]["cache_id"])) == whole.error


def test_a_file_that_is_no_text_is_held_and_given_back_as_a_block(servers: Servers) -> None:
    direct, through = servers.pair("everything")
    noise = base64.b64encode(random.Random(3).randbytes(300_000)).decode()
    arguments = {"name": "noise.gz", "data": f"data:application/octet-stream;base64,{noise}", "outputType": "resource"}
    whole, reply = direct.call("gzip-file-as-resource", arguments), through.call("gzip-file-as-resource", arguments)
    again = through.request("resources/read", {"uri": "demo://resource/session/noise.gz"})
    for one in (reply, again):
        assert len(one.line) <= PREVIEW_BYTES
        notice = notice_of(one)
        assert notice["metadata"]["total_bytes"] > len(noise)
        assert notice["metadata"]["total_tokens"] > 20_000
        (call,) = notice["next"]
        assert fetch(through, call["tool"], **call["arguments"]).result["content"][-1] == whole.result["content"][0]


def test_pretty_json_that_fits_without_its_white_space_is_passed_without_it(servers: Servers) -> None:
    direct, through = servers.pair("filesystem")
    arguments = {"path": str(servers.root / "folder" / "web")}
    whole, reply = direct.call("directory_tree", arguments), through.call("directory_tree", arguments)
    assert json.loads(reply.texts[0]) == json.loads(whole.texts[0])
    assert len(reply.line) < len(whole.line) / 2
    assert reply.result["_meta"]


def test_the_added_tool_is_the_last_of_the_list_and_says_how_it_is_called(servers: Servers) -> None:
    _, through = servers.pair("filesystem")
    tool = through.request("tools/list").result["tools"][-1]
    assert tool["name"] == FETCH
    assert len(tool["description"]) < 2_048
    assert "outputSchema" not in tool
