"""Options that several commands share, and values that they read in the same way.

A value's reader raises ``ArgumentTypeError``; the parser puts the option's name before it.
"""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, Final

from penstock.config.sources import add_flags
from penstock.core.text import shorten

if TYPE_CHECKING:
    from collections.abc import Callable

UNITS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
CONFIG: Final = "a configuration file of Penstock (TOML, YAML or JSON)"
CLIENT_CONFIG: Final = "the configuration file of an MCP client: all its servers; or one of Penstock (TOML, YAML, JSON)"
TIMEOUT: Final = 30.0  # Seconds for each response. The first run of npx or uvx downloads the server.


def store_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that name the store."""
    group = parser.add_argument_group("store")
    group.add_argument("--config", metavar="FILE", help=CONFIG)
    add_flags(group, ("store",))


def timeout_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--timeout``."""
    text = f"seconds to wait for each response of a server (default: {TIMEOUT:g})"
    parser.add_argument("--timeout", type=seconds, default=TIMEOUT, metavar="SECONDS", help=text)


def whole_number(least: int, most: int | None = None) -> Callable[[str], int]:
    """Return a reader of whole numbers in a range."""
    expected = f"a whole number from {least:,}" + ("" if most is None else f" to {most:,}")

    def read(text: str) -> int:
        number = int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else None
        if number is None or number < least or (most is not None and number > most):
            raise argparse.ArgumentTypeError(f"expected {expected}, got {shorten(text)!r}")
        return number

    return read


port_number = whole_number(0, 65_535)


def one_of(*choices: str) -> Callable[[str], str]:
    """Return a reader of one of a few words. Completion needs them as ``choices`` too."""

    def read(text: str) -> str:
        if text not in choices:
            raise argparse.ArgumentTypeError(f"expected one of {', '.join(choices)}, got {shorten(text)!r}")
        return text

    return read


def seconds(text: str) -> float:
    """Read a number of seconds above 0."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"expected a number of seconds above 0, got {shorten(text)!r}")
    return number


def age(text: str) -> int:
    """Read an age such as 90s, 30m, 2h or 7d, in seconds."""
    number, unit = text[:-1], text[-1:]
    if not (number.isascii() and number.isdecimal() and len(number) < 10) or unit not in UNITS:
        raise argparse.ArgumentTypeError(f"expected an age such as 90s, 30m, 2h or 7d, got {shorten(text)!r}")
    return int(number) * UNITS[unit]
