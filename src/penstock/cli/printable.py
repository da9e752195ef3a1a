"""Words of others on our user's terminal: without colours, cursor movements or other orders to it."""

from __future__ import annotations

from rich.text import Text

from penstock.core.text import shorten


def plain(text: str, limit: int = 200) -> Text:
    """The text as it may be shown: short, and with a mark for each character that is not to be seen."""
    short = shorten(text, limit)
    return Text("".join(character if character.isprintable() else "�" for character in short))
