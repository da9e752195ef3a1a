"""Lines of figures, one column a target, with the limit that the gateway should keep."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A bound on the gateway's figure, or on its ratio to direct."""

    bound: float
    of: Literal["figure", "ratio"] = "ratio"
    least: bool = False
    unit: str = ""

    def kept(self, value: float) -> bool:
        return value >= self.bound if self.least else value <= self.bound

    def __str__(self) -> str:
        unit = "x direct" if self.of == "ratio" else self.unit
        return f"{'>=' if self.least else '<='} {self.bound:g}{unit}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A target's figures of some rounds, and their ratios to direct's of the same rounds."""

    figures: Sequence[float] = ()
    ratios: Sequence[float] = ()
    failed: str = ""

    @property
    def figure(self) -> float:
        return median(self.figures)

    @property
    def ratio(self) -> float:
        return median(self.ratios)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    what: str
    cells: Mapping[str, Cell]
    limit: Limit | None = None
    digits: int = 1

    def verdict(self, name: str = "penstock") -> str:
        cell = self.cells.get(name)
        if self.limit is None or cell is None:
            return ""
        if cell.failed:
            return "NO"
        return "yes" if self.limit.kept(cell.ratio if self.limit.of == "ratio" else cell.figure) else "NO"

    def text(self, name: str) -> str:
        cell = self.cells.get(name)
        if cell is None:
            return "-"
        if cell.failed:
            return "failed"
        ratio = f" ({cell.ratio:.2f}x)" if cell.ratios else ""
        return f"{cell.figure:,.{self.digits}f}{ratio}"


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    lines = [head, ["-" * width for width in widths], *rows]
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in lines
    )


def show(title: str, lines: Sequence[Line], names: Sequence[str], remark: str = "") -> None:
    rows = [[line.what, *(line.text(name) for name in names), str(line.limit or ""), line.verdict()] for line in lines]
    print(f"\n### {title}\n")
    print(markdown(["", *names, "wanted of penstock", "kept"], rows))
    failed = [f"{name}: failed: {cell.failed}" for line in lines for name, cell in line.cells.items() if cell.failed]
    remarks([remark, *failed] if remark else failed)


def remarks(words: Sequence[str]) -> None:
    if words:
        print("\n" + "\n".join(f"- {word}" for word in dict.fromkeys(words)))
