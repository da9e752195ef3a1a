"""Sessions of the legacy era: each has a process of its own, and hears all that it says."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from typing import TYPE_CHECKING, Any

from penstock.gateway.http.process_pool import PoolLimits
from tests.kit.answers import head_of
from tests.kit.gateway import FETCH, ODD, python
from tests.kit.over_http.hosting import PUPPET, Message, call, holds, hosting, initialize, progress, running
from tests.kit.processes import is_gone

if TYPE_CHECKING:
    from pathlib import Path

QUESTION = {"say": {"id": "q1", "method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 1}}}
NEWS = {"say": {"method": "notifications/tools/list_changed"}}


@running
async def test_each_session_has_a_process_of_its_own() -> None:
    async with hosting() as gateway:
        one, other = await gateway.session(), await gateway.session()
        assert one.session != other.session
        assert await one.pid() == await one.pid() != await other.pid()


@running
async def test_an_answer_alone_is_json_and_one_with_progress_a_stream() -> None:
    async with hosting() as gateway:
        client = await gateway.session()
        plain = await client.call("do", steps=[{"text": "done"}])
        assert (plain.headers["content-type"], plain.text) == ("application/json", "done")
        told = await client.call("do", token=7, steps=[progress(done=1), progress(done=2), {"text": "done"}])
        assert told.headers["content-type"] == "text/event-stream"
        assert [one.get("params", {}).get("progress") for one in told.messages] == [1, 2, None]
        assert told.text == "done"


@running
async def test_progress_goes_to_the_request_that_waits_though_the_client_listens() -> None:
    async with hosting() as gateway:
        client = await gateway.session()
        async with client.listening() as stream:
            told = await client.call("do", token="t", steps=[progress(), NEWS, {"text": "done"}])
            assert [one.get("method") for one in told.messages] == ["notifications/progress", None]
            news = await stream.next()
            assert news is not None
            assert news["method"] == "notifications/tools/list_changed"


@running
async def test_what_is_said_while_nobody_listens_is_heard_by_whoever_listens_next(tmp_path: Path) -> None:
    async with hosting() as gateway:
        client = await gateway.session()
        await client.call("do", steps=[{"text": "first"}, NEWS, {"raw": "\n"}])
        hosted = gateway.processes._sessions[client.session]
        assert await holds(lambda: bool(hosted._unheard))
        async with client.listening() as stream:
            assert (await stream.next() or {})["method"] == "notifications/tools/list_changed"


@running
async def test_what_nobody_listened_to_comes_with_the_next_answer() -> None:
    async with hosting() as gateway:
        client = await gateway.session()
        await client.call("do", steps=[{"text": "first"}, NEWS])
        hosted = gateway.processes._sessions[client.session]
        assert await holds(lambda: bool(hosted._unheard))
        told = await client.call("do", steps=[{"text": "second"}])
        assert [one.get("method") for one in told.messages] == ["notifications/tools/list_changed", None]


@running
async def test_a_question_of_the_server_reaches_the_listener_and_its_answer_the_server() -> None:
    async with hosting() as gateway:
        client = await gateway.session()
        async with client.listening() as stream:
            await client.call("do", steps=[QUESTION, {"text": "asked"}])
            question = await stream.next()
            assert question is not None
            assert question["id"] == "q1"
            answer: Message = {"jsonrpc": "2.0", "id": "q1", "result": {"role": "assistant", "model": "m"}}
            assert (await client.post(answer)).status == 202
            assert answer in await client.heard()


@running
async def test_questions_come_on_the_stream_of_the_call_where_nobody_listens() -> None:
    async with hosting() as gateway:
        client = await gateway.session()
        for method in ("sampling/createMessage", "elicitation/create", "roots/list"):
            steps = [{"say": {"id": 1, "method": method, "params": {}}}, {"text": "done"}]
            told = await client.call("do", steps=steps)
            assert [one.get("method") for one in told.messages] == [method, None]


@running
async def test_a_second_stream_of_a_session_is_refused_until_the_first_is_closed() -> None:
    async with hosting() as gateway:
        client = await gateway.session()
        async with client.listening() as first, client.listening() as second:
            assert (first.status, second.status) == (200, 409)

        async def can_listen() -> bool:
            async with client.listening() as stream:
                return stream.status == 200

        assert await holds(can_listen)


@running
async def test_a_silent_stream_is_kept_open_by_comments() -> None:
    async with hosting(limits=PoolLimits(ping_seconds=0.01)) as gateway:
        client = await gateway.session()
        async with client.listening() as stream:
            lines = [await stream.line() for _ in range(4)]
            assert [line for line in lines if line.strip()] == [b": open\n", b": ping\n"]


@running
async def test_a_call_that_takes_its_time_gets_a_stream_and_comments(tmp_path: Path) -> None:
    go = tmp_path / "go"
    async with hosting(limits=PoolLimits(ping_seconds=0.01)) as gateway:
        client = await gateway.session()
        headers = client._headers()
        steps = [{"until": str(go)}, {"text": "at last"}]
        async with gateway.http.post(gateway.url, json=call("do", steps=steps), headers=headers) as answer:
            assert answer.headers["content-type"] == "text/event-stream"
            assert await answer.content.readline() == b": ping\n"
            go.touch()
            assert b"at last" in await answer.read()


@running
async def test_delete_ends_the_process_with_all_its_children() -> None:
    async with hosting(python(ODD)) as gateway:
        client = await gateway.session()
        child = int((await client.call("start", holds_output=True, leaves=False)).text)
        server = await client.pid()
        assert await client.delete() == 200
        assert is_gone(server)
        assert await holds(lambda: is_gone(child))
        assert (await client.call("about")).status == 404
        assert await client.delete() == 404


@running
async def test_requests_that_are_open_when_their_session_is_deleted_are_told_so() -> None:
    async with hosting() as gateway:
        client = await gateway.session()
        waiting = asyncio.create_task(client.call("do", key="open", steps=[]))
        hosted = gateway.processes._sessions[client.session]
        assert await holds(lambda: b'"open"' in hosted.exchange._state.open)
        async with client.listening() as stream:
            assert await client.delete() == 200
            assert await stream.next() is None
        assert "was stopped" in (await waiting).words


@running
async def test_a_client_that_hangs_up_cancels_its_call() -> None:
    async with hosting() as gateway:
        client = await gateway.session()
        hosted = gateway.processes._sessions[client.session]
        calling = asyncio.create_task(client.call("do", key=41, steps=[]))
        assert await holds(lambda: b"41" in hosted.exchange._state.open)
        calling.cancel()

        async def is_cancelled() -> bool:
            told = [one for one in await client.heard() if one.get("method") == "notifications/cancelled"]
            return bool(told) and told[0]["params"]["requestId"] == 41

        assert await holds(is_cancelled)
        assert (await client.call("do", key=41, steps=[{"text": "the id is free"}])).text == "the id is free"


@running
async def test_a_cancelled_call_is_cancelled_upstream_and_its_stream_ends_without_an_answer() -> None:
    async with hosting() as gateway:
        client = await gateway.session()
        hosted = gateway.processes._sessions[client.session]
        calling = asyncio.create_task(client.call("do", key="c", steps=[]))
        assert await holds(lambda: b'"c"' in hosted.exchange._state.open)
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "c"}}
        assert (await client.post(cancel)).status == 202
        assert (await calling).messages == []
        assert cancel in await client.heard()


@running
async def test_an_id_that_is_in_use_is_refused_and_its_owner_still_answered(tmp_path: Path) -> None:
    go = tmp_path / "go"
    async with hosting() as gateway:
        client = await gateway.session()
        hosted = gateway.processes._sessions[client.session]
        first = asyncio.create_task(client.call("do", key=5, steps=[{"until": str(go)}, {"text": "first"}]))
        assert await holds(lambda: b"5" in hosted.exchange._state.open)
        assert "already in use" in (await client.call("do", key=5, steps=[{"text": "second"}])).words
        go.touch()
        assert (await first).text == "first"


@running
async def test_a_batch_gets_all_its_answers() -> None:
    async with hosting() as gateway:
        client = await gateway.session()
        told = await client.post([call("do", key=key, steps=[{"text": str(key)}]) for key in (1, 2)])
        assert {one["id"] for one in told.messages} == {1, 2}
        both = {"raw": json.dumps([{"jsonrpc": "2.0", "id": key, "result": {}} for key in (3, 4)]) + "\n"}
        told = await client.post([call("do", key=3, steps=[]), call("do", key=4, steps=[both])])
        assert {one["id"] for one in told.messages} == {3, 4}


@running
async def test_what_is_no_message_is_refused() -> None:
    async with hosting() as gateway:
        client = await gateway.session()
        for body in (b"", b"no JSON", b'{"half":', b"[]"):
            assert (await client.post(body)).status == 400, body
        deep = b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":' + b"[" * 3_000 + b"]" * 3_000 + b"}"
        assert "nested too deeply" in (await client.post(deep)).words
        assert (await client.post(json.dumps(call("do", steps=[{"text": "ok"}]), indent=1).encode())).text == "ok"


@running
async def test_without_a_session_only_initialize_is_answered() -> None:
    async with hosting() as gateway:
        client = gateway.client()
        assert (await client.call("about")).status == 400
        async with client.listening() as stream:
            assert stream.status == 405
        client.session = "made up"
        assert (await client.post(initialize())).status == 404
        async with gateway.http.get(gateway.url.replace("/mcp", "/.well-known/oauth-protected-resource")) as answer:
            assert answer.status == 404
        assert gateway.processes._processes == set()


@running
async def test_a_server_that_refuses_to_initialize_gives_no_session_and_is_ended() -> None:
    async with hosting() as gateway:
        client = gateway.client()
        assert (await client.open("refused")).words == "not this version"
        assert client.session == ""
        assert await holds(lambda: all(one.ended.is_set() for one in gateway.processes._processes))


@running
async def test_a_client_that_goes_before_it_has_a_session_leaves_no_process() -> None:
    silent = ("import sys; sys.stdin.buffer.read()",)
    async with hosting(("python3", "-I", "-S", "-c", *silent)) as gateway:
        opening = asyncio.create_task(gateway.client().open())
        assert await holds(lambda: any(one.exchange._state.open for one in gateway.processes._processes))
        opening.cancel()
        assert await holds(lambda: all(one.ended.is_set() for one in gateway.processes._processes))
        assert gateway.processes._sessions == {}


@running
async def test_without_a_token_a_handle_opens_in_every_session_and_is_listed_in_its_own() -> None:
    """Clients that open a session for every call can read on; the handle is the secret."""
    async with hosting(max_tokens=500) as gateway:
        one, other = await gateway.session(), await gateway.session()
        handle = head_of((await one.call("do", steps=[{"letters": 50_000}])).text)["cache_id"]
        for client, lists in ((one, True), (other, False)):
            assert b"word word" in (await client.call(FETCH, action="get", cache_id=handle)).body
            assert (handle in (await client.call(FETCH, action="list")).text) is lists


@running
async def test_a_session_that_was_deleted_or_guessed_lists_nothing_and_what_it_held_stays_readable() -> None:
    async with hosting(max_tokens=500) as gateway:
        one, other = await gateway.session(), await gateway.session()
        handle = head_of((await one.call("do", steps=[{"letters": 50_000}])).text)["cache_id"]
        assert handle in (await one.call(FETCH, action="list")).text
        assert await one.delete() == 200
        for session in (one.session, "1", one.session[:-1]):
            guess = gateway.client()
            guess.session = session
            assert (await guess.call(FETCH, action="list")).status == 404
        assert handle not in (await other.call(FETCH, action="list")).text
        assert handle not in (await gateway.client().call(FETCH, modern=True, action="list")).text
        assert b"word word" in (await other.call(FETCH, action="get", cache_id=handle)).body


@running
async def test_no_principal_reads_what_another_one_holds() -> None:
    async with hosting(max_tokens=500) as gateway:
        one = await gateway.session(authorization="Bearer one")
        other = await gateway.session(authorization="Bearer other")
        notice = head_of((await one.call("do", steps=[{"letters": 50_000}])).text)
        assert notice["type"] == "buffered_response"
        ask: dict[str, Any] = {"action": "get", "cache_id": notice["cache_id"]}
        assert b"word word" in (await one.call(FETCH, **ask)).body
        foreign = await other.call(FETCH, **ask)
        unknown = await other.call(FETCH, action="get", cache_id="r_" + "0" * 22)
        assert foreign.last["result"]["isError"] is True
        blank = re.compile(r"r_[\w-]+")
        assert blank.sub("", foreign.text) == blank.sub("", unknown.text)


@running
async def test_a_session_opens_only_for_the_token_that_opened_it() -> None:
    async with hosting() as gateway:
        mine = await gateway.session(authorization="Bearer mine")
        foreign = gateway.client(authorization="Bearer foreign")
        foreign.session = mine.session
        assert (await foreign.call("about")).status == 404
        assert await foreign.delete() == 404
        async with foreign.listening() as stream:
            assert stream.status == 404
        assert (await mine.call("about")).status == 200


@running
async def test_what_is_started_is_never_said_by_a_client() -> None:
    async with hosting() as gateway:
        client = gateway.client(**{"x-command": "/bin/false", "mcp-server": "/bin/false"})
        client.url += "?command=/bin/false&args=-x"
        evil = initialize()
        evil["params"] |= {"command": "/bin/false", "args": ["-x"], "env": {"A": "1"}, "mcpServers": {}}
        answer = await client.post({**evil, "command": "/bin/false"})
        client.session = answer.headers["mcp-session-id"]
        assert json.loads((await client.call("about")).text)["arguments"] == []


@running
async def test_beyond_the_limit_no_process_is_started_until_one_has_ended() -> None:
    async with hosting(limits=PoolLimits(processes=2)) as gateway:
        first = await gateway.session()
        await gateway.session()
        refused = await gateway.client().open()
        assert (refused.status, refused.headers["retry-after"]) == (503, "5")
        await first.delete()
        await gateway.session()


@running
async def test_a_command_that_cannot_be_started_is_named() -> None:
    async with hosting(("/no/such/program",)) as gateway:
        refused = await gateway.client().open()
        assert refused.status == 502
        assert b"'/no/such/program' cannot be started" in refused.body
        async with gateway.http.get(gateway.url.replace("/mcp", "/readyz")) as answer:
            assert answer.status == 503


@running
async def test_a_gateway_is_ready_once_its_command_has_answered(tmp_path: Path) -> None:
    """Regression: it was ready before anything was started."""
    started = tmp_path / "started"
    script = "import sys, pathlib; pathlib.Path(sys.argv[1]).write_text('x'); sys.exit(3)"
    for command, expected in (((sys.executable, "-c", script, str(started)), 503), (PUPPET, 200)):
        async with hosting(command) as gateway:
            async with gateway.http.get(gateway.url.replace("/mcp", "/readyz")) as answer:
                assert answer.status == expected
            assert not gateway.processes._sessions
    assert started.exists()


@running
async def test_a_gateway_whose_clients_were_answered_is_ready_without_another_process() -> None:
    async with hosting() as gateway:
        await gateway.session()
        async with gateway.http.get(gateway.url.replace("/mcp", "/readyz")) as answer:
            assert answer.status == 200
        assert len(gateway.processes._processes) == 1


@running
async def test_a_message_is_relayed_unread_rather_than_lost_when_it_cannot_be_judged() -> None:
    async with hosting() as gateway:
        client = await gateway.session()
        hosted = gateway.processes._sessions[client.session]

        def broken(_: bytes) -> None:
            raise RuntimeError("a bug")

        hosted.exchange.upstream_sent = broken  # type: ignore[assignment]
        assert (await client.call("do", key=1, steps=[{"text": "there"}])).text == "there"
        large = await client.call("do", key=2, steps=[{"letters": 2_000_000}])
        assert large.text.startswith('{"type":"buffered_response"')  # the gate holds it all the same
