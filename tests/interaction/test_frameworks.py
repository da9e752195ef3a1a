"""Frameworks that nobody here wrote: a result is held and read back through each, over stdio and over HTTP."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from scripts.real_parts import install_frameworks

if TYPE_CHECKING:
    from collections.abc import Iterator

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
}


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


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_program_of_the_page_runs(framework: str, pythons: dict[str, Path], folder: Path, tmp_path: Path) -> None:
    page, generation = FRAMEWORKS[framework]
    (code,) = re.findall(r"```py\n(.*?)```", (ROOT / f"docs/how-to/use-with-{page}.md").read_text(), re.DOTALL)
    program = tmp_path / "page.py"
    program.write_text(code)
    assert "buffered_response" in ran(pythons[generation], program, cwd=folder)
