"""The command line, the settings file and the sample vault."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from typing import TYPE_CHECKING

import pytest
from fastmcp import Client
from tests.kit.examples.starts import help_of, leaves_alone_what_is_there, refused_settings, same_files, with_penstock

from vault_server.app import CONFIG, build, main, open_vault
from vault_server.sample import LONG_NOTE, make_vault
from vault_server.settings import Defaults, load_settings

if TYPE_CHECKING:
    from pathlib import Path


def test_the_shipped_settings_are_the_defaults_of_the_specification() -> None:
    settings = load_settings(CONFIG, ("example.org",))
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


def test_a_wrong_start_ends_with_a_reason_and_no_traceback(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "nowhere"), "--data", str(tmp_path)]) == 2
    assert main(["--config", str(tmp_path / "nowhere.toml")]) == 2
    assert main(["--allow-host", "http://example.org", "--data", str(tmp_path)]) == 2
    told = capsys.readouterr().err
    assert "--allow-host: expected a host such as" in told
    assert "nowhere: expected a folder of notes" in told
    assert "nowhere.toml: cannot be read" in told


def test_help_names_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    told = help_of(main, capsys)
    assert all(option in told for option in ("vault", "--data", "--config", "--allow-host"))


def test_the_sample_vault_is_the_same_everywhere(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    make_vault(one, notes=100)
    make_vault(other, notes=100)
    files = same_files(one, other)
    assert len(files) == 103
    for file in files:
        assert (one / file).stat().st_mtime == (other / file).stat().st_mtime
    assert (one / LONG_NOTE).stat().st_size > 1_000_000


def test_a_sample_vault_that_another_process_made_meanwhile_is_used(tmp_path: Path) -> None:
    leaves_alone_what_is_there(partial(make_vault, notes=10), tmp_path)


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
