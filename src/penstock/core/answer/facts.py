"""Lines of facts about a table: for each column the values that divide it, its range, its sum, or what else is true.

The lines are plain text, in the names that SQL and jq take:

    status: open ×233 · pending ×98 · solved ×81
    created_at: 2026-02-03T08:11:09Z .. 2026-10-30T17:45:51Z
    score: 1 .. 5, sum 904 · absent ×148
    tags: 0 .. 6 items each, 931 in all: bug ×120 · ui ×88 · 37 more
    subject, description: text, all different
    always: type ticket · brand main

Of data that was sampled every line begins with ``sampled``, and counts are left out.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from penstock.core.answer.written_numbers import numbers_in_text
from penstock.core.forms.rows import OF_NODE
from penstock.core.forms.shape import types
from penstock.core.forms.times import epoch_text
from penstock.core.text import counted, plain, split_words, tally

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.core.forms.places import Place
    from penstock.core.forms.reading import Field, Table
    from penstock.core.profile import Column

    Words = str | Callable[[], str]

LONG_WORD: Final = 40  # characters on average of a value that divides: a longer one is a text
LONG_LINE: Final = 150  # characters of a line with values
FEW: Final = 8  # different values of a column that are all shown
MOST_DIVIDING: Final = 40  # different values of a column that divides
TOP: Final = 5  # of more, the most frequent
RARE: Final = 3  # rows of the commonest value of a column that is described by its number of values
SELDOM: Final = 40  # rows for each with the commonest value, at most: a rarer one says nothing of the column
FAR_BEHIND: Final = 20  # times more frequent is the first of many values than one that is left out
FLAT: Final = 2  # times more frequent is the first of many values than the last listed: none stands out, so
LEVEL: Final = 3  # so many are listed,
ALIKE: Final = 2  # or so many, where all are equally frequent
MOST_PARTS: Final = 200  # different values that items of arrays are described by
MOST_SHARED: Final = 14  # names on a line about several columns
DEEPER: Final = 0.2  # rank of a column for each object that it lies in: what is near tells more
SPARSE: Final = 20  # rows for each that has a value, from which on a column says little of the table,
SPARSE_RANK: Final = 3.0  # and comes so much later
UNFILLED: Final = 0.4  # rank of a column without values: of two that tell as much, the fuller one is shown
NEXT_TIME: Final = 0.7  # rank of each time behind another: few questions are about the third
STATE_RANK: Final = 2.9  # of the line of what is always so, where people ask by it
LONG_NAME: Final = 60  # characters of a column's name; a longer one is data

# What a column is known to divide things by, the most telling first; names are compared by their letters alone.
_DIVIDES: Final = split_words(
    "status state severity level priority type kind category result conclusion outcome phase stage action event "
    "verdict environment env region role reason code class group team method language country queue source service "
    "component"
)
# The same of items in arrays, where names and rules tell them apart.
_PARTS: Final = (*_DIVIDES, *split_words("rule ruleid label tag name"))
# Numbers that name, place or date a thing: their sum says nothing.
_NAMES = re.compile(
    r"(?:^|[^a-z])(?i:[pgtu]?id|ppid|uuid|guid|number|num|no|index|idx|line|lineno|row|col|column|port|sha|year|month"
    r"|day|lat|lon|lng|latitude|longitude|x|y|z|top|left|right|bottom|offset|position|pos|version|code|status|rank|order|zip|epoch|ts"
    r"|timestamp|level|depth|priority|lines?_?n(?:o|um(?:ber)?))$|(?:Id|ID|Line|Column|Index|Number|Code|Status|Position|Offset|Order)$"
)
_PLACES = re.compile(
    r"(?:^|[^a-z])(?i:id|uuid|number|num|no|index|idx|line|lineno|row|col|column|lat|lon|lng|x|y|z|top|left|right|bottom"
    r"|offset|position|pos|order|epoch|ts|timestamp)$|(?:Id|ID|Line|Column|Index|Number|Position|Offset|Order)$"
)
_WHEN = re.compile(
    r"(?i)(?:time|date|created|updated|modified|expires?|seen|start(?:ed)?|end(?:ed)?|utc|_at|_ts|^ts)(?:_?\w{0,4})?$"
)
_LINKS = re.compile(r"(?i)(?:^|[._])(?:\w*_)?(?:ur[li]|href|links?|avatar\w*|gravatar\w*|node_?id|etag|self_?link)$")
_UNNAMED = re.compile(r"(?:.*\.)?c[0-9]+")
NARROW: Final = 1.5  # times the least is more than the greatest of times: from 2000 on that is some 15 years
UNASKED: Final = 0.8  # quality of numbers that few people ask by: counts, sizes, durations
LARGEST_SUM: Final = 2**63  # SQL adds no further, and no model asks for such a sum; a sum that overflowed is no number
MANY_LINKS: Final = 3  # columns of links that are about the rows; more are for programs


class Fact:
    """A line, and its rank: the lower, the sooner it is shown. ``column`` is the number of its first column. The words
    are made when they are asked for: most lines have no room."""

    __slots__ = ("_name", "_words", "column", "rank")

    def __init__(self, name: str, words: Words, rank: float, column: int) -> None:
        self._name, self._words, self.rank, self.column = name, words, rank, column

    @property
    def text(self) -> str:
        if not isinstance(self._words, str):
            self._words = self._words()
        return f"{self._name}: {self._words}"


def facts_of(table: Table) -> list[Fact]:
    """Return the facts of a table, in the order of its columns; several columns of which the same is true share a
    line."""
    return table.once("facts", _facts_of)


def _facts_of(table: Table) -> list[Fact]:
    facts: list[Fact] = []
    shared: dict[str, list[str]] = {}
    first: dict[str, int] = {}
    states: list[str] = []
    always: list[str] = []
    mark = "" if table.exact else "sampled "
    links = sum(map(is_link, table.fields)) > MANY_LINKS
    of_time = sorted((one.name for one in table.fields if one.column.is_time), key=lambda name: name.count("."))
    times = {name: at for at, name in enumerate(of_time)}
    for number, field in enumerate(table.fields):
        name = name_of(field)
        if field.name in OF_NODE and table.noun == "nodes":
            continue  # the words of a tree tell its depth
        kind, text, rank = _describe(field, table)
        rank += DEEPER * field.name.count(".")
        rank += NEXT_TIME * times.get(field.name, 0)
        if kind == "own" and links and is_link(field):
            kind, text = "shared", "links"
        if kind == "own":
            facts.append(Fact(mark + name, text, rank, number))
        elif kind == "always":
            (states if _is_state(field) else always).append(f"{name} {text}")
        else:
            shared.setdefault(str(text), []).append(name)
            first.setdefault(str(text), number)
    for text, names in shared.items():
        more = f" and {len(names) - MOST_SHARED:,} more" if len(names) > MOST_SHARED else ""
        some = f"{mark}{', '.join(names[:MOST_SHARED])}{more}"
        facts.append(Fact(some, text, 6 if "empty" not in text else 8, first[text]))
    if constant := [*states, *always]:
        more = f" · {len(constant) - MOST_SHARED:,} more" if len(constant) > MOST_SHARED else ""
        words = " · ".join(constant[:MOST_SHARED]) + more
        facts.append(Fact(f"{mark}always", words, STATE_RANK if states else 5, len(table.fields)))
    return sorted(facts, key=lambda one: one.column)


def _is_state(field: Field) -> bool:
    """Tell whether people ask by a column: that all rows are of one level, say, answers how many are of each."""
    return field.name.lower() in _DIVIDES


def name_of(field: Field) -> str:
    """Return the name of a column as it stands among others. The same few names come again and again."""
    return _name_of(field.name) if len(field.name) <= LONG_NAME else listed(field.name, LONG_NAME)


_name_of = lru_cache(maxsize=4_096)(lambda name: listed(name, LONG_NAME))


def listed(value: Any, limit: int) -> str:
    """Return a value as it can stand among others, with a comma between them or a colon behind it."""
    text = plain(value, limit)
    is_bare = not isinstance(value, str) or text.startswith('"') or not (", " in text or ": " in text)
    return text if is_bare else json.dumps(text, ensure_ascii=False)


def _name_test(pattern: re.Pattern[str]) -> Callable[[Field], bool]:
    """Return what tells whether the end of a column's name matches a pattern. The same few names come again and
    again."""
    known = lru_cache(maxsize=4_096)(lambda name: pattern.search(name) is not None)
    return lambda field: known(field.name[-LONG_NAME:])


_is_name = _name_test(_NAMES)
_is_place = _name_test(_PLACES)
_is_when = _name_test(_WHEN)
_has_links = _name_test(_LINKS)


def is_link(field: Field) -> bool:
    """Tell whether a column has links, as its name says."""
    return _has_links(field)


def is_nested(field: Field) -> bool:
    """Tell whether some cells are arrays or objects: SQL has those as texts, so they are not compared or counted
    here."""
    return field.column.nested > 0 or (field.place is not None and bool(field.place.arrays or field.place.objects))


def is_additive(field: Field) -> bool:
    """Tell whether a column has numbers whose sum says something."""
    column = field.column
    if not column.is_numeric or column.least is None or column.greatest is None or _is_name(field):
        return False
    if is_nested(field) or not abs(column.total) < LARGEST_SUM:
        return False
    return column.least.value != column.greatest.value and not _when(field, column.least.value, column.greatest.value)


def divides(field: Field, rows: int) -> float | None:
    """Rate how well a column divides a table into parts, the lower the better; None where it does not."""
    if rows not in field.quality:
        field.quality[rows] = _divides(field, rows)
    return field.quality[rows]


def _divides(field: Field, rows: int) -> float | None:
    column = field.column
    if column.is_numeric and (_is_place(field) or column.has_more_than(FEW)):
        return None
    if column.filled * 2 < rows or column.hidden or column.is_time or is_nested(field):
        return None
    if column.has_more_than(MOST_DIVIDING):
        return None
    different = column.different or 0
    if different < 2:
        return None
    if different * 3 > column.filled or column.bulk > LONG_WORD * column.filled:
        return None
    known = _place_among(_DIVIDES, field.name.rpartition(".")[2])
    unasked = UNASKED if column.is_numeric and known == len(_DIVIDES) else 0
    return known / len(_DIVIDES) + different / 100 + unasked


def _place_among(words: tuple[str, ...], name: str) -> int:
    """Return the place of the word that a name is, or ends in, by its letters alone; behind all of them where it is
    none."""
    return _placed(name[-LONG_NAME:], len(words))


@lru_cache(maxsize=4_096)
def _placed(name: str, number: int) -> int:
    words = _PARTS[:number]
    letters = "".join(filter(str.isalpha, name.lower()))
    return next((at for at, word in enumerate(words) if letters.endswith(word)), len(words))


def _describe(field: Field, table: Table) -> tuple[str, Words, float]:
    """Describe a column: on a line of its own, on one with others, or among what is always so; and its rank."""
    rows, column, place = table.count, field.column, field.place
    absent = rows - field.filled
    if not field.filled:
        return "shared", "empty in all rows", 8
    if place is not None and place.is_tree:  # its counts are those of objects at all depths, not of rows alone
        return "own", "objects that hold objects of their own kind", 3
    missing = f" · absent ×{absent:,}" if absent and table.exact else ""
    if place is not None and is_nested(field):
        is_one_kind = place.is_only(place.arrays) or place.is_only(place.objects)
        return "own", lambda: (_nested if is_one_kind else _mixed)(place, exact=table.exact) + missing, 3
    if column.is_constant and not absent and table.exact and not column.hidden:
        return "always", plain(column.values()[0][0]), 5
    rank, words = _scalars(field, rows, exact=table.exact)
    rank += SPARSE_RANK if rank < SPARSE_RANK and field.filled * SPARSE < rows else UNFILLED * absent / rows
    if rank >= 6 and not missing:
        return "shared", words(), rank
    return "own", lambda: words() + missing, rank


def _mixed(place: Place, *, exact: bool) -> str:
    """Describe cells that are arrays in some rows and objects or scalars in others."""
    kinds = {"array": place.arrays, "object": place.objects, types(place.column): place.column.filled}
    parts = [f"{kind} ×{count:,}" if exact else kind for kind, count in kinds.items() if count]
    return f"mixed: {' · '.join(parts)}"


def _nested(place: Place, *, exact: bool) -> str:
    """Describe cells that are all arrays, or all objects."""
    if place.objects:
        if place.keyed is None or place.keys is None:
            return f"object with {counted(len(place.fields), 'field')}{' and more' if place.more else ''}"
        return f"up to {counted(place.most, 'key')} each: {_values(place.keys, TOP, exact=exact)}"
    return _items(place, exact=exact) if place.items else "no items in any row"


def _items(place: Place, *, exact: bool) -> str:
    """Describe the items of arrays."""
    span = f"{place.fewest:,} .. {place.most:,}" if place.fewest < place.most else f"{place.most:,}"
    text = f"{span} {'item' if place.most == 1 else 'items'} each" + (f", {place.items:,} in all" if exact else "")
    each = place.each
    if each is not None and each.is_only(each.column.filled) and not each.column.hidden:
        return f"{text}: {_values(each.column, TOP, exact=exact)}"
    if each is not None and each.fields:
        if exact and (parted := _parted(each)):
            return f"{text}, {parted}"
        names = list(each.fields)
        more = ", …" if len(names) > TOP or each.more else ""
        return f"{text}, objects with {', '.join(listed(name, 40) for name in names[:TOP])}{more}"
    return text


def _parted(each: Place) -> str:
    """Describe the values of the one field that divides the items of arrays, if there is one."""
    name = min(each.fields, key=lambda one: _place_among(_PARTS, one))
    place = each.fields[name]
    if (
        _place_among(_PARTS, name) == len(_PARTS)
        or not each.is_only(each.objects)
        or not place.is_only(place.column.filled)
    ):
        return ""
    column = place.column
    if not 1 < (column.different or 0) <= MOST_PARTS or column.different == column.filled or column.hidden:
        return ""
    return f"by {listed(name, LONG_NAME)}: {_values(column, TOP)}"


def _scalars(field: Field, rows: int, *, exact: bool) -> tuple[float, Callable[[], str]]:
    """Return the rank of a column of scalars, and what makes its words."""
    column = field.column
    mixed = f"{types(column)}, " if len(column.kinds) > 1 and "|" in types(column) else ""
    quality = divides(field, rows)
    if quality is not None:
        most = FEW if (column.different or 0) <= FEW else TOP
        return quality, lambda: mixed + _values(column, most, exact=exact)
    if column.is_time and (first := column.earliest) is not None and (last := column.latest) is not None:
        return 1.0, lambda: f"{plain(first.value)} .. {plain(last.value)}"
    if column.is_numeric and (least := column.least) is not None and (greatest := column.greatest) is not None:
        rank = 4.5 if _is_name(field) else 2.0
        return rank, lambda: _range(field, least.value, greatest.value, exact=exact)
    if column.writes_numbers:
        return 2.0, lambda: numbers_in_text(column, summed=exact and not _is_name(field))
    if column.kinds.keys() == {bool} or _repeats(column):
        return 2.5, lambda: mixed + _values(column, TOP, exact=exact)
    text = _texts(column, exact=exact)
    return 7 if column.encoded else 6, lambda: mixed + (text.removeprefix("text, ") if mixed else text)


def _repeats(column: Column) -> bool:
    """Tell whether some values are common enough to be listed with their counts."""
    if column.different is None or column.different == column.filled or column.hidden:
        return False
    return column.different <= FEW or (column.commonest > RARE and column.commonest * SELDOM >= column.filled)


def _texts(column: Column, *, exact: bool) -> str:
    """Describe texts that hardly repeat."""
    if column.encoded:
        return "base64 data"
    text = "JSON in a text" if column.is_json else "text"
    if column.different is None:
        return f"{text}, over {column.over:,} different"
    if column.different < column.filled:
        return f"{text}, {column.different:,} different"
    return f"{text}, all different" if exact else text


def _values(column: Column, most: int, *, exact: bool = True) -> str:
    """Return the values with their counts, the most frequent first; of a sample without the counts, which are not those
    of the whole."""
    if column.different is None:
        return f"over {column.over:,} different"
    values = column.values()
    if not values:
        return counted(column.different, "different value")
    if most < len(values) and values[0][1] <= FLAT * values[most - 1][1]:
        most = ALIKE if values[0][1] == values[-1][1] else LEVEL
    if exact and most < len(values):
        most = max(1, sum(count * FAR_BEHIND >= values[0][1] for _, count in values[:most]))
    if exact:
        lines = (tally(values, number) for number in (most, TOP, 3, 2))
        return next((line for line in lines if len(line) <= LONG_LINE), "") or tally(values, 1)
    return " · ".join(plain(value) for value, _ in values[:most]) + (" · …" if len(values) > most else "")


def _range(field: Field, least: Any, greatest: Any, *, exact: bool) -> str:
    text = f"{plain(least)} .. {plain(greatest)}" if least != greatest else plain(least)
    if when := _when(field, least, greatest):
        return f"{text} ({when})"
    if exact and not _is_name(field) and abs(field.column.total) < LARGEST_SUM:
        return f"{text}, sum {number_text(field.column.total)}"
    return text


def _when(field: Field, least: Any, greatest: Any) -> str:
    """Return the times that numbers stand for, if the name of their column says that they are times, or where a column
    has no name of its own, as in points of a series: amounts are hardly all of one size."""
    if not _is_when(field) and not (_UNNAMED.fullmatch(field.name) and least * NARROW > greatest):
        return ""
    first, last = epoch_text(least), epoch_text(greatest)
    return f"{first} .. {last}" if first and last else ""


def number_text(number: float) -> str:
    """Return a sum: whole numbers in full, others to twelve digits, as more are noise of the summing."""
    return str(number) if isinstance(number, int) else f"{number:.12g}"
