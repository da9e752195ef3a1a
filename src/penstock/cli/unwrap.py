"""``penstock unwrap``: take the gateway out of a client's configuration again."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from penstock.cli import wrap_command
from penstock.client_config import files, together
from penstock.client_config.plan import Left, plan, unwrap

if TYPE_CHECKING:
    import argparse

    from penstock.client_config.files import File
    from penstock.client_config.places import ConfigPlace
    from penstock.client_config.plan import Plan

HELP: Final = "Take the gateway out of your MCP clients' files again. Other changes to the files stay."

USAGE: Final = "penstock unwrap [options] [SERVER...]"
EXAMPLE: Final = """\
  penstock unwrap
  penstock unwrap --client cursor"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    wrap_command.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    return wrap_command.carry_out(args, partial(_planned, args.servers), _write)


def _planned(names: list[str], place: ConfigPlace, file: File) -> Plan:
    """Plan one file: first servers that are behind one gateway together become single again, then the rest."""
    apart, parted, failed = together.part(file, names)
    groups = {group.name for group in parted}
    made = plan(place, apart, [name for name in names if name not in groups], unwrap)
    single = {name for group in parted for name in group.servers}
    left = [
        Left(server=one.server, why=failed.get(one.server.name, one.why))
        for one in made.left
        if one.server.name not in single
    ]
    return replace(made, parted=parted, left=left, names=made.names | groups)


def _write(plan: Plan) -> list[str]:
    files.replace(plan.file, plan.data)
    for group in plan.parted:
        files.drop(group.file)
    kept = files.read_backup(plan.file)
    if kept is None or kept.data != plan.data:
        return [f"wrote {plan.file.path}"]
    files.drop_backup(plan.file)
    return [f"wrote {plan.file.path}: it is as it was before wrap, so its backup was deleted"]
