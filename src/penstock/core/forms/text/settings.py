"""Settings: INI files, and lines of ``KEY=value`` (env files, git config --list, sysctl -a).

``items`` has a row for each key: ``line``, ``section`` where there are sections, ``key`` and ``value`` without quotes
around it. Lines that begin with ``#`` or ``;`` are comments. In an INI file indented lines go on with the value above
them, and a key may stand without a value; a value in quotes may go on over lines in an env file. Texts in which few
keys are different are records or a log, and none of these.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import chain, compress, count, repeat
from operator import sub
from typing import TYPE_CHECKING, Final

from penstock.core.forms.api import DoesNotHoldError, ParserForm, Words
from penstock.core.forms.line_parser import LineParser, holds
from penstock.core.forms.text_cells import texts_of
from penstock.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.core.forms.api import Batch, Batches, Columns, Options, Sample, Tables

LEAST: Final = 5  # keys
DIFFERENT: Final = 0.5  # of the keys in a text are different from all others in their section
MOST_SECTIONS: Final = 20_000  # different sections; more are no file of settings
MOST_KEYS: Final = 10_000  # different keys that are remembered: as many are settings
LONGEST_KEY: Final = 200  # characters

_SECTION = re.compile(r"\[([^\[\]\n]{1,300}+)\][ \t]*+(?:[#;].*)?")
_KEY: Final = r"(?:export[ \t]++)?([A-Za-z_][\w.\-/\\:*@+]*+)"
_PAIR = re.compile(rf"{_KEY}=(.*)", re.DOTALL)
_SPACED = re.compile(rf"[ \t]*+{_KEY}[ \t]*+=[ \t]*+(.*)", re.DOTALL)
_IN_SECTION = re.compile(r"([^\s\[\]=:#;][^=:\n]{0,199}+)(?:[=:][ \t]*+(.*)|$)", re.DOTALL)
# The same for many lines at once: section, key and value of each, or else the line, which is then looked at alone.
_OTHERS: Final = r"|[#;].*|(.*))\n"
_PAIRS = re.compile(rf"(?:(){_KEY}=(?![\"'])(.*){_OTHERS}")
_SPACED_PAIRS = re.compile(rf"(?:()[ \t]*+{_KEY}[ \t]*+=[ \t]*+(?![\"'])(.*){_OTHERS}")
_IN_SECTIONS = re.compile(rf"(?:\[([^\[\]\n]{{1,300}}+)\]|([^\s\[\]=:#;][^=:\n]{{0,199}}+)[=:][ \t]*+(.*){_OTHERS}")


def recognise(sample: Sample) -> Options | None:
    """Return how pairs are written, if the first line that is no comment begins a section, or has a pair."""
    first = next((line.strip() for line in sample.lines if not line.lstrip().startswith(("#", ";"))), "")
    if _SECTION.fullmatch(first[:1_000]) is not None:
        options: Options = {"sections": True, "spaced": True}
    elif (pair := _SPACED.match(first[:1_000])) is not None and not pair[2].startswith("="):  # a comparison
        options = {"sections": any(map(_SECTION.fullmatch, sample.lines))}
        options["spaced"] = _PAIR.match(first) is None or not pair[2]
    else:
        return None
    is_part = sample.count > len(sample.head)
    return options if holds(SettingsParser(options=options, is_part=is_part), sample.head) else None


@dataclass(slots=True, kw_only=True)
class SettingsParser(LineParser):
    is_part: bool = False  # of a text: a quote may go on behind it
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "keys"})
    sections: set[str] = field(default_factory=set)
    keys: set[tuple[str, str]] = field(default_factory=set)
    numbers: list[int] = field(default_factory=list)  # lines of keys that are not given out yet,
    places: list[str] = field(default_factory=list)  # their sections,
    names: list[str] = field(default_factory=list)  # the keys themselves,
    values: list[str] = field(default_factory=list)  # and what they are set to, with
    more: dict[int, list[str]] = field(default_factory=dict)  # further lines of the values of some rows
    _section: str = ""
    _mark: str = ""  # the quote that is open

    def read(self, lines: list[str]) -> Batch:
        pattern = _IN_SECTIONS if self.options["sections"] else _SPACED_PAIRS if self.options["spaced"] else _PAIRS
        rows = pattern.findall("\n".join((*lines, "")))
        sections, keys, values, others = zip(*rows, strict=True)
        if self._mark or any(others):
            for number, (row, line) in enumerate(zip(rows, lines, strict=True), self.seen + 1):
                self._read(number, row, line)
        else:
            self._take(self.seen + 1, sections, keys, values)
        return self._batch(len(self.names) - 1) if len(self.names) > 1 else {}  # the value of the last one may go on

    def rest(self) -> Batches:
        if self._mark:
            if not self.is_part:
                raise DoesNotHoldError("a quote without an end")
            self._end_quote()
        yield self._batch(len(self.names))

    def holds(self) -> bool:
        return self.count >= LEAST and len(self.keys) >= DIFFERENT * min(self.count, MOST_KEYS)

    def _take(self, first: int, sections: Sequence[str], keys: Sequence[str], values: Sequence[str]) -> None:
        """Take lines of which each is a section, a pair, a comment or blank."""
        self.numbers += compress(count(first), keys)
        self.names += filter(None, keys)
        self.values += map(str.rstrip, compress(values, keys))
        opened = [self._section, *map(str.strip, filter(None, sections))]
        starts = [0, *compress(count(), sections), len(keys)]
        places = chain.from_iterable(map(repeat, opened, map(sub, starts[1:], starts)))
        self.places += compress(places, keys)
        self._open(*opened[1:])

    def _read(self, number: int, row: tuple[str, ...], line: str) -> None:
        """Take any line."""
        section, key, value, other = row
        if self._mark:
            self.more.setdefault(len(self.names) - 1, []).append(line)
            if line.rstrip().endswith(self._mark):
                self._end_quote()
        elif key:
            self._add(number, key, value.rstrip())
        elif section:
            self._open(section.strip())
        elif (text := other.strip()) and text[0] not in "#;":
            self._read_other(number, other, text)

    def _read_other(self, number: int, line: str, text: str) -> None:
        """Take a line that is indented, is a section with a comment, has a key alone, or a value in quotes."""
        has_sections = self.options["sections"]
        if has_sections and text[0] == "[":
            section = _SECTION.fullmatch(text)
            if section is None:
                raise DoesNotHoldError("a section that is none")
            self._open(section[1].strip())
        elif has_sections and line[0] in " \t" and self.names and not _SPACED.match(text, 0, LONGEST_KEY):
            # It goes on with a value, and has no key of its own, as lines of .gitconfig have.
            self.more.setdefault(len(self.names) - 1, []).append(text)
        else:
            pattern = _IN_SECTION if has_sections else _SPACED if self.options["spaced"] else _PAIR
            pair = pattern.fullmatch(text)
            if pair is None:
                raise DoesNotHoldError("a line that is no setting")
            self._add(number, pair[1], (pair[2] or "").rstrip())

    def _open(self, *sections: str) -> None:
        """Begin sections, of which the last stays open."""
        if sections:
            self._section = sections[-1]
            self.sections.update(sections)
        if len(self.sections) > MOST_SECTIONS:
            raise DoesNotHoldError("too many sections")

    def _add(self, number: int, key: str, value: str) -> None:
        """Take a pair. A value in quotes that does not end on its line goes on, outside of sections."""
        mark = value[:1] if not self.options["sections"] and value[:1] in ("'", '"') else ""
        if mark and mark not in value[1:]:
            self._mark = mark
        elif mark and value[-1] == mark:
            value = value[1:-1]  # else something follows the quotes: a comment, or more text
        self.numbers.append(number)
        self.places.append(self._section)
        self.names.append(key)
        self.values.append(value)

    def _end_quote(self) -> None:
        """Put a value in quotes together, without these."""
        parts = (self.values[-1], *self.more.pop(len(self.names) - 1, ()))
        self.values[-1] = "\n".join(parts).rstrip()[1:].removesuffix(self._mark)
        self._mark = ""

    def _batch(self, size: int) -> Batch:
        """Give out the first of the keys."""
        for at in [at for at in self.more if at < size]:
            self.values[at] = "\n".join((self.values[at], *self.more.pop(at)))
        self.more = {at - size: parts for at, parts in self.more.items()}
        self.count += size
        numbers, self.numbers = self.numbers[:size], self.numbers[size:]
        sections, self.places = self.places[:size], self.places[size:]
        names, self.names = list(map(str.rstrip, self.names[:size])), self.names[size:]
        values, self.values = self.values[:size], self.values[size:]
        if len(self.keys) < MOST_KEYS:
            self.keys.update(zip(sections, names, strict=True))
        columns: Columns = {"line": numbers}
        if self.options["sections"]:
            columns["section"] = texts_of(sections)
        # Values are texts: no two keys have values of one kind.
        return {"items": {**columns, "key": names, "value": texts_of(values)}}

    def words(self, tables: Tables) -> Words:
        del tables
        if not self.options["sections"]:
            return Words(what=f"settings, key=value a line: {counted(self.count, 'key')}")
        return Words(what=f"settings: {counted(self.count, 'key')} in {counted(len(self.sections), 'section')}")


FORM: Final = ParserForm(name="settings", title="settings", looks_like=recognise, make=SettingsParser)
