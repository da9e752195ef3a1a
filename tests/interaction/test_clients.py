"""Clients that nobody here wrote do through the gateway what they do without it, and can read what was held."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.kit.answers import head_of
from tests.kit.interaction import data
from tests.kit.interaction.conversation import FETCH, gateway

if TYPE_CHECKING:
    from scripts.real_parts import Parts

CLIENTS = Path(__file__).parents[1] / "kit/interaction/clients"
SOURCES = Path(__file__).parent.parent.parent
LIBRARIES = ("mcp", "fastmcp")
PATIENCE = 120.0  # seconds for all sessions of a client, which take ten


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """The servers' commands, by name, and the data that they are let loose on."""

    folder: Path
    repository: Path
    commands: dict[str, list[str]]
    env: dict[str, str]

    def steps(self, server: str) -> list[list[Any]]:
        records = {"path": str(self.folder / "records.json")}
        where = {"repo_path": str(self.repository)}
        match server:
            case "filesystem":
                return [
                    ["whole", "read_text_file", records],  # before anything was listed, as real clients do
                    ["tools"],
                    ["call", "list_directory", {"path": str(self.folder)}],
                    ["whole", "read_text_file", records],
                    ["whole", "directory_tree", {"path": str(self.folder)}],
                    ["call", "read_text_file", {"path": str(self.folder / "nowhere")}],
                    ["call", "no_such_tool", {}],
                ]
            case "memory":
                return [
                    ["tools"],
                    ["call", "open_nodes", {"names": ["node1"]}],
                    ["whole", "read_graph", {}],
                    ["resource", "memory://nowhere"],
                ]
            case "git":
                return [
                    ["tools"],
                    ["call", "git_status", where],
                    ["whole", "git_log", {**where, "max_count": 300}],
                    ["call", "git_show", {**where, "revision": "nope"}],
                ]
        return [
            ["tools"],
            ["call", "echo", {"message": "ünïcödé"}],
            ["call", "get-structured-content", {"location": "Chicago"}],
            ["call", "get-tiny-image", {}],
            ["level", "debug"],
            ["call", "trigger-long-running-operation", {"duration": 0.1, "steps": 4}],
            ["call", "trigger-sampling-request", {"prompt": "say something"}],
            ["call", "trigger-elicitation-request", {}],
            ["call", "get-roots-list", {}],
            ["prompt", "args-prompt", {"city": "Tromsø"}],
            ["resource", "demo://resource/static/document/extension.md"],
        ]


@pytest.fixture(scope="module")
def ground(parts: Parts, tmp_path_factory: pytest.TempPathFactory) -> Ground:
    root = tmp_path_factory.mktemp("clients")
    folder = data.large_folder(root / "folder")
    repository = data.repository(root / "repository", commits=300, lines=5)
    return Ground(
        folder=folder,
        repository=repository,
        commands={
            "everything": parts.everything,
            "filesystem": parts.filesystem(folder),
            "memory": parts.memory,
            "git": parts.git(repository),
        },
        env={"MEMORY_FILE_PATH": str(data.graph(root / "graph.jsonl", 500))},
    )


def sessions_of(library: str, parts: Parts, ground: Ground, commands: dict[str, list[str]]) -> dict[str, Any]:
    """What came of sessions that one process held at the same time; the last word of a name is the server's."""
    sessions = {
        name: {"command": command, "env": ground.env, "mode": "auto", "steps": ground.steps(name.split()[-1])}
        for name, command in commands.items()
    }
    done = subprocess.run(
        [parts.python, CLIENTS / f"with_{library}.py"],
        input=json.dumps(sessions).encode(),
        capture_output=True,
        check=False,
        timeout=PATIENCE,
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
    )
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")[-3_000:]
    told = json.loads(done.stdout)
    assert isinstance(told, dict)
    return told


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_client_does_through_the_gateway_what_it_does_without_it(library: str, parts: Parts, ground: Ground) -> None:
    through = {f"through {server}": gateway(command) for server, command in ground.commands.items()}
    told = sessions_of(library, parts, ground, {**ground.commands, **through})
    for server in ground.commands:
        it_gets_the_same_answers(told[server], told[f"through {server}"], ground.steps(server))
    what_the_server_asks_of_its_client_reaches_it(told["everything"], told["through everything"])
    assert told["through everything"]["era"] == "2025-11-25"
    assert told["through git"]["era"] == "2026-07-28"


def it_gets_the_same_answers(direct: dict[str, Any], through: dict[str, Any], steps: list[list[Any]]) -> None:
    """Large ones too, once they are read to their end; the list of tools has one more, and no output schemas, which a
    held result would not be valid by."""
    assert through["era"] == direct["era"]
    for step, got, wanted in zip(steps, through["outcomes"], direct["outcomes"], strict=True):
        if step == ["tools"]:
            assert got[-1]["name"] == FETCH
            assert got[:-1] == [{key: told for key, told in tool.items() if key != "outputSchema"} for tool in wanted]
        else:
            assert got == wanted, step


def what_the_server_asks_of_its_client_reaches_it(direct: dict[str, Any], through: dict[str, Any]) -> None:
    def heard(had: dict[str, Any], kind: str) -> list[Any]:
        return [one for one in had["heard"] if one[0] == kind]

    for kind in ("progress", "sampling", "elicitation"):
        assert heard(through, kind) == heard(direct, kind) != []
    for kind in ("roots", "log"):  # how often they come depends on when the server's own timer goes off
        assert heard(through, kind)[0] == heard(direct, kind)[0]


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_client_that_checks_answers_by_wrapped_output_schemas_finds_them_valid(
    library: str, parts: Parts, ground: Ground
) -> None:
    """Both libraries raise when an answer is not valid by the schema of its tool, even one that they listed later."""
    direct = {server: ground.commands[server] for server in ("filesystem", "memory")}
    wrapped = {f"wrapped {name}": gateway(command, "--output-schema", "wrap") for name, command in direct.items()}
    told = sessions_of(library, parts, ground, {**direct, **wrapped})
    for server in direct:
        outcomes = zip(told[f"wrapped {server}"]["outcomes"], told[server]["outcomes"], strict=True)
        for step, (got, wanted) in zip(ground.steps(server), outcomes, strict=True):
            if step == ["tools"]:
                assert [tool["name"] for tool in got[:-1]] == [tool["name"] for tool in wanted]
                assert all(tool["outputSchema"]["type"] == "object" for tool in got[:-1])
            else:
                assert got == wanted, step


class Inspector:
    """The inspector's command line: one method a run, each a connection of its own."""

    def __init__(self, parts: Parts, ground: Ground, home: Path) -> None:
        self._parts = parts
        self._home = home
        command = ground.commands["filesystem"]
        held = gateway(command, "--owner", "ann", store=f"sqlite:///{home / 'held.db'}")
        entries = {
            way: {"command": started[0], "args": started[1:]}
            for way, started in (("direct", command), ("through", held))
        }
        self._config = home / "servers.json"
        self._config.write_text(json.dumps({"mcpServers": entries}), "utf-8")

    def run(self, way: str, method: str, tool: str = "", **arguments: Any) -> dict[str, Any]:
        asked = ["--tool-name", tool, "--tool-args-json", json.dumps(arguments)] if tool else []
        where = ["--config", str(self._config), "--server", way, "--format", "json", "--quiet"]
        done = subprocess.run(
            [*self._parts.inspector, "--cli", *where, "--method", method, *asked],
            capture_output=True,
            check=False,
            timeout=PATIENCE,
            env={**os.environ, "HOME": str(self._home)},
        )
        assert done.returncode == 0, (done.stdout[-1_000:], done.stderr[-2_000:])
        result = json.loads(done.stdout)["result"]
        assert isinstance(result, dict)
        return result


@pytest.fixture
def inspector(parts: Parts, ground: Ground, tmp_path: Path) -> Inspector:
    return Inspector(parts, ground, tmp_path)


def test_the_inspector_lists_the_tools_and_calls_them(inspector: Inspector, ground: Ground) -> None:
    direct, through = (inspector.run(way, "tools/list")["tools"] for way in ("direct", "through"))
    assert through.pop()["name"] == FETCH
    assert through == [{key: told for key, told in tool.items() if key != "outputSchema"} for tool in direct]
    found = inspector.run("through", "tools/call", "search_files", path=str(ground.folder), pattern="*.json")
    text = str(ground.folder / "records.json")
    assert found == {"content": [{"type": "text", "text": text}], "structuredContent": {"content": text}}


def test_what_one_run_of_the_inspector_holds_the_next_one_reads(inspector: Inspector, ground: Ground) -> None:
    file = ground.folder / "records.json"
    notice = head_of(inspector.run("through", "tools/call", "read_text_file", path=str(file)))
    (call,) = notice["next"]
    page = inspector.run("through", "tools/call", call["tool"], **call["arguments"])["content"][0]["text"]
    items = json.loads(page)["items"]
    assert items == json.loads(file.read_text("utf-8"))[: len(items)]
