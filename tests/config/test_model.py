"""A ``Config`` is valid by construction, and a tool's ``Rule`` is what all entries that match its name say together.

Invariants: for every tool, preview and page fit the budget and the two ways of holding exclude each other; the
exact name is stronger than any glob, and a longer glob than a shorter one.
"""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.config import Config, RuleEntry
from penstock.config.resolve import MAX_RULES
from penstock.errors import ConfigError

TOKENS = st.integers(250, 100_000)
NAMES = st.text("ab_*?[]!-", min_size=1, max_size=6)
RULE = st.fixed_dictionaries(
    {},
    optional={
        "max_tokens": TOKENS,
        "preview_tokens": st.integers(250, 400),
        "page_tokens": st.integers(250, 400),
        "max_depth": st.integers(1, 9),
        "ttl": st.sampled_from(["60s", "forever"]),
        "auto_truncate": st.booleans(),
    },
)
HOLDS = st.sampled_from([{}, {"always_hold": True}, {"never_hold": True}, {"always_hold": False}])


@given(top=TOKENS, rules=st.dictionaries(NAMES, st.tuples(RULE, HOLDS), max_size=5), tool=NAMES | st.text(max_size=5))
def test_every_tools_rule_is_consistent(top: int, rules: dict[str, tuple[Any, Any]], tool: str) -> None:
    joined: dict[str, Any] = {pattern: {"max_tokens": 400, **rule, **holds} for pattern, (rule, holds) in rules.items()}
    for given_rule in joined.values():
        given_rule["max_tokens"] = max(400, given_rule["max_tokens"])
    rule = Config(max_tokens=top, rules=joined).rule_for(tool)
    assert rule.preview_tokens <= rule.max_tokens
    assert rule.page_tokens <= rule.max_tokens
    assert not (rule.always_hold and rule.never_hold)
    if tool in joined:
        assert rule.pattern == tool
        assert rule.max_tokens == joined[tool]["max_tokens"]
    assert rule.pattern in {"", *joined}


@given(TOKENS, TOKENS)
def test_changing_a_config_gives_a_valid_one_and_leaves_the_old_one_alone(first: int, second: int) -> None:
    old = Config(max_tokens=first)
    new = old.with_(max_tokens=second)
    assert (old.max_tokens, new.max_tokens) == (first, second)
    assert max(new.preview_tokens, new.page_tokens) <= second


def test_the_defaults_are_those_of_the_design() -> None:
    config = Config()
    assert (config.max_tokens, config.preview_tokens, config.page_tokens) == (20_000, 2_000, 5_000)
    assert (config.preview_bytes, config.max_depth, config.ttl) == (8_192, 3, 1_800)
    assert (config.profile, config.store, config.tool_name) == ("auto", "sqlite:", "fetch_cached_response")
    assert (config.owner, config.call_timeout) == ("auto", 600)
    assert config.rules == ()


def test_a_tool_without_a_rule_has_the_settings_of_all() -> None:
    rule = Config(max_depth=5).rule_for("search_text")
    assert (rule.pattern, rule.max_depth, rule.max_tokens) == ("", 5, 20_000)


def test_a_glob_can_set_the_depth_and_the_exact_name_the_tokens() -> None:
    config = Config(rules={"search_text": {"max_tokens": 8_000}, "search_*": {"max_depth": 2, "max_tokens": 9_000}})
    rule = config.rule_for("search_text")
    assert (rule.pattern, rule.max_depth, rule.max_tokens) == ("search_text", 2, 8_000)
    assert config.rule_for("search_files").max_tokens == 9_000
    assert config.rule_for("find_files").max_tokens == 20_000


def test_the_glob_that_spells_out_more_of_the_name_wins_and_the_later_one_on_a_tie() -> None:
    config = Config(
        rules={
            "get_user*": {"max_depth": 4},
            "get_*": {"max_depth": 2, "ttl": 60},
            "*": {"max_depth": 1, "strategy": "newest"},
            "[a-z]et_*": {"preview_bytes": 600},
            "*_users": {"page_tokens": 300},
            "?et_users": {"page_tokens": 400},
        }
    )
    rule = config.rule_for("get_users")
    assert (rule.pattern, rule.max_depth, rule.ttl, rule.strategy) == ("?et_users", 4, 60, "newest")
    assert (rule.preview_bytes, rule.page_tokens) == (600, 400)
    tie = Config(rules={"a*": {"max_depth": 1}, "*a": {"max_depth": 2}})
    assert (tie.rule_for("aba").max_depth, tie.rule_for("aba").pattern) == (2, "*a")


def test_a_name_with_the_characters_of_a_glob_is_also_an_exact_name() -> None:
    config = Config(rules={"a[b]": {"max_depth": 1}})
    assert config.rule_for("a[b]").max_depth == 1
    assert config.rule_for("ab").max_depth == 1
    assert config.rule_for("A[b]").max_depth == 3


def test_names_are_matched_with_their_case() -> None:
    assert Config(rules={"Search*": {"max_depth": 1}}).rule_for("search_text").pattern == ""


def test_what_must_fit_the_budget_follows_it_down_by_itself() -> None:
    config = Config(max_tokens=1_000, rules={"tiny": {"max_tokens": 500}})
    assert (config.preview_tokens, config.page_tokens) == (1_000, 1_000)
    assert config.rule_for("tiny").preview_tokens == 500
    assert Config(preview_tokens=3_000).with_(max_tokens=2_500).preview_tokens == 2_500


@pytest.mark.parametrize("name", ["preview_tokens", "page_tokens"])
def test_an_explicit_contradiction_is_an_error(name: str) -> None:
    given: Any = {"max_tokens": 1_000, name: 1_001}
    given_alone: Any = {name: 1_001}
    expected = "expected at most max_tokens, which is 1,000, found 1,001"
    with pytest.raises(ConfigError, match=f"argument {name}: {expected}"):
        Config(**given)
    with pytest.raises(ConfigError, match=rf"argument rules.x.{name}: {expected}"):
        Config(rules={"x": given})
    with pytest.raises(ConfigError, match=f"argument {name}: {expected}"):
        Config(max_tokens=1_000).with_(**given_alone)


def test_a_rule_turns_the_opposite_way_of_holding_off() -> None:
    config = Config(always_hold=True, rules={"secret*": {"never_hold": True}, "secret_list": {"always_hold": True}})
    assert config.rule_for("other").always_hold
    assert (config.rule_for("secret").always_hold, config.rule_for("secret").never_hold) == (False, True)
    assert (config.rule_for("secret_list").always_hold, config.rule_for("secret_list").never_hold) == (True, False)
    with pytest.raises(ConfigError, match="never_hold: expected false, because always_hold is true; choose one"):
        Config(always_hold=True, never_hold=True)


def test_given_rules_take_the_place_of_the_old_ones_and_other_changes_keep_them() -> None:
    config = Config(rules={"a": {"max_depth": 1}})
    assert config.with_(max_depth=9).rule_for("a").max_depth == 1
    assert config.with_(rules={}).rules == ()
    assert config.with_(rules=config.rules) == config


def test_lowering_the_budget_never_breaks_a_rule_that_was_fine() -> None:
    config = Config(rules={"a": {"preview_tokens": 3_000}}).with_(max_tokens=2_000)
    assert config.rule_for("a").preview_tokens == 2_000


def test_a_config_is_a_value() -> None:
    config = Config(max_tokens=9_000, rules={"a": {"ttl": "forever"}})
    assert config == Config(max_tokens=9_000, rules=(RuleEntry(pattern="a", settings=(("ttl", None),)),))
    assert {config: 1}[copy.deepcopy(config)] == 1
    assert pickle.loads(pickle.dumps(config)) == config
    assert dataclasses.replace(config, max_tokens=8_000) == config.with_(max_tokens=8_000)
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.max_tokens = 1  # type: ignore[misc]


def test_an_unknown_argument_is_an_error_with_the_nearest_name() -> None:
    wrong: Any = {"max_token": 1}
    with pytest.raises(ConfigError, match=r"argument max_token: not a setting; did you mean max_tokens\?"):
        Config(**wrong)
    with pytest.raises(ConfigError, match=r"argument rules.'s\*'.max_token: not a setting; did you mean max_tokens\?"):
        Config(rules={"s*": wrong})


def test_tools_is_a_setting_as_a_text_and_rules_as_a_table() -> None:
    assert Config(tools="brief").tools == "brief"
    as_rules: dict[str, Any] = {"tools": {"a": {"max_tokens": 500}}}
    assert Config(**as_rules).tools == "full"
    assert Config(**as_rules).rule_for("a").max_tokens == 500
    wrong: dict[str, Any] = {"tools": "short"}
    with pytest.raises(ConfigError, match="tools: expected"):
        Config(**wrong)


def test_a_setting_of_all_tools_cannot_stand_in_a_rule() -> None:
    wrong: Any = {"store": "memory:"}
    with pytest.raises(ConfigError, match=r"rules.a.store: not a setting of one tool; give it outside the rules"):
        Config(rules={"a": wrong})


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        (7, "argument rules: expected a table of tool names or globs, found 7"),
        (None, "argument rules: expected a table of tool names or globs, found nothing"),
        ([{}], "argument rules: expected a table of tool names or globs, found a list of 1 items"),
        ({"a": 7}, "argument rules.a: expected a table of settings, found 7"),
        ({"": {}}, "argument rules.'': expected a tool's name or a glob of 1 to 200 characters"),
        ({7: {}}, "argument rules.7: expected a tool's name or a glob of 1 to 200 characters"),
        ({"x" * 201: {}}, "expected a tool's name or a glob of 1 to 200 characters"),
        ({str(n): {} for n in range(MAX_RULES + 1)}, "1,001 rules: more than 1,000; join some by a glob"),
    ],
)
def test_rules_that_are_no_rules_are_refused(rules: Any, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Config(rules=rules)
    assert words in str(caught.value)


def test_all_that_is_wrong_is_told_at_once_but_never_more_than_ten() -> None:
    wrong: Any = {"max_depth": 0, "ttl": 0}
    with pytest.raises(ConfigError) as caught:
        Config(**wrong)
    title, *lines = str(caught.value).split("\n")
    assert title == "2 settings are wrong:"
    assert [line.split(":")[0] for line in lines] == ["  argument max_depth", "  argument ttl"]
    many: Any = {f"unknown_{n}": n for n in range(500)}
    with pytest.raises(ConfigError) as caught:
        Config(**many)
    title, *lines = str(caught.value).split("\n")
    assert title == "10 or more settings are wrong:"
    assert len(lines) == 10
