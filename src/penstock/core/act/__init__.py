"""Passes, edits, exports and continues held results, as a model asks. Each file is pure: bytes in, bytes out.

``references``       the strings in a call's arguments that stand for held results
``argument_schema``  what a tool's input schema wants at one place of its arguments
``edits``            changes at JSON paths and in texts, as splices of bytes, and a small diff of them
``export``           rows, values and texts as files
``more``             whether a result says that there is more, and how its tool is asked for it
``receipts``         which parts of a held result were read
"""

from __future__ import annotations

from typing import Final

MARK: Final = b"held:r_"  # bytes that every reference has: a call without them is not looked at
