"""``penstock doctor -- COMMAND``: start a server, look at what it offers, and say what Penstock would do.

``doctor_check`` looks, ``doctor_view`` shows. None of the server's tools is called.
"""

from __future__ import annotations

import math
import shlex
import sys
from typing import TYPE_CHECKING, Any, Final

from penstock.config.settings import BY_NAME
from penstock.config.sources import add_flags, from_flags
from penstock.core.answer.notice import encode
from penstock.errors import CallerError, UpstreamError

if TYPE_CHECKING:
    import argparse

    from penstock.cli.doctor_check import DoctorReport
    from penstock.config.model import Rule

HELP: Final = "Start a server, list its tools, and say what Penstock would do. None of its tools is called."
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
PATIENCE: Final = 30.0  # seconds for each answer; the first run of npx or uvx downloads the server


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "penstock doctor [options] -- COMMAND ARGS..."
    parser.add_argument("command", nargs="*", metavar="COMMAND", help="the server, as you would start it")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    parser.add_argument(
        "--timeout", type=seconds, default=PATIENCE, metavar="SECONDS", help="time for each response (default: 30)"
    )
    parser.add_argument("--config", metavar="FILE", help="a configuration file (TOML, YAML or JSON)")
    add_flags(parser, SETTINGS)


def run(args: argparse.Namespace) -> int:
    if not args.command or not args.command[0]:
        raise CallerError("no server was named", do="write its command after --: penstock doctor -- COMMAND ARGS...")
    config = from_flags(args, file=args.config)

    from penstock.cli.doctor_check import examine
    from penstock.cli.mcp_client import FAILED, McpClient, tell
    from penstock.stores import open_store

    with open_store(config.store) as store:
        server: McpClient | None = None
        try:
            with McpClient(args.command, timeout=args.timeout) as server:
                report = examine(server, store, config)
        except UpstreamError as error:
            if args.json:
                words = server.process.last_words if server is not None else []
                _print_json({"usable": False, "error": str(error), "stderr": words})
            return tell(error, server)
    if args.json:
        _print_json({**as_dict(report), "command": args.command, "run": run_line(args)})
    else:
        from penstock.cli.doctor_view import show

        show(report, run_line(args))
    return 0 if report.store_error is None else FAILED


def run_line(args: argparse.Namespace) -> str:
    """Return the command that puts Penstock in front of the server, with the settings of this command."""
    words = ["penstock", "run"]
    if args.config is not None:
        words += ["--config", args.config]
    for name in SETTINGS:
        value = getattr(args, name, None)
        if value is not None:
            # A URL with an @ in it may hold a password, and what is printed ends up in logs.
            words += [BY_NAME[name].flag, "URL" if name == "store" and "@" in value else value]
    return shlex.join([*words, "--", *args.command])


def as_dict(report: DoctorReport) -> dict[str, Any]:
    """Return the report as JSON members."""
    config, greeting = report.config, report.greeting
    return {
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
    }


def holding(rule: Rule) -> str:
    """Say when a result of a tool with this rule is held."""
    if rule.never_hold:
        return "never"
    return "always" if rule.always_hold else "above max_tokens"


def seconds(text: str) -> float:
    """Read a number of seconds above 0."""
    given = float(text)
    if not 0 < given < math.inf:
        raise ValueError
    return given


def _print_json(members: dict[str, Any]) -> None:
    sys.stdout.write(encode(members).decode() + "\n")
