"""The same call again: the notice says what changed, and the action ``changes`` shows it. To nobody but the owner."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from penstock.config import Config
from penstock.core.answer.result import parse
from penstock.core.answer.stand_in import cost
from penstock.core.changes import compare as comparing
from penstock.core.changes import since as at_admission
from penstock.core.fit import Call
from penstock.errors import StoreError
from penstock.gate import Gate
from penstock.gate.actions import changes as action
from penstock.gate.comparing import call_digest
from penstock.gate.owners import Caller, Owner, Owners
from penstock.stores import open_store
from tests.gate.conftest import Desk, notice
from tests.kit.answers import head_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.query.sandbox.sandbox import Sandbox

ROWS = [{"id": number, "state": "open", "title": f"ticket {number} about words"} for number in range(400)]
LATER = [*ROWS[:5], {**ROWS[5], "state": "closed"}, *ROWS[7:], {"id": 999, "state": "new", "title": "one more"}]
WORDS = "+1 -1 ~1 rows, 398 unchanged, matched by .id"


def test_the_notice_of_the_same_call_says_what_changed_since(desk: Desk) -> None:
    first = notice(desk.admit(ROWS))
    assert "changes" not in first
    desk.clock.time += 42
    later = notice(desk.admit(LATER))
    assert later["changes"] == f"since {first['cache_id']}, 42 s ago: {WORDS}"
    assert later["next"][0]["arguments"] == {"cache_id": later["cache_id"], "action": "changes"}
    again = notice(desk.admit(LATER))
    assert again["changes"] == f"since {later['cache_id']}, 0 s ago: unchanged"
    assert all(call["arguments"]["action"] != "changes" for call in again["next"])


def test_a_text_is_compared_with_rows_that_nobody_has_read_on(desk: Desk) -> None:
    """Regression: JSON that is indexed by the first call that reads on had no index when it was compared."""
    rows = [{"id": number, "text": "long " * 100} for number in range(700)]
    first = notice(desk.admit({"data": {"items": rows}, "n": 1.5}))
    later = notice(desk.admit("".join(f"line {number}: other words\n" for number in range(3_000))))
    assert later["changes"].startswith(f"since {first['cache_id']}")


def test_changes_are_shown_since_the_result_before_or_since_any_other(desk: Desk) -> None:
    first, later, last = (desk.hold(rows) for rows in (ROWS, LATER, ROWS))
    told = desk.fetch("changes", later)
    assert (told["since"], told["changes"]) == (first, WORDS)
    assert told["result"] == [
        {
            "op": "changed",
            "row": 6,
            "key": 5,
            "values": [{"path": ".state", "was": "open", "now": "closed"}],
        },
        {"op": "added", "row": 400, "now": LATER[-1]},
        {"op": "removed", "was_row": 7, "was": ROWS[6]},
    ]
    assert desk.fetch("changes", last, since=first) == {"since": first, "changes": "unchanged", "result": []}
    backwards = desk.fetch("changes", first, since=later)
    assert [one["op"] for one in backwards["result"]] == ["changed", "added", "removed"]
    other = desk.hold("a log line\n" * 2_000, tool="tail")
    assert desk.fetch("changes", other, since=first)["changes"] == "everything: it was JSON, and is text"
    assert desk.fetch("changes", other, since=other)["changes"] == "unchanged"


def test_only_the_same_tool_with_the_same_arguments_is_the_same_call(desk: Desk) -> None:
    def changes(rows: Any, tool: str = "search", server: str | None = "", **arguments: Any) -> str | None:
        raw = json.dumps({"content": [{"type": "text", "text": json.dumps(rows)}]}).encode()
        call = Call(tool=tool, owner="ann", arguments=arguments)
        told: str | None = notice(json.loads(desk.gate.decide(call, raw, server=server).answer)).get("changes")
        return told

    assert changes(ROWS, a=1, b={"x": 1, "y": 2}) is None
    assert changes(LATER, b={"y": 2, "x": 1}, a=1) is not None
    assert changes(LATER, a="1", b={"x": 1, "y": 2}) is None
    assert changes(LATER, tool="list", a=1, b={"x": 1, "y": 2}) is None
    assert changes(LATER, server="another", a=1, b={"x": 1, "y": 2}) is None
    assert changes(LATER, a=changes) is None  # no JSON: such a call is never the same
    assert changes(LATER, a=changes) is None


def test_another_owners_result_is_never_compared_with(desk: Desk) -> None:
    mine = desk.hold(ROWS)
    assert "changes" not in notice(desk.admit(LATER, owner="bob"))
    theirs = desk.hold(LATER, owner="bob")
    foreign = desk.error("changes", mine, since=theirs)
    assert foreign == desk.error("changes", mine, since=f"r_{'x' * 22}").replace(f"r_{'x' * 22}", theirs)


def test_callers_without_a_token_are_told_only_of_their_own_session(desk: Desk) -> None:
    owners = Owners()
    raw = json.dumps({"content": [{"type": "text", "text": json.dumps(ROWS)}]}).encode()

    def changes(session: str) -> str | None:
        owner = owners.over_http(Caller(address="10.0.0.1"), session)
        call = Call(tool="search", owner=owner.name)
        told: str | None = notice(json.loads(desk.gate.decide(call, raw, owner=owner).answer)).get("changes")
        return told

    assert [changes("one"), changes("two"), changes(""), changes("")] == [None] * 4
    assert str(changes("one")).endswith("unchanged")
    assert call_digest("t", "", {}, Owner(name="anyone", lists="run")) == ""


def test_a_result_that_is_gone_is_not_compared_with(desk: Desk) -> None:
    first = desk.hold(ROWS)
    second = desk.hold(LATER)
    assert desk.store.drop("ann", first)
    gone = desk.error("changes", second)
    assert first in gone
    assert "repeat the call: its new result is compared with this one" in gone
    desk.clock.time += 3_600  # both have expired
    assert "changes" not in notice(desk.admit(ROWS))


def test_the_first_result_of_a_call_has_nothing_to_be_compared_with(desk: Desk) -> None:
    assert "no earlier result of this call" in desk.error("changes", desk.hold(ROWS))


def test_an_error_is_no_result_to_compare_with(desk: Desk) -> None:
    desk.hold(ROWS)
    failed = notice(desk.admit("no such table\n" * 2_000, isError=True))
    assert "changes" not in failed
    assert notice(desk.admit(LATER))["changes"].endswith(WORDS)


def test_what_a_filter_leaves_is_compared_with_what_it_left_before(sandbox: Sandbox) -> None:
    config = Config(max_tokens=3_000, rules={"search": {"filter": "map(del(.title))"}})
    with open_store("memory:") as store:
        gate = Gate(store, config, sandbox=sandbox)

        def admitted(rows: Any) -> dict[str, Any]:
            raw = json.dumps({"content": [{"type": "text", "text": json.dumps(rows)}]}).encode()
            return notice(json.loads(gate.admit(Call(tool="search", owner="ann"), raw)))

        admitted(ROWS)
        assert admitted([{**row, "title": "other"} for row in ROWS])["changes"].endswith("s ago: unchanged")
        assert admitted(LATER)["changes"].endswith(WORDS)


def test_pages_of_changes_put_together_are_all_changes_and_fit(desk: Desk) -> None:
    first, later = desk.hold(ROWS), desk.hold([{**row, "state": "closed"} for row in ROWS])
    together: list[Any] = []
    number, total = 1, 1
    while number <= total:
        raw = desk.raw("changes", later, page=number, since=first)
        assert cost(parse(raw), "claude") <= 1_500
        told = head_of(raw)
        together += told["result"]
        total = told["_pagination"]["total_pages"]
        number += 1
    assert total > 1
    assert [one["row"] for one in together] == list(range(1, 401))
    lowered = desk.fetch("changes", later, page_tokens=100_000)
    assert "lowered" in lowered


def test_a_log_that_only_grew_says_so_and_shows_what_is_new(desk: Desk) -> None:
    log = "".join(f"2026-01-01T00:{n // 60:02d}:{n % 60:02d}Z INFO worker {n} done\n" for n in range(900))
    desk.hold(log)
    later = notice(desk.admit(log + "2026-01-01T01:00:00Z ERROR evil\u2028line\n"))
    assert later["changes"].endswith(": +1 line at the end, 900 unchanged")
    raw = desk.raw("changes", later["cache_id"])
    assert head_of(raw)["result"] == [
        {"op": "added", "line": 901, "now": ["2026-01-01T01:00:00Z ERROR evil\u2028line"]}
    ]
    assert "\u2028" not in raw.decode()


def test_above_two_megabytes_only_bytes_are_compared_at_admission(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(at_admission, "MAX_COMPARED", 1_000)
    reads: list[int] = []
    monkeypatch.setattr("penstock.gate.comparing.version_of_held", reads.append)
    desk.hold(ROWS)
    assert notice(desk.admit(ROWS))["changes"].endswith(": unchanged")
    later = notice(desk.admit(LATER))
    assert later["changes"].endswith(": changed")
    assert reads == []
    assert desk.fetch("changes", later["cache_id"])["changes"] == WORDS


def test_results_that_are_too_large_to_compare_are_told_to_be_the_same_or_not(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, same, later = (desk.hold(rows) for rows in (ROWS, ROWS, LATER))
    monkeypatch.setattr(action, "MAX_SIZE", 100)
    assert desk.fetch("changes", same, since=first)["changes"] == "unchanged"
    assert "more than 100 bytes" in desk.error("changes", later, since=first)
    monkeypatch.setattr(comparing, "MAX_PARTS", 10)
    monkeypatch.setattr(action, "MAX_SIZE", 10**9)
    assert "very many lines or values" in desk.error("changes", later, since=first)


def test_a_store_that_fails_while_it_is_asked_costs_the_comparison_and_nothing_else(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.hold(ROWS)

    def fail(*_: object) -> None:
        raise StoreError("the store is out of order")

    monkeypatch.setattr(desk.store, "latest", fail)
    told = notice(desk.admit(LATER))
    assert "changes" not in told
    assert "cache_id" in told


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("a: 1\nb: [1, 2]\n" * 800, "a: 1\nb: [1, 2]\n" * 800 + "c: 3\n", "+1 line at the end"),
        (
            json.dumps({"path": "/x.yaml", "content": "".join(f"k{n}: {n}\n" for n in range(2_000))}),
            json.dumps({"path": "/x.yaml", "content": "".join(f"k{n}: {n}\n" for n in range(2_001))}),
            "in .content +1 line at the end, 2,000 unchanged",
        ),
        (
            "Found:\n" + json.dumps(ROWS) + "\n",
            "Found:\n" + json.dumps(LATER) + "\n",
            WORDS,
        ),
        (
            "\n".join(map(json.dumps, ROWS)),
            "\n".join(map(json.dumps, LATER)),
            WORDS,
        ),
        ("A" * 20_000, "B" * 20_000, "+1 -1 lines, 0 unchanged"),
    ],
    ids=["yaml", "yaml in a string", "JSON in a text", "JSON lines", "one long line"],
)
def test_held_results_of_all_kinds_are_compared_as_they_were_when_they_came(
    desk: Desk, old: str, new: str, words: str
) -> None:
    first = desk.hold(old)
    later = notice(desk.admit(new))
    assert words in later["changes"]
    assert words in desk.fetch("changes", later["cache_id"], since=first)["changes"]


def test_a_picture_is_compared_as_a_whole(desk: Desk) -> None:
    clients: Any = {"narrow": {"max_media_bytes": 60_000}}
    gate = Gate(desk.store, Config(clients=clients), now=desk.clock)

    def held(data: str) -> str:
        picture = {"type": "image", "data": data * 12_500, "mimeType": "image/png"}
        raw = json.dumps({"content": [{"type": "text", "text": "see"}, picture], "x": "y " * 20_000}).encode()
        told = json.loads(gate.admit(Call(tool="shot", owner="ann", client="narrow"), raw))
        stub = next(one["text"] for one in told["content"] if one["text"].startswith("["))
        return str(re.findall(r"held as (r_[\w-]{22})", stub)[0])

    one, two = held("aGVsbG8h"), held("d29ybGQh")
    assert desk.fetch("changes", two, since=one)["changes"] == "everything: other binary data"


@pytest.fixture
def narrow(sandbox: Sandbox) -> Iterator[Gate]:
    with open_store("memory:") as store:
        yield Gate(store, Config(max_tokens=250, preview_tokens=250, page_tokens=250), sandbox=sandbox)


def test_the_smallest_budget_has_room_for_what_it_says(narrow: Gate) -> None:
    handle = ""
    for rows in (ROWS, LATER):
        raw = json.dumps({"content": [{"type": "text", "text": json.dumps(rows)}]}).encode()
        answer = narrow.admit(Call(tool="search", owner="ann"), raw)
        assert cost(parse(answer), "claude") <= 250
        handle = notice(json.loads(answer))["cache_id"]
    assert cost(parse(narrow.fetch("ann", {"action": "changes", "cache_id": handle})), "claude") <= 250


def test_the_digest_of_a_call_tells_the_sessions_of_callers_without_a_name_apart() -> None:
    anyone = Owner(name="anyone", run="s1", lists="run")
    digests = [
        call_digest("t", "", {"a": 1}, owner)
        for owner in (anyone, replace(anyone, run="s2"), Owner(name="ann", run="s1"), Owner(name="ann", run="s2"))
    ]
    assert digests[2] == digests[3]
    assert len(set(digests)) == 3
