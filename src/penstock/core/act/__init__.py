"""Passes, edits, exports and continues held results, as a model asks. Each file is pure: bytes in, bytes out.

``references``       the strings in a call's arguments that stand for held results
``argument_schema``  what a tool's input schema wants at one place of its arguments
``edits``            changes at JSON paths and in texts, as splices of bytes, and a small diff of them
``export``           rows, values and texts as files
``more``             whether a result says that there is more, and how its tool is asked for it
``receipts``         which parts of a held result were read
``question``         the query that a call carries for its own result
"""

from __future__ import annotations

from typing import Final

MARK: Final = "held:r_"  # the beginning of a string that stands for a held result,
BARE: Final = "r_"  # and that of a handle on its own
_MARKS: Final = (MARK.encode(), f'"{BARE}'.encode())


def may_name_results(arguments: bytes) -> bool:
    """Return True if a call's arguments have the beginning of a reference or a handle. Others are not looked at."""
    return any(mark in arguments for mark in _MARKS)
