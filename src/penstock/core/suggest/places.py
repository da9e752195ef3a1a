"""Items that belong to files: the directories they lie in, the kinds of files, and what is better left out."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.times import looks_like_time
from penstock.core.suggest.narrow import Direct, Ending, Except, Under
from penstock.core.suggest.values import FILLED, looked_at, sampled
from penstock.core.suggest.words import letters, words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.core.suggest.rows import Rows
    from penstock.core.toolkit.fields import FieldPath

LONGEST_PATH: Final = 300  # characters; a longer one is a text with slashes in it
LONGEST_DIRECTORY: Final = 160  # characters; it is repeated in calls
DEEPEST: Final = 24  # directories above one file that are counted
OFFERED: Final = 8  # directories, of which those that fit the budget are chosen from
OFFERED_ENDINGS: Final = 3

_NAMES: Final = frozenset(
    words("file path filename filepath relativepath relpath fullpath absolutepath uri fileuri document source")
)
# Directories whose files are fetched or made by tools, or are there for testing: seldom what was looked for.
_NOISE: Final = frozenset(
    words(
        "node_modules .git dist build vendor target __pycache__ .venv venv site-packages third_party coverage "
        ".next bower_components test tests __tests__ fixtures __snapshots__"
    )
)
_EXTENSION = re.compile(r"\.[0-9]*[A-Za-z][A-Za-z0-9]{0,7}")  # digits alone are rather a version
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/+")
_WILD = re.compile(r"[*?\[\]{}!,]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """``direct`` are the items in the directory that all of them share."""

    under: tuple[Under, ...]
    endings: tuple[Ending, ...]
    without: tuple[Except, ...]
    direct: Direct | None


def find_places(rows: Rows) -> Places | None:
    """What can be told from the paths of the items; None if they have none."""
    field = _path_field(rows)
    if field is None:
        return None
    paths = {at: value for at, value in enumerate(rows.column(field)) if isinstance(value, str)}
    separator = "/" if any("/" in path for path in paths.values()) else "\\"
    lying: dict[str, list[int]] = {}
    for at, path in paths.items():
        lying.setdefault(path.rpartition(separator)[0], []).append(at)
    base = _shared(lying, separator)
    under = _directories(rows, field, lying, base, separator)
    return Places(
        under=under,
        endings=_endings(rows, field, paths),
        without=_noise(rows, lying, separator, under),
        direct=Direct(directory=_plain(base, separator) or base, part=rows.part(lying[base]))
        if base in lying
        else None,
    )


def has_wildcards(directory: str) -> bool:
    """Whether a glob would read something else into the name than a name."""
    return _WILD.search(directory) is not None


def _path_field(rows: Rows) -> FieldPath | None:
    paths: Counter[FieldPath] = Counter()
    files: Counter[FieldPath] = Counter()
    for path, value in sampled(rows):
        if _is_path(value):
            paths[path] += 1
            files[path] += _EXTENSION.fullmatch(value[value.rfind(".") :]) is not None
    enough = FILLED * len(looked_at(rows))
    likely = [
        path
        for path, count in paths.items()
        if count >= enough and ((path and letters(path[-1]) in _NAMES) or files[path] * 2 >= count)
    ]
    return min(likely, key=lambda path: (not path or letters(path[-1]) not in _NAMES, len(path)), default=None)


def _is_path(value: Any) -> bool:
    return (
        isinstance(value, str)
        and len(value) <= LONGEST_PATH
        and ("/" in value or "\\" in value)
        and value.isprintable()
        and not looks_like_time(value)
    )


def _shared(directories: Iterable[str], separator: str) -> str:
    """The directory that all of these are, or lie in."""
    steps = [directory.split(separator) for directory in directories]
    same = takewhile(lambda pair: pair[0] == pair[1], zip(min(steps), max(steps), strict=False))
    return separator.join(one for one, _ in same)


def _directories(
    rows: Rows, field: FieldPath, lying: dict[str, list[int]], base: str, separator: str
) -> tuple[Under, ...]:
    numbers: dict[str, list[int]] = {}
    for directory, files in lying.items():
        above = directory
        for _ in range(DEEPEST):
            if len(above) <= len(base):
                break
            numbers.setdefault(above, []).extend(files)
            above = above.rpartition(separator)[0]
    counted = {directory: len(files) for directory, files in numbers.items()}
    for directory, count in list(counted.items()):
        above = directory.rpartition(separator)[0]
        if counted.get(above) == count:
            del counted[above]  # all that lies in the upper one lies in the lower one, which says more
    chosen = sorted(
        (directory for directory, count in counted.items() if count >= rows.least and _is_name(directory)),
        key=lambda directory: (not _NOISE.isdisjoint(directory.split(separator)), -counted[directory], directory),
    )
    return tuple(
        Under(
            field=field,
            prefix=directory + separator,
            directory=_plain(directory, separator),
            inside=directory[len(base) :].replace(separator, "/").strip("/"),
            part=rows.part(sorted(numbers[directory])),
        )
        for directory in chosen[:OFFERED]
    )


def _is_name(directory: str) -> bool:
    return len(directory) <= LONGEST_DIRECTORY and directory.isprintable()


def _plain(directory: str, separator: str) -> str | None:
    """The directory as a path of the file system."""
    scheme = _SCHEME.match(directory)
    if scheme is None:
        return directory.replace(separator, "/").removeprefix("./")
    if scheme[1].lower() != "file" or "%" in directory:
        return None
    return directory[len("file://") :]


def _endings(rows: Rows, field: FieldPath, paths: dict[int, str]) -> tuple[Ending, ...]:
    numbers: dict[str, list[int]] = {}
    for at, path in paths.items():
        numbers.setdefault(path[path.rfind(".") :], []).append(at)
    known = [one for one, files in numbers.items() if _EXTENSION.fullmatch(one) and len(files) >= rows.least]
    chosen = sorted(known, key=lambda extension: (-len(numbers[extension]), extension))[:OFFERED_ENDINGS]
    return tuple(Ending(field=field, extension=extension, part=rows.part(numbers[extension])) for extension in chosen)


def _noise(rows: Rows, lying: dict[str, list[int]], separator: str, largest: tuple[Under, ...]) -> tuple[Except, ...]:
    """What is left without directories that seldom matter; if there are none of those, without the largest one."""
    inside: dict[str, list[int]] = {}
    for directory, files in lying.items():
        for name in _NOISE.intersection(directory.split(separator)):
            inside.setdefault(name, []).extend(files)
    if inside:
        names = sorted(inside, key=lambda name: (-len(inside[name]), name))
        return tuple(_except(rows, f"**/{name}/**", name, set(inside[name])) for name in names[:OFFERED_ENDINGS])
    return tuple(
        _except(rows, glob_of(one), one.directory, {at for name in lying if _is_in(name, one) for at in lying[name]})
        for one in largest[:1]
        if one.directory is not None and not has_wildcards(one.directory)
    )


def glob_of(place: Under, files: str = "**") -> str:
    """A glob for what lies under a directory; an absolute one is found wherever the tool's globs begin."""
    directory = place.directory or ""
    return f"**/{place.inside}/{files}" if is_absolute(directory) else f"{directory}/{files}"


def is_absolute(directory: str) -> bool:
    return directory.startswith("/") or directory[1:2] == ":"


def _is_in(directory: str, place: Under) -> bool:
    return (directory + place.prefix[-1]).startswith(place.prefix)


def _except(rows: Rows, pattern: str, name: str, gone: set[int]) -> Except:
    left = [at for at in range(len(rows.values)) if at not in gone]
    return Except(pattern=pattern, name=name, hidden=rows.part(sorted(gone)).count, part=rows.part(left))
