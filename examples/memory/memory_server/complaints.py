"""Lines about wrong arguments: here, lists are among them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from server_parts.complaints import KINDS, MOST, line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from server_parts.complaints import Properties

WITH_LISTS: Final = {**KINDS, "array": "a list"}


def lines(errors: Sequence[Any], properties: Properties) -> list[str]:
    """Return a line for each of the first errors."""
    return [line(one, properties, WITH_LISTS) for one in errors[:MOST]]
