"""Judges what the cells of one column are good for: parts to count by, times, amounts to add up, or names of things.

A column's own name tells as much as its cells: ``status`` divides, a ``port`` is never added up.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import islice
from operator import lt
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.times import NARROW, epoch_text
from penstock.core.profile_values import FLOATS
from penstock.core.text import split_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.core.forms.reading import Field, Table

OF_OTHERS: Final = 1.0  # rank of what is told of something else that several rows share: the open issues of a milestone
LONG_WORD: Final = 40  # characters on average of a value that divides: a longer one is a text
FEW: Final = 8  # different values of a column that are all shown
MOST_DIVIDING: Final = 40  # different values of a column that divides
LONG_NAME: Final = 60  # characters of a column's name; a longer one is data
DEEPER: Final = 0.2  # rank of a column for each object that it lies in: what is near tells more
UNASKED: Final = 0.8  # quality of cells that few people ask by: counts, sizes, durations, times of day
LOPSIDED: Final = 0.9  # of the rows have one value of a column that hardly divides them
KNOWN: Final = 1.0  # quality of a column below which its name is one that people ask by
TELLING: Final = 1.5  # quality below which people may ask by a column, whatever its name
LARGEST_SUM: Final = 2**63  # SQL adds no further, and no model asks for such a sum; a sum that overflowed is no number
MANY_LINKS: Final = 3  # columns of links that are about the rows; more are for programs

# What a column is known to divide things by, the most telling first; names are compared by their letters alone.
_DIVIDES: Final = split_words(
    "status state severity level priority risk type kind category result conclusion outcome phase stage action event "
    "verdict environment env region role reason code class group team method language country queue source service "
    "component"
)
_STATES: Final = frozenset(_DIVIDES)
# Who or what it was: people ask which of them has most.
_ACTORS: Final = frozenset(
    split_words(
        "name title service component source module logger host hostname node actor author user login username owner "
        "assignee reporter creator team rule check namespace project repository repo branch"
    )
)
# The same of items in arrays, where names and rules tell them apart.
PARTS: Final = (*_DIVIDES, *split_words("rule ruleid label tag name"))
# Numbers that name, place or date a thing: their sum says nothing.
_NAMES = re.compile(
    r"(?:^|[^a-z])(?i:[pgtui]?id|[ns]s?[pt]?g?id|ppid|lwp|inode|uuid|guid|number|num|no|index|idx|line|lineno"
    r"|row|col|column|port|sha|year|month|day|hour|minute|(?:micro|milli)?second|lat|lon|lng|latitude|longitude|x|y|z|top|left|right|bottom|start|end"
    r"|begin|offset|position|pos|version|code|status|rank|order|zip|epoch|ts|timestamp|level|depth|priority|lines?_?n(?:o|um(?:ber)?)|(?:sub)?_?group|cluster|class|category|type|kind|parent"
    r"|source|target|direction|date|key|page|partition|seq|sequence|(?:page|rev|lastrev|user|post|item|parent)id)$|(?:Id|ID|Line|Column|Index|Number|Code|Status|Version|Port|Position|Offset|Order)$"
)
_PLACES = re.compile(
    r"(?:^|[^a-z])(?i:id|uuid|number|num|no|index|idx|line|lineno|row|col|column|lat|lon|lng|x|y|z|top|left|right|bottom"
    r"|offset|position|pos|order|epoch|ts|timestamp)$|(?:Id|ID|Line|Column|Index|Number|Position|Offset|Order)$"
)
_CODE = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-f]{20,}|[0-9A-F]{20,}")
SHORTEST_CODE: Final = 20  # characters
_WHEN = re.compile(
    r"(?i)(?:time(?:_?stamp)?|date|created|updated?|modified|changed?|expires?|seen|login|visit|access(?:ed)?|sync(?:ed)?"
    r"|start(?:ed)?|end(?:ed)?|utc|_at|_ts|^ts|^dt)(?:_?\w{0,4})?(?:\.value)?$"
)
# Numbers that say how much, but not of what could be added up.
_RATES = re.compile(
    r"(?i)(?:percent(?:age)?|pct|ratio|rate|average|avg|mean|median|score|temperature|humidity|confidence|probability"
    r"|density|efficiency|utili[sz]ation|p[0-9]{2})(?:[_ ]?(?:\w{1,8}))?$|%"
)
# Amounts that people ask for the most of: what is added up of others first.
_TOTALS: Final = re.compile(r"(?i)total|amount|revenue|cumulative")
_WANTED: Final = re.compile(
    r"(?i)duration|elapsed|took|latency|price|cost|size|bytes|count|score|restart|cpu|rss|mem"
    r"|usage|hits|views|comments|added|errors|weight|salary|population"
)
# What only rows have where something went wrong.
_ERRORS: Final = re.compile(
    r"(?i)(?:^|[._])(?:err(?:or)?|exception|failure)(?:[._]?(?:code|type|name|message|reason))?$"
)
UNWANTED: Final = 2  # of an amount that few people ask for the most of
_LINKS = re.compile(r"(?i)(?:^|[._])(?:\w*_)?(?:ur[li]|href|links?|avatar\w*|gravatar\w*|node_?id|etag|self_?link)$")
_LAST_WORD = re.compile(r"[A-Z]?[a-z]+$|[A-Z]+$")  # of a name, also of one in camel case
FOR_PROGRAMS: Final = frozenset(split_words("fingerprint hash digest checksum etag token uuid guid sha"))
_OWN_NAMES: Final = frozenset(split_words("name displayname display_name title label key value slug"))
_CLOCK = re.compile(r"[0-9]+(?:[:-][0-9]{2})+(?:[.,][0-9]+)?")
_UNNAMED = re.compile(r"(?:.*\.)?c[0-9]+")


def _name_test(pattern: re.Pattern[str]) -> Callable[[Field], bool]:
    """Return what tells whether the end of a column's name matches a pattern. The same few names come again and
    again."""
    known = lru_cache(maxsize=4_096)(lambda name: pattern.search(name.partition(".$")[0]) is not None)
    return lambda field: known(field.name[-LONG_NAME:])  # without the type that MongoDB writes: orderNo.$numberLong


is_name = _name_test(_NAMES)
_is_place = _name_test(_PLACES)
is_when = _name_test(_WHEN)
_has_links = _name_test(_LINKS)
_is_rate = _name_test(_RATES)
tells_error = _name_test(_ERRORS)


def is_link(field: Field) -> bool:
    """Tell whether a column has texts that are links, as its name says."""
    return str in field.column.kinds and _has_links(field)


def has_codes(field: Field) -> bool:
    """Tell whether a column has long codes that mean nothing to people, as one of its values tells."""
    example = field.column.example if str in field.column.kinds else None
    return isinstance(example, str) and len(example) >= SHORTEST_CODE and _CODE.fullmatch(example) is not None


def is_nested(field: Field) -> bool:
    """Tell whether some cells are arrays or objects: SQL has those as texts, so they are not compared or counted
    here."""
    return field.column.nested > 0 or (field.place is not None and bool(field.place.arrays or field.place.objects))


def is_additive(field: Field) -> bool:
    """Tell whether a column has numbers whose sum says something."""
    if has_no_sum(field):
        return False
    return is_amount_in_text(field) or (is_amount(field) and abs(field.column.total) < LARGEST_SUM)


def is_amount(field: Field) -> bool:
    """Tell whether a column has numbers that say how much of something a row has."""
    column = field.column
    if not column.is_numeric or column.least is None or column.greatest is None or is_nested(field):
        return False
    if is_name(field) or is_of_outer(field) or column.least.value == column.greatest.value:
        return False
    return not times_in(field, column.least.value, column.greatest.value)


def is_amount_in_text(field: Field) -> bool:
    """Tell whether a column has texts that write amounts, as prices with two decimals do."""
    column = field.column
    if not column.are_all(str) or is_nested(field) or is_name(field) or is_when(field) or is_of_outer(field):
        return False
    return column.writes_numbers and not column.is_constant


def is_numbering(field: Field) -> bool:
    """Tell whether texts that write amounts rise from row to row: they number the rows."""
    numbers = _written(field)
    return bool(numbers) and all(map(lt, numbers, islice(numbers, 1, None)))


def _written(field: Field) -> list[float]:
    """Return the numbers that the texts of a column write; none where these are not at hand."""
    return FLOATS.decode(f"[{','.join(field.column.cells)}]") if field.column.cells is not None else []


def greatest_row(field: Field) -> int | None:
    """Return the first row with the greatest amount; None where there is none, or where the texts that write amounts
    are not at hand."""
    column = field.column
    if is_amount(field):
        return column.greatest.row if column.greatest is not None else None
    numbers = _written(field) if is_amount_in_text(field) else []
    return numbers.index(max(numbers)) if numbers else None


@lru_cache(maxsize=4_096)
def _unwanted(name: str) -> int:
    return 0 if _TOTALS.search(name) else 1 if _WANTED.search(name) else UNWANTED


def unwanted(field: Field) -> int:
    """Rate whether people ask which rows have the most of an amount, by its name: the lower, the sooner."""
    return _unwanted(field.name[-LONG_NAME:])


def has_no_sum(field: Field) -> bool:
    """Tell whether numbers do not add up: they name a thing, they are parts of a whole or means, they include those of
    other rows, or they are those of what several rows lie in, and each of these rows has them once more."""
    return not field.adds_up or is_name(field) or is_of_outer(field) or _is_rate(field)


def is_of_outer(field: Field) -> bool:
    """Tell whether a column is one of what the rows lie in."""
    return field.path is not None and field.path.level >= 0


def divides(field: Field, rows: int) -> float | None:
    """Rate how well a column divides a table into parts, the lower the better; None where it does not."""
    if rows not in field.quality:
        field.quality[rows] = _divides(field, rows)
    return field.quality[rows]


def _divides(field: Field, rows: int) -> float | None:
    column = field.column
    if column.filled * 2 < rows or is_nested(field) or column.bulk > LONG_WORD * column.filled:
        return None
    if last_word(field.name) in FOR_PROGRAMS:
        return None
    known = _known_place(field.name)
    if column.is_numeric and (_is_place(field) or (known == len(_DIVIDES) and column.has_more_than(FEW))):
        return None
    most = min(MOST_DIVIDING, column.filled // (3 if known == len(_DIVIDES) else 2))
    if column.has_more_than(most) or column.hidden or column.is_time or has_times(field):
        return None
    different = column.different or 0
    if different < 2:
        return None
    commonest = str(column.values()[0][0])
    is_flat = column.commonest >= LOPSIDED * column.filled
    is_plain = column.is_numeric or column.are_all(bool)
    is_odd = _CLOCK.fullmatch(commonest) is not None or _CODE.fullmatch(commonest) is not None
    unasked = known == len(_DIVIDES) and (is_plain or is_flat or is_odd)
    return known / len(_DIVIDES) + different / 100 + UNASKED * unasked


def is_state(field: Field) -> bool:
    """Tell whether people ask by a column: that all rows are of one level, say, answers how many are of each."""
    return field.name.lower() in _STATES


def is_known(field: Field) -> bool:
    """Tell whether the name of a column is one that people ask by."""
    return _known_place(field.name) < len(_DIVIDES)


@lru_cache(maxsize=4_096)
def _known_place(name: str) -> int:
    """Return the place among what divides of the word that says what a column tells: its own name, or that of the
    object whose name it is, as in ``status.name``."""
    outer, _, own = name.rpartition(".")
    return place_among(_DIVIDES, outer.rpartition(".")[2] if outer and own.lower() in _OWN_NAMES else own)


@lru_cache(maxsize=4_096)
def last_word(name: str) -> str:
    """Return the last word of a column's name, in small letters; none where it ends in something else."""
    last = _LAST_WORD.search(name)
    return "" if last is None else last[0].lower()


def is_actor(field: Field) -> bool:
    """Tell whether a column names who or what a row belongs to."""
    return last_word(field.name) in _ACTORS


def others_in(table: Table) -> frozenset[str]:
    """Return the objects nested in rows that are things of their own, which several rows share: an object whose name
    repeats, as the user and the milestone of an issue."""
    return table.once("others", _others_in)


def _others_in(table: Table) -> frozenset[str]:
    nested = Counter(field.name.partition(".")[0] for field in table.fields)
    return frozenset(
        outer
        for field in table.fields
        if (outer := field.name.rpartition(".")[0]) and is_actor(field) and field.column.filled
        if nested[outer] * 4 < len(table.fields) * 3  # what has most of a row's columns is the row
        if field.column.seems_to_repeat
    )


def is_of_other(field: Field, others: frozenset[str]) -> bool:
    """Tell whether a column is about one of such objects, and neither names nor divides them."""
    nearest = outer = field.name.rpartition(".")[0]
    while outer:
        if outer in others and not (outer == nearest and (is_actor(field) or is_known(field))):
            return True
        outer = outer.rpartition(".")[0]
    return False


def has_times(field: Field) -> bool:
    """Tell whether numbers stand for times."""
    least, greatest = (field.column.least, field.column.greatest) if field.column.is_numeric else (None, None)
    return least is not None and greatest is not None and bool(times_in(field, least.value, greatest.value))


def place_among(words: tuple[str, ...], name: str) -> int:
    """Return the place of the word that a name is, or ends in, by its letters alone; behind all of them where it is
    none."""
    return _placed(name[-LONG_NAME:], len(words))


@lru_cache(maxsize=4_096)
def _placed(name: str, number: int) -> int:
    words = PARTS[:number]
    letters = "".join(filter(str.isalpha, name.lower()))
    return next((at for at, word in enumerate(words) if letters.endswith(word)), len(words))


def times_in(field: Field, least: Any, greatest: Any) -> str:
    """Return the times that numbers stand for, if the name of their column says that they are times, or where a column
    has no name of its own, as in points of a series: amounts are hardly all of one size."""
    if not is_when(field) and not (_UNNAMED.fullmatch(field.name) and least * NARROW > greatest):
        return ""
    first, last = epoch_text(least), epoch_text(greatest)
    if not last or (least and not first):
        return ""
    return f"{first} .. {last}" if first else f"up to {last}"
