"""Logs, as servers for Kubernetes (mcp-server-kubernetes: kubectl_logs), Docker, journald, CloudWatch and CI, and those
that read files return them: entries that have a time stamp in one place and one format.

Read log_layout.py first: it finds the layout of a log in a sample, and makes one pattern of it that reads all lines. A
line that does not match goes on with the entry before it (a stack trace). ``items`` has a row for each entry: ``line``,
``time`` (see log_times.py), ``level`` in capitals, ``source`` (a logger, process or component), other fields of the
layout by their names, the words ``before`` the stamp and the ``context`` before the level, the ``message`` (the rest of
its first line), ``lines`` where an entry has more than one, and a column for each frequent ``key=value``.

Levels of one letter are written out (D is DEBUG), and so are the severities in the priorities of syslog. An access log
has ``client``, ``method``, ``path``, ``status`` and the like instead of a message; ``-`` is nothing there. A column
that a layout does not have is never guessed: a message that only mentions an error has no level. The colours of a
terminal are left out of all cells. ``LEVEL:logger:message`` is a log too, without times.

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

from penstock.core.forms.api import LONGEST_LINE, DoesNotHoldError, Excerpt, Options, ParserForm, Sample, Words
from penstock.core.forms.line_parser import columns_of
from penstock.core.forms.log_facts import Gaps, Templates, UndatedSpan
from penstock.core.forms.log_layout import (
    ERRORS,
    LETTERS,
    LEVEL_WORD,
    MIN_ENTRIES,
    MIN_MOST,
    entry_pattern,
    learn,
    learn_levels,
    spread,
)
from penstock.core.forms.log_times import STAMPS
from penstock.core.forms.text_cells import texts_of, typed
from penstock.core.tables.roles import LEVELS as LEVEL_NAMES
from penstock.core.tables.roles import MESSAGES, SOURCES
from penstock.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.core.forms.api import Batch, Batches, Columns, Lines, Tables
    from penstock.core.forms.reading import Table


MAX_BATCH: Final = 4_096  # At most 4,096 lines are parsed together. Messages are rewritten once for all of these.
MAX_STRAY_RATIO: Final = (
    5  # At most 1 line in 5 at the margin begins no entry, because programs print more than their log.
)
MAX_TRIED: Final = 300  # A layout is tried on at most 300 lines of a sample.

_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
# What stands at the margin inside a stack trace, or of a value that was printed over several lines.
_CONTINUED = re.compile(
    r"[\s})\]]|Traceback|Caused by|During handling|The above exception|goroutine [0-9]|at |\.\.\.|[-=+*#]{3}|"
    r"(?:Exception in thread|[\w.$]*(?:Exception|Error|Throwable|Warning))\b"
)
# The names of columns, with two blanks or a tab between some of them.
_HEADER = re.compile(r"[^0-9]*?\S(?:  |\t)[^0-9]*")
SEVERITIES: Final = ("EMERG", "ALERT", "CRIT", "ERR", "WARNING", "NOTICE", "INFO", "DEBUG")  # RFC 5424, section 6.2.1
_NUMBERED: Final = ("pid", "tid", "number", "at", "status", "bytes")  # columns that may be numbers
_ORDER: Final = ("line", "time", "level", "source")  # of columns; all others follow
_OF_STAMPS: Final = ("_date", "_clock", "_year")
_MARKS: Final = "[]:-| \t"  # around a source
_ALWAYS: Final = frozenset({"level", "message"})
_PADDED: Final = frozenset({"source", "thread", "context", "before"})
_DASHED: Final = frozenset({"client", "user", "referer", "agent"})
MAX_KEYS: Final = 12  # Columns of keys; more would be a table of their own.
MIN_KEY_SHARE: Final = 0.05  # A key has a column if at least 1 in 20 of the sampled entries has it.
MAX_SAMPLED: Final = 240  # Keys are learned from at most 240 messages.

_BEFORE = r"[ \t\n,;({\[|]"
_VALUE = r'("[^"\\\n]*(?:\\.[^"\\\n]*)*"|[^\s,;"()\[\]{}]*(?:[(\[{][^\s,;"]*|))'
_PAIR = re.compile(rf"(?<![^ \t,;({{\[|])([A-Za-z_@][\w.@-]{{0,39}})=(?!=){_VALUE}")

Key = list[Any]  # the key, the name of its column, and whether its values are texts


def learn_keys(messages: list[str], columns: list[str], *, whole: bool) -> list[Key]:
    """Return the keys that are worth a column besides ``columns``; ``whole`` if all of a line is made of pairs."""
    some = spread(messages, MAX_SAMPLED)
    values: dict[str, list[str]] = {}
    for message in some:
        if "=" in message:
            for key, value in dict(_PAIR.findall(message[:LONGEST_LINE])).items():
                values.setdefault(key, []).append(value.strip('"'))
    values = {key: cells for key, cells in values.items() if sum(map(bool, cells)) >= MIN_KEY_SHARE * len(some)}
    often = sorted(values, key=lambda key: -len(values[key]))
    names: dict[str, str] = {}
    taken = {"line", "time", "lines", "level", "message", *columns}
    for column, keys in (("level", LEVEL_NAMES), ("message", MESSAGES), ("source", SOURCES)):
        key = next((key for key in keys if key in values), "")
        are_levels = sum(LEVEL_WORD.fullmatch(value) is not None for value in values.get(key, ())) >= MIN_MOST * len(
            some
        )
        if key and (are_levels and column not in columns if column == "level" else whole):
            names[key] = column
            taken.add(column)
    for key in often:
        if key not in names and key.lower() not in taken and len(names) < MAX_KEYS:
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
    layout = learn(margin) or learn_levels(margin) if len(margin) >= MIN_ENTRIES else None
    if layout is None:
        return None
    margin = [line[:LONGEST_LINE] for line in spread(margin, MAX_TRIED)]
    pattern = entry_pattern(layout)
    rows = pattern.findall("\n".join(margin) + "\n")
    entries = [groups for groups in rows if any(groups)]
    others = [line for line, groups in zip(margin, rows, strict=True) if not any(groups)]
    stray = sum(_CONTINUED.match(line) is None for line in others)
    if stray * MAX_STRAY_RATIO > len(entries) + stray:
        return None
    if others[:1] == margin[:1] and _HEADER.fullmatch(margin[0]):
        return None  # a table with a column of times below its header
    fields = _fields(pattern, entries)
    whole = "pairs" in fields
    messages = list(map("".join, zip(fields["pairs"], fields["message"], strict=True))) if whole else fields["message"]
    few = layout["level"] in (1, 2) and "source" not in fields
    named = few and not all(text.strip(_MARKS).isdigit() for text in fields["context"] if text)
    taken = [name for name, cells in fields.items() if any(cells) and name not in _OF_STAMPS]
    numbers = [
        name
        for name in _NUMBERED
        if name in fields and str not in map(type, _numbers(["" if cell == "-" else cell for cell in fields[name]]))
    ]
    keys = learn_keys(list(messages), taken, whole=whole)
    return {**layout, "named": named, "numbers": numbers, "keys": keys, "text": []}


def _fields(pattern: re.Pattern[str], rows: list[tuple[str, ...]]) -> dict[str, Sequence[str]]:
    """Return the named groups of some entries by their columns."""
    return {"message": [], **columns_of(pattern, rows)}


def _numbers(cells: Sequence[str]) -> list[Any]:
    """Read cells as numbers, if all are: many repeat, or are empty."""
    different = list(set(cells))
    if len(different) * 2 > len(cells):
        return typed(cells)
    values = dict(zip(different, typed(different), strict=True))
    return [values[cell] for cell in cells]


def _of_request(before: Sequence[str]) -> dict[str, Sequence[str]]:
    """Return the words before the stamp of a request: the first is the client, and the last the user."""
    words = [text.split() or [""] for text in before]
    return {"client": [one[0] for one in words], "user": [one[-1] if len(one) > 1 else "" for one in words]}


@dataclass(slots=True, kw_only=True)
class LogParser:
    options: Options
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "entries"})
    templates: Templates = field(init=False)
    gaps: Gaps = field(default_factory=Gaps)
    read: int = 0  # lines
    entries: int = 0
    stray: int = 0  # lines at the margin that begin no entry and belong to no stack trace
    before: int = 0  # lines before the first entry
    span: UndatedSpan = field(default_factory=UndatedSpan)
    quiet: str = ""  # the line after the longest silence
    rows: list[tuple[str, ...]] = field(default_factory=list)  # the groups of entries that were not given out yet,
    starts: list[int] = field(default_factory=list)  # the number of the first line of each,
    ends: list[int] = field(default_factory=list)  # and of the last that is not blank
    raw: str = ""  # the first line of the last entry
    pattern: re.Pattern[str] = field(init=False)
    numeric: set[str] = field(init=False)  # columns whose cells may be numbers

    def __post_init__(self) -> None:
        self.pattern = entry_pattern(self.options)
        keys = {name: is_text for _, name, is_text in self.options["keys"]}
        numbers = {*self.options["numbers"], *(name for name, is_text in keys.items() if not is_text)}
        self.numeric = numbers - {"level", "message", "source", *self.options["text"]}
        self.templates = Templates(has_levels=not {"level", "priority"}.isdisjoint([*self.pattern.groupindex, *keys]))

    def parse(self, lines: Lines) -> Batches:
        source = iter(lines)
        while chunk := list(islice(source, MAX_BATCH)):
            if not self.read:
                chunk[0] = chunk[0].removeprefix("\ufeff")
            text = "\n".join(chunk) + "\n"
            rows = self.pattern.findall(_COLOUR.sub("", text) if "\x1b" in text else text)
            self._gather(chunk, rows)
            if len(self.rows) > 1:
                yield self._give(chunk, len(self.rows) - 1)
            if self.rows:
                self.raw = self._line(chunk, self.starts[-1])
            self.read += len(chunk)
        if not self.rows:
            raise DoesNotHoldError("no entry")
        yield self._give([], len(self.rows))
        if self.stray * MAX_STRAY_RATIO > self.entries + self.stray:
            raise DoesNotHoldError("lines of another form")

    def _gather(self, chunk: list[str], rows: list[tuple[str, ...]]) -> None:
        """Take the entries that begin on these lines, and add the other lines to those before them."""
        first = self.read + 1
        if all(map(any, rows)):
            self.rows += rows
            self.starts += range(first, first + len(rows))
            self.ends += range(first, first + len(rows))
            return
        for number, groups in enumerate(rows, first):
            if any(groups):
                self.rows.append(groups)
                self.starts.append(number)
                self.ends.append(number)
            elif line := chunk[number - first][:LONGEST_LINE].rstrip():
                if self.rows:
                    self.ends[-1] = number
                self.stray += _CONTINUED.match(line) is None
                self.before += not self.starts

    def _line(self, chunk: list[str], number: int) -> str:
        """Return the text of a line of this chunk, or of the entry that was left from the one before."""
        return chunk[number - self.read - 1][:LONGEST_LINE] if number > self.read else self.raw

    def _give(self, chunk: list[str], count: int) -> Batch:
        """Make cells of the first entries. The last one waits: its lines may go on."""
        rows, starts, ends = self.rows[:count], self.starts[:count], self.ends[:count]
        self.rows, self.starts, self.ends = self.rows[count:], self.starts[count:], self.ends[count:]
        columns = self._columns(rows, starts)
        if starts != ends:
            sizes = [end - start + 1 for start, end in zip(starts, ends, strict=True)]
            columns["lines"] = [size if size > 1 else None for size in sizes]
        self._learn(columns, chunk)
        return {"items": columns}

    def _columns(self, rows: list[tuple[str, ...]], starts: list[int]) -> Columns:
        """Return the cells of entries: of the fields of the layout, of their messages, and of the keys in these."""
        fields = _fields(self.pattern, rows)
        messages = fields["message"]
        if "pairs" in fields:
            messages = list(map("".join, zip(fields.pop("pairs"), messages, strict=True)))
        if "priority" in fields:
            fields.setdefault("level", [SEVERITIES[int(text) & 7] for text in fields.pop("priority")])
        if self.options["named"]:  # The words before the level are the source.
            bare = {text: text.strip(_MARKS) for text in set(fields["context"])}
            fields["source"] = [bare[text] for text in fields.pop("context")]
        if self.options["head"] == "request":
            fields["rest"] = fields.pop("message")
            fields = {**_of_request(fields.pop("before", [""] * len(rows))), **fields}
        columns: Columns = {"line": starts}
        if self.options["stamp"]:
            stamps = [fields.pop(name) for name in _OF_STAMPS if name in fields]
            columns["time"] = STAMPS[self.options["stamp"]].write(*stamps)
        columns |= {name: self._cells(name, texts) for name, texts in fields.items() if name in _ALWAYS or any(texts)}
        columns |= self._pairs(messages)
        return {name: columns[name] for name in dict.fromkeys((*_ORDER, *columns)) if name in columns}

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
        if name in _DASHED and "-" in cells:
            cells = ["" if cell == "-" else cell for cell in cells]
        if name == "level":
            words = {word: LETTERS.get(word, word.upper()) or None for word in set(cells)}
            return [words[cell] for cell in cells]
        if name in self.numeric:
            return _numbers(cells)
        if name in _PADDED:
            bare = {cell: cell.strip() for cell in set(cells)}
            cells = [bare[cell] for cell in cells]
        return texts_of(cells)

    def _learn(self, columns: Columns, chunk: list[str]) -> None:
        self.entries += len(columns["line"])
        self.templates.learn(columns)
        times = columns.get("time", ())
        stamp = STAMPS.get(self.options["stamp"])
        if stamp is not None and stamp.is_dated:
            after = self.gaps.after
            self.gaps.learn(list(times), columns["line"])
            self.quiet = self.quiet if self.gaps.after == after else self._line(chunk, self.gaps.after)
        elif times and self.options["stamp"] != "two numbers":
            self.span.learn(times)

    def words(self, tables: Tables) -> Words:
        table = tables[0]
        what = "an access log" if self.options["head"] == "request" else "a log"
        what = f"{what}: {counted(self.entries, 'entry', 'entries')}"
        what += f" on {counted(self.read, 'line')}" if self.read != self.entries else ""
        facts = [*self.templates.facts(), *self.gaps.facts()]
        facts += [f"lines before the first entry: {self.before:,}"] if self.before else []
        quiet = [(self.gaps.after, self.quiet)] if self.quiet and not self.gaps.backwards else []
        excerpts = Excerpt.of("after the longest gap", quiet)
        return Words(what=", ".join([what, *self._span(table), *_errors(table)]), facts=tuple(facts), excerpts=excerpts)

    def _span(self, table: Table) -> list[str]:
        """Return the least and the greatest time."""
        if self.span.first:
            return [self.span.words()]
        times = table.field("time")
        if times is None or times.column.earliest is None or times.column.latest is None:
            return []
        first, last = times.column.earliest.value, times.column.latest.value
        return [f"{first} to {last[11:] if first[:10] == last[:10] else last}"]


def _errors(table: Table) -> list[str]:
    """Return how many entries have each level of an error, the worst first."""
    levels = table.field("level")
    counts = {str(level): count for level, count in levels.column.values()} if levels is not None else {}
    worst = sorted(counts.keys() & ERRORS.keys(), key=lambda level: -ERRORS[level])
    return [f"{counts[level]:,} {level}" for level in worst] or (["none of level ERROR or worse"] if counts else [])


FORM: Final = ParserForm(name="logs", title="a log", looks_like=recognise, make=LogParser, reads_items=True)
