"""Wrapping changes two values of each server and nothing else, twice is once, and unwrapping gives the bytes back."""

from __future__ import annotations

import re
import tempfile
import tomllib
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.cli import main
from penstock.client_config.jsonc import JSONC
from penstock.client_config.plan import ConfigText, unwrap, wrap
from penstock.client_config.plan import changed as apply_changes
from penstock.errors import CallerError
from tests.kit.client_configs import FRONT, GATEWAY, Written, changed, json_files, plain_json, toml_files

put_in = partial(wrap, GATEWAY)
written = st.one_of(json_files().map(lambda one: (".json", one)), toml_files().map(lambda one: (".toml", one)))


def meaning(servers: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return {
        name: {**entry, "command": FRONT[0], "args": [*FRONT[1:], entry["command"], *entry.get("args", [])]}
        for name, entry in servers.items()
    }


def table(text: str) -> Any:
    read = plain_json(text)
    return read.get("mcpServers", read.get("servers"))


def ambiguous(servers: dict[str, dict[str, Any]]) -> bool:
    """An empty args may stand right in front of the command, and only a backup tells it from one that was added."""
    return any(entry.get("args") == [] for entry in servers.values())


@given(json_files())
def test_wrapped_json_says_what_is_meant(one: Written) -> None:
    assert table(one.text) == one.servers
    assert table(changed(one.text, put_in)) == meaning(one.servers)


@given(toml_files())
def test_wrapped_toml_says_what_is_meant(one: Written) -> None:
    before = tomllib.loads(one.text)
    after = tomllib.loads(changed(one.text, put_in, suffix=".toml"))
    assert before.pop("mcp_servers", {}) == one.servers
    assert after.pop("mcp_servers", {}) == meaning(one.servers)
    assert after == before


@given(written)
def test_all_but_command_and_args_stays_byte_for_byte(case: tuple[str, Written]) -> None:
    suffix, one = case
    wrapped = changed(one.text, put_in, suffix=suffix)
    assert re.fullmatch("(?s:.*?)".join(map(re.escape, one.kept)), wrapped)


@given(written)
def test_wrapping_twice_is_wrapping_once(case: tuple[str, Written]) -> None:
    suffix, one = case
    once = changed(one.text, put_in, suffix=suffix)
    assert changed(once, put_in, suffix=suffix) == once


@given(written.filter(lambda case: not ambiguous(case[1].servers)))
def test_unwrapping_needs_no_backup(case: tuple[str, Written]) -> None:
    suffix, one = case
    assert changed(changed(one.text, put_in, suffix=suffix), unwrap, suffix=suffix) == one.text


@given(written)
def test_without_a_backup_nothing_but_an_empty_args_can_get_lost(case: tuple[str, Written]) -> None:
    suffix, one = case
    back = changed(changed(one.text, put_in, suffix=suffix), unwrap, suffix=suffix)
    said = table(back) if suffix == ".json" else tomllib.loads(back).get("mcp_servers", {})
    bare = {name: {key: value for key, value in entry.items() if value != []} for name, entry in one.servers.items()}
    assert {name: {key: value for key, value in entry.items() if value != []} for name, entry in said.items()} == bare


@given(written, st.booleans(), st.booleans())
def test_the_commands_give_every_byte_back(case: tuple[str, Written], bom: bool, half: bool) -> None:
    suffix, one = case
    if not one.servers:
        return
    data = b"\xef\xbb\xbf" * bom + one.text.encode()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, f"config{suffix}")
        file.write_bytes(data)
        some = [name for name in list(one.servers)[:1] if not name.startswith("-")] if half else []
        for servers in (some, []):
            assert main(["wrap", "--client", str(file), "--yes", "--no-check", "--max-tokens", "8000", *servers]) == 0
        assert file.read_bytes() != data
        assert main(["unwrap", "--client", str(file), "--yes"]) == 0
        assert file.read_bytes() == data
        assert [path.name for path in Path(folder).iterdir()] == [file.name]


@given(json_files().filter(lambda one: not ambiguous(one.servers)), st.sampled_from(["mcpServers", "projects"]))
def test_what_was_edited_meanwhile_survives(one: Written, other: str) -> None:
    added = f'// mine\n{{"{other}2": {{"x": {{"command": "penstock"}}}}, '
    start = one.text.index("{") if "/" not in one.text.partition("{")[0] else -1
    if start < 0 or one.text.rstrip().endswith("{}"):
        return

    def edited(text: str) -> str:
        return text[:start] + added + text[start + 1 :]

    assert changed(edited(changed(one.text, put_in)), unwrap) == edited(one.text)


@pytest.mark.parametrize("quoted", ['"other"', '"', '"a", "b"'])
def test_a_text_that_would_not_say_what_is_meant_is_never_written(quoted: str) -> None:
    text = '{"mcpServers": {"a": {"command": "x"}}}'
    broken = replace(JSONC, quote=lambda _: quoted)
    source = ConfigText(text=text, dialect=broken, servers=broken.read(text), had_args=frozenset())
    change = put_in(source, source.servers[0])
    with pytest.raises(CallerError, match="cannot be changed without losing"):
        apply_changes(source, [change])  # type: ignore[list-item]
