"""The gate of one gateway: opened when it is first needed, and closed with what it has counted."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from penstock.config import Config
from penstock.gateway.desk import SWEPT, Desk
from penstock.gateway.log import Log
from penstock.gateway.rules import Rules
from penstock.protocol.commands import Admit, Fetch, OpenRequest
from penstock.protocol.payloads import open_result
from penstock.stores import Counts, open_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TOOL = "fetch_cached_response"


@pytest.fixture
def log() -> Iterator[tuple[Log, int]]:
    reading, writing = os.pipe()
    yield Log(descriptor=writing), reading
    os.close(reading)
    os.close(writing)


def desk(log: tuple[Log, int], **given: Any) -> Desk:
    config = Config(**given)
    return Desk(Rules(lambda: config), log[0])


def admitted(desk: Desk, text: str, tool: str = "search") -> dict[str, Any]:
    result = json.dumps({"content": [{"type": "text", "text": text}]}).encode()
    opened = open_result("tools/call", result)
    assert opened is not None
    request = OpenRequest(key=b"1", method="tools/call", name=tool, params=b"{}", modern=False, since=0)
    admit = Admit(
        request=request,
        view=opened,
        line=result,
        lifted=None,
        client="",
        arguments={},
        tool=tool,
        schema=None,
        structured=False,
    )
    told: dict[str, Any] = json.loads(desk.admit(admit, TOOL))
    return told


def handle(desk: Desk) -> str:
    told = admitted(desk, "word " * 50_000)
    return str(json.loads(told["content"][0]["text"])["cache_id"])


def fetched(desk: Desk, **arguments: Any) -> dict[str, Any]:
    request = OpenRequest(key=b"2", method="tools/call", name=TOOL, params=b"{}", modern=False, since=0)
    told: dict[str, Any] = json.loads(desk.fetch(Fetch(request=request, client="", arguments=arguments), TOOL))
    return told


def test_nothing_is_opened_for_nothing(log: tuple[Log, int], tmp_path: Path) -> None:
    desk(log, store=f"sqlite://{tmp_path}/held.db").close({})
    assert list(tmp_path.iterdir()) == []


def test_counters_that_nobody_could_read_are_not_kept(log: tuple[Log, int], monkeypatch: pytest.MonkeyPatch) -> None:
    from penstock.gate import Gate

    counted: list[str] = []
    monkeypatch.setattr(Gate, "count_call", lambda _, tool, number: counted.append(f"{tool} {number}"))
    desk(log, store="memory:").close({"search": 3})
    assert counted == []


def test_what_was_held_is_read_back_under_the_name_of_our_tool(log: tuple[Log, int]) -> None:
    ours = desk(log, store="memory:")
    told = fetched(ours, action="get", cache_id=handle(ours))
    assert told["content"][1]["text"].startswith("word word")
    ours.close({})


@pytest.mark.parametrize(("owner", "opens"), [("auto", True), ("run", False), ("ann", True)])
def test_a_later_run_reads_what_an_earlier_one_held_unless_each_is_alone(
    log: tuple[Log, int], tmp_path: Path, owner: str, opens: bool
) -> None:
    store = f"sqlite://{tmp_path}/held.db"
    first = desk(log, store=store, owner=owner)
    kept = handle(first)
    assert "isError" not in fetched(first, action="info", cache_id=kept)
    later = desk(log, store=store, owner=owner)
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
    one, other = (Desk(Rules(lambda: config), log[0], command) for command in (["a", "b"], ["a", "c"]))
    kept = handle(one)
    assert fetched(other, action="info", cache_id=kept)["isError"]
    one.close({})
    other.close({})


def test_a_named_owner_reads_after_a_restart_what_was_held_before(log: tuple[Log, int], tmp_path: Path) -> None:
    store = f"sqlite://{tmp_path}/held.db"
    first = desk(log, store=store, owner="ann")
    kept = handle(first)
    first.close({})
    second = desk(log, store=store, owner="ann")
    assert "isError" not in fetched(second, action="info", cache_id=kept)
    second.close({})


def test_calls_that_passed_unread_are_counted_at_the_end(log: tuple[Log, int], tmp_path: Path) -> None:
    store = f"sqlite://{tmp_path}/held.db"
    ours = desk(log, store=store)
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
    ours = desk(log, store="memory:")
    for _ in range(2 * SWEPT):
        admitted(ours, "small")
    assert len(swept) == 2
    ours.close({})


def test_without_its_store_results_are_held_in_memory(log: tuple[Log, int]) -> None:
    ours = desk(log, store="sqlite:///x?max_bytes=many")
    assert "isError" not in fetched(ours, action="info", cache_id=handle(ours))
    told = os.read(log[1], 1_000).decode()
    assert told.startswith("penstock: error: the store's max_bytes is 'many'")
    assert told.endswith("results are held in memory until this ends\n")
    ours.close({})


def test_a_store_that_fails_is_told_of(log: tuple[Log, int], tmp_path: Path) -> None:
    (tmp_path / "held.db").write_bytes(b"no database " * 100)
    ours = desk(log, store=f"sqlite://{tmp_path}/held.db")
    told = admitted(ours, "word " * 50_000)
    assert "The rest was not kept" in told["content"][0]["text"]
    assert "is not a SQLite database" in os.read(log[1], 1_000).decode()
    ours.close({})
