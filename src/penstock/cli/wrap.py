"""``penstock wrap``: put the gateway in front of the servers in an MCP client's configuration."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from penstock.cli import wrap_command
from penstock.cli import wrap_view as view
from penstock.cli.options import CONFIG, timeout_option
from penstock.cli.wrap_check import Trial, try_out
from penstock.client_config import files, plan, together
from penstock.client_config.command_line import Gateway, find_program, is_behind
from penstock.client_config.plan import Left
from penstock.config.settings import BY_NAME
from penstock.config.sources import add_flags, from_flags
from penstock.distribution import install
from penstock.errors import CallerError

if TYPE_CHECKING:
    import argparse

    from penstock.client_config.files import File
    from penstock.client_config.places import ConfigPlace
    from penstock.client_config.plan import Change, ConfigText, Plan
    from penstock.client_config.servers import ServerEntry

HELP: Final = (
    "Put the gateway in front of the servers in your MCP clients' files. Penstock finds the files of this project and "
    "of your user, and asks which to change. `penstock unwrap` undoes it."
)
USAGE: Final = "penstock wrap [options] [SERVER...]"
EXAMPLE: Final = """\
  penstock wrap
  penstock wrap --client cursor --client gemini-cli
  penstock wrap --dry-run
  penstock wrap --client claude-code --together
  penstock wrap --client .vscode/mcp.json --program penstock files"""
SETTINGS: Final = (
    "max_tokens",
    "preview_tokens",
    "page_tokens",
    "store",
    "ttl",
    "profile",
    "tool_name",
    "tools",
    "owner",
    "log_level",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    wrap_command.add_arguments(parser)
    program = "how to start Penstock (default: its path on this machine); use penstock in files that you share"
    parser.add_argument("--program", metavar="PENSTOCK", help=program)
    together = "put all servers of a file behind one gateway with one reading tool; the prefix of their tools changes"
    parser.add_argument("--together", action="store_true", help=together)
    unchecked = "do not start each server first to check that it works behind the gateway"
    parser.add_argument("--no-check", action="store_true", help=unchecked)
    timeout_option(parser)
    parser.add_argument("--config", metavar="FILE", help=CONFIG)
    add_flags(parser.add_argument_group("settings"), SETTINGS)


def run(args: argparse.Namespace) -> int:
    if args.together and args.config:
        raise CallerError(
            "--together and --config cannot be combined: the gateway reads one file, that of the servers",
            do="give the settings as options",
        )
    has_http = find_spec("aiohttp") is not None  # of the extra ``http``
    extras = ["http"] if has_http else []
    program = (args.program,) if args.program else find_program(sys.argv[0], sys.executable, extras=extras)
    gateway = Gateway(program=program, options=options(args))
    return wrap_command.carry_out(
        args,
        partial(_planned, args, gateway, has_http=has_http or bool(args.program)),
        partial(_write, gateway),
    )


def _planned(args: argparse.Namespace, gateway: Gateway, place: ConfigPlace, file: File, *, has_http: bool) -> Plan:
    """Plan one file, start the servers that would change, and plan again without those that do not work."""
    trials: dict[tuple[str, ...], Trial] = {}

    def decide(source: ConfigText, server: ServerEntry) -> Change | Left:
        made = plan.wrap(gateway, source, server, named=args.servers)
        if isinstance(made, Left):
            return made
        if made.remote and not has_http:
            why = f"is reached by URL, which needs packages that are missing: {install('http')}"
            return Left(server=server, why=why)
        trial = trials.get((*server.section, server.name), Trial())
        return Left(server=server, why=trial.why, words=trial.words) if trial.why else made

    def planned() -> Plan:
        if args.together:
            return together.join(gateway, place, file, args.servers, decide)
        return plan.plan(place, file, args.servers, decide)

    first = planned()
    if args.no_check or not first.is_due:
        return first
    moved = {name for group in first.joined for name in group.servers}
    servers = [one.server for one in first.changes]
    servers += [one for one in plan.read_source(file).servers if one.name in moved and not is_behind(one.words)]
    view.say(f"{file.path}: starting each server once behind the gateway to check it")
    trials |= try_out(gateway, str(file.path), servers, timeout=args.timeout)
    return replace(planned(), notes={key: trial.note for key, trial in trials.items() if trial.note})


def options(args: argparse.Namespace) -> tuple[str, ...]:
    """Return the options for ``penstock run``, after checking that it will accept them."""
    from_flags(args, file=args.config)
    words = ["--config", os.path.abspath(args.config)] if args.config else []
    for name in SETTINGS:
        value = getattr(args, name, None)
        if value is not None:
            flag = BY_NAME[name].flag
            # A value that begins with a hyphen would be taken for a flag.
            words += [f"{flag}={value}"] if value.startswith("-") else [flag, value]
    return tuple(words)


def _write(gateway: Gateway, plan: Plan) -> list[str]:
    # A backup is how the file was without Penstock: one that is there already is older than the first wrapping.
    if plan.pristine or not plan.file.backup.exists():
        files.keep(plan.file)
    for group in plan.joined:
        files.put_beside(plan.file, group.file, group.data)
    files.replace(plan.file, plan.data)
    lines = [f"wrote {plan.file.path}. Backup: {plan.file.backup.name}"]
    lines += [f"wrote {group.file.name} beside it, with the servers that moved" for group in plan.joined]
    if plan.place.of_project and os.path.isabs(gateway.program[0]):
        lines.append(
            "This file now contains an absolute path. If you share it (git), unwrap and re-wrap with "
            "--program penstock."
        )
    single = [change for change in plan.changes if not change.server.keys.is_list]
    if len(single) > 1 and not plan.joined:
        lines.append(
            f"Each of its {len(single)} servers now has a reading tool of its own. To have one for all, unwrap and "
            "re-wrap with --together."
        )
    return lines
