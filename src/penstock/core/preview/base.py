"""What every preview is: a text within the room, and an honest count of what it shows and what it does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.core.json.path import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """How many of the things at ``path`` the preview shows: from ``start`` to before ``end``, of ``total``.

    A preview that picks things from several places tells how many it picked: ``end - start`` is always that number.
    """

    path: Path
    start: int
    end: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """``text`` is the stand-in; ``style`` names the way it was made; ``headline`` says in a few words what the whole
    is ("312 matches in 89 files"), for the first sentence of the notice; ``depth`` is the levels it shows of a tree;
    ``characters`` are those that it shows of a text, where they are counted."""

    text: str
    style: str
    shown: Shown
    headline: str
    depth: int | None = None
    characters: tuple[int, int] | None = None
