"""The demo's own server: it really reads the folder, nothing outside of it, and answers whatever it is sent."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from penstock.cli import demo_server
from penstock.cli.demo_server import ServedFolder, answer, serve
from penstock.cli.mcp_client import McpClient


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "served"
    (root / "a" / "deep").mkdir(parents=True)
    (root / "a" / "one.json").write_text('[{"n": 1}, {"n": 2}]')
    (root / "a" / "deep" / "two.json").write_text('{"n": 3}')
    (root / "code.py").write_text("x = 1\n")
    (tmp_path / "secret.json").write_text('{"n": 99}')
    return root


def call(folder: Path, tool: object, arguments: object = None) -> Any:
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    return answer(ServedFolder(folder), json.dumps(request))


def text(told: Any) -> str:
    return str(told["result"]["content"][0]["text"])


def test_records_are_read_from_all_files_and_sent_as_text_and_structured(folder: Path) -> None:
    told = call(folder, "read_records")
    assert json.loads(text(told)) == told["result"]["structuredContent"]
    assert told["result"]["structuredContent"] == {"files": 2, "records": [{"n": 3}, {"n": 1}, {"n": 2}]}
    assert json.loads(text(call(folder, "read_records", {"path": "a/deep"})))["records"] == [{"n": 3}]


def test_the_tree_has_every_folder_and_file(folder: Path) -> None:
    tree = json.loads(text(call(folder, "directory_tree", {"path": str(folder)})))
    assert [entry["name"] for entry in tree] == ["a", "code.py"]
    assert tree[1] == {"name": "code.py", "type": "file"}
    assert [entry["name"] for entry in tree[0]["children"]] == ["deep", "one.json"]


@pytest.mark.parametrize("pattern", ["*.json", "**/*.json"])
def test_files_are_found_by_their_names_at_any_depth(pattern: str, folder: Path) -> None:
    found = text(call(folder, "search_files", {"pattern": pattern})).splitlines()
    assert [Path(line).name for line in found] == ["two.json", "one.json"]
    assert text(call(folder, "search_files", {"pattern": "*.zip"})) == "No matches found"


@pytest.mark.parametrize("path", ["..", "../", "/", "nowhere", "code.py", "a\0b", 7])
def test_nothing_outside_of_the_folder_is_read(path: object, folder: Path) -> None:
    told = call(folder, "read_records", {"path": path})
    assert told["result"]["isError"] is True
    assert text(told).startswith("path: ")


@pytest.mark.parametrize("pattern", [None, "", 7])
def test_a_search_without_a_pattern_is_an_error(pattern: object, folder: Path) -> None:
    assert call(folder, "search_files", {"pattern": pattern})["result"]["isError"] is True


def test_a_file_that_is_not_what_its_name_says_is_an_error(folder: Path) -> None:
    (folder / "bad.json").write_text("no")
    told = call(folder, "read_records")
    assert told["result"]["isError"] is True
    assert text(told).startswith("cannot be read")


@pytest.mark.parametrize(("tool", "arguments"), [("nothing", {}), (None, {}), ([], {}), ("read_records", [1])])
def test_an_unknown_tool_is_refused(tool: object, arguments: object, folder: Path) -> None:
    assert call(folder, tool, arguments)["error"]["code"] == demo_server.INVALID_PARAMS


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("{", demo_server.INVALID_JSON),
        ("[" * 100_000, demo_server.INVALID_JSON),
        ("[]", demo_server.INVALID_REQUEST),
        ('{"id":1}', demo_server.INVALID_REQUEST),
        ('{"id":1,"method":"nothing/list"}', demo_server.NO_METHOD),
        ('{"id":1,"method":"tools/call","params":7}', demo_server.INVALID_PARAMS),
    ],
)
def test_a_line_that_makes_no_sense_is_refused(line: str, code: int, folder: Path) -> None:
    told = answer(ServedFolder(folder), line)
    assert told is not None
    assert told["error"]["code"] == code


@pytest.mark.parametrize(
    ("asked", "given"), [("2025-06-18", "2025-06-18"), ("1999-01-01", "2025-11-25"), ([], "2025-11-25")]
)
def test_a_version_that_is_known_is_agreed_to(asked: object, given: str, folder: Path) -> None:
    line = json.dumps({"id": 0, "method": "initialize", "params": {"protocolVersion": asked}})
    told = answer(ServedFolder(folder), line)
    assert told is not None
    assert told["result"]["protocolVersion"] == given


def test_each_request_has_one_answer_and_a_notification_none(folder: Path) -> None:
    out = io.StringIO()
    lines = [
        '{"id":1,"method":"ping"}\n',
        "\n",
        '{"method":"notifications/initialized"}\n',
        '{"id":2,"method":"ping"}\n',
    ]
    serve(ServedFolder(folder), lines, out)
    assert [json.loads(line)["id"] for line in out.getvalue().splitlines()] == [1, 2]


def test_it_is_a_real_server(folder: Path) -> None:
    with McpClient([sys.executable, "-m", "penstock.cli.demo_server", str(folder)], timeout=30) as server:
        assert server.greet().name == "penstock-demo-server"
        names = [json.loads(raw)["name"] for raw in server.everything("tools/list", "tools")]
        assert names == ["search_files", "directory_tree", "read_records"]
        assert b"two.json" in server.ask("tools/call", {"name": "directory_tree", "arguments": {}})
    assert server.process.ended_by_itself
    assert server.noise_total == 0


@pytest.mark.parametrize("words", [[], ["nowhere"], [".", "."]])
def test_wrong_use_of_it_is_one_line(words: list[str]) -> None:
    command = [sys.executable, "-m", "penstock.cli.demo_server", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: ")


def test_main_serves_until_its_input_ends(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdin", io.StringIO('{"id":1,"method":"ping"}\n'))
    monkeypatch.setattr(sys, "stdout", out)
    assert demo_server.main([str(folder)]) == 0
    assert json.loads(out.getvalue()) == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert demo_server.main([]) == 2
