"""Facts about the columns of a table, one line each, in the names that SQL and jq use:

    status: open ×233 · pending ×98 · solved ×81
    created_at: 2026-02-03T08:11:09Z to 2026-10-30T17:45:51Z
    score: 1 to 5, mean 3.42, median 4, sum 904 · null ×148
    tags: 0 to 6 per row, 931 in all: bug ×120 · ui ×88 · +37 values
    customer_id: 100 distinct, 5 each
    all distinct: subject, description
    constant: type=ticket · locale=en
    by folder below src/: cli/ ×136 · auth/ ×136 · +7 values

The role of a column decides what its line says, and its score when it is shown. Lines about a sample begin with
``sampled`` and have no counts.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache, lru_cache, partial
from math import isfinite
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.path_counts import facts_of_files, file_of
from penstock.core.forms.rows import OF_NODE
from penstock.core.forms.shape import types
from penstock.core.notice.text_numbers import DECIMALS, are_decimals, mean_text, number_text, numbers_in_text
from penstock.core.tables.roles import (
    MAX_NAME,
    MAX_VALUES,
    WORTH,
    Role,
    fact_score,
    is_additive,
    is_nested,
    is_of_outer,
    named_role,
    role_of,
    times_text,
)
from penstock.core.text import counted, plain, tally

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.core.forms.reading import Field, Table
    from penstock.core.forms.structure import Place
    from penstock.core.profile import Column

    Words = str | Callable[[int], str]  # The argument is the number of values that a list may have.

TOP: Final = 5  # A list has the 5 most frequent values, unless it is worth its room in full.
MAX_SHARED: Final = 14  # A line about several columns has 14 names, because what it says of them is of little use.
# Headings of the lines that several columns share.
CONSTANT: Final = "constant"
DISTINCT: Final = "all distinct"
LINKS: Final = "links"
EMPTY: Final = "empty"


class Fact:
    """A line about one column, or about several of which the same is true. A lower ``rank`` is shown sooner.

    The words are made when they are first read, because most lines of a wide table are never shown.
    """

    __slots__ = ("_lines", "_name", "_words", "columns", "rank")

    def __init__(self, name: str, words: Words, *, rank: float, columns: tuple[int, ...]) -> None:
        self._name, self._words = name, words
        self.rank, self.columns = rank, columns
        self._lines: dict[int, str] = {}

    @property
    def text(self) -> str:
        """Return the line with the most frequent values only."""
        return self._with(TOP)

    @property
    def longer(self) -> str:
        """Return the line with up to as many values as a reader takes in."""
        return self._with(MAX_VALUES)

    def _with(self, values: int) -> str:
        if values not in self._lines:
            self._lines[values] = f"{self._name}: {_words(self._words, values)}"
        return self._lines[values]


def facts_of(table: Table) -> list[Fact]:
    """Return the facts of a table, the most telling first."""
    return table.once("facts", _facts_of)


def _facts_of(table: Table) -> list[Fact]:
    facts: list[Fact] = []
    shared: dict[str, list[tuple[int, str]]] = {}
    mark = "" if table.exact else "sampled "
    ranks = [fact_score(field, table.count).total for field in table.fields]
    for number, field in enumerate(table.fields):
        if table.is_added(field) or (field.name in OF_NODE and table.noun == "nodes"):
            continue  # The words of a tree state its depth.
        heading, words = _describe(field, table)
        if heading:
            shared.setdefault(heading, []).append((number, _words(words, TOP)))
        else:
            facts.append(Fact(mark + name_of(field), words, rank=ranks[number], columns=(number,)))
    if table.exact and (file := file_of(table)) is not None:
        # Its values are paths, whatever the name of the column suggests.
        rank = fact_score(file, table.count)._replace(worth=WORTH[Role.PATH].fact).total
        for line in facts_of_files(file):
            title, _, counts = line.partition(": ")
            facts.append(Fact(title, counts, rank=rank, columns=()))
    for heading, entries in shared.items():
        entries.sort(key=lambda entry: ranks[entry[0]])
        numbers = tuple(number for number, _ in entries)
        facts.append(Fact(mark + heading, _together(heading, entries), rank=ranks[numbers[0]], columns=numbers))
    return sorted(facts, key=attrgetter("rank"))


def _together(heading: str, entries: list[tuple[int, str]]) -> str:
    separator = " · " if heading == CONSTANT else ", "
    texts = [text for _, text in entries]
    more = f"+{counted(len(texts) - MAX_SHARED, 'column')}" if len(texts) > MAX_SHARED else ""
    return separator.join([*texts[:MAX_SHARED], *([more] if more else [])])


def _words(words: Words, values: int) -> str:
    return words if isinstance(words, str) else words(values)


def name_of(field: Field) -> str:
    """Return the name of a column as it appears in lists."""
    return _name_of(field.name)


@lru_cache(maxsize=4_096)
def _name_of(name: str) -> str:
    return listed(name, MAX_NAME)


def listed(value: Any, limit: int) -> str:
    """Return a value as it can appear in a list that is separated by commas, or before a colon."""
    text = plain(value, limit)
    is_bare = not isinstance(value, str) or text.startswith('"') or not (", " in text or ": " in text or "=" in text)
    return text if is_bare else json.dumps(text, ensure_ascii=False)


def _describe(field: Field, table: Table) -> tuple[str, Words]:
    """Return the heading that a column shares with others, if it does, and the words about it."""
    exact = table.exact  # The words must not keep the table alive, because the table keeps the words.
    role = role_of(field, table.count)
    column, place = field.column, field.place
    if role is Role.EMPTY:
        return EMPTY, name_of(field)
    if place is not None and place.is_tree:  # Its counts include objects at all depths, not of rows alone.
        return "", "recursive objects"
    absent = _absent(field, table.count) if exact else ""
    if role is Role.CONSTANT and not absent:
        return CONSTANT, f"{name_of(field)}={plain(_only_value(column))}"
    if not absent and _are_distinct_texts(field, role, exact=exact):
        return (LINKS if role is Role.LINK else DISTINCT), name_of(field)
    words = _nested(field, exact=exact) if is_nested(field) else _scalars(field, role, exact=exact)
    return "", lambda values: _words(words, values) + absent


def _only_value(column: Column) -> Any:
    return column.values()[0][0] if column.values() else column.least and column.least.value


def _are_distinct_texts(field: Field, role: Role, *, exact: bool) -> bool:
    column = field.column
    if not exact or is_nested(field) or not column.are_all(str) or column.encoded or column.is_time:
        return False
    if role is Role.LINK:
        return True
    if (
        role in (Role.STATE, Role.CATEGORY, Role.CONSTANT)
        or column.is_json
        or column.writes_numbers
        or column.writes_amounts
        or are_decimals(column)
    ):
        return False
    return column.has_more_than(column.filled - 1) and column.different == column.filled


def _absent(field: Field, rows: int) -> str:
    return "".join(f" · {word} ×{count:,}" for word, count in absent_of(field, rows).items())


def absent_of(field: Field, rows: int) -> dict[str, int]:
    """Return how many rows have null in a column, and how many lack its key."""
    place = field.place
    present = rows if place is None or is_of_outer(field) else min(rows, place.count)
    counts = {"null": present - field.filled, "missing": rows - present}
    return {word: count for word, count in counts.items() if count > 0}


def _nested(field: Field, *, exact: bool) -> Words:
    """Describe cells that are arrays or objects."""
    place = field.place
    if place is not None and place.is_only(place.arrays):
        return partial(_items, place, exact=exact) if place.items else "always empty"
    if place is not None and place.is_only(place.objects):
        return partial(_objects, place, exact=exact)
    return partial(_mixed, field, exact=exact)


def _mixed(field: Field, _values: int, *, exact: bool) -> str:
    """Describe cells of several kinds: arrays, objects, scalars."""
    place, column = field.place, field.column
    nested = {"object/array": column.nested} if place is None else {"array": place.arrays, "object": place.objects}
    kinds = {**nested, types(column): column.filled}
    parts = [f"{kind} ×{count:,}" if exact else kind for kind, count in kinds.items() if count]
    return " · ".join(parts)


def _objects(place: Place, values: int, *, exact: bool) -> str:
    """Describe cells that are all objects."""
    if place.keyed is not None and place.keys is not None:
        return f"up to {counted(place.most, 'key')} per row: {_values(place.keys, values, exact=exact)}"
    if not place.fields:
        return "objects" if place.more else "always {}"  # Objects that are nested too deeply are not profiled.
    more = " and more" if place.more else ""
    return f"object with {counted(len(place.fields), 'key')}{more}"


def _items(place: Place, values: int, *, exact: bool) -> str:
    """Describe the items of arrays."""
    span = f"{place.fewest} to {place.most}" if place.fewest < place.most else f"{place.most}"
    text = f"{span} per row" + (f", {place.items:,} in all" if exact else "")
    each = place.each
    if each is None or each.column.hidden:
        return text
    if each.is_only(each.column.filled):
        column = each.column
        if column.is_numeric and column.has_more_than(MAX_VALUES):
            least, greatest = column.least, column.greatest
            return f"{text}, {plain(least and least.value)} to {plain(greatest and greatest.value)}"
        if exact and 1 < (column.different or 0) == column.filled:
            return f"{text}, all distinct"
        return f"{text}: {_values(column, values, exact=exact)}"
    is_flat = each.count == place.items  # Recursive objects are counted at all depths.
    parted = _by_one_field(each, values) if exact and is_flat and each.fields else ""
    return f"{text}, {parted}" if parted else text


def _by_one_field(each: Place, values: int) -> str:
    """Describe the objects in arrays by the values of the field that divides them, if there is one."""
    if not each.is_only(each.objects):
        return ""
    for role in (Role.STATE, Role.CATEGORY, Role.WHO, Role.LABEL):
        for name, place in each.fields.items():
            if named_role(name) is role and place.is_only(place.column.filled) and _repeats(place.column):
                return f"by {listed(name, MAX_NAME)}: {_values(place.column, values)}"
    return ""


def _scalars(field: Field, role: Role, *, exact: bool) -> Words:
    """Describe a column of scalars."""
    column = field.column
    mixed = f"{of_types}, " if len(column.kinds) > 1 and "|" in (of_types := types(column)) else ""
    if role in (Role.STATE, Role.CATEGORY, Role.CONSTANT):
        return lambda values: mixed + _values(column, values, exact=exact)
    if column.is_time and (first := column.earliest) is not None and (last := column.latest) is not None:
        return f"{plain(first.value)} to {plain(last.value)}"
    if column.is_numeric:
        numbers = cache(partial(_numbers, field, role, exact=exact))
        return lambda _: numbers()
    if column.writes_numbers or column.writes_amounts:
        when = partial(times_text, field)
        summed = exact and is_additive(field)
        in_text = cache(lambda: numbers_in_text(column.counts or Counter(column.cells), when, summed=summed))
        return lambda _: in_text()
    if column.are_all(bool) or _repeats(column) or (role is Role.PATH and column.commonest > 1 and column.values()):
        return lambda values: mixed + _values(column, values, exact=exact)
    text = _texts(column, exact=exact)
    return mixed + text.removeprefix("text, ") if mixed else text


def _repeats(column: Column) -> bool:
    """Return True if a list of the most frequent values says something: one of them fills a fortieth of the rows."""
    if column.hidden or column.has_more_than(column.filled - 1) or column.different is None:
        return False
    return column.different <= MAX_VALUES or column.commonest * MAX_VALUES >= column.filled


def _texts(column: Column, *, exact: bool) -> str:
    """Describe texts that hardly repeat."""
    if column.encoded:
        return "base64 data"
    text = "JSON text" if column.is_json else DECIMALS if are_decimals(column) else "text"
    if column.different is None:
        return f"{text}, over {column.over:,} distinct"
    if column.different < column.filled:
        each = _each(column) if exact else ""
        return each or f"{text}, {column.different:,} distinct"
    return f"{text}, all distinct" if exact else text


def _values(column: Column, most: int, *, exact: bool = True) -> str:
    """Return up to so many values with their counts, the most frequent first. A sample has no counts."""
    values = column.values()
    if not values:
        return f"over {column.over:,} distinct" if column.different is None else f"{column.different:,} distinct"
    if not exact:
        return " · ".join(plain(value) for value, _ in values[:most]) + (" · …" if len(values) > most else "")
    if len(values) > MAX_VALUES and (each := _each(column)):
        return each
    return tally(values, most)


def _each(column: Column) -> str:
    """Return how many values there are and how often each appears, if all appear equally often."""
    different = column.different or 0
    if not 0 < different < column.filled or column.commonest * different != column.filled:
        return ""
    return f"{different:,} distinct, {column.commonest:,} each"


def _numbers(field: Field, role: Role, *, exact: bool) -> str:
    """Describe numbers by their range, and amounts by their mean, median and sum as well."""
    column = field.column
    least, greatest = (extreme.value for extreme in (column.least, column.greatest) if extreme is not None)
    if least == greatest and exact:
        return _values(column, 1)
    text = f"{plain(least)} to {plain(greatest)}"
    if when := times_text(field, least, greatest):
        return f"{text} ({when})"
    if role is Role.ID and named_role(field.name) is Role.TIME:
        return f"{text} (not all are times in one unit)"
    if exact and role is Role.ID and (column.different or column.filled) < column.filled:
        return f"{text}, {_each(column) or f'{column.different:,} distinct'}"
    is_summed = exact and role is Role.AMOUNT and isfinite(column.total)  # Not if doubles add up to infinity.
    return text + (_means(field) if is_summed else "")


def _means(field: Field) -> str:
    """Return the mean, the median and the sum of an amount, as far as they are known."""
    column, middle = field.column, median(field.column)
    parts = [f"mean {mean_text(column.total / column.filled)}"]
    parts += [f"median {mean_text(middle)}"] if middle is not None else []
    parts += [f"sum {number_text(column.total)}"] if is_additive(field) else []
    return "".join(f", {part}" for part in parts)


def median(column: Column) -> float | None:
    """Return the median of the numbers of a column; None if neither the counts nor the cells are at hand."""
    if column.counts is not None and not column.hidden:
        numbers: list[float] = sorted(column.counts.elements())
    elif column.cells is not None:
        numbers = sorted(column.cells)
    else:
        return None
    half = len(numbers) // 2
    return numbers[half] if len(numbers) % 2 else (numbers[half - 1] + numbers[half]) / 2
