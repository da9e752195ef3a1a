"""Open the store for commands that look at stored results, and find a result by its handle or the beginning of it."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from penstock.errors import CallerError
from penstock.stores import open_store
from penstock.stores.sqlite import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.config.model import Config
    from penstock.stores import Store

MAX_LISTED: Final = 5  # Handles that an error names: enough to choose one.


@contextmanager
def visible_store(config: Config) -> Iterator[Store]:
    """Open the store for looking. Raises if it is inside another process."""
    if config.store.startswith("memory:"):
        raise CallerError(
            "cannot look into a memory: store from another process",
            do="give the store of your gateway: --store sqlite: or a Redis URL",
        )
    with open_store(config.store, max_bytes=config.max_store_bytes, max_items=config.max_store_items) as store:
        yield store


def is_missing(store: Store) -> bool:
    """Return True if the store's file does not exist yet. Opening it would create it.

    An empty file is left where a gateway was stopped as it began, and is not a store yet either.
    """
    if not isinstance(store, SqliteStore):
        return False
    try:
        return Path(store.place).stat().st_size == 0
    except FileNotFoundError:
        return True
    except OSError:
        return False  # There is a file that we may not look at. The store says why.


def whole_handle(text: str, handles: Iterable[str]) -> str:
    """Return the one handle that begins with this text. Raises if none or several do."""
    matching = [handle for handle in handles if handle.startswith(text)]
    if text in matching:
        return text
    if len(matching) == 1:
        return matching[0]
    if matching:
        several = ", ".join(sorted(matching)[:MAX_LISTED])
        raise CallerError(f"{text!r} begins {len(matching):,} handles", do=f"give more of one of them: {several}")
    if not text.startswith("r_"):
        raise CallerError(f"{text!r} is not a handle (they look like r_...)", do="run penstock list")
    raise CallerError(
        f"no result with handle {text!r} is stored; it may have expired or been evicted", do="run penstock list"
    )
