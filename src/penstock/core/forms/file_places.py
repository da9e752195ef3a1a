"""Patterns of the place in a file that a line of text begins with (``src/a.py:12:``)."""

from __future__ import annotations

from typing import Final

FILE: Final = r"(?:[A-Za-z]:(?=[\\/]))?+(?![0-9]+:)[^\s:][^:\n]{0,4094}+"
# A time of day, after a date or with seconds: `app.log.2026-05-16_13:53:08`, `[01/Jan/2026:10:11:12`.
NO_TIME: Final = (
    r"(?!(?:(?<=[^A-SU-Za-z0-9.][0-2]\d)|(?<=[^A-SU-Za-z0-9.]\d)):[0-5]\d:[0-5]\d(?!\d)"
    r"|:[0-2]\d:[0-5]\d:[0-5]\d(?!\d))"
)
