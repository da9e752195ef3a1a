"""``search_text``: the lines that have a text in them, with the lines around each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from code_server.folder import Folder

AROUND: Final = 4  # lines shown before and after a match: mostly the whole function or element that it is in
LONGEST_LINE: Final = 300  # characters of a line that are shown; longer ones are generated


def search(
    folder: Folder, query: str, includes: Sequence[str] = (), excludes: Sequence[str] = (), limit: int = 1
) -> dict[str, Any]:
    """The first matches, and how many there are in how many files."""
    matches: list[dict[str, Any]] = []
    total = files = skipped = 0
    for name in folder.files(includes, excludes):
        text = folder.text(name)
        if text is None:
            skipped += 1
            continue
        if query not in text:
            continue
        lines = text.split("\n")
        found = [number for number, line in enumerate(lines) if query in line]
        total += len(found)
        files += bool(found)
        matches += (_match(name, lines, number, query) for number in found[: limit - len(matches)])
    told: dict[str, Any] = {"query": query, "totalMatches": total, "fileCount": files, "matches": matches}
    if len(matches) < total:
        told["shownMatches"] = len(matches)
    if skipped:
        told["skippedFiles"] = skipped
    return told


def shortened(line: str, around: int = 0) -> str:
    """A line as it is shown; of a long one the part around a place."""
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
