"""``penstock wrap``: put the gateway in front of the servers in an MCP client's configuration."""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Final

from penstock.config.settings import BY_NAME
from penstock.config.sources import add_flags, from_flags

if TYPE_CHECKING:
    import argparse

    from penstock.client_config.command_line import Gateway
    from penstock.client_config.plan import Plan

HELP: Final = "Put the gateway in front of the servers in an MCP client's configuration. `penstock unwrap` undoes it."
USAGE: Final = "penstock wrap [options] [SERVER...]"
EXAMPLE: Final = """\
  penstock wrap
  penstock wrap --client cursor
  penstock wrap --client .vscode/mcp.json --program penstock files"""
SETTINGS: Final = (
    "max_tokens",
    "preview_tokens",
    "page_tokens",
    "store",
    "ttl",
    "profile",
    "tool_name",
    "log_level",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from penstock.cli import wrap_command

    wrap_command.add_arguments(parser)
    program = "what starts Penstock; its path on this machine by default, penstock suits a file that others use too"
    parser.add_argument("--program", metavar="PENSTOCK", help=program)
    parser.add_argument("--config", metavar="FILE", help="a configuration file of Penstock (TOML, YAML or JSON)")
    add_flags(parser.add_argument_group("settings"), SETTINGS)


def run(args: argparse.Namespace) -> int:
    from penstock.cli import wrap_command
    from penstock.client_config.command_line import Gateway, find_program
    from penstock.client_config.plan import wrap

    program = (args.program,) if args.program else find_program(sys.argv[0], sys.executable)
    gateway = Gateway(program=program, options=options(args))
    decide = partial(wrap, gateway, named=frozenset(args.servers))
    return wrap_command.carry_out(args, decide, partial(_write, gateway))


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
    from penstock.client_config import files

    # A backup is how the file was without Penstock: one that is there already is older than the first wrapping.
    if plan.pristine or not plan.file.backup.exists():
        files.keep(plan.file)
    files.replace(plan.file, plan.data)
    lines = [f"wrote {plan.file.path}; as it was it is kept in {plan.file.backup.name}"]
    if plan.place.of_project and os.path.isabs(gateway.program[0]):
        lines.append(
            "it has a path of this machine in it: if others use it too, unwrap and wrap with --program penstock"
        )
    return lines
