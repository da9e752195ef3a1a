"""Logs: entries that have a time stamp in one place and one format, as nearly all programs write them.

Read log_layout.py first: it learns the layout of a log from a sample; log_pieces.py makes one pattern of it, with which
all lines are parsed; log_facts.py counts on the way. A line that does not match goes on with the entry before it (a
stack trace). ``items`` has a row for each entry: ``line``, ``time`` (see log_times.py), ``level`` in capitals,
``source`` (a logger, process, component or container), other fields of the layout by their names, or ``c1``, ``c2``
where they have none, the ``message`` (what its first line has), ``lines`` where an entry has more than one, and a
column for each frequent ``key=value``.

Levels of one letter are written out (D is DEBUG), and so are the severities in the priorities of syslog. An access log
has ``client``, ``method``, ``path``, ``status`` and the like instead of a message; ``-`` is nothing there. What a
layout does not have has no column: a message that only mentions an error has no level. Dates that repeat the stamp,
and the colours of a terminal, are left out of all cells. ``LEVEL:logger:message`` is a log too, without times.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms import alignment
from penstock.core.forms.delimited import texts_of, typed
from penstock.core.forms.log_facts import LogFacts
from penstock.core.forms.log_layout import LEAST, learn, learn_levels
from penstock.core.forms.log_pairs import learn_keys, pair_cells
from penstock.core.forms.log_pieces import LETTERS, LEVELLED, SEVERITIES, entry_pattern, piece
from penstock.core.forms.log_times import BY_NAME
from penstock.core.forms.log_walk import spread
from penstock.core.forms.text_form import LONGEST_LINE, DoesNotHoldError, Options, Sample, TextForm

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from penstock.core.forms.reading import Table
    from penstock.core.forms.text_form import Batch, Columns, Words

BATCH: Final = 4_096  # lines parsed at a time: messages are rewritten once for each of these
STRAY: Final = 5  # one line in so many at the margin may begin no entry: programs print more than their log
TRIED: Final = 300  # lines of a sample that a layout is tried on

_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
# What stands at the margin inside of a stack trace, or of a value that was printed over several lines.
_CONTINUED = re.compile(
    r"[\s})\]]|Traceback|Caused by|During handling|The above exception|goroutine [0-9]|at |\.\.\.|[-=+*#]{3}|"
    r"(?:Exception in thread|[\w.$]*(?:Exception|Error|Throwable|Warning))\b"
)
_NUMBERED = re.compile(r"pid|tid|number|at|status|bytes|c[0-9]+")  # columns that may be numbers
_DASHED: Final = frozenset({"host", "source", "pid", "msgid", "data", "ident", "user", "referer", "agent", "client"})
_PADDED: Final = frozenset({"source", "thread", "context"})
_ORDER: Final = {"line": 0, "time": 1, "level": 2, "source": 3}  # of columns; all others follow
_ALWAYS: Final = frozenset({"level", "message"})


def recognise(sample: Sample) -> Options | None:
    """Return the layout of the entries, if nearly all lines of the sample that are not indented begin one."""
    margin = [line for line in sample.lines if line[0] not in " \t"]
    margin = [_COLOUR.sub("", line[:LONGEST_LINE]) if "\x1b" in line else line for line in margin]
    layout = learn(margin) or learn_levels(margin) if len(margin) >= LEAST else None
    if layout is None:
        return None
    margin = [line[:LONGEST_LINE] for line in spread(margin, TRIED)]
    rows = _pattern(layout).findall("\n".join(margin) + "\n")
    place = _places(layout)[0]
    entries = [groups for groups in rows if groups[place]]
    others = [line for line, groups in zip(margin, rows, strict=True) if not groups[place]]
    stray = sum(_CONTINUED.match(line) is None for line in others)
    if stray * STRAY > len(entries) + stray:
        return None
    if others[:1] == margin[:1] and alignment.recognise(sample) is not None:
        return None  # a table with a column of times below its header
    columns, whole = layout["columns"], "pairs" in layout["columns"]
    fields = _fields(layout, list(zip(*entries, strict=True)))
    messages = list(map("".join, zip(fields["pairs"], fields["message"], strict=True))) if whole else fields["message"]
    numbers = [name for name in columns if _NUMBERED.fullmatch(name) and _all_numbers(fields[name])]
    return {**layout, "numbers": numbers, "keys": learn_keys(list(messages), columns, whole=whole), "text": []}


def _pattern(options: Options) -> re.Pattern[str]:
    if not options["stamp"]:
        return LEVELLED
    return entry_pattern(tuple(options["before"]), options["stamp"], tuple(options["after"]))


def _places(options: Options) -> tuple[int, int]:
    """Return the groups of the stamp: the first, and the one after the last."""
    if not options["stamp"]:
        return 0, 0
    before = sum(len(piece(name).roles) for name in options["before"])
    return before, before + re.compile(BY_NAME[options["stamp"]].pattern).groups


def _fields(options: Options, groups: list[tuple[str, ...]]) -> dict[str, Sequence[str]]:
    """Return the groups of a layout by their columns; those of the stamp are left out."""
    first, after = _places(options)
    names = [*options["columns"], "message"]
    fields: dict[str, Sequence[str]] = dict(zip(names, [*groups[:first], *groups[after:]], strict=True))
    if options["ends"]:
        fields["message"], fields["source"] = _parted(fields["message"])
    return fields


def _parted(messages: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split messages from the sources in parentheses at their ends."""
    parts = [text[:-1].rpartition(" (") if text.endswith(")") else (text, "", "") for text in messages]
    whole = [text if " " in part[2] else part[0] for text, part in zip(messages, parts, strict=True)]
    return whole, ["" if " " in part[2] else part[2] for part in parts]


def _all_numbers(cells: Sequence[str]) -> bool:
    return all(not isinstance(cell, str) for cell in _numbers(["" if cell == "-" else cell for cell in cells]))


def _numbers(cells: Sequence[str]) -> list[Any]:
    """Read cells as numbers, if all are: many repeat, or are empty."""
    different = list(set(cells))
    if len(different) * 2 > len(cells):
        return typed(cells)
    values = dict(zip(different, typed(different), strict=True))
    return [values[cell] for cell in cells]


@dataclass(slots=True, kw_only=True)
class LogParser:
    options: Options
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "entries"})
    facts: LogFacts = field(init=False)
    read: int = 0  # lines
    rows: list[tuple[str, ...]] = field(default_factory=list)  # the groups of entries that were not given out yet,
    starts: list[int] = field(default_factory=list)  # the number of the first line of each,
    ends: list[int] = field(default_factory=list)  # and of the last that is not blank
    raw: str = ""  # the first line of the last entry
    numeric: set[str] = field(init=False)  # columns whose cells may be numbers
    dashed: bool = field(init=False)

    def __post_init__(self) -> None:
        columns = {*self.options["columns"], *(name for _, name, _ in self.options["keys"])}
        keys = (name for _, name, is_text in self.options["keys"] if not is_text)
        self.numeric = {*self.options["numbers"], *keys} - {"level", "message", "source", *self.options["text"]}
        self.dashed = not columns.isdisjoint({"method", "msgid"})
        self.facts = LogFacts(
            has_level=not columns.isdisjoint({"level", "priority"}),
            is_access="method" in self.options["columns"],
            is_dated=self.options["stamp"] != "" and BY_NAME[self.options["stamp"]].dated,
        )

    def parse(self, lines: Iterable[str]) -> Iterator[Batch]:
        pattern, (place, _) = _pattern(self.options), _places(self.options)
        source = iter(lines)
        while chunk := list(islice(source, BATCH)):
            if not self.read:
                chunk[0] = chunk[0].removeprefix("\ufeff")
            text = "\n".join(chunk) + "\n"
            rows = pattern.findall(_COLOUR.sub("", text) if "\x1b" in text else text)
            self._gather(chunk, rows, place)
            if len(self.rows) > 1:
                yield self._give(chunk, len(self.rows) - 1)
            if self.rows:
                self.raw = self._line(chunk, self.starts[-1])
            self.read += len(chunk)
        if not self.rows:
            raise DoesNotHoldError("no entry")
        yield self._give([], len(self.rows))
        if self.facts.stray * STRAY > self.facts.entries + self.facts.stray:
            raise DoesNotHoldError("lines of another form")

    def _gather(self, chunk: list[str], rows: list[tuple[str, ...]], place: int) -> None:
        """Take the entries that begin on these lines, and add the other lines to those before them."""
        first = self.read + 1
        stamps = [groups[place] for groups in rows]
        if "" not in stamps:
            self.rows += rows
            self.starts += range(first, first + len(rows))
            self.ends += range(first, first + len(rows))
            return
        for number, (groups, stamp) in enumerate(zip(rows, stamps, strict=True), first):
            if stamp:
                self.rows.append(groups)
                self.starts.append(number)
                self.ends.append(number)
            elif line := chunk[number - first][:LONGEST_LINE].rstrip():
                if self.rows:
                    self.ends[-1] = number
                is_stray = _CONTINUED.match(line) is None
                self.facts.learn_other(line, is_stray=is_stray, entry=self.starts[-1] if self.starts else None)

    def _line(self, chunk: list[str], number: int) -> str:
        """Return the text of a line of this chunk, or of the entry that was left from the one before."""
        return chunk[number - self.read - 1][:LONGEST_LINE] if number > self.read else self.raw

    def _give(self, chunk: list[str], count: int) -> Batch:
        """Make cells of the first entries. The last one waits: its lines may go on."""
        rows, starts, ends = self.rows[:count], self.starts[:count], self.ends[:count]
        self.rows, self.starts, self.ends = self.rows[count:], self.starts[count:], self.ends[count:]
        columns = self._columns(list(zip(*rows, strict=True)), starts)
        if starts != ends:
            sizes = [end - start + 1 for start, end in zip(starts, ends, strict=True)]
            columns["lines"] = [size if size > 1 else None for size in sizes]
        self.facts.learn(columns, lambda number: self._line(chunk, number))
        return {"items": columns}

    def _columns(self, groups: list[tuple[str, ...]], starts: list[int]) -> Columns:
        """Return the cells of entries: of the fields of the layout, of their messages, and of the keys in these."""
        first, after = _places(self.options)
        fields = _fields(self.options, groups)
        messages = fields["message"]
        if "pairs" in fields:
            messages = list(map("".join, zip(fields.pop("pairs"), messages, strict=True)))
        if "priority" in fields:
            fields.setdefault("level", [SEVERITIES[int(text) & 7] for text in fields.pop("priority")])
        if "method" in fields:
            fields["rest"] = fields.pop("message")
        columns: Columns = {"line": starts}
        if self.options["stamp"]:
            columns["time"] = BY_NAME[self.options["stamp"]].write(*groups[first:after])
        for name, texts in fields.items():
            if self.dashed and name in _DASHED and "-" in texts:
                texts = [] if len(set(texts)) == 1 else ["" if text == "-" else text for text in texts]  # noqa: PLW2901
            if name in _ALWAYS or any(texts):
                columns[name] = self._cells(name, texts)
        columns |= self._pairs(messages)
        return {name: columns[name] for name in sorted(columns, key=lambda name: _ORDER.get(name, len(_ORDER)))}

    def _pairs(self, messages: Sequence[str]) -> Columns:
        """Return the cells of keys; most logs have pairs in some of their messages only."""
        columns: Columns = {}
        if not self.options["keys"]:
            return columns
        places, lists = pair_cells(messages, tuple(key for key, _, _ in self.options["keys"]))
        for (_, name, _), values in zip(self.options["keys"], lists, strict=True):
            cells = self._cells(name, values)
            if len(places) < len(messages):
                every: list[Any] = [None] * len(messages)
                for at, cell in zip(places, cells, strict=True):
                    every[at] = cell
                cells = every
            if name in _ALWAYS or any(values):
                columns[name] = cells
        return columns

    def _cells(self, name: str, cells: Sequence[str]) -> list[Any]:
        if name == "level":
            words = {word: LETTERS.get(word, word.upper()) or None for word in set(cells)}
            return [words[cell] for cell in cells]
        if name in self.numeric:
            return _numbers(cells)
        if name in _PADDED:
            bare = {cell: cell.strip() for cell in set(cells)}
            cells = [bare[cell] for cell in cells]
        return texts_of(cells)

    def words(self, tables: Sequence[Table]) -> Words:
        return self.facts.words(tables[0], self.read)


FORM: Final = TextForm(name="logs", title="a log", recognise=recognise, make=LogParser)
