"""``Key: value`` stanzas. Results of ``brave_web_search`` have blank lines between them, those of
``brave_local_search`` have ``---``, and those of ``search`` of duckduckgo-mcp-server have a heading each.

A stanza begins behind a blank line, at a heading (a line at the margin that is no key with a value), or where the first
key of the text comes again. ``items`` has a row for each stanza: ``line``, its ``heading``, and a column for each key.
Indented lines go on with the value above them, and a key that repeats in a stanza adds its value: both as further lines
of one cell. Below a heading, keys may be indented and have bullets. All other lines are no stanzas, but for the last
line of the text, where it may have been cut.

What is indented below a key without a value, and has keys or bullets itself, is YAML, unless values are aligned as YAML
never has them.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from penstock.core.forms.api import DoesNotHoldError, Excerpt, ParserForm, Words
from penstock.core.forms.growing import GrowingRows
from penstock.core.forms.line_parser import LineParser, holds
from penstock.core.text import counted

if TYPE_CHECKING:
    from penstock.core.forms.api import Batch, Batches, Options, Sample, Tables

MIN_STANZAS: Final = 3  # Fewer than 3 stanzas are no table.
MIN_KEYS: Final = 2  # Stanzas have 2 keys on average. With one it is a conversation, or prose.
MIN_SHARE: Final = 0.9  # Keys that 9 in 10 stanzas have are common to all.
# Stanzas have so many keys in common, by how they begin. With fewer below headings it is a text with notes, and with
# fewer behind each other it is a conversation.
MIN_COMMON: Final = {"blank": 1, "heading": 3, "key": 4}
HEADING: Final = "heading"

_NAME: Final = r"([A-Za-z][\w./()+-]*+(?: [\w./()+-]++){0,4}+)[ \t]*+:(?:[ \t]++(.*)|$)"
_PAIR = re.compile(_NAME, re.DOTALL)
_PAIR_BELOW = re.compile(rf"[ \t]*+(?:[-*] )?+{_NAME}", re.DOTALL)
_ALIGNED = re.compile(r"[^:\n]{1,200}+:(?: {2,}+|\t)\S")
_YAML = re.compile(r"[ \t]++(?:- |-$|[\w.\"'/-]++:(?: |$))")


def recognise(sample: Sample) -> Options | None:
    """Return how stanzas begin, if all lines of the sample are of such stanzas, with keys in common."""
    lines = [line for line in sample.head if line]
    if len(lines) < MIN_STANZAS * MIN_KEYS or ":" not in lines[0] + lines[1]:
        return None
    pair = _PAIR.fullmatch(lines[0])
    if pair is None or not pair[2]:
        options: Options = {"begin": HEADING}
    elif "" in sample.head or "---" in sample.head:
        options = {"begin": "blank"}
    else:
        options = {"begin": "key", "first": pair[1]}
    aligned = sum(_ALIGNED.match(line) is not None for line in lines)
    options["aligned"] = aligned * 2 > sum(line[0] not in " \t" for line in lines)
    is_part = sample.count > len(sample.head)
    return options if holds(StanzaParser(options=options, is_part=is_part), sample.head) else None


@dataclass(slots=True, kw_only=True)
class StanzaParser(LineParser):
    is_part: bool = False  # The lines end inside a stanza.
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "stanzas"})
    rows: GrowingRows = field(default_factory=lambda: GrowingRows(taken={"line"}))
    starts: list[int] = field(default_factory=list)  # lines at which the stanzas of this batch begin
    stanzas: Counter[str] = field(default_factory=Counter)  # that have each key
    keys: set[str] = field(default_factory=set)  # of the open stanza
    last: str = ""  # the key that the next line may go on with
    has_value: bool = False  # that key has one on its own line
    waiting: tuple[int, str] | None = None  # a line that is a heading if keys follow; else the end of the text

    def read(self, lines: list[str]) -> Batch:
        begin = self.options["begin"]
        match = (_PAIR_BELOW if begin == HEADING else _PAIR).fullmatch
        for number, line in enumerate(lines, self.seen + 1):
            pair = match(line)
            is_indented = line[:1] in (" ", "\t")
            if not line or line.isspace() or (begin != HEADING and line == "---" and not self.last[:1].islower()):
                if begin != HEADING:
                    self._close()
            elif begin == HEADING and not is_indented and (pair is None or not pair[2]):
                self._open_waiting()
                self._close()
                self.waiting = (number, line)
            elif pair is not None:
                self._open_waiting()
                self._put(number, pair[1], (pair[2] or "").strip())
            elif is_indented:
                self._open_waiting()
                self._go_on(line)
            else:
                self._open_waiting()
                self.waiting = (number, line)
        return self._batch()

    def rest(self) -> Batches:
        if not self.is_part:
            self._close()
        yield self._batch()

    def holds(self) -> bool:
        common = sum(number >= MIN_SHARE * self.count for number in self.stanzas.values())
        is_rich = self.stanzas.total() >= MIN_KEYS * self.count
        return self.count >= MIN_STANZAS and is_rich and common >= MIN_COMMON[self.options["begin"]]

    def _open_waiting(self) -> None:
        """Take the line before this one, which is not the last of the text: it can only be a heading."""
        if self.waiting is None:
            return
        if self.options["begin"] != HEADING:
            raise DoesNotHoldError("a line that is no key with a value")
        number, line = self.waiting
        self.waiting = None
        self._put(number, HEADING, line.rstrip().removesuffix(":"))

    def _put(self, number: int, key: str, value: str) -> None:
        begin = self.options["begin"]
        if begin == "key" and key in self.keys:
            if key != self.options["first"]:
                raise DoesNotHoldError("a key that repeats")
            self._close()
        if begin == HEADING and not self.keys and key != HEADING:
            raise DoesNotHoldError("a key without a heading")
        if not self.keys:
            self.starts.append(number)
        self.rows.put(key, value)
        self.keys.add(key)
        self.last, self.has_value = key, bool(value)

    def _go_on(self, line: str) -> None:
        """Add an indented line to the value above it."""
        is_yaml = not self.has_value and not self.options["aligned"] and _YAML.match(line, 0, 200)
        if self.last in ("", HEADING) or is_yaml:
            raise DoesNotHoldError("an indented line that goes on with no value")
        self.rows.put(self.last, line[1:] if self.options["begin"] != HEADING else line.strip())

    def _close(self) -> None:
        """End the stanza, if one is open."""
        if self.keys:
            self.rows.close()
            self.count += 1
            self.stanzas.update(self.keys)
            self.keys = set()
        self.last = ""

    def _batch(self) -> Batch:
        size = self.rows.size
        if not size:
            return {}
        starts, self.starts = self.starts[:size], self.starts[size:]
        return {"items": {"line": starts, **self.rows.take(self.options.get("text", ()))}}

    def words(self, tables: Tables) -> Words:
        del tables
        is_headed = self.options["begin"] == HEADING
        below = " below headings" if is_headed else ""
        keys = counted(len(self.stanzas) - is_headed, "different key")
        what = f'{counted(self.count, "stanza")} of "Key: value" lines{below}, {keys}'
        cut = [self.waiting] if self.waiting is not None else []
        return Words(what=what, excerpts=Excerpt.of("the last line, which is no key with a value", cut))


FORM: Final = ParserForm(name="stanzas", title='"Key: value" stanzas', looks_like=recognise, make=StanzaParser)
