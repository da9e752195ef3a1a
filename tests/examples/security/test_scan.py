"""Scans and their findings, over standard input and output, on the sample project with the real engines."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import Client
from tests.kit.examples.client import FETCH
from tests.kit.examples.security_client import Talk

from penstock import count
from security_server.app import build
from security_server.finding import SEVERITIES
from security_server.paths import Root
from security_server.settings import SHIPPED, load_settings

if TYPE_CHECKING:
    from pathlib import Path

COUNTS = [f"{name.lower()}_count" for name in SEVERITIES]
SCAN_KEYS = {"status", "total_count", "shown_count", "truncated", *COUNTS, "findings", "duration"}
SECRETS = re.compile(
    r'AKIA[0-9A-Z]{16}|sk_live_\w+|(?:PASSWORD|SECRET) ?= ?"?(\w{8,})|://\w+:(\w+)@|^(\w{64})$', re.MULTILINE
)


def every(talk: Talk, **filters: Any) -> list[dict[str, Any]]:
    """All findings, by following ``next``."""
    told = talk.told("get_findings", **filters)
    found: list[dict[str, Any]] = told["findings"]
    while "next" in told:
        told = talk.told(told["next"]["tool"], **told["next"]["arguments"])
        found += told["findings"]
    return found


def counted(findings: list[dict[str, Any]]) -> dict[str, int]:
    return dict(Counter(one["severity"] for one in findings))


def test_a_scan_of_the_sample_has_the_result_structure_of_the_specification(scanned: dict[str, Any]) -> None:
    assert scanned.keys() >= {*SCAN_KEYS, "truncation_info"}
    assert (scanned["status"], scanned["shown_count"], scanned["truncated"]) == ("completed", 50, True)
    assert len(scanned["findings"]) == 50
    assert scanned["total_count"] > 300
    assert re.fullmatch(r"\d+\.\ds", scanned["duration"])


def test_the_counts_of_severities_are_of_all_findings_and_not_of_those_shown(
    talk: Talk, scanned: dict[str, Any]
) -> None:
    assert sum(scanned[name] for name in COUNTS) == scanned["total_count"]
    totals = counted(every(talk, scan_id=scanned["scan_id"]))
    assert {name: scanned[f"{name.lower()}_count"] for name in SEVERITIES} == totals
    assert all(totals[name] > 0 for name in SEVERITIES)


def test_truncation_info_counts_what_is_hidden_of_every_severity(scanned: dict[str, Any]) -> None:
    info = scanned["truncation_info"]
    shown = counted(scanned["findings"])
    assert info["hidden_by_severity"] == {
        name: scanned[f"{name.lower()}_count"] - shown.get(name, 0) for name in SEVERITIES
    }
    assert (info["total_findings"], info["shown_findings"]) == (scanned["total_count"], 50)
    assert info["strategy"] == "priority"
    assert info["message"] == f"Showing 50 of {scanned['total_count']} findings (sorted by priority)"


def test_critical_findings_are_shown_first(scanned: dict[str, Any]) -> None:
    ranks = [SEVERITIES.index(one["severity"]) for one in scanned["findings"]]
    assert ranks == sorted(ranks)
    assert ranks[0] == 0


def test_a_scan_under_the_limit_is_whole_and_has_no_truncation_info(talk: Talk, scanned: dict[str, Any]) -> None:
    told = talk.told("scan", path="services/billing/settings.py")
    assert 0 < told["total_count"] == told["shown_count"] == len(told["findings"])
    assert told["truncated"] is False
    assert not {"truncation_info", "next"} & told.keys()
    assert told.keys() >= SCAN_KEYS


def test_both_engines_find_something_and_say_how_they_did(scanned: dict[str, Any]) -> None:
    engines = {one["engine"]: one for one in scanned["engines"]}
    assert set(engines) == {"bandit", "detect-secrets"}
    assert all(one["status"] == "completed" and one["findings"] > 0 for one in engines.values())
    assert sum(one["findings"] for one in engines.values()) == scanned["total_count"]


def test_only_the_engines_that_are_asked_for_run(talk: Talk) -> None:
    told = talk.told("scan", path="deploy", engines=["detect-secrets", "detect-secrets"])
    assert [one["engine"] for one in told["engines"]] == ["detect-secrets"]
    assert told["total_count"] == told["engines"][0]["findings"] > 0


def test_pages_put_together_are_all_findings_each_once(talk: Talk, scanned: dict[str, Any]) -> None:
    found = every(talk, scan_id=scanned["scan_id"])
    assert len(found) == scanned["total_count"]
    assert len({one["id"] for one in found}) == len(found)
    assert found[:50] == scanned["findings"]


def test_fingerprints_are_the_same_in_the_next_scan_and_in_a_scan_of_a_part(
    talk: Talk, scanned: dict[str, Any]
) -> None:
    part = talk.told("scan", path="services/orders")
    again = every(talk, scan_id=part["scan_id"])
    whole = every(talk, scan_id=scanned["scan_id"], path="services/orders")
    assert [one["id"] for one in again] == [one["id"] for one in whole]
    assert len(again) > 20


def test_no_secret_of_the_sample_is_in_any_answer(talk: Talk, scanned: dict[str, Any], sample: Path) -> None:
    texts = [file.read_text() for file in sample.rglob("*") if file.is_file()]
    secrets = {next(filter(None, match.groups()), match[0]) for text in texts for match in SECRETS.finditer(text)}
    assert len(secrets) > 40
    notice = talk.told("get_findings", scan_id=scanned["scan_id"], limit=5_000, details=True)
    seen, page = json.dumps(scanned), 1
    while True:
        told = talk.told(FETCH, cache_id=notice["cache_id"], action="get_page", path=".findings", page=page)
        seen += json.dumps(told)
        if not told["_pagination"]["has_more"]:
            break
        page += 1
    assert "(value masked)" in seen
    assert not [secret for secret in secrets if secret in seen]


@pytest.mark.parametrize("strategy", ["newest", "oldest"])
def test_findings_can_be_read_by_the_time_at_which_they_were_seen_first(
    talk: Talk, scanned: dict[str, Any], strategy: str
) -> None:
    told = talk.told("get_findings", scan_id=scanned["scan_id"], strategy=strategy)
    times = [one["first_seen"] for one in told["findings"]]
    assert times == sorted(times, reverse=strategy == "newest")
    assert told["truncation_info"]["strategy"] == strategy
    assert sum(told["truncation_info"]["hidden_by_severity"].values()) == told["total_count"] - 50


def test_findings_are_filtered_and_counted_after_the_filter(talk: Talk, scanned: dict[str, Any]) -> None:
    scan_id = scanned["scan_id"]
    critical = talk.told("get_findings", scan_id=scan_id, severity=["CRITICAL"], engine="bandit", path="services/")
    assert critical["total_count"] == critical["critical_count"] == len(critical["findings"]) > 0
    assert critical["high_count"] == critical["low_count"] == 0
    assert critical["pagination"] == {
        "total": critical["total_count"], "offset": 0, "limit": 50, "has_more": False
    }  # fmt: skip
    first = critical["findings"][0]
    (one,) = talk.told("get_findings", scan_id=scan_id, id=first["id"])["findings"]
    assert one.items() > first.items()
    assert {"engine", "title", "message", "first_seen"} <= one.keys()
    assert talk.told("get_findings", scan_id=scan_id, id=one["fingerprint"])["findings"] == [one]
    rule = talk.told("get_findings", scan_id=scan_id, rule="B602", path="./services/billing")
    assert {(one["rule"], one["file"].split("/")[1]) for one in rule["findings"]} == {("B602", "billing")}
    assert talk.told("get_findings", scan_id=scan_id, path="servic")["total_count"] == 0


def test_a_single_severity_as_a_string_is_taken_for_a_list_of_it(talk: Talk, scanned: dict[str, Any]) -> None:
    alone, listed, small = (
        talk.told("get_findings", scan_id=scanned["scan_id"], severity=one, limit=5)
        for one in ("CRITICAL", ["CRITICAL"], "critical")
    )
    assert alone == listed == small
    assert alone["total_count"] == scanned["critical_count"] > 0


def test_an_offset_past_the_end_is_empty_with_the_total(talk: Talk, scanned: dict[str, Any]) -> None:
    told = talk.told("get_findings", scan_id=scanned["scan_id"], offset=10_000)
    assert (told["findings"], told["total_count"]) == ([], scanned["total_count"])
    assert told["pagination"]["has_more"] is False
    assert told["truncated"] is False
    assert not {"next", "truncation_info"} & told.keys()


def test_all_findings_at_once_are_held_and_counted_with_sql_and_jq(talk: Talk, scanned: dict[str, Any]) -> None:
    notice = talk.told("get_findings", scan_id=scanned["scan_id"], limit=5_000, details=True)
    assert notice["type"] == "buffered_response"
    assert notice["message"].startswith(f"{scanned['total_count']:,} ")
    sql = "SELECT severity, count(*) AS n FROM items GROUP BY severity"
    rows = talk.told(FETCH, cache_id=notice["cache_id"], action="sql", sql=sql)["result"]
    assert {row["severity"]: row["n"] for row in rows} == {n: scanned[f"{n.lower()}_count"] for n in SEVERITIES}
    program = '[.findings[] | select(.engine == "bandit")] | length'
    result = talk.told(FETCH, cache_id=notice["cache_id"], action="filter", jq_filter=program)["result"]
    assert [result] == [one["findings"] for one in scanned["engines"] if one["engine"] == "bandit"]


def test_the_tools_are_listed_with_penstocks_own_at_the_end(talk: Talk) -> None:
    tools = talk.tools()
    assert [tool.name for tool in tools] == ["scan", "get_findings", "generate_sbom", FETCH]
    properties = {name: schema for tool in tools[:3] for name, schema in tool.input_schema["properties"].items()}
    assert all(schema.get("description") and schema.get("examples") for schema in properties.values())


CONFIG = "mcp: {{max_findings: {most}, max_output_bytes: {size}, truncate_strategy: {strategy}}}\n"


def test_the_limits_of_a_file_hold_in_a_server_that_is_started_with_it(sample: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(CONFIG.format(most=7, size=9_000, strategy="newest"))
    with Talk([str(sample), "--config", str(tmp_path / "mine.yaml")], cwd=tmp_path) as talk:
        told = talk.told("scan")
        times = [one["first_seen"] for one in told["findings"]]
        assert (told["shown_count"], len(times)) == (7, 7)
        assert times == sorted(times, reverse=True)
        assert told["truncation_info"]["strategy"] == "newest"
        follow = talk.told(told["next"]["tool"], **told["next"]["arguments"])
        assert (follow["pagination"]["offset"], follow["shown_count"]) == (7, 7)


@pytest.mark.parametrize(
    ("size", "strategy", "limited_by"),
    [(8_000, "oldest", "max_output_bytes: 8000"), (10_000_000, "priority", "penstock.max_tokens: 16000")],
)
def test_no_answer_is_larger_than_its_limit_in_bytes_or_above_the_budget(
    sample: Path, tmp_path: Path, size: int, strategy: str, limited_by: str
) -> None:
    (tmp_path / "mine.yaml").write_text(CONFIG.format(most=10_000, size=size, strategy=strategy))

    async def ask() -> list[str]:
        calls: list[tuple[str, dict[str, Any]]] = [
            ("scan", {}),
            ("get_findings", {"offset": 100}),
            ("generate_sbom", {}),
        ]
        calls += [("get_findings", {"limit": number}) for number in (50, 100, 100_000)]
        async with Client(build(Root.at(sample, "allowed folder"), load_settings(tmp_path / "mine.yaml"))) as client:
            results = [await client.call_tool(tool, arguments) for tool, arguments in calls]
        return ["".join(block.text for block in result.content if block.type == "text") for result in results]

    answers = asyncio.run(ask())
    assert all(len(text.encode()) <= size and count(text).upper <= 16_000 for text in answers)
    told = json.loads(answers[0])
    assert told["status"] == "completed"  # cut by its own rules, and not held
    assert told["truncation_info"]["strategy"] == strategy
    assert told["truncation_info"]["limited_by"] == limited_by
    assert told["total_count"] == sum(told[name] for name in COUNTS) > 300
    assert len(answers[0]) > min(size, 20_000) * 0.8  # no more is left out than must be
    assert answers[-1].startswith('{"type":"buffered_response"')
    assert ("buffered_response" in answers[2]) == (size == 8_000)  # a bill of materials is whole or held


def test_fifty_findings_cost_about_five_kilobytes_and_each_rule_is_explained_once(scanned: dict[str, Any]) -> None:
    size = len(json.dumps(scanned["findings"], separators=(",", ":")))
    assert (len(scanned["findings"]), size < 5_500) == (50, True)
    assert {"B602", "AWS Access Key"} <= {one["rule"] for one in scanned["findings"]}
    assert {"B602", "B605"} <= scanned["rules"].keys() <= {one["rule"] for one in scanned["findings"]}
    assert "AWS Access Key" not in scanned["rules"]  # that says it all
    assert all(scanned["rules"].values())


def test_code_that_no_engine_examines_is_told_by_suffix_and_makes_a_scan_partial(tmp_path: Path) -> None:
    (tmp_path / "main.go").write_text("package main\n")
    (tmp_path / "web").mkdir()
    (tmp_path / "web/a.js").write_text("eval(name)\n")
    (tmp_path / "web/b.js").write_text("eval(name)\n")
    (tmp_path / "README.md").write_text("words\n")

    async def ask() -> dict[str, Any]:
        async with Client(build(Root.at(tmp_path, "allowed folder"), load_settings(SHIPPED))) as client:
            result = await client.call_tool("scan", {})
        told: dict[str, Any] = json.loads(result.content[0].text)
        return told

    told = asyncio.run(ask())
    assert (told["status"], told["total_count"]) == ("partial", 0)
    assert {suffix: one["files"] for suffix, one in told["not_examined"].items()} == {".js": 2, ".go": 1}
    assert "gosec: not installed; go install" in told["not_examined"][".go"]["engines"]
    assert told["status_reason"] == ("no engine examined 3 of the files with code (2 .js, 1 .go; see not_examined)")


def test_code_that_every_engine_fails_to_read_is_not_examined(tmp_path: Path) -> None:
    (tmp_path / "half.py").write_text("def (:\n")
    (tmp_path / "whole.py").write_text("x = 1\n")

    async def ask() -> tuple[dict[str, Any], dict[str, Any]]:
        async with Client(build(Root.at(tmp_path, "allowed folder"), load_settings(SHIPPED))) as client:
            scan = await client.call_tool("scan", {})
            again = await client.call_tool("get_findings", {})
        return json.loads(scan.content[0].text), json.loads(again.content[0].text)

    told, again = asyncio.run(ask())
    assert told["not_examined"] == {".py": {"files": 1, "engines": "bandit: installed"}}
    engines = {one["engine"]: one for one in told["engines"]}
    assert engines["bandit"]["unread"] == {"count": 1, "files": ["half.py"]}
    assert (told["status"], again["status"]) == ("partial", "partial")
    assert told["status_reason"] == again["status_reason"]
    assert told["status_reason"].startswith("no engine examined 1 of the files with code (1 .py;")


def test_excluded_and_ignored_files_are_counted_and_not_scanned_and_progress_is_told(tmp_path: Path) -> None:
    for name in ("a.py", "vendor/b.py", "build/c.py", "docs/d.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("assert 1\n")
    (tmp_path / ".gitignore").write_text("build/\n")
    progress: list[tuple[float, float | None]] = []

    async def note(done: float, total: float | None, _: str | None) -> None:
        progress.append((done, total))

    async def ask() -> dict[str, Any]:
        async with Client(
            build(Root.at(tmp_path, "allowed folder"), load_settings(SHIPPED)), progress_handler=note
        ) as client:
            result = await client.call_tool("scan", {"exclude": "vendor/**", "engines": "bandit"})
        told: dict[str, Any] = json.loads(result.content[0].text)
        return told

    told = asyncio.run(ask())
    assert {one["file"] for one in told["findings"]} == {"a.py", "docs/d.py"}
    assert told["skipped"] == {"ignored_folders": 2}
    assert progress == [(2.0, 2.0)]
