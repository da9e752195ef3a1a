"""What every test here must keep to."""

from __future__ import annotations

import pytest

from penstock import spool
from tests.kit.processes import nothing_is_left_behind

__all__ = ["nothing_is_left_behind"]


@pytest.fixture
def in_files(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Put messages of more than a megabyte into files. The list has the size of each when that happens."""
    sizes: list[int] = []
    move = spool.Spool._move

    def noted(self: spool.Spool) -> None:
        sizes.append(len(self))
        move(self)

    monkeypatch.setattr(spool, "MAX_IN_MEMORY", 1_000_000)
    monkeypatch.setattr(spool.Spool, "_move", noted)
    return sizes
