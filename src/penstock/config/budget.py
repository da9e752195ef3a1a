"""Make the core's ``Budget`` from the settings for one tool and one client."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.config.clients import client_for
from penstock.core.budget import DATA_LEAST, LEAST_BUDGET, LEAST_BYTES, MAX_BYTES, MAX_TEXT_BYTES, Budget
from penstock.core.reading.indicator import Indicator

if TYPE_CHECKING:
    from penstock.config.model import Config


def budget_for(config: Config, tool: str, client: str = "", *, structured: bool = False) -> Budget:
    """Return the budget of one tool, by its rule, lowered to what the client of this name accepts.

    With ``structured`` it is never below what a notice needs to be said twice.
    """
    rule, accepts = config.rule_for(tool), client_for(config, client)
    copies = (2 if structured else 1) * (DATA_LEAST if config.notice == "data" else 1)
    max_tokens = max(_least(rule.max_tokens, accepts.max_tokens), LEAST_BUDGET * copies)
    max_bytes = _least(MAX_BYTES, accepts.max_media_bytes)
    max_text_bytes = min(_least(MAX_TEXT_BYTES, accepts.max_text_bytes), max_bytes)
    return Budget(
        max_tokens=max_tokens,
        preview_tokens=min(max(rule.preview_tokens, LEAST_BUDGET * copies), max_tokens),
        preview_bytes=min(max(rule.preview_bytes, LEAST_BYTES * copies), max_text_bytes),
        page_tokens=min(max(rule.page_tokens, LEAST_BUDGET * copies), max_tokens),
        max_bytes=max_bytes,
        max_text_bytes=max_text_bytes,
        max_lines=accepts.max_lines,
        max_block_bytes=accepts.max_media_bytes,
        max_depth=rule.max_depth,
        auto_truncate=rule.auto_truncate,
        strategy=rule.strategy,
        priority_field=rule.priority_field,
        always_hold=rule.always_hold,
        never_hold=rule.never_hold,
        profile=accepts.profile if config.profile == "auto" else config.profile,
        max_suggestions=config.max_suggestions,
        indicator=Indicator(text=config.depth_indicator, keep_lengths=config.preserve_array_length),
        fetch_tool=config.tool_name,
        structured=structured,
        notice=config.notice,
    )


def _least(limit: int, other: int | None) -> int:
    return limit if other is None else min(limit, other)
