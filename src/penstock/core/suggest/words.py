"""Names, and how they are written in lists here."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

LONGEST_NAME: Final = 60  # characters; names are repeated in calls, and a longer key is data


def words(text: str) -> tuple[str, ...]:
    """The words of a text: a list of sixty names reads better as two lines than as a column."""
    return tuple(text.split())


@lru_cache(maxsize=4_096)  # every item of a table has the same few names
def letters(name: str) -> str:
    """A name without case, underscores and hyphens: maxResults, max_results and max-results are one."""
    return "".join(filter(str.isalnum, name[:100].lower()))


@lru_cache(maxsize=4_096)
def is_name(field: tuple[str, ...]) -> bool:
    """Whether a field's name can be repeated in a call: it is no data, and nothing in it is invisible."""
    return all(len(name) <= LONGEST_NAME and name.isprintable() for name in field)


def percent(share: float) -> str:
    """A share in words; what is nearly all is not said to be all."""
    return f"{min(99, round(share * 100))} %"


def dotted(field: tuple[str, ...]) -> str:
    """A field as a reader would name it."""
    return ".".join(field)
