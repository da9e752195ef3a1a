"""``search_text``: the lines that have a text in them, with the lines around each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from code_server.folder import Folder

AROUND: Final = 4  # lines shown before and after a match: mostly the whole function or element that it is in
LONGEST_LINE: Final = 300  # characters of a line that are shown; longer ones are generated


class Search:
    """Looks for a text in one file after the other. All matches are counted; ``limit`` of them are kept, from number
    ``offset`` on."""

    def __init__(self, folder: Folder, query: str, *, limit: int, offset: int = 0) -> None:
        self._folder = folder
        self._query = query
        self._first, self._end = offset, offset + limit
        self._matches: list[dict[str, Any]] = []
        self._total = self._files = self._skipped = 0

    def look(self, names: Iterable[str]) -> None:
        """Search some files."""
        for name in names:
            text = self._folder.text(name)
            if text is None:
                self._skipped += 1
            elif self._query in text:
                self._take(name, text.split("\n"))

    def result(self) -> dict[str, Any]:
        """Return the matches that were kept, and how many there are in how many files."""
        result: dict[str, Any] = {"query": self._query, "totalMatches": self._total, "fileCount": self._files}
        if len(self._matches) < self._total:
            result |= {"offset": self._first, "shownMatches": len(self._matches)}
            if self._end < self._total:
                result["nextOffset"] = self._end
        if self._skipped:
            result["skippedFiles"] = self._skipped
        return {**result, "matches": self._matches}

    def _take(self, name: str, lines: list[str]) -> None:
        numbers = [number for number, line in enumerate(lines) if self._query in line]
        before, self._total = self._total, self._total + len(numbers)
        self._files += bool(numbers)
        kept = numbers[max(0, self._first - before) : max(0, self._end - before)]
        self._matches += (_match(name, lines, number, self._query) for number in kept)


def search(
    folder: Folder, query: str, includes: Sequence[str] = (), excludes: Sequence[str] = (), limit: int = 1
) -> dict[str, Any]:
    """Return the first matches in a folder, and how many there are in how many files."""
    running = Search(folder, query, limit=limit)
    running.look(folder.files(includes, excludes))
    return running.result()


def shortened(line: str, around: int = 0) -> str:
    """Return a line as it is shown; of a long one the part around a place."""
    line = line.rstrip("\r")
    if len(line) <= LONGEST_LINE:
        return line
    start = max(0, min(around - LONGEST_LINE // 3, len(line) - LONGEST_LINE))
    end = start + LONGEST_LINE
    return f"{'…' if start else ''}{line[start:end]}{'…' if end < len(line) else ''}"


def _match(name: str, lines: list[str], number: int, query: str) -> dict[str, Any]:
    column = lines[number].index(query)
    return {
        "file": name,
        "line": number + 1,
        "column": column + 1,
        "text": shortened(lines[number], column),
        "context": {
            "before": [shortened(line) for line in lines[max(0, number - AROUND) : number]],
            "after": [shortened(line) for line in lines[number + 1 : number + 1 + AROUND]],
        },
    }
