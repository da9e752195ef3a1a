"""Numbers of the rows that values stand in, made only where one is asked for: of few columns a row is told."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


class Numbers:
    """Numbers that ``make`` gives in their order, each time anew."""

    def __init__(self, make: Callable[..., Iterable[int]], *arguments: Any) -> None:
        self._make = make
        self._arguments = arguments

    def __iter__(self) -> Iterator[int]:
        return iter(self._make(*self._arguments))

    def __getitem__(self, at: int) -> int:
        return next(islice(self, at, None))


RowNumbers = Sequence[int] | Numbers
