"""Accessibility snapshots of web pages: ``- button "Save" [ref=e4]`` (playwright-mcp: browser_snapshot), and ``uid=1_4
button "Save"`` (chrome-devtools-mcp: take_snapshot), bare or inside an answer with headings and a fence around them.

The table has a row for every node: ``line``, ``_depth`` from 0, ``_parent`` (the row of the parent, from 1), ``role``,
``name``, ``value`` (the text after the colon), ``ref``, and the attributes that occur: ``level``, ``url``, ``checked``,
``disabled``, ... Lines such as ``/url:`` are columns of the node above them. Quotes and escapes of YAML are undone.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import accumulate, compress, count
from operator import add, itemgetter
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.api import LONGEST_LINE, DoesNotHoldError, Excerpt, ParserForm, Words
from penstock.core.forms.levels import Levels
from penstock.core.forms.line_parser import LineParser
from penstock.core.forms.text_cells import texts_of
from penstock.core.text import counted, plain, split_words

if TYPE_CHECKING:
    from penstock.core.forms.api import Batch, Batches, Columns, Options, Sample, Tables

MIN_NODES: Final = 3  # Fewer than 3 nodes are not a tree.
MAX_UNFIT_RATIO: Final = 100  # At most 1 line in 100 of the snapshot is not a node, such as a name with line breaks.
MAX_ATTRIBUTES: Final = 60  # Different ones; browsers know some forty.
MAX_CACHED: Final = 1_000  # Texts of attributes whose parts are kept: most are ``[cursor=pointer]``.
MAX_AROUND: Final = 8  # Lines around the snapshot that are shown.

# Roles of which any page has some. A list in YAML, or of notes, has lines of the same make, but other words.
USUAL: Final = frozenset(
    split_words(
        "generic text link list listitem paragraph img image row cell table article menuitem option tab dialog iframe "
        "group strong heading button textbox searchbox combobox listbox spinbutton slider checkbox radio switch main "
        "navigation banner contentinfo complementary search form region"
    )
)

# Indentation, role, name, attributes, ref, attributes, value; or any other line. Each line is one match.
_ARIA = re.compile(
    r"^( *+)- (?:<changed> )?+([a-z][a-z-]*+)(?: (\"(?:[^\"\\\n]++|\\.)*+\"))?+"
    r"((?: \[(?!ref=)[a-z][^\]\n]*+\])*+)(?: \[ref=([^\]\n]*+)\])?+((?: \[[a-z][^\]\n]*+\])*+)"
    r"(?::(?: (.*+))?+)?+$|^(.*+)$",
    re.MULTILINE,
)
# Indentation, ref, role, name, attributes; or any other line. A text has no role.
_UID = re.compile(
    r"^( *+)uid=(\S++)(?= [A-Za-z\"])(?: ([A-Za-z][\w-]*+))?+"
    r"(?: (\"[^\"\n]*+\"(?= |$)|\"(?:[^\"\n]++|\"(?! [A-Za-z][\w-]*+=\"|$))*+\"))?"
    r"((?: [A-Za-z][\w-]*+(?:=\"[^\"\n]*+\")?+)*+)(?: \[selected in .*+)?+$|^(.*+)$",
    re.MULTILINE,
)
_QUOTED_KEY = re.compile(r"( *+- (?:<changed> )?+)'((?:[^']++|'')*+)'(.*+)")
_UNCHANGED = re.compile(r"( *+)- ref=(\S++) \[unchanged\]")
_ATTRIBUTE = re.compile(r" \[?+([A-Za-z][\w-]*+)(?:=(?:\"([^\"]*+)\"|([^\]]*+)))?+\]?+")
_PROPERTY = re.compile(r" *+- /([a-z][a-z-]*+):(?: (.*+))?+")
_PAGE = re.compile(r"(?:- )?+Page (URL|Title): (.+)")
_QUOTES: Final = ('"', "'")
_FENCE: Final = "```"
_TEXT: Final = "StaticText"  # what DevTools calls a node that it writes without a role
_OF_SNAPSHOTS: Final = {"", "yaml", "yml", "text", "aria"}  # languages of a fence

_Sparse = dict[str, dict[int, Any]]  # values by attribute and place
Parts = tuple[str, ...]  # indentation, role, name, attributes, ref, attributes, value, or else the whole line
_NOTHING: Final[Parts] = ("",) * 8


def recognise(sample: Sample) -> Options | None:
    """Return True if at least half of the lines are nodes, most with usual roles and some with a name or a ref."""
    lines = sample.short
    for uid in (False, True):
        first = sum(line.lstrip().startswith("uid=" if uid else "- ") for line in lines[:100])
        if first * 4 < len(lines[:100]):
            continue
        every = _parts(lines, uid=uid)
        nodes = [parts for parts in every if parts[1]]
        marked = sum(bool(parts[2] or parts[4]) for parts in nodes)
        usual = len(nodes) if uid else sum(parts[1] in USUAL for parts in nodes)
        others = sum(_PROPERTY.fullmatch(line) is None for line in lines) - len(nodes)
        if len(nodes) >= max(MIN_NODES, others) and min(marked * 4, usual * 2) >= len(nodes):
            fences = [at for at, line in enumerate(lines[:-1]) if line.startswith(_FENCE)]
            fenced = any(_is_opening(lines[at]) and every[at + 1][1] for at in fences[::2])
            return {"uid": uid, "fenced": fenced, "text": []}
    return None


def _is_opening(line: str) -> bool:
    """Return True if a fence may have a snapshot in it."""
    return line.startswith(_FENCE) and line[3:].strip().lower() in _OF_SNAPSHOTS


def _parts(lines: list[str], *, uid: bool) -> list[Parts]:
    """Return the parts of each line. One of which nothing but the last is filled is no node."""
    is_long = max(map(len, lines), default=0) > LONGEST_LINE
    text = "\n".join([line[:LONGEST_LINE] for line in lines] if is_long else lines)
    if uid:
        nodes = _UID.findall(text)
        return [(one[0], one[2] or (one[1] and _TEXT), one[3], "", one[1], one[4], "", one[5]) for one in nodes]
    return [_requoted(parts) if parts[7] else parts for parts in _ARIA.findall(text)]


def _requoted(parts: Parts) -> Parts:
    """Return a line that YAML has in quotes, without them; a part of a page that did not change has no role."""
    line = parts[7]
    if "'" in line and (match := _QUOTED_KEY.fullmatch(line)):
        line = match[1] + match[2].replace("''", "'") + match[3]
        return _ARIA.findall(line)[0]  # type: ignore[no-any-return]
    if line.endswith("[unchanged]") and (match := _UNCHANGED.fullmatch(line)):
        return match[1], "unchanged", "", "", match[2], "", "", ""
    return parts


@dataclass(slots=True, kw_only=True)
class SnapshotParser(LineParser):
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "nodes"})
    levels: Levels = field(default_factory=Levels)
    in_fence: bool = False
    is_inside: bool = False  # of a fence that has the snapshot in it
    outside: int = 0
    others: Counter[int] = field(default_factory=Counter)  # lines that are no nodes, by the nodes before them
    page: dict[str, str] = field(default_factory=dict)
    around: list[tuple[int, str]] = field(default_factory=list)
    cache: dict[str, dict[str, Any]] = field(default_factory=dict)
    numbers: list[int] = field(default_factory=list)  # lines of nodes that are not given out yet,
    nodes: list[Parts] = field(default_factory=list)  # their parts,
    texts: list[str] = field(default_factory=list)
    properties: dict[str, dict[int, str]] = field(default_factory=dict)  # and what belongs to them, by key and row
    attributes: set[str] = field(default_factory=set)

    def rest(self) -> Batches:
        if self.nodes:
            yield {"items": self._columns(1)}

    def holds(self) -> bool:
        nodes = self.levels.count
        between = sum(lines for before, lines in self.others.items() if 0 < before < nodes)
        self.unfit += between
        self.outside += self.others.total() - between
        return nodes >= max(MIN_NODES, self.outside) and not self.exceeds(0, MAX_UNFIT_RATIO, nodes)

    def read(self, lines: list[str]) -> Batch:
        """Split lines into nodes, what belongs to them, and what is around the snapshot."""
        first, every = self.seen + 1, _parts(lines, uid=self.options["uid"])
        if self.options["fenced"]:
            every = [self._fenced(number, *one) for number, one in enumerate(zip(lines, every, strict=True), first)]
        roles = list(map(itemgetter(1), every))
        waiting = self.levels.count + len(self.numbers)
        self.numbers += compress(count(first), roles)
        self.nodes += compress(every, roles)
        self.texts += compress(lines, roles)
        others = list(map(itemgetter(7), every))
        before = accumulate(map(bool, roles), initial=waiting)
        for number, nodes, line in compress(zip(count(first), before, others, strict=False), others):
            if nodes > self.levels.count and (match := _PROPERTY.fullmatch(line)):
                self.properties.setdefault(match[1], {})[nodes - 1] = match[2] or ""
            elif not line.isspace():
                self._read_other(number, line, nodes)
        # The last node waits: properties of it may follow.
        return {"items": self._columns(len(self.nodes) - 1)} if len(self.nodes) > 1 else {}

    def _fenced(self, number: int, line: str, parts: Parts) -> Parts:
        """Return the parts of a line inside the snapshot's fence, nothing of any other."""
        if line.startswith(_FENCE):
            self.in_fence = not self.in_fence
            self.is_inside = self.in_fence and _is_opening(line)
            self.outside += 1
            return _NOTHING
        if self.is_inside:
            return parts
        if line and not line.isspace():
            self.outside += 1
            self._read_around(number, line[:LONGEST_LINE])
        return _NOTHING

    def _read_other(self, number: int, line: str, nodes: int) -> None:
        """Count a line that is no node, and comes after so many nodes."""
        if self.options["fenced"]:
            self.unfit += 1
        else:
            self.others[nodes] += 1
        self._read_around(number, line)

    def _read_around(self, number: int, line: str) -> None:
        if len(self.around) < MAX_AROUND:
            self.around.append((number, line))
        if match := _PAGE.fullmatch(line):
            self.page.setdefault(match[1], match[2])

    def _columns(self, size: int) -> Columns:
        """Return the cells of the next nodes, which are then given out."""
        numbers, self.numbers = self.numbers[:size], self.numbers[size:]
        rows, self.nodes = self.nodes[:size], self.nodes[size:]
        lines, self.texts = self.texts[:size], self.texts[size:]
        spaces, roles, quoted, before, refs, after, texts, _ = zip(*rows, strict=True)
        names = [name[1:-1] or None for name in quoted]
        if not self.options["uid"] and "\\" in "".join(quoted):  # DevTools writes names as they are
            names = [_unquoted(name) if "\\" in name else bare for name, bare in zip(quoted, names, strict=True)]
        values: list[Any] = [(_unquoted(text) if text[:1] in _QUOTES else text) if text else None for text in texts]
        sparse: _Sparse = {}
        for at, text in [(at, text) for at, text in enumerate(map(add, before, after)) if text]:
            for key, value in self._attributes(text).items():
                sparse.setdefault(key, {})[at] = value
        first, last = self.levels.count, self.levels.count + size  # the last one waits
        waiting = {key: {last: by_row.pop(last)} for key, by_row in self.properties.items() if last in by_row}
        for key, by_row in self.properties.items():
            values_of = {row - first: _unquoted(text) for row, text in by_row.items()}
            sparse.setdefault(key.replace("-", "_"), {}).update(values_of)
        self.properties = waiting
        depths, parents = self.levels.place(list(map(len, spaces)))
        self.levels.keep(depths, numbers, lines)
        for at, value in sparse.pop("value", {}).items():
            values[at] = _cell(value)
        columns: Columns = {"line": numbers, "_depth": depths, "_parent": parents}
        columns |= {"role": list(roles), "name": names, "value": values}
        columns["ref"] = texts_of(refs)
        for key in sorted(sparse, key=lambda key: (key != "level", key != "url", key)):
            cells: list[Any] = [None] * size
            name = f"{key}_2" if key in columns else key
            as_text = name in self.options["text"]
            for at, value in sparse[key].items():
                cells[at] = _cell(value) if as_text else value
            columns[name] = cells
        return columns

    def _attributes(self, text: str) -> dict[str, Any]:
        """Return the attributes in a text such as `` [level=2] [active]`` or `` level="2" focused``."""
        known = self.cache.get(text)
        if known is None:
            parts = _ATTRIBUTE.findall(text)
            known = {key.lower().replace("-", "_"): _scalar(quoted or value) for key, quoted, value in parts}
            self.attributes.update(known)
            if len(self.attributes) > MAX_ATTRIBUTES:
                raise DoesNotHoldError("too many attributes")
            if len(self.cache) < MAX_CACHED:
                self.cache[text] = known
        return known

    def words(self, tables: Tables) -> Words:
        page = " · ".join(plain(self.page[key], 200) for key in ("Title", "URL") if key in self.page)
        facts = [f"page: {page}"] if page else []
        facts += [f"{counted(self.unfit, 'line')} of the snapshot that are no nodes"] if self.unfit else []
        facts += [f"{counted(self.outside, 'line')} around the snapshot"] if self.outside else []
        excerpts = (*self.levels.excerpts(), *Excerpt.of("around the snapshot", self.around))
        what = f"an accessibility snapshot: {counted(tables[0].count, 'node')}"
        return Words(what=what, facts=tuple(facts), excerpts=excerpts)


def _unquoted(text: str) -> str | None:
    """Return a text without the quotes that YAML or JSON has around it; None where nothing is left."""
    if text[:1] == '"' == text[-1:] and len(text) > 1:
        if "\\" not in text:
            return text[1:-1] or None
        try:
            return str(json.loads(text)) or None
        except ValueError:
            return text
    if text[:1] == "'" == text[-1:] and len(text) > 1:
        return text[1:-1].replace("''", "'") or None
    return text or None


def _scalar(text: str) -> Any:
    """Return the value of an attribute; one without a value is true."""
    if text in ("", "true", "false"):
        return text != "false"
    return int(text) if len(text) < 10 and text.isascii() and text.isdecimal() and str(int(text)) == text else text


def _cell(value: Any) -> str | None:
    return None if value is None else str(value).lower() if isinstance(value, bool) else str(value)


FORM: Final = ParserForm(name="snapshot", title="an accessibility snapshot", looks_like=recognise, make=SnapshotParser)
