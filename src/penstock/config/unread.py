"""Tell how much may pass unread. It imports nothing of the core: a gateway's first call must not wait for that."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from penstock.config.model import Config

EVERY_CLIENT: Final = 2_000  # bytes and lines that each client in clients.toml takes
LIMITS: Final = ("max_tokens", "max_text_bytes", "max_media_bytes", "max_lines")


def passes_unread(config: Config, tool: str) -> int:
    """Return the bytes up to which a tool's results pass for every client: bytes bound tokens and lines."""
    rule = config.rule_for(tool)
    if rule.never_hold:
        return sys.maxsize
    if rule.always_hold or rule.filter is not None:
        return 0
    own = (
        value for entry in config.clients for key, value in entry.settings if key in LIMITS and isinstance(value, int)
    )
    return min(rule.max_tokens, EVERY_CLIENT, *own)
