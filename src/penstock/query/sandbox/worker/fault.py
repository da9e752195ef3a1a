"""The one error of a worker: what is wrong with the query, and what to do. It crosses the pipe as JSON."""

from __future__ import annotations

from typing import Final

LONGEST: Final = 400  # characters of each part: an answer that says no takes less than 1 KB, escapes included


class Fault(Exception):  # noqa: N818  # the caller's fault, not an error of ours
    """The query cannot be answered."""

    def __init__(self, what: str, *, do: str = "") -> None:
        self.what = shorten(what)
        self.do = shorten(do)
        super().__init__(self.what)


def shorten(text: str, most: int = LONGEST) -> str:
    """Shorten a text to so many bytes of UTF-8, and replace control characters by spaces."""
    plain = "".join(char if char.isprintable() else " " for char in text[: most + 1])
    data = plain.encode("utf-8", "replace")
    return plain if len(data) <= most else data[: most - 3].decode("utf-8", "ignore") + "…"
