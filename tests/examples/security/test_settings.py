"""The settings file: its defaults, and what is said about a wrong one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from tests.kit.examples.security_client import FOLDER
from tests.kit.examples.starts import refused_settings

from penstock import ConfigError
from security_server.settings import SHIPPED, MCPConfig, ScanSettings, load_settings

if TYPE_CHECKING:
    from pathlib import Path


def test_the_shipped_settings_are_the_defaults_of_the_specification() -> None:
    settings = load_settings(SHIPPED)
    assert settings.mcp == MCPConfig(max_findings=50, max_output_bytes=50_000, truncate_strategy="priority")
    assert settings.mcp == MCPConfig()
    assert settings.scan == ScanSettings()
    assert settings.penstock.store == "memory:"


@pytest.mark.parametrize("text", ["", "mcp:", "mcp: {}", "mcp:\n  truncate_strategy: priority\n"])
def test_what_a_file_does_not_say_is_as_shipped(tmp_path: Path, text: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    assert load_settings(file) == load_settings(SHIPPED)


def test_every_setting_of_a_file_is_taken(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(
        "mcp: {max_findings: 7, max_output_bytes: 9000, truncate_strategy: oldest}\n"
        "scan: {engine_seconds: 5, max_files: 6, max_file_bytes: 7000, exclude: [vendor]}\n"
        "penstock: {max_tokens: 1234}\n"
    )
    settings = load_settings(file)
    assert settings.mcp == MCPConfig(max_findings=7, max_output_bytes=9_000, truncate_strategy="oldest")
    expected = ScanSettings(engine_seconds=5, max_files=6, max_file_bytes=7_000, exclude=("vendor",))
    assert settings.scan == expected
    assert settings.penstock.max_tokens == 1_234


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("mcp: {max_findings: 0}", "mcp.max_findings: expected a whole number from 1 to 10,000, found 0"),
        ("mcp: {max_findings: '50'}", 'mcp.max_findings: expected a whole number from 1 to 10,000, found "50"'),
        ("mcp: {max_findings: true}", "mcp.max_findings: expected a whole number"),
        ("mcp: {max_findings: 2.5}", "found 2.5"),
        ("mcp: {max_output_bytes: 10}",
         "mcp.max_output_bytes: expected a whole number from 8,000 to 10,000,000, found 10"),
        ("mcp: {truncate_strategy: random}",
         'mcp.truncate_strategy: expected one of "newest", "oldest", "priority", found "random"'),
        ("mcp: {truncate_strategy: [newest]}", "found a list or a table"),
        ("mcp: {max_finding: 50}",
         "mcp.max_finding: not a setting; one of max_findings, max_output_bytes, truncate_strategy"),
        ("mcp: 50", "mcp: expected a table, found 50"),
        ("scan: {engine_seconds: 0}", "scan.engine_seconds: expected a whole number from 1 to 3,600"),
        ("scan: {exclude: vendor}", "scan.exclude: expected globs as in .gitignore, found \"vendor\""),
        ("engines: [x]", "engines: expected a section for each engine"),
        ("engines: {bandit: {command: [x]}}", "engines.bandit: expected a section with the name of no built-in engine"),
        ("engines: {x: {}}", "engines.x.command: expected a list of words"),
        ("engines: {x: {command: [x], port: 1}}", "engines.x.port: not a setting; one of command"),
        ("engines: {x: {command: [x], exit_codes: 1}}", "engines.x.exit_codes: expected a list of numbers"),
        ("engines: {x: {command: [x], finds: bugs}}", 'engines.x.finds: expected one of "secrets", "weaknesses"'),
        ("mpc: {}", "mpc: not a section; expected mcp, scan, engines, penstock"),
        ("- a\n- b", "expected sections; for example mcp: {max_findings: 50}"),
        ("mcp: {\n", "not valid YAML"),
        ("mcp: !!python/object/apply:os.getcwd []", "not valid YAML"),
        ("penstock: {max_tokens: x}", "max_tokens"),
        ("mcp: {max_findings: [&a [1, 1], &b [*a, *a], [*b, *b]]}", "found a list or a table"),
    ],
)  # fmt: skip
def test_a_wrong_setting_is_named_with_what_was_expected(tmp_path: Path, text: str, says: str) -> None:
    assert says in refused_settings(load_settings, tmp_path / "mine.yaml", text)


def test_a_file_that_is_no_settings_file_is_refused(tmp_path: Path) -> None:
    for name, data, says in (
        ("binary.yaml", b"\xff\xfe\x00", "not valid YAML"),
        ("large.yaml", b"#" * 1_000_001, "larger than 1,000,000 bytes"),
        ("deep.yaml", b"[" * 5_000, "not valid YAML"),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(ConfigError, match=says):
            load_settings(tmp_path / name)
    with pytest.raises(ConfigError, match="cannot be read"):
        load_settings(tmp_path / "nowhere.yaml")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_settings(tmp_path)


def test_of_the_projects_own_file_only_the_limits_of_answers_count(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("mcp: {max_findings: 7}\nengines: {evil: {command: [rm]}}\npolicy: {gate: high}\n")
    settings = load_settings(SHIPPED, file)
    assert settings.mcp.max_findings == 7
    assert settings.engines == load_settings(SHIPPED).engines
    file.write_text("mcp: {max_findings: 0}\n")
    with pytest.raises(ConfigError, match=r"config\.yaml: mcp\.max_findings: expected a whole number"):
        load_settings(SHIPPED, file)


@pytest.mark.parametrize("page", ["README.md", "../../docs/how-to/example-security.md"])
def test_the_settings_that_the_documentation_shows_are_valid_and_the_defaults(tmp_path: Path, page: str) -> None:
    (block,) = re.findall(r"^```yaml\n(.*?)^```$", (FOLDER / page).read_text(), re.MULTILINE | re.DOTALL)
    (tmp_path / "shown.yaml").write_text(block)
    assert set(MCPConfig.__slots__) <= set(re.findall(r"\w+", block))
    assert load_settings(tmp_path / "shown.yaml").mcp == MCPConfig()


def test_no_shipped_engine_asks_the_network() -> None:
    (semgrep,) = (one for one in load_settings(SHIPPED).engines.values() if one.name == "semgrep")
    assert {"--metrics=off", "--disable-version-check"} <= {*semgrep.command}
    (trivy,) = (one for one in load_settings(SHIPPED).engines.values() if one.name == "trivy")
    assert "--offline-scan" in trivy.command
