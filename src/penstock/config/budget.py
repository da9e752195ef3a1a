"""From settings to a ``Budget``: what the core is told of the configuration for one tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.core.fit import Budget
from penstock.core.outline import Indicator

if TYPE_CHECKING:
    from penstock.config.model import Config


def budget_for(config: Config, tool: str) -> Budget:
    """The budget of one tool, by its rule."""
    rule = config.rule_for(tool)
    return Budget(
        max_tokens=rule.max_tokens,
        preview_tokens=rule.preview_tokens,
        preview_bytes=rule.preview_bytes,
        page_tokens=rule.page_tokens,
        max_depth=rule.max_depth,
        auto_truncate=rule.auto_truncate,
        strategy=rule.strategy,
        priority_field=rule.priority_field,
        always_hold=rule.always_hold,
        never_hold=rule.never_hold,
        profile=config.profile,
        max_suggestions=config.max_suggestions,
        indicator=Indicator(text=config.depth_indicator, keep_lengths=config.preserve_array_length),
        fetch_tool=config.tool_name,
    )
