"""Make untrusted text safe to print: no control characters, limited length."""

from __future__ import annotations

from rich.text import Text

from penstock.cli.output import fitting
from penstock.core.text import shorten


def lines(text: str) -> Text:
    """Return all lines of a text as they may be shown, with a mark for each other character that is not to be seen."""
    return Text(fitting("".join(char if char.isprintable() or char in "\n\t" else "�" for char in text)))


def plain(text: str, limit: int = 200) -> Text:
    """Shorten a text, and replace each unprintable character by a mark."""
    short = shorten(text, limit)
    return Text(fitting("".join(character if character.isprintable() else "�" for character in short)))
