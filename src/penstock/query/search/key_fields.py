"""The fields that name an item, so that a reader knows whose value was found: its id, its name, its file and line."""

from __future__ import annotations

from typing import Any, Final

from penstock.core.text import plain, split_words

MOST: Final = 3  # fields of one item
FEW: Final = 2  # of an item that has none of the known names, the first short texts
LONG: Final = 40  # characters of a value

# Names by their letters alone, those that tell most first.
_KNOWN: Final = split_words(
    "id key number iid uid uuid sku name fullname title label filename file path relativepath line lineno ref url sha "
    "timestamp time date createdat level severity status state type kind version"
)
_RANK: Final = {name: rank for rank, name in enumerate(_KNOWN)}


def key_fields(item: Any, beside: tuple[Any, ...]) -> str:
    """Write ``id 39 · state open``: at most three short fields of an item, without the one that is shown anyway. An
    item with no field of a known name has its first short texts; amounts name nothing."""
    if not isinstance(item, dict):
        return ""
    short = [
        (name, value)
        for name, value in item.items()
        if (name,) != beside and isinstance(value, str | int) and len(str(value)) <= LONG and value != ""
    ]
    ranked = sorted((rank, name, value) for name, value in short if (rank := _rank(name)) is not None)
    chosen: list[tuple[Any, Any]] = [(name, value) for _, name, value in ranked[:MOST]]
    if not chosen and not any(_rank(str(name)) is not None for name in beside):  # its own name is shown already
        chosen = [(name, value) for name, value in short if isinstance(value, str)][:FEW]
    return " · ".join(f"{plain(name)} {plain(value)}" for name, value in chosen)


def _rank(name: str) -> int | None:
    letters = "".join(filter(str.isalnum, name.lower()))
    if letters in _RANK:
        return _RANK[letters]
    return len(_RANK) if name.endswith(("_id", "Id", "ID", "_name", "Name")) else None
