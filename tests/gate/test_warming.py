"""Results of calls that were made ahead: given once, to the caller whose they are, with their age; never when gone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from penstock.config import Config
from penstock.core.answer.result import parse
from penstock.core.answer.stand_in import cost
from penstock.errors import ConfigError, StoreError
from penstock.gate import Gate
from penstock.gate.owners import Owner
from penstock.gate.passing import Target
from penstock.gate.warming import DONE, WarmRun, WarmTerms
from penstock.middleware.decorator import budgeted
from penstock.stores import open_store
from tests.gate.conftest import Clock, numbered_handle
from tests.kit.answers import head_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROWS = [{"id": n, "note": f"note {n}"} for n in range(4_000)]
ME = Owner(name="me", run="now")
CALLS: Any = [{"tool": "rows", "arguments": {"b": [1], "a": "ü"}}]
GIVEN = b'{"a":"\\u00fc","b":[1]}'


class Warmed:
    """A gate whose call ahead was made, with a clock and its log."""

    def __init__(
        self,
        result: Any = ROWS,
        *,
        failure: str = "",
        before: Callable[[Gate], object] = lambda _: None,
        **settings: Any,
    ) -> None:
        self.clock, self.log = Clock(), list[str]()
        self.store = open_store("memory:", now=self.clock)
        config = Config(warm=CALLS, **settings)
        note = self.log.append
        self.gate = Gate(
            self.store,
            config,
            now=self.clock,
            new_handle=numbered_handle,
            failed=lambda error: note(str(error)),
            acted=note,
        )
        schema: dict[str, Any] = {"type": "object"}
        run = self.gate.begin_warming(
            WarmTerms(
                owner=ME,
                client="",
                target_of=lambda tool: Target(tool=tool, schema=schema, read_only=True),
                server_name_of=lambda _: "rows",
            )
        )
        assert isinstance(run, WarmRun)
        assert (run.call.tool, run.call.arguments) == ("rows", {"a": "ü", "b": [1]})
        before(self.gate)
        text = result if isinstance(result, dict) else {"content": [{"type": "text", "text": json.dumps(result)}]}
        assert run.step(json.dumps(text).encode(), failure) == DONE

    def take(self, arguments: bytes = GIVEN, *, owner: Owner = ME, client: str = "") -> list[str] | None:
        answer = self.gate.warmed(owner, "rows", arguments, client)
        if answer is None:
            return None
        assert cost(parse(answer), "claude") <= self.gate.config.max_tokens
        return [block["text"] for block in json.loads(answer)["content"]]


@pytest.fixture
def warmed() -> Iterator[Warmed]:
    made = Warmed()
    yield made
    made.gate.close()


@pytest.mark.parametrize(
    "settings",
    [{"notice": "full"}, {"notice": "full", "max_tokens": 800}, {"notice": "data", "max_tokens": 1_500}],
    ids=str,
)
def test_a_result_is_given_once_with_its_age_and_the_time_that_is_left(settings: dict[str, Any]) -> None:
    warmed = Warmed(**settings)
    warmed.clock.time += 90
    texts = warmed.take()
    assert texts is not None
    notice = head_of(texts[0])
    assert notice["metadata"]["expires_in_s"] == 1_710
    assert "prefetched 90 s ago" in notice["note"]
    info = json.loads(warmed.gate.fetch(ME, {"action": "info", "cache_id": notice["cache_id"]}))
    assert '"expires_in_s":1710' in info["content"][0]["text"]
    assert warmed.take() is None
    warmed.gate.close()


def test_the_calls_are_made_once(warmed: Warmed) -> None:
    terms = WarmTerms(owner=ME, client="", target_of=lambda tool: Target(tool=tool), server_name_of=lambda _: "")
    assert warmed.gate.begin_warming(terms) is None


def test_what_has_expired_or_was_dropped_is_not_given(warmed: Warmed) -> None:
    warmed.clock.time += 1_800
    assert warmed.take() is None
    other = Warmed()
    other.store.drop("me", other.store.list("me")[0].handle)
    assert other.take() is None
    other.gate.close()


@pytest.mark.parametrize(
    ("arguments", "owner", "client"),
    [
        (b'{"a":"x","b":[1]}', ME, ""),
        (b"no JSON", ME, ""),
        (b"[" * 2_000, ME, ""),
        (GIVEN, Owner(name="another"), ""),
        (GIVEN, ME, "claude-code"),
    ],
    ids=["others", "no JSON", "deep", "owner", "client"],
)
def test_another_call_is_the_servers_to_answer(warmed: Warmed, arguments: bytes, owner: Owner, client: str) -> None:
    assert warmed.take(arguments, owner=owner, client=client) is None


def test_a_store_that_fails_sends_the_call_to_the_server(warmed: Warmed, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        raise StoreError("the disk is gone")

    monkeypatch.setattr(warmed.store, "get", failing)
    assert warmed.take() is None


@pytest.mark.parametrize(
    ("result", "failure", "says"),
    [
        ([1, 2], "", "is not held: it is small"),
        ({"content": [{"type": "text", "text": "x"}], "isError": True}, "", "answered with an error"),
        ({"task": {"taskId": "t", "status": "working"}}, "", "it is not complete"),
        (ROWS, "the server has not answered", "gave no result: the server has not answered"),
    ],
    ids=["small", "error", "task", "failure"],
)
def test_what_is_no_large_result_is_let_go(result: Any, failure: str, says: str) -> None:
    warmed = Warmed(result, failure=failure)
    assert says in warmed.log[-1]
    assert warmed.take() is None
    assert not warmed.store.list("me")
    warmed.gate.close()


def test_a_result_that_comes_after_the_clients_own_call_is_let_go() -> None:
    late = Warmed(before=lambda gate: gate.warmed(ME, "rows", GIVEN))
    assert "was called by the client before its result came" in late.log[-1]
    assert not late.store.list("me")
    late.gate.close()


def test_a_tool_with_a_filter_is_refused() -> None:
    log: list[str] = []
    config = Config(warm=CALLS, store="memory:", rules={"rows": {"filter": "."}})
    gate = Gate(open_store("memory:"), config, failed=lambda error: log.append(str(error)))
    schema: dict[str, Any] = {"type": "object"}
    terms = WarmTerms(
        owner=ME,
        client="",
        target_of=lambda tool: Target(tool=tool, schema=schema, read_only=True),
        server_name_of=lambda _: "",
    )
    assert gate.begin_warming(terms) is None
    assert "it has a filter in its rule" in log[0]


@pytest.mark.parametrize(
    "calls",
    ["rows", [{"tool": ""}], [{"arguments": {}}], [{"tool": "a", "arguments": []}], [{"tool": "a"}] * 21, [5], ["{"]],
    ids=str,
)
def test_what_is_no_list_of_calls_is_refused(calls: Any) -> None:
    with pytest.raises(ConfigError, match="expected a list of at most 20 calls"):
        Config(warm=calls)


def test_calls_are_compared_whatever_the_order_of_their_arguments_is() -> None:
    config = Config(warm=[{"tool": "a", "arguments": {"x": 1, "y": 2}}, {"tool": "a", "arguments": {"y": 2, "x": 1}}])
    assert len(config.warm) == 1
    assert config.with_(max_tokens=900).warm == config.warm
    assert Config(warm="off").warm == ()


def test_a_servers_own_middleware_refuses_the_setting() -> None:
    with pytest.raises(ConfigError, match="warm has no effect in a server's own middleware"):
        budgeted(warm=CALLS)
    with pytest.raises(ConfigError, match="warm has no effect in a server's own middleware"):
        budgeted(config=Config(warm=CALLS))
