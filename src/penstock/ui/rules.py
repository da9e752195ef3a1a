"""Settings as they are: for each tool the rule in force and where it comes from; and what another limit would do.

The page changes no configuration. It gives the line to put into it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.config.settings import BY_NAME, PER_TOOL
from penstock.core.tokens.size_class import UP_TO
from penstock.stores.sizes import KEPT_DAYS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from penstock.config.model import Config
    from penstock.config.origins import Origins
    from penstock.stores.sizes import SizeKey, Sizes

MOST: Final = 500  # tools that the page lists
LOWEST: Final = 250  # tokens: no max_tokens is lower
HIGHEST: Final = 200_000  # tokens: no context window has much more


def settings_of(
    config: Config, origins: Origins, tools: Iterable[str], sizes: Mapping[SizeKey, Sizes]
) -> dict[str, Any]:
    """Return all settings with their sources, the rule of each tool, and the sizes of the last results by class."""
    return {
        "settings": [
            {
                "name": name,
                "value": _written(getattr(config, name)),
                "default": setting.written_default,
                "where": origins.settings.get(name, "default"),
                "help": setting.help,
            }
            for name, setting in BY_NAME.items()
        ],
        "rules": [
            {"pattern": one.pattern, "where": next(iter(one.where.values()), ""), "settings": sorted(one.where)}
            for one in origins.rules
        ],
        "tools": [_tool(config, origins, tool) for tool in sorted(tools)[:MOST]],
        "sizes": {"days": KEPT_DAYS, "stops": _stops(config.max_tokens), "classes": _classes(sizes)},
        "max_tokens": config.max_tokens,
    }


def _tool(config: Config, origins: Origins, tool: str) -> dict[str, Any]:
    origins_by_name = origins.of_tool(config, tool)
    plain = {name: getattr(config, name) for name in PER_TOOL}
    return {
        "tool": tool,
        "pattern": config.rule_for(tool).pattern,
        "settings": [
            {"name": name, "value": _written(value), "where": where, "own": value != plain[name]}
            for name, (value, where) in origins_by_name.items()
        ],
    }


def _written(value: Any) -> str:
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _stops(limit: int) -> list[int]:
    """Return the limits that a slider stops at: ends of size classes, so that what it tells is counted, not guessed."""
    return sorted({*(one for one in UP_TO if LOWEST <= one <= HIGHEST), limit})


def _classes(sizes: Mapping[SizeKey, Sizes]) -> list[dict[str, Any]]:
    """Return how many results of each tool and class passed, and how many were held."""
    counts: dict[tuple[str, str, int], list[int]] = {}
    for key, one in sizes.items():
        counted = counts.setdefault((key.server, key.tool, key.up_to), [0, 0, 0])
        counted[0] += one.passed
        counted[1] += one.held
        counted[2] += one.tokens_in
    return [
        {"server": server, "tool": tool, "up_to": up_to, "passed": passed, "held": held, "tokens": tokens}
        for (server, tool, up_to), (passed, held, tokens) in sorted(counts.items())
    ]
