"""Find the rows of diffs, commits, matches, findings and results of tests again."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.facts_parts.texts import Text

_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_AUTHOR = re.compile(r"[Aa]uthor:? +(.*?) <(.*)>(?: [0-9]+ [+-][0-9]{4})?")
_COMMIT = re.compile(r"commit ([0-9a-f]{7,40})(?: .*)?")
_STAT = re.compile(r" \d+ files? changed(?:, (\d+) insertions?\(\+\))?(?:, (\d+) deletions?\(-\))?")
_PLACE = re.compile(r"((?:[A-Za-z]:(?=[\\/]))?[^\s:][^:\n]*):(\d+):(?:(\d+):)?(.*)", re.DOTALL)
_FINDING = re.compile(r"([^\s:][^:\n]*):(\d+):(\d+): (?:([A-Z]+\d+) |(error|warning|note): )?(.*)")


def changed_lines(lines: list[str]) -> list[dict[str, Any]]:
    """The files of a diff with their added and removed lines, by the lines that each hunk says it has."""
    files: list[dict[str, Any]] = []
    old = new = 0
    for number, line in enumerate(lines, 1):
        if old > 0 or new > 0:
            if line.startswith("\\"):
                continue
            files[-1]["added"] += line.startswith("+")
            files[-1]["removed"] += line.startswith("-")
            old -= not line.startswith("+")
            new -= not line.startswith("-")
        elif (git := re.fullmatch(r"diff --git a/(.*) b/(.*)", line)) is not None:
            files.append({"line": number, "file": git[2], "added": 0, "removed": 0, "hunks": 0, "git": True})
        elif line.startswith("+++ ") and not (files and files[-1]["git"]):
            name = line[4:].split("\t")[0].removeprefix("b/")
            files.append({"line": number - 1, "file": name, "added": 0, "removed": 0, "hunks": 0, "git": False})
        elif files and (hunk := _HUNK.match(line)) is not None:
            files[-1]["hunks"] += 1
            old, new = (1 if one is None else int(one) for one in hunk.groups())
    return files


def diff(found: Text, text: str, words: str) -> Text:
    """Files with their changed lines."""
    del text, words
    files = changed_lines(found.lines)
    changed: Counter[str] = Counter()
    for one in files:
        changed[one["file"]] += one["added"] + one["removed"]
    found.tallies["changed lines by file"] = +changed
    found.numbers |= {"files": len(files), "+": _sum(files, "added"), "-": _sum(files, "removed")}
    found.tables["hunks"] = _sum(files, "hunks")
    return found.take(
        len(files), {name: [one[name] for one in files] for name in ("line", "file", "added", "removed", "hunks")}
    )


def commits(found: Text, text: str, words: str) -> Text:
    """Commits as git log writes them, with patches or with numbers of lines."""
    del text, words
    starts = [at for at, line in enumerate(found.lines) if _COMMIT.fullmatch(line)]
    columns: dict[str, list[Any]] = {name: [] for name in ("line", "commit", "author", "email", "merge")}
    added = removed = 0
    for at, end in pairwise([*starts, len(found.lines)]):
        block = found.lines[at:end]
        header = block[: block.index("")] if "" in block else block
        author = next((one for line in header if (one := _AUTHOR.fullmatch(line)) is not None), None)
        name = _COMMIT.fullmatch(block[0])
        columns["line"].append(at + 1)
        columns["commit"].append(name[1] if name is not None else None)
        columns["author"].append(author[1] if author is not None else None)
        columns["email"].append(author[2] if author is not None else None)
        parents = sum(line.startswith("parent ") for line in header)
        columns["merge"].append(parents > 1 or any(line.startswith("Merge: ") for line in header))
        files = changed_lines(block)
        stats = [one for line in block if (one := _STAT.fullmatch(line)) is not None]
        added += _sum(files, "added") if files else sum(int(one[1] or 0) for one in stats)
        removed += _sum(files, "removed") if files else sum(int(one[2] or 0) for one in stats)
    found.numbers |= {"commits": len(starts), "+": added, "-": removed, "merges": sum(columns["merge"])}
    found.numbers["authors"] = len(set(columns["author"]))
    found.tallies["commits by author"] = Counter(columns["author"])
    return found.take(len(starts), columns)


def oneline(found: Text, text: str, words: str) -> Text:
    """A commit a line."""
    del text, words
    lines = [re.sub(r"^[*|/\\_ -]+(?=[0-9a-f]{7})", "", line) for line in found.lines]  # without the drawing of a graph
    matches = [one for line in lines if (one := re.fullmatch(r"([0-9a-f]{7,40}) (.*)", line)) is not None]
    found.numbers["commits"] = len(matches)
    found.numbers['subjects that begin with "Merge "'] = sum(one[2].startswith("Merge ") for one in matches)
    columns: dict[str, list[Any]] = {"commit": [one[1] for one in matches]}
    if not any(re.match(r"\((?:HEAD|tag: |origin/)", one[2]) for one in matches):
        columns["subject"] = [one[2] for one in matches]
    return found.take(len(matches), columns)


def grep(found: Text, text: str, words: str) -> Text:
    """Matches: a file, a line, perhaps a column, and the text."""
    del text
    if "context" in words:  # the lines that are told are those beside the matches
        found.numbers.pop("lines")
    if "context" in words or "counts of matches" in words:
        return found
    matches = [one for line in found.lines if (one := _PLACE.fullmatch(line)) is not None]
    found.tallies["by file"] = Counter(one[1] for one in matches)
    found.numbers |= {"matches": len(matches), "files": len(found.tallies["by file"])}
    columns: dict[str, list[Any]] = {"file": [one[1] for one in matches], "file_line": [int(one[2]) for one in matches]}
    if not any(one[3] for one in matches):
        columns["text"] = [one[4] or None for one in matches]
    return found.take(len(matches), columns)


def linter(found: Text, text: str, words: str) -> Text:
    """Findings of the form ``file:line:column: CODE message``; others are left out."""
    del text, words
    matches = [one for line in found.lines if (one := _FINDING.fullmatch(line)) is not None]
    if len(matches) * 10 < len(found.lines) * 9:
        return found
    found.tallies["by file"] = Counter(one[1] for one in matches)
    found.numbers |= {"findings": len(matches), "files": len(found.tallies["by file"])}
    columns: dict[str, list[Any]] = {
        "file": [one[1] for one in matches],
        "file_line": [int(one[2]) for one in matches],
        "col": [int(one[3]) for one in matches],
    }
    if all(one[4] for one in matches):
        columns |= {"code": [one[4] for one in matches], "message": [one[6] for one in matches]}
        found.tallies["by code"] = Counter(columns["code"])
    return found.take(len(matches), columns)


def _sum(files: list[dict[str, Any]], name: str) -> int:
    return sum(one[name] for one in files)


def pytest_run(found: Text, _: str, words: str) -> Text:
    """Results of ``pytest -v``, or what its summary lists."""
    if words.endswith("of pytest's summary"):
        start = next(at for at, line in enumerate(found.lines) if "short test summary info" in line)
        pattern = re.compile(r"([A-Z]+) ([^\s:]+)::(.+?)(?: - (.*))?")
        matches = [one for line in found.lines[start:] if (one := pattern.fullmatch(line)) is not None]
        names = ("verdict", "file", "test", "message")
        return found.take(len(matches), {name: [one[at] for one in matches] for at, name in enumerate(names, 1)})
    if not words.endswith("of pytest"):
        return found
    rows = [
        (head.partition("::"), verdict)
        for line in found.lines
        for head, _, verdict in [re.sub(r"(?<=[A-Z])(?: \(.*\))?(?: +\[ *[0-9]+%\])?$", "", line).rpartition(" ")]
        if "::" in head and verdict.isupper()
    ]
    files, tests = [place[0] for place, _ in rows], [place[2] for place, _ in rows]
    verdicts = [verdict for _, verdict in rows]
    pairs = zip(files, verdicts, strict=True)
    found.tallies["failed by file"] = Counter(file for file, verdict in pairs if verdict in ("FAILED", "ERROR"))
    return found.take(len(rows), {"file": files, "test": tests, "verdict": verdicts})


READERS: Final[dict[str, Callable[[Text, str, str], Text]]] = {
    "diff": diff,
    "commits": commits,
    "oneline": oneline,
    "grep": grep,
    "linter": linter,
    "test_run": pytest_run,
}
