"""``key=value`` pairs in the messages of a log: which keys are worth a column, and their values.

A value is in quotes, or goes on to the next blank, comma or semicolon, or to a bracket that was opened before it. Of
a key that a message has twice, the last value counts. A key whose values are levels is the level of its entry; where a
whole line is made of pairs, other keys are its message and its source.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.delimited import typed
from penstock.core.forms.log_pieces import LEVELS
from penstock.core.forms.log_walk import MOST, spread
from penstock.core.forms.text_form import LONGEST_LINE

if TYPE_CHECKING:
    from collections.abc import Sequence

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
        if key and (_are_levels(values[key], len(some)) and column not in columns if column == "level" else whole):
            names[key] = column
            taken.add(column)
    for key in often:
        if key not in names and key.lower() not in taken and len(names) < MOST_KEYS:
            taken.add(key.lower())
            names[key] = key
    return [[key, name, isinstance(typed(values[key])[0], str)] for key, name in names.items()]


def _are_levels(values: list[str], count: int) -> bool:
    return sum(value.upper() in LEVELS for value in values) >= MOST * count


def pair_cells(messages: Sequence[str], keys: tuple[str, ...]) -> tuple[list[int], Sequence[Sequence[str]]]:
    """Return the places of messages with pairs, and the values of each key in these: empty where one does not have
    it."""
    places = [at for at, message in enumerate(messages) if "=" in message]
    # The pattern remembers each repetition: of a very long line only the beginning is read.
    texts = [messages[at][:LONGEST_LINE] for at in places]
    rows = _pattern(keys).findall("\n" + "\n".join(texts) + "\n", 1) if texts else []
    columns = list(zip(*rows, strict=True))[:-1] or [()] * len(keys)
    return places, [_unquoted(column) for column in columns] if any('="' in text for text in texts) else columns


@lru_cache(maxsize=64)
def _pattern(keys: tuple[str, ...]) -> re.Pattern[str]:
    """Return one pattern that takes any line, with its newline: from one ``=`` to the next, and a look back at each."""
    each = "|".join(rf"(?<={_BEFORE}{re.escape(key)}=){_VALUE}" for key in keys)
    return re.compile(rf'(?:[^\n=]*=(?:{each}|"[^"\n]*"|))*.*()\n')


def _unquoted(cells: Sequence[str]) -> Sequence[str]:
    bare = {cell: cell[1:-1] for cell in set(cells) if cell.startswith('"')}
    return [bare.get(cell, cell) for cell in cells] if bare else cells
