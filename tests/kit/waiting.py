"""Waiting for a condition, with a bound that only a hang reaches."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE: Final = 180.0  # seconds; a machine with ten times as much to do as it has cores needs a minute


def until(holds: Callable[[], bool], patience: float = PATIENCE) -> bool:
    """Whether the condition came true in time."""
    deadline = time.monotonic() + patience
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
