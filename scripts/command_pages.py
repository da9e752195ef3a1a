"""Write the help of all commands into docs/reference/commands.md, and the man page docs/man/penstock.1.

python -m scripts.command_pages            write both
python -m scripts.command_pages --check    fail if one of them is not what it would be
"""

from __future__ import annotations

import re
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.generated import write_or_check

from penstock import __version__
from penstock.cli import COMMANDS
from penstock.cli.parsers import HelpFormatter, parser_of

if TYPE_CHECKING:
    import argparse

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "docs" / "reference" / "commands.md"
MAN = ROOT / "docs" / "man" / "penstock.1"
WIDTH = 100  # columns of the help texts
TEXT = re.compile(r"(<!-- help of (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def help_of(name: str) -> str:
    """Return what ``penstock NAME --help`` prints on a terminal of 100 columns."""
    parser = parser_of(name)
    parser.formatter_class = partial(HelpFormatter, width=WIDTH)
    return parser.format_help()


def reference(page: str) -> str:
    """Return the reference page with the help texts as they are now."""
    return TEXT.sub(lambda found: f"{found[1]}\n```text\n{help_of(found[2])}```\n\n{found[3]}", page)


def man_page() -> str:
    """Return the man page in roff."""
    lines = [
        f'.TH PENSTOCK 1 "" "penstock {__version__}" "User Commands"',
        ".SH NAME",
        "penstock \\- keep large MCP tool results out of the model's context",
        ".SH SYNOPSIS",
        ".B penstock",
        "\\fICOMMAND\\fR [options]",
        ".SH DESCRIPTION",
        "A gateway between MCP clients and servers. Results that fit pass through unchanged. Larger ones are stored in",
        "full; the model gets a preview and reads the rest on demand.",
        ".SH COMMANDS",
    ]
    for name in COMMANDS:
        lines += _command(name)
    lines += [
        ".SH EXIT STATUS",
        "0 after success, 1 if a server or the store does not work or the user declined, 2 after an error, 130 after",
        "an interrupt; \\fBpenstock run\\fR exits with the code of its server.",
        ".SH ENVIRONMENT",
        "\\fBPENSTOCK_\\fR\\fINAME\\fR sets a setting; \\fBNO_COLOR\\fR means no escapes at all; \\fBPAGER\\fR and",
        "\\fBLESS\\fR are used by \\fBpenstock show\\fR.",
        "",
    ]
    return "\n".join(lines)


def _command(name: str) -> list[str]:
    parser = parser_of(name)
    lines = [f".SS penstock {_roff(name)}", ".nf", *map(_roff, str(parser.usage).splitlines()), ".fi", ".PP"]
    lines += [_roff(" ".join(str(parser.description).split()))]
    for group in parser._action_groups:
        for action in group._group_actions:
            lines += [".TP", _names(action), _roff(_help(action))]
    lines += [".PP", "Examples:", ".nf", *map(_roff, str(parser.epilog).splitlines()[1:]), ".fi"]
    return lines


def _names(action: argparse.Action) -> str:
    value = action.metavar or ""
    shown = " ".join(value) if isinstance(value, tuple) else value
    names = ", ".join(f"\\fB{_roff(name)}\\fR" for name in action.option_strings)
    return f"{names} \\fI{_roff(shown)}\\fR".strip() if shown else names


def _help(action: argparse.Action) -> str:
    return " ".join((action.help or "").replace("%%", "%").split())


def _roff(text: str) -> str:
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return f"\\&{escaped}" if escaped.startswith((".", "\\(aq")) else escaped


def main(arguments: list[str]) -> int:
    """Write what is made, or check it."""
    made = {REFERENCE: reference(REFERENCE.read_text("utf-8")), MAN: man_page()}
    return write_or_check(made, arguments, script="command_pages", description=__doc__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
