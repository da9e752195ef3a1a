"""Make untrusted text safe to print: no control characters, limited length."""

from __future__ import annotations

from rich.text import Text

from penstock.core.text import shorten


def plain(text: str, limit: int = 200) -> Text:
    """Shorten a text, and replace each unprintable character by a mark."""
    short = shorten(text, limit)
    return Text("".join(character if character.isprintable() else "�" for character in short))
