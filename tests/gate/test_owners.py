"""Whose a held result is: the same rules for the gateway and the middleware, and for every way in."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from penstock.config import Config
from penstock.core.fit import Call
from penstock.gate import Gate
from penstock.gate.owners import Caller, Owner, Owners, principal_of_token, unsolicited
from penstock.gate.records import FORMAT
from penstock.stores import Metadata, NewRecord, new_handle, open_store
from tests.kit.answers import head_of

ROWS = json.dumps({"content": [{"type": "text", "text": json.dumps([{"id": n} for n in range(20_000)])}]}).encode()


@pytest.fixture
def gate() -> Gate:
    return Gate(open_store("memory:"), Config(store="memory:"))


def held(gate: Gate, owner: Owner) -> str:
    answer = json.loads(gate.admit(Call(tool="rows", owner=owner.name), ROWS, owner=owner))
    return str(head_of(answer)["cache_id"])


def asked(gate: Gate, owner: Owner | str, **arguments: Any) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(gate.fetch(owner, arguments))
    return told


def listed(gate: Gate, owner: Owner) -> list[tuple[str, str | None]]:
    told = head_of(asked(gate, owner, action="list"))
    return [(one["cache_id"], one.get("made_by")) for one in told["results"]]


def test_over_stdio_the_user_the_command_and_the_folder_make_the_owner() -> None:
    owners, later = Owners(), Owners()
    first = owners.local(["npx", "server"], folder="/a", user="1")
    assert first.name == later.local(["npx", "server"], folder="/a", user="1").name
    assert first.run != later.local(["npx", "server"]).run
    others = [
        owners.local(["npx", "other"], folder="/a", user="1"),
        owners.local(["npx", "server"], folder="/b", user="1"),
        owners.local(["npx", "server"], folder="/a", user="2"),
        owners.local(["npx server"], folder="/a", user="1"),
    ]
    assert len({first.name, *(one.name for one in others)}) == 5
    assert "server" not in first.name


def test_a_folder_that_was_removed_is_no_hindrance(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> str:
        raise FileNotFoundError

    monkeypatch.setattr(os, "getcwd", gone)
    monkeypatch.delattr(os, "getuid", raising=False)
    monkeypatch.setenv("USERNAME", "ann")
    assert Owners().local(["a"]).name == Owners().local(["a"]).name


def test_over_http_the_principal_is_the_owner_and_without_one_the_handle_is_the_secret(gate: Gate) -> None:
    owners = Owners()
    ann, bob = (owners.over_http(Caller(principal=principal_of_token(token))) for token in (b"a", b"b"))
    anyone, session, other = (owners.over_http(Caller(), session) for session in ("", "s1", "s2"))
    anns, made = held(gate, ann), held(gate, session)
    assert "isError" not in asked(gate, ann, cache_id=anns)
    assert all(asked(gate, one, cache_id=anns)["isError"] for one in (bob, anyone, session))
    assert all("isError" not in asked(gate, one, cache_id=made) for one in (anyone, session, other))
    assert asked(gate, ann, cache_id=made)["isError"]
    assert [listed(gate, one) for one in (session, other, anyone, bob)] == [[(made, None)], [], [], []]


def test_a_list_tells_this_runs_results_first_and_marks_the_others(gate: Gate) -> None:
    earlier, now = (Owners(run=run).local(["a"]) for run in ("1", "2"))
    old, new, last = held(gate, earlier), held(gate, now), held(gate, earlier)
    assert listed(gate, now)[0] == (new, None)
    assert sorted(listed(gate, now)[1:]) == sorted([(old, "another run"), (last, "another run")])
    filtered = asked(gate, now, action="filter", cache_id=new, jq_filter=".")
    again = head_of(filtered)["cache_id"]
    assert (again, None) in listed(gate, now)[:2]


def test_the_setting_names_the_owner_for_every_way_in() -> None:
    named, alone = Owners("ann"), Owners("run", run="7")
    assert {
        named.local(["a"]).name,
        named.over_http(Caller(principal="t")).name,
        named.over_http(Caller()).name,
        named.named("x").name,
    } == {"ann"}
    assert named.over_http(Caller()).lists == "all"
    different = [
        alone.local(["a"]).name,
        alone.over_http(Caller(principal="t")).name,
        alone.over_http(Caller()).name,
        alone.named("x").name,
    ]
    assert len({*different, *(Owners("run").over_http(Caller()).name for _ in range(2))}) == 6
    assert alone.over_http(Caller()).lists == "run"
    assert Owners().named("x").name == "x"


def test_what_a_shared_server_sends_unasked_opens_for_no_caller(gate: Gate) -> None:
    kept = held(gate, unsolicited())
    owners = Owners()
    assert all(asked(gate, one, cache_id=kept)["isError"] for one in (owners.over_http(Caller()), owners.local(["a"])))


def test_a_handle_that_does_not_open_says_what_it_may_be_and_what_to_do(gate: Gate) -> None:
    kept = held(gate, Owner(name="me"))
    foreign, unknown = (asked(gate, "you", cache_id=one)["content"][0]["text"] for one in (kept, new_handle()))
    assert foreign.splitlines()[1:] == unknown.splitlines()[1:]
    assert all(word in foreign for word in ("repeat the original call", "expired", "evicted", "token", "folder"))


def test_a_record_of_another_version_is_a_clear_error(gate: Gate) -> None:
    for extra in ({}, {"format": FORMAT + 1}):
        handle = new_handle()
        meta = Metadata(tool="rows", created=0.0, expires=None, extra=extra)
        gate.store.put(NewRecord(handle=handle, owner="me", raw=b"x", meta=meta))
        told = asked(gate, "me", action="get", cache_id=handle)
        assert told["isError"]
        assert "another version" in told["content"][0]["text"]
    assert "isError" not in asked(gate, "me", action="list")
