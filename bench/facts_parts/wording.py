"""Read what a line says: values in or without quotes, cut values, tallies, numbers with commas.

A text that stands for a value is compared with values, never turned back into one: ``Written.means`` tells whether
it can stand for a value, and a text that could stand for two things stands for neither.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection

NUMBER = r"-?\d[\d,]*"
_CUT = re.compile(r"(.*)…\[\+([\d,]+)\]", re.DOTALL)
_CUT_BEFORE = re.compile(r"\[\+([\d,]+)\]…(.*)", re.DOTALL)
_PART = re.compile(r"(.*) ×([\d,]+)", re.DOTALL)
_MORE = re.compile(r"\+([\d,]+) values?")
_DIGITS = re.compile(r"-?\d+")


class UnreadableError(ValueError):
    """A line that does not have the form that it should have."""


def whole(text: str) -> int:
    """A number with commas between its thousands."""
    return int(text.replace(",", ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A value as it is written: its characters, whether in quotes, and how many were cut, at its end or before it."""

    text: str
    quoted: bool
    cut: int = 0
    before: bool = False

    def means(self, value: Any, *, loose: bool = False) -> bool:
        """Whether this can stand for a value. ``loose`` takes the texts of cells for the numbers that they write."""
        if isinstance(value, str):
            if not self.quoted and not loose and _is_other(self.text):
                return False
            value = value.encode("utf-8", "replace").decode()
            if not self.cut:
                same = self.text == value or (loose and self.text == value.strip())
                return bool(same or (loose and not self.quoted and _number(value) == _number(self.text, None)))
            kept = value[-len(self.text) :] if self.before else value[: len(self.text)]
            return bool(kept == self.text and len(value) - len(self.text) == self.cut)
        if self.quoted or self.cut:
            return False
        if isinstance(value, bool) or value is None:
            return self.text == json.dumps(value)
        if isinstance(value, int):
            return bool(_DIGITS.fullmatch(self.text)) and int(self.text) == value
        return bool(_number(self.text, None) == value)


def read_value(text: str) -> Written:
    """Read one value; a text that is no value as our lines write them is refused."""
    if (found := _CUT_BEFORE.fullmatch(text)) is not None:
        inner = read_value(found[2])
        return Written(text=inner.text, quoted=inner.quoted, cut=whole(found[1]), before=True)
    if text.startswith('"'):
        if len(text) < 2 or not text.endswith('"'):
            raise UnreadableError(f"a quote that does not end: {text!r}")
        inside, cut = text[1:-1], 0
        if (found := _CUT.fullmatch(inside)) is not None:
            inside, cut = found[1], whole(found[2])
        try:
            return Written(text=json.loads(f'"{inside}"'), quoted=True, cut=cut)
        except ValueError as error:
            raise UnreadableError(f"no text in quotes: {text!r}") from error
    if (found := _CUT.fullmatch(text)) is not None:
        return Written(text=found[1], quoted=False, cut=whole(found[2]))
    if re.search(r'["|·×…]', text) or not text.isprintable():
        raise UnreadableError(f"a separator in a value without quotes: {text!r}")
    return Written(text=text, quoted=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """``open ×233 · pending ×98 · +37 values``: values with their counts, and how many others there are."""

    counts: tuple[tuple[Written, int], ...]
    more: int = 0


def read_tally(text: str) -> Tally | None:
    """Read a tally; None for a text that is something else."""
    parts = text.split(" · ")
    more = 0
    if (found := _MORE.fullmatch(parts[-1])) is not None:
        more = whole(found[1])
        parts.pop()
    counts: list[tuple[Written, int]] = []
    for part in parts:
        found = _PART.fullmatch(part)
        if found is None:
            return None
        try:
            counts.append((read_value(found[1]), whole(found[2])))
        except UnreadableError:
            return None
    return Tally(counts=tuple(counts), more=more) if counts else None


def split_name(line: str, names: Collection[str]) -> tuple[str, str] | None:
    """Part a line into the name of a column, of those that are known, and what is said of it. The longest name wins."""
    for at in reversed([found.start() for found in re.finditer(": ", line)]):
        name = name_of(line[:at], names)
        if name is not None:
            return name, line[at + 2 :]
    return None


def name_of(text: str, names: Collection[str]) -> str | None:
    """The name that a text stands for, if it is exactly one of these."""
    try:
        written = read_value(text)
    except UnreadableError:
        return None
    if not written.cut:
        return written.text if written.text in names else None
    found = [name for name in names if written.means(name)]
    return found[0] if len(found) == 1 else None


def read_ranges(text: str) -> list[tuple[int, int]]:
    """``1-3, 412`` as pairs, both ends included."""
    if text == "none":
        return []
    found = [part.partition("-") for part in text.split(", ")]
    return [(whole(first), whole(last or first)) for first, _, last in found]


def _is_other(text: str) -> bool:
    """Whether a text without quotes would be read as a number, as nothing, or as a word of ours."""
    return bool(re.fullmatch(rf"{NUMBER}(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|absent|missing|\+[\d,]+ .*", text))


def _number(text: str, otherwise: float | None = float("nan")) -> float | None:
    try:
        return float(text)
    except ValueError:
        return otherwise
