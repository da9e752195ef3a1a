"""A real gate behind a playbook: memory store, real configuration, and what a client would count of its answers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.config.budget import budget_for, passes_unread
from penstock.core.fit import Call
from penstock.core.tokens import count
from penstock.gate import Gate
from penstock.protocol.commands import Admit, Fetch
from penstock.stores import open_store

if TYPE_CHECKING:
    from penstock.config import Config
    from penstock.query.sandbox import Sandbox

OWNER = "ann"


@dataclass(frozen=True, kw_only=True)
class ConfigRules:
    """What an exchange asks of a configuration."""

    config: Config

    @property
    def tool_name(self) -> str:
        return self.config.tool_name

    @property
    def output_schema(self) -> str:
        return self.config.output_schema

    def floor(self, tool: str) -> int:
        return passes_unread(self.config, tool)

    def ttl_ms(self, tool: str) -> int | None:
        ttl = self.config.rule_for(tool).ttl
        return None if ttl is None else ttl * 1_000

    def timeout(self, tool: str) -> float | None:
        return self.config.rule_for(tool).call_timeout


class RealGate:
    """Decides and reads as the gateway's gate does."""

    def __init__(self, config: Config, sandbox: Sandbox) -> None:
        self.config = config
        self.gate = Gate(open_store("memory:"), config, sandbox=sandbox)

    def __call__(self, command: Admit | Fetch) -> bytes:
        if isinstance(command, Fetch):
            return self.gate.fetch(OWNER, command.arguments, client=command.client)
        call = Call(
            tool=command.tool,
            owner=OWNER,
            arguments=command.arguments,
            schema=command.schema,
            client=command.client,
            structured=command.structured,
        )
        return self.gate.admit(call, command.opened.inner)

    def fetch(self, **arguments: Any) -> Any:
        """What our tool answers to these arguments; an error is none."""
        told = json.loads(self.gate.fetch(OWNER, arguments))
        assert not told.get("isError"), told
        return told

    def windows(self, handle: str) -> str:
        """The whole of what is held, window by window."""
        found: list[str] = []
        at = 0
        while True:
            where, part = self.fetch(action="get", cache_id=handle, start_index=at)["content"]
            found.append(part["text"])
            place = json.loads(where["text"])
            if not place["has_more"]:
                return "".join(found)
            at = place["next_index"]


def fits(result: Any, config: Config, tool: str, client: str = "") -> None:
    """An answer costs no more than its budget, by the upper bound, in all the JSON that it is written in."""
    written = json.dumps(result, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    budget = budget_for(config, tool, client)
    assert len(written) <= budget.text_bytes, (len(written), budget.text_bytes)
    counted = count(written, budget.profile)
    assert counted.upper <= budget.max_tokens, (counted, budget.max_tokens)
