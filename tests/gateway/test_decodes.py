"""Each message is decoded once on its way through the gateway, whatever stands at its two ends."""

from __future__ import annotations

import json
from typing import Any

import pytest

from penstock.config import Config
from penstock.gateway.config_rules import ConfigRules
from penstock.protocol.commands import ToUpstream
from penstock.protocol.exchange import Exchange
from penstock.protocol.wire import jsonrpc
from tests.kit.gateway import MODERN
from tests.kit.over_http.hosting import hosting, running
from tests.kit.over_http.upstreams import Asked, Wire, call, gateway, request, run

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
RESULTS: dict[str, Any] = {
    "initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}},
    "tools/list": {"tools": []},
    "tools/call": {"content": [{"type": "text", "text": "small"}]},
}


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The messages that were decoded, in their order."""
    seen: list[bytes] = []
    decode = jsonrpc.decode

    def counted(line: bytes) -> jsonrpc.Message | None:
        seen.append(line)
        return decode(line)

    monkeypatch.setattr(jsonrpc, "decode", counted)
    return seen


def test_over_standard_input_and_output(decoded: list[bytes]) -> None:
    exchange = Exchange(ConfigRules(Config()), now=lambda: 0.0)
    for number, (method, result) in enumerate(RESULTS.items()):
        (command,) = exchange.client_sent(json.dumps(request(method, number)).encode() + b"\n")
        assert isinstance(command, ToUpstream)
        exchange.upstream_sent(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}).encode() + b"\n")
    exchange.client_sent(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    assert len(decoded) == 7


def test_from_http_to_a_command(decoded: list[bytes]) -> None:
    @running
    async def scenario() -> None:
        async with hosting() as place:
            client = await place.session()  # initialize and its response, notifications/initialized
            await client.post(LIST)
            assert (await client.call("about", key=2)).status == 200

    scenario()
    assert len(decoded) == 7


def test_from_http_to_a_command_that_clients_share(decoded: list[bytes]) -> None:
    """Ids are replaced on the way there and restored on the way back, without reading the message again."""

    @running
    async def scenario() -> None:
        async with hosting() as place:
            client = place.client()
            await client.post({**LIST, "params": {"_meta": MODERN}})
            assert (await client.call("about", key="x", modern=True, token="x")).status == 200

    scenario()
    assert len(decoded) == 4


def test_from_http_to_http(decoded: list[bytes]) -> None:
    async def answer(asked: Asked, wire: Wire) -> None:
        message = json.loads(asked.body)
        if "id" not in message:
            await wire.whole(b"", "202 Accepted")
            return
        response = {"jsonrpc": "2.0", "id": message["id"], "result": RESULTS[message["method"]]}
        await wire.whole(json.dumps(response).encode())

    async def scenario() -> None:
        async with gateway(answer) as place:
            await place.post(request("initialize"))
            await place.post({"jsonrpc": "2.0", "method": "notifications/initialized"})
            await place.post(LIST)
            assert (await place.post(call("search"))).status == 200

    run(scenario())
    assert len(decoded) == 7
