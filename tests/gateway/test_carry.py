"""The gate of one gateway: opened when it is first needed, and closed with what it has counted."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from penstock.config import Config
from penstock.gateway.carry import SWEPT, Carrier
from penstock.gateway.config_rules import ConfigRules
from penstock.gateway.log import Log
from penstock.protocol.commands import Admit, Fetch, ToClient
from penstock.protocol.exchange import Exchange
from penstock.stores import Counts, open_store

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from penstock.gateway.carry import Carried
    from penstock.protocol.commands import Command

TOOL = "fetch_cached_response"


@pytest.fixture
def log() -> Iterator[tuple[Log, int]]:
    reading, writing = os.pipe()
    yield Log(descriptor=writing), reading
    os.close(reading)
    os.close(writing)


def carrier_of(log: tuple[Log, int], **given: Any) -> Carrier:
    config = Config(**given)
    return Carrier(ConfigRules(lambda: config), log[0])


def exchange_of(carrier: Carrier) -> Exchange:
    return Exchange(carrier.rules, now=lambda: 0.0)


def called(exchange: Exchange, tool: str, **arguments: Any) -> Sequence[Command]:
    params = {"name": tool, "arguments": arguments}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return exchange.client_sent(json.dumps(call).encode() + b"\n")


def result_of(carried: Carried) -> dict[str, Any]:
    (response,) = carried.commands
    assert isinstance(response, ToClient)
    told: dict[str, Any] = json.loads(response.line)["result"]
    return told


def admitted(carrier: Carrier, text: str, tool: str = "search") -> dict[str, Any]:
    """What the client gets for a result that the gate decides on."""
    exchange = exchange_of(carrier)
    called(exchange, tool)
    result = {"content": [{"type": "text", "text": text}]}
    (command,) = carrier.classify(exchange, json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}).encode() + b"\n")
    assert isinstance(command, Admit)
    return result_of(carrier.admit(exchange, command))


def handle(carrier: Carrier) -> str:
    told = admitted(carrier, "word " * 50_000)
    return str(json.loads(told["content"][0]["text"])["cache_id"])


def fetched(carrier: Carrier, **arguments: Any) -> dict[str, Any]:
    exchange = exchange_of(carrier)
    (command,) = called(exchange, TOOL, **arguments)
    assert isinstance(command, Fetch)
    return result_of(carrier.carry(exchange, command))


def test_nothing_is_opened_for_nothing(log: tuple[Log, int], tmp_path: Path) -> None:
    carrier_of(log, store=f"sqlite://{tmp_path}/held.db").close({})
    assert list(tmp_path.iterdir()) == []


def test_counters_that_nobody_could_read_are_not_kept(log: tuple[Log, int], monkeypatch: pytest.MonkeyPatch) -> None:
    from penstock.gate import Gate

    counted: list[str] = []
    monkeypatch.setattr(Gate, "count_call", lambda _, tool, number: counted.append(f"{tool} {number}"))
    carrier_of(log, store="memory:").close({"search": 3})
    assert counted == []


def test_what_was_held_is_read_back_under_the_name_of_our_tool(log: tuple[Log, int]) -> None:
    ours = carrier_of(log, store="memory:")
    told = fetched(ours, action="get", cache_id=handle(ours))
    assert told["content"][1]["text"].startswith("word word")
    ours.close({})


@pytest.mark.parametrize(("owner", "opens"), [("auto", True), ("run", False), ("ann", True)])
def test_a_later_run_reads_what_an_earlier_one_held_unless_each_is_alone(
    log: tuple[Log, int], tmp_path: Path, owner: str, opens: bool
) -> None:
    store = f"sqlite://{tmp_path}/held.db"
    first = carrier_of(log, store=store, owner=owner)
    kept = handle(first)
    assert "isError" not in fetched(first, action="info", cache_id=kept)
    later = carrier_of(log, store=store, owner=owner)
    assert ("isError" not in fetched(later, action="info", cache_id=kept)) is opens
    own = handle(later)
    listed = json.loads(fetched(later, action="list")["content"][0]["text"])["results"]
    assert [(one["cache_id"], one.get("made_by")) for one in listed] == [
        (own, None),
        *([(kept, "another run")] if opens else []),
    ]
    first.close({})
    later.close({})


def test_another_servers_results_do_not_open(log: tuple[Log, int], tmp_path: Path) -> None:
    config = Config(store=f"sqlite://{tmp_path}/held.db")
    one, other = (Carrier(ConfigRules(lambda: config), log[0], command) for command in (["a", "b"], ["a", "c"]))
    kept = handle(one)
    assert fetched(other, action="info", cache_id=kept)["isError"]
    one.close({})
    other.close({})


def test_a_named_owner_reads_after_a_restart_what_was_held_before(log: tuple[Log, int], tmp_path: Path) -> None:
    store = f"sqlite://{tmp_path}/held.db"
    first = carrier_of(log, store=store, owner="ann")
    kept = handle(first)
    first.close({})
    second = carrier_of(log, store=store, owner="ann")
    assert "isError" not in fetched(second, action="info", cache_id=kept)
    second.close({})


def test_calls_that_passed_unread_are_counted_at_the_end(log: tuple[Log, int], tmp_path: Path) -> None:
    store = f"sqlite://{tmp_path}/held.db"
    ours = carrier_of(log, store=store)
    handle(ours)
    ours.close({"search": 3, "other": 2})
    with open_store(store) as counted:
        counts = counted.counts()
    assert counts["search"].calls == 4
    assert counts["search"].held == 1
    assert counts["other"] == Counts(calls=2, held=0, tokens_saved=0)


def test_what_has_expired_is_swept_now_and_then(log: tuple[Log, int], monkeypatch: pytest.MonkeyPatch) -> None:
    from penstock.gate import Gate

    swept: list[Gate] = []
    monkeypatch.setattr(Gate, "sweep", lambda gate: swept.append(gate))  # noqa: PLW0108  (a method, unlike append)
    ours = carrier_of(log, store="memory:")
    for _ in range(2 * SWEPT):
        admitted(ours, "small" * 1_000)
    assert len(swept) == 2
    ours.close({})


def test_without_its_store_results_are_held_in_memory(log: tuple[Log, int]) -> None:
    ours = carrier_of(log, store="sqlite:///x?max_bytes=many")
    assert "isError" not in fetched(ours, action="info", cache_id=handle(ours))
    told = os.read(log[1], 1_000).decode()
    assert told.startswith("penstock: error: the store's max_bytes is 'many'")
    assert told.endswith("results are held in memory until this ends\n")
    ours.close({})


def test_a_store_that_fails_is_told_of(log: tuple[Log, int], tmp_path: Path) -> None:
    (tmp_path / "held.db").write_bytes(b"no database " * 100)
    ours = carrier_of(log, store=f"sqlite://{tmp_path}/held.db")
    told = admitted(ours, "word " * 50_000)
    assert "The rest was not kept" in told["content"][0]["text"]
    assert "is not a SQLite database" in os.read(log[1], 1_000).decode()
    ours.close({})
