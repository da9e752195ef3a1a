"""What each known client accepts in one answer is kept, whatever it asks for."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from tests.kit.interaction.conversation import FETCH, converse, gateway, opening
from tests.kit.interaction.held import notice_of, texts_of
from tests.kit.interaction.wire import Wire

from penstock.core.tokens.count import count

if TYPE_CHECKING:
    from tests.kit.interaction.large import Servers
    from tests.kit.interaction.wire import Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """The most that a client accepts in one answer, and how its model counts tokens."""

    size: int = 10**9
    tokens: int = 10**9
    lines: int = 10**9
    profile: str = "claude"


LIMITS = {
    "claude-code": Limit(size=50_000, tokens=25_000),
    "codex-mcp-client": Limit(tokens=10_000, profile="o200k"),
    "Visual Studio Code": Limit(size=8_192),
    "gemini-cli-mcp-client": Limit(size=40_000),
    "opencode": Limit(size=51_200, lines=2_000),
}
GREEDY: tuple[dict[str, Any], ...] = (
    {"action": "get", "max_length": 10_000_000},
    {"action": "get_page", "page_tokens": 1_000_000},
    {"action": "get_page", "page_size_kb": 10_000},
    {"action": "filter", "jq_filter": "."},
    {"action": "sql", "sql": "SELECT * FROM items"},
    {"action": "search", "pattern": "o", "context": 20},
    {"action": "outline", "depth": 9},
    {"action": "info"},
    {"action": "list"},
)


def assert_fits(reply: Reply, limit: Limit) -> None:
    assert not reply.result.get("isError"), reply.texts
    structured = reply.result.get("structuredContent")  # some clients show this instead of the text
    for shown in ("\n".join(texts_of(reply.result)), "" if structured is None else json.dumps(structured)):
        assert len(shown.encode()) <= limit.size
        assert count(shown, limit.profile).tokens <= limit.tokens
        assert shown.count("\n") <= limit.lines


@pytest.mark.parametrize("client", LIMITS)
def test_no_answer_is_more_than_the_client_accepts(servers: Servers, client: str) -> None:
    """However much our own settings would allow, and however much is asked for."""
    folder, limit = servers.root / "folder", LIMITS[client]
    with Wire(gateway(servers.commands["filesystem"], "--max-tokens", "100000", "--page-tokens", "50000")) as wire:
        converse(wire, opening(client))
        for lines in (90, 200, 450):  # on both sides of every limit
            assert_fits(wire.call("read_text_file", {"path": str(folder / "app.log"), "head": lines}), limit)
        assert_fits(wire.call("read_text_file", {"path": str(folder / "numbers.txt")}), limit)
        reply = wire.call("read_text_file", {"path": str(folder / "records.json")})
        assert_fits(reply, limit)
        for asked in GREEDY:
            assert_fits(wire.call(FETCH, {"cache_id": notice_of(reply)["cache_id"], **asked}), limit)
