"""Output of ``du`` (also ``-a``, ``-h``, ``-b``): a size, a tab and a path on each line, folders after what is in them.

Table ``items``: ``line``, ``path``, ``name``, ``folder``, ``usage``: a number as du wrote it (blocks of 1,024 bytes,
unless it was told otherwise; the text does not say), a text where it is rounded (``4.0K``). A folder has what lies
in it included, so usages do not add up. A text is taken for du's only if every folder comes after what lies in it and
is at least as large; other tables of numbers and paths have no such order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.text_form import LONGEST_LINE, DoesNotHoldError, LineParser, TextForm, Words, matched
from penstock.core.text import counted, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from penstock.core.forms.text_form import Batch, Columns, Options, Sample, Tables

LEAST: Final = 4  # paths; fewer may be anything
MOST_OPEN: Final = 200  # folders that are still to come: as many as one path is deep
MOST_ROOTS: Final = 20  # paths that du was called with
OPENED_ROOTS: Final = 2  # of them whose largest entries are listed,
MOST_ENTRIES: Final = 8  # so many entries of each
MOST_INSIDE: Final = 64  # entries of a folder that are kept until it comes
LONGEST_PATH: Final = 160  # characters of a path in a fact

_UNITS: Final = {"": 1, "B": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40, "P": 2**50, "E": 2**60}
_DIGITS: Final = frozenset("0123456789")
_LINE: Final = r"([0-9]{1,18}|[0-9]{1,4}(?:[.,][0-9])?)([BKMGTPE]?)\t([^\t\n]+)"
_WHOLE_LINE = re.compile(_LINE)
_LINES = re.compile(rf"(?:{_LINE}|[^\n]*)\n")

Usages = tuple[tuple[str, str], ...]  # paths with their usages, the largest first
Entry = tuple[float, str, str, Usages]  # size, path, usage, and the largest in it


def recognise(sample: Sample) -> Options | None:
    """Tell whether all lines are a size and a path."""
    if not sample.starts <= _DIGITS:
        return None
    are_entries = all(len(line) <= LONGEST_LINE and _WHOLE_LINE.fullmatch(line) for line in sample.lines)
    return {"text": []} if are_entries and len(sample.lines) >= LEAST else None


@dataclass(slots=True, kw_only=True)
class DiskUsageParser(LineParser):
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "paths"})
    open: dict[str, list[Entry]] = field(default_factory=dict)  # folders that are still to come, and what lies in them
    folders: int = 0  # that came after what lies in them

    def read(self, lines: list[str]) -> Batch:
        numbers, matches, others = matched(_LINES, lines, self.seen + 1)
        if others:
            raise DoesNotHoldError("a line without a size")
        self.count += len(matches)
        return {"items": self._columns(numbers, matches)} if matches else {}

    def holds(self) -> bool:
        return self.count >= LEAST and self.folders > 0 and len(self._roots()) <= MOST_ROOTS

    def _columns(self, numbers: list[int], matches: list[tuple[str, ...]]) -> Columns:
        amounts, units, paths = zip(*matches, strict=True)
        parts = [path.rpartition("/") for path in paths]
        folders = [head or mark for head, mark, _ in parts]
        usages: Sequence[str] = amounts
        if any(units) or not all(map(str.isdecimal, amounts)):
            usages = [amount + unit for amount, unit, _ in matches]
            sizes: list[Any] = [float(amount.replace(",", ".")) * _UNITS[unit] for amount, unit, _ in matches]
            exact = False
        else:
            sizes, exact = list(map(int, amounts)), "usage" not in self.options["text"]
        self._note(sizes, paths, usages, folders)
        return {
            "line": numbers,
            "path": list(paths),
            "name": [name for _, _, name in parts],
            "folder": folders,
            "usage": list(sizes if exact else usages),
        }

    def _note(self, sizes: Sequence[float], paths: Sequence[str], usages: Sequence[str], folders: list[str]) -> None:
        """Keep the folders that are still to come open, with what lies in them."""
        waiting = self.open
        for size, path, usage, folder in zip(sizes, paths, usages, folders, strict=True):
            largest: Usages = ()
            if path in waiting:
                self.folders += 1
                inside = sorted(waiting.pop(path), reverse=True)[:MOST_ENTRIES]
                if size < inside[0][0]:
                    raise DoesNotHoldError("a folder smaller than what lies in it")
                largest = tuple((inner, inner_usage) for _, inner, inner_usage, _ in inside)
            if folder not in waiting:
                waiting[folder] = []
                if len(waiting) > MOST_OPEN:
                    raise DoesNotHoldError("folders without an end")
            beside = waiting[folder]
            beside.append((size, path, usage, largest))
            if len(beside) > MOST_INSIDE:
                waiting[folder] = sorted(beside, reverse=True)[: MOST_ROOTS + 1]

    def _roots(self) -> list[Entry]:
        """Return what lies in no folder of the text, the largest first."""
        return sorted((entry for inside in self.open.values() for entry in inside), reverse=True)

    def words(self, tables: Tables) -> Words:
        del tables
        roots = self._roots()
        what = f"disk usage (du) of {counted(self.count, 'path')}, {self.folders:,} of them folders that hold others"
        facts = [
            f"in all: {_written([(path, usage) for _, path, usage, _ in roots])}",
            "the usage of a folder includes what lies in it: usages do not add up",
        ]
        facts += [
            f"largest in {plain(path, LONGEST_PATH)}: {_written(largest)}"
            for _, path, _, largest in roots[:OPENED_ROOTS]
            if largest
        ]
        return Words(what=what, facts=tuple(facts))


def _written(entries: Iterable[tuple[str, str]]) -> str:
    grouped = ((path, f"{int(usage):,}" if usage.isdecimal() else usage) for path, usage in entries)
    return " · ".join(f"{plain(path, LONGEST_PATH)} {usage}" for path, usage in grouped)


FORM: Final = TextForm(
    name="disk_usage", title="disk usage", recognise=recognise, make=DiskUsageParser, inclusive=("usage",)
)
