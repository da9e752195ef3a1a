"""``Key: value`` stanzas with blank lines between them: dpkg status, apt-cache show, pip show, rpm -qi, /proc/cpuinfo.
Without blank lines a stanza begins wherever the first key of the text comes again (``/proc/*/status``); such stanzas
have several keys in common, each of them once. Or a stanza begins with a heading, which is no key with a value
(``/proc/*/smaps``, apt-cache policy, results of a search); the keys below it may be indented, and have ``|`` or ``=``
before their values (psql with ``\\x``, mysql with ``\\G``, ``sqlite3 -line``, which has no headings).

``items`` has a row for each stanza: ``line``, its ``heading``, and a column for each key. Lines that begin with a space
or a tab go on with the value above them, and a key that repeats in a stanza adds its value: both as further lines of
one cell. All lines of the text are such lines, but perhaps the last, where the text was cut; nearly all stanzas have a
key in common.
What is indented below a key without a value, and has keys or bullets itself, is YAML and none of these, unless values
are aligned as YAML never has them (``kubectl describe``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from penstock.core.forms.api import BATCH, LONGEST_LINE, DoesNotHoldError, Excerpt, Options, ParserForm, Sample, Words
from penstock.core.forms.growing import GrowingRows
from penstock.core.forms.line_parser import holds
from penstock.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.core.forms.api import Batch, Batches, Lines, Tables

LEAST: Final = 3  # stanzas, of which
LEAST_KEYS: Final = 2  # each has so many keys on average: with fewer it is a conversation, or prose
COMMON: Final = 0.9  # of the stanzas have one key in common,
HEADING: Final = "heading"
LEAST_BELOW: Final = 3  # or the heading and two keys below it
LEAST_COMMON: Final = 4  # or so many, where no blank lines part them: with fewer it is a conversation

_KEY = re.compile(r"[A-Za-z][\w./()+-]*+(?: [\w./()+-]++){0,4}+[ \t]*+")
_ALIGNED = re.compile(r"[^:\n]{1,200}+:(?: {2,}+|\t)\S")
_NAME: Final = r"[ \t]*+(?:[-*] )?+([A-Za-z][\w./()+-]*+(?: [\w./()+-]++){0,4}+)"
# By what stands between a key and its value, such lines below a heading.
_BELOW: Final = {
    ":": re.compile(rf"{_NAME}[ \t]*+:(?:[ \t]++(.*)|$)"),
    "=": re.compile(rf"{_NAME}[ \t]++=(?:[ \t]++(.*)|$)"),
    "|": re.compile(rf"{_NAME}[ \t]++\|(?:[ \t]++(.*)|$)"),
}
_YAML = re.compile(r"[ \t]++(?:- |-$|[\w.\"'/-]++:(?: |$))")
_RULE = re.compile(r"-{3,}")


def recognise(sample: Sample) -> Options | None:
    """Return True if all lines of the sample are keys with values, and the stanzas at its beginning have a key in
    common."""
    first = next((line for line in sample.head if line), "")
    if ":" not in first[:120]:
        return None
    is_parted = "" in sample.head or "---" in sample.head
    options: Options = {} if is_parted else {"first": first.partition(":")[0].rstrip()}
    if sum(_ALIGNED.match(line) is not None for line in sample.head) * 2 > sum(
        line[:1].strip() > "" for line in sample.head
    ):
        options["aligned"] = True
    lines = sample.head if sample.count <= len(sample.head) else _without_last(sample.head, options.get("first"))
    fits = holds(StanzaParser(options=options), lines) and all(_fits(line) for run in sample.runs for line in run)
    return options if fits else None


def recognise_headed(sample: Sample) -> Options | None:
    """Return what stands between keys and values below headings, or between blank lines."""
    first = next((line for line in sample.head if line), "")
    for mark, pattern in _BELOW.items():
        headed: Options = {"headed": True, "mark": mark}
        is_section = mark == "=" and first[:1] == "["  # of settings
        if not is_section and _is_heading(first, mark) and any(map(pattern.match, sample.head[1:3])):
            starts = [at for at, line in enumerate(sample.head) if _is_heading(line, mark)]
            end = None if sample.count <= len(sample.head) else starts[-1]
            return headed if holds(StanzaParser(options=headed), sample.head[:end]) else None
    if _BELOW["="].match(first) and "" in sample.head:
        parted: Options = {"parted": True, "mark": "="}
        some = sample.head if sample.count <= len(sample.head) else _without_last(sample.head, None)
        return parted if holds(StanzaParser(options=parted), some) else None
    return None


def _is_heading(line: str, mark: str) -> bool:
    """Return True if a line stands at the margin, and is no key with a value."""
    pair = _BELOW[mark].fullmatch(line[:LONGEST_LINE])
    return bool(line[:1].strip()) and (pair is None or not pair[2])


def _without_last(lines: Sequence[str], first: str | None) -> Sequence[str]:
    """Return lines without the last stanza, which goes on behind them; ``first`` is the key that stanzas begin with."""
    ends = [at for at, line in enumerate(lines) if (_ends(line) if first is None else line.startswith(first))]
    return lines[: ends[-1] + (first is None)]


def _ends(line: str) -> bool:
    return not line or line.isspace() or _RULE.fullmatch(line) is not None


def _fits(line: str) -> bool:
    """Return True if a line can be one of a stanza."""
    key, colon, value = line.partition(":")
    is_pair = colon and value[:1] in ("", " ", "\t") and _KEY.fullmatch(key[:200]) is not None
    return bool(is_pair) or _ends(line) or line[0] in " \t"


def _key_of(line: str) -> str:
    if not _fits(line):
        raise DoesNotHoldError("a line that is no key with a value")
    return line.partition(":")[0].rstrip()


@dataclass(slots=True, kw_only=True)
class StanzaParser:
    options: Options
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "stanzas"})
    rows: GrowingRows = field(default_factory=lambda: GrowingRows(taken={"line"}))
    starts: list[int] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)  # stanzas that have each key
    stanzas: int = 0
    cells: int = 0
    rest: tuple[int, str] | None = None  # the last line of the text, if it is no part of a stanza

    def parse(self, lines: Lines) -> Batches:
        yield from self._headed(lines) if "mark" in self.options else self._parted(lines)
        self._judge()
        if self.rows.size:
            yield self._batch()

    def _headed(self, lines: Lines) -> Batches:
        last, seen, is_parted = "", set[str](), "parted" in self.options
        match = _BELOW[self.options["mark"]].fullmatch
        for number, line in enumerate(lines, 1):
            pair = match(line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE])
            if pair is None and (not line or line.isspace()):
                if is_parted:
                    yield from self._closed(seen)
                    last = ""
            elif not is_parted and line[0] not in " \t" and (pair is None or not pair[2]):
                yield from self._closed(self._opened(seen))
                self.rest = (number, line)
                last, seen = HEADING, {HEADING}
            else:
                last, value = (pair[1], (pair[2] or "").strip()) if pair is not None else (last, line.strip())
                if is_parted and not seen:
                    self.starts.append(number)
                if not last or last == HEADING or not (seen or is_parted):
                    raise DoesNotHoldError("a line that is below no heading, and no key with a value")
                if self.rest is not None:
                    self._opened(seen)
                self.rows.put(last, value)
                seen.add(last)
        if seen and self.rest is None:  # else the last heading has nothing below it: a total
            self._close(seen)

    def _opened(self, seen: set[str]) -> set[str]:
        """Begin the stanza of the heading that was read last, if there is one, and return its keys."""
        if self.rest is not None:
            number, line = self.rest
            self.rest = None
            self.starts.append(number)
            bare = line.strip("-=*[] \t") if line[0] in "-=*[" else line.rstrip()
            self.rows.put(HEADING, bare.removesuffix(":") or line)
        return seen

    def _parted(self, lines: Lines) -> Batches:
        keys: dict[str, str] = {}  # as written, and bare
        last, empty, seen = "", False, set[str]()
        numbered = enumerate(lines, 1)
        for number, line in numbered:
            first = line[:1]
            if first in (" ", "\t") and not line.isspace():
                if not last or (empty and "aligned" not in self.options and _YAML.match(line, 0, 200)):
                    raise DoesNotHoldError("an indented line that goes on with no value")
                self.rows.put(last, line[1:])
            elif not first or first == "-" or line.isspace():
                if first == "-" and not (_RULE.fullmatch(line) and last[:1].isupper()):
                    raise DoesNotHoldError("a line that is no key with a value")
                yield from self._closed(seen)
                last = ""
            else:
                written, _, value = line.partition(":")
                key = keys.get(written) if value[:1] in ("", " ", "\t") else None
                if key is None and not _fits(line) and next(numbered, None) is None:
                    self.rest = (number, line)  # cut, or a word of the tool that cut it
                    break
                key = key or keys.setdefault(written, _key_of(line))
                if key in seen and self._begins(key):
                    yield from self._closed(seen)
                if not seen:
                    self.starts.append(number)
                value = value.strip()
                empty = not value
                self.rows.put(key, value)
                last = key
                seen.add(key)
        if seen:
            self._close(seen)

    def _begins(self, key: str) -> bool:
        """Return True if a key that repeats begins a stanza, where no blank lines part them."""
        if "first" in self.options and key != self.options["first"]:
            raise DoesNotHoldError("a key that repeats")
        return "first" in self.options

    def _closed(self, seen: set[str]) -> Batches:
        """End the stanza with these keys, if there is one, and yield the rows when they are many."""
        if seen:
            self._close(seen)
        if self.rows.size >= BATCH:
            yield self._batch()

    def _close(self, seen: set[str]) -> None:
        self.rows.close()
        self.stanzas += 1
        self.cells += len(seen)
        for key in seen:
            self.counts[key] = self.counts.get(key, 0) + 1
        seen.clear()

    def _batch(self) -> Batch:
        starts, self.starts = self.starts, []
        return {"items": {"line": starts, **self.rows.take(self.options.get("text", ()))}}

    def _judge(self) -> None:
        """Raise unless the stanzas are records of one kind."""
        most = max(self.counts.values(), default=0)
        if self.stanzas < LEAST or self.cells < LEAST_KEYS * self.stanzas or most < COMMON * self.stanzas:
            raise DoesNotHoldError("stanzas without a common key")
        common = sum(number >= COMMON * self.stanzas for number in self.counts.values())
        least = LEAST_COMMON if "first" in self.options else LEAST_BELOW if "headed" in self.options else 0
        if common < least:
            raise DoesNotHoldError("keys without blank lines that have little in common")

    def words(self, tables: Tables) -> Words:
        del tables
        headed, mark = "headed" in self.options, self.options.get("mark", ":")
        keys = counted(len(self.counts) - headed, "different key")
        below = " below headings" if headed else ""
        pair = f"Key{' ' * (mark != ':')}{mark} value"
        what = f'{counted(self.stanzas, "stanza")} of "{pair}" lines{below}, {keys}'
        rest = [] if self.rest is None else [self.rest]
        return Words(what=what, excerpts=Excerpt.of("the last line, which is no key with a value", rest))


FORM: Final = ParserForm(name="stanzas", title='"Key: value" stanzas', looks_like=recognise, make=StanzaParser)
HEADED: Final = ParserForm(name="headed_stanzas", title="stanzas", looks_like=recognise_headed, make=StanzaParser)
