"""``Config``, frozen and valid by construction, and the ``Rule`` it gives for a tool."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from penstock.config.resolve import DEFAULTS, ClientEntry, RuleEntry, arguments, followed, overlay, resolve
from penstock.config.settings import BY_NAME, PER_TOOL
from penstock.config.typed import AllSettings, ToolSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from typing import Unpack

    from penstock.config.resolve import Layer
    from penstock.config.typed import ConfigArguments


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(ToolSettings):
    """The settings of one tool, fully resolved. ``pattern`` is the most specific entry that matched, or empty."""

    pattern: str

    def lets_more(self, *, read_only: bool) -> bool:
        """Return True if ``more`` may call the tool, which says of itself whether it is ``read_only``."""
        return self.more == "any" or (self.more == "read-only" and read_only)


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Config(AllSettings):
    """All settings, rules and clients. There is no wrong ``Config``: making one checks everything."""

    rules: tuple[RuleEntry, ...]
    clients: tuple[ClientEntry, ...]  # as the user gave them; clients.py has those that ship with the package

    def __init__(self, **settings: Unpack[ConfigArguments]) -> None:
        """Take the defaults, changed by what is given here and by nothing else."""
        self._fill(DEFAULTS, (), (), [arguments(settings)])

    @classmethod
    def of_layers(cls, layers: Iterable[Layer]) -> Config:
        """Take the defaults, changed by each layer in its turn; ``load`` makes the layers."""
        return object.__new__(cls)._fill(DEFAULTS, (), (), layers)

    def with_(self, **changes: Unpack[ConfigArguments]) -> Config:
        """Copy with these changes. ``rules`` replaces all earlier rules, and ``clients`` all earlier clients."""
        rules = () if "rules" in changes else self.rules
        clients = () if "clients" in changes else self.clients
        return object.__new__(Config)._fill(self._values(), rules, clients, [arguments(changes)])

    def rule_for(self, tool: str) -> Rule:
        """Resolve the settings of one tool: every entry that matches its name, the more specific on top."""
        values, pattern = self._values(), ""
        matching = [entry for entry in self.rules if entry.pattern == tool or fnmatchcase(tool, entry.pattern)]
        for entry in sorted(matching, key=lambda entry: rule_weight(entry.pattern, tool)):
            values, pattern = overlay(values, dict(entry.settings)), entry.pattern
        values = followed(values)
        return Rule(pattern=pattern, **{name: values[name] for name in PER_TOOL})

    @property
    def is_by_handle(self) -> bool:
        """Return True if held results may be passed by their handles to any tool at all, so that arguments are looked
        at."""
        return self.by_handle != "off" or any(
            dict(rule.settings).get("by_handle", "off") != "off" for rule in self.rules
        )

    @property
    def takes_questions(self) -> bool:
        """Return True if calls of any tool may carry a question for their result."""
        return self.ask != "off" or any(dict(rule.settings).get("ask", "off") != "off" for rule in self.rules)

    def lists_questions(self, held_before: Callable[[], Collection[str]]) -> bool:
        """Return True if some tool may be listed with the argument for a question."""
        is_named = any(dict(rule.settings).get("ask", self.ask) != "off" for rule in self.rules)
        return self.ask == "all" or is_named or (self.ask == "auto" and bool(held_before()))

    def lists_question(self, tool: str, held_before: Callable[[], Collection[str]]) -> bool:
        """Return True if a tool is listed with the argument for a question. ``held_before`` returns the tools with a
        stored result in the past; it is called only if they decide."""
        rule = self.rule_for(tool)
        return rule.ask == "all" or (rule.ask == "auto" and (bool(rule.pattern) or tool in held_before()))

    def _values(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in BY_NAME}

    def _fill(
        self,
        base: Mapping[str, Any],
        rules: Iterable[RuleEntry],
        clients: Iterable[ClientEntry],
        layers: Iterable[Layer],
    ) -> Config:
        resolved = resolve(base, rules, clients, layers)
        for name, value in (*resolved.values.items(), ("rules", resolved.rules), ("clients", resolved.clients)):
            object.__setattr__(self, name, value)
        return self


def rule_weight(pattern: str, tool: str) -> tuple[bool, int]:
    """Rank a pattern: the exact name is above every glob, a glob with more literal characters above others."""
    return pattern == tool, len(re.sub(r"\[.[^]]*\]|[*?]", "", pattern))
