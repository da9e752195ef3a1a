"""What fits goes through an HTTP gateway byte for byte, in both directions and in both eras."""

from __future__ import annotations

import gzip
import json
import zlib
from typing import TYPE_CHECKING, Any

import pytest

from penstock.gateway.sse import MAX_FIELDS, event
from tests.kit.gateway import MODERN
from tests.kit.over_http.upstreams import Asked, Wire, call, gateway, modern_call, request, result, run, sse

if TYPE_CHECKING:
    from tests.kit.over_http.upstreams import Heard

SMALL = result("small")
GIVEN = {
    "Mcp-Method": "tools/call",
    "Mcp-Name": "search",
    "Mcp-Param-Region": "eu west",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Session-Id": "abc-123",
    "Accept": "application/json, text/event-stream",
    "Authorization": "Bearer for-the-upstream",
    "Cookie": "a=1",
    "X-Own": "grüße",
}


async def small(asked: Asked, wire: Wire) -> None:
    await wire.whole(SMALL)


def test_a_request_arrives_with_its_headers_and_its_very_bytes() -> None:
    async def scenario() -> None:
        async with gateway(small) as place:
            body = b'{"jsonrpc": "2.0" ,"id":1,\n "method":"tools/call","params":{"name":"search", "x":1e3}}'
            heard = await place.post(body, **GIVEN)
            assert (heard.status, heard.body) == (200, SMALL)
            asked = place.asked[0]
            assert (asked.method, asked.target, asked.body) == ("POST", "/mcp", body)
            for name, value in GIVEN.items():
                assert asked.header(name) == value.encode()
            assert asked.header("user-agent") is None
            assert asked.header("host") == place.upstream.split("/")[2].encode()

    run(scenario())


def test_a_header_that_a_client_does_not_send_is_not_made_up() -> None:
    async def scenario() -> None:
        async with gateway(small) as place:
            await place.post(call("search"))
            names = {name.lower() for name, _ in place.asked[0].headers}
            assert names == {b"host", b"content-type", b"content-length", b"accept-encoding"}

    run(scenario())


@pytest.mark.parametrize("value", [b"\xc3\xa9", b"\xe9"], ids=["utf-8", "latin-1"])
def test_a_header_in_utf_8_arrives_in_its_very_bytes_and_in_another_encoding_it_is_refused(value: bytes) -> None:
    async def scenario() -> None:
        async with gateway(small) as place:
            reader, writer = await place.connected()
            body = json.dumps(call("search")).encode()
            writer.write(
                b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\n"
                b"x-old: %b\r\ncontent-length: %d\r\n\r\n" % (value, len(body))
            )
            writer.write(body)
            told = await reader.read()
            assert told.startswith(b"HTTP/1.1 200")
            if value == b"\xe9":
                assert not place.asked
                assert b"was not sent the request: a header of it is not in UTF-8" in told
            else:
                assert place.asked[0].header("x-old") == value
            writer.close()
            await writer.wait_closed()

    run(scenario())


@pytest.mark.parametrize("status", ["200 OK", "400 Bad Request", "404 Not Found", "500 Internal Server Error"])
def test_an_answer_comes_with_its_status_its_headers_and_its_very_bytes(status: str) -> None:
    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.whole(
            SMALL,
            status,
            mcp_session_id="s-1",
            x_odd="Ü",
            set_cookie="a=1; Path=/",
            server="own",
            date="Mon, 16 Nov 2026 00:00:00 GMT",
            content_type="application/json; charset=utf-8",
        )

    async def scenario() -> None:
        async with gateway(answers) as place:
            heard = await place.post(call("search"))
            assert (f"{heard.status}", heard.body) == (status.split(" ", maxsplit=1)[0], SMALL)
            assert heard.header("mcp-session-id") == b"s-1"
            assert heard.header("x-odd") == "Ü".encode("latin-1")
            assert heard.header("set-cookie") == b"a=1; Path=/"
            assert heard.header("server") == b"own"
            assert heard.header("date") == b"Mon, 16 Nov 2026 00:00:00 GMT"
            assert heard.header("content-type") == b"application/json; charset=utf-8"
            assert heard.header("content-length") == b"%d" % len(SMALL)

    run(scenario())


def test_a_notification_is_accepted_in_the_words_of_the_upstream() -> None:
    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.whole(b"", "202 Accepted", x_seen="yes")

    async def scenario() -> None:
        async with gateway(answers) as place:
            heard = await place.post({"jsonrpc": "2.0", "method": "notifications/initialized"})
            assert (heard.status, heard.body, heard.header("x-seen")) == (202, b"", b"yes")

    run(scenario())


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_a_stream_comes_with_all_that_is_in_it(end: bytes) -> None:
    sent = [
        end.join([b"retry: 3000", b"id: 0", b"data:", b"", b""]),
        b": ping" + end + end,
        sse(
            b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}', "a/1", end
        ),
        end.join([b"event: other", b"data: no message", b"", b""]),
        end.join([b"id:7", b'data:{"jsonrpc":"2.0","id":1,', b'data: "result":{}}', b"", b""]),
        b": after the answer" + end + end,
    ]

    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.stream(*sent, cache_control="no-cache", x_accel_buffering="no")

    async def scenario() -> None:
        async with gateway(answers) as place:
            heard = await place.post(call("search"))
            assert heard.body == b"".join(sent)
            assert heard.header("content-type") == b"text/event-stream"
            assert heard.header("cache-control") == b"no-cache"
            assert heard.header("x-accel-buffering") == b"no"

    run(scenario())


JUNK = b"x" * (MAX_FIELDS + 1)


@pytest.mark.parametrize(
    "junk",
    [
        b":" + JUNK + b"\n\n",
        b"id: " + JUNK + b"\n\n",
        b"data: " + JUNK + b"\n\n",
        b"data: [" + b"1," * MAX_FIELDS + b"1]\n\n",
        b":" + JUNK + b"\n",  # before the message, in its event
    ],
)
def test_long_parts_of_a_stream_that_are_no_message_are_left_out(junk: bytes) -> None:
    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.stream(junk, event(SMALL), b":" + JUNK)

    async def scenario() -> None:
        async with gateway(answers) as place:
            assert (await place.post(call("search"))).body == event(SMALL)

    run(scenario())


def test_a_stream_that_ends_in_the_middle_of_an_event_ends_there_for_the_client_too() -> None:
    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.stream(sse(SMALL), b": half a com")

    async def scenario() -> None:
        async with gateway(answers) as place:
            assert (await place.post(call("search"))).body == sse(SMALL) + b": half a com"

    run(scenario())


@pytest.mark.parametrize(("name", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
def test_what_an_upstream_compresses_unasked_is_relayed_as_plain_bytes(name: str, pack: Any) -> None:
    async def answers(asked: Asked, wire: Wire) -> None:
        assert asked.header("accept-encoding") == b"identity"
        if asked.message["id"] == 1:
            await wire.whole(pack(SMALL), content_encoding=name)
        else:
            await wire.stream(pack(sse(result("small", 2))), content_encoding=name)

    async def scenario() -> None:
        async with gateway(answers) as place:
            whole, stream = await place.post(call("a", 1), Accept_Encoding="gzip"), await place.post(call("a", 2))
            assert (whole.body, whole.header("content-encoding")) == (SMALL, None)
            assert (stream.body, stream.header("content-encoding")) == (sse(result("small", 2)), None)

    run(scenario())


def test_a_refusal_is_relayed_with_its_challenge() -> None:
    challenge = 'Bearer resource_metadata="https://auth.example/.well-known/oauth-protected-resource"'

    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.whole(b"who are you?", "401 Unauthorized", www_authenticate=challenge, content_type="text/plain")

    async def scenario() -> None:
        async with gateway(answers) as place:
            heard = await place.post(call("search"))
            assert (heard.status, heard.body) == (401, b"who are you?")
            assert heard.header("www-authenticate") == challenge.encode()
            batch = await place.post([call("search"), call("fetch_cached_response", 2, action="list")])
            assert (batch.status, batch.body) == (401, b"who are you?")

    run(scenario())


def test_an_error_that_names_no_request_is_relayed_as_it_came() -> None:
    odd = b'{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}'

    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.whole(odd, "404 Not Found")

    async def scenario() -> None:
        async with gateway(answers) as place:
            heard = await place.post(call("search"), Mcp_Session_Id="gone")
            assert (heard.status, heard.body) == (404, odd)

    run(scenario())


@pytest.mark.parametrize("is_token_used", [True, False])
def test_a_token_for_this_gateway_is_not_shown_to_the_upstream(is_token_used: bool) -> None:
    async def scenario() -> None:
        async with gateway(small, token="secret" if is_token_used else "") as place:
            heard = await place.post(call("search"), Authorization="Bearer secret")
            assert heard.body == SMALL
            assert place.asked[0].header("authorization") == (None if is_token_used else b"Bearer secret")

    run(scenario())


@pytest.mark.parametrize(
    ("shown", "token", "told"),
    [
        ({}, "", b"Basic bcOkbWU6cEBzcw=="),
        ({"Authorization": "Bearer mine"}, "", b"Bearer mine"),
        ({"Authorization": "Bearer secret"}, "secret", b"Basic bcOkbWU6cEBzcw=="),
    ],
)
def test_a_login_in_the_url_is_shown_unless_a_client_shows_its_own(
    shown: dict[str, str], token: str, told: bytes
) -> None:
    """Regression: both together were an error of the HTTP client, and no answer."""

    async def answers(asked: Asked, wire: Wire) -> None:
        if asked.target == "/mcp":
            await wire.whole(b"", "307 Temporary Redirect", Location="/mcp/")
        else:
            await small(asked, wire)

    async def scenario() -> None:
        async with gateway(answers, token=token, login="m%C3%A4me:p%40ss@") as place:
            heard = await place.post(call("search"), **shown)
            assert heard.body == SMALL
            assert [one.header("authorization") for one in place.asked] == [told, told]

    run(scenario())


def test_in_the_modern_era_a_call_and_its_answer_are_as_they_were() -> None:
    async def scenario() -> None:
        async with gateway(small) as place:
            sent = json.dumps(modern_call("search", query="x")).encode()
            heard = await place.post(sent, Mcp_Method="tools/call", Mcp_Name="search")
            assert (place.asked[0].body, heard.body) == (sent, SMALL)

    run(scenario())


def tools(asked: Asked, *names: str) -> bytes:
    listed = [{"name": name, "inputSchema": {"type": "object"}} for name in names]
    return json.dumps({"jsonrpc": "2.0", "id": asked.message["id"], "result": {"tools": listed}}).encode()


@pytest.mark.parametrize("as_stream", [True, False])
@pytest.mark.parametrize("params", [{}, {"_meta": MODERN}])
def test_the_gateways_own_tool_is_listed_last(as_stream: bool, params: Any) -> None:
    async def answers(asked: Asked, wire: Wire) -> None:
        told = tools(asked, "search", "read")
        await (wire.stream(sse(told)) if as_stream else wire.whole(told))

    async def scenario() -> None:
        async with gateway(answers) as place:
            heard = await place.post(request("tools/list", **params))
            told = json.loads(heard.body.split(b"data: ")[1]) if as_stream else heard.message
            assert [one["name"] for one in told["result"]["tools"]] == ["search", "read", "fetch_cached_response"]

    run(scenario())


def test_a_server_without_tools_has_one_and_says_so_with_status_200() -> None:
    async def answers(asked: Asked, wire: Wire) -> None:
        key = asked.message["id"]
        error = {"jsonrpc": "2.0", "id": key, "error": {"code": -32601, "message": "no such method"}}
        await wire.whole(json.dumps(error).encode(), "404 Not Found")

    async def scenario() -> None:
        async with gateway(answers) as place:
            heard = await place.post(request("tools/list", _meta=MODERN))
            assert heard.status == 200
            assert [one["name"] for one in heard.message["result"]["tools"]] == ["fetch_cached_response"]
            other = await place.post(request("prompts/list", _meta=MODERN))
            assert other.status == 404

    run(scenario())


def test_a_session_that_the_upstream_names_keeps_what_was_learned_and_one_that_it_ends_does_not() -> None:
    statuses = iter(["405 Method Not Allowed", "204 No Content"])

    async def answers(asked: Asked, wire: Wire) -> None:
        if asked.method == "DELETE":
            await wire.whole(b"", next(statuses))
            return
        told = {"capabilities": {"tools": {}}, "serverInfo": {"name": "files", "version": "1"}}
        await wire.whole(
            json.dumps({"jsonrpc": "2.0", "id": 1, "result": told}).encode(), mcp_session_id="named-by-upstream"
        )

    async def scenario() -> None:
        async with gateway(answers) as place:
            await place.post(request("initialize", clientInfo={"name": "Goose", "version": "1"}))
            assert place.proxy.sessions.of("named-by-upstream").client == "Goose"
            assert place.proxy.sessions.server == "files"
            for status, known in ((405, 1), (204, 0)):
                heard = await place.ask("DELETE", Mcp_Session_Id="named-by-upstream")
                assert (heard.status, len(place.proxy.sessions)) == (status, known)
            assert place.asked[-1].header("mcp-session-id") == b"named-by-upstream"

    run(scenario())


def test_what_clients_look_for_at_well_known_paths_is_the_upstreams() -> None:
    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.whole(asked.target.encode() * 10_000, x_seen="yes")

    async def scenario() -> None:
        async with gateway(answers) as place:
            heard = await place.ask("GET", place.at("/.well-known/oauth-protected-resource/mcp?a=%20b"))
            target = b"/.well-known/oauth-protected-resource/mcp?a=%20b"
            assert (heard.status, heard.body, heard.header("x-seen")) == (200, target * 10_000, b"yes")

    run(scenario())


@pytest.mark.parametrize("status", ["307 Temporary Redirect", "308 Permanent Redirect"])
def test_an_upstream_may_send_us_to_another_path_of_its_own(status: str) -> None:
    async def answers(asked: Asked, wire: Wire) -> None:
        if asked.target == "/mcp":
            await wire.whole(b"", status, location="/mcp/")
        else:
            await wire.whole(SMALL)

    async def scenario() -> None:
        async with gateway(answers) as place:
            heard = await place.post(call("search"), Authorization="Bearer x")
            assert (heard.status, heard.body) == (200, SMALL)
            assert [one.target for one in place.asked] == ["/mcp", "/mcp/"]
            assert place.asked[1].message == call("search")

    run(scenario())


@pytest.mark.parametrize("location", ["http://127.0.0.1:9/mcp", "https://other.example/mcp", "/mcp"])
def test_an_upstream_may_not_send_us_elsewhere_or_in_circles(location: str) -> None:
    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.whole(b"", "307 Temporary Redirect", location=location)

    async def scenario() -> None:
        async with gateway(answers) as place:
            heard: Heard = await place.post(call("search"), Authorization="Bearer x")
            assert heard.status == 502
            assert b"--url" in heard.body

    run(scenario())


def test_a_header_may_be_long() -> None:
    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.whole(SMALL, x_long="x" * 30_000)

    async def scenario() -> None:
        async with gateway(answers) as place:
            heard = await place.ask("DELETE", X_Long="y" * 30_000)
            assert (heard.status, heard.header("x-long")) == (200, b"x" * 30_000)
            assert place.asked[0].header("x-long") == b"y" * 30_000

    run(scenario())
