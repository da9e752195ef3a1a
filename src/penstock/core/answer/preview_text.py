"""A preview: a text within the room, and an honest count of what it shows."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.core.text import counted, ranges_text


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRanges:
    """The things at ``path`` that a preview shows whole, in ranges from 0 to before the end, of ``total``.

    ``cut`` are the numbers of lines of which it shows a part, each with the number of characters shown.
    """

    path: str = "."
    unit: str = "rows"
    ranges: tuple[tuple[int, int], ...] = ()
    total: int = 0
    about: str = ""  # the word before a total that was not counted
    cut: tuple[tuple[int, int], ...] = ()

    @property
    def count(self) -> int:
        return sum(last - first for first, last in self.ranges)

    def as_dict(self) -> dict[str, object]:
        """Write it for the notice: counted from 1, as people count; with the path, unless it leads to the whole."""
        ranges: dict[str, object] = {
            self.unit: ranges_text(self.ranges) or "none",
            "of": f"{self.about} {self.total}" if self.about else self.total,
        }
        if self.cut:
            ranges["cut"] = "; ".join(f"line {line + 1}: {counted(part, 'character')} shown" for line, part in self.cut)
        return ranges if self.path == "." else {"path": self.path, **ranges}


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """``text`` is the stand-in; ``below`` says in a few words what it has; ``depth`` are the levels it shows, where the
    data itself is shown down to a depth."""

    text: str
    shown: ShownRanges
    below: str = ""
    depth: int | None = None
