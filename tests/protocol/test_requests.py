"""One request, one answer, in time: cancelled, late, doubled, timed out, or left behind by a server that ended."""

from __future__ import annotations

import pytest

from penstock.protocol.commands import OpenRequest
from tests.kit.protocol.playbook import (
    OURS,
    PlainRules,
    Playbook,
    answer,
    call,
    cancel,
    error,
    line,
    notification,
    request,
    text,
)

LARGE = text("x" * 500)


def times_out(play: Playbook, after: float) -> None:
    """Request 1 fails now; that the upstream is told of it has a test of its own."""
    play.wait(after)
    play.client_hears_failure(1)
    play.to_upstream.clear()


def test_a_second_answer_is_dropped() -> None:
    with Playbook() as play:
        play.asks(call(1, "t"))
        play.answers(answer(1, text("first")))
        play.upstream(answer(1, text("second")))
        play.is_noted("request 1", "is not open")


def test_a_second_answer_is_dropped_while_the_first_is_with_the_gate() -> None:
    with Playbook() as play:
        play.asks(call(1, "t"))
        play.upstream(answer(1, LARGE))
        play.upstream(answer(1, text("second")))
        play.is_noted("request 1", "second time")
        play.decide()
        play.client_hears(answer(1, LARGE))


def test_an_answer_that_nobody_asked_for_is_dropped() -> None:
    with Playbook() as play:
        play.upstream(answer("never" * 100, text("x")))
        play.is_noted("never", "is not open")
        play.upstream(error(5, 1, "x"))
        play.is_noted("request 5")


def test_an_id_in_use_is_refused_and_its_first_request_is_answered() -> None:
    with Playbook() as play:
        play.asks(call(1, "t"))
        play.client(call(1, "u"))
        play.client_hears_failure(1, "already in use", code=-32_600)
        play.answers(answer(1, text("t")))
        play.asks(call(1, "v"))
        play.answers(answer(1, text("v")))


def test_a_cancelled_request_is_answered_by_nobody() -> None:
    with Playbook() as play:
        play.asks(call("a", "slow"))
        play.asks(cancel("a"))
        play.upstream(answer("a", text("too late")))
        play.is_noted("is not open")
        play.wait(1_000)
        play.upstream_ends()


def test_a_request_cancelled_under_another_spelling_of_its_id_is_cancelled() -> None:
    with Playbook() as play:
        play.asks('{"id":"é","method":"ping"}\n'.encode())
        play.asks(b'{"method":"notifications/cancelled","params":{"requestId":"\\u00e9"}}\n')
        assert not play.exchange._state.open


def test_a_call_to_our_tool_that_is_cancelled_is_no_business_of_the_upstream() -> None:
    with Playbook() as play:
        play.client(call(1, OURS, action="list"))
        play.client(cancel(1))
        play.read(b'{"content":[]}')
        play.nobody_hears()


def test_a_result_that_is_cancelled_while_it_is_with_the_gate_goes_nowhere() -> None:
    with Playbook() as play:
        play.asks(call(1, "t"))
        play.upstream(answer(1, LARGE))
        play.asks(cancel(1))
        play.decide()
        play.nobody_hears()


def test_the_answer_to_a_cancelled_request_is_not_given_to_a_new_one_of_the_same_id() -> None:
    with Playbook() as play:
        play.asks(call(1, "t"))
        play.upstream(answer(1, LARGE))
        play.asks(cancel(1))
        play.asks(call(1, "u"))
        play.decide()
        play.nobody_hears()
        play.answers(answer(1, text("of u")))


def test_a_cancel_without_an_id_cancels_nothing() -> None:
    with Playbook() as play:
        play.asks(b'{"id":null,"method":"ping"}\n')
        play.asks(notification("notifications/cancelled", reason="?"))
        play.asks(line({"method": "notifications/cancelled"}))
        play.answers(b'{"id":null,"result":{}}\n')


def test_a_request_without_an_answer_times_out_once_and_the_upstream_is_told() -> None:
    with Playbook() as play:
        play.asks(call("a", "slow"))
        play.asks(request(2, "subscriptions/listen"))
        play.wait(60)
        play.nobody_hears()
        play.wait(1)
        play.client_hears_failure("a", "slow", "60 seconds", "call_timeout")
        play.upstream_hears(notification("notifications/cancelled", requestId="a", reason="timed out"))
        play.wait(1_000)
        play.upstream(answer("a", text("late")))
        play.is_noted("is not open")


def test_initialize_times_out_but_is_never_cancelled() -> None:
    with Playbook() as play:
        play.asks(request(0, "initialize"))
        play.wait(61)
        play.client_hears_failure(0, "initialize")
        play.nobody_hears()


def test_without_a_timeout_everybody_waits() -> None:
    with Playbook(PlainRules(patience=None)) as play:
        play.asks(call(1, "slow"))
        play.wait(10**9)
        play.answers(answer(1, text("done")))


def test_what_is_with_the_gate_does_not_time_out() -> None:
    with Playbook() as play:
        play.client(call(1, OURS))
        play.asks(call(2, "t"))
        play.upstream(answer(2, LARGE))
        play.wait(1_000)
        play.read(b'{"content":[]}')
        play.decide()
        play.client_hears(answer(1, {"content": []}))
        play.client_hears(answer(2, LARGE))


@pytest.mark.parametrize(("token", "told"), [("t-1", "t-1"), (7, 7), (7, 7.0), ("é", "é")])
def test_progress_keeps_a_request_alive(token: object, told: object) -> None:
    with Playbook() as play:
        play.asks(request(1, "tools/call", name="slow", _meta={"progressToken": token}))
        play.asks(call(2, "other"))
        play.wait(50)
        play.answers(notification("notifications/progress", progressToken=told, progress=1))
        play.wait(50)
        play.client_hears_failure(2)
        play.to_upstream.clear()
        play.answers(answer(1, text("done")))


def test_progress_of_nothing_keeps_nothing_alive() -> None:
    with Playbook() as play:
        play.asks(request(1, "tools/call", name="slow", arguments={"progressToken": 1}))
        play.wait(50)
        play.answers(notification("notifications/progress", progress=1))
        play.answers(notification("notifications/progress", progressToken=1, progress=1))
        times_out(play, 11)


@pytest.mark.parametrize("question", ["sampling/createMessage", "elicitation/create"])
def test_while_the_upstream_waits_for_the_client_nothing_times_out(question: str) -> None:
    with Playbook() as play:
        play.asks(call(1, "ask"))
        play.answers(request("q", question))
        play.wait(3_500)
        play.asks(answer("q", {}))
        play.wait(59)
        play.nobody_hears()
        times_out(play, 2)


def test_a_question_that_is_never_answered_holds_up_the_clock_for_an_hour_and_no_longer() -> None:
    with Playbook() as play:
        play.asks(call(1, "ask"))
        play.answers(request("q", "sampling/createMessage"))
        play.wait(3_599)
        play.nobody_hears()
        times_out(play, 61)


@pytest.mark.parametrize("question", ["ping", "roots/list"])
def test_a_question_that_nobody_thinks_about_holds_up_no_timeout(question: str) -> None:
    with Playbook() as play:
        play.asks(call(1, "ask"))
        play.answers(request("q", question))
        times_out(play, 61)


def test_a_question_that_the_upstream_takes_back_holds_up_no_timeout() -> None:
    with Playbook() as play:
        play.asks(call(1, "ask"))
        play.answers(request("q", "elicitation/create"))
        play.answers(cancel("q"))
        times_out(play, 61)


def test_a_notification_with_an_empty_id_is_no_question() -> None:
    with Playbook() as play:
        play.asks(call(1, "t"))
        play.answers(line({"id": None, "method": "notifications/message", "params": {}}))
        times_out(play, 61)


def test_questions_without_end_are_relayed_and_not_all_remembered() -> None:
    play = Playbook()
    for number in range(2_000):
        play.answers(request(number, "elicitation/create"))
    play.answers(request("x" * 5_000, "elicitation/create"))
    assert len(play.exchange._state.questions) == 1_000


def test_when_the_upstream_ends_everyone_is_told_once() -> None:
    with Playbook() as play:
        play.asks(request(0, "initialize"))
        play.answers(answer(0, {"capabilities": {"tools": {}}, "serverInfo": {"name": "files"}}))
        play.asks(call(1, "t"))
        play.asks(request("s", "subscriptions/listen"))
        play.asks(call(2, "u"))
        play.upstream(answer(2, LARGE))
        play.upstream_ends("was killed by SIGKILL")
        play.client_hears_failure(1, "the server 'files'", "was killed by SIGKILL")
        play.client_hears_failure("s", "SIGKILL")
        play.decide()
        play.client_hears(answer(2, LARGE))
        play.upstream_ends("was killed by SIGKILL")
        play.nobody_hears()


def test_requests_after_the_end_are_refused_with_the_reason() -> None:
    with Playbook() as play:
        play.upstream_ends("exited with code 3")
        play.client(call(1, "t"))
        play.client_hears_failure(1, "exited with code 3")
        play.client(call(2, OURS))
        play.client_hears_failure(2, "exited with code 3")
        play.client(notification("notifications/initialized"))
        play.client(cancel(1))
        play.nobody_hears()
    assert not play.exchange._state.open


def test_an_answer_that_cannot_be_made_is_told_as_an_error() -> None:
    with Playbook() as play:
        play.asks(call(1, "t"))
        waiting = play.exchange._state.open[b"1"]
        (command,) = play.exchange.fail(waiting, "Penstock could not")
        assert b"Penstock could not" in command.line  # type: ignore[union-attr]
        assert play.exchange.fail(waiting, "again") == ()


def test_a_gate_that_gives_nonsense_leaves_the_request_to_be_failed() -> None:
    """``close`` runs before the request is taken: whoever catches its error can still answer."""
    with Playbook() as play:
        play.asks(request(1, "prompts/get", name="p"))
        play.upstream(answer(1, {"messages": [{"role": "user", "content": {"type": "text", "text": "x" * 500}}]}))
        admit = play.admissions.popleft()
        with pytest.raises(KeyError):
            play.exchange.admitted(admit, b"nonsense")
        assert play.exchange.fail(admit.request, "could not")


def test_only_names_that_a_tool_could_have_are_counted_and_not_without_end() -> None:
    play = Playbook()
    for number in range(1_500):
        play.asks(call(number, f"tool {number}"))
        play.answers(answer(number, text("x")))
    play.asks(call("long", "x" * 10_000))
    play.answers(answer("long", text("x")))
    play.asks(call("again", "tool 1"))
    play.answers(answer("again", text("x")))
    passed = play.exchange.passed.take()
    assert len(passed) == 1_000
    assert passed["", "tool 1", 250][0] == 2  # type: ignore[index]  # a named tuple is equal to a plain one
    assert max(len(key.tool) for key in passed) < 100


class Raced(dict[bytes, OpenRequest]):
    """Requests of which each is taken by another thread as soon as it was looked at."""

    def get(self, key: bytes, default: OpenRequest | None = None) -> OpenRequest | None:  # type: ignore[override]
        return super().pop(key, default)


@pytest.mark.parametrize(
    ("method", "told"),
    [
        ("ping", answer(1, {})),
        ("tools/list", answer(1, {"tools": []})),
        ("tools/list", error(1, -32_601, "no tools")),
        ("tools/call", answer(1, text("x"))),
        ("tools/call", error(1, 1, "x")),
    ],
)
def test_a_request_that_someone_else_has_just_answered_is_not_answered_again(method: str, told: bytes) -> None:
    with Playbook() as play:
        play.exchange._state.open = Raced()
        play.asks(request(1, method))
        play.upstream(told)
        play.nobody_hears()


def test_a_request_that_was_answered_while_the_clock_was_looked_at_does_not_time_out() -> None:
    with Playbook() as play:
        play.asks(call(1, "t"))
        play.time += 61

        class Rules(PlainRules):
            def timeout(self, tool: str) -> float | None:
                play.exchange._state.open.clear()
                return 60.0

        play.exchange._state.rules = Rules()
        play.wait(0)
        play.nobody_hears()


def test_tool_calls_in_flight_are_those_without_a_response() -> None:
    with Playbook() as play:
        assert play.exchange.calls_in_flight == 1
        for number in (1, 2, 3):
            play.asks(call(number, "search", q=number))
        play.asks(request(4, "tools/list"))
        assert play.exchange.calls_in_flight == 3
        play.answers(answer(2, text("x")))
        assert play.exchange.calls_in_flight == 2
