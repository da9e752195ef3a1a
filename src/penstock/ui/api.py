"""The paths below ``/api``: each is a function from what is asked for to what is answered, as JSON.

docs/reference/ui-api.md has their shapes. All of them run in threads: a store answers while it is waited for.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import asdict
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.json import whole
from penstock.core.tokens.count import count
from penstock.errors import CallerError
from penstock.gate.looking.cells import clean, shown_cell, written
from penstock.gate.looking.coverage import coverage_of
from penstock.gate.looking.downloads import FORMATS, written_rows
from penstock.gate.looking.profiles import profile_of
from penstock.gate.looking.queries import LONG, ask_jq, ask_sql
from penstock.gate.looking.text import TextLines
from penstock.gate.looking.tree import branch_at
from penstock.gate.looking.windows import RowOrder, RowWindow, RowWindows
from penstock.ui.asgi import HttpError
from penstock.ui.downloads import PIECE, Download, Tickets, file_name
from penstock.ui.overview import overview_of
from penstock.ui.rules import settings_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from penstock.config.origins import Origins
    from penstock.gate.held import HeldReader
    from penstock.gate.looking import HeldSummary, Looking
    from penstock.ui.asgi import PageRequest

FAR: Final = 2**53  # no row, line or match has a larger number
FRESH: Final = 1.0  # seconds that the list of all results is used again: a page asks for parts of it one by one
KEPT: Final = 16  # profiles that are kept: each is learned from the whole document
WHOLE_ROW: Final = 262_144  # characters of one row that is shown whole
SORTED: Final = {
    **{name: attrgetter(name) for name in ("tool", "server", "owner", "form", "rows", "tokens", "created", "reads")},
    "size": attrgetter("size"),
    "arguments": attrgetter("arguments"),
    "expires": lambda one: float("inf") if one.expires is None else one.expires,
}


class Api:
    """Answer for one store. Threads share it."""

    def __init__(self, looking: Looking, origins: Origins, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._looking = looking
        self._origins = origins
        self._clock = clock
        self._lock = threading.Lock()
        self._listed: tuple[float, str, list[HeldSummary]] | None = None
        self._profiles: OrderedDict[str, list[dict[str, Any]]] = OrderedDict()
        self._rows = RowWindows(looking.workers)
        self._lines = TextLines()
        self.tickets = Tickets()

    def answer(self, request: PageRequest, body: bytes) -> Any:
        """Return what a path answers. Raises an ``HttpError`` or a ``PenstockError``."""
        parts = request.path.removeprefix("/api/").split("/")
        match request.method, parts:
            case "GET", ["overview"]:
                return self._overview(request)
            case "GET", ["settings"]:
                return self._settings()
            case "GET", ["results"]:
                return self._results(request)
            case "DELETE", ["results"]:
                return self._removed(asdict(self._looking.remove_all()))
            case "DELETE", ["results", handle]:
                return self._removed({"items": int(self._looking.remove(handle))})
            case "GET", ["results", handle]:
                return self._result(handle)
            case "GET", ["results", handle, part]:
                return self._part(request, self._looking.open(handle), part)
            case "GET", ["results", handle, "rows", number]:
                return self._row(request, self._looking.open(handle), number)
            case "POST", ["results", handle, part]:
                return self._asked(handle, part, _decoded(body))
        raise HttpError(
            404, f"there is nothing at {request.method} {request.path[:100]}", "see the reference of the API"
        )

    def _all(self) -> list[HeldSummary]:
        """Return all that is held. A list that was made a moment ago is used again, if nothing has changed since."""
        pulse, now = self._looking.store.pulse(), self._clock()
        with self._lock:
            known = self._listed
        if known is not None and known[1] == pulse and now - known[0] < 30 * FRESH:
            alive = self._looking.now()
            return [one for one in known[2] if one.expires is None or one.expires > alive]
        found = self._looking.results()
        with self._lock:
            self._listed = now, pulse, found
        return found

    def _overview(self, request: PageRequest) -> dict[str, Any]:
        store = self._looking.store
        return overview_of(
            store.counts(),
            store.sizes(),
            self._all(),
            now=self._looking.now(),
            place=store.place,
            days=request.number("days", 30, most=366),
        )

    def _settings(self) -> dict[str, Any]:
        store = self._looking.store
        sizes = store.sizes()
        tools = {*store.counts(), *(key.tool for key in sizes), *(one.tool for one in self._all())}
        return settings_of(self._looking.config, self._origins, tools, sizes)

    def _results(self, request: PageRequest) -> dict[str, Any]:
        found = self._all()
        total = len(found)
        words = request.query.get("filter", "").lower().split()
        if words:
            found = [one for one in found if _has(one, words)]
        order = request.query.get("sort", "created")
        if order not in SORTED:
            raise CallerError(f"there is no column {order[:40]!r}", do=f"sort by one of {', '.join(SORTED)}")
        found = sorted(found, key=SORTED[order], reverse=not request.truth("ascending"))
        start = request.number("start", 0, most=FAR)
        some = found[start : start + request.number("count", 100, most=1_000)]
        return {
            "total": total,
            "matching": len(found),
            "start": start,
            "now": self._looking.now(),
            "results": [asdict(one) for one in some],
        }

    def _result(self, handle: str) -> dict[str, Any]:
        """Return one result: what the list says of it, its tables, and what the model read first."""
        opened = self._looking.open(handle)
        listed = next((one for one in self._all() if one.handle == handle), None)
        if listed is None:
            raise CallerError(f"there is no held result {handle[:40]!r}", do="it has just gone")
        told = opened.told
        tables = self._rows.tables(opened)
        return {
            **asdict(listed),
            "now": self._looking.now(),
            "words": told.get("words", ""),
            "form": told.get("form", listed.form),
            "shape": opened.shape,
            "is_text": opened.index.is_text or opened.index.root is None,
            "has_tree": opened.index.root is not None and not opened.index.is_text,
            "tables": [{"name": name, "path": path, "rows": rows} for name, path, rows in tables],
            "answer": _shown_answer(opened.held.answer),
        }

    def _part(self, request: PageRequest, opened: HeldReader, part: str) -> Any:
        start = request.number("start", 0, most=FAR)
        number = request.number("count", 100, most=1_000)
        match part:
            case "profile":
                return {"tables": self._profile(opened)}
            case "coverage":
                return coverage_of(opened)
            case "rows":
                return _shown_rows(
                    self._rows.window(opened, request.query.get("table", ""), start, number, _order(request))
                )
            case "lines":
                return asdict(self._lines.window(opened, start, number))
            case "tree":
                return asdict(branch_at(opened, request.query.get("path", "."), start, number))
            case "search":
                return self._search(request, opened)
        raise HttpError(404, f"a result has no {part[:40]!r}", "see the reference of the API")

    def _search(self, request: PageRequest, opened: HeldReader) -> Any:
        from penstock.gate.looking.matches import matched_places  # noqa: PLC0415  (RE2 is loaded by the first search)
        from penstock.query.search.search import SearchQuery  # noqa: PLC0415

        pattern = request.query.get("pattern", "")
        if not pattern:
            raise CallerError("pattern is missing", do="give pattern: text")
        query = SearchQuery(
            pattern=pattern,
            regex=request.truth("regex"),
            ignore_case=request.truth("ignore_case"),
            word=request.truth("word"),
            start=request.number("start", 0, most=FAR),
        )
        return asdict(matched_places(opened, query))

    def _profile(self, opened: HeldReader) -> list[dict[str, Any]]:
        handle = opened.held.entry.handle
        with self._lock:
            known = self._profiles.get(handle)
        if known is None:
            known = profile_of(opened, self._looking.convert)
            with self._lock:
                self._profiles[handle] = known
                while len(self._profiles) > KEPT:
                    self._profiles.popitem(last=False)
        return known

    def _row(self, request: PageRequest, opened: HeldReader, number: str) -> dict[str, Any]:
        if not (number.isascii() and number.isdigit() and 0 < len(number) < 16):
            raise CallerError(f"there is no row {number[:40]!r}", do="expected a whole number from 1")
        text = written(self._rows.value(opened, request.query.get("table", ""), int(number)))
        return {"number": int(number), "json": clean(text[:WHOLE_ROW]), "length": len(text)}

    def _asked(self, handle: str, part: str, given: dict[str, Any]) -> Any:
        match part:
            case "sql":
                found = ask_sql(self._looking, handle, _text(given, "sql"), _page(given))
                rows = None if found.rows is None else _shown_rows(found.rows)
                return {"answer": _shown_answer(found.answer), "rows": rows}
            case "jq":
                found = ask_jq(self._looking, handle, _text(given, "program"), _page(given))
                value = None if found.value is None else found.value[:LONG].decode("utf-8", "replace")
                return {
                    "answer": _shown_answer(found.answer),
                    "value": value,
                    "length": 0 if found.value is None else len(found.value),
                }
            case "answer":
                return {"answer": _shown_answer(self._looking.answer(handle, given))}
            case "downloads":
                return {"ticket": self.tickets.add(self._download(handle, given))}
        raise HttpError(404, f"a result cannot be asked for {part[:40]!r}", "see the reference of the API")

    def _download(self, handle: str, given: dict[str, Any]) -> Download:
        """Return a download: the original, a table, or the rows of a query."""
        opened = self._looking.open(handle)
        form, tool = _text(given, "format"), opened.held.meta.tool
        if form == "original":
            suffix, kind = ("json", FORMATS["json"]) if opened.held.meta.kind == "json" else ("txt", "text/plain")
            return Download(name=file_name(tool, "", suffix), kind=kind, pieces=lambda: _original(opened))
        if form not in FORMATS:
            raise CallerError(f"there is no format {form[:40]!r}", do=f"use one of original, {', '.join(FORMATS)}")
        if given.get("sql"):
            from penstock.query.sql.query import run_sql  # noqa: PLC0415

            found = run_sql(_text(given, "sql"), {"held": opened.source}, self._looking.workers())
            windows: Sequence[RowWindow] = [RowWindow.of(found, found.sent)]
            name = file_name(tool, "query", form)
            return Download(name=name, kind=FORMATS[form], pieces=lambda: written_rows(windows, form))  # type: ignore[arg-type]
        table = str(given.get("table") or "")
        order = (
            RowOrder(column=str(given["sort"]), descending=bool(given.get("descending"))) if given.get("sort") else None
        )
        self._rows.window(opened, table, 0, 1, order)  # what is wrong is said now, not inside of the file
        return Download(
            name=file_name(tool, table, form),
            kind=FORMATS[form],
            pieces=lambda: written_rows(self._rows.all_rows(opened, table, order), form),  # type: ignore[arg-type]
        )

    def _removed(self, told: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            self._listed = None
        return {"removed": told["items"]}


def _has(one: HeldSummary, words: Sequence[str]) -> bool:
    """Tell whether all words stand in what the table shows of a result."""
    text = "\n".join((one.tool, one.arguments, one.form, one.words, one.server, one.owner, one.handle)).lower()
    return all(word in text for word in words)


def _shown_rows(window: RowWindow) -> dict[str, Any]:
    return {
        "columns": [clean(one) for one in window.columns],
        "numbers": window.numbers,
        "rows": [[shown_cell(cell) for cell in row] for row in window.rows],
        "total": window.total,
    }


def _shown_answer(answer: bytes) -> dict[str, Any] | None:
    """Return an MCP result as a page shows it: its texts as they are, other blocks by their type and size."""
    if not answer:
        return None
    told = whole.decode(answer)
    blocks = []
    for block in told.get("content", []):
        if isinstance(block, dict) and block.get("type") == "text":
            blocks.append({"type": "text", "text": clean(str(block.get("text", "")))})
        elif isinstance(block, dict):
            size = len(written(block))
            blocks.append({"type": str(block.get("type")), "mime": str(block.get("mimeType", "")), "bytes": size})
    return {
        "blocks": blocks,
        "is_error": told.get("isError") is True,
        "bytes": len(answer),
        "tokens": count(answer).tokens,
    }


def _order(request: PageRequest) -> RowOrder | None:
    column = request.query.get("sort", "")
    return RowOrder(column=column, descending=request.truth("descending")) if column else None


def _original(opened: HeldReader) -> Iterator[bytes]:
    for at in range(0, opened.held.size("raw"), PIECE):
        yield opened.held.read(at, at + PIECE)


def _decoded(body: bytes) -> dict[str, Any]:
    try:
        given = msgspec.json.decode(body or b"{}")
    except msgspec.DecodeError:
        given = None
    if not isinstance(given, dict):
        raise CallerError("the body is no JSON object", do='send one, like {"sql": "SELECT ..."}')
    return given


def _text(given: dict[str, Any], name: str) -> str:
    value = given.get(name)
    if not isinstance(value, str) or not value.strip():
        raise CallerError(f"{name} is missing", do=f"give {name}: text")
    return value


def _page(given: dict[str, Any]) -> int:
    value = given.get("page", 1)
    return value if isinstance(value, int) and 0 < value < FAR else 1
