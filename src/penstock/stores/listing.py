"""A held result in the list of all owners, read without what only its readers need.

A head has the tables, the facts and the positions of a result, of which a list shows nothing. Only what is shown is
decoded: ten thousand results are listed in a tenth of a second.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

import msgspec

from penstock.errors import StoreError
from penstock.stores.handle import Key
from penstock.stores.record import plain_head

if TYPE_CHECKING:
    from collections.abc import Hashable

E = TypeVar("E")


class ListedMetadata(msgspec.Struct, Generic[E], frozen=True, kw_only=True):
    """The part of ``Metadata`` that a list shows. Of ``extra`` it has what the caller's type names."""

    tool: str = ""
    arguments: bytes = b"{}"
    tokens: int = 0
    size: int = 0
    items: int = 0
    kind: str = "text"
    created: float = 0.0
    source: str | None = None
    filter: str | None = None
    extra: E


class ListedHead(msgspec.Struct, Generic[E], frozen=True, kw_only=True):
    """A head with that part alone."""

    meta: ListedMetadata[E]


class ListedResult(msgspec.Struct, Generic[E], frozen=True, kw_only=True):
    """One held result of any owner; ``expires`` as it stands now, ``stored`` in packed bytes."""

    key: Key
    meta: ListedMetadata[E]
    expires: float | None
    stored: int
    reads: int
    last_read: float | None

    @property
    def handle(self) -> str:
        return self.key.handle


@lru_cache(maxsize=8)
def _decoder(extra: Hashable) -> Any:
    return msgspec.msgpack.Decoder(ListedHead[extra])  # type: ignore[valid-type]


def listed_metadata(written: bytes, extra: type[E]) -> ListedMetadata[E] | None:
    """Return what a list shows of a head as it was written; None for one that is damaged."""
    decoder: msgspec.msgpack.Decoder[ListedHead[E]] = _decoder(cast("Hashable", extra))
    try:
        return decoder.decode(plain_head(written)).meta
    except (StoreError, msgspec.MsgspecError):
        return None


def checked_metadata(meta: object, extra: type[E]) -> ListedMetadata[E] | None:
    """Return the same of metadata in memory."""
    try:
        return msgspec.convert(meta, ListedMetadata[extra], from_attributes=True)  # type: ignore[valid-type]
    except msgspec.ValidationError:
        return None
