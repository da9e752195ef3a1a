"""The table is the one source of truth: every row reads its own default, names its limits, and refuses the rest.

Invariant: reading a value gives a value of the setting's type within its limits, or raises ``ConfigError``.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.config import SETTINGS, Config, Rule, Setting
from penstock.config.kinds import STORE, duration, show
from penstock.config.settings import BY_NAME, PER_TOOL
from penstock.config.typed import ConfigArguments, RuleArguments
from penstock.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30) | st.dates() | st.binary(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
    max_leaves=8,
)


def refusal(read: Callable[[object], object], value: object) -> str:
    """The words of a refusal; empty when the value was read."""
    try:
        read(value)
    except ConfigError as error:
        return error.what
    return ""


@given(setting=st.sampled_from(SETTINGS), value=ANYTHING)
def test_a_value_is_read_or_refused_and_what_was_read_reads_again_as_itself(setting: Setting, value: object) -> None:
    for read in (setting.read, setting.read_spelled):
        if words := refusal(read, value):
            assert words.startswith(f"expected {setting.kind.expects}, found ")
            assert words.isprintable()
        else:
            assert setting.read(read(value)) == read(value)


@given(setting=st.sampled_from(SETTINGS), text=st.text(max_size=40))
def test_any_text_of_a_variable_is_read_or_refused(setting: Setting, text: str) -> None:
    assert refusal(setting.read_spelled, text).isprintable()


NUMBERS = [one for one in SETTINGS if "minimum" in msgspec.json.schema(one.kind.accepts)]


@given(st.sampled_from(NUMBERS), st.integers())
def test_a_number_is_taken_exactly_within_its_limits(setting: Setting, number: int) -> None:
    limits = msgspec.json.schema(setting.kind.accepts)
    if limits["minimum"] <= number <= limits["maximum"]:
        assert setting.read(number) == number
        assert setting.read_spelled(f"{number:_}") == number
    else:
        with pytest.raises(ConfigError, match="expected"):
            setting.read(number)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_every_row_is_complete(setting: Setting) -> None:
    assert setting.read(setting.default) == getattr(Config(), setting.name)
    assert setting.read_spelled(setting.written_default) == getattr(Config(), setting.name)
    assert setting.name.islower()
    assert setting.help.endswith(".")
    assert setting.why.endswith(".")
    assert setting.env == f"PENSTOCK_{setting.name.upper()}"
    assert setting.flag == f"--{setting.name.replace('_', '-')}"


def test_the_table_the_attributes_and_the_typed_arguments_name_the_same_settings() -> None:
    assert {f.name for f in dataclasses.fields(Config)} == {*BY_NAME, "rules", "clients"}
    assert {f.name for f in dataclasses.fields(Rule)} == {*PER_TOOL, "pattern"}
    assert ConfigArguments.__optional_keys__ == {*BY_NAME, "rules", "clients"}
    assert RuleArguments.__optional_keys__ == set(PER_TOOL)


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        (60, 60),
        ("90s", 90),
        ("90", 90),
        ("30m", 1_800),
        ("2 h", 7_200),
        ("7d", 604_800),
        ("forever", None),
        (None, None),
    ],
)
def test_a_time_is_written_as_people_write_it(written: object, seconds: int | None) -> None:
    assert duration(60, 31_536_000).read(written) == seconds


@pytest.mark.parametrize("written", ["0s", "0h", "1w", "m", "-5m", "1.5h", "١٠m", "9" * 5_000, 0, True, 90.0, ""])
def test_another_time_is_refused(written: object) -> None:
    with pytest.raises(ConfigError, match="expected a whole number of seconds from 1 to 31,536,000, or text such as"):
        BY_NAME["ttl"].read(written)


@pytest.mark.parametrize(("text", "truth"), [("1", True), ("TRUE", True), (" on ", True), ("yes", True)])
def test_truth_is_spelled_in_the_usual_words(text: str, truth: bool) -> None:
    assert BY_NAME["auto_truncate"].read_spelled(text) is truth


@pytest.mark.parametrize("text", ["0", "false", "No", "off"])
def test_falsehood_is_spelled_in_the_usual_words(text: str) -> None:
    assert BY_NAME["auto_truncate"].read_spelled(text) is False


def test_a_truth_value_is_no_number_and_a_number_no_truth_value() -> None:
    with pytest.raises(ConfigError, match="expected a whole number from 1 to 400, found true"):
        BY_NAME["max_depth"].read(True)
    with pytest.raises(ConfigError, match="expected true or false, found 1"):
        BY_NAME["always_hold"].read(1)


def test_numbers_are_only_spelled_where_everything_is_spelled() -> None:
    assert BY_NAME["max_tokens"].read_spelled("20_000") == 20_000
    with pytest.raises(ConfigError, match="found '20000'"):
        BY_NAME["max_tokens"].read("20000")


def test_a_choice_is_taken_in_any_case_and_given_in_its_own() -> None:
    assert BY_NAME["log_level"].read_spelled("INFO") == "info"


def test_a_field_may_be_found_by_itself() -> None:
    assert BY_NAME["priority_field"].read("auto") is None
    assert BY_NAME["priority_field"].read("risk.level") == "risk.level"


def test_a_stores_url_is_never_shown_because_it_may_hold_a_password() -> None:
    with pytest.raises(ConfigError, match="not shown") as caught:
        BY_NAME["store"].read("postgres://me:hunter2@host")
    assert "hunter2" not in str(caught.value)
    assert STORE.describe(5) == "5"
    assert "hunter2" not in repr(Config(store="redis://:hunter2@host/0"))


@pytest.mark.parametrize("url", ["memory:", "sqlite:", "sqlite:///tmp/a.db?x=1", "redis://h:1/0", "rediss://h"])
def test_the_stores_that_there_are_can_be_named(url: str) -> None:
    assert Config(store=url).store == url


@pytest.mark.parametrize("name", ["", "a b", "ö", "x" * 65, "a\n"])
def test_a_tool_name_that_a_client_would_refuse_is_refused_here(name: str) -> None:
    with pytest.raises(ConfigError, match="tool_name: expected 1 to 64 letters"):
        Config(tool_name=name)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "nothing"),
        (False, "false"),
        (-20_000, "-20,000"),
        pytest.param(10**5_000, "a number of more than 18 digits", id="huge"),
        (1.5, "1.5"),
        ("a\x1b[2J", r"'a\x1b[2J'"),
        ("x" * 41, f"'{'x' * 40}'... (41 characters)"),
        ({"a": 1}, "a table of 1 keys"),
        ([1, 2], "a list of 2 items"),
        ((), "a list of 0 items"),
        (b"", "a value of type bytes"),
    ],
)
def test_a_wrong_value_is_named_in_one_short_line(value: object, words: str) -> None:
    assert show(value) == words


@pytest.mark.parametrize(
    ("given", "actions"),
    [
        ("off", ()),
        ("drop", ("drop",)),
        ("drop, export", ("export", "drop")),
        (["more", "DROP"], ("more", "drop")),
        ((), ()),
        ("export,more,drop", ("export", "more", "drop")),
    ],
)
def test_the_actions_of_the_second_tool_have_one_order(given: str | list[str], actions: tuple[str, ...]) -> None:
    assert Config(act=given).act == actions


@pytest.mark.parametrize("given", ["on", "drop;export", "drop,", 5, [5], True])
def test_an_action_that_there_is_not_is_refused(given: Any) -> None:
    with pytest.raises(ConfigError, match="act: expected some of export, more, drop"):
        Config(act=given)


@pytest.mark.parametrize("given", ["exports", "./exports", "", "/a\nb", 5, "/" + "x" * 2_000])
def test_an_export_folder_is_an_absolute_path(given: Any) -> None:
    with pytest.raises(ConfigError, match="export_folder: expected the absolute path"):
        Config(act="export", export_folder=given)
    assert Config(act="export", export_folder="off").export_folder is None
    assert str(Config(act="export", export_folder="~/exports").export_folder).endswith("/exports")


@pytest.mark.parametrize(
    ("name", "value", "without", "enough"),
    [
        ("act_tool_name", "do_it", "is off", "drop"),
        ("export_folder", "/exports", "does not have export", "export"),
        ("more", "any", "does not have more", "more"),
        ("max_pages", 5, "does not have more", "more"),
        ("more_timeout", 5, "does not have more", "more"),
    ],
)
def test_a_setting_of_an_action_that_is_off_is_refused(name: str, value: Any, without: str, enough: str) -> None:
    given: Any = {name: value}
    with pytest.raises(ConfigError, match=f"{name} has no effect, because act {without}"):
        Config(**given)
    assert getattr(Config(act=enough, **given), name) == value
    if name in PER_TOOL:
        with pytest.raises(ConfigError, match=f"{name} has no effect"):
            Config(act="drop", rules={"list": given})


def test_more_may_call_what_is_read_only_or_what_a_rule_allows() -> None:
    config = Config(act="more", rules={"walk": {"more": "any"}, "slow": {"more": "off"}})
    found = {
        tool: [config.rule_for(tool).lets_more(read_only=one) for one in (True, False)]
        for tool in ("list", "walk", "slow")
    }
    assert found == {"list": [True, False], "walk": [True, True], "slow": [False, False]}


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_half_of_a_surrogate_pair_is_refused(setting: Setting) -> None:
    with pytest.raises(ConfigError, match=r"expected|refuses"):
        setting.read("\ud800 half")
