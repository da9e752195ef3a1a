"""``penstock doctor``: start a server, look at it as a client would, and report what Penstock would do.

``doctor_servers`` lists the servers to start, ``doctor_check`` examines one, ``doctor_view`` prints.
"""

from __future__ import annotations

import json
import shlex
import sys
from typing import TYPE_CHECKING, Any, Final

from penstock.cli.doctor_check import SETTINGS, examine_server
from penstock.cli.doctor_servers import servers_of
from penstock.cli.doctor_view import show
from penstock.cli.options import CLIENT_CONFIG, timeout_option
from penstock.cli.output import print_error, write_json
from penstock.config.settings import BY_NAME
from penstock.config.sources import add_flags, from_flags
from penstock.core.text import shorten
from penstock.errors import CallerError
from penstock.stores import open_store

if TYPE_CHECKING:
    import argparse

    from penstock.cli.doctor_check import Report
    from penstock.cli.doctor_servers import StartedServer
    from penstock.config.model import Config
    from penstock.stores import Store

    Call = tuple[str, dict[str, Any]]

HELP: Final = (
    "Start a server, list its tools and what their definitions cost, and report what Penstock would do. Doctor calls "
    "no tool unless --call names one: then it makes that call and shows what the model would read."
)
USAGE: Final = """penstock doctor [options] COMMAND ARGS...
       penstock doctor [options] --url URL
       penstock doctor [options] --config FILE"""
EXAMPLE: Final = """\
  penstock doctor npx -y @modelcontextprotocol/server-filesystem .
  penstock doctor --call list_directory '{"path": "."}' npx -y @modelcontextprotocol/server-filesystem .
  penstock doctor --url http://127.0.0.1:9000/mcp
  penstock doctor --config ~/.cursor/mcp.json"""
NOT_USABLE: Final = 1  # The exit code if a server or the store does not work.


def add_arguments(parser: argparse.ArgumentParser) -> None:
    server = parser.add_argument_group("server")
    server.add_argument("command", nargs="*", metavar="COMMAND ARGS...", help="the server, as you would start it")
    server.add_argument("--url", metavar="URL", help="a server over HTTP")
    header = "a header for every request to it (repeatable)"
    server.add_argument("--header", action="append", default=[], metavar="'NAME: VALUE'", help=header)
    server.add_argument("--config", metavar="FILE", help=CLIENT_CONFIG)
    call = "call this tool with these arguments (JSON), and show what the model would read"
    parser.add_argument("--call", nargs=2, metavar=("TOOL", "ARGUMENTS"), help=call)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    timeout_option(parser)
    add_flags(parser.add_argument_group("settings"), SETTINGS)


def run(args: argparse.Namespace) -> int:
    call = None if args.call is None else _call(*args.call)
    with servers_of(args) as servers:
        several = servers[0].of_client
        if call is not None and len(servers) > 1:
            raise CallerError("--call needs one server, and there are several", do="give its command, or its --url")
        config = from_flags(args, file=None if several else args.config)
        with open_store(config.store) as store:
            findings = [_examined(one, args, store, config, call) for one in servers]
    if args.json:
        write_json({"servers": findings} if several else findings[0])
    if not several and "error" in findings[0]:
        print_error(findings[0]["error"])
        sys.stderr.writelines(f"  its stderr: {line}\n" for line in findings[0]["stderr"])
    elif not args.json:
        show(findings, several=several)
    return 0 if all(_works(one, has_call=call is not None) for one in findings) else NOT_USABLE


def _examined(
    server: StartedServer, args: argparse.Namespace, store: Store, config: Config, call: Call | None
) -> Report:
    finding = examine_server(server, args.timeout, store, config, call=call)
    return {**finding, "run": run_line(server, args)} if finding["usable"] else finding


def _works(finding: Report, *, has_call: bool) -> bool:
    return finding["usable"] and finding["store"]["usable"] and (not has_call or "call" in finding)


def _call(tool: str, arguments: str) -> Call:
    try:
        value = json.loads(arguments)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise CallerError(
            f"--call takes a tool and its arguments; {shorten(arguments)!r} is not a JSON object",
            do=f"for example --call {tool} '{{}}'",
        )
    return tool, value


def run_line(server: StartedServer, args: argparse.Namespace) -> str:
    """Return the command that puts Penstock in front of a server, with the settings of this command."""
    words = ["penstock", "run"]
    if args.config is not None and not server.of_client:
        words += ["--config", args.config]
    for name in SETTINGS:
        value = getattr(args, name, None)
        if value is not None:
            # A URL with an @ in it may hold a password, and printed text ends up in logs.
            words += [BY_NAME[name].flag, "URL" if name == "store" and "@" in value else value]
    return shlex.join([*words, *server.run])
