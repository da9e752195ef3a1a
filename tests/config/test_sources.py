"""Sources and their errors: file < environment < arguments, and whatever is wrong names its source and its key.

Invariant: whatever a file holds, ``load`` gives a ``Config`` or raises a ``ConfigError`` that begins with the
file's name; no other exception comes out.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from penstock.config import SETTINGS, Config, add_flags, from_flags, load
from penstock.config.files import MAX_FILE_BYTES
from penstock.config.settings import BY_NAME
from penstock.errors import ConfigError

KEYS = st.sampled_from([*BY_NAME, "rules", "tools", "penstock", "max-tokens", "maxTokens", "a*"]) | st.text(max_size=8)
TREES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["auto", "30m", "memory:"])
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=8,
)
SYNTAX = st.text(st.sampled_from("ab:-= \n\t\"'[]{},#&*!<>|?%@`~_.0123:\0é\ud800"), max_size=40)


def write(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def complaint(file: str, **given: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        load(file, env={}, **given)
    return str(caught.value).replace(str(Path(file).parent), ".").replace("./", "")


def read_or_complain(name: str, data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        try:
            config = load(path, env={})
        except ConfigError as error:
            words = str(error)
        else:
            words = f"{path}: {config.rule_for('a').max_tokens}"
        assert str(path) in words


@settings(max_examples=80)
@given(TREES)
def test_any_tree_in_a_file_is_a_config_or_a_config_error(tree: object) -> None:
    read_or_complain("c.json", json.dumps(tree).encode())


@settings(max_examples=80)
@given(st.dictionaries(KEYS, TREES, max_size=5))
def test_any_arguments_are_a_config_or_a_config_error(tree: dict[str, Any]) -> None:
    try:
        config = Config(**tree)
    except ConfigError:
        return
    assert config.with_() == config


@settings(max_examples=150)
@given(st.sampled_from(["c.toml", "c.yaml", "c.json"]), SYNTAX)
def test_any_text_in_a_file_is_a_config_or_a_config_error(name: str, text: str) -> None:
    read_or_complain(name, text.encode("utf-8", "surrogatepass"))


@settings(max_examples=100)
@given(st.dictionaries(st.sampled_from([s.env for s in SETTINGS]), st.text(max_size=12)))
@example({"PENSTOCK_ACT_TOOL_NAME": "0"})
@example({"PENSTOCK_ENVELOPE": "data", "PENSTOCK_PREVIEW_TOKENS": "100"})
def test_any_environment_is_a_config_or_a_config_error(env: dict[str, str]) -> None:
    try:
        load(env=env)
    except ConfigError as error:
        words = str(error)
    else:
        words = "PENSTOCK_"
    assert "PENSTOCK_" in words


TOML = """
max_tokens = 8_000
ttl = "2h"

[rules."search_*"]
max-tokens = 4_000
strategy = "newest"
"""
YAML = """
penstock:
  max_tokens: 8000
  ttl: 2h
  rules:
    search_*:
      max-tokens: 4000
      strategy: newest
other: things
"""
JSON = '{"max_tokens": 8000, "ttl": "2h", "tools": {"search_*": {"max-tokens": 4000, "strategy": "newest"}}}'


@pytest.mark.parametrize(("name", "text"), [("c.toml", TOML), ("c.YAML", YAML), ("c.yml", YAML), ("c.json", JSON)])
def test_the_three_formats_say_the_same(name: str, text: str, tmp_path: Path) -> None:
    config = load(write(tmp_path, name, "\ufeff" + text), env={})
    assert config == Config(
        max_tokens=8_000, ttl=7_200, rules={"search_*": {"max_tokens": 4_000, "strategy": "newest"}}
    )


@pytest.mark.parametrize(("name", "text"), [("c.toml", ""), ("c.yaml", "# nothing\n"), ("c.json", "{}")])
def test_a_file_may_say_nothing(name: str, text: str, tmp_path: Path) -> None:
    assert load(write(tmp_path, name, text), env={}) == Config()


def test_the_environment_is_stronger_than_the_file_and_arguments_stronger_than_both(tmp_path: Path) -> None:
    file = write(tmp_path, "c.toml", 'max_depth = 1\nprofile = "o200k"\nlog_level = "info"')
    env = {"PENSTOCK_MAX_DEPTH": "2", "PENSTOCK_PROFILE": "cl100k", "PENSTOCK_STORE": " "}
    config = load(file, env=env, max_depth=3)
    assert (config.max_depth, config.profile, config.log_level, config.store) == (3, "cl100k", "info", "sqlite:")


def test_the_process_environment_is_read_unless_another_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_MAX_TOKENS", "12_345")
    assert load().max_tokens == 12_345
    assert load(env={}).max_tokens == 20_000
    assert Config().max_tokens == 20_000


def test_rules_of_the_arguments_join_those_of_the_file_and_win_over_them(tmp_path: Path) -> None:
    file = write(tmp_path, "c.toml", "[rules.a]\nmax_depth = 1\nttl = 60")
    rule = load(file, env={}, rules={"a": {"max_depth": 2}}).rule_for("a")
    assert (rule.max_depth, rule.ttl) == (2, 60)


def test_a_stronger_source_lowers_what_a_weaker_one_gave_and_raises_it_again(tmp_path: Path) -> None:
    file = write(tmp_path, "c.toml", "max_tokens = 6_000\npreview_tokens = 3_000")
    assert load(file, env={}, max_tokens=1_000).preview_tokens == 1_000
    assert load(file, env={"PENSTOCK_MAX_TOKENS": "1000"}, max_tokens=9_000).preview_tokens == 3_000
    assert "argument preview_tokens: expected at most max_tokens, which is 6,000" in complaint(
        file, preview_tokens=7_000
    )


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("c.toml", "\nmax_token = 1", "c.toml:2: max_token: not a setting; did you mean max_tokens?"),
        ("c.json", '{\n"maxTokens": 1}', "c.json:2: maxTokens: not a setting; did you mean max_tokens?"),
        ("c.json", '{"alwaysBuffer": 1}', "c.json:1: alwaysBuffer: not a setting; did you mean always_hold?"),
        ("c.yaml", "ttl:\n", "c.yaml:1: ttl: expected a whole number of seconds from 1 to 31,536,000, or text"),
        ("c.yaml", "ttl:\n", '"7d" or "forever", found nothing'),
        ("c.yaml", "3: 4\n", "c.yaml:1: 3: not a setting; known here: max_tokens, preview_tokens"),
        ("c.toml", "max_tokens = 2e4", "c.toml:1: max_tokens: expected a whole number of tokens from 250 to"),
        ("c.toml", "max_tokens = 2e4", "10,000,000, found 20000.0"),
        ("c.toml", "max_depth = 1\nmax-depth = 1", "c.toml:2: max-depth: given twice; snake_case and kebab-case"),
        ("c.toml", "max_depth=1\n[rules.'a*']\nmax_depth=0", "c.toml:3: rules.'a*'.max_depth: expected a whole"),
        ("c.json", '{"rules": [{"a": 1}]}', "c.json:1: rules: expected a table of tool names or globs, found a list"),
        ("c.json", '{"tools": {"a": 1}}', "c.json:1: tools.a: expected a table of settings, found 1"),
        ("c.json", "[1, 2]", "c.json: expected a table of settings, found a list of 2 items"),
        ("c.yaml", "penstock: 3", "c.yaml:1: penstock: expected a table of settings, found 3"),
        ("c.toml", "ttl = 60\n[penstock]\n", "c.toml:1: ttl: outside the penstock table; move it into the table"),
        ("c.yaml", "penstock:\n  ttl: 0", "c.yaml:2: penstock.ttl: expected"),
    ],
)
def test_a_wrong_setting_names_the_file_the_line_the_key_and_what_was_expected(
    name: str, text: str, words: str, tmp_path: Path
) -> None:
    assert words in complaint(write(tmp_path, name, text))


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{"rules": {"a": {"max_depth": 1},\n"b": {"max_depth": 0}}}', "c.json:2: rules.b.max_depth:"),
        ('{"rules": {"a": {"max_depth": 1}},\n"max_depth": 0}', "c.json: max_depth:"),
        ('{"rules": {"ttl": {"max_depth": 0}},\n"ttl": 60, "max_depth": 1}', "c.json: rules.ttl.max_depth:"),
    ],
)
def test_a_line_is_told_only_when_there_is_no_doubt_about_it(text: str, where: str, tmp_path: Path) -> None:
    assert complaint(write(tmp_path, "c.json", text)).startswith(where)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("c.toml", "a = 1\nb = ", "c.toml:2: not valid TOML: Invalid value"),
        ("c.toml", "a = 1\na = 2", "c.toml:2: not valid TOML: Cannot overwrite a value"),
        ("c.toml", f"a = {'9' * 5_000}", "c.toml: not valid TOML: Exceeds the limit"),
        ("c.toml", f"a = {'[' * 9_000}", "c.toml: nested too deeply"),
        ("c.json", '{"a": 1,\n "b"}', "c.json:2: not valid JSON: Expecting ':' delimiter"),
        ("c.json", "", "c.json:1: not valid JSON: Expecting value"),
        ("c.json", '{"ttl": 60, "ttl": 61}', "c.json: not valid JSON: the key 'ttl' is given twice"),
        ("c.json", f'{{"a": {"9" * 5_000}}}', "c.json: not valid JSON: Exceeds the limit"),
        ("c.json", "[" * 99_999, "c.json: nested too deeply"),
        ("c.yaml", "a: 1\nb: [", "c.yaml:2: not valid YAML: expected the node content"),
        ("c.yaml", "a: 1\n\tb: 2", "c.yaml:2: not valid YAML: found character '\\t'"),
        ("c.yaml", "a: \0", "c.yaml: not valid YAML: unacceptable character #x0000"),
        ("c.yaml", "ttl: 60\nttl: 61", "c.yaml:1: the key 'ttl' is given twice"),
        ("c.yaml", "a: 1\nb: &b 2", "c.yaml:2: anchors, aliases and tags are not read here"),
        ("c.yaml", "a: 1\nb: *b", "c.yaml:2: anchors, aliases and tags are not read here"),
        ("c.yaml", "a: !!bool maybe", "c.yaml:1: anchors, aliases and tags are not read here"),
        ("c.yaml", "a: 2020-02-31", "c.yaml: not valid YAML: day is out of range"),
        ("c.yaml", f"a: 1{':00' * 300}.5", "c.yaml: not valid YAML: int too large"),
        ("c.yaml", "[a]: 1", "c.yaml:1: not valid YAML: found unhashable key"),
        ("c.yaml", "a: 1\n--- \nb: 2", "c.yaml:2: not valid YAML: but found another document"),
        ("c.yaml", "- " * 3_000, "c.yaml: nested too deeply"),
        ("c.json", " " * (MAX_FILE_BYTES + 1), "c.json: larger than 1,048,576 bytes"),
        ("c.ini", "a = 1", "c.ini: not a configuration file; name it with one of .toml, .yaml, .yml, .json"),
    ],
    ids=lambda value: value[:30],
)
def test_a_file_that_cannot_be_parsed_is_one_clear_error(name: str, text: str, words: str, tmp_path: Path) -> None:
    file = write(tmp_path, name, text)
    assert complaint(file).startswith(words)


def test_a_file_that_cannot_be_read_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "latin.toml").write_bytes(b'ttl = "1h"\n# caf\xe9\n')
    assert complaint(str(tmp_path / "none.toml")) == "none.toml: cannot be read: No such file or directory"
    assert complaint(str(tmp_path / "folder.toml")) == "folder.toml: cannot be read: Is a directory"
    assert complaint(str(tmp_path / "latin.toml")) == "latin.toml:2: not UTF-8; save it as UTF-8"
    assert "cannot be read: embedded null byte" in complaint(str(tmp_path / "nul\0.toml"))


def test_a_variable_that_is_wrong_is_named() -> None:
    with pytest.raises(ConfigError, match=r"^PENSTOCK_MAX_DEPTH: expected a whole number from 1 to 400, found 'deep'$"):
        load(env={"PENSTOCK_MAX_DEPTH": "deep"})


def test_a_misspelled_variable_is_an_error_and_a_stranger_with_our_prefix_is_not() -> None:
    with pytest.raises(ConfigError, match=r"^PENSTOCK_MAX_TOKEN: not a setting; did you mean PENSTOCK_MAX_TOKENS\?$"):
        load(env={"PENSTOCK_MAX_TOKEN": "1"})
    strangers = ("PORT", "SERVICE_HOST", "SERVICE_PORT", "PORT_8080_TCP", "PORT_8080_TCP_ADDR", "STORE_PORT", "")
    assert load(env={f"PENSTOCK_{name}": "tcp://10.0.0.1:80" for name in strangers}) == Config()


def flags(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_flags(parser, BY_NAME)
    return parser.parse_args(words)


def test_every_setting_has_a_flag_that_is_stronger_than_the_rest(tmp_path: Path) -> None:
    file = write(tmp_path, "c.toml", "max_tokens = 5_000\nalways_hold = true\nmax_depth = 9")
    given = flags("--max-tokens", "7000", "--no-always-hold", "--ttl", "forever", "--auto-truncate")
    config = from_flags(given, file=file, env={"PENSTOCK_TTL": "60"})
    assert config == Config(max_tokens=7_000, ttl=None, auto_truncate=True, max_depth=9)
    assert from_flags(flags(), env={}) == Config()
    assert from_flags(argparse.Namespace(max_depth=None), env={}) == Config()


def test_a_wrong_flag_is_named_by_its_flag() -> None:
    with pytest.raises(ConfigError, match=r"^--page-tokens: expected a whole number of tokens .* found '5k'$"):
        from_flags(flags("--page-tokens", "5k"), env={})


def test_help_tells_each_flags_values_and_default() -> None:
    parser = argparse.ArgumentParser(prog="penstock")
    add_flags(parser, ["max_tokens", "strategy", "auto_truncate"])
    text = " ".join(parser.format_help().split())
    assert "--max-tokens TOKENS The budget of an answer: the largest result that passes whole. Default: 20000." in text
    assert "--strategy auto|priority|newest|oldest" in text
    assert "--auto-truncate, --no-auto-truncate" in text
    assert "--ttl" not in text


def test_importing_the_configuration_is_cheap() -> None:
    code = "import sys; before = set(sys.modules); import penstock.config; print(*set(sys.modules) - before)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"yaml", "argparse", "asyncio", "json", "tomllib", "pathlib", "logging"} & set(loaded)
