"""Gives memory that was freed back to the system, where the C library keeps it to itself."""

from __future__ import annotations

import ctypes
import sys


def give_back() -> None:
    """Give back what is free. Only glibc has to be asked; elsewhere nothing is done."""
    if sys.platform != "linux":
        return
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:  # musl has none
        trim(0)
