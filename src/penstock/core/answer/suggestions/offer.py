"""A suggestion: a call, why to make it, and what its answer costs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A call to the fetch tool for the held result, or, narrowed, to the tool itself. ``tokens`` is what its answer
    costs: exactly as it was made, or ``about`` that, where only the upstream could make it; or ``at_most`` that, where
    to make it takes long."""

    why: str
    tool: str
    tokens: int
    arguments: dict[str, Any] = field(default_factory=dict)
    about: bool = False
    at_most: bool = False
    is_read: bool = False

    def as_dict(self, handle: str | None = None) -> dict[str, Any]:
        """Write it for the notice; a call that reads what is held has the handle first."""
        held = {"cache_id": handle} if self.is_read and handle is not None else {}
        cost = {"about_tokens" if self.about else "at_most_tokens" if self.at_most else "tokens": self.tokens}
        return {"why": self.why, "tool": self.tool, "arguments": {**held, **self.arguments}, **cost}
