"""Answer what the exchange asks of the configuration."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, TypeVar

from penstock.config.unread import UnreadFloors
from penstock.protocol.rules import new_mark

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from penstock.config.model import Config, Rule

T = TypeVar("T")

REMEMBERED: Final = 1_000  # tools whose rule is kept at hand; over HTTP clients may make names up


class ConfigRules:
    """The configuration, and what follows from it."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.warms = frozenset(json.loads(call)["tool"] for call in config.warm)  # the tools that are called ahead
        self.held_before: Callable[[], Collection[str]] = frozenset  # tools with a stored result in the past
        self.mark = new_mark()
        self._floors = UnreadFloors(config)
        self._rules: dict[str, Rule] = {}

    @property
    def tool_name(self) -> str:
        return self.config.tool_name

    @property
    def acts(self) -> tuple[str, ...]:
        return self.config.act

    @property
    def act_tool_name(self) -> str:
        return self.config.act_tool_name

    @property
    def output_schema(self) -> str:
        return self.config.output_schema

    @property
    def lists_briefly(self) -> bool:
        return self.config.tools == "brief"

    @property
    def by_handle(self) -> bool:
        return self.config.is_by_handle

    @property
    def takes_questions(self) -> bool:
        """Return True if a call may carry a question for its result."""
        return self.config.takes_questions

    @property
    def instructs_questions(self) -> bool:
        """Return True if the server's instructions say how a call carries a question."""
        return self.config.ask == "all"

    @property
    def lists_questions(self) -> bool:
        """Return True if some tool may be listed with the argument for a question."""
        return self.config.lists_questions(self.held_before)

    def lists_question(self, tool: str) -> bool:
        """Return True if a tool is listed with the argument for a question."""
        return self.config.lists_question(tool, self.held_before)

    def floor(self, tool: str) -> int:
        """Return how many bytes a tool's result may have to pass unread."""
        return self._floors.of(tool)

    def ttl_ms(self, tool: str) -> int | None:
        """Return for how many milliseconds a held result of this tool can be read; None for ever."""
        ttl = self._rule(tool).ttl
        return None if ttl is None else ttl * 1_000

    def timeout(self, tool: str) -> int | None:
        """Return after how many seconds without a response a call fails; None for never."""
        return self._rule(tool).call_timeout

    def _rule(self, tool: str) -> Rule:
        rule = self._rules.get(tool)
        if rule is None:
            rule = self.config.rule_for(tool)
            _remember(self._rules, tool, rule)
        return rule


def _remember(known: dict[str, T], tool: str, value: T) -> None:
    if len(known) >= REMEMBERED:
        known.clear()
    known[tool] = value
