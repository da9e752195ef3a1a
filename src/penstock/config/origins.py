"""Say where each value of a configuration comes from: the default, a file with its line, the environment, a flag."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

from penstock.config.model import rule_weight
from penstock.config.resolve import RULE_KEYS, is_table, snake
from penstock.config.settings import BY_NAME, PER_TOOL

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from penstock.config.model import Config
    from penstock.config.resolve import Layer

DEFAULT: Final = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleOrigin:
    """A rule of one source: its pattern, and where each of its settings stands."""

    pattern: str
    where: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Origins:
    """The places of the settings and rules of one configuration."""

    settings: Mapping[str, str]
    rules: tuple[RuleOrigin, ...] = ()

    def of_tool(self, config: Config, tool: str) -> dict[str, tuple[Any, str]]:
        """Return the settings in force for a tool, each with its value and where that comes from. A setting that has to
        follow ``max_tokens`` down has that one's place."""
        rule = config.rule_for(tool)
        places = {name: self.settings.get(name, DEFAULT) for name in PER_TOOL}
        matching = [one for one in self.rules if one.pattern == tool or fnmatchcase(tool, one.pattern)]
        for one in sorted(matching, key=lambda one: rule_weight(one.pattern, tool)):
            places |= one.where
        return {name: (getattr(rule, name), places[name]) for name in PER_TOOL}


def origins_of(layers: Iterable[Layer]) -> Origins:
    """Return where values stand in layers, of which the later ones win."""
    settings: dict[str, str] = {}
    rules: list[RuleOrigin] = []
    for layer in layers:
        for key, value in layer.values.items():
            if not is_table(key, value) and snake(key) in BY_NAME:
                settings[snake(key)] = layer.where((key,))
        for name in RULE_KEYS:
            for pattern, table in _rules(layer.values.get(name)):
                where = {snake(key): layer.where((name, pattern, key)) for key in table}
                rules.append(RuleOrigin(pattern=pattern, where=where))
    return Origins(settings=settings, rules=tuple(rules))


def _rules(tables: Any) -> list[tuple[str, Mapping[Any, Any]]]:
    return [(pattern, table) for pattern, table in tables.items()] if isinstance(tables, dict) else []
