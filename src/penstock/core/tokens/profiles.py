"""Name the ways of counting tokens, apart from the counters: a gateway that only relays never loads those."""

from __future__ import annotations

PROFILES: tuple[str, ...] = ("claude", "claude-4.6", "o200k", "cl100k")
