"""What a model does with a held result beside reading it. Each file is pure: bytes in, bytes out.

``references``       the strings in a call's arguments that stand for held results
``argument_schema``  what a tool's input schema wants at one place of its arguments
"""

from __future__ import annotations

from typing import Final

MARK: Final = b"held:r_"  # bytes that every reference has: a call without them is not looked at
