"""HTTP/1.1 as upstreams speak it, in the very bytes: how a response ends, what stands before it, and who hangs up."""

from __future__ import annotations

import asyncio
import gzip
import ssl
import zlib
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.gateway.upstreams.http_client import (
    MAX_HEADER_BYTES,
    READ_AHEAD,
    ConnectError,
    HttpClient,
    HttpError,
    HttpResponse,
    encoded,
    what_broke,
    whole,
)
from tests.kit.certificates import authority_and_server
from tests.kit.over_http.upstreams import Asked, Wire, head, run
from tests.kit.over_http.upstreams import Place as Upstream
from tests.kit.over_http.upstreams import upstream as serving

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

MANY = 1_000_000  # more bytes than any body here has
OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"transfer-encoding: chunked\r\n\r\n"


async def body_of(answer: HttpResponse) -> bytes | None:
    return await whole(answer, MANY)


def play(answers: Callable[[Asked, Wire], Awaitable[None]], scenario: Callable[[HttpClient], Awaitable[None]]) -> None:
    """Play a scenario with a client of an upstream that answers so."""

    async def played() -> None:
        async with serving(Upstream(answers=answers)) as url:
            client = HttpClient(url)
            try:
                await scenario(client)
            finally:
                await client.close()

    run(played())


def sending(*pieces: bytes, ends: bool = False) -> Callable[[Asked, Wire], Awaitable[None]]:
    async def answers(_: Asked, wire: Wire) -> None:
        for piece in pieces:
            await wire.send(piece)
        if ends:
            wire.end()

    return answers


@pytest.mark.parametrize(
    ("pieces", "ends", "body"),
    [
        ([OK + b"content-length: 4\r\n\r\nbody"], False, b"body"),
        ([OK + b"Content-Length:4\n\nbo", b"dy"], False, b"body"),
        ([OK + b"transfer-encoding: chunked\r\n\r\n1\r\nb\r\n3;x=y\r\nody\r\n0\r\nx-late: 1\r\n\r\n"], False, b"body"),
        ([OK + b"\r\nbo", b"dy"], True, b"body"),
        ([b"HTTP/1.0 200 OK\r\n\r\nbody"], True, b"body"),
        ([b"HTTP/1.1 204 No Content\r\n\r\n"], False, b""),
        ([OK + b"content-length: 0\r\n\r\n"], False, b""),
        ([b"HTTP/1.1 100 Continue\r\n\r\n", OK + b"content-length: 4\r\n\r\nbody"], False, b"body"),
        ([b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n" + OK + b"content-length: 4\r\n\r\nbody"], False, b"body"),
        ([OK + b"content-encoding: gzip\r\n\r\n" + gzip.compress(b"body")], True, b"body"),
        ([OK + b"content-encoding: deflate\r\n\r\n" + zlib.compress(b"body")], True, b"body"),
    ],
    ids=["length", "line feeds", "chunks", "end", "1.0", "none", "empty", "100", "103", "gzip", "deflate"],
)
def test_a_body_ends_where_http_says_that_it_does(pieces: list[bytes], ends: bool, body: bytes) -> None:
    async def scenario(client: HttpClient) -> None:
        async with await client.open("POST", [], b"{}") as answer:
            assert await body_of(answer) == body
            assert await answer.read() == b""
            assert not [name for name, _ in answer.headers if name in (b"link", b"x-late")]

    play(sending(*pieces, ends=ends), scenario)


@pytest.mark.parametrize(
    ("pieces", "ends", "words"),
    [
        ([OK + b"content-length: 5\r\n\r\nbody"], True, "the connection was closed"),
        ([OK + b"transfer-encoding: chunked\r\n\r\n4\r\nbody\r\n"], True, "the connection was closed"),
        ([OK + b"content-encoding: gzip\r\n\r\nbody"], True, "the compressed body is damaged"),
        ([OK + b"content-encoding: sdch\r\n\r\nbody"], True, "in the encoding 'sdch', which was not asked for"),
        ([OK], True, "the connection was closed"),
        ([b""], True, "the connection was closed"),
        ([b"SSH-2.0-server\r\n"], False, "it is no HTTP/1.1"),
        (
            [b"HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"],
            False,
            "switched to another protocol",
        ),
        ([OK + b"content-length: 4\r\ncontent-length: 5\r\n\r\nbody"], False, "it is no HTTP/1.1"),
        ([OK + b"x: " + b"y" * MAX_HEADER_BYTES, b"y"], False, "Got more than 131072 bytes"),
        ([OK + b"content-length: 0\r\n\r\n\0\0"], False, "it is no HTTP/1.1"),
        ([CHUNKED, b"0\r\nx: " + b"y" * MAX_HEADER_BYTES, b"y"], False, "Got more than 131072 bytes"),
        ([CHUNKED, b"0\r\n" + b"x: y\r\n" * 1_000], False, "Too many headers"),
        ([CHUNKED, b"4\r\nbody\r\n", b"no chunk"], False, "Invalid character in chunk size"),
        ([b"HTTP/1.1 100 Continue\r\n\r\n" * 20_000], True, "the connection was closed"),
    ],
)
def test_what_is_no_whole_response_is_an_error_that_says_why(pieces: list[bytes], ends: bool, words: str) -> None:
    async def scenario(client: HttpClient) -> None:
        with pytest.raises(HttpError, match=words) as broken:
            async with await client.open("POST", [], b"{}") as answer:
                await body_of(answer)
        assert what_broke(broken.value).startswith("closed the connection within its response: ")

    play(sending(*pieces, ends=ends), scenario)


BEGINNINGS = st.sampled_from([b"", OK, OK + b"content-length: 9\r\n\r\n", OK + b"transfer-encoding: chunked\r\n\r\n"])
PIECES = st.sampled_from(
    (
        b"HTTP/1.1 |HTTP/1.0 |200 OK|100 Continue|204 |101 x|999 |\r\n|\n|\r|: |content-length|4|-1|0\r\n|f\r\n"
        b"|\0|\xff| |;x|body|transfer-encoding: chunked\r\n|connection: close"
        b"|content-encoding: gzip\r\n|content-length: 9\r\n"
    ).split(b"|")
)


@given(
    BEGINNINGS, st.lists(st.lists(PIECES | st.binary(max_size=4), max_size=8).map(b"".join), max_size=6), st.booleans()
)
@settings(max_examples=100)
def test_whatever_an_upstream_sends_is_a_response_or_an_error(
    beginning: bytes, pieces: list[bytes], is_reset: bool
) -> None:
    async def answers(_: Asked, wire: Wire) -> None:
        for piece in (beginning, *pieces):
            await wire.send(piece)
        if is_reset:
            wire.reset()
        else:
            wire.end()

    async def scenario(client: HttpClient) -> None:
        with suppress(HttpError):
            async with await client.open("POST", [], b"{}") as answer:
                assert 200 <= answer.status <= 999
                while await answer.read():
                    pass

    play(answers, scenario)


@given(body=st.binary(max_size=300), cuts=st.lists(st.integers(0, 600), max_size=6), is_chunked=st.booleans())
@settings(max_examples=50)
def test_a_response_is_the_same_however_its_bytes_are_cut(body: bytes, cuts: list[int], is_chunked: bool) -> None:
    if is_chunked:
        parts = [body[at : at + 7] for at in range(0, len(body), 7)]
        data = head(transfer_encoding="chunked") + b"".join(b"%x\r\n%b\r\n" % (len(one), one) for one in parts)
        data += b"0\r\n\r\n"
    else:
        data = head(content_length=str(len(body))) + body
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})

    async def scenario(client: HttpClient) -> None:
        async with await client.open("POST", [], b"{}") as answer:
            assert (answer.status, await body_of(answer)) == (200, body)

    play(sending(*(data[start:end] for start, end in pairwise(places))), scenario)


def test_one_connection_serves_one_request_after_another_and_a_second_one_those_at_the_same_time() -> None:
    wires: set[Wire] = set()

    async def answers(_: Asked, wire: Wire) -> None:
        wires.add(wire)
        await wire.whole(b"here")

    async def scenario(client: HttpClient) -> None:
        for _ in range(3):
            async with await client.open("POST", [], b"{}") as answer:
                assert await body_of(answer) == b"here"
        assert len(wires) == 1
        await asyncio.gather(client.open("GET", []), client.open("GET", []))
        assert len(wires) == 2

    play(answers, scenario)


@pytest.mark.parametrize("method", ["GET", "DELETE", "POST"])
def test_a_request_on_a_connection_that_the_upstream_closes_is_sent_again_unless_it_is_a_post(method: str) -> None:
    wires: list[Wire] = []

    async def answers(asked: Asked, wire: Wire) -> None:
        if asked.method == method and wires == [wire]:
            wire.end()  # as one does that closes an unused connection just when it is used
        else:
            wires.append(wire)
            await wire.whole(b"here")

    async def scenario(client: HttpClient) -> None:
        async with await client.open("PUT", [], b"") as answer:
            await body_of(answer)
        if method == "POST":
            with pytest.raises(HttpError):
                await client.open(method, [], b"{}")
        async with await client.open(method, [], b"{}" if method == "POST" else None) as answer:
            assert await body_of(answer) == b"here"
        assert len(wires) == 2

    play(answers, scenario)


@pytest.mark.parametrize(
    "first",
    [
        OK + b"connection: close\r\ncontent-length: 0\r\n\r\n",
        OK + b"content-length: 0\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged",
    ],
    ids=["closing", "a second response"],
)
def test_a_connection_on_which_more_comes_than_was_asked_for_is_not_used_again(first: bytes) -> None:
    wires: list[Wire] = []

    async def answers(_: Asked, wire: Wire) -> None:
        wires.append(wire)
        await (wire.send(first) if len(wires) == 1 else wire.whole(b"mine"))

    async def scenario(client: HttpClient) -> None:
        async with await client.open("POST", [], b"{}") as answer:
            assert await body_of(answer) == b""
        async with await client.open("POST", [], b"{}") as answer:
            assert await body_of(answer) == b"mine"
        assert len(set(wires)) == 2

    play(answers, scenario)


def test_a_connection_that_the_upstream_closed_after_its_response_gets_no_request() -> None:
    async def answers(_: Asked, wire: Wire) -> None:
        await wire.whole(b"here")
        wire.end()

    async def scenario(client: HttpClient) -> None:
        for _ in range(3):
            async with await client.open("POST", [], b"{}") as answer:
                assert await body_of(answer) == b"here"
            for _ in range(100):
                await asyncio.sleep(0)  # until the client has seen it

    play(answers, scenario)


def test_what_an_upstream_sends_unasked_closes_the_connection() -> None:
    may_speak, has_left = asyncio.Event(), asyncio.Event()

    async def answers(asked: Asked, wire: Wire) -> None:
        if asked.method == "POST":
            await wire.whole(b"")
            await may_speak.wait()
            await wire.send(OK + b"content-length: 6\r\n\r\nforged")
            await wire.until_left()
            has_left.set()
        else:
            await wire.whole(b"mine")

    async def scenario(client: HttpClient) -> None:
        async with await client.open("POST", [], b"{}") as answer:
            await body_of(answer)
        may_speak.set()
        await has_left.wait()
        async with await client.open("GET", []) as answer:
            assert await body_of(answer) == b"mine"

    play(answers, scenario)


def test_an_upstream_that_answers_before_it_has_read_the_request_gets_no_other_on_that_connection() -> None:
    much = b"x" * 50_000_000  # more than the buffers of all sockets take
    ports: set[object] = set()

    async def scenario() -> None:
        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            ports.add(writer.get_extra_info("peername"))
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n")
            writers.append(writer)

        writers: list[asyncio.StreamWriter] = []
        server = await asyncio.start_server(connected, "127.0.0.1", 0)
        client = HttpClient(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp")
        for body in (much, b"{}"):
            async with await client.open("POST", [], body) as answer:
                assert answer.status == 413
                assert await body_of(answer) == b""
        assert len(ports) == 2
        await client.close()
        server.close()
        for writer in writers:
            writer.close()

    run(scenario())


def test_an_upstream_waits_for_a_reader_that_takes_its_time() -> None:
    sizes: list[int] = []
    size = 64 * READ_AHEAD

    async def answers(_: Asked, wire: Wire) -> None:
        await wire.send(head(content_length=str(size)))
        for _part in range(64):
            await wire.send(b"x" * READ_AHEAD)
            sizes.append(READ_AHEAD)

    async def scenario(client: HttpClient) -> None:
        async with await client.open("POST", [], b"{}") as answer:
            for _ in range(1_000):
                await asyncio.sleep(0)  # time enough for all of it, if somebody read on
            assert sum(sizes) < size
            read = 0
            while chunk := await answer.read():
                assert len(chunk) <= 8 * READ_AHEAD
                read += len(chunk)
            assert read == size

    play(answers, scenario)


def test_a_small_body_that_unpacks_to_a_large_one_comes_in_small_pieces() -> None:
    packed = gzip.compress(bytes(20_000_000))

    async def scenario(client: HttpClient) -> None:
        async with await client.open("POST", [], b"{}") as answer:
            read = 0
            while chunk := await answer.read():
                assert len(chunk) <= 8 * READ_AHEAD
                read += len(chunk)
            assert read == 20_000_000

    play(sending(head(content_encoding="gzip", content_length=str(len(packed))) + packed), scenario)


def test_a_client_that_is_closed_answers_what_waits_with_an_error_and_asks_nothing_again() -> None:
    asked: list[str] = []

    async def answers(one: Asked, wire: Wire) -> None:
        asked.append(one.method)
        if one.method == "POST":
            await wire.whole(b"")

    async def scenario(client: HttpClient) -> None:
        async with await client.open("POST", [], b"{}") as answer:
            await body_of(answer)
        waiting = asyncio.create_task(client.open("GET", []))
        while asked != ["POST", "GET"]:
            await asyncio.sleep(0)
        await client.close()
        with pytest.raises(HttpError):
            await waiting
        assert asked == ["POST", "GET"]

    play(answers, scenario)


@pytest.mark.parametrize(
    "header", [(b"x", b"1\r\ny: 2"), (b"x", b"1\ny: 2"), (b"x\r\ny", b"1"), (b"x", b"\0"), (b"x", b"\xe9")]
)
def test_no_header_brings_another_with_it(header: tuple[bytes, bytes]) -> None:
    async def scenario() -> None:
        with pytest.raises(HttpError, match="a header of it"):
            await HttpClient("http://127.0.0.1:1/mcp").open("GET", [header])

    run(scenario())


@pytest.mark.parametrize(
    ("url", "host", "target"),
    [
        ("http://Example.com/mcp", "example.com", "/mcp"),
        ("http://example.com:80", "example.com", "/"),
        ("https://example.com:80/a b?c=d e&f=%20", "example.com:80", "/a%20b?c=d%20e&f=%20"),
        ("http://[::1]:8000/mcp#part", "[::1]:8000", "/mcp"),
        ("http://bücher.example/ä", "xn--bcher-kva.example", "/%C3%A4"),
    ],
)
def test_a_request_names_the_server_and_the_target_of_its_url(url: str, host: str, target: str) -> None:
    found = encoded(url)
    assert (found.host_port_subcomponent, found.raw_path_qs) == (host, target)


@pytest.mark.parametrize("is_trusted", [True, False])
def test_a_server_over_tls_is_asked_only_if_its_certificate_is_trusted(
    is_trusted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority, file = authority_and_server(tmp_path, "127.0.0.1")
    if is_trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(file)

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        await Wire(reader, writer).whole(b"secret")
        writer.close()

    async def scenario() -> None:
        server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=context)
        client = HttpClient(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp")
        if is_trusted:
            async with await client.open("GET", []) as answer:
                assert await body_of(answer) == b"secret"
        else:
            with pytest.raises(ConnectError, match="certificate verify failed"):
                await client.open("GET", [])
        await client.close()
        server.close()

    run(scenario())


def test_a_name_that_means_no_server_is_said_to_be_so() -> None:
    async def scenario() -> None:
        client = HttpClient("http://no-such-name.invalid/mcp")
        with pytest.raises(ConnectError) as unknown:
            await client.open("GET", [])
        await client.close()
        assert "Unknown error" not in what_broke(unknown.value)

    run(scenario())
