"""Trees drawn with lines, in box characters or ASCII.

Servers that return it: the MCP server of JetBrains (``list_directory_tree``), packers of repositories (Repomix,
gitingest), and shell servers (``tree``, ``npm ls``, ``cargo tree``).

Table ``items``: ``line``, ``path`` (the names from the root down, with slashes between them), ``name``, ``folder`` (the
path of the entry above), ``depth`` (1 for what is in the root), and if the text has them ``target`` (of links) and
``info`` (in brackets before the names).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from penstock.core.forms.api import DoesNotHoldError
from penstock.core.forms.engine import Style, StyleParser, line_form

if TYPE_CHECKING:
    from penstock.core.forms.api import Batch, Columns
    from penstock.core.forms.engine import Numbered, Rows

MIN_ENTRIES: Final = 4  # Fewer lines may be a drawing in any text.
MAX_LINES_EACH: Final = 2  # There are at most 2 lines for each entry. Lines without a branch are roots.

_WIDTHS: Final = {"wide": 4, "narrow": 2}  # characters of a level
_NAME: Final = r" (?:\[ *+(?P<info>[^\]\n]*+)\] {1,2}(?=\S))?+(?P<name>[^\n]+?)(?: -> (?P<target>[^\n]++))?(?=\n)"
_WIDE: Final = r"(?P<branch>(?:[│|][ \xa0]{3}|[ \xa0]{4})*+)(?:[├└]──|[|`]--)"
_NARROW: Final = r"(?P<branch>(?:[│|] |  )*+)(?:[├└]─[─┬]|[+`]--)"


@dataclass(slots=True, kw_only=True)
class TreeParser(StyleParser):
    """Reads the entries of a tree. A line without a branch is the root of the entries below it."""

    roots: list[tuple[int, str]] = field(default_factory=list)
    open: list[str] = field(default_factory=lambda: [""])  # the root and the entries above, as beginnings of paths

    def part(self, lines: list[str], numbers: list[int], rows: Rows, others: Numbered) -> tuple[list[int], Rows, Batch]:
        roots = [(number, line) for number, line in others if not self.belongs(self.style, line)]
        self.roots += roots
        self.beside += len(roots)
        kept = {number for number, _ in roots}
        return StyleParser.part(self, lines, numbers, rows, [one for one in others if one[0] not in kept])

    def read(self, lines: list[str]) -> Batch:
        batch = StyleParser.read(self, lines)
        return {"items": self._entries(batch["items"])} if batch.get("items") else {}

    def _entries(self, columns: Columns) -> Columns:
        width, above = _WIDTHS[self.style.name], self.open
        branches = columns.get("branch", [""] * len(columns["line"]))
        depths = [len(branch or "") // width + 1 for branch in branches]
        folders, paths = [], []
        roots = iter([*self.roots, (columns["line"][-1] + 1, "")])
        at, root = next(roots)
        for number, depth, name in zip(columns["line"], depths, columns["name"], strict=True):
            while at < number:
                above[:] = [root.rstrip("/") + "/"]
                at, root = next(roots)
            if depth > len(above):
                raise DoesNotHoldError("an entry below nothing")
            del above[depth:]
            folders.append(above[-1][:-1] or above[-1])
            paths.append(above[-1] + name.rstrip("/"))
            above.append(paths[-1] + "/")
        self.roots = [one for one in self.roots if one[0] > columns["line"][-1]]
        entries = {"line": columns["line"], "path": paths, "name": columns["name"], "folder": folders, "depth": depths}
        return entries | {name: columns[name] for name in ("info", "target") if any(columns.get(name, ()))}


_SUMMARY: Final = r"[0-9,]+ director(?:y|ies)(?:, [0-9,]+ files?)?$"
FORM: Final = line_form(
    "file_tree",
    "a tree",
    *(
        Style(
            name=name,
            pattern=branch + _NAME,
            noun="entries",
            least=MIN_ENTRIES,
            spread=MAX_LINES_EACH,
            unfit=0,
            has=("├─", "└─", "|--", "`--", "+--"),
            summary=_SUMMARY,
            what="a tree of {rows}",
        )
        for name, branch in (("wide", _WIDE), ("narrow", _NARROW))
    ),
    parser=TreeParser,
)
