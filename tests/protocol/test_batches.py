"""Batches, which one version of the protocol had: as one where they pass, one by one where something is replaced."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.kit.protocol.playbook import (
    OURS,
    Playbook,
    answer,
    call,
    error,
    names,
    notification,
    request,
    text,
    tool,
)

LARGE = text("x" * 500)


def batch(*messages: bytes) -> bytes:
    return b"[" + b", ".join(message.strip() for message in messages) + b"]\n"


def test_a_batch_goes_on_as_one_both_ways() -> None:
    with Playbook() as play:
        play.asks(batch(call(1, "t"), call("b", "u"), notification("notifications/initialized")))
        play.answers(batch(answer("b", text("u")), answer(1, text("t")), notification("notifications/message")))
        assert not play.exchange._state.open


def test_a_call_to_our_tool_is_taken_out_of_a_batch() -> None:
    with Playbook() as play:
        play.client(batch(call(1, "t"), call(2, OURS), call(3, "u")))
        play.upstream_hears(batch(call(1, "t"), call(3, "u")).replace(b", {", b",{"))
        play.read(b'{"content":[]}')
        play.client_hears(answer(2, {"content": []}))
        play.answers(batch(answer(1, text("t")), answer(3, text("u"))))


def test_a_batch_of_nothing_but_calls_to_our_tool_does_not_reach_the_upstream() -> None:
    with Playbook() as play:
        play.client(batch(call(1, OURS), call(2, OURS)))
        play.read(b'{"content":[]}')
        play.read(b'{"content":[]}')
        play.client_hears(answer(1, {"content": []}))
        play.client_hears(answer(2, {"content": []}))


def test_a_batch_with_an_id_in_use_loses_only_that_request() -> None:
    with Playbook() as play:
        play.client(batch(call(1, "t"), call(1, "u")))
        play.client_hears_failure(1, "already in use", code=-32_600)
        play.upstream_hears(batch(call(1, "t")))


def test_a_large_answer_in_a_batch_goes_to_the_gate_and_the_others_on_their_own() -> None:
    with Playbook() as play:
        play.asks(batch(call(1, "t"), call(2, "u")))
        play.upstream(batch(answer(1, LARGE), answer(2, text("u"))))
        play.client_hears(answer(2, text("u")))
        play.decide(b'{"content":[]}')
        play.client_hears(answer(1, {"content": []}))


def test_a_list_in_a_batch_has_our_tool() -> None:
    with Playbook() as play:
        play.asks(batch(request(1, "tools/list"), request(2, "ping")))
        play.upstream(batch(answer(1, {"tools": [tool("t")]}), answer(2, {})))
        assert names(play.heard()) == ["t", OURS]
        play.client_hears(answer(2, {}))


def test_what_nobody_waits_for_is_taken_out_of_a_batch() -> None:
    with Playbook() as play:
        play.asks(call(1, "t"))
        play.upstream(batch(answer(9, {}), answer(1, text("t"))))
        play.is_noted("request 9")
        play.client_hears(answer(1, text("t")))


@pytest.mark.parametrize("said", [b"[]\n", b'[1,"x"]\n', b"[[]]\n", b'[[{"id":1,"method":"tools/call"}]]\n'])
def test_a_batch_that_is_empty_or_nested_is_for_the_upstream_to_judge(said: bytes) -> None:
    with Playbook() as play:
        play.asks(said)
        play.answers(error(None, -32_600, "Invalid Request"))


def test_what_is_no_message_in_a_batch_is_noise() -> None:
    with Playbook() as play:
        play.asks(call(1, "t"))
        play.upstream(b'[5,[{"id":1,"result":{}}],{"id":1,"result":{}}]\n')
        assert list(play.noise) == [b"5", b'[{"id":1,"result":{}}]']
        play.noise.clear()
        play.client_hears({"id": 1, "result": {}})


def test_batches_nested_without_end_hurt_nobody() -> None:
    for depth in (50, 400, 900, 5_000):
        with Playbook() as play:
            nested = b"[" * depth + b"]" * depth + b"\n"
            play.asks(nested)
            play.upstream(nested)
            play.noise.clear()


def test_a_batch_with_half_an_emoji_in_it_is_a_batch() -> None:
    asked: list[dict[str, Any]] = [
        {"id": 1, "method": "tools/call", "params": {"name": OURS}},
        {"id": 2, "method": "\ud83d"},
    ]
    with Playbook() as play:
        play.client(json.dumps(asked).encode() + b"\n")
        play.upstream_hears(b"[" + json.dumps(asked[1]).encode() + b"]\n")
        play.read(b'{"content":[]}')
        play.client_hears(answer(1, {"content": []}))


def test_a_batch_after_the_end_is_refused_one_by_one() -> None:
    with Playbook() as play:
        play.upstream_ends()
        play.client(batch(call(1, "t"), call(2, "u")))
        play.client_hears_failure(1)
        play.client_hears_failure(2)
