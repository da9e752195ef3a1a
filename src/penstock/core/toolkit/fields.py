"""Finds the field of many objects that holds the priority, or the time: the one that is named, or one of a sample."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock.core.text import nearest, shorten
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

FieldPath = tuple[str, ...]

SAMPLE: Final = 200  # items looked at: a field that only one item in twenty has is still seen, but for 1 case in 28,000
LONGEST_NAME: Final = 100  # characters; a field's name is repeated in answers, and a longer key is data
ABSENT: Final = object()

_WRAPPERS: Final = ("name", "label", "value")  # as in {"priority": {"id": 3, "name": "High"}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The purpose of a field, its usual names in tiers of preference, and what unusual names end with.

    Names are compared by their letters alone: createdAt, created_at and Created-At are one.
    """

    what: str
    names: tuple[tuple[str, ...], ...]
    ending: re.Pattern[str]

    def preference(self, path: FieldPath) -> int | None:
        """Return the lower the better; None for a name that does not promise such a field."""
        if any(len(name) > LONGEST_NAME for name in path):
            return None
        name = path[0] if len(path) > 1 and path[-1] in _WRAPPERS else path[-1]
        letters = "".join(filter(str.isalpha, name.lower()))
        tiers = (tier for tier, names in enumerate(self.names) if letters in names)
        return next(tiers, len(self.names) if self.ending.search(name) else None)


PRIORITY: Final = Wanted(
    what="priority",
    names=(
        ("severity",),
        ("priority", "prio"),
        ("level", "loglevel", "levelname", "lvl"),
        ("criticality", "urgency", "importance", "risk", "impact"),
        ("cvss", "cvssscore", "score", "relevance", "rank"),
    ),
    ending=re.compile(r"(?i)(?:severity|priority|log_?level)$"),
)
TIME: Final = Wanted(
    what="time",
    names=(
        ("timestamp", "datetime", "ts"),
        ("date", "time"),
        ("createdat", "created", "publishedat", "published", "pubdate"),
        ("updatedat", "updated", "modifiedat", "modified", "lastmodified", "mtime"),
        ("lastseen", "firstseen"),
    ),
    ending=re.compile(r"(?:_at|At|[Tt]imestamp|_date|Date|_time|Time|_ts)$"),
)


def find_field(items: Sequence[Any], wanted: Wanted, usable: Callable[[Any], bool]) -> FieldPath | None:
    """Return the field with a promising name that most items of a sample have a usable value in, or None.

    A better name wins over a worse one if it is filled at least half as often. Fields are looked for in the objects
    themselves and in the objects one level down.
    """
    filled: Counter[FieldPath] = Counter()
    preferences: dict[FieldPath, int | None] = {}
    for item in _sample(items):
        for path, value in _fields(item):
            if path not in preferences:
                preferences[path] = wanted.preference(path)
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
    known = list(dict.fromkeys(dotted(path) for item in _sample(items) for path, _ in _fields(item)))
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


def _sample(items: Sequence[Any]) -> Iterator[Any]:
    return (items[index] for index in spread(len(items), SAMPLE))


def _fields(item: Any) -> Iterator[tuple[FieldPath, Any]]:
    if not isinstance(item, dict):
        return
    for name, value in item.items():
        if isinstance(name, str):
            yield (name,), value
            if isinstance(value, dict):
                yield from (((name, inner), part) for inner, part in value.items() if isinstance(inner, str))


def spread(count: int, most: int) -> range | list[int]:
    """Return up to ``most`` indexes at even distances, the first and the last among them."""
    if count <= most:
        return range(count)
    return sorted({round(i * (count - 1) / (most - 1)) for i in range(most)})
