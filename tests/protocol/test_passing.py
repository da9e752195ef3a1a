"""Calls that name held results: at the gate until their arguments are filled in, and the upstream's from then on."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.kit.protocol.playbook import (
    OURS,
    PlainRules,
    Playbook,
    answer,
    call,
    cancel,
    line,
    modern,
    request,
    text,
    tool,
)

NAMED = f"held:r_{'x' * 22}"
ERROR = b'{"content":[{"type":"text","text":"there is no held result"}],"isError":true}'


def listed(play: Playbook, *tools: dict[str, Any], **members: Any) -> None:
    play.asks(request(0, "tools/list"))
    play.upstream(answer(0, {"tools": list(tools), **members}))
    play.to_client.clear()


def test_a_call_goes_on_with_the_arguments_that_the_gate_gives_and_every_other_byte_as_it_was() -> None:
    with Playbook() as play:
        sent = (
            b'{ "id":1,"method" : "tools/call","params":{"name":"t","arguments": {"a":"%b"} ,"x":1.0}}\n'
            % NAMED.encode()
        )
        play.client(sent)
        play.nobody_hears()
        play.fill(b'{"a":"text"}')
        play.upstream_hears(sent.replace(NAMED.encode(), b"text"))
        play.answers(answer(1, text("done")))


def test_a_call_without_a_reference_passes_as_the_same_bytes() -> None:
    with Playbook() as play:
        for number, words in enumerate(["held:inventory", "held:r_short", f"{NAMED}x", f"see {NAMED}"], 1):
            play.asks(call(number, "t", a=words))
        play.asks(
            line({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "t", "_meta": {"a": NAMED}}})
        )
        play.asks(request(8, "prompts/get", name="p", arguments={"a": NAMED}))


def test_nothing_is_looked_at_where_it_is_off_or_the_upstream_does_it_itself() -> None:
    with Playbook(PlainRules(by_handle=False)) as play:
        play.asks(call(1, "t", a=NAMED))
    with Playbook() as play:
        listed(play, tool(OURS))
        play.asks(call(1, "t", a=NAMED))


def test_the_gate_is_told_what_is_known_of_the_tool() -> None:
    with Playbook() as play:
        schema = {"type": "object", "properties": {"a": {"type": "string"}}}
        notes = {"annotations": {"readOnlyHint": True}}
        servers = {"penstock/servers": {"look": "files", "write": "notes"}}
        listed(play, tool("look", **notes) | {"inputSchema": schema}, tool("write"), **servers)
        for number, name in enumerate(("look", "write", "other"), 1):
            play.client(call(number, name, a=NAMED))
        look, write, other = play.resolutions
        assert (look.tool, look.schema, look.read_only, look.server) == ("look", schema, True, "files")
        assert (write.read_only, write.server) == (False, "notes")
        assert (other.schema, other.read_only, other.server) == (None, False, "")
        assert json.loads(look.arguments) == {"a": NAMED}
        play.resolutions.clear()


def test_a_tool_that_is_no_longer_read_only_is_not_remembered_as_such() -> None:
    with Playbook() as play:
        listed(play, tool("look", annotations={"readOnlyHint": True}))
        listed(play, tool("look", annotations={"readOnlyHint": False}))
        play.client(call(1, "look", a=NAMED))
        assert play.resolutions.popleft().read_only is False


def test_which_server_has_a_tool_is_not_told_to_the_client() -> None:
    with Playbook() as play:
        play.asks(request(0, "tools/list"))
        play.upstream(answer(0, {"tools": [tool("look")], "penstock/servers": {"look": "files"}}))
        assert "penstock/servers" not in play.heard()["result"]


@pytest.mark.parametrize(
    "make", [call, lambda key, name, **given: modern(key, "tools/call", name=name, arguments=given)]
)
def test_a_refusal_answers_the_call_and_the_upstream_never_hears_of_it(make: Any) -> None:
    with Playbook() as play:
        play.client(make(1, "t", a=NAMED))
        play.refuse(ERROR)
        told = play.heard()
        assert told["result"]["isError"] is True
        assert ("resultType" in told["result"]) is (make is not call)
        play.nobody_hears()


def test_a_call_that_is_cancelled_at_the_gate_is_neither_sent_nor_answered() -> None:
    with Playbook() as play:
        play.client(call(1, "t", a=NAMED))
        play.client(cancel(1))
        play.fill(b"{}")
        play.nobody_hears()
        play.client(call(2, "t", a=NAMED))
        play.client(cancel(2))
        play.refuse(ERROR)
        play.nobody_hears()


def test_a_call_that_was_sent_on_is_cancelled_like_any_other() -> None:
    with Playbook() as play:
        play.client(call(1, "t", a=NAMED))
        play.fill(b"{}")
        play.to_upstream.clear()
        play.asks(cancel(1))


def test_the_time_of_a_call_begins_when_it_is_sent() -> None:
    with Playbook() as play:
        play.client(call(1, "t", a=NAMED))
        play.wait(1_000)
        play.fill(b"{}")
        play.to_upstream.clear()
        play.wait(59)
        play.nobody_hears()
        play.wait(2)
        play.client_hears_failure(1)
        play.to_upstream.clear()


def test_an_upstream_that_ends_meanwhile_fails_the_call() -> None:
    with Playbook() as play:
        play.client(call(1, "t", a=NAMED))
        play.upstream_ends("exited")
        play.fill(b"{}")
        play.client_hears_failure(1, "exited")


def test_a_call_in_a_batch_goes_on_beside_it() -> None:
    with Playbook() as play:
        one, other = call(1, "t", a=NAMED), call(2, "t")
        play.client(b"[" + one.strip() + b"," + other.strip() + b"]\n")
        play.upstream_hears(b"[" + other.strip() + b"]\n")
        play.fill(b"{}")
        play.upstream_hears(call(1, "t").strip())
