"""Find the column by which rows are told apart: rows have a text or a whole number there, and no two the same.

It has to be so in both versions of the rows, and rows that changed have to have kept it. Names that say so go first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import UNSET, Raw

from penstock.core.json import scan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from penstock.core.json.path import Path, Step

    IsUnique = Callable[[Path], bool | None]

MOST_COLUMNS: Final = 24  # columns of the first row that are looked at,
MOST_TRIED: Final = 3  # and that are looked for in all rows
MOST_LEVELS: Final = 3  # of objects in a row that they may lie in: ``metadata.uid``
TRIED_FIRST: Final = 8  # rows that show that most columns are no key

_NAMES: Final = re.compile(
    r"(.*[_-])?(id|uid|uuid|guid|key|sha|digest)|\w*[a-z](Id|ID|RowKey|Uuid)|name|path|url|uri|slug"
)
_PLACES: Final = re.compile(r"(.*_)?(index|rank|position|pos|row|order|line)|no|nr|#")
# One value a line: JSON has no line breaks inside of values. Longer texts are contents, not names.
_KEYS: Final = re.compile(rb'(?:(?:"[^\n]{0,255}+|-?[0-9]{1,20}+)\n)*+')
_ONE = attrgetter("one")
_REFUSED: Final = re.compile(r"[\x00-\x1f\"\\]")  # characters that msgspec takes in no name


@dataclass(frozen=True, slots=True, kw_only=True)
class RowKey:
    """A column that tells rows apart, and its value, as JSON, in each row that is in one version only."""

    path: Path
    old: Sequence[bytes]
    new: Sequence[bytes]


def find_key(
    old: Sequence[bytes], new: Sequence[bytes], all_new: Sequence[bytes], is_unique: IsUnique | None = None
) -> RowKey | None:
    """Return the column that tells rows apart. ``old`` and ``new`` are the rows that are in one version only, and
    ``all_new`` are all rows of the new version. Half of the fewer rows have to have the key in common, or
    of all columns the most. ``is_unique`` tells what is known of a column of the new version, None where that is not
    known."""
    best: RowKey | None = None
    most = 0
    first = list(map(bytes, (*old[:TRIED_FIRST], new[0])))
    for path in islice(_candidates(first), MOST_TRIED):
        key = _key(path, old, new, all_new, None if is_unique is None else is_unique(path))
        shared = 0 if key is None else len(set(key.old).intersection(key.new))
        if shared * 2 >= min(len(old), len(new)):
            return key
        if shared > most:
            best, most = key, shared
    return best


def _key(
    path: Path, old: Sequence[bytes], new: Sequence[bytes], all_new: Sequence[bytes], is_unique: bool | None
) -> RowKey | None:
    """Return a column as the key, if no two rows of the new version have the same there, nor two of the old rows. Rows
    that are in both versions need no look at the old one: in the new one they differ from all others."""
    if is_unique is False:
        return None
    was, now = (_values(path, rows) for rows in (old, new))
    if len(set(was)) < len(was) or not _are_names(chain(was, now)):
        return None
    if is_unique is None and len(new) == len(all_new):
        is_unique = len(set(now)) == len(now)
    if is_unique is None:
        every = _values(path, all_new)
        is_unique = len(set(every)) == len(every)
    return RowKey(path=path, old=was, new=now) if is_unique else None


def _candidates(rows: Sequence[bytes]) -> Iterator[Path]:
    """Yield the columns that tell some rows apart, the likeliest first."""

    def rank(path: Path) -> tuple[int, int]:
        name = str(path[-1])
        return 0 if _NAMES.fullmatch(name) else 2 if _PLACES.fullmatch(name) else 1, len(path)

    paths = sorted(islice(_columns(rows[0], ()), MOST_COLUMNS), key=rank)
    for path in paths:
        values = _values(path, rows)
        if len(set(values)) >= len(rows) - 1 and _are_names(values):  # the last may be one of the others, changed
            yield path


def _columns(value: bytes, path: Path) -> Iterator[Path]:
    if value[:1] != b"{" or len(path) > MOST_LEVELS:
        return
    inside = [(name, one) for name, one in scan.members(value) if is_nameable(name)]
    yield from ((*path, name) for name, one in inside if _are_names([one]))
    for name, one in inside:
        yield from _columns(one, (*path, name))


def is_nameable(step: Step) -> bool:
    """Tell whether a step of a path is a name of which a decoder can be made."""
    return isinstance(step, str) and not _REFUSED.search(step)


def _are_names(values: Iterable[bytes]) -> bool:
    """Tell whether values may be keys: texts that are no contents, or whole numbers."""
    return _KEYS.fullmatch(b"\n".join((*values, b""))) is not None


@lru_cache(maxsize=256)  # arrays inside of rows have the same columns again and again
def decoder_at(path: Path, kind: Any, *, of_rows: bool = False) -> msgspec.json.Decoder[Any]:
    """Return a decoder that takes nothing but what is at a path out of a document, or out of each of its rows."""
    for step in reversed(path):
        kind = msgspec.defstruct("Document", [("one", kind, UNSET)], rename={"one": str(step)})
    return msgspec.json.Decoder(list[kind] if of_rows else kind)


def _values(path: Path, rows: Sequence[bytes]) -> list[bytes]:
    """Return what rows have at a path; twice nothing where a row has nothing there."""
    try:
        values = decoder_at(path, Raw, of_rows=True).decode(b"[" + b",".join(rows) + b"]")
        for _ in path:
            values = list(map(_ONE, values))
        return list(map(bytes, values))
    except (msgspec.ValidationError, AttributeError, TypeError):  # a row is no object, or has nothing there
        return [b"", b""]
