"""Searches for the references of a name. They may take minutes in a large project, so a caller gets what is known after
some seconds, and the search goes on: the same call gets the rest, and does not start it again."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from code_server import shapes
from code_server.language import USES_SECONDS, SlowError, Uses
from code_server.places import definitions, occurrences, rows_of
from code_server.search import shortened
from penstock import CallerError
from server_parts.answers import as_json

if TYPE_CHECKING:
    from code_server.folder import Folder
    from code_server.language import Language

SOON: Final = 8.0  # seconds until a caller gets what is known
KEPT: Final = 8  # searches; a model asks for the same name again, not for the one before last
MOST_PLACES: Final = 100  # at which a language server is asked for the references of one name
MOST_LINES: Final = 50  # found as text, where no reference is known yet; search_text has the others
EACH_LINES: Final = 3  # of them in one file, so that many files are named


@dataclass(slots=True, kw_only=True)
class Search:
    """One search: its task, what it has found so far, and the files as they were when it began."""

    task: asyncio.Task[dict[str, Any]]
    uses: Uses
    stamps: dict[str, tuple[int, int]]
    began: float


class References:
    """The searches of a folder."""

    def __init__(self, folder: Folder, soon: float = SOON) -> None:
        self._folder, self._soon = folder, soon
        self._kept: dict[tuple[str, str, int | None], Search] = {}

    async def of(self, language: Language, name: str, symbol: str, line: int | None) -> dict[str, Any]:
        """Return the references, or what is known of them by now. A search that is over is good until a file of the
        language has changed."""
        occurrences(self._folder.text(name) or "", symbol, line)  # which says what is wrong with a symbol at once
        key = (name, symbol, line)
        await language.ready()
        stamps = await asyncio.to_thread(self._folder.stamps, language.server.suffixes)
        search = self._kept.pop(key, None)
        if search is None or (search.task.done() and search.stamps != stamps):
            uses = Uses(symbol=symbol)
            task = asyncio.create_task(_references(self._folder, language, name, line, uses))
            search = Search(task=task, uses=uses, stamps=stamps, began=time.monotonic())
        self._kept[key] = search
        while len(self._kept) > KEPT:
            self._kept.pop(next(iter(self._kept))).task.cancel()
        await asyncio.wait({search.task}, timeout=min(self._soon, language.patience))
        if not search.task.done():
            return await asyncio.to_thread(self._so_far, name, search)
        try:
            return search.task.result()
        except SlowError as error:
            del self._kept[key]
            return await asyncio.to_thread(self._as_text, name, search.uses, f"{error.what}; {error.do}")
        except BaseException:
            del self._kept[key]
            raise

    def uses_known(self, name: str, symbol: str, line: int | None) -> int:
        """Count the uses that a search knows by now."""
        search = self._kept.get((name, symbol, line))
        return 0 if search is None else len(search.uses.locations)

    async def close(self) -> None:
        """End all searches."""
        tasks = [search.task for search in self._kept.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _so_far(self, name: str, search: Search) -> dict[str, Any]:
        uses, seconds = search.uses, time.monotonic() - search.began
        again = "Repeat the call for the rest: it goes on, and does not start again"
        why = f"the language server has been at work for {seconds:.0f} seconds. {again}"
        known = list(uses.locations)
        if not known:
            return self._as_text(name, uses, why)
        references = shapes.references(known, self._folder)
        return {"symbol": uses.symbol, **shapes.figures(references), "incomplete": why, "references": references}

    def _as_text(self, name: str, uses: Uses, why: str) -> dict[str, Any]:
        """Return the lines that have the name as a word, those of its own file first, and why there are no
        references."""
        lines: list[dict[str, Any]] = []
        total = files = 0
        for file in sorted({name, *uses.files}, key=lambda one: (one != name, one)):
            text = self._folder.text(file) or ""
            rows = list(rows_of(text, uses.symbol))
            total, files = total + len(rows), files + bool(rows)
            code = text.split("\n")
            some = rows[: min(EACH_LINES, MOST_LINES - len(lines))]
            lines += [{"file": file, "line": row + 1, "text": shortened(code[row], at).strip()} for row, at in some]
        more = f"; search_text {as_json({'query': uses.symbol})} has them all" if len(lines) < total else ""
        return {
            "symbol": uses.symbol,
            **shapes.figures([]),
            "incomplete": f"no reference is known yet: {why}",
            "references": [],
            "note": f"textLines are lines with the name as a word, {len(lines):,} of {total:,} in {files:,} files"
            f"{more}. They were found as text: comments, and other symbols of that name, may be among them",
            "textLines": lines,
        }


async def _references(folder: Folder, language: Language, name: str, line: int | None, uses: Uses) -> dict[str, Any]:
    """Ask where the file defines the name; where it does not, at each of its places until one is known."""
    symbol, text = uses.symbol, folder.text(name) or ""
    places = occurrences(text, symbol, line)
    uses.files = await asyncio.to_thread(_files_with, folder, symbol, language.server.suffixes)
    defined = [] if line is not None else definitions(await language.symbols(name, USES_SECONDS), symbol, text)
    if defined:
        await language.references(name, list(dict.fromkeys(one.place for one in defined)), uses, first=False)
    if not uses.locations:
        defined = []
        await language.references(name, places[:MOST_PLACES], uses, first=True)
    if not uses.locations:
        lines = ", ".join(str(row) for row in dict.fromkeys(row + 1 for row, _ in places[:MOST_PLACES]))
        raise CallerError(
            f"symbol: {symbol} stands on line {lines} of {name}, and the language server knows no symbol at any of "
            "these places: they may be comments or texts",
            do=f"name a line where it is code, or find it as text: search_text {as_json({'query': symbol})}",
        )
    references = await asyncio.to_thread(shapes.references, uses.locations, folder)
    answer: dict[str, Any] = {"symbol": symbol, **shapes.figures(references)}
    if uses.reason:
        answer["incomplete"] = (
            f"{uses.reason}; these are the uses it had told until then. The name stands in {len(uses.files):,} files: "
            f"search_text {as_json({'query': symbol})} finds it in all"
        )
    if defined:
        answer["definitions"] = [one.as_json() for one in defined]
    if len(defined) > 1:
        answer["note"] = (
            f"{len(defined)} symbols of the file have this name, and these are the uses of all; line asks for one"
        )
    return {**answer, "references": references}


def _files_with(folder: Folder, symbol: str, suffixes: tuple[str, ...]) -> list[str]:
    """Return the files that have a name in their text, the newest first."""
    names = [one for one in folder.files() if one.endswith(suffixes) and symbol in (folder.text(one) or "")]
    written = folder.stamps(suffixes)
    return sorted(names, key=lambda one: written.get(one, (0, 0)), reverse=True)
