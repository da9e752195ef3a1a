"""Trees drawn with lines, as ``tree`` draws them (in box characters or ASCII), and others in its way: ``cargo tree``,
``npm ls``, ``eza --tree``.

Table ``items``: ``line``, ``path`` (the names from the root down, with slashes between them), ``name``, ``folder`` (the
path of the entry above), ``extension``, ``depth`` (1 for what lies in the root), ``has_entries`` (something is drawn
below it), and if the text has them ``is_dir`` (names that end with a slash), ``size`` or ``info`` (what stands in
brackets before the names) and ``target`` (of links). An entry is at most one level deeper than the one above it. Names
with slashes in them are those of packages, which have no extension.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import compress, pairwise
from operator import lt, not_, or_
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.api import ParserForm, Words
from penstock.core.forms.line_parser import LineParser, facts
from penstock.core.forms.path_counts import NO_EXTENSION, PathCounts, extension_fact, extensions_of, folder_fact
from penstock.core.forms.text_cells import texts_of
from penstock.core.text import counted, plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.core.forms.api import Batch, Batches, Columns, Options, Sample, Tables

LEAST: Final = 4  # entries; fewer may be a drawing in any text
SPARE: Final = 2  # lines that any tree may have beside entries,
UNFIT: Final = 50  # and one in so many: what could not be opened
ROOTS: Final = 2  # entries for one root at least, on average
MOST_SUMMARIES: Final = 2
LEVELS: Final = 12  # levels that are told with their number of entries
MOST_DIGITS: Final = 19  # of a size, from which on it is a text
LONGEST_SUMMARY: Final = 120  # characters

# By the width of a level: lines from above and the branch, then the name.
_BRANCHES: Final = {
    4: r"((?:[│|][ \xa0]{3}|[ \xa0]{4})*+)(?:[├└]──|[|`]--) ",
    2: r"((?:[│|] |  )*+)(?:[├└]─[─┬]|[+`]--) ",
}
_BRANCHING: Final = "├└|`+"  # at the beginning of the first level's lines
_LINE: Final = {width: re.compile(rf"{branch}\S") for width, branch in _BRANCHES.items()}
_LINES: Final = {width: re.compile(rf"(?:{branch}([^\n]+)|([^\n]*))\n") for width, branch in _BRANCHES.items()}
_INFO = re.compile(r"\[ *+([^\]\n]*+)\] {1,2}(?=\S)")
_SUMMARY = re.compile(r"[0-9,]+ director(?:y|ies)(?:, [0-9,]+ files?)?")


def recognise(sample: Sample) -> Options | None:
    """Return the width of a level at which nearly all lines are entries."""
    if sample.starts.isdisjoint(_BRANCHING):
        return None
    lines = sample.short
    for width, pattern in _LINE.items():
        matches = [match for match in map(pattern.match, lines) if match]
        if len(matches) < LEAST or len(matches) < (len(lines) - len(matches) - SPARE) * ROOTS:
            continue
        names = [match.string[match.end() - 1 :] for match in matches]
        info = [match[1] for match in map(_INFO.match, names) if match]
        marked = any(name.endswith("/") for name in names)
        kind = "" if len(info) < len(matches) else "size" if all(one.strip().isdecimal() for one in info) else "info"
        files = not any("/" in name.rstrip("/") for name in names)
        return {"width": width, "marked": marked, "info": kind, "files": files, "text": []}
    return None


@dataclass(slots=True, kw_only=True)
class FileTreeParser(LineParser):
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "entries"})
    roots: int = 0
    above: list[str] = field(default_factory=lambda: [""])  # the entry above and all that it lies in, with slashes
    held: Columns = field(default_factory=dict)  # the last entry: what comes next tells whether something lies in it
    depths: Counter[int] = field(default_factory=Counter)
    holding: int = 0
    folders: PathCounts = field(default_factory=PathCounts)
    extensions: PathCounts = field(default_factory=PathCounts)
    summaries: list[str] = field(default_factory=list)

    def read(self, lines: list[str]) -> Batch:
        rows = self._rows(lines)
        if not rows["line"]:
            return {}
        rows = {name: [*self.held.get(name, ()), *cells] for name, cells in rows.items()}
        self.held = {name: [cells.pop()] for name, cells in rows.items()}
        return {"items": self._columns(rows, self.held["depth"][0])} if rows["line"] else {}

    def rest(self) -> Batches:
        if self.held:
            yield {"items": self._columns(self.held, 0)}

    def holds(self) -> bool:
        is_tree = self.count >= LEAST and self.roots * ROOTS <= self.count
        return is_tree and not self.exceeds(SPARE, UNFIT, self.count)

    def _rows(self, lines: list[str]) -> Columns:
        """Return the entries among some lines, with what the lines above tell of each."""
        matches = _LINES[self.options["width"]].findall("\n".join([*lines, ""]))
        rows: Columns = {name: [] for name in ("line", "path", "name", "above", "depth", "info", "is_dir", "target")}
        others = [at for at, (_, text, _) in enumerate(matches) if not text]
        for start, end in pairwise([-1, *others, len(matches)]):
            if end > start + 1:
                self._run(matches[start + 1 : end], self.seen + 2 + start, rows)
            if end < len(matches) and not matches[end][2].isspace() and matches[end][2]:
                self._note_other(matches[end][2])
        return rows

    def _run(self, lines: list[tuple[str, str, str]], number: int, rows: Columns) -> None:
        """Add entries that stand on lines one after the other, from this number on."""
        names = [text for _, text, _ in lines]
        joined = "\n".join(names)
        targets = infos = [""] * len(lines)
        if " -> " in joined:
            names, _, targets = map(list, zip(*[name.partition(" -> ") for name in names], strict=True))
        if self.options["info"]:
            matches = list(map(_INFO.match, names))
            infos = [match[1] if match else "" for match in matches]
            names = [name[match.end() :] if match else name for name, match in zip(names, matches, strict=True)]
        dirs = [self.options["marked"] and name.endswith("/") for name in names]
        if any(dirs):
            names = [name[:-1] if is_dir else name for name, is_dir in zip(names, dirs, strict=True)]
        depths = [len(before) // self.options["width"] + 1 for before, _, _ in lines]
        above, fits, prefixes, paths = self.above, [], [], []
        for depth, name in zip(depths, names, strict=True):
            fits.append(depth <= len(above))
            del above[depth:]
            prefixes.append(above[-1])
            path = above[-1] + name
            paths.append(path)
            if depth == len(above):
                above.append(path + "/")
        self.unfit += fits.count(False)
        numbers = range(number, number + len(lines))
        columns: tuple[Iterable[Any], ...] = (numbers, paths, names, prefixes, depths, infos, dirs, targets)
        for cells, column in zip(rows.values(), columns, strict=True):
            cells.extend(compress(column, fits))

    def _note_other(self, line: str) -> None:
        """Keep a summary; another line is the root of what follows."""
        if _SUMMARY.fullmatch(line):
            self.summaries += [line] if len(self.summaries) < MOST_SUMMARIES else []
        else:
            self.roots += 1
            self.above[:] = [line.rstrip("/") + "/"]

    def _columns(self, rows: Columns, following: int) -> Columns:
        names, depths, infos, dirs = rows["name"], rows["depth"], rows["info"], rows["is_dir"]
        folders = [prefix[:-1] or prefix for prefix in rows["above"]]
        has_entries = list(map(lt, depths, [*depths[1:], following]))
        leaves = list(map(not_, map(or_, has_entries, dirs)))
        endings = extensions_of(names) if self.options.get("files", True) else [""] * len(names)
        extensions = [one if leaf and one else None for one, leaf in zip(endings, leaves, strict=True)]
        self.count += len(names)
        self.holding += sum(has_entries)
        self.depths.update(depths)
        self.folders.add(folders)
        self.extensions.add(extension or NO_EXTENSION for extension in compress(extensions, leaves))
        columns: Columns = {"line": rows["line"], "path": rows["path"], "name": names, "folder": folders}
        columns |= {"extension": extensions} if any(extensions) else {}
        columns |= {"depth": depths, "has_entries": has_entries}
        columns |= {"is_dir": dirs} if self.options["marked"] else {}
        if self.options["info"] == "size" and "size" not in self.options["text"]:
            columns["size"] = [
                int(info) if info.isdecimal() and len(info) < MOST_DIGITS else info or None for info in infos
            ]
        elif self.options["info"]:
            columns[self.options["info"]] = texts_of(infos)
        columns |= {"target": texts_of(rows["target"])} if any(rows["target"]) else {}
        return columns

    def words(self, tables: Tables) -> Words:
        del tables
        deepest = max(self.depths)
        what = f"a tree of {counted(self.count, 'entry', 'entries')}, {counted(deepest, 'level')} deep"
        lines = [f"its own summary: {plain(line, LONGEST_SUMMARY)}" for line in self.summaries]
        lines.append(f"{self.holding:,} with entries below them, {self.count - self.holding:,} without")
        levels = [f"{depth} ×{self.depths[depth]:,}" for depth in sorted(self.depths)]
        left = f" · {len(levels) - LEVELS} more" if len(levels) > LEVELS else ""
        lines.append(f"by depth: {' · '.join(levels[:LEVELS])}{left}")
        if self.options.get("files", True):
            lines += [*folder_fact(self.folders.counts), *extension_fact(self.extensions.counts)]
        unfit = f"deeper than what is above them, and in no table: {counted(self.unfit, 'line')}"
        return Words(what=what, facts=(*lines, *facts((self.unfit, unfit))))


FORM: Final = ParserForm(name="file_tree", title="a tree", looks_like=recognise, make=FileTreeParser)
