"""Tell how much may pass unread. It imports nothing of the core: a gateway's first call must not wait for that."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from penstock.config.model import Config

EVERY_CLIENT: Final = 2_000  # bytes and lines that each client in clients.toml takes
MAX_REMEMBERED: Final = 1_000  # Tools: more than any server has.
LIMITS: Final = ("max_tokens", "max_text_bytes", "max_media_bytes", "max_lines")


class UnreadFloors:
    """The bytes up to which results pass unread, each tool's computed once."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._known: dict[str, int] = {}

    def of(self, tool: str) -> int:
        """Return the bytes for a tool. Over HTTP clients may make names up, so only some are remembered."""
        floor = self._known.get(tool)
        if floor is None:
            if len(self._known) >= MAX_REMEMBERED:
                self._known.clear()
            floor = self._known[tool] = passes_unread(self._config, tool)
        return floor


def passes_unread(config: Config, tool: str) -> int:
    """Return the bytes up to which a tool's results pass for every client: bytes bound tokens and lines."""
    rule = config.rule_for(tool)
    if rule.never_hold:
        return sys.maxsize
    if rule.always_hold or rule.filter is not None or config.turn_tokens is not None:
        return 0
    own = (
        value for entry in config.clients for key, value in entry.settings if key in LIMITS and isinstance(value, int)
    )
    return min(rule.max_tokens, EVERY_CLIENT, *own)
