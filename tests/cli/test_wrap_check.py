"""``penstock wrap`` starts each server behind the gateway before it writes: a set-up that works is not made worse."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from penstock.cli import main
from penstock.cli import wrap as wrap_module
from tests.kit.http_mcp_server import http_server
from tests.kit.mcp_servers import legacy, told, tool

ONE = told(legacy({"tools/list": {"tools": [tool("one")]}}))
PROGRAM = str(Path(sys.executable).with_name("penstock"))


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PENSTOCK_STORE", "memory:")
    return tmp_path / "mcp.json"


def wrap(file: Path, servers: dict[str, Any], *words: str) -> dict[str, Any]:
    file.write_text(json.dumps({"mcpServers": servers}))
    assert main(["wrap", "--yes", "--client", str(file), "--program", PROGRAM, *words]) == 0
    return dict(json.loads(file.read_text())["mcpServers"])


def entry(command: list[str], **more: Any) -> dict[str, Any]:
    return {"command": command[0], "args": command[1:], **more}


def test_what_works_behind_the_gateway_is_written(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    after = wrap(file, {"good": entry(ONE)})
    assert after["good"]["command"] == PROGRAM
    assert "works: 2 tools with Penstock's own" in capsys.readouterr().out


def test_what_fails_without_the_gateway_too_is_left_with_its_words(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = entry([sys.executable, "-c", "import sys; sys.exit('no kubeconfig')"])
    after = wrap(file, {"bad": bad, "good": entry(ONE)})
    assert after["bad"] == bad
    assert after["good"]["command"] == PROGRAM
    shown = capsys.readouterr().out
    assert "bad does not work without the gateway either" in shown
    assert "its stderr: no kubeconfig" in shown


def test_a_gateway_that_cannot_be_started_changes_nothing(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    servers = {"good": entry(ONE)}
    assert wrap(file, servers, "--program", "/nowhere/penstock") == servers
    shown = capsys.readouterr().out
    assert "good works, but not behind the gateway: '/nowhere/penstock' cannot be started" in shown


def test_what_only_the_client_can_fill_in_is_written_and_not_started(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    servers = {
        "asks": entry(["no-such-program", "${input:key}"]),
        "variable": entry(["no-such-program"], env={"KEY": "${PENSTOCK_TEST_UNSET}"}),
        "off": entry(["no-such-program"], disabled=True),
    }
    after = wrap(file, servers)
    assert all(after[name]["command"] == PROGRAM for name in servers)
    shown = capsys.readouterr().out
    assert "not started: it has ${input:key}, which only a client can fill in" in shown
    assert "not started: it needs the variable PENSTOCK_TEST_UNSET of the environment" in shown
    assert "not started: it is switched off" in shown


def test_a_url_is_tried_with_its_headers(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with http_server(legacy({"tools/list": {"tools": [tool("one")]}})) as (url, heard):
        gone = {"url": "http://127.0.0.1:9/mcp"}
        after = wrap(file, {"shop": {"url": url, "headers": {"X-Key": "1"}}, "gone": gone})
    assert after["shop"]["command"] == PROGRAM
    assert after["gone"] == gone
    assert "gone does not work: " in capsys.readouterr().out
    assert all(headers["x-key"] == "1" for headers in heard)


def test_a_url_is_left_alone_where_the_packages_for_it_are_missing(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wrap_module, "find_spec", lambda _: None)
    servers = {"shop": {"url": "http://127.0.0.1:9000/mcp"}}
    file.write_text(json.dumps({"mcpServers": servers}))
    assert main(["wrap", "--yes", "--no-check", "--client", str(file)]) == 0
    assert json.loads(file.read_text())["mcpServers"] == servers
    shown = capsys.readouterr().out
    assert 'shop is reached by URL, which needs packages that are missing: pip install "penstock-mcp[http]"' in shown


def test_a_command_in_one_string_is_understood(file: Path) -> None:
    server = Path(ONE[1])
    line = f"{sys.executable} {server} '{ONE[2]}'"
    after = wrap(file, {"one": {"command": line}})
    assert after["one"] == {"args": ["run", "--", line], "command": PROGRAM}
    before = json.dumps({"mcpServers": {"one": {"command": line}}})
    assert main(["unwrap", "--yes", "--client", str(file)]) == 0
    assert file.read_text() == before


def test_together_only_what_works_moves(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = entry(["no-such-program"])
    after = wrap(file, {"a": entry(ONE), "bad": bad, "b": entry(ONE)}, "--together")
    assert list(after) == ["penstock", "bad"]
    assert after["bad"] == bad
    assert "- a: works: 2 tools with Penstock's own" in capsys.readouterr().out
