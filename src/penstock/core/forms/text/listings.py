"""Listings of files with what is known of each: the marks ``[FILE]`` and ``[DIR]``, and ``ls -l``.

Servers that return it: the reference filesystem server (``list_directory``, ``list_directory_with_sizes``), Desktop
Commander and other shell servers (``ls -l``, ``ls -laR``).

Below the heading of a folder the path is that folder with the name; ``.`` and ``..`` are no rows. ``size`` is a number
if it is exact and a text if it is rounded (``4.0K``); ``modified`` is as the text has it.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from penstock.core.forms.engine import Style, StyleParser, line_form
from penstock.core.forms.file_names import path_columns
from penstock.core.forms.text_cells import texts_of, typed

if TYPE_CHECKING:
    from penstock.core.forms.api import Batch, Columns
    from penstock.core.forms.engine import Numbered, Rows, Texts

_SIZE: Final = r"(?P<size>[0-9]{1,18}|[0-9]+[.,][0-9]+[BKMGTPE]?|[0-9]+[BKMGTPE]i?)"
_DEVICE: Final = r"[0-9]+, *[0-9]+"  # two numbers where files have a size
_TIME: Final = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?(?: [+-][0-9]{4})?)?"
_MODIFIED: Final = (
    rf"(?P<modified>[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}} {_TIME}|[0-9]{{2}}-[0-9]{{2}} +{_TIME}"
    r"|(?:[A-Z][a-z]{2} +[0-9]{1,2}|[0-9]{1,2} [A-Z][a-z]{2}) +(?:[0-9]{1,2}:[0-9]{2}|[0-9]{4}))"
)
_MODE: Final = r"[-dlbcpsDhCMnP?][-rwxsStTlL?]{9}[.+@]?"
_MARK: Final = r"\[(?P<mark>DIR|FILE)\] "
_FILE_SIZE: Final = r"[0-9][0-9.]* [KMGT]?B"
_LS: Final = (
    rf"(?P<mode>{_MODE}) +[0-9]++ (?P<owner>\S++) +(?P<group_name>\S++) +(?:{_SIZE}|{_DEVICE}) {_MODIFIED} "
    r"(?P<path>(?!\.\.?\n)[^\n]++)"
)


@dataclass(slots=True, kw_only=True)
class ListingParser(StyleParser):
    """Reads entries, and the headings of ``ls -R`` above them."""

    folders: list[tuple[int, str]] = field(default_factory=lambda: [(0, "")])  # headings, each with its line

    def part(self, lines: list[str], numbers: list[int], rows: Rows, others: Numbered) -> tuple[list[int], Rows, Batch]:
        headings = [(number, line[:-1]) for number, line in others if line.endswith(":") and self.style.name == "ls"]
        self.folders = [(0, self.folders[-1][1]), *headings]
        return StyleParser.part(self, lines, numbers, rows, others)

    def read(self, lines: list[str]) -> Batch:
        batch = StyleParser.read(self, lines)
        return {"items": self._entries(batch["items"])} if batch.get("items") else {}

    def _entries(self, columns: Columns) -> Columns:
        line, paths = columns.pop("line"), columns.pop("path")
        kinds = [mode[0] for mode in columns.get("mode") or columns.pop("mark")]
        targets: list[str | None] = [None] * len(paths)
        for at, kind in enumerate(kinds):
            if kind == "l" and " -> " in paths[at]:
                paths[at], _, targets[at] = paths[at].partition(" -> ")
        if len(self.folders) > 1 or self.folders[0][1]:
            starts = [number for number, _ in self.folders]
            folders = [self.folders[bisect_right(starts, number) - 1][1] for number in line]
            pairs = zip(folders, paths, strict=True)
            paths = [f"{folder.rstrip('/')}/{path}" if folder else path for folder, path in pairs]
        if "size" in columns:
            sizes = [size or "" for size in columns["size"]]
            columns["size"] = texts_of(sizes) if "size" in self.options.get("text", ()) else typed(sizes)
        is_dir = [kind in "dD" for kind in kinds]
        entries = {"line": line, **path_columns(paths), **columns, "is_dir": is_dir}
        ends = zip(entries.pop("extension", [None] * len(paths)), is_dir, strict=True)
        extensions = [None if is_folder else extension for extension, is_folder in ends]
        entries |= {"extension": extensions} if any(extensions) else {}
        return {**entries, "target": targets} if any(targets) else entries

    def outside(self) -> int:
        return self.unfit


def _are_sized(columns: Texts) -> bool:
    return any(columns["size"])


_WHAT: Final = "a listing of {rows}"
_TOTALS: Final = r"(?:Total|Combined size): "
FORM: Final = line_form(
    "listing",
    "a listing",
    Style(
        name="ls",
        pattern=_LS,
        noun="entries",
        least=4,
        unfit=100,
        between=r"(?:total [0-9.,]+[KMGTPE]?|\S.*:|.* \.\.?)$",
        what=_WHAT,
    ),
    Style(
        name="sized",
        pattern=rf"{_MARK}(?P<path>[^\n]*?\S) *(?: (?P<size>{_FILE_SIZE}))?+ *+(?=\n)",
        noun="entries",
        least=4,
        unfit=100,
        has=("[file] ",),
        fits=_are_sized,
        summary=_TOTALS,
        what=_WHAT,
    ),
    Style(
        name="marked",
        pattern=rf"{_MARK}(?P<path>[^\n]++)",
        noun="entries",
        least=4,
        unfit=100,
        has=("[file] ", "[dir] "),
        summary=_TOTALS,
        what=_WHAT,
    ),
    parser=ListingParser,
    reads_items=True,
)
