"""Aggregate functions that SQLite lacks and questions about numbers need: median, percentile, stddev, variance."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import floor, fsum, sqrt
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import sqlite3

NOT_A_NUMBER: Final = "takes numbers: CAST(x AS REAL) makes one of a text"


class _Numbers(ABC):
    """Gathers the numbers of a group; NULL is left out. A text is refused: to skip it would give a wrong figure."""

    def __init__(self) -> None:
        self.numbers: list[float] = []
        self.refused = False

    def step(self, value: Any, *_: Any) -> None:
        if isinstance(value, int | float):
            self.numbers.append(value)
        elif value is not None:
            self.refused = True

    def finalize(self) -> float | None:
        if self.refused:
            raise ValueError(NOT_A_NUMBER)
        return self.result() if self.numbers else None

    @abstractmethod
    def result(self) -> float | None:
        """Return the figure of the numbers, of which there is one at least."""


class _Percentile(_Numbers):
    """``percentile(x, 90)``: the value below which 90 % of the numbers lie, between two of them in proportion."""

    share: float | None = None

    def step(self, value: Any, percent: Any = 50.0, *_: Any) -> None:
        super().step(value)
        if isinstance(percent, int | float) and 0 <= percent <= 100:
            self.share = percent / 100
        else:
            self.refused = True

    def result(self) -> float | None:
        ordered = sorted(self.numbers)
        place = (len(ordered) - 1) * (self.share or 0.0)
        below = floor(place)
        above = min(below + 1, len(ordered) - 1)
        return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


class _Variance(_Numbers):
    """The variance of a sample, as other databases have it; NULL of one number."""

    is_sample = True

    def result(self) -> float | None:
        size = len(self.numbers) - self.is_sample
        mean = fsum(self.numbers) / len(self.numbers)
        return fsum((number - mean) ** 2 for number in self.numbers) / size if size else None


class _Deviation(_Variance):
    def result(self) -> float | None:
        square = super().result()
        return None if square is None else sqrt(square)


class _DeviationOfAll(_Deviation):
    is_sample = False


_FUNCTIONS: Final[tuple[tuple[str, int, Any], ...]] = (  # by name and number of arguments
    ("median", 1, _Percentile),
    ("percentile", 2, _Percentile),
    ("stddev", 1, _Deviation),
    ("stddev_samp", 1, _Deviation),
    ("stddev_pop", 1, _DeviationOfAll),
    ("variance", 1, _Variance),
    ("var_samp", 1, _Variance),
)


def add_functions(connection: sqlite3.Connection) -> None:
    """Let queries on a connection use the functions."""
    for name, number, aggregate in _FUNCTIONS:
        connection.create_aggregate(name, number, aggregate)
