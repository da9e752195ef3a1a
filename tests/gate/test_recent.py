"""The bytes of the last results are kept at hand, within a bound, and no longer than the results."""

from __future__ import annotations

import json

from penstock import Call, Config, Gate, open_store
from penstock.core.changes.since import AT_ONCE
from penstock.gate.recent import MOST, RecentBytes
from tests.gate.conftest import OWNER, Desk, notice
from tests.kit.answers import head_of

ROWS = [{"id": number, "state": "open", "title": f"ticket {number} about words"} for number in range(400)]
LATER = [{**ROWS[0], "state": "closed"}, *ROWS[1:]]


def test_the_oldest_give_way() -> None:
    recent = RecentBytes()
    large = b"x" * AT_ONCE
    for number in range(MOST // AT_ONCE + 1):
        recent.remember("o", str(number), large)
    assert [recent.get("o", str(number)) is None for number in range(3)] == [True, False, False]


def test_a_result_is_kept_for_its_owner_until_it_is_forgotten() -> None:
    recent = RecentBytes()
    recent.remember("o", "a", b"one")
    recent.remember("o", "a", b"two")
    assert (recent.get("o", "a"), recent.get("other", "a")) == (b"two", None)
    recent.forget("other", "a")
    recent.forget("o", "a")
    assert recent.get("o", "a") is None


def test_a_large_result_is_not_kept() -> None:
    recent = RecentBytes()
    recent.remember("o", "a", b"x" * (AT_ONCE + 1))
    assert recent.get("o", "a") is None


def admitted(gate: Gate, rows: list[dict[str, object]]) -> dict[str, str]:
    """Admit rows, and return the notice."""
    raw = json.dumps({"content": [{"type": "text", "text": json.dumps(rows)}]}).encode()
    answer = gate.admit(Call(tool="list", owner=OWNER), raw)
    made: dict[str, str] = head_of(answer)
    return made


def test_another_gate_that_shares_the_store_says_the_same_of_the_changes() -> None:
    with open_store("memory:") as store:
        gate, other = Gate(store, Config(max_tokens=1_000)), Gate(store, Config(max_tokens=1_000))
        admitted(gate, ROWS)
        words = [admitted(one, rows)["changes"].partition(": ")[2] for one, rows in ((gate, LATER), (other, ROWS))]
    assert words == ["0 rows added, 0 removed, 1 changed, 399 unchanged, told apart by .id"] * 2


def test_a_result_is_let_go_when_a_newer_one_of_the_same_call_comes_or_when_it_is_dropped(desk: Desk) -> None:
    recent = desk.gate._keeper.recent
    first = notice(desk.admit(ROWS))["cache_id"]
    assert recent.get(OWNER, first) == json.dumps(ROWS).encode()
    later = notice(desk.admit(LATER))["cache_id"]
    assert recent.get(OWNER, first) is None
    assert recent.get(OWNER, later) is not None
    with open_store("memory:") as store:
        gate = Gate(store, Config(max_tokens=1_000, act=("drop",)))
        handle = admitted(gate, ROWS)["cache_id"]
        assert gate._keeper.recent.get(OWNER, handle) is not None
        gate.act(OWNER, {"action": "drop", "cache_id": handle})
        assert gate._keeper.recent.get(OWNER, handle) is None
