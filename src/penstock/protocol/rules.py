"""The part of the configuration that an exchange needs."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


class ExchangeRules(Protocol):
    """The settings that decide about lines. ``gateway/config_rules`` reads them from the configuration."""

    @property
    def tool_name(self) -> str:
        """Return what our tool is called, if no tool of the upstream is; empty where none is added."""
        ...

    @property
    def acts(self) -> Sequence[str]:
        """Return the actions of our second tool; none where it is not added."""
        ...

    @property
    def act_tool_name(self) -> str:
        """Return what our second tool is called, if no tool of the upstream is."""
        ...

    @property
    def output_schema(self) -> str: ...

    @property
    def lists_briefly(self) -> bool:
        """Return True if the upstream's tools are listed with shortened definitions."""
        ...

    @property
    def mark(self) -> str:
        """Return what real notices have in their ``_meta``, and our tool's definition in its own."""
        ...

    @property
    def by_handle(self) -> bool:
        """Return True if held results may be passed to tools, so that arguments are looked at."""
        ...

    @property
    def takes_questions(self) -> bool:
        """Return True if a call may carry a question for its result."""
        ...

    @property
    def instructs_questions(self) -> bool:
        """Return True if the server's instructions say how a call carries a question."""
        ...

    @property
    def lists_questions(self) -> bool:
        """Return True if some tool may be listed with the argument for a question."""
        ...

    def lists_question(self, tool: str) -> bool:
        """Return True if this tool is listed with the argument for a question."""
        ...

    @property
    def warms(self) -> Collection[str]:
        """Return the tools that are called ahead."""
        ...

    def floor(self, tool: str) -> int:
        """Return how many bytes a tool's result may have to pass unread."""
        ...

    def ttl_ms(self, tool: str) -> int | None:
        """Return for how many milliseconds a held result of this tool can be read; None for ever."""
        ...

    def timeout(self, tool: str) -> float | None:
        """Return after how many seconds without a response a call fails; None for never."""
        ...


class RelayRules:
    """Rules without a gate: every result passes, no tool is added, no list is changed, and no request is timed. For an
    exchange behind another one that does all this."""

    tool_name = ""
    acts = ()
    act_tool_name = ""
    output_schema = ""
    lists_briefly = False
    mark = ""
    by_handle = False
    takes_questions = False
    instructs_questions = False
    lists_questions = False
    warms = ()

    def lists_question(self, tool: str) -> bool:  # noqa: ARG002
        return False

    def floor(self, tool: str) -> int:  # noqa: ARG002
        return sys.maxsize

    def ttl_ms(self, tool: str) -> int | None:  # noqa: ARG002
        return None

    def timeout(self, tool: str) -> float | None:  # noqa: ARG002
        return None


def new_mark() -> str:
    """Return a random word for the notices of one run. It goes to clients only, so that no upstream can know it; 40
    bits are enough, as nothing tells an upstream whether it has guessed, and digits cost the fewest tokens."""
    return f"{int.from_bytes(os.urandom(8)) % 10**12:012}"
