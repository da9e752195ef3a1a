"""Narrower calls of the same tool: its arguments, and one more that asks for a part of the rows.

A narrower call asks for one folder of files or leaves one out, asks for one value of a column, or asks for the newest
or the first rows. It uses only a parameter that the tool's schema has, with a value that the schema accepts, and it
keeps all that the caller asked for. Of the arguments that the call has already, only a folder, a time and a limit are
narrowed further, and only if the rows show that the tool heeded them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.answer.schema import Judge
from penstock.core.forms.path_counts import paths_of
from penstock.core.forms.times import SECOND, parse_time
from penstock.core.plain import Plain
from penstock.core.tables.roles import MOMENTS, groups_of
from penstock.core.text import plain, split_words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from penstock.core.forms.reading import Cells, Field, Table

MAX_ARGUMENTS: Final = 1_000  # The arguments have at most 1,000 bytes, because the notice repeats them.
MAX_FOLDERS: Final = 24  # At most 24 folders are tried, those with most rows first: each takes 20 microseconds.
DAY: Final = 86_400 * SECOND
MIDNIGHT: Final = "T00:00:00Z"

# Usual names of parameters, the clearest first, in lower case and without "_" and "-".
INCLUDE: Final = split_words(
    "includes include includepatterns includepattern globs glob includeglobs includeglob filepatterns filepattern "
    "pathpatterns pathpattern fileglob"
)
EXCLUDE: Final = split_words(
    "excludes exclude excludepatterns excludepattern excludeglobs excludeglob ignorepatterns ignore"
)
PATH: Final = split_words("path paths directory directories dir folder root rootdir basepath searchpath subdir")
SINCE: Final = split_words(
    "since starttime startdate datefrom fromdate timefrom fromtime createdafter updatedafter modifiedafter "
    "publishedafter dateafter timemin mindate mintime newerthan"
)
LIMIT: Final = split_words(
    "limit maxresults maxitems maxcount perpage pagesize numresults topk top first headlimit maxmatches resultlimit"
)

# Folders of files that tools fetch or generate. A search seldom looks for them.
GENERATED: Final = frozenset(
    split_words(
        "node_modules .git dist build vendor target __pycache__ .venv venv site-packages third_party coverage .next "
        "bower_components"
    )
)
# Arguments that select all files.
EVERYTHING: Final[tuple[str | list[str], ...]] = ("", ".", "./", "*", "**", "**/*", [], ["**"], ["**/*"])
_WILDCARD = re.compile(r"[*?\[\]{}!,]")


class NarrowedCall(Plain, frozen=True, kw_only=True):
    """Arguments that ask for some of the rows, the numbers of these rows, and why to make the call."""

    why: str
    arguments: dict[str, Any]
    rows: list[int]


class Parameter(Plain, frozen=True, kw_only=True):
    """A parameter of the tool, and its argument in the call: None if there is none."""

    name: str
    schema: object
    argument: object

    def says(self, key: str) -> Any:
        """Return what the schema says under a key, or None."""
        return self.schema.get(key) if isinstance(self.schema, Mapping) else None

    @property
    def in_force(self) -> Any:
        """Return the argument, else the default; None if it stands for everything."""
        value = self.says("default") if self.argument is None else self.argument
        return None if value in EVERYTHING else value


class AdjustableCall:
    """The call that was answered, and how it may be changed."""

    def __init__(self, arguments: object, schema: object) -> None:
        self.arguments: dict[str, Any] = dict(arguments) if isinstance(arguments, Mapping) else {}
        root = schema if isinstance(schema, Mapping) else {}
        self._judge = Judge(root)
        declared = root.get("properties")
        properties = declared if isinstance(declared, Mapping) else {}
        self.parameters = [
            Parameter(name=name, schema=inner, argument=self.arguments.get(name))
            for name, inner in properties.items()
            if isinstance(name, str)
        ]
        # A parameter is judged by its own schema. The rest of the root has the rules about which ones go together.
        apart = ("properties", "required", "additionalProperties")
        self._rules = {word: inner for word, inner in root.items() if word not in apart}

    def named(self, names: Collection[str]) -> list[Parameter]:
        """Return the parameters with one of these names, those first that the call uses, then in the order of names."""
        order = list(names)
        found = [one for one in self.parameters if letters(one.name) in order]
        return sorted(found, key=lambda one: (one.argument is None, order.index(letters(one.name))))

    def unused(self, names: Collection[str]) -> list[Parameter]:
        """Return the parameters with one of these names; none if one of them selects something already."""
        found = self.named(names)
        return found if all(one.in_force is None for one in found) else []

    def changed(self, parameters: Iterable[Parameter], *values: Any) -> dict[str, Any] | None:
        """Return the arguments with one of the values, alone or in a list, for the first parameter that accepts it."""
        for parameter in parameters:
            forms = [*values, *([value] for value in values)]
            if letters(parameter.name).endswith("s"):
                forms = [*forms[len(values) :], *values]
            for form in forms:
                made = {**self.arguments, parameter.name: form}
                if self._judge.accepts(parameter.schema, form) and self._judge.accepts(self._rules, made):
                    return made if _is_short(made) else None
        return None


def narrowed_calls(call: AdjustableCall, table: Table, cells: Cells) -> Iterator[NarrowedCall]:
    """Yield the calls that ask for fewer files, for one value, for the newest rows, and for the first rows, the best of
    each first."""
    yield from _by_folder(call, table, cells)
    yield from _by_value(call, table, cells)
    yield from _by_time(call, table, cells)
    yield from _by_limit(call, table)


def _column(cells: Cells, field: Field) -> list[Any]:
    return (cells.columns([field.name]) or {})[field.name]


def _by_folder(call: AdjustableCall, table: Table, cells: Cells) -> Iterator[NarrowedCall]:
    """Yield the call without a generated folder, then the call for one folder only, those with most rows first."""
    field = next(paths_of(table), None)
    if field is None:
        return
    paths = [str(one or "").replace("\\", "/").removeprefix("./") for one in _column(cells, field)]
    folders = [path.split("/")[:-1] for path in paths]
    rows = f"{table.count:,} {table.noun or 'rows'}"
    exclude = call.unused(EXCLUDE)
    generated = Counter(name for steps in folders for name in GENERATED.intersection(steps)) if exclude else Counter()
    for name, count in generated.most_common():
        arguments = call.changed(exclude, f"**/{name}/**")
        if arguments is not None:
            left = [at for at, steps in enumerate(folders) if name not in steps]
            why = f"{count:,} of {rows} are under {name}; this leaves them out"
            yield NarrowedCall(why=why, arguments=arguments, rows=left)
    counts = Counter(folder for steps in folders for folder in accumulate(steps, "{}/{}".format))
    for folder, count in counts.most_common(MAX_FOLDERS):
        arguments = _inside(call, folder, paths) if count < len(paths) else None
        if arguments is not None:
            inside = [at for at, path in enumerate(paths) if path.startswith(f"{folder}/")]
            why = f"{count:,} of {rows} are under {plain(folder)}"
            yield NarrowedCall(why=why, arguments=arguments, rows=inside)


def _inside(call: AdjustableCall, folder: str, paths: list[str]) -> dict[str, Any] | None:
    """Return the call for the files in a folder only: by the folder to look in if there is one, else by a glob."""
    places = call.named(PATH)
    # Globs may begin at the folder to look in, which is known only if the paths are relative and no folder was given.
    if _is_relative(folder) and call.unused(PATH) == places and _WILDCARD.search(folder) is None:
        arguments = call.changed(call.unused(INCLUDE), f"{folder}/**")
        if arguments is not None:
            return arguments
    for parameter in places:
        place = _below(parameter.in_force, folder, paths)
        arguments = None if place is None else call.changed([parameter], place)
        if arguments is not None:
            return arguments
    return None


def _below(given: object, folder: str, paths: list[str]) -> str | None:
    """Return the folder to look in, which is inside the given one. The given one must have narrowed the answer: all
    paths are inside it, or all are relative to it."""
    if given is None:
        return folder
    if not isinstance(given, str):
        return None
    place = given.replace("\\", "/").removeprefix("./").rstrip("/")
    inside = [path for path in paths if path.startswith(f"{place}/")]
    if len(inside) == len(paths):
        return folder
    is_folder = "." not in place.rpartition("/")[2]
    return f"{place}/{folder}" if is_folder and not inside and _is_relative(folder) else None


def _is_relative(folder: str) -> bool:
    return not folder.startswith("/") and folder[1:2] != ":"


def _by_value(call: AdjustableCall, table: Table, cells: Cells) -> Iterator[NarrowedCall]:
    """Yield the calls for one value of a column, by a parameter with the column's name."""
    for field in groups_of(table):
        names = {letters(field.name), letters(field.name.rpartition(".")[2])} - {""}
        parameters = call.named([name + ending for name in sorted(names) for ending in ("", "s", "es")])
        for parameter in [one for one in parameters if one.argument is None or one.argument == []]:
            column = _column(cells, field)
            for value, count in field.column.values():
                if value == parameter.says("default"):
                    continue
                spellings = (value, value.lower(), value.upper()) if isinstance(value, str) else (value,)
                arguments = call.changed([parameter], *spellings)
                if arguments is not None:
                    rows = [at for at, one in enumerate(column) if one == value]
                    why = f"{count:,} of {table.count:,} have {plain(field.name)} {plain(value)}"
                    yield NarrowedCall(why=why, arguments=arguments, rows=rows)


def _by_time(call: AdjustableCall, table: Table, cells: Cells) -> Iterator[NarrowedCall]:
    """Yield the calls for the newest half of the rows, the newest quarter, and so on: first from the start of a day,
    then from a second."""
    for parameter in call.named(SINCE)[:1]:
        asked = parse_time(parameter.in_force)
        if asked is None and parameter.in_force is not None:
            continue  # The caller asked for a time that cannot be read.
        for field in table.fields:
            if not field.column.is_time or field.filled < table.count or not _means(parameter, field):
                continue  # A tool that filters by a time leaves out the rows without one.
            times = [parse_time(one) or 0 for one in _column(cells, field)]
            newest = sorted(times, reverse=True)
            if asked is not None and any(time < asked for time in newest):
                continue  # The rows show that the argument does not narrow.
            for bound in _bounds(newest):
                arguments = call.changed([parameter], *_written(parameter, bound))
                if arguments is not None and (asked is None or asked < bound):
                    rows = [at for at, time in enumerate(times) if time >= bound]
                    moment = _moment(bound).removesuffix(MIDNIGHT)
                    why = f"{len(rows):,} of {table.count:,} are from {moment} on, by {plain(field.name)}"
                    yield NarrowedCall(why=why, arguments=arguments, rows=rows)


def _by_limit(call: AdjustableCall, table: Table) -> Iterator[NarrowedCall]:
    """Yield the calls for the first half of the rows, the first quarter, and so on. A limit that the call has already
    must have been heeded: the rows are no more than it allows."""
    for parameter in call.named(LIMIT)[:1]:
        given = parameter.in_force
        if given is not None and (not isinstance(given, int) or given < table.count):
            continue
        for halvings in range(1, table.count.bit_length()):
            count = table.count >> halvings
            arguments = call.changed([parameter], count)
            if arguments is not None:
                why = f"the first {count:,} of {table.count:,} {table.noun or 'rows'}"
                yield NarrowedCall(why=why, arguments=arguments, rows=list(range(count)))


def _bounds(newest: list[int]) -> Iterator[int]:
    """Yield the times from which on there are half of the rows, a quarter, and so on, each rounded down."""
    count = len(newest) // 2
    while count:
        for unit in (DAY, SECOND):
            yield newest[count - 1] // unit * unit
        count //= 2


def _means(parameter: Parameter, field: Field) -> bool:
    """Return True if a parameter for a time is about this column. Both name the same kind of time, or the parameter
    names none and the column's is the time of creation."""
    said = f"{letters(parameter.name)} {str(parameter.says('description')).lower()}"
    named = [kind for kind in MOMENTS if kind in said]
    column = [kind for kind in MOMENTS if kind in letters(field.name)]
    return not set(column).isdisjoint(named) if named else column in ([], [MOMENTS[0]])


def _written(parameter: Parameter, time: int) -> list[str]:
    """Return a time as RFC 3339 has it. A day comes first as a date if the parameter's name says that it is a date."""
    moment = _moment(time)
    if not moment.endswith(MIDNIGHT):
        return [moment]
    name = letters(parameter.name)
    forms = [moment, moment[:10]]
    return forms[::-1] if name.startswith("date") or name.endswith("date") else forms


def _moment(time: int) -> str:
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=time // SECOND)).isoformat().replace("+00:00", "Z")


def _is_short(arguments: dict[str, Any]) -> bool:
    try:
        return len(msgspec.json.encode(arguments)) <= MAX_ARGUMENTS
    except (TypeError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError):
        return False


@lru_cache(maxsize=4_096)  # A tool has the same few names in every call.
def letters(name: str) -> str:
    """Return a name without case, underscores and hyphens: maxResults, max_results and max-results are one."""
    return "".join(filter(str.isalnum, name[:100].lower()))
