"""The client's own limits hold for what is admitted and for what is fetched; its name is all that is needed."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from penstock.config import Config
from penstock.core.answer.result import parse
from penstock.core.answer.stand_in import cost
from penstock.core.budget import line_count
from penstock.core.fit import Call
from penstock.core.tokens.count import count
from penstock.gate import Gate
from penstock.stores import open_store
from tests.gate.conftest import OWNER, Desk, notice
from tests.kit.answers import split, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.query.sandbox.sandbox import Sandbox

ROWS = [{"id": n, "q": '"\\"' * 4, "title": f"Issue {n}"} for n in range(1_200)]
TEXT = "short\n" * 9_000

# The bytes and the lines of text, and the tokens by its own count, that each of them takes.
TAKES = {
    "claude-code": (50_000, None, 25_000, "claude"),
    "codex-mcp-client": (40_000, None, 10_000, "o200k"),
    "Visual Studio Code": (8_192, None, 20_000, "claude"),
    "github-copilot-developer": (10_240, None, 20_000, "claude"),
    "opencode": (51_200, 2_000, 20_000, "claude"),
    "nobody": (1_000_000, None, 20_000, "claude"),
    "tiny": (1_024, 50, 500, "claude"),
}


@pytest.fixture
def gate(sandbox: Sandbox) -> Iterator[Gate]:
    tiny: Any = {"tiny": {"max_text_bytes": 1_024, "max_lines": 50, "max_tokens": 500}}
    with open_store("memory:") as store:
        yield Gate(store, Config(clients=tiny, notice="full"), sandbox=sandbox)


def result(value: Any, **members: Any) -> bytes:
    text = value if isinstance(value, str) else json.dumps(value)
    return json.dumps({"content": [{"type": "text", "text": text}], **members}).encode()


def check(raw: bytes, client: str) -> None:
    size, lines, tokens, profile = TAKES[client]
    blocks = parse(raw).blocks
    assert len(raw) <= size
    assert lines is None or sum(line_count(block.data) for block in blocks if block.data is not None) <= lines
    assert cost(parse(raw), profile) <= tokens


@pytest.mark.parametrize("client", TAKES)
@pytest.mark.parametrize("value", [ROWS, TEXT], ids=["rows", "text"])
def test_p1_every_answer_keeps_to_what_the_client_takes(gate: Gate, client: str, value: Any) -> None:
    raw = gate.admit(Call(tool="t", owner="o", client=client), result(value))
    check(raw, client)
    handle = notice(json.loads(raw))["cache_id"]
    for given in (
        {"action": "info"},
        {"action": "get"},
        {"action": "get", "max_length": 900_000},
        {"action": "get_page"},
        {"action": "get_page", "page": 2, "page_tokens": 1_000_000},
        {"action": "get_page", "page_size_kb": 900},
        {"action": "outline"},
        {"action": "search", "pattern": "s"},
        {"action": "filter", "jq_filter": "."},
        {"action": "filter", "jq_filter": ".", "cache_filtered_result": False},
        {"action": "sql", "sql": "select * from items"},
    ):
        check(gate.fetch("o", {"cache_id": handle, **given}, client), client)
    check(gate.fetch("o", {"action": "list"}, client), client)


@pytest.mark.parametrize("client", ["opencode", "tiny"])
def test_p2_windows_within_the_clients_lines_are_the_whole_text(gate: Gate, client: str) -> None:
    handle = notice(json.loads(gate.admit(Call(tool="t", owner="o", client=client), result(TEXT))))["cache_id"]
    found: list[str] = []
    start: int | None = 0
    while start is not None:
        raw = gate.fetch("o", {"cache_id": handle, "action": "get", "start_index": start}, client=client)
        check(raw, client)
        where, part = split(raw)
        found.append(part)
        start = where["next_index"]
    assert "".join(found) == TEXT


def test_one_result_passes_to_one_client_and_is_held_for_another(gate: Gate) -> None:
    raw = result("word " * 2_000)
    assert gate.admit(Call(tool="t", owner="o"), raw) is raw
    assert gate.admit(Call(tool="t", owner="o", client="claude-code"), raw) is raw
    assert notice(json.loads(gate.admit(Call(tool="t", owner="o", client="Visual Studio Code"), raw)))["cache_id"]


def test_every_next_call_of_a_notice_costs_what_it_says_to_the_same_client(gate: Gate) -> None:
    for client in ("codex-mcp-client", "Visual Studio Code", "opencode"):
        told = notice(json.loads(gate.admit(Call(tool="t", owner="o", client=client), result(ROWS))))
        for call in told["next"]:
            answer = gate.fetch("o", call["arguments"], client=client)
            tokens = count(json.loads(answer)["content"][0]["text"], TAKES[client][3]).tokens
            assert abs(tokens - call["tokens"]) <= 0.25 * tokens


def test_a_tool_with_an_output_schema_is_answered_with_structured_content(gate: Gate) -> None:
    raw = result(ROWS, structuredContent={"result": ROWS})
    told = json.loads(gate.admit(Call(tool="t", owner="o", structured=True), raw))
    assert told["structuredContent"] == notice(told) | {"preview": text_of(told)}
    assert "structuredContent" not in json.loads(gate.admit(Call(tool="t", owner="o"), raw))


def test_what_the_fetch_tool_is_called_stands_in_every_call(sandbox: Sandbox) -> None:
    with open_store("memory:") as store:
        gate = Gate(store, Config(notice="full"), sandbox=sandbox)
        assert gate.fetch_tool == "fetch_cached_response"
        gate.fetch_tool = "penstock_fetch"
        told = notice(json.loads(gate.admit(Call(tool="t", owner="o"), result(ROWS))))
        named = [one["tool"] for one in (*told["next"], *told.get("suggestions", ())) if "cache_id" in one["arguments"]]
        assert set(named) == {"penstock_fetch"}
        filtered = gate.fetch("o", {"cache_id": told["cache_id"], "action": "filter", "jq_filter": "."})
        assert notice(json.loads(filtered))["next"][0]["tool"] == "penstock_fetch"


def test_a_tool_of_upstream_with_our_tools_name_is_bounded_like_any_other(desk: Desk) -> None:
    told = json.loads(desk.gate.admit(Call(tool="fetch_cached_response", owner=OWNER), result(ROWS)))
    assert notice(told)["tool"] == "fetch_cached_response"


def test_event_loops_name_their_client_too(gate: Gate) -> None:
    async def both() -> tuple[bytes, bytes, bytes]:
        small = await gate.admit_async(Call(tool="t", owner="o", client="tiny"), result("small"))
        held = await gate.admit_async(Call(tool="t", owner="o", client="tiny"), result(ROWS))
        given = {"cache_id": notice(json.loads(held))["cache_id"], "action": "get_page"}
        return small, held, await gate.fetch_async("o", given, "tiny")

    small, held, page = asyncio.run(both())
    assert small == result("small")
    check(held, "tiny")
    check(page, "tiny")
