"""Options that several commands share, and values that they read in the same way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.config.sources import add_flags
from penstock.core.text import shorten
from penstock.errors import CallerError

if TYPE_CHECKING:
    import argparse

UNITS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
CONFIG: Final = "a configuration file of Penstock (TOML, YAML or JSON)"


def store_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that name the store."""
    group = parser.add_argument_group("store")
    group.add_argument("--config", metavar="FILE", help=CONFIG)
    add_flags(group, ("store",))


def seconds_of(flag: str, age: str) -> int:
    """Read an age such as 90s, 30m, 2h or 7d."""
    number, unit = age[:-1], age[-1:]
    if not (number.isascii() and number.isdecimal() and len(number) < 10) or unit not in UNITS:
        raise CallerError(f"{flag}: {shorten(age)!r} is no age", do="for example 90s, 30m, 2h or 7d")
    return int(number) * UNITS[unit]
