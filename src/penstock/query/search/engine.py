"""RE2, or nothing where it is not installed: there is no wheel of it for every system."""

from __future__ import annotations

try:
    import re2
except ImportError:
    re2 = None

__all__ = ["re2"]
