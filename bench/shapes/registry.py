"""The registry that every generator enters itself into, by name, kind and sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

Kind: TypeAlias = Literal["json", "text"]
Texts: TypeAlias = "str | list[str]"  # the text of one content block, or the texts of many

KB = 1_000  # bytes
MB = 1_000_000  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A generator of one form of result, and the sizes (bytes of text, about) that it is measured at."""

    name: str
    kind: Kind
    sizes: tuple[int, ...]
    make: Callable[[int], Texts]


SHAPES: dict[str, Shape] = {}


def shape(kind: Kind, *sizes: int) -> Callable[[Callable[[int], Texts]], Callable[[int], Texts]]:
    """Register the decorated generator under its function's name, with hyphens."""

    def register(make: Callable[[int], Texts]) -> Callable[[int], Texts]:
        name = make.__name__.replace("_", "-")
        SHAPES[name] = Shape(name=name, kind=kind, sizes=sizes, make=make)
        return make

    return register
