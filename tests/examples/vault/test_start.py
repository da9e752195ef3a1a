"""The settings file, and the index of a vault."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest
from fastmcp import Client
from tests.kit.examples.starts import refused_settings, with_penstock

from vault_server.app import build, open_vault
from vault_server.settings import SHIPPED, Defaults, load_settings

if TYPE_CHECKING:
    from pathlib import Path


def test_the_shipped_settings_are_the_defaults_of_the_specification() -> None:
    settings = load_settings(SHIPPED, ("example.org",))
    assert settings.defaults == Defaults()
    assert settings.fetch.hosts == ("example.org",)
    assert settings.penstock.max_tokens == 10_000
    assert settings.penstock.preview_bytes == 5_120


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[vault]\nlist_limit = 0", "vault.list_limit: expected a whole number from 1 to 100,000, found 0"),
        ("[vault]\nlist_limit = true", "vault.list_limit"),
        ("[vault]\nlist_limits = 5", "vault.list_limits: not a setting; one of list_limit"),
        ("vault = 7", "vault: expected a table"),
        ("[fetch]\nhosts = 'x'", "fetch.hosts: expected a list of hosts such as"),
        ("[fetch]\nhosts = ['https://example.org/']", "fetch.hosts: expected a list of hosts such as"),
        ("[fetch]\nseconds = 9000", "fetch.seconds"),
        ("[penstock]\nmax_tokens = 'x'", "max_tokens"),
        ("not toml", "not valid TOML"),
    ],
)
def test_a_wrong_setting_is_named_with_its_file(tmp_path: Path, text: str, says: str) -> None:
    assert says in refused_settings(load_settings, tmp_path / "penstock.toml", with_penstock(text))


def test_the_index_of_a_vault_is_not_written_into_it(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    vault = open_vault(tmp_path / "vault", tmp_path / "data", 10)
    vault.start()
    vault.catalog()
    vault.close()
    assert list((tmp_path / "vault").iterdir()) == []
    assert [path.suffix for path in (tmp_path / "data").iterdir()] == [".sqlite"]


def test_settings_change_the_defaults_that_tools_show(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    for number in range(10):
        (tmp_path / f"vault/{number}.md").write_text("x")
    (tmp_path / "mine.toml").write_text("[vault]\nlist_limit = 4\n[penstock]\nmax_tokens = 500\n")
    vault = open_vault(tmp_path / "vault", tmp_path / "data", 10)
    vault.start()

    async def ask() -> tuple[object, str]:
        async with Client(build(vault, load_settings(tmp_path / "mine.toml"))) as client:
            tools = {tool.name: tool for tool in await client.list_tools()}
            content = (await client.call_tool("list_vault_files", {})).content[0]
            assert content.type == "text"
            return tools["list_vault_files"].input_schema["properties"]["limit"]["default"], content.text

    limit, text = asyncio.run(ask())
    assert limit == 4
    assert len(json.loads(text)["files"]) == 4
    vault.close()
