"""Listings of files with what is known of each: ``ls -l`` (also ``-a``, ``-R``), ``find -ls``, ``tar -tv``,
``unzip -l``, ``aws s3 ls``, ``dir /s`` of Windows, ``wc``, files of checksums, and the marks ``[FILE]`` and ``[DIR]``
of file servers.

Below the heading of a folder the path is that folder with the name; ``.`` and ``..`` are left out. ``size`` is a number
where it is exact and a text where it is rounded (``4.0K``); ``modified`` is as the text has it; ``count`` is what a
program counted in a file, which one number alone does not tell. See listing_rows for the table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import compress, repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.api import LONGEST_LINE, ParserForm, Words
from penstock.core.forms.line_parser import columns_of, facts
from penstock.core.forms.listing_rows import KINDS, SPARE, UNFIT, EntriesParser
from penstock.core.forms.path_counts import containing, is_file_name
from penstock.core.forms.text_cells import texts_of
from penstock.core.text import counted, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from penstock.core.forms.api import Batch, Columns, Options, Sample, Tables

LEAST: Final = 4  # entries; fewer may stand in any text
FIRST: Final = 12  # Lines on which a style is tried before it is tried on more.
LOOSE: Final = ("s3", "wc", "counts")  # styles in which only a number or a time stands before a path:
UNNAMED: Final = 10  # of these paths one in so many may have neither a folder nor an extension,
SPACED: Final = 2  # and one in so many blanks
MOST_TOTALS: Final = 2  # lines with totals that are told
LONGEST_TOTAL: Final = 120  # characters

_MODE: Final = r"(?P<mode>[-dlbcpsDhCMnP?][-rwxsStTlL?]{9}[.+@]?)"
_SIZE: Final = r"(?P<size>[0-9]{1,18}|[0-9]+[.,][0-9]+[BKMGTPE]?|[0-9]+[BKMGTPE]i?|[0-9]+, *[0-9]+|-|\?)"
_DAY: Final = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME: Final = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?(?: [+-][0-9]{4})?)?"
_MODIFIED: Final = (
    rf"(?P<modified>{_DAY} {_TIME}|[A-Z][a-z]{{2}} +[0-9]{{1,2}} +(?:[0-9]{{1,2}}:[0-9]{{2}}|[0-9]{{4}})"
    rf"|[0-9]{{1,2}} [A-Z][a-z]{{2}} +(?:[0-9]{{1,2}}:[0-9]{{2}}|[0-9]{{4}})|[0-9]{{2}}-[0-9]{{2}} +{_TIME}|{_DAY} )"
)
_OWN_TOTALS: Final = r"(?P<total>(?:Total|Combined size): [^\n]*)"
_PATH: Final = r"(?P<path>[^\n]++)"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListingStyle:
    """The lines of one program: entries, headings with the folder of those below, totals, and what else belongs to the
    listing; ``kind`` is what an entry is that nothing tells about."""

    row: str
    heading: str = r"(?!)(?P<heading>)"
    total: str = r"(?!)(?P<total>)"
    beside: str = r"(?!)"
    kind: str = ""
    marked: bool = False  # a mark as ``<DIR>`` stands where others have a mode
    separator: str = "/"
    sizes: str = "size"

    def pattern(self) -> re.Pattern[str]:
        return re.compile(rf"(?:(?:{self.row}|{self.total}|{self.beside}|{self.heading})|(?P<other>[^\n]*+))\n")


STYLES: Final = {
    "ls": ListingStyle(
        row=rf"(?:(?=[ 0-9.]) *+(?:[0-9.]++[KMGTP]? +){{0,2}}|){_MODE} +[0-9]++ (?P<owner>\S++) +(?P<group_name>\S++)"
        rf" +{_SIZE} {_MODIFIED} {_PATH}",
        heading=r"(?P<heading>\S[^\n]*):",
        beside=r"total [0-9.,]+[KMGTPE]?",
    ),
    "tar": ListingStyle(row=rf"{_MODE} (?P<owner>[^\s/]++)/(?P<group_name>\S++) +{_SIZE} {_MODIFIED} {_PATH}"),
    "s3": ListingStyle(
        row=rf"(?P<modified>{_DAY} [0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}) +{_SIZE} {_PATH}",
        total=r" *(?P<total>Total (?:Objects|Size): [^\n]*)",
        kind="file",
    ),
    "zip": ListingStyle(
        row=rf" +(?P<size>[0-9]{{1,18}}) +(?P<modified>(?:{_DAY}|[0-9]{{2}}-[0-9]{{2}}-[0-9]{{4}}) {_TIME})   {_PATH}",
        total=r" +(?P<total>[0-9]+ +[0-9]+ files?)",
        beside=r"Archive:[^\n]*| +Length +Date +Time +Name|[- ]{20,}",
        kind="file",
    ),
    "dir": ListingStyle(
        row=r"(?P<modified>[0-9]{2,4}[-/.][0-9]{2}[-/.][0-9]{2,4} +[0-9]{2}:[0-9]{2}(?: [AP]M)?) +"
        rf"(?:<(?P<mode>[A-Z]+)> +|(?P<size>[0-9][0-9,.]*) ){_PATH}",
        heading=r" Directory of (?P<heading>[^\n]+)",
        total=r" +(?P<total>[0-9,.]+ (?:File|Dir)\(s\)[^\n]*)",
        beside=r" Volume [^\n]*| +Total Files Listed:",
        marked=True,
        separator="\\",
    ),
    "sized": ListingStyle(
        row=r"\[(?P<mode>DIR|FILE)\] (?P<path>[^\n]*?\S) *(?: (?P<size>[0-9][0-9.]* [KMGT]?B))?+ *+(?=\n)",
        total=_OWN_TOTALS,
        marked=True,
    ),
    "marked": ListingStyle(row=r"\[(?P<mode>DIR|FILE)\] (?P<path>[^\n]*+)", total=_OWN_TOTALS, marked=True),
    "digests": ListingStyle(
        row=r"(?P<digest>[0-9a-fA-F]{32}(?:[0-9a-fA-F]{8}|[0-9a-fA-F]{24}|[0-9a-fA-F]{32}|[0-9a-fA-F]{64}"
        rf"|[0-9a-fA-F]{{96}})?) [ *]{_PATH}",
        kind="file",
    ),
    "wc": ListingStyle(
        row=rf" *+(?P<lines>[0-9]{{1,18}}) +(?P<words>[0-9]{{1,18}}) +(?P<size>[0-9]{{1,18}}) (?!total\n){_PATH}",
        total=r" *(?P<total>[0-9]+ +[0-9]+ +[0-9]+ total)",
        kind="file",
    ),
    "counts": ListingStyle(
        row=rf" *+(?P<count>[0-9]{{1,18}}) (?!total\n){_PATH}",
        total=r" *(?P<total>[0-9]+ total)",
        sizes="count",
    ),
}
_DEVICE = re.compile(r"[0-9]+, *[0-9]+")  # two numbers where files have a size
_MARKS: Final = {"": "file", "FILE": "file", "DIR": "folder"}
_DOTS: Final = frozenset({"", ".", ".."})
_PATTERNS: Final = {name: style.pattern() for name, style in STYLES.items()}


def recognise(sample: Sample) -> Options | None:
    """Return the first style of which nearly all lines are."""
    lines = [line for line in sample.lines if len(line) <= LONGEST_LINE]
    for style, pattern in _PATTERNS.items():
        firsts = list(map(pattern.fullmatch, (f"{line}\n" for line in lines[:FIRST])))
        if sum(match is not None and bool(match["path"]) for match in firsts) * 4 < len(firsts):
            continue
        matches = [match for match in map(pattern.fullmatch, (f"{line}\n" for line in lines)) if match]
        paths = [match["path"] for match in matches if match["path"]]
        other = sum(bool(match["other"]) for match in matches)
        if len(paths) >= LEAST and (other - SPARE) * UNFIT <= len(lines) and _are_paths(style, paths, matches):
            return {"style": style, "text": []}
    return None


def _are_paths(style: str, paths: list[str], matches: list[re.Match[str]]) -> bool:
    """Return True if what follows numbers or times are paths. Logs have lines with a time, a number and a text too."""
    if style == "dir":
        return any(match["heading"] or match["mode"] for match in matches)
    if style == "sized":
        return any(match["size"] for match in matches)
    if style not in LOOSE:
        return True
    named = sum(map(is_file_name, paths))
    return named * UNNAMED >= len(paths) * (UNNAMED - 1) and containing(paths, " ") * SPACED <= len(paths)


def parser(options: Options) -> ListingParser:
    style = STYLES[options["style"]]
    return ListingParser(options=options, style=style, separator=style.separator, sizes=style.sizes)


@dataclass(slots=True, kw_only=True)
class ListingParser(EntriesParser):
    style: ListingStyle
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "entries"})
    folder: str = ""  # of the heading above
    totals: list[str] = field(default_factory=list)
    dots: int = 0  # entries `.` and `..`
    spaced: int = 0  # paths with blanks

    def holds(self) -> bool:
        is_spaced = self.options["style"] in LOOSE and self.spaced * SPACED > self.count
        return EntriesParser.holds(self) and not is_spaced

    def read(self, lines: list[str]) -> Batch:
        pattern = _PATTERNS[self.options["style"]]
        rows, place = pattern.findall("\n".join([*lines, ""])), pattern.groupindex["path"] - 1
        paths = [row[place] for row in rows]
        others = [at for at, path in enumerate(paths) if not path]
        places = tuple(pattern.groupindex[name] - 1 for name in ("heading", "total", "other"))
        folders = self._note_others(lines, others, map(itemgetter(*places), map(rows.__getitem__, others)))
        kept = [path not in _DOTS for path in paths]
        self.dots += len(kept) - sum(kept) - len(others)
        numbers = list(compress(range(self.seen + 1, self.seen + 1 + len(lines)), kept))
        columns = columns_of(pattern, list(compress(rows, kept)))
        return {"items": self._columns(numbers, list(compress(folders, kept)), columns)} if numbers else {}

    def _note_others(self, lines: list[str], others: list[int], parts: Iterable[tuple[str, str, str]]) -> list[str]:
        """Keep what lines say that are no entries, and give the folder that each line lies below."""
        folders: list[str] = []
        for at, (heading, total, other) in zip(others, parts, strict=True):
            if heading:
                folders += [self.folder] * (at - len(folders))
                self.folder = heading
            elif total and len(self.totals) < MOST_TOTALS:
                self.totals.append(total)
            elif other and not other.isspace():
                self.note(self.seen + 1 + at, lines[at])
        return folders + [self.folder] * (len(lines) - len(folders))

    def _columns(self, numbers: list[int], folders: list[str], columns: Mapping[str, Sequence[str]]) -> Columns:
        kinds = self._kinds(columns)
        self.spaced += containing(columns["path"], " ") if self.options["style"] in LOOSE else 0
        paths, targets = list(columns["path"]), [""] * len(numbers)
        for at, kind in enumerate(kinds if "link" in kinds else ()):
            if kind == "link":
                paths[at], _, targets[at] = paths[at].partition(" -> ")
        separator, parts = self.separator, None
        if any(folders):
            starts = {folder: folder.rstrip(separator) + separator if folder else "" for folder in set(folders)}
            if separator not in "".join(paths):  # names of what lies in the folder of the heading
                known = {folder: start[:-1] or start for folder, start in starts.items()}
                parts = ([known[folder] for folder in folders], paths)
            paths = [starts[folder] + path for folder, path in zip(folders, paths, strict=True)]
        if parts is None and any(map(str.endswith, paths, repeat(separator))):
            paths = [path.rstrip(separator) or path for path in paths]
        more: Columns = {}
        if "size" in columns:
            more["size"] = self._numbers(columns["size"])
        for name in ("mode", "owner", "group_name", "modified", "digest"):
            if name in columns and (name != "mode" or not self.style.marked):
                more[name] = list(columns[name])
        for name in ("count", "lines", "words"):
            if name in columns:
                more[name] = list(map(int, columns[name]))
        if "mode" in columns or "folder" in kinds or self.kinds["folder"]:
            more["is_dir"] = list(map("folder".__eq__, kinds))
        if any(targets):
            more["target"] = texts_of(targets)
        return self.take(numbers, paths, more, kinds, parts)

    def _kinds(self, columns: Mapping[str, Sequence[str]]) -> list[str]:
        """Return what each entry is: by its mode, by a mark as ``<DIR>``, by a separator at its end; nothing if none
        tells."""
        if "mode" in columns:
            known = {mode: KINDS.get(mode[:1], "special file") for mode in set(columns["mode"])}
            if self.style.marked:
                known = {mark: _MARKS.get(mark, "link") for mark in known}
            return list(map(known.__getitem__, columns["mode"]))
        if not self.style.kind:
            return []
        return ["folder" if path.endswith("/") else self.style.kind for path in columns["path"]]

    def _numbers(self, texts: Sequence[str]) -> list[Any]:
        if "size" in self.options["text"]:
            return texts_of(texts)
        if self.options["style"] == "dir":
            texts = [text.replace(",", "").replace(".", "") for text in texts]
        if all(texts) and "".join(texts).isdecimal():
            return list(map(int, texts))
        return [int(text) if text.isdecimal() else None if _DEVICE.fullmatch(text) else text or None for text in texts]

    def words(self, tables: Tables) -> Words:
        words = EntriesParser.words(self, tables)
        totals = [f"its own total: {plain(total, LONGEST_TOTAL)}" for total in self.totals]
        dots = facts((self.dots, f"left out: {counted(self.dots, 'entry', 'entries')} . and .."))
        return replace(words, facts=(*words.facts, *totals, *dots))


FORM: Final = ParserForm(name="listing", title="a listing", looks_like=recognise, make=parser, is_costly=True)
