"""A real gate behind a playbook: memory store, real configuration, and what a client would count of its answers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.kit.answers import split

from penstock.config.budget import budget_for
from penstock.core.fit import Call
from penstock.core.tokens.count import count
from penstock.gate import Gate
from penstock.gate.outcome import Admission
from penstock.protocol.commands import Admit, Fetch
from penstock.stores import open_store

if TYPE_CHECKING:
    from penstock.config import Config
    from penstock.query.sandbox.sandbox import Sandbox

OWNER = "ann"


class RealGate:
    """Decides and reads as the gateway's gate does."""

    def __init__(self, config: Config, sandbox: Sandbox) -> None:
        self.config = config
        self.gate = Gate(open_store("memory:"), config, sandbox=sandbox)

    def __call__(self, command: Admit | Fetch) -> Admission:
        if isinstance(command, Fetch):
            return Admission(answer=self.gate.fetch(OWNER, command.arguments, client=command.client))
        call = Call(
            tool=command.tool,
            owner=OWNER,
            arguments=command.arguments,
            schema=command.schema,
            client=command.client,
            structured=command.structured,
        )
        return self.gate.decide(call, command.view.inner)

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
            place, part = split(self.fetch(action="get", cache_id=handle, start_index=at))
            found.append(part)
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
