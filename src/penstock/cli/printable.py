"""Words of others on our user's terminal: without colours, cursor movements or other orders to it."""

from __future__ import annotations

from rich.text import Text

from penstock.core.text import shorten


def lines(text: str) -> Text:
    """All lines of a text as they may be shown, with a mark for each other character that is not to be seen."""
    return Text("".join(char if char.isprintable() or char in "\n\t" else "�" for char in text))


def plain(text: str, limit: int = 200) -> Text:
    """The text as it may be shown: short, and with a mark for each character that is not to be seen."""
    short = shorten(text, limit)
    return Text("".join(character if character.isprintable() else "�" for character in short))
