"""A folder that names are relative to. What a name may be, each server decides for itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class RealFolder:
    """``folder`` is real: no link is left in its path, so that it can be told what is inside it."""

    folder: Path

    @classmethod
    def at(cls, folder: Path) -> Self:
        """Open a folder that exists."""
        return cls(folder=folder.resolve(strict=True))

    def name_of(self, real: Path) -> str:
        """Return the name of a real path in this folder."""
        return real.relative_to(self.folder).as_posix()
