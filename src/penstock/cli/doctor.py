"""``penstock doctor``: start a server, look at it as a client would, and say what Penstock would do.

``doctor_servers`` says which servers, ``doctor_check`` looks at one, ``doctor_call`` makes the call that is asked for,
``doctor_view`` prints.
"""

from __future__ import annotations

import json
import math
import shlex
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock.cli.options import CONFIG
from penstock.cli.output import write_json
from penstock.config.settings import BY_NAME
from penstock.config.sources import add_flags, from_flags
from penstock.errors import CallerError, UpstreamError

if TYPE_CHECKING:
    import argparse

    from penstock.cli.doctor_check import DoctorReport
    from penstock.cli.doctor_servers import StartedServer
    from penstock.cli.mcp_client import McpClient
    from penstock.config.model import Config, Rule
    from penstock.stores import Store

HELP: Final = (
    "Start a server, list its tools and what their definitions cost, and say what Penstock would do. None of its tools "
    "is called, unless --call names one: then that call is made, and what the model would read is shown."
)
USAGE: Final = """penstock doctor [options] COMMAND ARGS...
       penstock doctor [options] --url URL
       penstock doctor [options] --config FILE"""
EXAMPLE: Final = """\
  penstock doctor npx -y @modelcontextprotocol/server-filesystem .
  penstock doctor --call list_directory '{"path": "."}' npx -y @modelcontextprotocol/server-filesystem .
  penstock doctor --url http://127.0.0.1:9000/mcp
  penstock doctor --config ~/.cursor/mcp.json"""
SETTINGS: Final = (
    "max_tokens",
    "preview_tokens",
    "page_tokens",
    "ttl",
    "profile",
    "store",
    "tool_name",
    "output_schema",
)
FAILED: Final = 1  # the exit code when a server or the store cannot be used
PATIENCE: Final = 30.0  # seconds for each answer; the first run of npx or uvx downloads the server


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The findings of one server: a report, or the error and the lines of its stderr."""

    server: StartedServer
    report: DoctorReport | None = None
    error: UpstreamError | None = None
    words: tuple[str, ...] = ()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    server = parser.add_argument_group("server")
    server.add_argument("command", nargs="*", metavar="COMMAND ARGS...", help="the server, as you would start it")
    server.add_argument("--url", metavar="URL", help="a server over HTTP")
    server.add_argument(
        "--header", action="append", default=[], metavar="'NAME: VALUE'", help="a header for it; may be given again"
    )
    text = f"a client's configuration, with mcpServers: each of its servers; or {CONFIG}"
    server.add_argument("--config", metavar="FILE", help=text)
    parser.add_argument(
        "--call",
        nargs=2,
        metavar=("TOOL", "ARGUMENTS"),
        help="call this tool with these arguments (JSON), and show what the model would read",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    parser.add_argument(
        "--timeout", type=seconds, default=PATIENCE, metavar="SECONDS", help="time for each response (default: 30)"
    )
    add_flags(parser.add_argument_group("settings"), SETTINGS)


def run(args: argparse.Namespace) -> int:
    from penstock.cli.doctor_servers import servers_of
    from penstock.stores import open_store

    call = None if args.call is None else _call(*args.call)
    with servers_of(args) as servers:
        several = servers[0].of_client
        if call is not None and len(servers) > 1:
            raise CallerError("--call needs one server, and there are several", do="give its command, or its --url")
        config = from_flags(args, file=None if several else args.config)
        with open_store(config.store) as store:
            findings = [_examined(server, args.timeout, store, config, call) for server in servers]
    if args.json:
        members = [as_dict(one, run_line(one.server, args)) for one in findings]
        write_json({"servers": members} if several else members[0])
    if several and not args.json:
        from penstock.cli.doctor_view import show_several

        show_several(findings)
    elif findings[0].error is not None:
        _tell(findings[0])
    elif findings[0].report is not None and not args.json:
        from penstock.cli.doctor_view import show

        show(findings[0].report, run_line(findings[0].server, args))
    usable = all(one.report is not None and one.report.store_error is None for one in findings)
    called = call is None or all(one.report is not None and one.report.call is not None for one in findings)
    return 0 if usable and called else FAILED


def _examined(
    server: StartedServer, timeout: float, store: Store, config: Config, call: tuple[str, dict[str, Any]] | None
) -> Finding:
    from penstock.cli.doctor_check import examine
    from penstock.cli.mcp_client import McpClient

    client: McpClient | None = None
    try:
        with McpClient(server.command, timeout=timeout, environment=server.environment, folder=server.folder) as client:
            return Finding(server=server, report=examine(client, store, config, call=call))
    except UpstreamError as error:
        words = client.process.words if client is not None else ()
        return Finding(server=server, error=error, words=tuple(words))


def _tell(finding: Finding) -> None:
    sys.stderr.write(f"penstock: {finding.error}\n")
    for line in finding.words:
        sys.stderr.write(f"  its stderr: {line}\n")


def _call(tool: str, arguments: str) -> tuple[str, dict[str, Any]]:
    example = """for example '{"path": "."}', or '{}'"""
    try:
        value = json.loads(arguments)
    except ValueError as error:
        raise CallerError(f"--call: the arguments are no JSON: {error}", do=example) from None
    if not isinstance(value, dict):
        raise CallerError("--call: the arguments are no JSON object", do=example)
    return tool, value


def run_line(server: StartedServer, args: argparse.Namespace) -> str:
    """Return the command that puts Penstock in front of a server, with the settings of this command."""
    words = ["penstock", "run"]
    if args.config is not None and not server.of_client:
        words += ["--config", args.config]
    for name in SETTINGS:
        value = getattr(args, name, None)
        if value is not None:
            # A URL with an @ in it may hold a password, and what is printed ends up in logs.
            words += [BY_NAME[name].flag, "URL" if name == "store" and "@" in value else value]
    return shlex.join([*words, *server.run])


def as_dict(finding: Finding, run: str) -> dict[str, Any]:
    """Return what was found as JSON members."""
    named = {"configured_as": finding.server.name} if finding.server.of_client else {}
    if finding.report is None:
        return {**named, "usable": False, "error": str(finding.error), "stderr": list(finding.words)}
    report = finding.report
    config, greeting = report.config, report.greeting
    members = {
        **named,
        "usable": True,
        "server": {
            "name": greeting.name,
            "version": greeting.version,
            "protocol": greeting.protocol,
            "era": "modern" if greeting.modern else "legacy",
            "first_answer_s": round(report.seconds, 3),
        },
        "tools": [
            {
                "name": tool.name,
                "tokens": tool.tokens,
                "output_schema": config.output_schema if tool.output_schema else None,
                "max_tokens": tool.rule.max_tokens,
                "rule": tool.rule.pattern or None,
                "hold": holding(tool.rule),
            }
            for tool in report.tools
        ],
        "totals": {
            "tools": len(report.tools),
            "tokens": report.tokens,
            "resources": report.resources,
            "prompts": report.prompts,
            "counted_as": report.profile,
        },
        "added": {"name": config.tool_name, "tokens": report.added_tokens},
        "settings": {name: getattr(config, name) for name in SETTINGS if name != "store"},
        "store": {"place": report.place, "usable": report.store_error is None, "error": report.store_error},
        "problems": list(report.problems),
        "command": finding.server.run if finding.server.of_client else finding.server.command,
        "run": run,
    }
    if report.call is not None:
        members["call"] = report.call.as_dict()
    return members


def holding(rule: Rule) -> str:
    """Say when a result of a tool with this rule is held."""
    if rule.never_hold:
        return "never"
    return "always" if rule.always_hold else "above max_tokens"


def seconds(text: str) -> float:
    """Read a number of seconds above 0."""
    number = float(text)
    if not 0 < number < math.inf:
        raise ValueError
    return number
