"""Write a result that is to be held as a record: its metadata, its index, and what ``info`` says of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.answer.notice import encode
from penstock.core.forms.document import Kind, read
from penstock.core.forms.embedded import text_in
from penstock.core.forms.json_values import is_retained
from penstock.core.forms.reading import TextSpec
from penstock.core.json import index as indexing
from penstock.core.json.whole import LARGEST_RETAINED
from penstock.core.measure import measure
from penstock.core.notice.cross import cross_of
from penstock.core.notice.facts import facts_of
from penstock.core.plain import Plain
from penstock.core.reading.window import ruler
from penstock.gate.comparing import packed
from penstock.gate.owners import owner_label
from penstock.gate.tool_results import with_member
from penstock.stores import Metadata, NewRecord

if TYPE_CHECKING:
    from penstock.core.answer.preview_text import ShownRanges
    from penstock.core.answer.stand_in import Hidden, StandIn
    from penstock.core.forms.document import Document
    from penstock.core.forms.reading import Reading, Table
    from penstock.core.json.index import Index
    from penstock.core.measure import Measure
    from penstock.share import Share
    from penstock.stores import Store


FORMAT: Final = 3  # of what a record says in ``extra``; ``held.FORMATS`` are those that are opened
MOST_NAME: Final = 128  # characters of the name of a server
MOST_RANGES: Final = 100  # ranges of rows in a preview that are kept: it has room for fewer


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The origin of a result: the call that was answered, or the held result and the filter it was taken from; the
    run or the session that made it, and the server, by a name that no other server has (None if it is not known),
    and ``server_name``, as users call it. ``note`` is what goes behind the answer: a word about the filter of the
    tool's rule. ``call`` is the digest of a call that may come again, ``since`` the held result of the same call before
    it."""

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)
    source: str | None = None
    filter: str | None = None
    run: str = ""
    server: str | None = ""
    server_name: str = ""
    note: str = ""
    call: str = ""
    since: str | None = None
    export: str = ""  # the file name of an export
    aside: bytes = b""  # JSON of members of the result that are not in the document, for ``info``
    more: dict[str, Any] | None = None  # of pages that were joined: how to go on, and their receipt


class HoldTerms(Plain, frozen=True, kw_only=True):
    """The store of a held result, its owner, whose space it takes, and how long the store keeps it."""

    store: Store
    owner: str
    share: Share | None = None
    now: float
    ttl: int | None


def hidden_record(hidden: Hidden, origin: Origin, keeping: HoldTerms, *, handle: str) -> NewRecord:
    """Return the record of a block or a member that an answer leaves out."""
    document = read(hidden.raw)
    made = record_of(document, measure(document), origin, keeping, handle=handle)
    return made if hidden.block is None else replace(made, meta=replace(made.meta, kind=hidden.block))


def answered(record: NewRecord, stand_in: StandIn, preview: ShownRanges, note: str) -> NewRecord:
    """Return a record with the answer that the client gets for it, and which rows that shows."""
    answer = stand_in.raw if not note else with_member(stand_in.raw, "note", note)
    ranges = [list(one) for one in preview.ranges[:MOST_RANGES]]
    extra = {**record.meta.extra, "shown": {"path": preview.path, "unit": preview.unit, "ranges": ranges}}
    return replace(record, answer=answer, meta=replace(record.meta, extra=extra))


def record_of(document: Document, figures: Measure, origin: Origin, keeping: HoldTerms, *, handle: str) -> NewRecord:
    """Return the record of a document that is to be held."""
    scale = ruler(document)
    reading = figures.reading
    meta = Metadata(
        tool=origin.tool.encode("utf-8", "replace").decode(),
        arguments=_written(origin.arguments),
        tokens=figures.tokens.tokens,
        size=figures.size,
        items=figures.items,
        depth=figures.depth,
        kind=str(figures.kind if document.within else document.language or figures.kind),
        created=keeping.now,
        expires=None if keeping.ttl is None else keeping.now + keeping.ttl,
        source=origin.source,
        filter=origin.filter,
        call=origin.call,
        extra={
            "format": FORMAT,
            "run": origin.run,
            "server": origin.server,
            "server_name": origin.server_name[:MOST_NAME].encode("utf-8", "replace").decode(),
            "owner": owner_label(keeping.owner),
            "since": origin.since,
            "text": _text_path(document, reading),
            "form": reading.form,
            "language": document.language,
            "within": list(document.within),
            "later": document.language is not None and document.kind is Kind.TEXT,
            "words": reading.words,
            "shape": reading.shape,
            "pages": list(reading.pages),
            "tables": [msgspec.to_builtins(table.kept) for table in reading.tables],
            **_info_facts(document, reading),
            **({"export": origin.export} if origin.export else {}),
            **({"aside": origin.aside} if origin.aside else {}),
            **({"more": origin.more} if origin.more is not None else {}),
            "ruler": [scale.total, scale.errors, scale.at_bytes.tobytes(), scale.at_chars.tobytes()],
        },
    )
    body = None if document.body is document.raw else document.body
    # The first call that reads on makes the index.
    is_later = document.kind in (Kind.JSON, Kind.TEXT) and not document.is_indexed
    return NewRecord(
        handle=handle,
        owner=keeping.owner,
        share=keeping.share,
        raw=document.raw,
        body=body,
        index=b"" if is_later else indexing.dump(index_of(document, reading)),
        meta=meta,
        packed=packed(document, keeping.store),
    )


def index_of(document: Document, reading: Reading) -> Index:
    """Return the index with the container that pages are cut from."""
    index = document.index
    if index.root is None:
        return index
    return index.with_container(document.container(reading.pages))


def _text_path(document: Document, reading: Reading) -> list[Any] | None:
    """Return the way to the text that the notice names: none for the original text itself. None for JSON, of which the
    notice names rows, and be it one row with one long text."""
    if document.language is not None or not document.is_json:
        return list(document.within)
    main = reading.main
    within = text_in(document) if main is None or isinstance(main.spec, TextSpec) else None
    return None if within is None else list(within.path)


def _info_facts(document: Document, reading: Reading) -> dict[str, Any]:
    """Write the facts of a document for ``info``: those of a small one are left to be made by it."""
    if document.language is not None or reading.main is None:
        return all_facts(reading)
    is_json = document.kind in (Kind.JSON, Kind.VALUES)
    is_small = is_retained(document) if is_json else len(document.raw) <= LARGEST_RETAINED
    return {} if is_small else all_facts(reading)


def all_facts(reading: Reading) -> dict[str, Any]:
    """Write the facts of a reading for ``info``: those of the main table, and those of the others by name."""
    main = _facts(reading.main) if reading.main is not None else []
    return {
        "facts": [*reading.facts, *(text for _, text in cross_of(reading).lines), *main],
        "table_facts": {table.name: _facts(table) for table in reading.tables[1:]},
    }


def _facts(table: Table) -> list[str]:
    """Return the facts of all columns of a table, for ``info``."""
    return [fact.longer for fact in facts_of(table)]


def _written(arguments: dict[str, Any]) -> bytes:
    """Return the arguments as JSON, or ``{}`` if a program passed values that JSON does not have."""
    try:
        return encode(arguments)
    except (TypeError, ValueError, RecursionError):
        return b"{}"
