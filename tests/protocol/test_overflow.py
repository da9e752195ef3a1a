"""Lines that were taken apart on the way, or were too long to be kept."""

from __future__ import annotations

import json

from penstock.protocol.commands import Admit, ToClient
from penstock.protocol.wire.lines import TooLong
from tests.kit.protocol.playbook import (
    LONG,
    Playbook,
    answer,
    call,
    notification,
    request,
    text,
)


def test_a_long_result_of_a_tool_goes_to_the_gate_where_it_stands() -> None:
    with Playbook() as play:
        play.asks(call(1, "t"))
        line = memoryview(answer(1, text("x" * 2_000_000)))
        (command,) = play.exchange.upstream_sent(line)
        assert isinstance(command, Admit)
        assert isinstance(command.view.inner, memoryview)
        assert json.loads(bytes(command.view.inner)) == text("x" * 2_000_000)
        play._carry_out(play.exchange.admitted(command, b'{"content":[]}'))
        play.client_hears(answer(1, {"content": []}))


def test_a_long_message_that_passes_has_the_same_bytes() -> None:
    with Playbook() as play:
        play.asks(request(1, "resources/read", uri="a:b"))
        (command,) = play.exchange.upstream_sent(memoryview(answer(1, text("the text" + "x" * 500))))
        assert isinstance(command, Admit)
        assert b"the text" in bytes(command.view.inner)
        play.asks(request(2, "x/unknown"))
        (passed,) = play.exchange.upstream_sent(memoryview(answer(2, text("the text"))))
        assert isinstance(passed, ToClient)
        assert passed.line == answer(2, text("the text"))


def test_a_message_that_could_not_be_kept_says_why() -> None:
    with Playbook() as play:
        play.asks(call("a", "t"))
        line = TooLong(head=answer("a", {})[:30], tail=b"", size=10**8, failure="no space left; free some")
        play._carry_out(play.exchange.upstream_overflowed(line))
        play.client_hears_failure("a", "no space left; free some")


def too_long(message: bytes) -> TooLong:
    return TooLong(head=message[:100], tail=message[-100:], size=10**9)


def test_an_answer_above_the_limit_is_an_error() -> None:
    with Playbook() as play:
        play.asks(call("a", "t"))
        play._carry_out(play.exchange.upstream_overflowed(too_long(answer("a", text(LONG)))))
        play.client_hears_failure("a", "1,000,000,000 bytes", "max_result_bytes")
        play._carry_out(play.exchange.upstream_overflowed(too_long(answer("a", text(LONG)))))
        play.is_noted("1,000,000,000 bytes", "dropped")


def test_a_request_of_the_upstream_above_the_limit_fails_that_request_and_no_other() -> None:
    with Playbook() as play:
        play.asks(call(1, "t"))
        play._carry_out(play.exchange.upstream_overflowed(too_long(request(1, "sampling/createMessage", x=LONG))))
        failed = json.loads(play.to_upstream.popleft())
        assert (failed["id"], failed["error"]["code"]) == (1, -32_600)
        play._carry_out(play.exchange.upstream_overflowed(too_long(notification("notifications/message", data=LONG))))
        play.is_noted("dropped")
        play.answers(answer(1, text("x")))


def test_what_the_client_sends_above_the_limit_is_refused_to_whoever_waits() -> None:
    with Playbook() as play:
        play._carry_out(play.exchange.client_overflowed(too_long(call(1, "t", x=LONG))))
        play.client_hears_failure(1, "1,000,000,000 bytes", code=-32_600)
        play.asks(call(5, "t"))
        play.answers(request(5, "sampling/createMessage"))
        play._carry_out(play.exchange.client_overflowed(too_long(answer(5, text(LONG)))))
        failed = json.loads(play.to_upstream.popleft())
        assert (failed["id"], failed["error"]["code"]) == (5, -32_603)
        assert not play.exchange._state.questions
        play._carry_out(play.exchange.client_overflowed(too_long(notification("x", data=LONG))))
        play.is_noted("dropped")
        play.answers(answer(5, text("x")))
