"""Whatever fits passes: a conversation through the gateway is, byte for byte, the one without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psutil
import pytest
from tests.kit.interaction import conversations, data
from tests.kit.interaction.conversation import (
    MODERN,
    Step,
    Transcript,
    ask,
    converse,
    gateway,
    modern,
    opening,
    timeless,
    without_added,
    without_schemas,
)
from tests.kit.interaction.held import notice_of, windows
from tests.kit.interaction.wire import Wire, parsed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from scripts.real_parts import Parts
    from tests.kit.interaction.wire import Reply

LONG_TOPIC = "tea, cold and warm; " * 5_000
HANDLERS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    method: lambda _, answer=answer: answer  # type: ignore[misc]
    for method, answer in conversations.ANSWERS.items()
}


def both(
    command: list[str], steps: Sequence[Step], env: Callable[[str], dict[str, str]]
) -> tuple[Transcript, Transcript]:
    """The conversation with the server itself and through the gateway, which ends when its client does."""
    with (
        Wire(command, handlers=HANDLERS, env=env("direct")) as one,
        Wire(gateway(command), handlers=HANDLERS, env=env("gateway")) as other,
    ):
        direct, through = converse(one, steps), converse(other, steps)
        family = other.family()
        other.close()
    _, alive = psutil.wait_procs(family, timeout=30)
    assert not alive, "processes are left behind"
    return direct, through


def assert_same(direct: Transcript, through: Transcript) -> None:
    assert [timeless(line) for line in through.unasked] == [timeless(line) for line in direct.unasked]
    assert len(through.replies) == len(direct.replies)
    for (step, got), (_, wanted) in zip(through.replies, direct.replies, strict=True):
        if step.method == "tools/list":
            assert without_added(got.line) == without_schemas(wanted.line)
        else:
            assert timeless(got.line) == timeless(wanted.line), step


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return data.small_folder(tmp_path / "folder")


def test_everything_that_server_everything_offers_is_relayed_as_it_is(parts: Parts) -> None:
    direct, through = both(parts.everything, conversations.with_everything(), lambda _: {})
    assert_same(direct, through)
    asked = {one["method"] for line in direct.unasked if (one := parsed(line)).get("id") is not None}
    assert asked == {"roots/list", "sampling/createMessage", "elicitation/create"}, "the script no longer covers all"
    told = {parsed(line)["method"] for line in direct.unasked} - asked
    assert told >= {"notifications/progress", "notifications/message", "notifications/resources/updated"}


def test_server_filesystem_is_relayed_as_it_is(parts: Parts, small: Path) -> None:
    assert_same(*both(parts.filesystem(small), conversations.with_filesystem(small), lambda _: {}))


def test_server_memory_is_relayed_as_it_is(parts: Parts, tmp_path: Path) -> None:
    def graph(run: str) -> dict[str, str]:
        return {"MEMORY_FILE_PATH": str(data.graph(tmp_path / run, 5))}

    assert_same(*both(parts.memory, conversations.with_memory(), graph))


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_mcp_server_git_is_relayed_as_it_is_in_both_eras(parts: Parts, tmp_path: Path, era: str) -> None:
    repository = data.repository(tmp_path / "repository", commits=12, lines=4)
    requests = conversations.git_requests(repository)
    steps = [*opening(), *requests] if era == "legacy" else modern([ask("server/discover"), *requests])
    direct, through = both(parts.git(repository), steps, lambda _: {})
    assert_same(direct, through)
    assert direct.replies[0][1].result


def test_a_legacy_server_says_itself_that_it_does_not_know_the_modern_era(parts: Parts, small: Path) -> None:
    steps = [Step(method="server/discover", params={"_meta": MODERN}), *opening(), ask("tools/list")]
    direct, through = both(parts.filesystem(small), steps, lambda _: {})
    assert_same(direct, through)
    assert direct.of("server/discover")[0].error["code"] == -32601


def test_a_cancelled_call_is_not_answered_and_the_next_one_is(parts: Parts) -> None:
    def talk(wire: Wire) -> tuple[bytes, ...]:
        converse(wire, opening())
        call = {"name": "trigger-long-running-operation", "arguments": {"duration": 60, "steps": 60}}
        wire.send({"jsonrpc": "2.0", "id": "long", "method": "tools/call", "params": call})
        wire.notify("notifications/cancelled", {"requestId": "long", "reason": "no longer needed"})
        reply = wire.request("ping")
        return (*reply.before, reply.line)

    with Wire(parts.everything) as direct, Wire(gateway(parts.everything)) as through:
        assert talk(through) == talk(direct)


def test_a_task_is_relayed_and_its_result_is_bounded_when_it_comes(parts: Parts) -> None:
    def start(wire: Wire, topic: str) -> list[Reply]:
        started = wire.call("simulate-research-query", {"topic": topic}, task={"ttl": 60_000})
        return [started, wire.request("tasks/get", _task(started))]

    def finish(wire: Wire, begun: list[Reply]) -> list[bytes]:
        done = [wire.request(method, _task(begun[0])) for method in ("tasks/result", "tasks/get")]
        return [timeless(reply.line) for reply in (*begun, *done)]

    with Wire(parts.everything) as direct, Wire(gateway(parts.everything)) as through:
        for wire in (direct, through):
            converse(wire, opening())
        begun = [(start(wire, "tea"), start(wire, LONG_TOPIC)) for wire in (direct, through)]
        (here, here_large), (there, there_large) = begun
        assert finish(through, there) == finish(direct, here)
        whole = direct.request("tasks/result", _task(here_large[0]))
        reply = through.request("tasks/result", _task(there_large[0]))
        notice = notice_of(reply)
        assert notice["tool"] == "simulate-research-query"
        assert len(reply.line) <= 8_192
        assert windows(through, notice["cache_id"]) == whole.texts[0]


def _task(started: Reply) -> dict[str, Any]:
    return {"taskId": started.result["task"]["taskId"]}
