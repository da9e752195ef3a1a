"""What is measured: the server alone, the gateway in front of it, and what others put there."""

from __future__ import annotations

import compileall
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bench.gateway_parts.peers import REQUIREMENTS, installed

import penstock as package

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bench.gateway_parts.kit import Kit

# The environment goes to the server as it is for all targets; FastMCP's transport passes on only what it is given.
FASTMCP = """
import os, sys
from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy
create_proxy(StdioTransport(sys.argv[1], sys.argv[2:], env=dict(os.environ))).run(show_banner=False)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """How one target is started; ``options`` tell the client how this one names the tools."""

    name: str
    title: str
    command: tuple[str, ...]
    options: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    peer: bool = False


def direct(kit: Kit, _: Path) -> Target:
    return Target(name="direct", title="direct", command=kit.upstream)


def penstock(kit: Kit, folder: Path) -> Target:
    # As an installer leaves a package; a tree that is worked in may be compiled anew at every start.
    compileall.compile_dir(Path(package.__file__).parent, quiet=1)
    store = f"sqlite://{folder / 'held.db'}"
    script = str(Path(sys.executable).with_name("penstock"))
    command = (script, "run", "--store", store, "--", *kit.upstream)
    return Target(name="penstock", title="penstock", command=command)


def floor(kit: Kit, _: Path) -> Target:
    return Target(name="floor", title="floor (moves lines, parses nothing)", command=kit.floor)


def fastmcp(kit: Kit, folder: Path) -> Target:
    script = folder / "fastmcp_proxy.py"
    script.write_text(FASTMCP)
    command = (str(installed("fastmcp") / "python"), str(script), *kit.upstream)
    quiet = {"FASTMCP_CHECK_FOR_UPDATES": "off", "HOME": str(folder)}
    return Target(name="fastmcp", title=REQUIREMENTS["fastmcp"], command=command, env=quiet, peer=True)


def jmunch(kit: Kit, folder: Path) -> Target:
    config = folder / "jmunch.json"
    python, script = kit.upstream
    config.write_text(json.dumps({"upstream": {"command": python, "args": [script]}, "log_level": "ERROR"}))
    command = (str(installed("jmunch") / "jmunch-mcp"), "--config", str(config))
    # It keeps a database of its calls in the home directory.
    home = {"HOME": str(folder)}
    return Target(name="jmunch", title=REQUIREMENTS["jmunch"], command=command, env=home, peer=True)


def compressor(kit: Kit, folder: Path) -> Target:
    # Without --shrinkfit it shortens tool definitions only and lets every result through whole.
    command = (str(installed("compressor") / "mcp-compressor"), "--shrinkfit", "--", *kit.upstream)
    return Target(
        name="compressor",
        title=f"{REQUIREMENTS['compressor']} --shrinkfit",
        command=command,
        options=("--invoke", "server_invoke_tool"),
        env={"HOME": str(folder)},
        peer=True,
    )


TARGETS: Mapping[str, Callable[[Kit, Path], Target]] = {
    "direct": direct,
    "penstock": penstock,
    "floor": floor,
    "fastmcp": fastmcp,
    "jmunch": jmunch,
    "compressor": compressor,
}
