"""Settings: INI files, and lines of ``KEY=value`` (env files, git config --list, sysctl -a).

``items`` has a row for each key: ``line``, ``section`` where there are sections, ``key`` and ``value`` without quotes
around it. Lines that begin with ``#`` or ``;`` are comments. In an INI file indented lines go on with the value above
them, and a key may stand without a value; a value in quotes may go on over lines in an env file. Texts in which few
keys are different are records or a log, and none of these.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.text_form import BATCH, DoesNotHoldError, Options, Sample, TextForm, Words
from penstock.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from penstock.core.forms.reading import Table
    from penstock.core.forms.text_form import Batch

LEAST: Final = 5  # keys
DIFFERENT: Final = 0.5  # of the keys in a text are different from all others in their section
MOST_SECTIONS: Final = 20_000  # different sections; more are no file of settings
MOST_KEYS: Final = 200_000  # different keys that are remembered
LONGEST_KEY: Final = 200  # characters

_SECTION = re.compile(r"\[([^\[\]\n]{1,300}+)\][ \t]*+(?:[#;].*)?")
_PAIR = re.compile(r"(?:export[ \t]++)?([A-Za-z_][\w.\-/\\:*@+]*+)(=)(.*)", re.DOTALL)
_SPACED = re.compile(r"[ \t]*+(?:export[ \t]++)?([A-Za-z_][\w.\-/\\:*@+]*+)[ \t]*+(=)[ \t]*+(.*)", re.DOTALL)
_IN_SECTION = re.compile(r"([^\s\[\]=:#;][^=:\n]{0,199}+)(?:([=:])[ \t]*+(.*)|$)", re.DOTALL)


def recognise(sample: Sample) -> Options | None:
    """How pairs are written, if the first line that is no comment begins a section, or has a pair."""
    first = next((line.strip() for line in sample.lines if not line.lstrip().startswith(("#", ";"))), "")
    if _SECTION.fullmatch(first[:1_000]) is not None:
        options: Options = {"sections": True, "spaced": True}
    elif (pair := _SPACED.match(first[:1_000])) is not None:
        options = {"sections": any(map(_SECTION.fullmatch, sample.lines)), "spaced": _PAIR.match(first) is None}
        options["spaced"] = options["spaced"] or not pair[3]
    else:
        return None
    lines = list(sample.head)
    parser = SettingsParser(options=options, is_part=sample.count > len(lines))
    try:
        for _ in parser.parse(lines):
            pass
    except DoesNotHoldError:
        return None
    return options


def parser(options: Options) -> SettingsParser:
    return SettingsParser(options=options)


@dataclass(slots=True, kw_only=True)
class SettingsParser:
    options: Options
    is_part: bool = False  # of a text: a quote may go on behind it
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "keys"})
    sections: set[str] = field(default_factory=set)
    keys: set[tuple[str, str]] = field(default_factory=set)
    count: int = 0
    rows: list[list[Any]] = field(default_factory=list)  # line, section, key and value of rows not given out yet
    _section: str = ""

    def parse(self, lines: Iterable[str]) -> Iterator[Batch]:
        source = iter(enumerate(lines, 1))
        has_sections = self.options["sections"]
        pattern = _IN_SECTION if has_sections else _SPACED if self.options["spaced"] else _PAIR
        for number, line in source:
            text = line.strip()
            if not text or text[0] in "#;":
                continue
            if has_sections and text[0] == "[":
                self._open(text)
            elif has_sections and line[0] in " \t" and self.rows and not self._is_pair(text):
                self.rows[-1][3].append(text)
            else:
                pair = pattern.fullmatch(text)
                if pair is None:
                    raise DoesNotHoldError("a line that is no setting")
                if len(self.rows) >= BATCH:
                    yield self._batch()
                value = (pair[3] or "").rstrip()
                if not has_sections and value[:1] in ("'", '"'):
                    value = self._quoted(value, source)
                self._add(number, pair[1].rstrip(), value)
        if self.count < LEAST or len(self.keys) < DIFFERENT * min(self.count, MOST_KEYS):
            raise DoesNotHoldError("too few different keys")
        yield self._batch()

    def _is_pair(self, text: str) -> bool:
        """Whether an indented line has a key of its own, as in .gitconfig, and does not go on with a value."""
        return _SPACED.match(text, 0, LONGEST_KEY) is not None

    def _open(self, text: str) -> None:
        section = _SECTION.fullmatch(text)
        if section is None:
            raise DoesNotHoldError("a section that is none")
        self._section = section[1].strip()
        self.sections.add(self._section)
        if len(self.sections) > MOST_SECTIONS:
            raise DoesNotHoldError("too many sections")

    def _quoted(self, value: str, source: Iterator[tuple[int, str]]) -> str:
        """A value without its quotes; one that does not end on its line goes on."""
        mark, parts = value[0], [value]
        if len(value) < 2 or value[-1] != mark:
            if mark in value[1:]:
                return value  # something follows the quotes: a comment, or more text
            for _, line in source:
                parts.append(line)
                if line.rstrip().endswith(mark):
                    break
            else:
                if not self.is_part:
                    raise DoesNotHoldError("a quote without an end")
        return "\n".join(parts).rstrip()[1:].removesuffix(mark)

    def _add(self, number: int, key: str, value: str) -> None:
        self.rows.append([number, self._section, key, [value]])
        self.count += 1
        if len(self.keys) < MOST_KEYS:
            self.keys.add((self._section, key))

    def _batch(self) -> Batch:
        rows, self.rows = self.rows, []
        columns: dict[str, list[Any]] = {"line": [row[0] for row in rows]}
        if self.options["sections"]:
            columns["section"] = [row[1] or None for row in rows]
        columns["key"] = [row[2] for row in rows]
        columns["value"] = ["\n".join(row[3]) or None for row in rows]  # texts: no two keys have values of one kind
        return {"items": columns}

    def words(self, tables: Sequence[Table]) -> Words:
        del tables
        if not self.options["sections"]:
            return Words(what=f"settings, key=value a line: {counted(self.count, 'key')}")
        return Words(what=f"settings: {counted(self.count, 'key')} in {counted(len(self.sections), 'section')}")


FORM: Final = TextForm(name="settings", title="settings", recognise=recognise, parser=parser)
