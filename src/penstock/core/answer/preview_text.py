"""A preview: a text within the room, and an honest count of what it shows."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.core.text import ranges_text


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRanges:
    """The things at ``path`` that a preview shows, in ranges from 0 to before the end, of ``total``."""

    path: str = "."
    unit: str = "rows"
    ranges: tuple[tuple[int, int], ...] = ()
    total: int = 0
    about: str = ""  # the word before a total that was not counted

    @property
    def count(self) -> int:
        return sum(last - first for first, last in self.ranges)

    def as_dict(self) -> dict[str, object]:
        """Write it for the notice: counted from 1, as people count; with the path, unless it leads to the whole."""
        ranges: dict[str, object] = {
            self.unit: ranges_text(self.ranges) or "none",
            "of": f"{self.about} {self.total}" if self.about else self.total,
        }
        return ranges if self.path == "." else {"path": self.path, **ranges}


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """``text`` is the stand-in; ``below`` says in a few words what it has; ``depth`` are the levels it shows, where the
    data itself is shown down to a depth."""

    text: str
    shown: ShownRanges
    below: str = ""
    depth: int | None = None
