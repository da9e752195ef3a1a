"""Memory that was freed goes back to the system: a large result is handled now and then, by threads that come and go,
and what it took would otherwise stay with each of them."""

from __future__ import annotations

from typing import Final

# The names and numbers are those of glibc's <malloc.h>; where another library is used, there is nothing to say.
M_TRIM_THRESHOLD: Final = -1
M_MMAP_THRESHOLD: Final = -3
M_ARENA_MAX: Final = -8
TRIMMED: Final = 1_048_576  # bytes that may lie idle
MAPPED: Final = 262_144  # bytes of a block that is mapped by itself, and unmapped when it is freed
BUSY_TRIMMED: Final = 4_194_304  # the same while a very long line arrives: its parts are of a megabyte each, and all
BUSY_MAPPED: Final = 2_097_152  # of their pages would be mapped anew for each, which takes longer than to read it


def give_back_what_is_freed() -> bool:
    """Ask for it. Returns False where the C library does not take such wishes."""
    return _wish(MAPPED, TRIMMED)


def reuse_what_is_freed() -> bool:
    """Ask to have it back soon, in parts of a megabyte. Returns False where the C library does not take such wishes."""
    return _wish(BUSY_MAPPED, BUSY_TRIMMED)


def _wish(mapped: int, trimmed: int) -> bool:
    import ctypes  # noqa: PLC0415

    try:
        wish = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False
    return all([wish(M_ARENA_MAX, 1), wish(M_MMAP_THRESHOLD, mapped), wish(M_TRIM_THRESHOLD, trimmed)])


def trim() -> bool:
    """Give back the memory that lies free between blocks that are in use; False where the C library does not do so.

    What is freed at the end of the heap goes back by itself. The rest lies there for the next large result, and
    how much there is of it only grows: after every time when several were read at once.
    """
    import ctypes  # noqa: PLC0415

    try:
        return bool(ctypes.CDLL(None).malloc_trim(0))
    except (AttributeError, OSError, TypeError):
        return False
