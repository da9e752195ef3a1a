"""Answer what the exchange asks of the configuration, which is read beside the relay: no response waits for it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final, TypeVar

from penstock.protocol.rules import new_mark

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from penstock.config.model import Config, Rule
    from penstock.config.unread import UnreadFloors

T = TypeVar("T")

REMEMBERED: Final = 1_000  # tools whose rule is kept at hand; over HTTP clients may make names up


class ConfigRules:
    """The configuration, read when it is first asked for, by one thread while others wait."""

    def __init__(self, load: Callable[[], Config]) -> None:
        self._load = load
        self._config: Config | None = None
        self._reading = threading.Lock()
        self._floors: UnreadFloors | None = None
        self._rules: dict[str, Rule] = {}
        self._warms: frozenset[str] | None = None
        self.held_before: Callable[[], Collection[str]] = frozenset  # tools with a stored result in the past
        self.mark = new_mark()

    @property
    def config(self) -> Config:
        if self._config is None:
            with self._reading:
                if self._config is None:
                    self._config = self._load()
        return self._config

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

    @property
    def warms(self) -> frozenset[str]:
        """Return the tools that are called ahead."""
        if self._warms is None:
            self._warms = _tools_of(self.config.warm) if self.config.warm else frozenset()
        return self._warms

    def floor(self, tool: str) -> int:
        """Return how many bytes a tool's result may have to pass unread."""
        if self._floors is None:
            from penstock.config.unread import UnreadFloors  # noqa: PLC0415  (nothing of the configuration is read yet)

            self._floors = UnreadFloors(self.config)
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


def _tools_of(calls: tuple[str, ...]) -> frozenset[str]:
    import json  # noqa: PLC0415  (few configurations have calls)

    return frozenset(json.loads(call)["tool"] for call in calls)


def _remember(known: dict[str, T], tool: str, value: T) -> None:
    if len(known) >= REMEMBERED:
        known.clear()
    known[tool] = value
