"""Waiting for a condition, with a bound that only a hang reaches."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE: Final = 30.0  # seconds; a loaded machine needs a few


def until(holds: Callable[[], bool], patience: float = PATIENCE) -> bool:
    """Whether the condition came true in time."""
    deadline = time.monotonic() + patience
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
