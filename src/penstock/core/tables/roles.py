"""The role of each column, and the one score by which columns are chosen.

A column has one role, which its name and its profile decide. One table says what a role is worth as a fact and as a
column of sample rows. Every choice of a column uses this score:

    score = worth of the role + depth of the name + share of rows without a value     (lower is shown sooner)

As a column of sample rows, it has the average length of its cells as a fourth summand.

``LEXICON`` is the only list of words for the names of columns.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from penstock.core.forms.times import NARROW, epoch_text, epoch_unit
from penstock.core.text import LONG_VALUE, split_words

if TYPE_CHECKING:
    from collections.abc import Collection

    from penstock.core.forms.reading import Field, Table
    from penstock.core.profile import Column

DEPTH_STEP: Final = 0.3  # Each object around a column adds 0.3 of score: outer columns say more about their row.
PRICE: Final = 100  # 100 characters weigh as much as 1 of score: a long list has to be worth them.
MAX_VALUES: Final = 40  # A list has at most 40 values, because a reader takes in no more of them.
MAX_SPARSE: Final = 10  # A column with values in at most 10 rows is sparse: its rows can all be shown.
MAX_NAME: Final = 60  # The name of a column has at most 60 characters. A longer one is data.
LARGEST_SUM: Final = 2**63  # A sum must stay below this, because SQLite adds no further.


class Role(StrEnum):
    """The purpose of a column."""

    STATE = "state"
    CATEGORY = "category"
    WHO = "who"
    ERROR = "error"
    TIME = "time"
    AMOUNT = "amount"
    ID = "id"
    LABEL = "label"
    PATH = "path"
    LINK = "link"
    CODE = "code"
    TEXT = "text"
    LIST = "list"
    NESTED = "nested"
    CONSTANT = "constant"
    EMPTY = "empty"


# Some words of a role mean more, and forms and orders look for them. Those first in a list are the clearest.
GRADES: Final = split_words("severity priority prio criticality urgency importance risk impact")
LEVELS: Final = (*GRADES, *split_words("level levelname loglevel lvl"))
KINDS: Final = split_words("type kind tag class op")
CHECKS: Final = split_words("rule ruleid check checker test cwe cve")
LINES: Final = split_words("line lineno row col column")
FILES: Final = split_words("path file filename filepath")
MESSAGES: Final = split_words("msg message event")
SOURCES: Final = split_words("logger component caller source module service app")
WEB: Final = split_words("url uri http request route endpoint")
# The words that a column's name ends in, by the role that they suggest. The profile has the last word.
LEXICON: Final[dict[Role, tuple[str, ...]]] = {
    Role.STATE: (*split_words("status state result conclusion outcome phase stage verdict health"), *LEVELS),
    Role.CATEGORY: (
        *KINDS,
        *split_words(
            "category group action event environment env region role reason code method language country queue "
            "currency format channel mode"
        ),
    ),
    Role.WHO: split_words(
        "user author owner assignee reporter creator actor login username host hostname node team project repository "
        "repo namespace branch customer account organization email"
    )
    + SOURCES
    + CHECKS,
    Role.ERROR: split_words("error err exception failure"),
    Role.TIME: split_words(
        "time date datetime timestamp ts dt at epoch unix utc atime ctime mtime created updated modified changed "
        "started ended finished expires expired seen accessed synced start end"
    ),
    Role.ID: split_words(
        "id uid gid pid ppid tid iid key number num no index idx inode port year month day hour "
        "minute second lat lon lng latitude longitude x y z top left right bottom begin offset position pos "
        "version rank order zip depth parent target direction page partition seq sequence cluster lwp sku"
    )
    + LINES,
    Role.LABEL: split_words(
        "name title subject summary message heading headline label field command cmd identifier package place nodeid"
    ),
    Role.PATH: (*FILES, "folder", "directory"),
    Role.LINK: split_words("url uri href link links avatar gravatar etag"),
    Role.CODE: split_words("fingerprint hash digest checksum token uuid guid sha"),
    Role.TEXT: split_words("text description body content comment note value"),
}
# Events. With ``last`` or ``time`` they name a moment (``last_login``, ``update_time``). ``cpu_time`` is a duration.
EVENTS: Final = frozenset(
    split_words(
        "create update modify change begin finish expire commit publish event login visit access sync arrival "
        "departure first last next"
    )
)
# The beginnings of words that say which of a row's moments is meant. The first means its creation.
MOMENTS: Final = split_words("creat updat modif publish clos merg start complet finish due seen")
# Units that may follow the name of a moment, in nanoseconds.
UNITS: Final = {
    **dict.fromkeys(split_words("s sec secs seconds"), 10**9),
    **dict.fromkeys(split_words("ms msec millis milliseconds"), 10**6),
    **dict.fromkeys(split_words("us usec micros microseconds"), 10**3),
    **dict.fromkeys(split_words("ns nano nanos nanoseconds"), 1),
}
# Words that suggest their role at the end of a longer word as well: ``dealname``, ``loglevel``.
ENDINGS: Final = split_words("name title status level severity type file path number line")
# Names of a part that names the object around it: ``status.name`` is a status.
NAME_PARTS: Final = frozenset(split_words("name displayname title label key value slug"))
# Amounts that are shares or means already, so their sum says nothing.
RATES: Final = frozenset(
    split_words(
        "percent percentage pct ratio rate average avg mean median score temperature humidity confidence probability "
        "density efficiency utilization utilisation"
    )
)

GROUPS: Final = (Role.STATE, Role.CATEGORY, Role.WHO)  # roles of columns that may divide a table into groups
KEY_ROLES: Final = (Role.ID, Role.CODE, Role.LABEL, Role.PATH, Role.LINK)  # roles of columns that may identify a row

# The names of fields that name an object, the clearest first.
NAMES: Final = (*LEXICON[Role.LABEL], *LEXICON[Role.TEXT], *LEXICON[Role.WHO], *LEXICON[Role.ID])

_ROLES: Final = {word: role for role, words in LEXICON.items() for word in words}
_PARTS: Final = frozenset((*NAME_PARTS, "id", "no", "num", "number", "start"))
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_CODE: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-f]{20,}|[0-9A-F]{20,}")
_PERCENTILE: Final = re.compile(r"p[0-9]{2}$|%")
_UNNAMED: Final = re.compile(r"(?:.*\.)?c[0-9]+")


class Worth(NamedTuple):
    """The worth of a role as a fact and as a column of sample rows. None is never a column of sample rows."""

    fact: float
    row: float | None


# Links and codes are columns of sample rows only if no other column names the rows.
WORTH: Final = {
    Role.STATE: Worth(0.0, 0.6),
    Role.CATEGORY: Worth(0.5, 1.0),
    Role.ERROR: Worth(1.0, 1.2),
    Role.TIME: Worth(1.0, 1.0),
    Role.WHO: Worth(1.5, 1.0),
    Role.AMOUNT: Worth(2.0, 0.8),
    Role.LIST: Worth(2.0, 3.0),
    Role.LABEL: Worth(2.4, 0.0),
    Role.PATH: Worth(2.4, 0.0),
    Role.NESTED: Worth(3.0, None),
    Role.ID: Worth(4.5, 0.5),
    Role.CONSTANT: Worth(3.0, None),
    Role.TEXT: Worth(6.0, 1.5),
    Role.LINK: Worth(6.0, 2.5),
    Role.CODE: Worth(6.0, 2.5),
    Role.EMPTY: Worth(8.0, None),
}


class Score(NamedTuple):
    """The summands of the score of a column. ``length`` is 0 for a fact, because its length depends on its words."""

    worth: float
    depth: float
    emptiness: float
    length: float = 0.0

    @property
    def total(self) -> float:
        return self.worth + self.depth + self.emptiness + self.length


def fact_score(field: Field, rows: int) -> Score:
    """Return the score of a column as a fact."""
    return _score(field, rows, WORTH[role_of(field, rows)].fact)


def row_score(field: Field, rows: int) -> Score | None:
    """Return the score of a column of sample rows; None for a column that is never one."""
    worth = WORTH[role_of(field, rows)].row
    return None if worth is None else _score(field, rows, worth)._replace(length=cell_length(field) / PRICE)


def cell_length(field: Field) -> float:
    """Return the average number of characters of a shown cell. Those that are no texts have about six."""
    column = field.column
    texts = column.kinds.get(str, 0)
    average = (column.bulk + 6 * (column.filled - texts)) / column.filled if column.filled else 0.0
    return min(LONG_VALUE, average)


def _score(field: Field, rows: int, worth: float) -> Score:
    return Score(worth, DEPTH_STEP * field.name.count("."), 1 - field.filled / max(1, rows))


def role_of(field: Field, rows: int) -> Role:
    """Return the role of a column in a table of so many rows."""
    role: Role | None = field.roles.get(rows)
    if role is None:
        role = field.roles[rows] = _role_of(field, rows)
    return role


def _role_of(field: Field, rows: int) -> Role:
    if not field.filled:
        return Role.EMPTY
    if is_nested(field):
        return Role.LIST if _is_list(field) else Role.NESTED
    return _role_of_scalars(field, rows)


def _role_of_scalars(field: Field, rows: int) -> Role:  # noqa: PLR0911  (one line for each role)
    column, named = field.column, named_role(field.name)
    if column.is_constant and not column.hidden and rows > 1 and not (named is Role.ERROR and field.filled < rows):
        return Role.CONSTANT if field.filled == rows else Role.CATEGORY  # A value that some rows lack divides them.
    if str in column.kinds and (named is Role.LINK or _has_links(field)):
        return Role.LINK
    if named is Role.CODE or (has_codes(field) and not (named is Role.ID and field.column.example.isdigit())):
        return Role.CODE
    if column.is_time or has_times(field):
        return Role.TIME
    if _has_numbers(column) and not (column.writes_amounts and _repeats(field)):
        return _role_of_numbers(field, named)  # A few amounts that repeat are names of groups: 5m, 10m.
    if named is Role.ERROR and field.filled < rows:
        return Role.ERROR
    return _role_of_texts(field, named, rows)


def _has_numbers(column: Column) -> bool:
    return column.is_numeric or column.writes_numbers or column.writes_amounts


def _role_of_numbers(field: Field, named: Role | None) -> Role:
    if named is Role.ID or _numbers_rows(field) or _has_moments(field):
        return Role.ID  # Moments in different units, or some that may be, have no mean and no sum.
    if named in (Role.STATE, Role.CATEGORY) and _repeats(field):
        return named
    return Role.AMOUNT


def _has_moments(field: Field) -> bool:
    """Return True if the name of a column means a moment, and its greatest number is one, or an example of texts."""
    column = field.column
    if named_role(field.name) is not Role.TIME:
        return False
    greatest = column.greatest.value if column.greatest is not None else column.example
    return (column.is_numeric or column.writes_numbers) and bool(epoch_text(greatest))


def _numbers_rows(field: Field) -> bool:
    """Return True if the integers of a column are consecutive, each in one row: they number the rows."""
    column = field.column
    if not column.are_all(int) or column.least is None or column.greatest is None or column.filled < 2:
        return False
    return bool(column.greatest.value - column.least.value + 1 == column.filled == column.different)


def _role_of_texts(field: Field, named: Role | None, rows: int) -> Role:
    if is_sparse(field, rows):
        return Role.CATEGORY  # Its few values can be listed, and the rows that have them are unlike the others.
    if field.column.are_all(bool):
        return named if named is Role.STATE else Role.CATEGORY
    if _repeats(field) and named not in (Role.PATH, Role.TEXT):
        return named if named in (Role.STATE, Role.WHO) else Role.CATEGORY
    if named is not Role.TEXT and named is not Role.PATH and field.column.seems_to_repeat:
        return Role.WHO
    return named if named in (Role.PATH, Role.WHO, Role.LABEL, Role.ID) else Role.TEXT


def _repeats(field: Field) -> bool:
    """Return True if a column has few short values, and each of them twice on average."""
    column = field.column
    most = min(MAX_VALUES, column.filled // 2)
    if column.hidden or column.bulk > MAX_VALUES * column.filled or column.has_more_than(most):
        return False
    return (column.different or 0) > 1


def is_sparse(field: Field, rows: int) -> bool:
    """Return True if only a few rows have a short value in a column."""
    column = field.column
    if not 0 < field.filled <= MAX_SPARSE < rows or field.filled * 2 >= rows or is_nested(field):
        return False
    return not column.hidden and column.bulk <= MAX_VALUES * column.filled


def _is_list(field: Field) -> bool:
    each = field.place.each if field.place is not None else None
    return each is not None and each.is_only(each.column.filled)


def is_nested(field: Field) -> bool:
    """Return True if some cells are arrays or objects. SQL sees those as texts."""
    return field.column.nested > 0 or (field.place is not None and bool(field.place.arrays or field.place.objects))


def _has_links(field: Field) -> bool:
    example = field.column.example
    return isinstance(example, str) and example.startswith(("http://", "https://"))


def has_codes(field: Field) -> bool:
    """Return True if the values are long codes that mean nothing to people. One example decides."""
    example = field.column.example if str in field.column.kinds else None
    return isinstance(example, str) and _CODE.fullmatch(example) is not None


def words_of(name: str) -> list[str]:
    """Return the words of the last part of a name, in lower case: ``start``, ``line`` of ``location.startLine``."""
    return [word.lower() for word in _WORD.findall(name[-MAX_NAME:].rpartition(".")[2])]


def is_named(name: str, words: Collection[str]) -> bool:
    """Return True if a name ends in one of these words, or in one and the word for its number, key or name."""
    own = words_of(name)
    while len(own) > 1 and own[-1] not in words and (own[-1] in _PARTS):
        own.pop()
    return bool(own) and own[-1] in words


@lru_cache(maxsize=4_096)
def kind_order(name: str) -> int:
    """Return how clearly the name of a field says that its value is the kind of the object: the lower the better."""
    own = "".join(filter(str.isalpha, name[:MAX_NAME].lower())).removeprefix("node")
    return KINDS.index(own) if own in KINDS else len(KINDS)


def is_kind(name: str) -> bool:
    """Return True if a field with this name has the kind of the object: ``type``, ``@type``, ``nodeType``."""
    return kind_order(name) < len(KINDS)


@lru_cache(maxsize=4_096)
def named_role(name: str) -> Role | None:
    """Return the role that the name of a column suggests.

    The last word decides. A part that names the object around it, such as ``status.name``, has the role of that object.
    """
    outer, _, own = name[-MAX_NAME:].partition(".$")[0].rpartition(".")
    if outer and own.lower().replace("_", "") in NAME_PARTS:
        around = _word_role(outer.rpartition(".")[2])
        if around in (*GROUPS, Role.TIME):
            return around
    return _word_role(own)


def _word_role(name: str) -> Role | None:
    words = [word.lower() for word in _WORD.findall(name)]
    if not words:
        return None
    if any(word in LEXICON[Role.ERROR] for word in words):
        return Role.ERROR
    if _moment(words):
        return Role.TIME
    last = words[-1]
    if last in _ROLES:
        return None if _ROLES[last] is Role.TIME else _ROLES[last]
    ending = next((word for word in ENDINGS if last.endswith(word)), None)
    return None if ending is None else _ROLES[ending]


def _moment(words: list[str]) -> bool:
    """Return True if the words of a name mean a moment, and not a duration."""
    has_unit = len(words) > 1 and (words[-1] in UNITS or words[-1] == "on")
    *before, last = words[:-1] if has_unit else words
    if last == "time":
        known = LEXICON[Role.TIME]
        return (before[-1] in known or before[-1] in EVENTS) if before else not has_unit
    return last in LEXICON[Role.TIME] or (last in EVENTS and "last" in before)


def _unit_of(name: str) -> int | None:
    """Return the unit that the name of a column ends with, in nanoseconds."""
    words = _WORD.findall(name.rpartition(".")[2])
    return UNITS.get(words[-1].lower()) if words else None


def has_times(field: Field) -> bool:
    """Return True if the numbers of a column are points in time."""
    least, greatest = (field.column.least, field.column.greatest) if field.column.is_numeric else (None, None)
    return least is not None and greatest is not None and bool(times_text(field, least.value, greatest.value))


def times_text(field: Field, least: Any, greatest: Any) -> str:
    """Return the points in time that numbers stand for, if all of them are in one unit; else an empty text.

    The name of the column must say so. A column without a name of its own, as in points of a series, has times if all
    its numbers are of one size: amounts hardly are.
    """
    is_named = named_role(field.name) is Role.TIME
    if not is_named and not (_UNNAMED.fullmatch(field.name) and least * NARROW > greatest):
        return ""
    first, last = epoch_text(least), epoch_text(greatest)
    unit = epoch_unit(greatest)
    if not last or (least and not first) or _unit_of(field.name) not in (None, unit):
        return ""
    # Between two numbers of one unit are only numbers of that unit. Between zero and a number there may be others.
    numbers = (least,) if least else field.column.counts
    if numbers is None or any(epoch_unit(float(one)) != unit for one in numbers if float(one)):
        return ""
    return f"{first} to {last}" if least else f"up to {last}"


def is_amount(field: Field) -> bool:
    """Return True if a column says how much of something a row has, and not always the same."""
    column = field.column
    if is_nested(field) or is_of_outer(field) or column.is_constant or not _has_numbers(column):
        return False
    if named_role(field.name) is Role.ID or has_times(field):
        return False
    return not _numbers_rows(field) and not _has_moments(field)


def is_additive(field: Field) -> bool:
    """Return True if the sum of a column's numbers says something."""
    if not field.adds_up or not is_amount(field) or is_rate(field.name) or str(field.column.example).endswith("%"):
        return False
    return not field.column.is_numeric or abs(field.column.total) < LARGEST_SUM


@lru_cache(maxsize=4_096)
def is_rate(name: str) -> bool:
    """Return True if the name of a column says that its numbers are shares or means."""
    words = [word.lower() for word in _WORD.findall(name.rpartition(".")[2])]
    return not RATES.isdisjoint(words) or _PERCENTILE.search(name) is not None


def is_of_outer(field: Field) -> bool:
    """Return True if a column belongs to an object around the rows, which several rows share."""
    return field.path is not None and field.path.level >= 0


def amounts_of(table: Table) -> list[Field]:
    """Return the columns of amounts, best first. Of two with the same score, the one with the greater sum is first."""
    amounts = [field for field in table.fields if role_of(field, table.count) is Role.AMOUNT and is_amount(field)]
    return sorted(amounts, key=lambda one: (fact_score(one, table.count).total, -one.column.total))


def groups_of(table: Table) -> list[Field]:
    """Return the columns that divide a table into groups, best first."""
    groups = [field for field in table.fields if role_of(field, table.count) in GROUPS and _repeats(field)]
    return sorted(groups, key=lambda one: fact_score(one, table.count).total)
