"""Frameworks that nobody here wrote: a result is held and read back through each, over stdio and over HTTP.

Each also sends our definitions to the API of a model, which is a local one here, in the form that this API accepts.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from scripts.real_parts import OLD_FRAMEWORKS, install, install_frameworks
from tests.kit.schema_rules import INTERFACES, made_strict, problems

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Definition = dict[str, Any]

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "tests/kit/interaction/frameworks"
RECORDS = 3_000
PATIENCE = 180.0  # seconds for a conversation of two calls; most of it is the framework's own start
# The program of each framework, the page about it, and the generation of the SDK that it is built on.
FRAMEWORKS = {
    "langchain": ("langchain", "first"),
    "mcp_use": ("mcp-use", "first"),
    "openai_agents": ("openai-agents", "second"),
    "pydantic_ai": ("pydantic-ai", "second"),
    "llama_index": ("llama-index", "second"),
    "fastmcp": ("the-fastmcp-client", "second"),
    "smolagents": ("smolagents", "first"),
    "crewai": ("crewai", "crewai"),
}
# Programs that record what a framework sends to a model's API, and the generation of the SDK.
SENDERS = {"langchain": "first", "openai_agents": "second", "google_genai": "second", "pydantic_ai": "second"}
OURS = {"fetch_cached_response", "act_on_cached_response"}
# LangChain's converter to strict mode does not close an object that has no properties. OpenAI refuses such a tool.
LEFT_OPEN = {
    f".{name}: an object {what}"
    for name in ("set", "append", "arguments")
    for what in ("has no properties", "is not closed")
}
# Frameworks that keep only the first block of an answer, or show several as Python writes a list of them; and a tool of
# the file server with its arguments. CrewAI sends null for arguments that are not given, which other tools refuse.
OF_ONE_BLOCK: dict[str, tuple[str, Callable[[str], dict[str, Any]], str]] = {
    "smolagents": ("read_text_file", lambda file: {"path": file}, "{}"),
    "crewai": ("read_multiple_files", lambda file: {"paths": [file]}, "{file}:\n{}\n"),
}
LOG_BYTES = 400_000


@pytest.fixture(scope="module")
def pythons() -> dict[str, Path]:
    return install_frameworks()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("orders")
    records = [{"id": number, "city": "TRO"[number % 3], "note": "word " * 12} for number in range(RECORDS)]
    (folder / "orders.json").write_text(json.dumps(records))
    return folder


@pytest.fixture(scope="module")
def ways(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, list[str]]]:
    """The command of a gateway, and the URL of one. A store in memory is enough for the one that keeps running."""
    penstock, server = (
        [sys.executable, "-m", "penstock"],
        [sys.executable, "-m", "penstock.cli.demo_server", str(folder)],
    )
    store = f"sqlite://{tmp_path_factory.mktemp('store')}/held.db"
    with ExitStack() as stack:
        command = [*penstock, "serve", "--port", "0", "--store", "memory:", "--", *server]
        hosted = stack.enter_context(subprocess.Popen(command, stderr=subprocess.PIPE, text=True))
        stack.callback(hosted.terminate)
        assert hosted.stderr is not None
        url = next(found[0] for line in hosted.stderr if (found := re.search(r"http://127\.0\.0\.1:\d+/mcp", line)))
        yield {"stdio": [*penstock, "run", "--store", store, "--", *server], "http": [url]}


def ran(python: Path, program: Path, *words: str, cwd: Path) -> str:
    """What a program prints. Frameworks tell their makers nothing from here, and find our command."""
    quiet = {"MCP_USE_ANONYMIZED_TELEMETRY": "false", "OPENAI_AGENTS_DISABLE_TRACING": "1", "OPENAI_API_KEY": "none"}
    quiet |= {"CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true"}
    env = {**os.environ, **quiet, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    env["PENSTOCK_STORE"] = f"sqlite://{cwd.parent}/held-by-pages.db"
    done = subprocess.run(
        [python, program, *words], cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr[-4_000:]
    return done.stdout


@pytest.mark.parametrize("way", ["stdio", "http"])
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_result_is_held_and_read_back(
    framework: str, way: str, pythons: dict[str, Path], ways: dict[str, list[str]], folder: Path
) -> None:
    python = pythons[FRAMEWORKS[framework][1]]
    words = (json.dumps(ways[way]), json.dumps({"path": "."}))
    told = json.loads(ran(python, PROGRAMS / f"with_{framework}.py", *words, cwd=folder).splitlines()[-1])
    assert told["read_back"] == RECORDS, told


@pytest.mark.parametrize("framework", OF_ONE_BLOCK)
def test_framework_that_keeps_one_block_reads_a_log_to_its_end(
    framework: str, pythons: dict[str, Path], tmp_path: Path
) -> None:
    line = '2026-11-18T10:{:02}:{:02}Z WARN "queue" is at {} %\tcafé\n'
    log = "".join(line.format(n // 60 % 60, n % 60, n % 101) for n in range(LOG_BYTES // 40))
    assert len(log.encode()) >= LOG_BYTES
    served, file, read = tmp_path / "served", tmp_path / "served" / "app.log", tmp_path / "read.log"
    served.mkdir()
    file.write_text(log, "utf-8", newline="")
    store = f"sqlite://{tmp_path}/held.db"
    command = [sys.executable, "-m", "penstock", "run", "--store", store, "--", *install().filesystem(served)]
    tool, arguments, form = OF_ONE_BLOCK[framework]
    words = (json.dumps(command), json.dumps(arguments(str(file))), tool, str(read))
    ran(pythons[FRAMEWORKS[framework][1]], PROGRAMS / f"with_{framework}.py", *words, cwd=served)
    assert read.read_text("utf-8") == form.format(log, file=file)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_program_of_the_page_runs(framework: str, pythons: dict[str, Path], folder: Path, tmp_path: Path) -> None:
    page, generation = FRAMEWORKS[framework]
    (code,) = re.findall(r"```py\n(.*?)```", (ROOT / f"docs/how-to/use-with-{page}.md").read_text(), re.DOTALL)
    program = tmp_path / "page.py"
    program.write_text(code)
    assert "buffered_response" in ran(pythons[generation], program, cwd=folder)


@pytest.mark.parametrize(
    ("framework", "module", "words"),
    [
        ("fastmcp-2", "fastmcp", "needs fastmcp 4 or later, but 2.14.7 is installed"),
        ("fastmcp-3", "fastmcp", "needs fastmcp 4 or later, but 3.4.10 is installed"),
        ("mcp-1", "sdk", "needs mcp 2 or later, but 1.30.0 is installed"),
    ],
)
def test_middleware_with_an_old_framework_says_which_version_it_needs(framework: str, module: str, words: str) -> None:
    python = install_frameworks(frameworks={framework: OLD_FRAMEWORKS[framework]})[framework]
    command = [str(python), "-c", f"import penstock.middleware.{module}"]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=PATIENCE)
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"ImportError: penstock.middleware.{module} {words}; upgrade it with pip install ")


@pytest.fixture(scope="module")
def sent(pythons: dict[str, Path], ways: dict[str, list[str]], folder: Path) -> Callable[[str, str], list[Definition]]:
    """Return our definitions, with all of their actions, as a framework sends them in one of its ways."""
    at = ways["stdio"].index("run") + 1
    command = json.dumps([*ways["stdio"][:at], "--act", "export,more,drop", *ways["stdio"][at:]])

    @cache
    def by_way(framework: str) -> dict[str, list[Definition]]:
        program = PROGRAMS / f"sends_{framework}.py"
        told = ran(pythons[SENDERS[framework]], program, command, "{}", cwd=folder)
        found: dict[str, list[Definition]] = json.loads(told.splitlines()[-1])
        return found

    return lambda framework, way: [tool for tool in by_way(framework)[way] if tool["name"] in OURS]


def test_session_of_a_real_client_lists_definitions_that_each_interface_accepts(
    sent: Callable[[str, str], list[Definition]],
) -> None:
    listed = sent("google_genai", "listed")
    assert {tool["name"] for tool in listed} == OURS
    for tool in listed:
        for interface in INTERFACES:
            strict = {**tool, "inputSchema": made_strict(tool["inputSchema"])}
            assert problems(strict if interface == "openai strict" else tool, interface) == []


@pytest.mark.parametrize(
    ("framework", "way", "interfaces"),
    [
        ("langchain", "plain", {"openai"}),
        ("openai_agents", "plain", {"openai"}),
        ("openai_agents", "strict", {"openai"}),  # it sends tools with free objects without strict mode
        ("google_genai", "gemini", {"gemini"}),
        ("google_genai", "gemini by JSON Schema", {"gemini"}),
        ("pydantic_ai", "plain", {"openai"}),
        ("pydantic_ai", "strict", {"openai strict"}),
        ("pydantic_ai", "gemini", {"gemini"}),
    ],
)
def test_framework_sends_definitions_that_the_api_of_its_model_accepts(
    framework: str, way: str, interfaces: set[str], sent: Callable[[str, str], list[Definition]]
) -> None:
    tools = sent(framework, way)
    assert {tool["name"] for tool in tools} == OURS
    used = {"gemini" if "gemini" in way else "openai strict" if tool["strict"] else "openai" for tool in tools}
    assert used == interfaces
    assert [problems(tool, interface) for tool in tools for interface in used] == [[]] * len(tools)


def test_langchain_in_strict_mode_leaves_only_free_objects_open(
    sent: Callable[[str, str], list[Definition]],
) -> None:
    tools = sent("langchain", "strict")
    assert all(tool["strict"] for tool in tools)
    assert {broken for tool in tools for broken in problems(tool, "openai strict")} == LEFT_OPEN
