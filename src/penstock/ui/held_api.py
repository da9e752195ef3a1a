"""The paths below ``/api/results/HANDLE``: one held result, its parts, and queries on it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.errors import CallerError
from penstock.gate.looking.cells import clean, written
from penstock.gate.looking.coverage import coverage_of
from penstock.gate.looking.downloads import FORMATS, written_rows
from penstock.gate.looking.matches import matched_places
from penstock.gate.looking.profiles import profile_of
from penstock.gate.looking.queries import LONG, ask_jq, ask_sql
from penstock.gate.looking.text import TextLines
from penstock.gate.looking.tree import branch_at
from penstock.gate.looking.windows import RowOrder, RowWindow, RowWindows
from penstock.query.search.search import SearchQuery
from penstock.query.sql.query import run_sql
from penstock.ui.display import display_answer, display_rows
from penstock.ui.downloads import PIECE, Download, Tickets, file_name
from penstock.ui.request import FAR
from penstock.web.asgi import RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.gate.held import HeldReader
    from penstock.gate.looking import HeldSummary, Looking
    from penstock.ui.request import PageRequest

KEPT: Final = 16  # profiles that are kept: each is learned from the whole document
WHOLE_ROW: Final = 262_144  # characters of one row that is shown whole


class HeldApi:
    """Answer for one held result at a time. Threads share it."""

    def __init__(self, looking: Looking, tickets: Tickets) -> None:
        self._looking = looking
        self._lock = threading.Lock()
        self._profiles: OrderedDict[str, list[dict[str, Any]]] = OrderedDict()
        self._rows = RowWindows(looking.workers)
        self._lines = TextLines()
        self.tickets = tickets
        self._parts: dict[str, Callable[[PageRequest, HeldReader], Any]] = {
            "profile": lambda _, opened: {"tables": self._profile(opened)},
            "coverage": lambda _, opened: coverage_of(opened),
            "rows": self._window,
            "lines": self._line_window,
            "tree": self._branch,
            "search": self._search,
        }
        self._queries: dict[str, Callable[[str, dict[str, Any]], Any]] = {
            "sql": self._sql,
            "jq": self._jq,
            "answer": lambda handle, arguments: {"answer": display_answer(looking.answer(handle, arguments))},
            "downloads": lambda handle, arguments: {"ticket": self.tickets.add(self._download(handle, arguments))},
        }

    def close(self) -> None:
        """End the workers."""
        self._looking.close()

    def details(self, listed: HeldSummary) -> dict[str, Any]:
        """Return one result: what the list says of it, its tables, and what the model read first."""
        opened = self._looking.open(listed.handle)
        info = opened.info
        tables = self._rows.tables(opened)
        return {
            **msgspec.structs.asdict(listed),
            "now": self._looking.now(),
            "words": info.get("words", ""),
            "form": info.get("form", listed.form),
            "shape": opened.shape,
            "has_tree": opened.index.root is not None and not opened.index.is_text,
            "tables": [{"name": name, "path": path, "rows": rows} for name, path, rows in tables],
            "answer": display_answer(opened.held.answer),
        }

    def part(self, request: PageRequest, handle: str, part: str) -> Any:
        """Return a part of a result: its profile, its rows, its lines, a branch, matches, or what was read of it."""
        if part not in self._parts:
            raise RefusedError(404, f"a result has no {part[:40]!r}", do=f"it has {', '.join(self._parts)}")
        return self._parts[part](request, self._looking.open(handle))

    def query(self, handle: str, part: str, arguments: dict[str, Any]) -> Any:
        """Return the answer to a query."""
        if part not in self._queries:
            raise RefusedError(
                404, f"a result cannot be asked for {part[:40]!r}", do=f"ask for {', '.join(self._queries)}"
            )
        return self._queries[part](handle, arguments)

    def row(self, request: PageRequest, handle: str, number: str) -> dict[str, Any]:
        """Return one row whole."""
        if not (number.isascii() and number.isdigit() and 0 < len(number) < 16):
            raise CallerError(f"there is no row {number[:40]!r}", do="expected a whole number from 1")
        opened = self._looking.open(handle)
        text = written(self._rows.value(opened, request.given.get("table", ""), int(number)))
        return {"number": int(number), "json": clean(text[:WHOLE_ROW]), "length": len(text)}

    def _window(self, request: PageRequest, opened: HeldReader) -> dict[str, Any]:
        column = request.given.get("sort", "")
        order = RowOrder(column=column, descending=request.truth("descending")) if column else None
        start, count = request.window
        return display_rows(self._rows.window(opened, request.given.get("table", ""), start, count, order))

    def _line_window(self, request: PageRequest, opened: HeldReader) -> dict[str, Any]:
        return asdict(self._lines.window(opened, *request.window))

    def _branch(self, request: PageRequest, opened: HeldReader) -> dict[str, Any]:
        return asdict(branch_at(opened, request.given.get("path", "."), *request.window))

    def _search(self, request: PageRequest, opened: HeldReader) -> dict[str, Any]:
        pattern = request.given.get("pattern", "")
        if not pattern:
            raise CallerError("pattern is missing", do="give pattern: text")
        query = SearchQuery(
            pattern=pattern,
            regex=request.truth("regex"),
            ignore_case=request.truth("ignore_case"),
            word=request.truth("word"),
            start=request.number("start", 0, most=FAR),
        )
        return asdict(matched_places(opened, query, self._looking.workers))

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

    def _sql(self, handle: str, arguments: dict[str, Any]) -> dict[str, Any]:
        result = ask_sql(self._looking, handle, _text(arguments, "sql"), _page(arguments))
        rows = None if result.rows is None else display_rows(result.rows)
        return {"answer": display_answer(result.answer), "rows": rows}

    def _jq(self, handle: str, arguments: dict[str, Any]) -> dict[str, Any]:
        result = ask_jq(self._looking, handle, _text(arguments, "program"), _page(arguments))
        value = result.value
        return {
            "answer": display_answer(result.answer),
            "value": None if value is None else value[:LONG].decode("utf-8", "replace"),
            "length": 0 if value is None else len(value),
        }

    def _download(self, handle: str, arguments: dict[str, Any]) -> Download:
        """Return a download: the original, a table, or the rows of a query."""
        opened = self._looking.open(handle)
        form, tool = _text(arguments, "format"), opened.held.meta.tool
        if form == "original":
            suffix, kind = ("json", FORMATS["json"]) if opened.held.meta.kind == "json" else ("txt", "text/plain")
            return Download(name=file_name(tool, "", suffix), kind=kind, pieces=lambda: _original(opened))
        if form not in FORMATS:
            raise CallerError(f"there is no format {form[:40]!r}", do=f"use one of original, {', '.join(FORMATS)}")
        table, sql = str(arguments.get("table") or ""), arguments.get("sql")
        if sql:
            result = run_sql(_text(arguments, "sql"), {"held": opened.source}, self._looking.workers())
            rows = RowWindow.of(result, result.sent)
            return Download(
                name=file_name(tool, "query", form), kind=FORMATS[form], pieces=lambda: written_rows([rows], form)
            )
        order = None
        if arguments.get("sort"):
            order = RowOrder(column=_text(arguments, "sort"), descending=bool(arguments.get("descending")))
        self._rows.window(opened, table, 0, 1, order)  # what is wrong is said now, not inside the file
        return Download(
            name=file_name(tool, table, form),
            kind=FORMATS[form],
            pieces=lambda: written_rows(self._rows.all_rows(opened, table, order), form),
        )


def _original(opened: HeldReader) -> Iterator[bytes]:
    for at in range(0, opened.held.size("raw"), PIECE):
        yield opened.held.read(at, at + PIECE)


def _text(arguments: dict[str, Any], name: str) -> str:
    value = arguments.get(name)
    if not isinstance(value, str) or not value.strip():
        raise CallerError(f"{name} is missing", do=f"give {name}: text")
    return value


def _page(arguments: dict[str, Any]) -> int:
    value = arguments.get("page", 1)
    return value if isinstance(value, int) and 0 < value < FAR else 1
