"""How processes end: by themselves, for want of use, or with something large on its way."""

from __future__ import annotations

import asyncio
import json
import signal
from typing import TYPE_CHECKING

import pytest

from penstock.gateway.carry import Carried
from penstock.gateway.http import outbox
from penstock.gateway.http import process_pool as processes_module
from penstock.gateway.http import process_session as hosted_module
from penstock.gateway.http.process_pool import PoolLimits
from penstock.gateway.log import LEVELS
from penstock.gateway.upstreams import async_process as piped
from penstock.protocol.commands import OpenRequest, ToClient
from tests.kit.answers import head_of
from tests.kit.gateway import FETCH, ODD, code, python
from tests.kit.over_http.hosting import Clock, call, holds, hosting, running
from tests.kit.processes import end, is_gone

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.gateway.http.process_session import ProcessSession
    from tests.kit.over_http.hosting import Client, Gateway

LARGE = 20_000_000  # bytes


def _of(gateway: Gateway, client: Client) -> ProcessSession:
    return gateway.processes._sessions[client.session]


def _arrived(gateway: Gateway, client: Client) -> int:
    line = _of(gateway, client)._server._lines._line
    return 0 if line is None else line.size


@running
async def test_all_who_wait_for_a_server_that_dies_are_told_how_and_then_its_session_is_gone() -> None:
    async with hosting(python(ODD)) as gateway:
        client, other = await gateway.session(), await gateway.session()
        waiting = [asyncio.create_task(client.call("keep", key=key)) for key in range(1, 6)]
        assert await holds(lambda: len(_of(gateway, client).exchange._state.open) == 5)
        last = await client.call("crash", key=6, signal=int(signal.SIGSEGV))
        for told in (last, *[await one for one in waiting]):
            assert "the server 'odd' was killed by SIGSEGV" in told.words
        assert (await client.call("about")).status == 404
        async with client.listening() as stream:
            assert stream.status == 404
        assert (await other.call("about")).status == 200
        assert (await client.call("about")).status == 404
        client.session = ""
        await client.open()
        assert (await client.call("about")).status == 200


@running
async def test_an_answer_that_comes_with_the_servers_last_breath_is_given() -> None:
    async with hosting(python(ODD)) as gateway:
        client = await gateway.session()
        assert (await client.call("no_newline")).last["result"] == {"content": []}
        client = gateway.client()
        await client.open()
        assert "exited with code 4" in (await client.call("half")).words


@running
async def test_a_large_answer_is_given_though_its_server_ends_right_after_it() -> None:
    async with hosting() as gateway:
        client = await gateway.session()
        told = await client.call("do", steps=[{"letters": 5_000_000}, {"exit": 0}])
        assert head_of(told.text)["type"] == "buffered_response"


@pytest.mark.parametrize("side", ["output", "input"])
def test_a_server_that_closes_one_side_is_stopped(side: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(piped, "GRACE", 0.2)

    @running
    async def run() -> None:
        async with hosting(python(ODD, "stubborn")) as gateway:
            client = await gateway.session()
            server = await client.pid()
            answer = await client.call("close_stdout" if side == "output" else "close_stdin")
            if side == "output":
                assert "closed its output, and was stopped" in answer.words
            assert await holds(lambda: is_gone(server))
            assert "'odd'" in _of(gateway, client).exchange.who
            assert await holds(_of(gateway, client).ended.is_set)
            assert f"closed its {side}, and was stopped" in _of(gateway, client).exchange.end_reason

    run()


def test_a_server_that_has_ended_is_noticed_though_another_process_holds_its_output(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(piped, "GRACE", 0.2)
    monkeypatch.setattr(hosted_module, "TICK", 0.05)

    @running
    async def run() -> None:
        async with hosting(python(ODD)) as gateway:
            client = await gateway.session()
            child = int((await client.call("start", holds_output=True, leaves=True)).text)
            try:
                assert "exited with code 9" in (await client.call("leave", code=9)).words
            finally:
                end(child)

    run()


@running
async def test_a_server_that_takes_nothing_in_is_given_no_more_and_can_be_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(piped, "GRACE", 0.2)
    silent = code(
        "import sys, time\nsys.stdin.readline()\n"
        'print(\'{"jsonrpc":"2.0","id":0,"result":{"capabilities":{}}}\', flush=True)\ntime.sleep(600)'
    )
    async with hosting(silent) as gateway:
        client = await gateway.session()
        body = b'{"jsonrpc":"2.0","method":"notifications/large","params":{"text":"' + b"x" * 3_000_000 + b'"}}'
        assert (await client.post(body)).status == 202
        refused = await client.call("any")
        assert (refused.status, refused.headers["retry-after"]) == (503, "1")
        assert await client.delete() == 200


@running
async def test_a_request_that_comes_while_its_server_ends_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(piped, "GRACE", 0.5)
    async with hosting(python(ODD, "stubborn")) as gateway:
        client = await gateway.session()
        hosted = _of(gateway, client)
        first = asyncio.create_task(client.call("close_stdout", key=1))
        assert await holds(lambda: hosted._ending is not None)
        late = await client.call("echo", key=2, text="late")
        assert late.status == 404 or "closed its output, and was stopped" in late.words
        assert "closed its output, and was stopped" in (await first).words


@running
async def test_a_second_answer_is_noted_and_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    async with hosting(python(ODD)) as gateway:
        client = await gateway.session()
        noted: list[str] = []
        monkeypatch.setattr(_of(gateway, client)._carrier.log, "note", lambda _, text: noted.append(text))
        assert (await client.call("twice", key=1)).text == "first"
        assert (await client.call("echo", key=2, text="next")).text == "next"
        assert noted == ["the server answered request 1 that is not open; the answer was dropped"]


def test_a_request_without_an_answer_is_given_up_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosted_module, "TICK", 0.01)

    @running
    async def run() -> None:
        clock = Clock()
        async with hosting(now=clock, call_timeout="60s") as gateway:
            client = await gateway.session()
            waiting = asyncio.create_task(client.call("do", key="w", steps=[]))
            assert await holds(lambda: b'"w"' in _of(gateway, client).exchange._state.open)
            clock.time += 61
            assert "has not answered do for 60 seconds" in (await waiting).words
            cancelled = [one for one in await client.heard() if one.get("method") == "notifications/cancelled"]
            assert cancelled[0]["params"]["requestId"] == "w"

    run()


@running
async def test_a_session_ends_when_nobody_has_talked_to_it_for_long() -> None:
    clock = Clock()
    async with hosting(limits=PoolLimits(idle_seconds=10), now=clock) as gateway:
        idle, listens, waits, talks = [await gateway.session() for _ in range(4)]
        server = await idle.pid()
        waiting = asyncio.create_task(waits.call("do", key="w", steps=[]))
        assert await holds(lambda: b'"w"' in _of(gateway, waits).exchange._state.open)
        async with listens.listening():
            clock.time += 11
            await talks.call("about")
            await gateway.processes.sweep()
            assert is_gone(server)
            assert set(gateway.processes._sessions) == {listens.session, waits.session, talks.session}
        assert (await idle.call("about")).status == 404
        waiting.cancel()


@running
async def test_sessions_whose_process_has_ended_are_forgotten() -> None:
    async with hosting() as gateway:
        client = await gateway.session()
        await client.call("do", steps=[{"exit": 1}])
        await gateway.processes.sweep()
        assert (gateway.processes._sessions, gateway.processes._processes) == ({}, set())


@running
async def test_half_of_a_large_line_holds_up_nobody_else(tmp_path: Path) -> None:
    go = tmp_path / "go"
    async with hosting() as gateway:
        slow, other = await gateway.session(), await gateway.session()
        head = '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"'
        half = {"words": LARGE // 10}
        steps = [{"raw": head}, half, {"until": str(go)}, half, {"raw": '"}]}}\n'}]
        waiting = asyncio.create_task(slow.call("do", steps=steps))
        assert await holds(lambda: _arrived(gateway, slow) >= LARGE // 2)
        for number in range(20):
            assert (await other.call("do", key=number, steps=[{"text": "quick"}])).text == "quick"
        assert not waiting.done()
        go.touch()
        notice = head_of((await waiting).text)
        part = await slow.call(FETCH, action="get", cache_id=notice["cache_id"], start_index=LARGE - 5)
        assert b"word " in part.body


@running
async def test_large_results_of_all_shapes_are_held_or_passed_whole() -> None:
    async with hosting() as gateway:
        client = await gateway.session()
        rows = json.dumps([{"at": at, "text": "é" * 20} for at in range(40_000)])
        shapes = {
            "text first": {"content": [{"type": "text", "text": rows}]},
            "text and more": {"content": [{"type": "text", "text": "short"}, {"type": "text", "text": rows}]},
            "structured": {"structuredContent": {"rows": json.loads(rows)}, "content": []},
        }
        for name, result in shapes.items():
            told = await client.call("do", key=name, steps=[{"say": {"id": name, "result": result}}])
            assert head_of(told.text)["type"] == "buffered_response", name
    async with hosting(tools={"do": {"never_hold": True}}) as gateway:
        client = await gateway.session()
        told = await client.call("do", steps=[{"letters": 2_000_000}])
        assert told.text == "word " * 400_000


@running
async def test_a_line_above_the_limit_becomes_an_error() -> None:
    async with hosting(max_result_bytes=2_000_000) as gateway:
        client = await gateway.session()
        assert "more than max_result_bytes allows" in (await client.call("do", steps=[{"letters": 4_000_000}])).words


@running
async def test_an_answer_that_cannot_be_made_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    async with hosting(max_tokens=500) as gateway:
        client = await gateway.session()

        def broken(*_: object) -> bytes:
            raise OSError("no space left")

        monkeypatch.setattr(_of(gateway, client)._carrier._carrier, "_opened", broken)
        assert "could not make the answer (OSError)" in (await client.call("do", steps=[{"letters": 50_000}])).words
        assert "could not make the answer (OSError)" in (await client.call(FETCH, action="list")).words


@running
async def test_request_is_answered_if_no_thread_can_be_started_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_memory(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    async with hosting(max_tokens=500) as gateway:
        client = await gateway.session()
        carrier = _of(gateway, client)._carrier
        for threads in (carrier._threads, carrier._queries):
            monkeypatch.setattr(threads._threads, "submit", no_memory)
        large = await client.call("do", steps=[{"letters": 50_000}])
        for answer in (large, *[await client.call(FETCH, action=action) for action in ("list", "search")]):
            assert "could not make the answer (RuntimeError)" in answer.words
        assert (await client.call("do", steps=[{"text": "small"}])).text == "small"


@running
async def test_session_ends_and_its_requests_are_answered_if_a_message_cannot_be_handled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with hosting(max_tokens=500) as gateway:
        client = await gateway.session()
        lines: list[str] = []
        carrier = _of(gateway, client)._carrier
        monkeypatch.setattr(carrier.log, "write", lines.append)

        async def broken(*_: object) -> Carried:
            raise MemoryError

        monkeypatch.setattr(carrier, "admit", broken)
        answer = await client.call("do", steps=[{"letters": 50_000}])
        assert "the server 'puppet' was stopped" in answer.words
        assert any("a message was lost, and its session ends: MemoryError" in line for line in lines)
        assert (await client.call("about")).status == 404


@running
async def test_an_answer_that_is_never_made_does_not_keep_a_session_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosted_module, "LAST_WORK", 0.05)
    async with hosting(max_tokens=500) as gateway:
        client = await gateway.session()
        begun, never = asyncio.Event(), asyncio.Event()

        async def slow(*_: object) -> Carried:
            begun.set()
            await never.wait()
            return Carried(())

        monkeypatch.setattr(_of(gateway, client)._carrier, "admit", slow)
        waiting = asyncio.create_task(client.call("do", steps=[{"letters": 50_000}]))
        await begun.wait()
        assert await client.delete() == 200
        assert "was stopped" in (await waiting).words
        never.set()


def _response(key: bytes) -> ToClient:
    request = OpenRequest(key=key, method="ping", name="ping", params=b"", modern=False, since=0)
    return ToClient(b"response", request)


def test_a_client_that_does_not_read_loses_news_but_no_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "MOST", 3)

    async def run() -> None:
        waiter = outbox.PendingReply({b"1", b"2"})
        news, one, two = ToClient(b"news", method="n"), _response(b"1"), _response(b"2")
        assert [waiter.tell(news) for _ in range(5)] == [True, True, True, False, False]
        waiter.answer(one)
        waiter.answer(two)
        assert [await waiter.queue.get() for _ in range(6)] == [news, news, news, one, two, None]
        full = outbox.Outbox()
        assert not full.offer(ToClient(b"x" * (outbox.MOST_BYTES + 1)))

    asyncio.run(run())


def test_news_beyond_what_is_kept_for_a_slow_listener_are_dropped(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(outbox, "MOST_BYTES", 100)

    @running
    async def run() -> None:
        async with hosting() as gateway:
            client = await gateway.session()
            monkeypatch.setattr(_of(gateway, client)._carrier.log, "_least", LEVELS["warning"])
            async with client.listening():
                news = {"say": {"method": "notifications/message", "params": {"data": "x" * 200}}}
                assert (await client.call("do", steps=[news, {"text": "answered"}])).text == "answered"

    run()
    assert "a client does not read its stream: notifications/message was dropped" in capfd.readouterr().err


@running
async def test_noise_of_a_server_goes_to_the_log_under_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    async with hosting(python(ODD)) as gateway:
        client = await gateway.session()
        said: list[str] = []
        monkeypatch.setattr(_of(gateway, client)._carrier.log, "write", said.append)
        assert (await client.call("noise", text="no message")).text == "after the noise"
        assert [line for line in said if "odd" in line and "no message" in line] == said != []


@running
async def test_log_does_not_quote_a_result_whose_server_dies_in_the_middle_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with hosting(python(ODD)) as gateway:
        client = await gateway.session()
        said: list[str] = []
        monkeypatch.setattr(_of(gateway, client)._carrier.log, "write", said.append)
        assert "exited with code 4" in (await client.call("half", text="PATIENT RECORD")).words
        assert any("odd" in line for line in said)
        assert "PATIENT RECORD" not in str(said)


@running
async def test_what_a_client_did_not_hear_before_it_hung_up_is_kept() -> None:
    async with hosting() as gateway:
        client = await gateway.session()
        hosted = _of(gateway, client)
        said = hosted.listen()
        said.offer(ToClient(b"unheard", method="n"))
        hosted.stop_listening()
        hosted.stop_listening()
        unheard = await hosted.listen().get()
        assert unheard is not None
        assert unheard.line == b"unheard"
        hosted.stop_listening()


@running
async def test_a_client_that_goes_while_its_server_is_started_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async with hosting() as gateway:
        loop = asyncio.get_running_loop()
        begun = asyncio.Event()

        async def stuck(*_: object) -> None:
            begun.set()
            await asyncio.Event().wait()

        with monkeypatch.context() as patched:
            patched.setattr(loop, "connect_write_pipe", stuck)
            opening = asyncio.create_task(gateway.client().open())
            await begun.wait()
            [hosted] = gateway.processes._processes
            opening.cancel()
            assert await holds(lambda: not gateway.processes._processes)
        assert is_gone(hosted._server._child.pid)
        await gateway.session()


@running
async def test_the_sweep_comes_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes_module, "SWEEP_SECONDS", 0.01)
    clock = Clock()
    async with hosting(limits=PoolLimits(idle_seconds=10), now=clock) as gateway:
        await gateway.session()
        clock.time += 11
        assert await holds(lambda: not gateway.processes._sessions)


@running
async def test_a_request_that_was_never_asked_for_cannot_be_cancelled() -> None:
    async with hosting() as gateway:
        client = await gateway.session()
        hosted = _of(gateway, client)
        both = asyncio.create_task(client.post([call("do", key=1, steps=[]), call("do", key=2, steps=[])]))
        assert await holds(lambda: len(hosted.exchange._state.open) == 2)
        for key in (99, 1, 2):
            assert not both.done()
            cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": key}}
            assert (await client.post(cancel)).status == 202
        assert (await both).messages == []


@running
async def test_where_all_processes_are_taken_the_session_that_was_abandoned_longest_ends() -> None:
    """Regression: clients that went away without a DELETE kept everybody out for half an hour."""
    clock = Clock()
    async with hosting(limits=PoolLimits(processes=3), now=clock) as gateway:
        first, listening, third = [await gateway.session() for _ in range(3)]
        async with listening.listening():
            clock.time += 29
            assert (await gateway.client().open()).status == 503  # nobody has been away for long yet
            clock.time += 1
            assert (await third.call("about")).status == 200
            fourth = await gateway.session()
            assert [(await one.call("about")).status for one in (first, third, fourth)] == [404, 200, 200]
            assert (await listening.call("about")).status == 200


@running
async def test_the_principal_with_most_sessions_loses_one_first() -> None:
    clock = Clock()
    async with hosting(limits=PoolLimits(processes=3), now=clock) as gateway:
        mine = await gateway.session(authorization="Bearer mine")
        clock.time += 100
        others = [await gateway.session(authorization="Bearer other") for _ in range(2)]
        clock.time += 100
        await gateway.session(authorization="Bearer other")
        assert [(await one.call("about")).status for one in (mine, *others)] == [200, 404, 200]
