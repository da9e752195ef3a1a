"""``penstock completion SHELL``: a script that lets a shell complete commands, options and their values."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from penstock.cli.options import one_of
from penstock.cli.parsers import whole_parser
from penstock.distribution import install
from penstock.errors import ConfigError

if TYPE_CHECKING:
    import argparse

HELP: Final = "Print a script that lets your shell complete the commands and options of penstock."
USAGE: Final = "penstock completion SHELL"
EXAMPLE: Final = """\
  eval "$(penstock completion bash)"                                      in ~/.bashrc
  penstock completion zsh > "${fpath[1]}/_penstock"                       once, then start zsh again
  penstock completion fish > ~/.config/fish/completions/penstock.fish
  penstock completion bash > ~/.local/share/bash-completion/completions/penstock"""
SHELLS: Final = ("bash", "zsh", "fish", "tcsh")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    text = f"one of {', '.join(SHELLS)}"
    parser.add_argument("shell", type=one_of(*SHELLS), choices=SHELLS, metavar="SHELL", help=text)


def run(args: argparse.Namespace) -> int:
    try:
        import shtab  # noqa: PLC0415  (the extra may be missing)
    except ModuleNotFoundError:
        raise ConfigError("the package shtab is needed for completion", do=install("completion")) from None
    sys.stdout.write(shtab.complete(whole_parser(), args.shell) + "\n")
    return 0
