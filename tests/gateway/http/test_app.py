"""What is asked where, who may ask, and how much at once: through a real socket."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from unittest.mock import AsyncMock

import pytest

from penstock.gate.owners import Caller, principal_of_token
from penstock.gateway.http.app import App
from penstock.gateway.http.intake import Intake, RequestLimits
from tests.kit.over_http.upstreams import AS_JSON, Asked, Heard, Wire, call, gateway, result, run

SMALL = result("small")
POST = b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
HEAD = [(b"host", b"localhost"), (b"content-type", b"application/json")]


async def small(asked: Asked, wire: Wire) -> None:
    await wire.whole(SMALL)


def test_each_path_and_each_method_has_its_answer() -> None:
    async def scenario() -> None:
        async with gateway(small) as place:
            for method, path, status in (
                ("GET", "/healthz", 200),
                ("GET", "/readyz", 200),
                ("GET", "/metrics", 200),
                ("GET", "/", 200),
                ("POST", "/", 404),
                ("GET", "/other", 404),
                ("POST", "/.well-known/oauth-protected-resource", 404),
                ("PUT", "/mcp", 405),
                ("OPTIONS", "/mcp", 405),
            ):
                heard = await place.ask(method, place.at(path))
                assert (method, path, heard.status) == (method, path, status)
            assert (await place.ask("PUT")).header("allow") == b"GET, POST, DELETE"

    run(scenario())


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": "http://localhost:3000"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "evil.example"}, 421),
    ],
)
def test_pages_and_names_of_other_places_get_nothing(headers: dict[str, str], status: int) -> None:
    async def scenario() -> None:
        async with gateway(small) as place:
            answers = [
                await place.post(call("search"), **headers),
                await place.ask("GET", place.at("/.well-known/oauth-protected-resource"), **headers),
                await place.ask("GET", place.at("/metrics"), **headers),
            ]
            assert [one.status for one in answers] == [status] * 3
            assert len(place.asked) == (2 if status == 200 else 0)

    run(scenario())


def test_without_the_token_nothing_but_the_health_is_told() -> None:
    async def scenario() -> None:
        async with gateway(small, token="secret") as place:
            for headers in ({}, {"Authorization": "Bearer wrong"}):
                heard = await place.post(call("search"), **headers)
                assert (heard.status, heard.header("www-authenticate")) == (401, b'Bearer realm="penstock"')
            assert (await place.ask("GET", place.at("/healthz"))).status == 200
            assert not place.asked
            assert (await place.post(call("search"), Authorization="Bearer secret")).body == SMALL

    run(scenario())


@pytest.mark.parametrize("is_chunked", [True, False])
def test_a_body_above_the_limit_is_refused(is_chunked: bool) -> None:
    async def parts() -> Any:
        for _ in range(20):
            yield b" " * 100

    async def scenario() -> None:
        async with gateway(small, limits=RequestLimits(body=1_000)) as place:
            data = parts() if is_chunked else b" " * 2_000
            async with place.client.post(place.url, data=data, headers=AS_JSON) as answer:
                assert answer.status == 413
            assert (await place.post(call("search"))).status == 200
            async with place.client.get(place.url, data=b"x") as answer:
                assert answer.status == 413

    run(scenario())


def test_a_compressed_request_is_refused() -> None:
    async def scenario() -> None:
        async with gateway(small) as place:
            assert (await place.post(call("search"), Content_Encoding="gzip")).status == 415
            assert (await place.post(call("search"), Content_Encoding="identity")).status == 200

    run(scenario())


def test_who_is_one_too_many_is_told_when_to_come_again() -> None:
    arrived, let_go = asyncio.Semaphore(0), asyncio.Event()

    async def answers(asked: Asked, wire: Wire) -> None:
        arrived.release()
        await let_go.wait()
        await (wire.whole(SMALL) if asked.method == "POST" else wire.stream(b": bye\n\n"))

    async def scenario() -> None:
        async with gateway(answers, limits=RequestLimits(requests=1, streams=1)) as place:
            first = asyncio.create_task(place.post(call("search")))
            stream = asyncio.create_task(place.ask("GET"))
            await arrived.acquire()
            await arrived.acquire()
            for refused, status in ((await place.post(call("search")), 429), (await place.ask("GET"), 503)):
                assert (refused.status, refused.header("retry-after")) == (status, b"1")
            assert (await place.ask("DELETE")).status == 429
            let_go.set()
            assert ((await first).body, (await stream).body) == (SMALL, b": bye\n\n")
            assert (await place.post(call("search"))).body == SMALL

    run(scenario())


def test_bodies_that_are_too_much_together_are_told_to_come_again() -> None:
    arrived, let_go = asyncio.Event(), asyncio.Event()

    async def answers(asked: Asked, wire: Wire) -> None:
        arrived.set()
        await let_go.wait()
        await wire.whole(SMALL)

    async def scenario() -> None:
        async with gateway(answers, limits=RequestLimits(bytes=150)) as place:
            first = asyncio.create_task(place.post(call("search", pad="x" * 100)))
            await arrived.wait()
            refused = await place.post(call("search"))
            assert (refused.status, refused.header("retry-after")) == (503, b"1")
            let_go.set()
            assert (await first).body == SMALL

    run(scenario())


def test_room_for_a_body_is_taken_while_it_comes() -> None:
    async def scenario() -> None:
        async with gateway(small, limits=RequestLimits(bytes=150)) as place:
            _, writer = await place.connected()
            writer.write(POST + b"content-length: 200\r\n\r\n" + b" " * 140)
            while place.intake.bytes < 140:
                await asyncio.sleep(0)
            assert (await place.post(call("search"))).status == 503
            writer.close()
            await writer.wait_closed()
            while place.intake.bytes:
                await asyncio.sleep(0)
            assert (await place.post(call("search"))).status == 200

    run(scenario())


def test_nobody_new_is_let_in_once_the_end_has_begun() -> None:
    async def scenario() -> None:
        async with gateway(small) as place:
            place.intake.draining = True
            heard = await place.post(call("search"))
            assert (heard.status, heard.header("retry-after")) == (503, b"1")
            assert (await place.ask("GET", place.at("/readyz"))).status == 503
            assert (await place.ask("GET", place.at("/healthz"))).status == 200

    run(scenario())


def test_a_client_that_leaves_before_its_body_is_there_costs_nothing() -> None:
    async def scenario() -> None:
        async with gateway(small) as place:
            _, writer = await place.connected()
            writer.write(POST + b"content-length: 100\r\n\r\n{")
            while not place.intake.bytes:
                await asyncio.sleep(0)
            writer.close()
            await writer.wait_closed()
            while place.intake.bytes:
                await asyncio.sleep(0)
            assert not place.asked

    run(scenario())


class Behind:
    """An upstream that does as a test says, beneath an application without a server."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.is_closed = False

    async def post(self, request: Any, reply: Any, body: bytes, caller: Caller) -> None:
        if self.error is not None:
            await reply.begin(200, [])
            raise self.error
        await reply.whole(200, [], caller.principal.encode())

    async def listen(self, request: Any, reply: Any, caller: Caller) -> None: ...

    async def delete(self, request: Any, reply: Any) -> None: ...

    async def well_known(self, request: Any, reply: Any) -> None: ...

    async def is_ready(self) -> bool:
        return True

    async def close(self) -> None:
        self.is_closed = True


async def played(app: App, scope: dict[str, Any], *received: dict[str, Any]) -> list[dict[str, Any]]:
    """What an application sends for these messages; after them there is silence."""
    sent: list[dict[str, Any]] = []
    messages = iter(received)

    async def receive() -> dict[str, Any]:
        for one in messages:
            return one
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return sent


def words(name: str, error: Exception) -> str:
    return f"{name}: {error}"


def asked(**headers: str) -> dict[str, Any]:
    given = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {"type": "http", "method": "POST", "path": "/mcp", "headers": [*HEAD, *given]}


def test_the_end_of_the_server_is_the_end_of_the_upstream() -> None:
    async def scenario() -> None:
        behind, ended = Behind(), asyncio.Event()
        app = App(behind, Intake(), ended=ended.set, failed=words)
        sent = await played(app, {"type": "lifespan"}, {"type": "lifespan.startup"}, {"type": "lifespan.shutdown"})
        assert [one["type"] for one in sent] == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
        assert behind.is_closed
        assert ended.is_set()
        assert await played(app, {"type": "websocket"}) == []

    run(scenario())


def test_a_refusal_that_comes_after_the_answer_has_begun_adds_nothing_to_it() -> None:
    from penstock.web.asgi import RefusedError

    async def scenario() -> None:
        app = App(Behind(RefusedError(502, "late")), Intake(), failed=words)
        sent = await played(app, asked(), {"type": "http.request", "body": b"{}"})
        assert [one["type"] for one in sent] == ["http.response.start"]

    run(scenario())


def test_a_mistake_of_ours_is_said_and_closes_an_answer_that_has_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression: it was a bare "Internal Server Error"."""

    async def scenario() -> None:
        behind = Behind()
        monkeypatch.setattr(behind, "post", AsyncMock(side_effect=ValueError("odd")))
        start, body = await played(
            App(behind, Intake(), failed=words), asked(), {"type": "http.request", "body": b"{}"}
        )
        assert (start["status"], body["body"]) == (500, b"penstock: POST /mcp: odd\n")
        begun = App(Behind(ValueError("odd")), Intake(), failed=words)
        with pytest.raises(ValueError, match="odd"):
            await played(begun, asked(), {"type": "http.request", "body": b"{}"})

    run(scenario())


@pytest.mark.parametrize(
    ("headers", "principal"),
    [
        ({"authorization": "Bearer a", "mcp_session_id": "s"}, principal_of_token(b"a")),
        ({"authorization": "Basic YTpi"}, principal_of_token(b"Basic YTpi")),
        ({"mcp_session_id": "s"}, ""),
        ({}, ""),
    ],
)
def test_the_principal_is_known_by_the_credential_and_by_nothing_else(headers: dict[str, str], principal: str) -> None:
    async def scenario() -> None:
        sent = await played(
            App(Behind(), Intake(), failed=words), asked(**headers), {"type": "http.request", "body": b"{}"}
        )
        assert sent[1]["body"].decode() == principal

    run(scenario())


def test_words_about_a_refusal_are_plain_text_that_says_who_speaks() -> None:
    async def scenario() -> None:
        async with gateway(small) as place:
            heard: Heard = await place.ask("GET", place.at("/nothing"))
            assert heard.header("content-type") == b"text/plain; charset=utf-8"
            assert heard.body.startswith(b"penstock: ")
            assert json.dumps("/mcp").strip('"').encode() in heard.body

    run(scenario())


@pytest.mark.parametrize(
    "target",
    [
        "/.well-known/../admin/users",
        "/.well-known/%2e%2e/admin/users?all=1",
        "/.well-known/..%2fadmin",
        "/.well-known/oauth-protected-resource/../../admin",
        "/.well-known/oauth-protected-resource/%2e%2e/%2e%2e/admin",
        "/.well-known/oauth-protected-resource/..%5cadmin",
        "/.well-known/oauth-protected-resource//evil.example/",
        "/.well-known/oauth-protected-resource/.",
        "/.well-known/security.txt",
        "/.well-known/",
        "/.well-known/openid-configuration%0d%0ax:y",
    ],
)
def test_only_metadata_is_reached_below_well_known(target: str) -> None:
    """Regression: ".." named any path of the upstream, and the gateway showed its login there."""

    async def scenario() -> None:
        async with gateway(small, login="svc:hunter2@") as place:
            reader, writer = await place.connected()
            writer.write(f"GET {target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n".encode())
            assert (await reader.read()).startswith(b"HTTP/1.1 404")
            writer.close()
            await writer.wait_closed()
            assert not place.asked

    run(scenario())


@pytest.mark.parametrize(
    "path",
    [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-authorization-server/tenant-1/mcp.v2",
        "/.well-known/openid-configuration",
    ],
)
def test_metadata_takes_a_place_and_is_relayed(path: str) -> None:
    async def scenario() -> None:
        async with gateway(small, limits=RequestLimits(requests=1)) as place:
            assert (await place.ask("GET", place.at(path))).body == SMALL
            assert place.asked[0].target == path
            with place.intake.admitted():
                assert (await place.ask("GET", place.at(path))).status == 429

    run(scenario())


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
def test_what_a_page_can_send_without_asking_is_refused(kind: str) -> None:
    async def scenario() -> None:
        async with gateway(small) as place:
            assert (await place.post(call("search"), Content_Type=kind)).status == 415
            assert not place.asked
            assert (await place.post(call("search"), Content_Type="Application/JSON; charset=utf-8")).status == 200

    run(scenario())


def test_a_message_of_no_kind_is_refused() -> None:
    async def scenario() -> None:
        async with gateway(small) as place:
            reader, writer = await place.connected()
            writer.write(b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}")
            assert (await reader.read()).startswith(b"HTTP/1.1 415")
            writer.close()
            await writer.wait_closed()

    run(scenario())


def test_one_probe_of_the_upstream_serves_all_who_ask_within_two_seconds() -> None:
    """Regression: each /readyz, of anybody, was a request to the upstream."""
    clock = [100.0]
    probes = []
    answers = iter([True, False])

    class Probed(Behind):
        async def is_ready(self) -> bool:
            probes.append(clock[0])
            await asyncio.sleep(0)
            return next(answers)

    async def scenario() -> None:
        app = App(Probed(), Intake(), failed=words, now=lambda: clock[0])

        async def status() -> int:
            scope = {"type": "http", "method": "GET", "path": "/readyz", "headers": HEAD}
            return int((await played(app, scope))[0]["status"])

        assert await asyncio.gather(*(status() for _ in range(20))) == [200] * 20
        clock[0] += 1.9
        assert await status() == 200
        clock[0] += 0.1
        assert (await status(), await status(), probes) == (503, 503, [100.0, 102.0])

    run(scenario())


def test_another_host_is_not_told_whether_the_gateway_is_ready() -> None:
    async def scenario() -> None:
        async with gateway(small) as place:
            assert (await place.ask("GET", place.at("/readyz"), Host="evil.example")).status == 421
            assert not place.asked

    run(scenario())


def test_one_address_with_many_sessions_leaves_places_for_another() -> None:
    let_go = asyncio.Event()

    class Waiting(Behind):
        async def post(self, request: Any, reply: Any, body: bytes, caller: Caller) -> None:
            await let_go.wait()
            await super().post(request, reply, body, caller)

    async def scenario() -> None:
        intake = Intake(RequestLimits(requests=16))
        app = App(Waiting(), intake, failed=words)

        def begin(address: str, session: str) -> asyncio.Task[list[dict[str, Any]]]:
            scope = {**asked(mcp_session_id=session), "client": (address, 1)}
            return asyncio.create_task(played(app, scope, {"type": "http.request", "body": b"{}"}))

        greedy = [begin("198.51.100.1", f"session {number}") for number in range(40)]
        while sum(task.done() for task in greedy) < 26:
            await asyncio.sleep(0)
        assert intake.requests == 14
        other = begin("198.51.100.2", "session 1")
        while intake.requests < 15:
            await asyncio.sleep(0)
        let_go.set()
        assert (await other)[0]["status"] == 200
        ended = await asyncio.gather(*greedy)
        assert sorted(sent[0]["status"] for sent in ended) == [200] * 14 + [429] * 26

    asyncio.run(scenario())
