"""The list of all that is held, of all owners. It imports nothing else of the gate: a page shows it first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from penstock.stores import Store
    from penstock.stores.listing import ListedResult


class ListedExtra(msgspec.Struct, frozen=True):
    """The members of ``Metadata.extra`` that a list of all results shows."""

    form: str = ""
    words: str = ""
    owner: str = ""
    server: str | None = None
    server_name: str = ""


class HeldSummary(msgspec.Struct, frozen=True, kw_only=True):
    """One held result in a list. ``rows`` are those of its main table, ``tokens`` what it would have cost; ``size`` and
    ``stored`` are bytes as they came and as they are packed. Times are seconds since 1970; ``expires`` is None for what
    never does. ``source`` is the result that it was filtered or edited from."""

    handle: str
    owner: str
    server: str
    tool: str
    arguments: str
    form: str
    words: str
    kind: str
    rows: int
    tokens: int
    size: int
    stored: int
    created: float
    expires: float | None
    reads: int
    last_read: float | None
    source: str | None
    filter: str | None


def summaries(store: Store) -> list[HeldSummary]:
    """Return what is held of all owners, the newest first."""
    return [_summary(one) for one in store.all(ListedExtra)]


def _summary(one: ListedResult[ListedExtra]) -> HeldSummary:
    meta, extra = one.meta, one.meta.extra
    name = (extra.server or "").partition("/")
    return HeldSummary(
        handle=one.handle,
        owner=extra.owner or one.key.owner[:8],
        server=extra.server_name or name[2] or name[0][:8],
        tool=meta.tool,
        arguments=meta.arguments.decode("utf-8", "replace"),
        form=extra.form,
        words=extra.words,
        kind=meta.kind,
        rows=meta.items,
        tokens=meta.tokens,
        size=meta.size,
        stored=one.stored,
        created=meta.created,
        expires=one.expires,
        reads=one.reads,
        last_read=one.last_read,
        source=meta.source,
        filter=meta.filter,
    )
