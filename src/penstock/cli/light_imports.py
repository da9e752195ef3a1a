"""Import msgspec without ``typing_extensions``.

msgspec imports it where it is installed, and half the standard library with it, for types that no message of ours has:
a third of the time until the first call passes.
"""

from __future__ import annotations

import sys

HIDDEN = "typing_extensions"


class without_typing_extensions:  # noqa: N801  (named as the block reads; ``contextlib`` is not loaded yet)
    """Hide ``typing_extensions`` from imports inside the block, unless it is loaded already."""

    def __enter__(self) -> None:
        self._hides = HIDDEN not in sys.modules
        if self._hides:
            sys.modules[HIDDEN] = None  # type: ignore[assignment]

    def __exit__(self, *_: object) -> None:
        if self._hides:
            del sys.modules[HIDDEN]
