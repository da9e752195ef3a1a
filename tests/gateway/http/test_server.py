"""The process of the gateway: how it ends, what is finished before, and what is refused meanwhile."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
import threading
from http.client import HTTPConnection
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import uvicorn

from penstock.gateway.http import server as serving
from penstock.gateway.http.intake import Intake
from penstock.gateway.http.server import Streams
from penstock.gateway.log import Log
from tests.kit.over_http.asgi import answering, asked
from tests.kit.over_http.upstreams import Listed
from tests.kit.processes import nothing_is_left_behind
from tests.kit.scale.serving import Serving, post, upstream
from tests.kit.waiting import PATIENCE, until

if TYPE_CHECKING:
    from collections.abc import Iterator

left_nothing = nothing_is_left_behind
ODD = Path(__file__).parents[2] / "kit" / "faulty_server.py"


class Pending:
    """A call that is under way in a thread."""

    def __init__(self, url: str) -> None:
        self.answer: tuple[int, bytes] = (0, b"")
        self.error: Exception | None = None
        self._thread = threading.Thread(target=self._run, args=(url,))
        self._thread.start()

    def _run(self, url: str) -> None:
        try:
            self.answer = post(url, "wait", {})
        except Exception as error:  # noqa: BLE001
            self.error = error

    def end(self) -> tuple[int, bytes]:
        self._thread.join(PATIENCE)
        return self.answer


@pytest.fixture
def behind() -> Iterator[str]:
    with upstream() as url:
        yield url


def waiting(url: str) -> bool:
    """Whether the server works at a call of ``wait``, sooner or later."""
    return until(lambda: b'"text": "1"' in post(url, "waiting", {})[1])


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_signal_drains_what_is_under_way_and_refuses_what_is_new(
    behind: str, number: signal.Signals, code: int
) -> None:
    with Serving("--url", behind, "--store", "memory:") as gateway:
        assert gateway.get("/readyz") == (200, "ready\n")
        pending = Pending(gateway.url)
        assert waiting(behind)
        gateway.signal(number)
        assert until(lambda: gateway.get("/readyz") == (503, "not ready\n"))
        assert gateway.get("/healthz")[0] == 200
        status, words = post(gateway.url, "echo", {"text": "new"})
        assert status == 503
        assert b"shutting down" in words
        post(behind, "go", {})
        status, body = pending.end()
        assert (status, json.loads(body)["result"]["content"][0]["text"]) == (200, "waited")
        assert gateway.wait() == code
        assert len(gateway.stderr.splitlines()) == 1, gateway.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_ends_it_at_once(behind: str, number: signal.Signals) -> None:
    with Serving("--url", behind, "--store", "memory:") as gateway:
        pending = Pending(gateway.url)
        assert waiting(behind)
        gateway.signal(number)
        assert until(lambda: gateway.get("/readyz")[0] == 503)
        gateway.signal(number)
        assert gateway.wait() == 128 + number
        pending.end()
        assert pending.error is not None
    post(behind, "go", {})


def test_a_second_signal_leaves_no_server_behind() -> None:
    command = [sys.executable, "-I", "-S", str(ODD)]
    with Serving("--store", "memory:", "--", *command) as gateway, Connection(gateway) as connection:
        assert initialized(connection)
        gateway.signal(signal.SIGTERM)
        gateway.signal(signal.SIGTERM)
        gateway.wait()


def test_streams_and_idle_connections_do_not_hold_up_the_end() -> None:
    command = [sys.executable, "-I", "-S", str(ODD)]
    with Serving("--store", "memory:", "--", *command) as gateway:
        with Connection(gateway) as idle, Connection(gateway) as listening:
            session = initialized(idle)
            listening.request("GET", "/mcp", headers={"mcp-session-id": session, "accept": "text/event-stream"})
            stream = listening.getresponse()
            assert stream.readline() == b": open\n"
            gateway.signal(signal.SIGTERM)
            assert gateway.wait() == 0
            stream.read()  # to its orderly end: a broken one would raise
        assert len(gateway.stderr.splitlines()) == 1, gateway.stderr


def test_a_port_is_free_again_at_once(behind: str) -> None:
    with Serving("--url", behind, "--store", "memory:") as first:
        assert first.text("echo", text="one") == "one"
        first.signal(signal.SIGTERM)
        first.wait()
        with Serving("--url", behind, "--store", "memory:", port=first.port) as second:
            assert second.text("echo", text="two") == "two"


def test_each_request_is_a_line_in_the_log_without_its_texts(behind: str) -> None:
    with Serving("--url", behind, "--store", "memory:", "--log-level", "info") as gateway:
        gateway.text("echo", text="a secret word")
        assert gateway.says('"tool":"echo"')
        line = json.loads(gateway.stderr.splitlines()[1])
        assert (line["method"], line["status"], line["outcome"]) == ("tools/call", 200, "passed")
        assert "secret" not in gateway.stderr


def test_figures_can_be_read_over_http(behind: str) -> None:
    with Serving("--url", behind, "--store", "memory:") as gateway:
        gateway.text("records", rows=3_000, seed="a")
        status, shown = gateway.get("/metrics")
        assert status == 200
        assert 'penstock_calls_total{outcome="held",tool="records"} 1.0' in shown
        assert "penstock_store_results 1.0" in shown
        assert gateway.get("/metrics", {"host": "evil.example"})[0] == 421


def test_uvloop_runs_it_where_it_is_installed(behind: str, tmp_path: Path) -> None:
    (tmp_path / "uvloop").mkdir()
    (tmp_path / "uvloop" / "__init__.py").write_text("raise ImportError('not for this one')\n")
    without = {"PYTHONPATH": str(tmp_path)}
    is_installed = find_spec("uvloop") is not None
    for env in (None, without):
        with Serving("--url", behind, "--store", "memory:", env=env) as gateway:
            assert gateway.text("echo", text="either way") == "either way"
            maps = Path(f"/proc/{gateway.process.pid}/maps")
            if maps.exists():
                assert ("uvloop" in maps.read_text()) is (env is None and is_installed)


def test_a_stream_is_ended_where_the_application_left_it_open() -> None:
    async def endless(_: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b": open\n\n", "more_body": True})
        while (await receive())["type"] != "http.disconnect":
            pass

    async def ended() -> list[dict[str, Any]]:
        streams = Streams(endless)
        streams.end()
        return await asked(streams, method="GET")

    assert asyncio.run(ended())[-1] == {"type": "http.response.body", "body": b""}


def test_what_has_ended_by_itself_is_not_ended_again() -> None:
    async def ended(method: str) -> list[dict[str, Any]]:
        streams = Streams(answering(b"all"))
        streams.end()
        return await asked(streams, method=method)

    assert len(asyncio.run(ended("GET"))) == 3
    assert len(asyncio.run(ended("POST"))) == 3


class Connection(HTTPConnection):
    """A connection to a gateway that is closed at the end of a ``with``."""

    def __init__(self, gateway: Serving) -> None:
        super().__init__("127.0.0.1", gateway.port, timeout=PATIENCE)

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def initialized(connection: HTTPConnection) -> str:
    """The name of a new session."""
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    connection.request("POST", "/mcp", body, {"content-type": "application/json"})
    answer = connection.getresponse()
    answer.read()
    return answer.headers["mcp-session-id"]


def test_what_takes_too_long_is_broken_off_with_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "DRAIN_SECONDS", -1.0)
    reading, writing = os.pipe()
    intake, streams = Intake(), Streams(answering())
    server = serving.Server(uvicorn.Config(streams), intake, streams, Log(descriptor=writing))
    with intake.admitted():
        assert asyncio.run(server.on_tick(1)) is False
        server.handle_exit(signal.SIGTERM, None)
        assert asyncio.run(server.on_tick(1)) is True
    os.close(writing)
    with os.fdopen(reading) as said:
        assert said.read() == "penstock: warning: 1 requests are broken off, after -1 s\n"


def test_the_same_complaint_of_a_library_is_logged_once_a_second() -> None:
    """Regression: each malformed request, of anybody, was a line."""
    clock = [0.0]
    seldom = serving.Seldom(lambda: clock[0])

    def logged(words: str) -> str | None:
        record = logging.LogRecord("uvicorn.error", logging.WARNING, "", 0, words, (), None)
        return record.getMessage() if seldom.filter(record) else None

    assert [logged("bad\n") for _ in range(4)] == ["bad\n", None, None, None]
    assert logged("worse") == "worse"
    clock[0] = 1.0
    assert [logged("bad\n"), logged("bad\n")] == ["bad (3 more like it since)", None]
    for number in range(serving.COMPLAINTS):
        assert logged(f"bad {number}")
    assert len(seldom._seen) <= serving.COMPLAINTS


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
def test_it_is_logged_when_files_run_out_and_when_they_are_back(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    log = Listed(lines)
    server = serving.Server(uvicorn.Config(answering(b"")), Intake(), Streams(answering(b"")), log)
    fail = iter([True, True, False, False])

    def opened(path: str, flags: int) -> int:
        if next(fail):
            raise OSError(24, "Too many open files")
        return 10_000

    monkeypatch.setattr(os, "open", opened)
    monkeypatch.setattr(os, "close", lambda _: None)
    for tick in range(0, 40, serving.LOOK_TICKS):
        asyncio.run(server.on_tick(tick))
    assert [line.split(" (")[0] for line in lines] == [
        "penstock: error: no more files can be opened",
        "penstock: warning: files can be opened again; 0 connections are open",
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
@pytest.mark.parametrize(
    ("soft", "hard", "expected"), [(1_024, 524_288, 8_192), (256, 4_096, 4_096), (9_000, 9_000, 8_192), (-1, -1, 8_192)]
)
def test_the_limit_of_open_files_is_raised_as_far_as_it_may_be(
    monkeypatch: pytest.MonkeyPatch, soft: int, hard: int, expected: int
) -> None:
    import resource

    raised: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _, to: raised.append(to))
    assert serving.raised_file_limit() == expected
    assert raised == ([(expected, hard)] if 0 <= soft < expected else [])

    def refuse(_: int, to: tuple[int, int]) -> None:
        raise ValueError(to)

    monkeypatch.setattr(resource, "setrlimit", refuse)
    assert serving.raised_file_limit() == (soft if 0 <= soft < expected else expected)
