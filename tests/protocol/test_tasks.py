"""Tasks: judged as the tool's that made them, asked for or told of."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kit.protocol.playbook import (
    LONG,
    NOTICE,
    PlainRules,
    Playbook,
    answer,
    call,
    modern,
    notification,
    packed,
    request,
    text,
)


def created(play: Playbook, key: int, tool: str, result: Any, **arguments: Any) -> None:
    play.asks(modern(key, "tools/call", name=tool, arguments=arguments))
    play.upstream(answer(key, result))
    if play.admissions:
        play.decide()
    play.client_hears(answer(key, result))


@pytest.mark.parametrize("result", [{"task": {"taskId": "1"}}, {"resultType": "task", "taskId": "1"}])
def test_the_result_of_a_task_is_judged_as_its_tool_s(result: Any) -> None:
    rules = PlainRules(bytes_unread=10**6, floors={"crawl": 0})
    with Playbook(rules) as play:
        created(play, 1, "crawl", result, url="a:b")
        for number, (method, told) in enumerate(
            [
                ("tasks/get", {"taskId": "1", "status": "completed", "result": text("x")}),
                ("tasks/result", text("x")),
            ],
            2,
        ):
            play.asks(request(number, method, taskId="1"))
            play.upstream(answer(number, told))
            admit = play.admissions[0]
            assert (admit.tool, admit.arguments) == ("crawl", {"url": "a:b"})
            play.decide()
            play.client_hears(answer(number, told))
            play.asks(request(number, method, taskId="another"))
            play.answers(answer(number, told))


def test_a_result_that_has_the_name_of_a_task_somewhere_is_no_task() -> None:
    with Playbook() as play:
        play.asks(call(1, "t"))
        play.answers(answer(1, text("x", structuredContent={"taskId": "1"})))
        assert play.exchange._state.session.facts.call_of("1") is None


def test_the_result_of_a_task_that_nobody_remembers_is_judged_as_a_task_s() -> None:
    with Playbook() as play:
        play.asks(request(1, "tasks/result", taskId="?"))
        play.upstream(answer(1, text(LONG)))
        assert (play.admissions[0].tool, play.admissions[0].schema) == ("tasks/result", None)
        play.decide()
        play.client_hears(answer(1, text(LONG)))


def test_a_task_told_of_unasked_is_bounded() -> None:
    with Playbook() as play:
        created(play, 1, "crawl", {"resultType": "task", "taskId": "1"}, url="a:b")
        done = {"taskId": "1", "status": "completed", "result": text(LONG)}
        play.upstream(notification("notifications/tasks", **done))
        play.upstream(notification("notifications/tasks", **{**done, "taskId": "?"}))
        first, second = play.admissions
        assert (first.tool, first.client, first.arguments) == ("crawl", "a modern client", {"url": "a:b"})
        assert (second.tool, second.client, second.arguments) == ("tasks/get", "", {})
        play.wait(10**6)
        play.decide()
        play.hold()
        play.client_hears(notification("notifications/tasks", **done))
        play.client_hears(notification("notifications/tasks", **{**done, "taskId": "?", "result": NOTICE}))
        assert not play.exchange._state.open


def test_a_task_told_of_with_nothing_to_bound_passes() -> None:
    with Playbook() as play:
        play.answers(notification("notifications/tasks", taskId="1", status="completed", result=text("x")))
        play.answers(b'{"method":"notifications/tasks"}\n')


def test_a_task_told_of_with_a_long_question_is_bounded() -> None:
    asking = {"taskId": "1", "status": "input_required", "inputRequests": {"a": LONG}}
    with Playbook() as play:
        for _ in range(2):
            play.upstream(notification("notifications/tasks", **asking))
        play.decide()
        play.client_hears(notification("notifications/tasks", **asking))
        play.hold()
        heard = play.heard()["params"]
        assert (heard["taskId"], heard["status"]) == ("1", "input_required")
        assert "inputRequests" not in heard
        assert "r_1" in heard["statusMessage"]


def test_a_notification_that_cannot_be_bounded_is_dropped_and_noted() -> None:
    with Playbook() as play:
        play.upstream(notification("notifications/tasks", taskId="1", result=text(LONG)))
        (note,) = play.exchange.fail(play.admissions.popleft().request, "the store is gone")
        assert "notifications/tasks" in str(note)


def test_a_notification_that_only_the_standard_parser_reads_is_bounded_too() -> None:
    with Playbook() as play:
        play.upstream(b'{"x":NaN,"method":"notifications/tasks","params":' + packed({"result": text(LONG)}) + b"}\n")
        play.hold()
        params = packed({"result": NOTICE})
        play.client_hears(b'{"x":NaN,"method":"notifications/tasks","params":' + params + b"}\n")
