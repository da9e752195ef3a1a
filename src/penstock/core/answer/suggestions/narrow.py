"""Narrower calls to the tool itself: the call that was made, with an argument that asks for a part of the rows.

Only parameters that the tool's schema has are used, with values that it accepts, and nothing that the caller asked for
is dropped. What such a call would cost is told from the rows that are held: ``about``, as only the upstream knows.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from penstock.core.answer.suggestions.globs import Folder, excluding, glob_of, has_wildcards, including
from penstock.core.answer.suggestions.moments import DAY, since, written, written_date
from penstock.core.answer.suggestions.offer import Suggestion
from penstock.core.answer.suggestions.parameters import letters
from penstock.core.forms.path_counts import paths_of
from penstock.core.forms.times import SECOND, parse_time
from penstock.core.plain import Plain
from penstock.core.tables.roles import groups_of
from penstock.core.text import plain, split_words
from penstock.core.toolkit.fields import ABSENT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.core.answer.suggestions.parameters import AdjustableCall, Parameter
    from penstock.core.forms.reading import Cells, Field, Table

LEAST_ROWS: Final = 2  # a part of one row is no part to read
LONG_VALUE: Final = 100  # characters of a value that stands in a call
ROUND: Final = (DAY, 3_600 * SECOND, 60 * SECOND, SECOND)  # people ask for days, else for hours, ...

# Folders whose files are fetched or made by tools, or are there for testing: seldom what was looked for.
_NOISE: Final = frozenset(
    split_words(
        "node_modules .git dist build vendor target __pycache__ .venv venv site-packages third_party coverage .next "
        "bower_components test tests __tests__ fixtures __snapshots__"
    )
)


class Narrower(Plain, frozen=True, kw_only=True):
    """Finds narrower calls. ``cost`` tells the tokens of some rows by their numbers, ``most`` those that may be."""

    tool: str
    call: AdjustableCall
    table: Table
    cells: Cells
    cost: Callable[[Sequence[int]], int]
    most: int

    def suggestion(self) -> Suggestion | None:
        """Return the first call that narrows the answer: to fewer files, one value or newer rows."""
        return self._files() or self._values() or self._times()

    def _offer(self, why: str, arguments: dict[str, Any] | None, rows: Sequence[int]) -> Suggestion | None:
        """Return a suggestion, if the rows are some, but not all, and fit."""
        if arguments is None or not LEAST_ROWS <= len(rows) < self.table.count * 0.9:
            return None
        tokens = self.cost(rows)
        if tokens > self.most:
            return None
        return Suggestion(why=why, tool=self.tool, arguments=arguments, tokens=tokens, about=True)

    def _column(self, field: Field) -> list[Any]:
        return (self.cells.columns([field.name]) or {})[field.name]

    def _values(self) -> Suggestion | None:
        for field in groups_of(self.table):
            for parameter in self.call.named(_names(field.name)):
                if (suggestion := self._value(field, parameter)) is not None:
                    return suggestion
        return None

    def _value(self, field: Field, parameter: Parameter) -> Suggestion | None:
        column = self._column(field)
        for value, count in field.column.values():
            if len(str(value)) > LONG_VALUE or not _is_open(parameter, value):
                continue
            arguments = self.call.changed(parameter, _spellings(self.call, parameter, value))
            some = [at for at, one in enumerate(column) if one == value]
            why = f"{count:,} of {self.table.count:,} have {plain(field.name)} {plain(value)}"
            if (suggestion := self._offer(why, arguments, some)) is not None:
                return suggestion
        return None

    def _files(self) -> Suggestion | None:
        field = next(paths_of(self.table), None)  # also of routes and of places in a tree
        if field is None:
            return None
        paths = [str(one or "").replace("\\", "/") for one in self._column(field)]
        noun = self.table.noun or "rows"
        noisy = Counter(name for path in paths for name in set(path.split("/")[:-1]) & _NOISE)
        for name, count in noisy.most_common(2):
            left = [at for at, path in enumerate(paths) if name not in path.split("/")[:-1]]
            why = f"{count:,} of {self.table.count:,} {noun} are under {name}; this leaves them out"
            if (suggestion := self._offer(why, excluding(self.call, f"**/{name}/**"), left)) is not None:
                return suggestion
        return self._folders(paths, noun)

    def _folders(self, paths: list[str], noun: str) -> Suggestion | None:
        """Return the folder with most rows that fits; where none does, all without the largest."""
        shared = _shared(paths)
        inside = [path[len(shared) :].split("/")[:-1] for path in paths]
        folders = Counter("/".join(steps[:depth]) for steps in inside for depth in range(1, min(4, len(steps)) + 1))
        for leaves_out in (False, True):
            for name, count in folders.most_common(24):
                folder = Folder(path=(shared + name).removeprefix("./"), inside=name)
                why = f"{count:,} of {self.table.count:,} {noun} are under {plain(folder.path)}"
                arguments = including(self.call, folder)
                if leaves_out:
                    why = f"{why}; this leaves them out"
                    arguments = None if has_wildcards(folder.path) else excluding(self.call, glob_of(folder))
                some = [at for at, steps in enumerate(inside) if _under(steps, name) is not leaves_out]
                if (suggestion := self._offer(why, arguments, some)) is not None:
                    return suggestion
        return None

    def _times(self) -> Suggestion | None:
        fields = [one for one in self.table.fields if one.column.is_time and one.filled * 10 >= self.table.count * 8]
        for field in fields:
            column = self._column(field)
            times = {at: time for at, one in enumerate(column) if (time := parse_time(one)) is not None}
            if (bound := self._newest(times)) is None:
                continue
            some = [at for at, time in times.items() if time >= bound]
            moment = written_date(bound) or written(bound)
            why = f"{len(some):,} of {self.table.count:,} are from {moment} on, by {plain(field.name)}"
            if (suggestion := self._offer(why, since(self.call, bound, field.name), some)) is not None:
                return suggestion
        return None

    def _newest(self, times: dict[int, int]) -> int | None:
        """Return the roundest time from which on there are rows that fit, most of those that do."""
        order = sorted(times, key=lambda at: -times[at])
        low, high = 0, len(order)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.cost(order[:middle]) <= self.most else (low, middle)
        if low < LEAST_ROWS or low >= len(order) - 1:
            return None
        first = times[order[low - 1]]
        for unit in ROUND:
            bound = -(-first // unit) * unit
            if sum(times[at] >= bound for at in order[:low]) * 2 >= low:
                return bound
        return first


def _under(steps: list[str], folder: str) -> bool:
    wanted = folder.split("/")
    return steps[: len(wanted)] == wanted


def _shared(paths: list[str]) -> str:
    """Return the folder that all paths have in common, with its slash."""
    first, last = min(paths), max(paths)
    same = 0
    while same < min(len(first), len(last)) and first[same] == last[same]:
        same += 1
    return first[: first.rfind("/", 0, same) + 1]


def _names(field: str) -> set[str]:
    """Return what a parameter for a column may be called: as the column or its last part, also in the plural."""
    names = {letters(field), letters(field.rpartition(".")[2])} - {""}
    return (
        names | {f"{name}s" for name in names} | {f"{name}es" for name in names} | {f"{name[:-1]}ies" for name in names}
    )


def _is_open(parameter: Parameter, value: object) -> bool:
    """Tell whether asking for the value narrows: nothing was asked for yet, or several values of which it is one."""
    current = parameter.current
    if isinstance(current, list) and current:
        return value in current and len(current) > 1
    return (parameter.argument is ABSENT or parameter.argument is None or current == []) and current != value


def _spellings(call: AdjustableCall, parameter: Parameter, value: object) -> list[Any]:
    """Return the value as it is, or as the schema spells it, alone or in a list."""
    word = str(value).casefold()
    choices = call.judge.choices(parameter.schema)
    known = [one for one in choices if str(one).casefold() == word and type(one) is type(value)]
    alone = [value, *known]
    lists = [[one] for one in alone]
    return [*lists, *alone] if parameter.plural else [*alone, *lists]
