"""A client that gave a progress token hears how much of a long response has come, unless the upstream tells it more."""

from __future__ import annotations

import json
from typing import Any

from penstock.config import Config
from penstock.gateway.config_rules import ConfigRules
from penstock.protocol.commands import ToClient
from penstock.protocol.exchange import Exchange

HEAD = b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"'
LATE = b'{"result":{"content":[{"type":"text","text":"'


class Played:
    """An exchange with a clock that is set by hand."""

    def __init__(self) -> None:
        config = Config(call_timeout=60)
        self.time = 0.0
        self.exchange = Exchange(ConfigRules(config), now=lambda: self.time)

    def call(self, key: int, token: Any = None) -> None:
        meta = {} if token is None else {"_meta": {"progressToken": token}}
        params = {"name": "search", "arguments": {}, **meta}
        line = json.dumps({"jsonrpc": "2.0", "id": key, "method": "tools/call", "params": params})
        self.exchange.client_sent(line.encode() + b"\n")

    def sends(self, head: bytes, size: int) -> list[dict[str, Any]]:
        commands = self.exchange.upstream_sends(head, size)
        assert all(isinstance(one, ToClient) and one.request is not None for one in commands)
        return [json.loads(one.line) for one in commands if isinstance(one, ToClient)]


def test_it_hears_the_bytes_that_have_come_and_they_grow() -> None:
    play = Played()
    play.call(1, token="t")
    told = [message for size in (4_194_304, 8_388_608) for message in play.sends(HEAD % 1, size)]
    assert [one["method"] for one in told] == ["notifications/progress"] * 2
    assert [one["params"] for one in told] == [
        {"progressToken": "t", "progress": 4_194_304, "message": "4 MB of the result received"},
        {"progressToken": "t", "progress": 8_388_608, "message": "8 MB of the result received"},
    ]


def test_nothing_is_told_without_a_token_nor_of_a_request_that_is_not_open() -> None:
    play = Played()
    play.call(1)
    assert play.sends(HEAD % 1, 5_000_000) == []
    assert play.sends(HEAD % 9, 5_000_000) == []


def test_nothing_is_told_of_a_message_that_is_no_response() -> None:
    play = Played()
    play.call(1, token=5)
    assert play.sends(b'{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"', 5_000_000) == []


def test_the_upstreams_own_progress_is_all_that_is_told() -> None:
    play = Played()
    play.call(1, token=5)
    params = {"progressToken": 5, "progress": 1, "total": 2}
    note = {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}
    play.exchange.upstream_sent(json.dumps(note).encode() + b"\n")
    assert play.sends(HEAD % 1, 5_000_000) == []


def test_where_the_id_comes_later_the_only_open_request_is_meant() -> None:
    play = Played()
    play.call(1, token=5)
    assert len(play.sends(LATE, 5_000_000)) == 1
    play.call(2, token=6)
    assert play.sends(LATE, 9_000_000) == []


def test_a_request_whose_response_is_arriving_is_not_overdue() -> None:
    play = Played()
    play.call(1)
    play.time = 50
    play.sends(HEAD % 1, 5_000_000)
    play.time = 100
    assert not play.exchange.overdue()
    play.time = 111
    assert len(play.exchange.overdue()) == 2
