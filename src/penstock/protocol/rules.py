"""What an exchange asks of the configuration."""

from __future__ import annotations

from typing import Protocol


class ExchangeRules(Protocol):
    """The settings that decide about lines. ``gateway/config_rules`` reads them from the configuration."""

    @property
    def tool_name(self) -> str: ...

    @property
    def output_schema(self) -> str: ...

    def floor(self, tool: str) -> int:
        """Return how many bytes a tool's result may have to pass unread."""
        ...

    def ttl_ms(self, tool: str) -> int | None:
        """Return for how many milliseconds a held result of this tool can be read; None for ever."""
        ...

    def timeout(self, tool: str) -> float | None:
        """Return after how many seconds without a response a call fails; None for never."""
        ...
