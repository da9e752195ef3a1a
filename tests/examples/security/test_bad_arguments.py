"""A wrong argument is answered with its name, what was expected and an example; nothing is done."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import Client
from fastmcp.exceptions import ToolError

from security_server.app import build
from security_server.paths import Root
from security_server.settings import SHIPPED, load_settings

if TYPE_CHECKING:
    from pathlib import Path

    from tests.kit.examples.security_client import Talk


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("scan", {"path": "../.."}, ["path: expected a path inside the allowed folder", '{"path": "services"}']),
        ("scan", {"path": "nowhere"}, ['got "nowhere", where there is nothing', "for example"]),
        ("scan", {"path": 7}, ["path: expected text of at most 1,000 characters, got 7", '{"path": "services"}']),
        ("scan", {"path": "x" * 2_000}, ["path: expected text of at most 1,000 characters", "(2,002 characters)"]),
        ("scan", {"engines": ["nothing"]}, ["engines: expected some of bandit, detect-secrets", '"nothing"']),
        ("scan", {"engines": []}, ["engines: expected a list of text, at least 1", '{"engines": ["bandit", ']),
        ("scan", {"engine": "ruff"}, ["engine: no such argument; expected path or engines or exclude"]),
        ("get_findings", {"severity": ["SEVERE"]}, ['one of "CRITICAL", "HIGH", "MEDIUM", "LOW"', '"SEVERE"']),
        ("get_findings", {"limit": 0}, ["limit: expected a whole number from 1 to 100,000", '{"limit": 20}']),
        ("get_findings", {"offset": -1}, ["offset: expected a whole number of 0 or more, got -1", '{"offset": 50}']),
        ("get_findings", {"strategy": "random"}, ['one of "priority", "newest", "oldest"', '"random"']),
        ("get_findings", {"scan_id": "scan-99"}, ["scan_id: expected one of scan-", "got 'scan-99'"]),
        ("generate_sbom", {"source": "npm"}, ['source: expected one of "requirements", "environment", got "npm"']),
        ("generate_sbom", {"path": "/etc/hosts"}, ["which leads out of it", '{"path": "requirements.txt"}']),
        ("generate_sbom", {"path": "services"}, ["path: expected a requirements file", "which is a folder"]),
    ],
)  # fmt: skip
def test_a_wrong_argument_is_named_with_an_example(
    talk: Talk, scanned: dict[str, Any], tool: str, arguments: dict[str, Any], says: list[str]
) -> None:
    assert scanned["total_count"] > 0  # there is a scan, so that a wrong scan_id is wrong by itself
    told = talk.refused(tool, **arguments)
    for part in says:
        assert part in told
    assert len(told) < 400


def test_several_wrong_arguments_are_told_together_but_not_endlessly(talk: Talk) -> None:
    told = talk.refused("get_findings", limit="many", offset="few", **{f"x{number}": 1 for number in range(9)})
    assert told.count("\n") == 5
    assert told.endswith("more")


def test_the_example_of_a_path_is_one_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()

    async def ask(tool: str, path: str) -> str:
        async with Client(build(Root.at(tmp_path, "allowed folder"), load_settings(SHIPPED))) as client:
            (told,) = (await client.call_tool(tool, {"path": path}, raise_on_error=False)).content
            return told.text if told.type == "text" else ""

    assert asyncio.run(ask("scan", "nowhere")).endswith('for example {"path": "code"}')
    assert asyncio.run(ask("generate_sbom", "requirements.txt")).endswith("where there is nothing")


def test_findings_before_any_scan_are_refused_with_the_call_to_make(tmp_path: Path) -> None:
    async def ask() -> None:
        async with Client(build(Root.at(tmp_path, "allowed folder"), load_settings(SHIPPED))) as client:
            await client.call_tool("get_findings", {})

    with pytest.raises(ToolError, match="there is no scan yet; call scan first"):
        asyncio.run(ask())


def test_an_empty_folder_is_scanned_and_only_some_scans_are_kept(tmp_path: Path) -> None:
    async def ask() -> tuple[Any, str]:
        async with Client(build(Root.at(tmp_path, "allowed folder"), load_settings(SHIPPED))) as client:
            last = [await client.call_tool("scan", {}) for _ in range(10)][-1]
            gone = await client.call_tool("get_findings", {"scan_id": "scan-2"}, raise_on_error=False)
            texts = [one.text for one in (*last.content, *gone.content) if one.type == "text"]
            return texts[0], texts[1]

    clean, gone = asyncio.run(ask())
    assert '"status":"completed","total_count":0' in clean
    assert '"files_scanned":0' in clean
    assert "expected one of scan-3, scan-4" in gone
