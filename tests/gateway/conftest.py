"""What every test here must keep to."""

from __future__ import annotations

from tests.kit.processes import nothing_is_left_behind

__all__ = ["nothing_is_left_behind"]
