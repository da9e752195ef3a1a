"""Names that SQLite can tell apart. It takes ``Name`` and ``name`` for the same."""

from __future__ import annotations

from typing import Final

AMBIGUOUS: Final = "several: "  # before what several results have: a table that there is not, so that SQLite says so


def distinct(name: str, taken: set[str]) -> str:
    """Return the name, with a number behind it if it is taken, and add it to ``taken`` in lower case."""
    chosen = name
    number = 2
    while chosen.lower() in taken:
        chosen = f"{name}_{number}"
        number += 1
    taken.add(chosen.lower())
    return chosen
