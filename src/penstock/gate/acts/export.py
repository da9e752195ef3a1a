"""``export``: a held result, a part of it or the rows of a query, as a file or as a resource that the client reads."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from penstock.core.act.export import MIME, Exported, ExportRows, JsonValue, PlainText, export
from penstock.core.answer.notice import encode
from penstock.core.answer.stand_in import text_block
from penstock.core.json.lookup import value_at
from penstock.core.json.path import parse
from penstock.core.json.strings import unquote_to_bytes
from penstock.core.sql_text import in_quotes
from penstock.digest import hex_digest
from penstock.errors import CallerError
from penstock.gate.actions.request import seconds_left
from penstock.gate.acts.export_folder import clean_name, write_file
from penstock.gate.acts.request import SCHEME
from penstock.gate.held import BLOCKS
from penstock.gate.records import Origin
from penstock.gate.tool_results import block_result
from penstock.query.jq.filter import run_filter
from penstock.query.sql.query import run_sql

if TYPE_CHECKING:
    from penstock.core.act.export import Content
    from penstock.gate.acts.request import ActRequest
    from penstock.gate.held import HeldReader
    from penstock.query.sandbox.sandbox import Sandbox

PARTS: Final = ("sql", "jq_filter", "table", "path")
TABLES: Final = ("csv", "tsv")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """The part of a held result to export: the argument that says so, if there is one, and its value."""

    opened: HeldReader
    sandbox: Sandbox
    kind: str = ""
    value: str = ""

    def content(self, form: str) -> Content:
        match self.kind:
            case "sql":
                return self._rows(self.value, all_rows=False)
            case "table":
                return self._rows(f"SELECT * FROM {in_quotes(self.value)}", all_rows=True)  # noqa: S608  (it only reads)
            case "jq_filter":
                return self._filtered(self.value)
            case "path":
                path = parse(self.value)
                source = self.opened.source_of(path)
                value = value_at(source.index, source.read, path).strip()
                return PlainText(raw=unquote_to_bytes(value)) if value[:1] == b'"' else JsonValue(raw=value)
        return self._whole(form)

    def _whole(self, form: str) -> Content:
        """Return all of it: as a table where the format is one, else as it was; a text as JSON is what jq sees."""
        opened = self.opened
        path = opened.text_path
        if form in TABLES or (form == "md" and path is None):
            return self._rows("SELECT * FROM items", all_rows=True)
        if form in ("json", "jsonl") and (opened.index.is_text or not opened.is_raw or path is not None):
            return self._filtered(".")
        raw = opened.held.read(0, opened.held.size("raw"))
        if path is None:
            root = opened.index.root
            main = opened.main
            if form == "jsonl" and main.kind in ("array", "records"):
                return JsonValue(raw=main.joined(opened.body))
            return JsonValue(raw=root.joined(opened.body) if root is not None and root.kind == "records" else raw)
        if not path:
            return PlainText(raw=raw)
        original = opened.original
        return PlainText(raw=unquote_to_bytes(value_at(original.index, original.read, path)))

    def _filtered(self, program: str) -> JsonValue:
        return JsonValue(raw=run_filter(program, self.opened.source, self.sandbox).json)

    def _rows(self, sql: str, *, all_rows: bool) -> ExportRows:
        """Return the rows of a query. Those of a whole table come in as many parts as they need."""
        sources = {"held": self.opened.source}
        result = run_sql(sql, sources, self.sandbox)
        rows, columns = result.rows, result.columns
        if result.sent < result.count and not all_rows:
            raise CallerError(
                f"the query gives {result.count:,} rows, and {result.sent:,} of them fit into one answer of SQL",
                do="export the rows in parts, with LIMIT and OFFSET, or the whole table with table",
            )
        while result.sent < result.count:
            result = run_sql(f"{sql} LIMIT -1 OFFSET {len(rows)}", sources, self.sandbox)
            rows += result.rows
        return ExportRows(columns=columns, rows=rows)


class Export:
    """The path or URI of the export, its rows, bytes and sha256. A name leads nowhere else, and no file is written
    over."""

    def run(self, request: ActRequest) -> bytes:
        fetch = request.fetch
        arguments = fetch.arguments
        form = arguments.text("format").lower().lstrip(".")
        if form not in MIME:
            raise CallerError(f"there is no format {form[:40]!r}", do=f"use one of {', '.join(MIME)}")
        named = [name for name in PARTS if arguments.values.get(name) is not None]
        if len(named) > 1:
            raise CallerError(f"{' and '.join(named)} are both given", do="give one of them")
        opened = fetch.opened()
        if opened.held.meta.kind in BLOCKS:
            raise CallerError(f"this is a block of type {opened.held.meta.kind}", do="export texts and JSON")
        part = _Part(
            opened=opened,
            sandbox=fetch.sandbox(),
            kind=named[0] if named else "",
            value=arguments.text(named[0]) if named else "",
        )
        made = export(part.content(form), form)
        name = clean_name(arguments.optional_text("name") or opened.held.meta.tool, form)
        if request.folder is not None:
            return block_result(_receipt(request, {"path": write_file(request.folder, name, made.data)}, form, made))
        return _as_resource(request, opened, name, form, made)


def _as_resource(request: ActRequest, opened: HeldReader, name: str, form: str, made: Exported) -> bytes:
    """Hold an export under a handle of its own, and return the link to it."""
    fetch = request.fetch
    if len(made.data) > fetch.max_bytes:
        raise CallerError(f"the export has {len(made.data):,} bytes", do=f"at most {fetch.max_bytes:,} are held")
    try:
        made.data.decode()
    except UnicodeDecodeError:
        raise CallerError("this held result is not valid UTF-8, so no resource of text can be it") from None
    origin = Origin(
        tool=opened.held.meta.tool, source=fetch.arguments.handle, run=opened.run, server=opened.server, export=name
    )
    kept = fetch.keep(made.data, origin)
    uri = f"{SCHEME}{kept.handle}/{quote(name)}"
    link = {"type": "resource_link", "uri": uri, "name": name, "mimeType": MIME[form], "size": len(made.data)}
    receipt = _receipt(request, {"uri": uri, "expires_in_s": seconds_left(kept.meta.expires, fetch.now)}, form, made)
    return block_result(receipt, encode(link)) if request.terms.links else block_result(receipt)


def _receipt(request: ActRequest, place: dict[str, Any], form: str, made: Exported) -> bytes:
    receipt = {**place, "format": form, "rows": made.rows, "bytes": len(made.data)}
    receipt["sha256"] = sha256(made.data).hexdigest()
    where = place.get("path", "a resource")
    handle = hex_digest(request.fetch.arguments.handle.encode(), 8)
    request.note(f"exported held result #{handle} to {where}: {len(made.data):,} bytes, sha256 {receipt['sha256']}")
    if made.escaped:
        receipt["note"] = f"{made.escaped:,} cells that a spreadsheet would run as formulas have ' before them"
    return text_block(encode({name: one for name, one in receipt.items() if one is not None}).decode())
