"""Make one call for ``penstock doctor --call``, and find out what the model would read of its result."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from penstock.core.fit import Call
from penstock.gate import Gate
from penstock.stores import open_store

if TYPE_CHECKING:
    from penstock.cli.mcp_client import McpClient
    from penstock.config.model import Config
    from penstock.gate.outcome import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialCall:
    """A call that was made, and the answer as the model would read it: the texts of its blocks, others named."""

    tool: str
    arguments: dict[str, Any]
    outcome: Outcome
    size: int
    texts: tuple[str, ...]
    failed: bool = False

    def as_dict(self) -> dict[str, Any]:
        return {
            "tool": self.tool,
            "arguments": self.arguments,
            "outcome": self.outcome.kind,
            "is_error": self.failed,
            "bytes": self.size,
            "tokens_before": self.outcome.tokens_in,
            "tokens_after": self.outcome.tokens_out,
            "answer": list(self.texts),
        }


def make_call(client: McpClient, config: Config, tool: str, arguments: dict[str, Any]) -> TrialCall:
    """Call a tool of the started server. The result is held in memory only, and gone afterwards."""
    raw = client.ask("tools/call", {"name": tool, "arguments": arguments})
    with open_store("memory:") as store, closing(Gate(store, config)) as gate:
        admission = gate.decide(Call(tool=tool, owner="doctor", arguments=arguments), raw)
        outcome = admission.outcome
    result = msgspec.json.decode(admission.answer)
    members = result if isinstance(result, dict) else {}
    blocks = members.get("content")
    texts = (
        [_text(one) for one in blocks] if isinstance(blocks, list) else [admission.answer.decode("utf-8", "replace")]
    )
    if not texts and "structuredContent" in members:
        texts = [msgspec.json.encode(members["structuredContent"]).decode()]
    return TrialCall(
        tool=tool,
        arguments=arguments,
        outcome=outcome,
        size=len(raw),
        texts=tuple(texts),
        failed=members.get("isError") is True,
    )


def _text(block: Any) -> str:
    if isinstance(block, dict) and isinstance(block.get("text"), str):
        return str(block["text"])
    kind = block.get("type", "block") if isinstance(block, dict) else "block"
    return f"[{kind}, {len(msgspec.json.encode(block)):,} bytes]"
