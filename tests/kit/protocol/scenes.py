"""A playbook with a real gate behind it, and what a client of each method takes for an answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.kit.answers import head_of, split
from tests.kit.protocol.gates import RealGate, fits
from tests.kit.protocol.playbook import Playbook, answer, request

from penstock.gateway.config_rules import ConfigRules

if TYPE_CHECKING:
    from penstock.config import Config
    from penstock.query.sandbox.sandbox import Sandbox


RECORDS = [{"id": number, "name": f"name {number}", "tags": ["a", "b"]} for number in range(2_000)]
PROSE = 'The quick brown fox — "jumps" over 茶, and back.\n' * 1_500
TEXTS = {
    "records": json.dumps(RECORDS),
    "prose": PROSE,
    "one line": "x" * 60_000,
    "rare": "日本語のテキスト。" * 4_000,
    "halves": "cut in the middle \ud83d" * 3_000,
}
URI = "file:///home/user/project/src/main.py"
BUDGETS = [250, 400, 1_000, 2_000, 20_000]
BLOB = "QUJD" * 30_000


class Scene:
    """A playbook with a real gate behind it."""

    def __init__(self, sandbox: Sandbox, config: Config, client: str = "") -> None:
        self.config = config
        self.gate = RealGate(config, sandbox)
        self.play = Playbook(ConfigRules(config), self.gate)
        self.client = client
        self.play.asks(request("i", "initialize", clientInfo={"name": client}))
        self.play.answers(answer("i", {"capabilities": {"tools": {}}}))

    def ask(self, method: str, result: Any, **params: Any) -> Any:
        """What the client hears when the upstream answers a request of this method so."""
        self.play.asks(request(1, method, **params))
        self.play.upstream(answer(1, result))
        heard = self.play.heard()
        assert set(heard) == {"jsonrpc", "id", "result"}, heard
        valid(method, heard["result"])
        fits(
            heard["result"]["result"] if "result" in heard["result"] else heard["result"],
            self.config,
            method,
            self.client,
        )
        return heard["result"]

    def is_all_there(self, first: str, whole: str) -> bool:
        """Whether a text passed whole, or is held whole; the many windows of a small budget are not all read."""
        if first == whole:
            return True
        handle = notice_of(first)["cache_id"]
        if self.config.max_tokens >= 1_000:
            return self.gate.windows(handle) == whole
        where, part = split(self.gate.fetch(action="get", cache_id=handle))
        return bool(where["total_length"] == len(whole) and part and whole.startswith(part))

    def resource(self, *contents: dict[str, Any], **members: Any) -> Any:
        return self.ask("resources/read", {"contents": list(contents), **members}, uri=URI)

    def prompt(self, *messages: dict[str, Any], **members: Any) -> Any:
        return self.ask("prompts/get", {"messages": list(messages), **members}, name="p")

    def task(self, **members: Any) -> Any:
        return self.ask("tasks/get", {"taskId": "1", "status": "completed", **members}, taskId="1")


def valid(method: str, result: Any) -> None:
    """The answer is one that a client of this method takes."""
    match method:
        case "tools/call":
            assert result["content"]
            assert all(isinstance(block["type"], str) for block in result["content"])
        case "resources/read":
            assert result["contents"]
            for one in result["contents"]:
                assert one["uri"].partition(":")[2]
                assert isinstance(one.get("text", one.get("blob")), str)
        case "prompts/get":
            assert result["messages"]
            for one in result["messages"]:
                assert one["role"] in ("user", "assistant")
                assert isinstance(one["content"], dict | list)
        case "tasks/get":
            assert isinstance(result["taskId"], str)
            assert isinstance(result["status"], str)
            if "result" in result:
                valid("tools/call", result["result"])
            if "error" in result:
                valid("error", result["error"])
        case "error":
            assert isinstance(result["code"], int)
            assert isinstance(result["message"], str)


def notice_of(first: str) -> Any:
    told = head_of(first)
    assert told["type"] == "buffered_response"
    return told


def message(words: str, role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": {"type": "text", "text": words}}
