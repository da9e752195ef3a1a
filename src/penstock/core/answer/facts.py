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
from bisect import bisect_right
from collections import Counter
from functools import lru_cache, partial
from itertools import accumulate
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, Final

from penstock.core.answer.columns import (
    DEEPER,
    FEW,
    LARGEST_SUM,
    LONG_NAME,
    MANY_LINKS,
    OF_OTHERS,
    PARTS,
    divides,
    has_codes,
    has_no_sum,
    is_actor,
    is_known,
    is_link,
    is_name,
    is_nested,
    is_of_other,
    is_of_outer,
    is_state,
    is_when,
    others_in,
    place_among,
    tells_error,
    times_in,
)
from penstock.core.answer.text_numbers import numbers_in_text
from penstock.core.forms.rows import OF_NODE
from penstock.core.forms.shape import types
from penstock.core.text import counted, plain, tally

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.core.forms.places import Place
    from penstock.core.forms.reading import Field, Table
    from penstock.core.profile import Column

    Words = str | Callable[[], str]

LONG_LINE: Final = 150  # characters of a line with values
TOP: Final = 5  # of more, the most frequent
RARE: Final = 3  # rows of the commonest value of a column that is described by its number of values
SELDOM: Final = 40  # rows for each with the commonest value, at most: a rarer one says nothing of the column
FAR_BEHIND: Final = 20  # times more frequent is the first of many values than one that is left out
FLAT: Final = 2  # times more frequent is the first of many values than the last listed: none stands out, so
LEVEL: Final = 3  # so many are listed,
ALIKE: Final = 2  # or so many, where all are equally frequent
MOSTPARTS: Final = 200  # different values that items of arrays are described by
MOST_SHARED: Final = 14  # names on a line about several columns
SPARSE: Final = 20  # rows for each that has a value, from which on a column says little of the table,
SPARSE_RANK: Final = 3.0  # and comes so much later
UNFILLED: Final = 0.4  # rank of a column without values: of two that tell as much, the fuller one is shown
NEXT_TIME: Final = 0.7  # rank of each time behind another: few questions are about the third
ALWAYS: Final = 5  # rank of what is always so
STATE_RANK: Final = 1.9  # of the line of what is always so, where people ask by it
ACTOR_RANK: Final = 1.7  # of names that repeat, though too many to divide the rows: people ask which has most
ERROR_RANK: Final = 1.5  # of what only the rows have where something went wrong
FEW_ERRORS: Final = 100  # rows for each of them, at most
CODES: Final = 4.5  # rank of codes that repeat
COMMON: Final = 2.5  # rank of many values of which some are frequent,
LEVEL_UP: Final = 0.5  # which is so much less where people ask by the column
NO_VALUES: Final = "empty in all rows"
NO_ITEMS: Final = "no items in any row"
NO_FIELDS: Final = "objects without fields"
EMPTY: Final = (NO_VALUES, NO_ITEMS, NO_FIELDS)
LISTED: Final = 1.9  # rank of arrays whose items are counted by a value: tags, labels
ALIKE_FACTS: Final = 3  # facts of one sort (parts, amounts) that are as good as they are; the next
LEAST_ALIKE: Final = 3  # different counts of values that are the same in two columns: no accident
AGAIN: Final = 3.0  # rank of a column that divides the rows as another does
CROWDED: Final = 0.5  # are each worth so much less than the one before: people ask for some of each sort


class Fact:
    """A line, and its rank: the lower, the sooner it is shown. ``column`` is the number of its first column, ``sort``
    says what it tells of it. The words are made when they are asked for: most lines have no room."""

    __slots__ = ("_name", "_words", "column", "rank", "sort")

    def __init__(self, name: str, words: Words, *, rank: float, column: int, sort: str = "") -> None:
        self._name, self._words = name, words
        self.rank, self.column, self.sort = rank, column, sort

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
    parts: list[tuple[float, int, Field]] = []
    shared: dict[str, list[str]] = {}
    first: dict[str, int] = {}
    states: list[str] = []
    always: list[tuple[bool, int, str]] = []
    mark = "" if table.exact else "sampled "
    of_time = sorted((one.name for one in table.fields if one.column.is_time), key=lambda name: name.count("."))
    times = {name: at for at, name in enumerate(of_time)}
    links = sum(map(is_link, table.fields)) > MANY_LINKS
    others = others_in(table)
    for number, field in enumerate(table.fields):
        name = name_of(field)
        if field.name in OF_NODE and table.noun == "nodes":
            continue  # the words of a tree tell its depth
        kind, text, rank = _describe(field, table)
        rank += DEEPER * field.name.count(".") + NEXT_TIME * times.get(field.name, 0)
        is_other = (others and is_of_other(field, others)) or (is_of_outer(field) and field.column.is_numeric)
        rank += OF_OTHERS if is_other else 0
        if kind == "own" and links and is_link(field):
            kind, text = "shared", "links"
        if kind == "own":
            sort = _sort_of(field, table.count)
            parts += [(rank, number, field)] if sort == "parts" else []
            facts.append(Fact(mark + name, text, rank=rank, column=number, sort=sort))
        elif kind == "always":
            if is_state(field):
                states.append(f"{name} {text}")
            else:  # what is always so of a thing in the rows says less than what is so of them
                always.append((is_link(field), field.name.count("."), f"{name} {text}"))
        else:
            shared.setdefault(str(text), []).append(name)
            first.setdefault(str(text), number)
    again = _again(parts)
    for fact in facts:
        fact.rank += AGAIN if fact.column in again else 0
    _spread(facts)
    for text, names in shared.items():
        more = f" and {len(names) - MOST_SHARED:,} more" if len(names) > MOST_SHARED else ""
        some = f"{mark}{', '.join(names[:MOST_SHARED])}{more}"
        facts.append(Fact(some, text, rank=8 if text in EMPTY else 6, column=first[text]))
    if constant := [*states, *(text for _, _, text in sorted(always, key=itemgetter(0, 1)))]:
        most = max(1, bisect_right(list(accumulate(map(len, constant))), LONG_LINE))
        more = f" · {len(constant) - most:,} more" if len(constant) > most else ""
        words = " · ".join(constant[:most]) + more
        facts.append(Fact(f"{mark}always", words, rank=STATE_RANK if states else ALWAYS, column=len(table.fields)))
    return sorted(facts, key=attrgetter("column"))


def _again(parts: list[tuple[float, int, Field]]) -> set[int]:
    """Return the numbers of columns that divide the rows as another does: by the same values, or by codes for them, as
    three counts and more tell that are equal."""
    seen: set[Any] = set()
    again: set[int] = set()
    for _, number, field in sorted(parts, key=lambda one: (_is_code(one[2].column), one[0])):
        counts = tuple(count for _, count in field.column.values())
        same = counts if len(set(counts)) >= LEAST_ALIKE else frozenset(field.column.values())
        again |= {number} if same in seen else set()
        seen.add(same)
    return again


def _is_code(column: Column) -> bool:
    """Tell whether values are numbers or addresses, which stand for names in another column."""
    return column.is_numeric or "://" in str(column.values()[0][0])


def _sort_of(field: Field, rows: int) -> str:
    return "parts" if divides(field, rows) is not None else types(field.column)


def _spread(facts: list[Fact]) -> None:
    """Put facts back of which there are many of one sort."""
    seen: Counter[str] = Counter()
    for one in sorted(facts, key=attrgetter("rank")):
        one.rank += CROWDED * max(0, seen[one.sort] + 1 - ALIKE_FACTS)
        seen[one.sort] += 1


def name_of(field: Field) -> str:
    """Return the name of a column as it stands among others. The same few names come again and again."""
    return _name_of(field.name) if len(field.name) <= LONG_NAME else listed(field.name, LONG_NAME)


_name_of = lru_cache(maxsize=4_096)(lambda name: listed(name, LONG_NAME))


def listed(value: Any, limit: int) -> str:
    """Return a value as it can stand among others, with a comma between them or a colon behind it."""
    text = plain(value, limit)
    is_bare = not isinstance(value, str) or text.startswith('"') or not (", " in text or ": " in text)
    return text if is_bare else json.dumps(text, ensure_ascii=False)


def _describe(field: Field, table: Table) -> tuple[str, Words, float]:
    """Describe a column: on a line of its own, on one with others, or among what is always so; and its rank."""
    rows, column, place = table.count, field.column, field.place
    exact = table.exact  # no words may hold the table, which holds them: both would wait for the collector
    filled = field.filled
    absent = rows - filled
    if not filled:
        return "shared", NO_VALUES, 8
    if place is not None and place.is_tree:  # its counts are those of objects at all depths, not of rows alone
        return "own", "objects that hold objects of their own kind", 3
    missing = f" · absent ×{absent:,}" if absent and exact else ""
    is_same = not is_nested(field) and exact and column.is_constant and not column.hidden
    if is_same and not absent:
        return "always", plain(column.values()[0][0]), ALWAYS
    if is_same and not is_state(field) and (filled * 2 >= rows or not column.values()[0][0]):
        return "own", lambda: _values(column, 1) + missing, ALWAYS  # in few rows it may be what is odd about them
    if is_nested(field):
        rank, words = _nested(field, exact=exact)
    else:
        rank, words = _scalars(field, rows, exact=exact)
        rank += SPARSE_RANK if rank < SPARSE_RANK and filled * SPARSE < rows else UNFILLED * absent / rows
        rank = min(rank, ERROR_RANK) if absent and filled * FEW_ERRORS >= rows and tells_error(field) else rank
    if rank >= 6 and not missing:
        return "shared", words(), rank
    return "own", lambda: words() + missing, rank


def _nested(field: Field, *, exact: bool) -> tuple[float, Callable[[], str]]:
    """Return the rank of cells that are arrays or objects, and what makes the words about them."""
    place = field.place
    if place is not None and place.is_only(place.arrays):
        text = _items(place, exact=exact) if place.items else NO_ITEMS
        rank = ALWAYS if _are_same(place) else LISTED if " ×" in text else 3
        return rank if place.items else 8, lambda: text
    if place is not None and place.is_only(place.objects):
        is_empty = not place.fields and not place.more and place.keyed is None
        return 8 if is_empty else 3, lambda: _objects(place, exact=exact)
    return 3, lambda: _mixed(field, exact=exact)


def _are_same(place: Place) -> bool:
    """Tell whether all arrays have the same items, each of which is there once."""
    each = place.each
    is_plain = each is not None and each.is_only(each.column.filled) and not each.column.has_more_than(place.most)
    return is_plain and each is not None and {count for _, count in each.column.values()} == {place.arrays}


def _mixed(field: Field, *, exact: bool) -> str:
    """Describe cells that are arrays in some rows and objects or scalars in others; of nodes of a tree it is not known
    which are arrays."""
    place, column = field.place, field.column
    nested = {"array or object": column.nested} if place is None else {"array": place.arrays, "object": place.objects}
    kinds = {**nested, types(column): column.filled}
    parts = [f"{kind} ×{count:,}" if exact else kind for kind, count in kinds.items() if count]
    return f"mixed: {' · '.join(parts)}"


def _objects(place: Place, *, exact: bool) -> str:
    """Describe cells that are all objects."""
    if place.more and not place.fields:
        return "objects"  # that lie too deep to be looked into
    if place.keyed is None or place.keys is None:
        more = " and more" if place.more else ""
        return f"object with {counted(len(place.fields), 'field')}{more}" if place.fields else NO_FIELDS
    return f"up to {counted(place.most, 'key')} each: {_values(place.keys, TOP, exact=exact)}"


def _items(place: Place, *, exact: bool) -> str:
    """Describe the items of arrays."""
    span = f"{place.fewest:,} .. {place.most:,}" if place.fewest < place.most else f"{place.most:,}"
    text = f"{span} {'item' if place.most == 1 else 'items'} each" + (f", {place.items:,} in all" if exact else "")
    each = place.each
    if each is not None and each.is_only(each.column.filled) and not each.column.hidden:
        if each.column.is_numeric and each.column.has_more_than(FEW):
            least, greatest = each.column.least, each.column.greatest
            return f"{text}, {plain(least and least.value)} .. {plain(greatest and greatest.value)}"
        if exact and FEW < (each.column.different or 0) == each.column.filled:
            return f"{text}, all different"
        return f"{text}: {_values(each.column, TOP, exact=exact)}"
    if each is not None and each.fields:
        is_flat = each.count == place.items  # objects that hold their own kind are counted at all depths
        if exact and is_flat and (parted := _parted(each)):
            return f"{text}, {parted}"
        names = list(each.fields)
        more = ", …" if len(names) > TOP or each.more else ""
        return f"{text}, objects with {', '.join(listed(name, 40) for name in names[:TOP])}{more}"
    return text


def _parted(each: Place) -> str:
    """Describe the values of the one field that divides the items of arrays, if there is one."""
    name = min(each.fields, key=lambda one: place_among(PARTS, one))
    place = each.fields[name]
    if (
        place_among(PARTS, name) == len(PARTS)
        or not each.is_only(each.objects)
        or not place.is_only(place.column.filled)
    ):
        return ""
    column = place.column
    if not 1 < (column.different or 0) <= MOSTPARTS or column.different == column.filled or column.hidden:
        return ""
    return f"by {listed(name, LONG_NAME)}: {_values(column, TOP)}"


def _scalars(field: Field, rows: int, *, exact: bool) -> tuple[float, Callable[[], str]]:
    """Return the rank of a column of scalars, and what makes its words."""
    column = field.column
    mixed = f"{of_types}, " if len(column.kinds) > 1 and "|" in (of_types := types(column)) else ""
    quality = divides(field, rows)
    if quality is not None:
        most = FEW if (column.different or 0) <= FEW else TOP
        return quality, lambda: mixed + _values(column, most, exact=exact)
    if column.is_time and (first := column.earliest) is not None and (last := column.latest) is not None:
        return 1.0, lambda: f"{plain(first.value)} .. {plain(last.value)}"
    if column.is_numeric and column.least is not None and column.greatest is not None:
        span = column.least.value, column.greatest.value
        rank = 1.0 if times_in(field, *span) else 4.5 if is_name(field) else 2.0
        return rank, lambda: _range(field, *span, exact=exact)
    if column.writes_numbers:
        summed = exact and not has_no_sum(field)
        rank = 1.0 if is_when(field) else 4.5 if is_name(field) else 2.0
        when = partial(times_in, field)
        return rank, lambda: numbers_in_text(column.counts or Counter(column.cells), when, summed=summed)
    if column.are_all(bool) or _repeats(column):
        rank = ACTOR_RANK if is_actor(field) else COMMON - LEVEL_UP * is_known(field)
        rank = CODES if has_codes(field) else rank
        return rank, lambda: mixed + _values(column, TOP, exact=exact)
    text = _texts(column, exact=exact)
    return 7 if column.encoded else 6, lambda: mixed + (text.removeprefix("text, ") if mixed else text)


def _repeats(column: Column) -> bool:
    """Tell whether some values are common enough to be listed with their counts."""
    if column.has_common(RARE, SELDOM):
        return True
    different = column.different
    if different is None or different == column.filled or column.hidden:
        return False
    return different <= FEW or (column.commonest > RARE and column.commonest * SELDOM >= column.filled)


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
    if when := times_in(field, least, greatest):
        return f"{text} ({when})"
    if exact and least == greatest:
        return _values(field.column, 1)
    if exact and not has_no_sum(field) and abs(field.column.total) < LARGEST_SUM:
        return f"{text}, sum {number_text(field.column.total)}"
    return text


def number_text(number: float) -> str:
    """Return a sum: whole numbers in full, others to twelve digits, as more are noise of the summing."""
    return str(number) if isinstance(number, int) else f"{number:.12g}"
