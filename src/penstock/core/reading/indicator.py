"""The mark that stands where an outline cuts."""

from __future__ import annotations

from typing import Final

import msgspec

from penstock.core.json import nesting, scan
from penstock.core.plain import Plain

COUNTED: Final = "[{type}: {count} {noun}, truncated]"
DEFAULT_DEPTH: Final = 3  # levels: a list, its items, and their fields


class Indicator(Plain, frozen=True, kw_only=True):
    """The mark in the place of a container that was cut.

    ``text`` may use ``{type}``, ``{count}``, ``{noun}`` and ``{levels}``. With ``keep_lengths`` an array's mark tells
    its length even when the text itself does not: ``[truncated]`` becomes ``[truncated: 12 items]``.
    """

    text: str = COUNTED
    keep_lengths: bool = False

    def mark(self, value: bytes) -> bytes:
        if value[:1] == b"[":
            return self.render("Array", scan.count_items(value), "items", value)
        return self.render("Object", len(scan.members(value)), "properties", value)

    def render(self, kind: str, count: int, noun: str, value: bytes) -> bytes:
        text = self.text
        for name, words in (("{type}", kind), ("{count}", str(count)), ("{noun}", noun)):
            text = text.replace(name, words)
        if "{levels}" in text:
            text = text.replace("{levels}", str(nesting.depth(value)))
        if self.keep_lengths and kind == "Array" and "{count}" not in self.text:
            text = f"{text[:-1]}: {count} {noun}]" if text.endswith("]") else f"{text} ({count} {noun})"
        return msgspec.json.encode(text)
