"""The core has defaults of its own, for those who call it directly: they and its limits are those of the table."""

from __future__ import annotations

import dataclasses

import pytest

from penstock.config import Config
from penstock.config.budget import budget_for
from penstock.config.settings import BY_NAME, PER_TOOL
from penstock.core.budget import LEAST_BUDGET, LEAST_BYTES, Budget
from penstock.core.tokens.profiles import PROFILES
from penstock.errors import ConfigError


def test_the_core_and_the_table_have_the_same_defaults() -> None:
    core, table = dataclasses.asdict(Budget()), dataclasses.asdict(Config())
    shared = core.keys() & table.keys() - {"profile"}  # "auto" in the table, resolved in a budget
    of_the_gate = {"ttl", "call_timeout", "by_handle", "ask", "max_argument_bytes", "filter"}
    assert shared >= PER_TOOL.keys() - of_the_gate - {"more", "max_pages", "more_timeout"}
    assert {name: core[name] for name in shared} == {name: table[name] for name in shared}
    assert (Budget().indicator.text, Budget().fetch_tool) == (Config().depth_indicator, Config().tool_name)
    assert Budget().indicator.keep_lengths is Config().preserve_array_length


def test_a_tools_rule_and_the_settings_of_all_reach_its_budget() -> None:
    config = Config(
        profile="o200k",
        max_suggestions=2,
        depth_indicator="[...]",
        preserve_array_length=True,
        tool_name="read_more",
        rules={"scan*": {"max_tokens": 900, "max_depth": 2, "strategy": "newest", "priority_field": "at", "ttl": 60}},
    )
    budget = budget_for(config, "scan_all")
    assert (budget.max_tokens, budget.preview_tokens, budget.page_tokens) == (900, 900, 900)
    assert (budget.max_depth, budget.strategy, budget.priority_field) == (2, "newest", "at")
    assert (budget.profile, budget.max_suggestions, budget.fetch_tool) == ("o200k", 2, "read_more")
    assert (budget.indicator.text, budget.indicator.keep_lengths) == ("[...]", True)
    assert budget_for(Config(), "anything") == Budget()


@pytest.mark.parametrize("profile", PROFILES)
def test_every_profile_of_the_core_can_be_set(profile: str) -> None:
    assert Config(profile=profile).profile == profile


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("max_tokens", LEAST_BUDGET),
        ("preview_tokens", LEAST_BUDGET),
        ("page_tokens", LEAST_BUDGET),
        ("preview_bytes", LEAST_BYTES),
    ],
)
def test_the_least_that_the_core_takes_is_the_least_that_can_be_set(name: str, least: int) -> None:
    assert BY_NAME[name].read(least) == least
    with pytest.raises(ConfigError, match="expected"):
        BY_NAME[name].read(least - 1)
