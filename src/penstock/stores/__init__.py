"""Stores that hold results. Read ``base.py`` first: it is the contract that every store keeps.

``handle``  what names a held result and whom it opens for
``record``  what is held, and the held result as it is read; ``listing`` as it stands in the list of all owners
``blocks``  bytes in blocks of 64 KB, packed one by one (``zstd``); ``index_cache`` keeps indexes that were just read
``sqlite``  the store in a file, with ``sqlite_file`` and ``state_folder``; ``memory`` is the same without a file
``redis``   the store on servers, with ``redis_server``, ``redis_client``, ``redis_keys`` and ``redis_scripts``
``sizes``   sizes of results by day, server, tool and size class, for figures and charts
``url``     the URLs by which ``open_store`` finds them
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from penstock.distribution import install
from penstock.errors import ConfigError
from penstock.stores.base import MAX_BYTES, MAX_ITEMS, Counts, Stats, Store, StoreLimits
from penstock.stores.handle import is_handle, new_handle
from penstock.stores.memory import MemoryStore
from penstock.stores.record import Entry, Held, Metadata, NewRecord
from penstock.stores.sizes import SizeKey, Sizes
from penstock.stores.sqlite import SqliteStore
from penstock.stores.state_folder import state_folder
from penstock.stores.url import parse

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "Counts",
    "Entry",
    "Held",
    "Metadata",
    "NewRecord",
    "SizeKey",
    "Sizes",
    "Stats",
    "Store",
    "StoreLimits",
    "is_handle",
    "new_handle",
    "open_store",
]


def open_store(
    url: str, *, now: Callable[[], float] = time.time, max_bytes: int = MAX_BYTES, max_items: int = MAX_ITEMS
) -> Store:
    """Return the store that a URL names. Options in the URL override the arguments.

    Nothing is read, written or connected to yet: a wrong URL is a ``ConfigError`` here, and a store that is out of
    order is a ``StoreError`` when it is used, until it is in order again.
    """
    address = parse(url)
    limits = address.limits(StoreLimits(max_bytes=max_bytes, max_items=max_items))
    # Each store is imported when it is asked for: most programs use one, and ``redis`` may not be installed.
    match address.scheme:
        case "memory":
            return MemoryStore(limits=limits, now=now)
        case "sqlite":
            return SqliteStore(address.file() or state_folder() / "held.db", limits=limits, now=now)
        case _:
            try:
                from penstock.stores.redis import RedisStore  # noqa: PLC0415
            except ImportError as error:
                raise ConfigError(
                    "a redis store needs the redis package", do=f"install it: {install('redis')}"
                ) from error
            return RedisStore(address, limits=limits, now=now)
