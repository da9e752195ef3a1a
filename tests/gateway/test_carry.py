"""The gate of one gateway: opened when it is first needed, and closed with what it has counted."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from penstock.config import Config
from penstock.errors import CallerError
from penstock.gateway.at_gate import SWEPT
from penstock.gateway.carry import Carrier
from penstock.gateway.config_rules import ConfigRules
from penstock.gateway.log import Log
from penstock.protocol.commands import Admit, Fetch, OpenRequest, Resolve, ToClient, ToUpstream
from penstock.protocol.exchange import Exchange
from penstock.stores import Counts, open_store
from penstock.unforeseen import OUT_OF_MEMORY
from tests import strict
from tests.kit.answers import head_of, line_of, text_of
from tests.kit.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from penstock.gateway.carry import Carried
    from penstock.protocol.commands import Command

TOOL = "fetch_cached_response"


@pytest.fixture
def log(request: pytest.FixtureRequest) -> Iterator[tuple[Log, int]]:
    reading, writing = os.pipe()
    yield Log(getattr(request, "param", "warning"), writing), reading
    os.close(reading)
    os.close(writing)


def carrier_of(log: tuple[Log, int], **given: Any) -> Carrier:
    config = Config(**given)
    return Carrier(ConfigRules(config), log[0])


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


def admitted(carrier: Carrier, text: str, tool: str = "search", *, exchange: Exchange | None = None) -> dict[str, Any]:
    """What the client gets for a result that the gate decides on."""
    exchange = exchange or exchange_of(carrier)
    called(exchange, tool)
    result = {"content": [{"type": "text", "text": text}]}
    (command,) = carrier.classify(exchange, json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}).encode() + b"\n")
    assert isinstance(command, Admit)
    return result_of(carrier.admit(exchange, command))


def handle(carrier: Carrier) -> str:
    told = admitted(carrier, "word " * 50_000)
    return str(head_of(told)["cache_id"])


def fetched(carrier: Carrier, **arguments: Any) -> dict[str, Any]:
    exchange = exchange_of(carrier)
    (command,) = called(exchange, TOOL, **arguments)
    assert isinstance(command, Fetch)
    return result_of(carrier.carry(exchange, command))


def test_nothing_is_opened_for_nothing(log: tuple[Log, int], tmp_path: Path) -> None:
    carrier_of(log, store=f"sqlite://{tmp_path}/held.db").close()
    assert list(tmp_path.iterdir()) == []


def test_counters_that_nobody_could_read_are_not_kept(log: tuple[Log, int], monkeypatch: pytest.MonkeyPatch) -> None:
    from penstock.gate import Gate

    counted: list[str] = []
    monkeypatch.setattr(Gate, "count_passed", lambda _, tool, size, **__: counted.append(f"{tool} {size}"))
    ours = carrier_of(log, store="memory:")
    ours.passed.add("files", "search", 300)
    ours.close()
    assert counted == []


def test_what_was_held_is_read_back_under_the_name_of_our_tool(log: tuple[Log, int]) -> None:
    ours = carrier_of(log, store="memory:")
    told = fetched(ours, action="get", cache_id=handle(ours))
    assert text_of(told).startswith("word word")
    ours.close()


def test_repeat_is_one_line_only_in_the_conversation_that_got_the_notice(log: tuple[Log, int]) -> None:
    ours = carrier_of(log, store="memory:")
    exchange, words = exchange_of(ours), "word " * 50_000
    first = line_of(admitted(ours, words, exchange=exchange))
    again = line_of(admitted(ours, words, exchange=exchange))
    assert again["cache_id"] == first["cache_id"]
    assert again["message"].startswith("Unchanged")
    assert "shape" in line_of(admitted(ours, words, exchange=exchange_of(ours)))
    ours.close()


def test_notice_that_was_never_sent_is_sent_whole(log: tuple[Log, int]) -> None:
    ours = carrier_of(log, store="memory:")
    exchange, result = exchange_of(ours), {"content": [{"type": "text", "text": "word " * 50_000}]}
    called(exchange, "search")
    response = {"jsonrpc": "2.0", "id": 1, "result": result}
    (command,) = ours.classify(exchange, json.dumps(response).encode() + b"\n")
    assert isinstance(command, Admit)
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    exchange.client_sent(json.dumps(cancelled).encode() + b"\n")
    assert not ours.admit(exchange, command).commands
    assert "shape" in line_of(admitted(ours, "word " * 50_000, exchange=exchange))
    ours.close()


@pytest.mark.parametrize("method", ["tools/call", "prompts/get"])
def test_request_of_no_session_knows_no_notices(log: tuple[Log, int], method: str) -> None:
    exchange = exchange_of(carrier_of(log, store="memory:"))
    request = OpenRequest(b"1", method, "search", b"{}", modern=method == "tools/call", since=0.0)
    assert exchange.known_notices(request) == ()


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
    listed = head_of(fetched(later, action="list"))["results"]
    assert [(one["cache_id"], one.get("made_by")) for one in listed] == [
        (own, None),
        *([(kept, "another run")] if opens else []),
    ]
    first.close()
    later.close()


def test_another_servers_results_do_not_open(log: tuple[Log, int], tmp_path: Path) -> None:
    config = Config(store=f"sqlite://{tmp_path}/held.db")
    one, other = (Carrier(ConfigRules(config), log[0], command) for command in (["a", "b"], ["a", "c"]))
    kept = handle(one)
    assert fetched(other, action="info", cache_id=kept)["isError"]
    one.close()
    other.close()


def test_a_named_owner_reads_after_a_restart_what_was_held_before(log: tuple[Log, int], tmp_path: Path) -> None:
    store = f"sqlite://{tmp_path}/held.db"
    first = carrier_of(log, store=store, owner="ann")
    kept = handle(first)
    first.close()
    second = carrier_of(log, store=store, owner="ann")
    assert "isError" not in fetched(second, action="info", cache_id=kept)
    second.close()


def test_calls_that_passed_unread_are_counted_at_the_end(log: tuple[Log, int], tmp_path: Path) -> None:
    store = f"sqlite://{tmp_path}/held.db"
    ours = carrier_of(log, store=store)
    handle(ours)
    for tool in ("search", "search", "search", "other", "other"):
        ours.passed.add("files", tool, 300)
    ours.close()
    with open_store(store) as counted:
        counts = counted.counts()
    assert counts["search"].calls == 4
    assert counts["search"].held == 1
    assert counts["other"] == Counts(calls=2, held=0, tokens_saved=0)


def test_a_gateway_that_runs_on_writes_what_it_counted_now_and_then(
    log: tuple[Log, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock.gateway.carry.COUNT_SECONDS", 0.01)
    store = f"sqlite://{tmp_path}/held.db"
    ours = carrier_of(log, store=store)
    ours.count_now_and_then()
    ours.passed.add("files", "search", 300)
    with open_store(store) as counted:
        assert until(lambda: [key.server for key in counted.sizes()] == ["files"])
        ours.passed.add("files", "search", 300)
        assert until(lambda: counted.counts()["search"].calls == 2)
    ours.close()


def test_results_are_counted_under_the_name_of_their_server(log: tuple[Log, int], tmp_path: Path) -> None:
    store = f"sqlite://{tmp_path}/held.db"
    ours = carrier_of(log, store=store)
    handle(ours)
    ours.close()
    with open_store(store) as counted:
        [(key, sizes)] = counted.sizes().items()
    assert (key.tool, sizes.calls, sizes.held) == ("search", 1, 1)


def test_what_has_expired_is_swept_now_and_then(log: tuple[Log, int], monkeypatch: pytest.MonkeyPatch) -> None:
    from penstock.gate import Gate

    swept: list[Gate] = []
    monkeypatch.setattr(Gate, "sweep", lambda gate: swept.append(gate))  # noqa: PLW0108  (a method, unlike append)
    ours = carrier_of(log, store="memory:")
    for _ in range(2 * SWEPT):
        admitted(ours, "small" * 1_000)
    assert len(swept) == 2
    ours.close()


def test_without_its_store_results_are_held_in_memory(log: tuple[Log, int]) -> None:
    ours = carrier_of(log, store="sqlite:///x?max_bytes=many")
    assert "isError" not in fetched(ours, action="info", cache_id=handle(ours))
    told = os.read(log[1], 1_000).decode()
    assert told.startswith("penstock: error: the store's max_bytes is 'many'")
    assert told.endswith("results are held in memory until this ends\n")
    ours.close()


def test_a_store_that_fails_is_told_of(log: tuple[Log, int], tmp_path: Path) -> None:
    (tmp_path / "held.db").write_bytes(b"no database " * 100)
    ours = carrier_of(log, store=f"sqlite://{tmp_path}/held.db")
    told = admitted(ours, "word " * 50_000)
    assert "The rest was not kept" in told["content"][0]["text"]
    assert "is not a SQLite database" in os.read(log[1], 1_000).decode()
    ours.close()


def _fails(*_: object, **__: object) -> Any:
    raise KeyError("the password of the moon")


def log_of(log: tuple[Log, int]) -> str:
    return os.read(log[1], 100_000).decode()


@pytest.mark.parametrize("size", [20_000, 400_000, 3_000_000])
def test_a_result_whose_message_cannot_be_handled_still_goes_to_the_gate(
    log: tuple[Log, int], monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    carrier = carrier_of(log, store="memory:", max_tokens=1_000)
    exchange = exchange_of(carrier)
    called(exchange, "search")
    text = "word " * (size // 5)
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": text}]}}).encode()
    with monkeypatch.context() as broken:
        broken.setattr(exchange, "upstream_sent", _fails)
        (command,) = carrier.classify(exchange, memoryview(line + b"\n") if size > 1_000_000 else line + b"\n")
    assert isinstance(command, Admit)
    told = result_of(carrier.admit(exchange, command))
    notice = head_of(told)
    found = fetched(carrier, action="info", cache_id=notice["cache_id"])
    assert head_of(found)["total_bytes"] == len(text)
    assert exchange.open_count == 0
    written = log_of(log)
    assert "a message was relayed unread: KeyError at test_carry.py:" in written
    assert "moon" not in written


@pytest.mark.parametrize(
    ("method", "size", "expected"),
    [("tools/call", 10, "relayed"), ("resources/read", 50_000, "failed"), ("ping", 50_000, "relayed")],
)
def test_a_message_that_cannot_be_handled_is_relayed_if_it_fits_and_is_an_error_if_it_may_not(
    log: tuple[Log, int], monkeypatch: pytest.MonkeyPatch, method: str, size: int, expected: str
) -> None:
    carrier = carrier_of(log, store="memory:", max_tokens=1_000)
    exchange = exchange_of(carrier)
    asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"name": "search", "uri": "a:b"}}
    exchange.client_sent(json.dumps(asked).encode() + b"\n")
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"contents": "x" * size}}).encode() + b"\n"
    monkeypatch.setattr(exchange, "upstream_sent", _fails)
    (command,) = carrier.classify(exchange, line)
    assert isinstance(command, ToClient)
    assert (command.line == line) is (expected == "relayed")
    assert (b"Penstock failed to read the answer" in command.line) is (expected == "failed")
    assert exchange.open_count == 0


@pytest.mark.parametrize("log", ["debug", "error"], indirect=True)
@pytest.mark.parametrize(
    ("place", "error"),
    [
        ("penstock.core.fit.read_form", KeyError("the password of the moon")),
        ("penstock.core.notice.cross.facts_of", CallerError("the password of the moon")),
    ],
)
def test_a_failure_to_read_a_result_is_logged_with_its_type_and_place_and_without_its_message(
    log: tuple[Log, int], monkeypatch: pytest.MonkeyPatch, place: str, error: Exception
) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise error

    strict.with_net(monkeypatch)
    monkeypatch.setattr(place, fails)
    rows = [{"id": n, "state": ["open", "closed"][n % 2], "size": n * 7 % 50} for n in range(900)]
    told = admitted(carrier_of(log, store="memory:", max_tokens=1_000), json.dumps(rows))
    assert "held whole as plain text" in head_of(told)["message"]
    [line] = [one for one in log_of(log).splitlines() if "unforeseen" in one]
    assert f"{type(error).__name__} at test_carry.py:{fails.__code__.co_firstlineno + 1} fails < core/" in line
    assert "moon" not in line


def test_settings_that_fail_leave_nobody_waiting(log: tuple[Log, int], monkeypatch: pytest.MonkeyPatch) -> None:
    carrier = carrier_of(log, store="memory:", max_tokens=1_000)
    exchange = exchange_of(carrier)
    called(exchange, "search")
    line = b'{"jsonrpc":"2.0","id":1,"result":{"content":[]}}\n'
    monkeypatch.setattr(carrier.rules, "floor", _fails)
    (command,) = carrier.classify(exchange, line)
    assert isinstance(command, ToClient)
    assert "Penstock could not make the answer (KeyError)" in json.loads(command.line)["error"]["message"]


def test_an_answer_that_cannot_be_written_names_the_handle_of_what_was_held(
    log: tuple[Log, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    carrier = carrier_of(log, store="memory:", max_tokens=1_000)
    exchange = exchange_of(carrier)
    called(exchange, "search")
    result = {"content": [{"type": "text", "text": "word " * 5_000}]}
    (command,) = carrier.classify(exchange, json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}).encode() + b"\n")
    assert isinstance(command, Admit)
    with monkeypatch.context() as broken:
        broken.setattr(exchange, "admitted", _fails)
        (response,) = carrier.admit(exchange, command).commands
    assert isinstance(response, ToClient)
    words = json.loads(response.line)["error"]["message"]
    assert words.startswith("Penstock could not make the answer (KeyError); the result is held as r_")
    found = fetched(carrier, action="info", cache_id=words.rpartition(" ")[2])
    assert "isError" not in found
    assert "moon" not in log_of(log)


def test_a_result_that_nothing_can_be_made_of_is_an_error_that_names_no_handle(
    log: tuple[Log, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    carrier = carrier_of(log, store="memory:", max_tokens=1_000)
    exchange = exchange_of(carrier)
    called(exchange, "search")
    result = {"content": [{"type": "text", "text": "word " * 5_000}]}
    (command,) = carrier.classify(exchange, json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}).encode() + b"\n")
    assert isinstance(command, Admit)
    monkeypatch.setattr(carrier._opened(), "decide", _fails)
    (response,) = carrier.admit(exchange, command).commands
    assert isinstance(response, ToClient)
    words = json.loads(response.line)["error"]["message"]
    assert words == "Penstock could not make the answer (KeyError); repeat the call, or narrow it"


@pytest.mark.parametrize("size", [0, 300_000, 3_000_000])
@pytest.mark.parametrize(
    "form", [b'{"jsonrpc":"2.0","id":1,"result":%b}\n', b'{"result":%b,"id":1, "jsonrpc":"2.0"}\n']
)
def test_a_result_that_is_nested_too_deeply_is_held_byte_for_byte(log: tuple[Log, int], form: bytes, size: int) -> None:
    carrier = carrier_of(log, store="memory:", max_tokens=1_000)
    exchange = exchange_of(carrier)
    called(exchange, "search")
    deep = b'{"a":' * 1_500 + b"1.0" + b"}" * 1_500
    result = b'{"content":[{"type":"text","text":"%b"}],"structuredContent":%b}' % (b"x" * size, deep)
    line = form % result
    (command,) = carrier.classify(exchange, memoryview(line) if size > 1_000_000 else line)
    assert isinstance(command, Admit)
    notice = head_of(result_of(carrier.admit(exchange, command)))
    found = b""
    while len(found) < len(result):
        told = fetched(carrier, action="get", cache_id=notice["cache_id"], start_index=len(found), max_length=10**6)
        if size > 1_000 and not found:  # all but the end is one letter
            assert head_of(told)["total_length"] == len(result)
            assert result.startswith(text_of(told).encode())
            found = result[: len(result) - 9_000]
            continue
        found += text_of(told).encode()
    assert found == result
    assert exchange.open_count == 0


def test_a_small_result_that_is_nested_too_deeply_passes_as_it_came(log: tuple[Log, int]) -> None:
    carrier = carrier_of(log, store="memory:")
    exchange = exchange_of(carrier)
    called(exchange, "search")
    line = b'{"id":1,"result":{"content":' + b"[" * 1_500 + b"]" * 1_500 + b"}}\n"
    (command,) = carrier.classify(exchange, line)
    assert isinstance(command, Admit)
    (response,) = carrier.admit(exchange, command).commands
    assert isinstance(response, ToClient)
    assert response.line == line


def test_words_for_the_client_need_no_memory(log: tuple[Log, int], monkeypatch: pytest.MonkeyPatch) -> None:
    def no_memory(*_: object) -> None:
        raise MemoryError

    carrier = carrier_of(log, store="memory:")
    monkeypatch.setattr(log[0], "note", no_memory)
    exchange = exchange_of(carrier)
    (relayed,) = called(exchange, "search")
    assert isinstance(relayed, ToUpstream)
    (response,) = carrier.fail(exchange, relayed.requests[0], MemoryError()).commands
    assert isinstance(response, ToClient)
    assert json.loads(response.line)["error"]["message"] == OUT_OF_MEMORY


@pytest.mark.parametrize(
    ("command", "is_passed"), [(["node", "server.js"], True), (["penstock", "run", "--config", "mcp.json"], False)]
)
def test_result_of_a_tool_that_was_not_listed_is_not_passed_between_combined_servers(
    log: tuple[Log, int], command: list[str], *, is_passed: bool
) -> None:
    """Which of several servers has such a tool is not known, and neither is where its results come from."""
    carrier = Carrier(ConfigRules(Config(store="memory:")), log[0], command)
    held = handle(carrier)
    (resolve,) = called(exchange := exchange_of(carrier), "keep", text=f"held:{held}")
    assert isinstance(resolve, Resolve)
    (answer,) = carrier.carry(exchange, resolve).commands
    assert isinstance(answer, ToUpstream) is is_passed
