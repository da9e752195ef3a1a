"""Whose call it is, what passes unread, and what the gate is shown of an answer."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from penstock.config import Config
from penstock.config.unread import EVERY_CLIENT
from penstock.gate.owners import Owner
from penstock.middleware.shared import LONG, SharedGate, ToolRequest
from tests.kit.answers import head_of, text_of

if TYPE_CHECKING:
    from pathlib import Path

ME = Owner(name="me")
ROWS = [{"id": n, "note": f"note {n} " * 8} for n in range(2_000)]


def shared_gate(**settings: Any) -> SharedGate:
    return SharedGate(Config(**{"store": "memory:", "max_tokens": 2_000, **settings}))


def call(name: str = "search", **given: Any) -> ToolRequest:
    return ToolRequest(method="tools/call", name=name, owner=ME, **given)


def texts(result: dict[str, Any]) -> list[str]:
    return [block["text"] for block in result["content"]]


def of_text(text: str, **beside: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], **beside}


def over_http(session: str = "", address: str = "127.0.0.1") -> Any:
    """An HTTP request, as Starlette has it."""
    return SimpleNamespace(headers={"mcp-session-id": session} if session else {}, client=SimpleNamespace(host=address))


def test_callers_without_a_credential_compete_by_address() -> None:
    gate = shared_gate()
    shares = [
        gate.owner(None, over_http(*one)).share for one in (("s", "10.0.0.1"), ("t", "10.0.0.1"), ("s", "10.0.0.2"))
    ]
    assert shares[0].group == shares[1].group != shares[2].group
    assert len(set(shares)) == 3
    assert gate.owner(None, SimpleNamespace(headers={}, client=None)).share.group == "address:"


def test_callers_are_told_apart_by_what_they_show() -> None:
    one, other = shared_gate(), shared_gate()
    assert one.owner(["issuer", "client", None], over_http()).name == other.owner(["issuer", "client", None], None).name
    assert one.owner(["a", "b,c"], None).name != one.owner(["a,b", "c"], None).name
    assert one.owner(None, over_http(session="s")).name == other.owner(None, over_http()).name
    assert one.owner(None, None).name == other.owner(None, None).name  # the same user, command and folder
    assert len({one.owner(["t"], None).name, one.owner(None, over_http()).name, one.owner(None, None).name}) == 3


def test_a_handle_that_one_worker_holds_opens_on_another(tmp_path: Path) -> None:
    """Stateless HTTP without a token: both workers have the same owner, and neither lists it."""
    one, other = (shared_gate(store=f"sqlite://{tmp_path}/held.db") for _ in range(2))
    held = one.bounded_now(
        ToolRequest(method="tools/call", name="search", owner=one.owner(None, over_http())), of_text(json.dumps(ROWS))
    )
    handle = head_of(held)["cache_id"]

    def asked(**arguments: Any) -> dict[str, Any]:
        owner = other.owner(None, over_http())
        request = ToolRequest(method="tools/call", name="fetch_cached_response", owner=owner, arguments=arguments)
        return asyncio.run(other.fetched(request))

    assert not asked(action="info", cache_id=handle).get("isError")
    assert handle not in texts(asked(action="list"))[0]
    assert handle not in texts(asked())[0]
    assert "isError" not in asked(cache_id=handle)  # without an action it is told what is held under it
    for worker in (one, other):
        worker.gate.store.close()


def test_a_clients_own_limits_bind_the_middleware_as_they_bind_the_gate() -> None:
    kept = shared_gate(max_tokens=20_000, clients={"tiny": {"max_tokens": 500}})
    result = of_text("A word, and more: 0123456789. " * 60)
    assert len(json.dumps(result)) < EVERY_CLIENT
    told = kept.bounded_now(call(client="tiny"), result)
    assert head_of(told)["type"] == "buffered_response"
    assert kept.bounded_now(call(client="other"), result) is result


def test_what_is_never_held_passes_without_being_weighed() -> None:
    kept = shared_gate(never_hold=True)
    result = of_text("word " * 100_000)
    assert kept.is_small("search", result)
    assert kept.bounded_now(call(), result) is result


def test_a_small_answer_is_the_same_object_and_is_counted() -> None:
    kept = shared_gate()
    result = of_text("few words")
    assert kept.bounded_now(call(), result) is result
    assert asyncio.run(kept.bounded(call(), result)) is result
    kept.gate.flush()
    assert kept.gate.store.counts()["search"].calls == 2


def test_an_answer_that_fits_though_it_is_not_surely_small_is_the_same_object() -> None:
    result = of_text("words " * 600)
    kept = shared_gate()
    assert not kept.is_small("search", result)
    assert kept.bounded_now(call(), result) is result


def test_a_tool_that_is_always_held_is_never_small() -> None:
    kept = shared_gate(rules={"search": {"always_hold": True}})
    assert not kept.is_small("search", "x")
    assert kept.is_small("other", "x")


@pytest.mark.parametrize(
    "result",
    [
        of_text("word " * LONG),
        of_text("word " * LONG, structuredContent={"result": "word " * LONG}),
        of_text("word " * LONG, isError=True, _meta={"k": "v"}),
        of_text("half \ud83d of a pair " * LONG),
    ],
    ids=["alone", "with its twin", "an error", "half a pair"],
)
def test_a_long_text_is_held_whole_without_being_written_as_json(result: dict[str, Any]) -> None:
    kept = shared_gate()
    held = kept.bounded_now(call(), result)
    notice = head_of(held)
    assert notice["type"] == "buffered_response"
    assert held.get("isError", False) == result.get("isError", False)
    window = kept.gate.fetch("me", {"action": "get", "cache_id": notice["cache_id"], "max_length": 2_000})
    shown = text_of(window)
    assert len(shown) > 1_000
    assert texts(result)[0].startswith(shown)


@pytest.mark.parametrize(
    "result",
    [
        {"content": [{"type": "text", "text": "a" * LONG}, {"type": "text", "text": "b"}]},
        {"content": ["no block" * LONG]},
        {"content": "no list" * LONG},
        {"structuredContent": {"rows": ROWS}, "content": []},
    ],
    ids=["two blocks", "no block", "no list", "no text"],
)
def test_any_other_large_answer_is_bounded_too(result: dict[str, Any]) -> None:
    told = shared_gate().bounded_now(call(), result)
    assert len(json.dumps(told)) < 20_000


def test_half_of_a_surrogate_pair_in_a_middling_answer_is_no_hindrance() -> None:
    told = shared_gate().bounded_now(call(), of_text("half \ud83d of a pair " * 2_000))
    assert head_of(told)["type"] == "buffered_response"


@pytest.mark.parametrize("settings", [{}, {"always_hold": True}])
def test_a_question_to_the_user_passes_if_it_fits(settings: dict[str, Any]) -> None:
    question = {"resultType": "input_required", "inputRequests": {"q": {"message": "words " * 500}}}
    assert shared_gate(**settings).bounded_now(call(), question) is question


def test_a_question_to_the_user_above_the_limit_is_bounded() -> None:
    question = {"resultType": "input_required", "inputRequests": {"q": {"message": "words " * 50_000}}}
    told = shared_gate().bounded_now(call(), question)
    assert json.loads(texts(told)[0].partition("\n")[0])["type"] == "buffered_response"
    assert told["resultType"] == "complete"


def test_an_output_schema_is_taken_out_or_widened() -> None:
    tool = {"name": "t", "outputSchema": {"type": "object", "properties": {"a": {"type": "integer"}}}}
    assert shared_gate().listed(tool) == {"name": "t"}
    assert shared_gate().listed({"name": "t"}) == {"name": "t"}
    wide = shared_gate(output_schema="wrap").listed(tool)["outputSchema"]
    assert wide["type"] == "object"
    assert wide != tool["outputSchema"]
