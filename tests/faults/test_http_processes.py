"""``penstock serve -- COMMAND`` as a process of its own: however it ends, none of its servers stays behind."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from tests.kit.gateway import MODERN, ODD, python
from tests.kit.over_http.hosting import told
from tests.kit.processes import is_gone, nothing_is_left_behind
from tests.kit.waiting import PATIENCE, until

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["nothing_is_left_behind"]

HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


class Serving:
    """A gateway and plain requests to it."""

    def __init__(self, server: Sequence[str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "penstock", "serve", "--port", "0", "--store", "memory:", "--", *server],
            stderr=subprocess.PIPE,
        )
        assert self.process.stderr is not None
        found = re.search(r"at (http://\S+)", self.process.stderr.readline().decode())
        assert found is not None
        self.url = found[1]

    def ask(self, message: dict[str, Any], session: str = "") -> tuple[str, Any]:
        """The session and the answer; the words of an error are its body."""
        named = {"mcp-session-id": session} if session else {}
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        asked = urllib.request.Request(self.url, body, {**HEADERS, **named, **told(message)})
        with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:
            return answer.headers.get("mcp-session-id", ""), json.loads(answer.read() or b"null")

    def open(self) -> str:
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        return self.ask({"id": 0, "method": "initialize", "params": params})[0]

    def call(self, session: str, tool: str, **arguments: Any) -> str:
        """Without a session as a client of the modern era."""
        params = {"name": tool, "arguments": arguments, **({} if session else {"_meta": MODERN})}
        answer = self.ask({"id": 1, "method": "tools/call", "params": params}, session)[1]
        return str(answer["result"]["content"][0]["text"])

    def pid(self, session: str = "") -> int:
        return int(json.loads(self.call(session, "about"))["pid"])


@contextmanager
def serving(server: Sequence[str]) -> Iterator[Serving]:
    gateway = Serving(server)
    try:
        yield gateway
    finally:
        if gateway.process.poll() is None:
            gateway.process.kill()
        gateway.process.wait(PATIENCE)
        assert gateway.process.stderr is not None
        gateway.process.stderr.close()


def _started(gateway: Serving) -> list[int]:
    """The servers of two sessions and of all others, and what one of them has started."""
    one, other = gateway.open(), gateway.open()
    child = int(gateway.call(one, "start", holds_output=True, leaves=False))
    return [gateway.pid(one), gateway.pid(other), gateway.pid(), child]


@pytest.mark.parametrize("manners", ["as it should", "polite", "stubborn"])
def test_sigterm_ends_all_servers_with_their_children(manners: str) -> None:
    with serving(python(ODD, manners)) as gateway:
        pids = _started(gateway)
        gateway.process.send_signal(signal.SIGTERM)
        assert gateway.process.wait(PATIENCE) == 0
        assert until(lambda: all(is_gone(pid) for pid in pids))


def test_sigterm_ends_a_gateway_somebody_listens_to() -> None:
    with serving(python(ODD)) as gateway:
        session = gateway.open()
        pid = gateway.pid(session)
        listens = urllib.request.Request(gateway.url, headers={**HEADERS, "mcp-session-id": session})
        with urllib.request.urlopen(listens, timeout=PATIENCE) as stream:
            assert stream.readline() == b": open\n"
            gateway.process.send_signal(signal.SIGTERM)
            gateway.process.wait(PATIENCE)
        assert is_gone(pid)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_kill_9_of_the_gateway_ends_all_servers_with_their_children() -> None:
    with serving(python(ODD, "stubborn")) as gateway:
        pids = _started(gateway)
        gateway.process.kill()
        gateway.process.wait(PATIENCE)
        assert until(lambda: all(is_gone(pid) for pid in pids))


def test_a_gateway_that_has_seen_many_sessions_holds_nothing_of_them() -> None:
    with serving(python(ODD)) as gateway:
        own = psutil.Process(gateway.process.pid)
        files: list[int] = []
        for _ in range(4):
            session = gateway.open()
            gateway.pid(session)
            asked = urllib.request.Request(gateway.url, headers={**HEADERS, "mcp-session-id": session}, method="DELETE")
            urllib.request.urlopen(asked, timeout=PATIENCE).close()
            assert until(lambda: not own.children())
            files.append(own.num_fds())
        assert until(lambda: own.num_fds() <= files[1])  # The last connection may still be closing.


def test_a_server_that_was_killed_is_reported_and_replaced() -> None:
    with serving(python(ODD)) as gateway:
        session = gateway.open()
        with pytest.raises(KeyError, match="result"):
            gateway.call(session, "crash", signal=int(signal.SIGKILL))
        with pytest.raises(urllib.error.HTTPError, match="404") as refused:
            gateway.call(session, "about")
        refused.value.close()
        assert gateway.pid(gateway.open()) > 0
