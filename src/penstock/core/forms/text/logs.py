"""Logs: entries that have a time stamp in one place and one format, as nearly all programs write them.

Read log_layout.py first: it learns the layout of a log from a sample; log_pieces.py makes one pattern of it, with which
all lines are parsed; log_facts.py counts on the way. A line that does not match goes on with the entry before it (a
stack trace). ``items`` has a row for each entry: ``line``, ``time`` (see log_times.py), ``level`` in capitals,
``source`` (a logger, process, component or container), other fields of the layout by their names, or ``c1``, ``c2``
where they have none, the ``message`` (what its first line has), ``lines`` where an entry has more than one, and a
column for each frequent ``key=value``.

Levels of one letter are written out (D is DEBUG), and so are the severities in the priorities of syslog. An access log
has ``client``, ``method``, ``path``, ``status`` and the like instead of a message; ``-`` is nothing there. What a
layout does not have has no column: a message that only mentions an error has no level. Dates that repeat the stamp, and
the colours of a terminal, are left out of all cells. ``LEVEL:logger:message`` is a log too, without times.

Of ``key=value`` pairs in messages a value is in quotes, or goes on to the next blank, comma or semicolon, or to a
bracket that was opened before it. Of a key that a message has twice, the last value counts. A key whose values are
levels is the level of its entry; where a whole line is made of pairs, other keys are its message and its source.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.api import LONGEST_LINE, DoesNotHoldError, Options, ParserForm, Sample
from penstock.core.forms.log_facts import LogFacts
from penstock.core.forms.log_layout import LEAST, MOST, learn, learn_levels, spread
from penstock.core.forms.log_pieces import LETTERS, LEVELLED, LEVELS, SEVERITIES, entry_pattern, piece
from penstock.core.forms.log_times import STAMPS
from penstock.core.forms.text_cells import texts_of, typed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.core.forms.api import Batch, Batches, Columns, Lines, Tables, Words


BATCH: Final = 4_096  # lines parsed at a time: messages are rewritten once for each of these
STRAY: Final = 5  # one line in so many at the margin may begin no entry: programs print more than their log
TRIED: Final = 300  # lines of a sample that a layout is tried on

_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
# What stands at the margin inside a stack trace, or of a value that was printed over several lines.
_CONTINUED = re.compile(
    r"[\s})\]]|Traceback|Caused by|During handling|The above exception|goroutine [0-9]|at |\.\.\.|[-=+*#]{3}|"
    r"(?:Exception in thread|[\w.$]*(?:Exception|Error|Throwable|Warning))\b"
)
# The names of columns, with two blanks or a tab between some of them.
_HEADER = re.compile(r"[^0-9]*?\S(?:  |\t)[^0-9]*")
_NUMBERED = re.compile(r"pid|tid|number|at|status|bytes|c[0-9]+")  # columns that may be numbers
_DASHED: Final = frozenset({"host", "source", "pid", "msgid", "data", "ident", "user", "referer", "agent", "client"})
_PADDED: Final = frozenset({"source", "thread", "context"})
_ORDER: Final = {"line": 0, "time": 1, "level": 2, "source": 3}  # of columns; all others follow
_ALWAYS: Final = frozenset({"level", "message"})
MOST_KEYS: Final = 12  # columns; more would be a table of their own
RARE: Final = 0.05  # share of the sampled entries below which a key has no column
SAMPLED: Final = 240  # messages that keys are learned from

_LEVELS = ("level", "lvl", "severity", "loglevel")
_MESSAGES = ("msg", "message", "event")
_SOURCES = ("logger", "component", "caller", "source", "module", "service", "app")
_BEFORE = r"[ \t\n,;({\[|]"
_VALUE = r'("[^"\\\n]*(?:\\.[^"\\\n]*)*"|[^\s,;"()\[\]{}]*(?:[(\[{][^\s,;"]*|))'
_PAIR = re.compile(rf"(?<![^ \t,;({{\[|])([A-Za-z_@][\w.@-]{{0,39}})=(?!=){_VALUE}")

Key = list[Any]  # the key, the name of its column, and whether its values are texts


def learn_keys(messages: list[str], columns: list[str], *, whole: bool) -> list[Key]:
    """Return the keys that are worth a column besides ``columns``; ``whole`` if all of a line is made of pairs."""
    some = spread(messages, SAMPLED)
    values: dict[str, list[str]] = {}
    for message in some:
        if "=" in message:
            for key, value in dict(_PAIR.findall(message[:LONGEST_LINE])).items():
                values.setdefault(key, []).append(value.strip('"'))
    values = {key: cells for key, cells in values.items() if sum(map(bool, cells)) >= RARE * len(some)}
    often = sorted(values, key=lambda key: -len(values[key]))
    names: dict[str, str] = {}
    taken = {"line", "time", "lines", "level", "message", *columns}
    for column, keys in (("level", _LEVELS), ("message", _MESSAGES), ("source", _SOURCES)):
        key = next((key for key in keys if key in values), "")
        are_levels = sum(value.upper() in LEVELS for value in values.get(key, ())) >= MOST * len(some)
        if key and (are_levels and column not in columns if column == "level" else whole):
            names[key] = column
            taken.add(column)
    for key in often:
        if key not in names and key.lower() not in taken and len(names) < MOST_KEYS:
            taken.add(key.lower())
            names[key] = key
    return [[key, name, isinstance(typed(values[key])[0], str)] for key, name in names.items()]


def pair_cells(messages: Sequence[str], keys: tuple[str, ...]) -> tuple[list[int], Sequence[Sequence[str]]]:
    """Return the places of messages with pairs, and the values of each key in these: empty where one does not have
    it."""
    places = [at for at, message in enumerate(messages) if "=" in message]
    # The pattern remembers each repetition: of a very long line only the beginning is read.
    texts = [messages[at][:LONGEST_LINE] for at in places]
    rows = _pair_pattern(keys).findall("\n" + "\n".join(texts) + "\n", 1) if texts else []
    columns = list(zip(*rows, strict=True))[:-1] or [()] * len(keys)
    return places, [_unquoted(column) for column in columns] if any('="' in text for text in texts) else columns


@lru_cache(maxsize=64)
def _pair_pattern(keys: tuple[str, ...]) -> re.Pattern[str]:
    """Return one pattern that takes any line, with its newline: from one ``=`` to the next, and a look back at each."""
    each = "|".join(rf"(?<={_BEFORE}{re.escape(key)}=){_VALUE}" for key in keys)
    return re.compile(rf'(?:[^\n=]*=(?:{each}|"[^"\n]*"|))*.*()\n')


def _unquoted(cells: Sequence[str]) -> Sequence[str]:
    bare = {cell: cell[1:-1] for cell in set(cells) if cell.startswith('"')}
    return [bare.get(cell, cell) for cell in cells] if bare else cells


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
    if others[:1] == margin[:1] and _HEADER.fullmatch(margin[0]):
        return None  # a table with a column of times below its header
    columns, whole = layout["columns"], "pairs" in layout["columns"]
    fields = _fields(layout, list(zip(*entries, strict=True)))
    messages = list(map("".join, zip(fields["pairs"], fields["message"], strict=True))) if whole else fields["message"]
    may_be = {
        name: ["" if cell == "-" else cell for cell in fields[name]] for name in columns if _NUMBERED.fullmatch(name)
    }
    numbers = [name for name, cells in may_be.items() if str not in map(type, _numbers(cells))]
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
    return before, before + re.compile(STAMPS[options["stamp"]].pattern).groups


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
            is_dated=self.options["stamp"] != "" and STAMPS[self.options["stamp"]].dated,
        )

    def parse(self, lines: Lines) -> Batches:
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
            columns["time"] = STAMPS[self.options["stamp"]].write(*groups[first:after])
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

    def words(self, tables: Tables) -> Words:
        return self.facts.words(tables[0], self.read)


FORM: Final = ParserForm(name="logs", title="a log", looks_like=recognise, make=LogParser)
