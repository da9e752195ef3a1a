"""SARIF in: reports as several engines write them, and an engine that the settings name."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import Client
from fastmcp.exceptions import ToolError

from security_server.app import build
from security_server.engines import sarif
from security_server.paths import Root
from security_server.settings import load_settings

if TYPE_CHECKING:
    from pathlib import Path


def result(rule: str, uri: str, line: int = 3, **given: Any) -> dict[str, Any]:
    place = {"artifactLocation": {"uri": uri}, "region": {"startLine": line, "snippet": {"text": "key=hunter2"}}}
    return {"ruleId": rule, "message": {"text": f"about {rule}"}, "locations": [{"physicalLocation": place}], **given}


def report(*results: dict[str, Any], rules: list[dict[str, Any]] | None = None, **given: Any) -> dict[str, Any]:
    tool = {"driver": {"name": "engine", "rules": rules or []}}
    return {"version": "2.1.0", "runs": [{"tool": tool, "results": list(results), **given}]}


@pytest.mark.parametrize(
    ("rule", "given", "severity", "cwe"),
    [
        # As CodeQL, semgrep, gosec and gitleaks write them.
        ({"properties": {"security-severity": "9.8", "tags": ["external/cwe/cwe-078"]}}, {}, "CRITICAL", 78),
        ({"properties": {"tags": ["CWE-89: SQL Injection"]}}, {"level": "error"}, "HIGH", 89),
        (
            {"relationships": [{"target": {"id": "327", "toolComponent": {"name": "CWE"}}}]},
            {"level": "warning"},
            "MEDIUM",
            327,
        ),
        ({"defaultConfiguration": {"level": "note"}}, {}, "LOW", None),
        ({}, {}, "MEDIUM", None),
        ({"properties": {"security-severity": "7.0"}}, {"level": "note"}, "HIGH", None),
        ({"properties": {"security-severity": "odd"}}, {"level": "odd"}, "MEDIUM", None),
    ],
)
def test_severity_and_weakness_are_read_as_engines_write_them(
    rule: dict[str, Any], given: dict[str, Any], severity: str, cwe: int | None
) -> None:
    read = sarif.read(report(result("R1", "src/a.go", **given), rules=[{"id": "R1", "name": "Rule one", **rule}]))
    (raw,) = read.raws
    assert (raw.file, raw.line, raw.rule, raw.title) == ("src/a.go", 3, "R1", "Rule one")
    assert (raw.severity, raw.cwe) == (severity, cwe)
    assert "hunter2" not in str(read)


def test_rules_are_found_by_index_and_in_extensions() -> None:
    extended = report(
        result("R2", "a.go", ruleIndex=7), result("R1", "b.go", ruleIndex=0), rules=[{"id": "R1", "name": "one"}]
    )
    extended["runs"][0]["tool"]["extensions"] = [{"rules": [{"id": "R2", "name": "two"}]}]
    assert [raw.title for raw in sarif.read(extended).raws] == ["two", "one"]


def test_suppressed_and_harmless_results_are_left_out_and_those_without_a_place_are_counted() -> None:
    read = sarif.read(
        report(
            result("R1", "a.go", suppressions=[{"kind": "inSource"}]),
            result("R2", "a.go", kind="pass"),
            result("R3", "a.go", suppressions=[{"kind": "external", "status": "rejected"}]),
            {"ruleId": "R4", "message": {"text": "somewhere"}},
        )
    )
    assert [raw.rule for raw in read.raws] == ["R3"]
    assert read.unread == ["R4"]


def test_addresses_are_paths() -> None:
    based = result("R1", "sub%20folder/a.go")
    based["locations"][0]["physicalLocation"]["artifactLocation"]["uriBaseId"] = "ROOT"
    read = sarif.read(report(based, result("R2", "file:///x/b.go"), originalUriBaseIds={"ROOT": {"uri": "file:///x/"}}))
    assert [raw.file for raw in read.raws] == ["/x/sub folder/a.go", "/x/b.go"]


def ask(folder: Path, settings: Path, *calls: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    async def make() -> list[dict[str, Any]]:
        async with Client(build(Root.at(folder), load_settings(settings))) as client:
            results = [await client.call_tool(tool, arguments) for tool, arguments in calls]
        return [json.loads(one.content[0].text) for one in results]

    return asyncio.run(make())


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    """Settings with ruff as an engine that writes SARIF, and with one that is not installed."""
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--exit-zero", "--select", "S"]
    ruff = {"command": [*command, "--output-format", "sarif", "{path}"], "suffixes": [".py"]}
    absent = {"command": ["no-such-engine"], "suffixes": [".zig"], "install": "get it"}
    file = tmp_path / "settings.yaml"
    file.write_text(json.dumps({"engines": {"ruff-sarif": ruff, "absent": absent}}))
    return file


def test_an_engine_of_the_settings_runs_on_the_folder_and_its_sarif_is_read(tmp_path: Path, settings: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.py").write_text("import subprocess\nsubprocess.call('x', shell=True)\n")
    (folder / "left_out.py").write_text("assert 1\n")
    calls = ("scan", {"engines": ["ruff-sarif", "bandit"], "exclude": ["left_out.py"], "details": True})
    (told,) = ask(folder, settings, calls)
    assert told["status"] == "completed"
    assert {one["file"] for one in told["findings"]} == {"a.py"}
    engines = {one["engine"]: one["rule"] for one in told["findings"] if one["rule"] in ("B602", "S602")}
    assert engines == {"bandit": "B602", "ruff-sarif": "S602"}


def test_an_engine_that_is_not_installed_runs_not_and_is_named_where_its_files_are(
    tmp_path: Path, settings: Path
) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "settings.yaml").replace(tmp_path.parent / f"{tmp_path.name}.yaml")
    file = tmp_path.parent / f"{tmp_path.name}.yaml"
    (plain,) = ask(tmp_path, file, ("scan", {}))
    assert "absent" not in {one["engine"] for one in plain["engines"]}
    assert plain["status"] == "completed"
    with pytest.raises(ToolError, match="engines: expected some of bandit, detect-secrets, ruff-sarif, absent"):
        ask(tmp_path, file, ("scan", {"engines": ["nothing"]}))
