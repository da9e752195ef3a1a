"""``penstock unwrap``: take the gateway out of a client's configuration again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import argparse

    from penstock.client_config.plan import Plan

HELP: Final = "Take the gateway out of an MCP client's configuration again. Other changes to the file stay."

USAGE: Final = "penstock unwrap [options] [SERVER...]"
EXAMPLE: Final = """\
  penstock unwrap
  penstock unwrap --client cursor"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from penstock.cli import wrap_command

    wrap_command.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    from penstock.cli import wrap_command
    from penstock.client_config.plan import unwrap

    return wrap_command.carry_out(args, unwrap, _write)


def _write(plan: Plan) -> list[str]:
    from penstock.client_config import files

    files.replace(plan.file, plan.data)
    kept = files.read_backup(plan.file)
    if kept is None or kept.data != plan.data:
        return [f"wrote {plan.file.path}"]
    files.drop_backup(plan.file)
    return [f"wrote {plan.file.path}: it is as it was, and its backup is removed"]
