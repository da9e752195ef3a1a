"""Find an earlier result of the same call, and compare a result with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from penstock.core.changes.compare import Version
from penstock.core.changes.since import Earlier, since
from penstock.core.forms.reading import TableSpec
from penstock.core.forms.rows import RowSpec
from penstock.digest import hex_digest
from penstock.errors import PenstockError
from penstock.stores.blocks import pack

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.core.changes.compare import VersionKind
    from penstock.core.changes.since import Since
    from penstock.core.forms.document import Document
    from penstock.core.forms.reading import Reading
    from penstock.gate.owners import Owner
    from penstock.stores import Held, Store
    from penstock.stores.blocks import Packed


def call_digest(
    tool: str, server: str | None, arguments: Mapping[str, Any], owner: Owner, program: str | None = None
) -> str:
    """Return what a call is found again by: the tool of a server, its arguments in any order, and the filter that its
    results go through. Of callers without a name of their own it is found in the same session alone: they share an
    owner, and a handle is their secret. It is empty for a call that cannot be found again: such a caller without a
    session, or arguments that JSON does not have."""
    if owner.lists == "run" and not owner.run:
        return ""
    session = owner.run if owner.lists == "run" else None
    try:
        written = msgspec.json.encode([tool, server, session, program, dict(arguments)], order="sorted")
    except (TypeError, ValueError, RecursionError):
        return ""
    return hex_digest(written, 16)


def since_earlier(
    document: Document, reading: Reading, *, store: Store, owner: str, call: str, now: float
) -> Since | None:
    """Tell what changed since the newest result of the same call that the owner holds; None if there is none, or if the
    store fails: the answer does without."""
    try:
        held = store.latest(owner, call)
        if held is None:
            return None
        earlier = Earlier(
            handle=held.entry.handle,
            seconds=max(0, round(now - held.meta.created)),
            size=held.size("raw"),
            part=held.reader("raw"),
            is_same=lambda new: held.is_packed_as(packed(new, store)),
            read=lambda: version_of_held(held),
        )
        return since(earlier, document, reading.main)
    except PenstockError:
        return None


def packed(document: Document, store: Store) -> Packed:
    """Return the original of a document as a store writes it, which is made once."""
    return document.once("packed", lambda one: pack(one.raw, store.keep))


def version_of_held(held: Held) -> Version:
    """Return a stored result as a version to compare, as ``version_of`` does for the document that it was."""
    meta, raw = held.meta, held.read(0, held.size("raw"))
    if meta.extra.get("within"):
        return Version(raw=raw, kind="json", body=raw)
    if meta.extra.get("language") is not None or meta.kind == "text":
        return Version(raw=raw, kind="text")
    if meta.kind not in ("json", "values"):
        return Version(raw=raw, kind="binary")
    kind: VersionKind = "json" if meta.kind == "json" else "values"
    body = held.read(0, held.size("body"), "body") if held.has_own_body else raw
    tables = meta.extra.get("tables") or [None]
    main = None if tables[0] is None else msgspec.convert(tables[0], TableSpec).rows
    rows = main.outer if isinstance(main, RowSpec) and main.is_plain else None
    return Version(raw=raw, kind=kind, body=body, rows=rows)
