"""The order of many objects by importance or by time, and the field that decides it.

A field that the caller does not name is found in a sample of the objects, by its name and its values. Names of times
are those of ``LEXICON``. Names of importance have a list of their own: a status is a state, but nothing is ranked by
it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Literal

from penstock.core.forms.times import looks_like_time, parse_time
from penstock.core.tables.roles import LEVELS, LEXICON, NAME_PARTS, Role, named_role
from penstock.core.text import nearest, shorten
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.core.severity import Scale

Strategy = Literal["priority", "newest", "oldest"]
FieldPath = tuple[str, ...]
Preference = Callable[[str], int | None]  # of a name: the lower the better; None for one that promises no such field

SAMPLE: Final = 200  # items looked at: a field that only one item in twenty has is still seen, but for 1 case in 28,000
LONGEST_NAME: Final = 100  # characters; a field's name is repeated in answers, and a longer key is data
ABSENT: Final = object()

IMPORTANCE: Final = (*LEVELS, "cvss", "score", "relevance", "rank")


def ends_with(*words: str) -> Preference:
    """Return a preference for names that end with the first of some words."""

    def preference(name: str) -> int | None:
        letters = "".join(filter(str.isalpha, name.lower()))
        return next((place for place, word in enumerate(words) if letters.endswith(word)), None)

    return preference


def of_time(name: str) -> int | None:
    """Return the preference for a name of a point in time: the time itself, then its creation, then its change."""
    if named_role(name) is not Role.TIME:
        return None
    words = LEXICON[Role.TIME]
    letters = "".join(filter(str.isalpha, name.lower()))
    return max((place for place, word in enumerate(words) if word in letters), default=len(words))


of_importance: Final = ends_with(*IMPORTANCE)


def priority_field(items: Sequence[Any], scale: Scale) -> FieldPath | None:
    """Return the field that holds the importance of most items, or None."""
    return find_field(items, of_importance, scale.knows)


def time_field(items: Sequence[Any]) -> FieldPath | None:
    """Return the field that holds the time of most items, or None."""
    return find_field(items, of_time, looks_like_time)


def by_time(items: Sequence[Any], field: FieldPath | None, strategy: Strategy) -> list[int]:
    """Return the places of items, the newest or the oldest first. Items without a time come last in either order."""
    times = [parse_time(value_at(item, field)) for item in items]
    sign = -1 if strategy == "newest" else 1
    return sorted(range(len(items)), key=lambda place: (times[place] is None, sign * (times[place] or 0)))


def by_importance(items: Sequence[Any], field: FieldPath | None, scale: Scale) -> list[int]:
    """Return the places of items, the most important first."""
    return sorted(range(len(items)), key=lambda place: scale.grade(value_at(items[place], field))[0])


def find_field(items: Sequence[Any], preference: Preference, usable: Callable[[Any], bool]) -> FieldPath | None:
    """Return the field with a promising name that most items of a sample have a usable value in, or None.

    A better name wins over a worse one if it is filled at least half as often. Fields are looked for in the objects
    themselves and in the objects one level down.
    """
    filled: Counter[FieldPath] = Counter()
    preferences: dict[FieldPath, int | None] = {}
    for item in sample(items):
        for path, value in _fields(item):
            if path not in preferences:
                preferences[path] = _preference_of(path, preference)
            if preferences[path] is not None and usable(value):
                filled[path] += 1
    most = max(filled.values(), default=0)
    likely = [path for path, count in filled.items() if 2 * count >= most]
    return min(likely, key=lambda path: (preferences[path], len(path), -filled[path]), default=None)


def named_field(items: Sequence[Any], name: str) -> FieldPath:
    """Return the path of a field that the caller names: a key as it is, dots included, or else from object to
    object."""
    paths = ((name,), tuple(name.removeprefix(".").split(".")))
    for path in paths:
        if not items or any(value_at(item, path) is not ABSENT for item in items):
            return path
    known = list(dict.fromkeys(dotted(path) for item in sample(items) for path, _ in _fields(item)))
    near = nearest(name, known) or known[:5]
    raise CallerError(
        f"no item has the field {shorten(name)!r}",
        do=f"name a field like {', '.join(map(shorten, near))}" if near else "the items are no objects with fields",
    )


def value_at(item: Any, path: FieldPath | None) -> Any:
    """Return the value at the path, or ``ABSENT``; null is a value."""
    if path is None:
        return ABSENT
    for name in path:
        if not isinstance(item, dict) or name not in item:
            return ABSENT
        item = item[name]
    return item


def dotted(path: FieldPath) -> str:
    """Return the path as ``named_field`` reads it; a lone surrogate, which no answer can carry, is written as an
    escape."""
    return ".".join(path).encode("utf-8", "backslashreplace").decode()


def sample(items: Sequence[Any]) -> Iterator[Any]:
    """Yield some items at even distances, the first and the last among them."""
    step = max(1, (len(items) - 1) / (SAMPLE - 1))
    return (items[round(number * step)] for number in range(min(len(items), SAMPLE)))


def _preference_of(path: FieldPath, preference: Preference) -> int | None:
    if any(len(name) > LONGEST_NAME for name in path):
        return None
    return preference(path[0] if len(path) > 1 and path[-1] in NAME_PARTS else path[-1])


def _fields(item: Any) -> Iterator[tuple[FieldPath, Any]]:
    if not isinstance(item, dict):
        return
    for name, value in item.items():
        if isinstance(name, str):
            yield (name,), value
            if isinstance(value, dict):
                yield from (((name, inner), part) for inner, part in value.items() if isinstance(inner, str))
