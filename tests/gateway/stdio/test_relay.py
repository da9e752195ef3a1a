"""A relay over real pipes, with a real exchange and a real gate behind it."""

from __future__ import annotations

import json
import os
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from penstock.config import Config
from penstock.errors import ConfigError
from penstock.gateway.carry import Carried, Carrier
from penstock.gateway.config_rules import ConfigRules
from penstock.gateway.log import Log
from penstock.gateway.output import Output
from penstock.gateway.stdio.relay import Relay
from penstock.gateway.stdio.workers import Workers
from penstock.protocol.commands import Act, OpenRequest, ToClient, ToUpstream
from penstock.protocol.exchange import Exchange
from tests.kit.answers import head_of
from tests.kit.waiting import PATIENCE, until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.gate.owners import Owner
    from penstock.protocol.commands import GateWork

FETCH = "fetch_cached_response"


class Side:
    """What one side of the relay sends and gets."""

    def __init__(self) -> None:
        self.heard_by_relay, self.said = os.pipe()
        self.got, self.written_by_relay = os.pipe()
        self.lines: list[bytes] = []
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def send(self, *messages: object) -> None:
        for message in messages:
            raw = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
            rest = memoryview(raw)
            while rest:
                rest = rest[os.write(self.said, rest) :]

    def line(self, number: int) -> bytes:
        """The line of this number, once it is there."""
        assert until(lambda: len(self.lines) > number), self.lines
        return self.lines[number]

    def message(self, number: int) -> Any:
        return json.loads(self.line(number))

    def _read(self) -> None:
        with open(self.got, "rb") as lines:
            for line in lines:
                self.lines.append(line)


class Between:
    """A relay between two sides."""

    def __init__(self, config: Config) -> None:
        self.client, self.upstream = Side(), Side()
        self.gone: list[str] = []
        self.log_read, self.log_written = os.pipe()
        self.now = time.monotonic()
        rules, log = ConfigRules(config), Log(descriptor=self.log_written)
        self.exchange = Exchange(rules, now=lambda: self.now)
        self.carrier = Carrier(rules, log)
        self.workers = Workers()
        self.outputs = Output(self.client.written_by_relay), Output(self.upstream.written_by_relay)
        self.relay = Relay(
            self.exchange,
            client=self.outputs[0],
            upstream=self.outputs[1],
            carrier=self.carrier,
            workers=self.workers,
            limit=lambda: 5_000_000,
            client_gone=lambda: self.gone.append("client"),
            upstream_gone=lambda: self.gone.append("upstream"),
        )
        ends = (
            (self.relay.read_client, self.client.heard_by_relay),
            (self.relay.read_upstream, self.upstream.heard_by_relay),
        )
        self.threads = [threading.Thread(target=read, args=(end,), daemon=True) for read, end in ends]
        for thread in self.threads:
            thread.start()

    def log(self) -> str:
        return os.read(self.log_read, 65_536).decode()

    def end(self) -> None:
        for side in (self.client, self.upstream):
            os.close(side.said)
        for thread in self.threads:
            thread.join(PATIENCE)
        assert self.workers.idle(PATIENCE)
        self.carrier.close()
        for side, output in zip((self.client, self.upstream), self.outputs, strict=True):
            output.closed = False
            output.close(PATIENCE)
            side.thread.join(PATIENCE)
            os.close(side.heard_by_relay)
        os.close(self.log_read)
        os.close(self.log_written)


@pytest.fixture
def between() -> Iterator[Between]:
    config = Config(store="memory:", max_tokens=2_000, rules={"raw": {"never_hold": False}})
    relay = Between(config)
    yield relay
    relay.end()


def call(key: object, tool: str = "search", **arguments: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": key, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def answer(key: object, text: str) -> bytes:
    return (
        json.dumps({"result": {"content": [{"type": "text", "text": text}]}, "jsonrpc": "2.0", "id": key}).encode()
        + b"\n"
    )


def test_what_fits_is_relayed_byte_for_byte_both_ways(between: Between) -> None:
    asked = b' {"id" : 1.0e0, "method":"tools/call","jsonrpc":"2.0","params":{"name":"search"},"x":[1,  2]} \r\n'
    between.client.send(asked)
    assert between.upstream.line(0) == asked
    answered = b'{ "result":{"content":[]}, "id":1.0e0,"unknown":true,"jsonrpc":"2.0"}\t\r\n'
    between.upstream.send(answered)
    assert between.client.line(0) == answered


@pytest.mark.parametrize("size", [50_000, 1_500_000])
def test_what_does_not_fit_is_held_and_can_be_read(between: Between, size: int) -> None:
    between.client.send(call(1))
    between.upstream.line(0)
    text = "".join(f"line {number} é\n" for number in range(size // 12))
    between.upstream.send(answer(1, text))
    notice = head_of(between.client.message(0)["result"])
    assert notice["metadata"]["total_bytes"] == len(text.encode())
    between.client.send(call(2, FETCH, action="search", cache_id=notice["cache_id"], pattern="line 777 "))
    assert head_of(between.client.message(1)["result"])["total"] == 1
    assert len(between.upstream.lines) == 1  # our own tool is not the upstream's business


@pytest.mark.parametrize(
    "line",
    [
        json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "x" * 1_200_000}}).encode(),
        b'{"jsonrpc":"2.0","id":5,"method":"sampling/createMessage","params":{"text":"' + b"\\u00e9" * 200_000 + b'"}}',
    ],
)
def test_a_large_line_that_is_no_result_is_relayed_byte_for_byte(between: Between, line: bytes) -> None:
    between.upstream.send(line + b"\n")
    assert between.client.line(0) == line + b"\n"


def test_a_large_answer_to_another_method_is_relayed(between: Between) -> None:
    """A text in it was taken out before it was known what it answers, and is put back."""
    between.upstream.send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
    between.client.line(0)
    between.client.send({"jsonrpc": "2.0", "id": 1, "method": "completion/complete"})
    between.upstream.line(0)
    between.upstream.send(answer(1, "é" * 300_000))
    assert between.client.message(1) == json.loads(answer(1, "é" * 300_000))


def test_a_line_above_the_limit_is_told_of_both_ways(between: Between) -> None:
    between.client.send(call(1, text="x" * 6_000_000))
    assert "more than max_result_bytes allows" in between.client.message(0)["error"]["message"]
    between.client.send(call(2))
    between.upstream.line(0)
    between.upstream.send(answer(2, "x" * 6_000_000))
    assert "more than max_result_bytes allows" in between.client.message(1)["error"]["message"]


def test_noise_goes_to_the_log_under_the_servers_name(between: Between) -> None:
    between.upstream.send(b"Ready!\n")
    assert between.log().endswith("the server printed a line to stdout that is not JSON-RPC: Ready!\n")
    between.client.send({"jsonrpc": "2.0", "id": 1, "method": "initialize"})
    between.upstream.line(0)
    told = {"capabilities": {"tools": {}}, "serverInfo": {"name": "weather"}}
    between.upstream.send({"jsonrpc": "2.0", "id": 1, "result": told}, b"Sunny\n")
    assert between.log().endswith("weather printed a line to stdout that is not JSON-RPC: Sunny\n")


def test_a_last_line_without_its_newline_is_a_line(between: Between) -> None:
    between.client.send(call(1))
    between.upstream.line(0)
    between.upstream.send(answer(1, "small").rstrip())
    os.close(between.upstream.said)
    assert between.client.line(0) == answer(1, "small")
    between.upstream.said = os.dup(between.client.said)


def test_a_side_that_reads_no_more_is_told_of(between: Between) -> None:
    for output in between.outputs:
        output.settle(PATIENCE)
    between.client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert until(lambda: between.gone == ["upstream"])
    between.upstream.send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
    assert until(lambda: between.gone == ["upstream", "client"])


def test_a_request_that_waits_too_long_is_given_up_and_the_upstream_told(between: Between) -> None:
    between.client.send(call(1))
    between.upstream.line(0)
    with between.relay.turn:  # the line is written, and nobody has the output in hand any more
        between.now += 601
    between.relay.give_up()
    assert "has not answered search for 600 seconds" in between.client.message(0)["error"]["message"]
    assert between.upstream.message(1)["method"] == "notifications/cancelled"
    between.upstream.send(answer(1, "late"))
    assert "that is not open" in between.log()


def test_an_answer_that_cannot_be_made_is_an_error_and_the_next_call_works(
    between: Between, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(between.carrier, "_opened", _raise)
        between.client.send(call(1), call(2, FETCH, action="list"))
        between.upstream.line(0)
        between.upstream.send(answer(1, "word " * 20_000))
        errors = {between.client.message(at)["id"]: between.client.message(at)["error"]["message"] for at in (0, 1)}
    words = "Penstock could not make the answer (ZeroDivisionError); repeat the call, or narrow it"
    assert errors == {1: words, 2: words}
    between.client.send(call(3, FETCH, action="list"))
    assert between.client.message(2)["result"]["content"]


def _raise(*_: object) -> bytes:
    raise ZeroDivisionError


def test_a_large_line_that_cannot_be_read_is_an_error_to_whoever_waits_for_it(
    between: Between, monkeypatch: pytest.MonkeyPatch
) -> None:
    between.upstream.send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
    between.client.line(0)
    with monkeypatch.context() as broken:
        broken.setattr(Exchange, "upstream_sent", _no_memory)
        broken.setattr(Exchange, "relay_unread", _no_memory)
        between.client.send(call(1))
        between.upstream.line(0)
        line = b'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"' + b"x" * 1_500_000 + b'"}]}}\n'
        between.upstream.send(line)
        assert "could not make the answer (MemoryError)" in between.client.message(1)["error"]["message"]
        assert "could not be made" in between.log()
    between.client.send(call(2))
    between.upstream.line(1)
    between.upstream.send(answer(2, "small"))
    assert between.client.line(2) == answer(2, "small")


def _no_memory(*_: object) -> None:
    raise MemoryError


def _wrong(_: object) -> str:
    raise ConfigError("wrong")


def test_a_mistake_of_ours_leaves_nobody_waiting(between: Between, monkeypatch: pytest.MonkeyPatch) -> None:
    """A request that cannot be understood is refused; everything else is relayed as it came."""
    monkeypatch.setattr(ConfigRules, "tool_name", property(_wrong))
    between.client.send(call(1))
    assert between.client.message(0)["error"]["message"] == "Penstock could not read the request (ConfigError)"
    assert between.log() == "penstock: error: a request could not be read: ConfigError: wrong\n"
    between.client.send({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
    between.upstream.line(0)
    between.upstream.send({"jsonrpc": "2.0", "id": 2, "result": {"tools": [{"name": "a", "outputSchema": {}}]}})
    assert between.client.message(1)["id"] == 2
    assert between.log() == "penstock: error: a message was relayed unread: ConfigError: wrong\n"


def test_a_notification_or_an_answer_that_cannot_be_understood_is_relayed_as_it_came(
    between: Between, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(between.exchange, "client_sent", _raise)
    for number, line in enumerate((b'{"jsonrpc":"2.0","method":"n"}\n', b'{"jsonrpc":"2.0","id":1,"result":{}}\n')):
        between.client.send(line)
        assert between.upstream.line(number) == line
        assert "relayed unread: ZeroDivisionError" in between.log()


def test_nothing_of_the_client_is_in_our_hands_once_its_turn_is_taken(between: Between) -> None:
    assert between.relay.turn.acquire(timeout=PATIENCE)
    between.client.send(call(1))
    assert not until(lambda: bool(between.exchange._state.open), 0.1)
    between.relay.turn.release()
    assert until(lambda: bool(between.exchange._state.open))
    between.upstream.line(0)


def test_what_the_gate_tells_the_client_of_a_call_is_written_before_the_call() -> None:
    """Progress must not come behind the response that ends it, which another thread may write at once."""
    order: list[str] = []

    class Recorded:
        def __init__(self, name: str) -> None:
            self.name = name

        def write(self, _: bytes) -> bool:
            order.append(self.name)
            return True

    class Calling(Carrier):
        def carry(self, exchange: Exchange, work: GateWork, owner: Owner | None = None) -> Carried:
            return Carried((ToClient(b"progress\n", work.request), ToUpstream(b"call\n")))

    rules = ConfigRules(Config())
    sides: dict[str, Any] = {name: Recorded(name) for name in ("client", "upstream")}
    exchange, workers = Exchange(rules, now=time.monotonic), Workers()
    relay = Relay(exchange, **sides, carrier=Calling(rules, Log()), workers=workers, limit=lambda: 1_000)
    request = OpenRequest(key=b"1", method="tools/call", name="act", params=b"", modern=False, since=0.0)
    relay.carry_out((Act(request, "", {}),))
    assert workers.idle(PATIENCE)
    assert order == ["client", "upstream"]
