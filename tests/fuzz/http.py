"""Requests in bytes against the HTTP gateway, on a real socket, in front of an upstream that answers by bytes as well.

Whatever a connection sends, it gets whole HTTP responses or its end, none of them a 500, and no more of them than it
sent requests; and the next client is served as ever.
"""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from tests.fuzz import made
from tests.kit.over_http.upstreams import Asked, Place, Wire, call, gateway, result

if TYPE_CHECKING:
    from random import Random

    from tests.fuzz.target import Case

QUIET_SECONDS: Final = 0.3  # in which a connection that will never be complete is listened to
WHOLE_SECONDS: Final = 20.0  # in which complete requests are answered, which only a hang reaches
SMALL: Final = result("small")
STATUS: Final = re.compile(rb"HTTP/1\.1 (\d{3})[^\r\n]*\r\n")
METHODS: Final = ("POST", "POST", "POST", "POST", "GET", "DELETE", "OPTIONS", "PUT", "HEAD", "post")
TARGETS: Final = (
    *("/mcp", "/mcp", "/mcp", "/mcp/", "/", "/mcp?a=1", "/healthz", "/readyz", "/metrics", "/%2e%2e/admin", "*"),
    *("/.well-known/../admin", "/.well-known/oauth-protected-resource", "http://localhost/mcp", "//x/mcp", "/\x7f"),
)
HEADERS: Final = (
    *("accept: application/json, text/event-stream", "accept: text/event-stream", "accept: */*", "origin: null"),
    *("content-type: text/plain", "mcp-session-id: guessed", "mcp-protocol-version: 2026-07-28", "x: " + "y" * 9_000),
    *("mcp-protocol-version: 1", "mcp-method: tools/call", "host: evil.example", "origin: http://evil.example"),
    *("connection: keep-alive, x", "expect: 100-continue", "upgrade: websocket", "last-event-id: \xe9", "te: trailers"),
    *("authorization: Bearer x", "cookie: a=b", "content-encoding: gzip", "x-forwarded-for: 1.2.3.4, \x01"),
)


class HttpTarget:
    def make(self, random: Random) -> Case:
        answers = [made.written_result(made.result(random, 3_000)) for _ in range(2)]
        return {"connections": [_connection(random) for _ in range(random.randrange(1, 4))], "answers": answers}

    def check(self, case: Case) -> str:
        return asyncio.run(_checked(case))

    def close(self) -> None:
        """Nothing outlives a case."""


def _connection(random: Random) -> dict[str, Any]:
    """Draw what one connection sends; ``whole`` if every request in it is complete and well-formed."""
    whole = random.random() < 0.5
    count = random.randrange(1, 4)
    sent = b"".join(_request(random, is_last=number == count - 1, whole=whole) for number in range(count))
    return {"sent": sent, "count": count, "whole": whole}


def _request(random: Random, *, is_last: bool, whole: bool) -> bytes:
    method = "POST" if whole else random.choice(METHODS)
    target = "/mcp" if whole else random.choice(TARGETS)
    message: Any = call(random.choice(("search", "fetch_cached_response")), random.choice((1, "a", 2**60)))
    body = json.dumps(message).encode()
    lines = [f"{method} {target} HTTP/1.1", "host: localhost", "content-type: application/json"]
    lines += ["connection: close"] if is_last else []
    if not whole:
        lines += random.sample(HEADERS, random.randrange(4))
        body = random.choice((body, body, b"", b"[]", b"{", b"null", b"\xff" * 9, body[:-5], b"[" * 3_000))
    if random.random() < 0.3:
        cut = random.randrange(1, 20)
        chunks = b"".join(b"%x\r\n%b\r\n" % (len(one), one) for one in (body[:cut], body[cut:]) if one)
        trailer = b"x: y\r\n" if random.random() < 0.3 else b""
        sent = (
            "\r\n".join([*lines, "transfer-encoding: chunked", "\r\n"]).encode("latin-1")
            + chunks
            + b"0\r\n"
            + trailer
            + b"\r\n"
        )
    else:
        length = len(body) if whole else random.choice((len(body), len(body), len(body) + 9, 0, 10**12))
        sent = "\r\n".join([*lines, f"content-length: {length}", "\r\n"]).encode("latin-1") + body
    if not whole and random.random() < 0.4:
        at = random.randrange(len(sent))
        sent = (
            sent[:at] + random.choice((b"", b"\r\n", b"\x00", b"\xff", b": ", b" ")) + sent[at + random.randrange(9) :]
        )
    return sent


async def _checked(case: Case) -> str:
    answers = case["answers"]

    async def answering(asked: Asked, wire: Wire) -> None:
        key = _key(asked.body)
        body = b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (json.dumps(key).encode(), answers[len(asked.body) % 2])
        await wire.whole(SMALL if key == 1 else body)

    async with gateway(answering, max_tokens=500, preview_tokens=400, page_tokens=400) as place:
        await asyncio.gather(*(_connected(place, one) for one in case["connections"]))
        assert (await place.post(call("search"))).body == SMALL, "the next client is not served"
        wrong = [line for line in place.log if "Traceback" in line or ": error: " in line]
        assert not wrong, wrong[0]
    return "whole" if all(one["whole"] for one in case["connections"]) else "odd"


def _key(body: bytes) -> Any:
    with suppress(ValueError, RecursionError, AttributeError):
        return json.loads(body).get("id")
    return None


async def _connected(place: Place, connection: dict[str, Any]) -> None:
    reader, writer = await place.connected()
    heard = bytearray()
    try:
        async with asyncio.timeout(WHOLE_SECONDS if connection["whole"] else QUIET_SECONDS):
            writer.write(connection["sent"])
            while data := await reader.read(65_536):
                heard += data
    except (TimeoutError, ConnectionError):
        if connection["whole"]:
            raise
    finally:
        writer.close()
    statuses = [int(one) for one in STATUS.findall(heard)]
    assert 500 not in statuses, bytes(heard)
    assert not heard or STATUS.match(heard), bytes(heard[:80])
    if connection["whole"]:
        assert statuses == [200] * connection["count"], statuses
