"""Find the rows of a table in JSON, and the cells of its columns, with the json module and loops."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from bench.facts_parts.paths import EACH, MEMBER, Every, Step, read_path, value_at
from bench.facts_parts.trees import nodes_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_ITEM = re.compile(r"(.+)\[([0-9])\]((?:\.\w+)?)")
SHORT: Final = 6  # items of an array that may be columns
LEVELS: Final = 14  # levels of nested objects that may be columns; the product has fewer
_BEGINS = re.compile(r"(?:^|\n)(?:```(?:json\w*)?[ \t]*\r?\n)?[ \t]*(?=[\[{])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """JSON in a text: the value, or the ``values`` that stand one after the other, and the other lines of the text."""

    data: Any
    values: bool = False
    others: int = 0


def load(text: str) -> Loaded | None:
    """Find the JSON in a text: all of it, values one after the other, or most of a text with other lines around it."""
    found = _load(text)
    if found is not None:
        return found
    for begin in list(_BEGINS.finditer(text, 0, 20_000))[:8]:
        start = begin.end()
        try:
            data, end = json.JSONDecoder().raw_decode(text, start)
        except ValueError:
            continue
        rest = text[end:]
        whole = _values(text[start : text.rfind("\n```") if text.rfind("\n```") > start else len(text)])
        if whole is not None and len(whole) > 1:
            return Loaded(data=whole, values=True, others=_others(text[:start]))
        if (end - start) * 2 >= len(text):
            return Loaded(data=data, others=_others(text[:start]) + _others(rest))
    return None


def _load(text: str) -> Loaded | None:
    try:
        data = json.loads(text.removeprefix("\ufeff"))
    except ValueError:
        values = _values(text)
        return Loaded(data=values, values=True) if values is not None and len(values) > 1 else None
    if isinstance(data, str):
        return _load(data)
    return Loaded(data=data) if isinstance(data, dict | list) else None


def _values(text: str) -> list[Any] | None:
    """Values one after the other; None where anything else is among them."""
    decoder, at = json.JSONDecoder(), 0
    values: list[Any] = []
    while True:
        at = re.compile(r"\s*").match(text, at).end()  # type: ignore[union-attr]
        if at >= len(text):
            return values
        try:
            value, at = decoder.raw_decode(text, at)
        except ValueError:
            return None
        if not isinstance(value, dict | list):
            return None
        values.append(value)


def _others(text: str) -> int:
    return sum(bool(line.strip()) and not line.startswith("```") for line in text.split("\n"))


def depth_of(data: Any) -> int:
    """The levels of nesting."""
    deepest, waiting = 0, [(data, 1)]
    while waiting:
        value, depth = waiting.pop()
        if isinstance(value, dict | list):
            deepest = max(deepest, depth)
            waiting += [(one, depth + 1) for one in (value.values() if isinstance(value, dict) else value)]
    return deepest


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A row: itself, its key in a map, and the items that it lies in, each with the name of its array."""

    value: Any
    key: str | None = None
    inside: tuple[tuple[str, Any, str | None], ...] = ()


def rows_at(data: Any, path: str) -> list[Found]:
    """The rows of the table at a path; a path to one container leads to its parts."""
    found = list(_rows(data, read_path(path), (), "root"))
    if not any(isinstance(step, Every) for step in read_path(path)) and len(found) == 1:
        value = found[0].value
        if isinstance(value, list):
            return [Found(value=one) for one in value]
        if isinstance(value, dict):
            return [Found(value=one, key=key) for key, one in value.items()]
    return found


def _rows(value: Any, steps: tuple[Step, ...], inside: tuple[Any, ...], word: str) -> Iterator[Found]:
    if not steps:
        last = inside[-1] if inside else ("", None, None)
        yield Found(value=value, key=last[2], inside=inside[:-1])
        return
    step, rest = steps[0], steps[1:]
    if step is EACH:
        for item in value if isinstance(value, list) else ():
            yield from _rows(item, rest, (*inside, (word, item, None)), word)
    elif step is MEMBER:
        for key, item in value.items() if isinstance(value, dict) else ():
            yield from _rows(item, rest, (*inside, (word, item, key)), word)
    elif isinstance(step, str):
        if isinstance(value, dict) and value.get(step) is not None:
            yield from _rows(value[step], rest, inside, step)
    elif isinstance(value, list) and isinstance(step, int) and step < len(value):
        yield from _rows(value[step], rest, inside, word)


@dataclass(slots=True, kw_only=True)
class Table:
    """The cells of a table by the names of its columns. A name that stands for two places is ``doubtful``."""

    count: int
    columns: dict[str, list[Any]]
    doubtful: set[str] = field(default_factory=set)
    below: list[int] = field(default_factory=list)  # of a tree: nodes below each node of top 2 levels
    depths: Counter[int] = field(default_factory=Counter)


def table_of(data: Any, words: str, path: str, form: str, *, headed: bool = False) -> Table:
    """The main table of a document, as its notice describes it; of a ``headed`` one the first row names the columns."""
    if headed:
        names, *arrays = value_at(data, path)
        columns = {name: [dict(enumerate(row)).get(at) for row in arrays] for at, name in enumerate(names)}
        return Table(count=len(arrays), columns=columns)
    if words.startswith(("a tree through ", "a tree of objects ")):
        return _tree(data, words, path)
    at = value_at(data, path) if not re.search(r"\[(?:\*)?\]", path) else None
    if form == "columnar" and isinstance(at, dict):
        arrays = {name: one for name, one in at.items() if isinstance(one, list)}
        return Table(count=max(map(len, arrays.values()), default=0), columns=arrays)
    rows = rows_at(data, path)
    table = _flat([one.value for one in rows])
    if any(one.key is not None for one in rows):
        table.columns["key"] = [one.key for one in rows]
    for level in range(max((len(one.inside) for one in rows), default=0)):
        word = rows[0].inside[level][0]
        outer = _flat([one.inside[level][1] for one in rows])
        table.columns |= {f"{word}.{name}": cells for name, cells in outer.columns.items()}
        table.doubtful |= {f"{word}.{name}" for name in outer.doubtful}
        if any(one.inside[level][2] is not None for one in rows):
            table.columns[f"{word}.key"] = [one.inside[level][2] for one in rows]
    if form in ("columnar", "rows") and rows and isinstance(rows[0].value, list):
        for names in _headers(data, len(rows[0].value)):
            for at_column, name in enumerate(names):
                table.columns.setdefault(name, [one.value[at_column] for one in rows])
    _name_items(data, table)
    return table


def _name_items(data: Any, table: Table) -> None:
    """Add the items of arrays under the names that an array beside the rows has: one that begins alike, if any."""
    arrays: dict[tuple[str, str], int] = {}
    for found in filter(None, map(_ITEM.fullmatch, table.columns)):
        arrays[found[1], found[3]] = max(arrays.get((found[1], found[3]), 0), int(found[2]) + 1)
    for (array, rest), width in arrays.items():
        named = [(key, names) for key, names in _named_lists(data) if len(names) == width > 1]
        named.sort(key=lambda one: one[0][:5] != array.rpartition(".")[2][:5])
        for at, name in enumerate(named[0][1] if named else ()):
            if (cells := table.columns.get(f"{array}[{at}]{rest}")) is not None:
                table.columns.setdefault(name, cells)


def _named_lists(data: Any) -> Iterator[tuple[str, list[str]]]:
    for key, value in data.items() if isinstance(data, dict) else ():
        if isinstance(value, list) and value and all(isinstance(one, dict) and _name(one) for one in value):
            yield key, [_name(one) for one in value]
        elif isinstance(value, dict):
            yield from _named_lists(value)


def _tree(data: Any, words: str, path: str) -> Table:
    nodes = nodes_of(data, words, path)
    table = _flat([node.value for node in nodes])
    table.columns["_path"] = [node.path for node in nodes]
    table.columns["_depth"] = [node.depth for node in nodes]
    table.columns["_parent"] = [node.parent for node in nodes]
    table.below = [node.below for node in nodes if node.depth <= 1]
    table.depths = Counter(node.depth for node in nodes)
    return table


def _flat(rows: list[Any]) -> Table:
    """All fields of rows and of what is nested in them, under names with dots."""
    columns: dict[str, list[Any]] = {}
    places: dict[str, set[tuple[Any, ...]]] = {}
    width = {len(row) for row in rows if isinstance(row, list)}
    for number, row in enumerate(rows):
        if not isinstance(row, dict):
            columns.setdefault("value", [None] * len(rows))[number] = row
            places.setdefault("value", set()).add(())
            for at, cell in enumerate(row) if isinstance(row, list) and max(width) < 2_000 else ():
                columns.setdefault(f"c{at + 1}", [None] * len(rows))[number] = cell
            continue
        for path, value in _fields(row, ()):
            name = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")
            columns.setdefault(name, [None] * len(rows))[number] = value
            places.setdefault(name, set()).add(path)
    lower = Counter(name.lower() for name in columns)
    doubtful = {name for name in columns if len(places.get(name, ())) > 1 or lower[name.lower()] > 1}
    return Table(count=len(rows), columns=columns, doubtful=doubtful)


def _fields(value: dict[str, Any], path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    for name, inner in value.items():
        at = (*path, name)
        yield at, inner
        only = isinstance(inner, list) and len(inner) == 1 and isinstance(inner[0], dict)
        nested = inner[0] if only else inner
        for place, item in enumerate(inner) if isinstance(inner, list) and len(inner) <= SHORT else ():
            if isinstance(item, dict) and len(item) == 1 and not only:
                yield from (((*at, place, step), cell) for step, cell in item.items())
            elif not isinstance(item, dict):
                yield (*at, place), item
        if isinstance(nested, dict) and len(path) < LEVELS:
            yield from _fields(nested, (*at, 0) if only else at)


def _headers(data: Any, width: int) -> Iterator[list[str]]:
    """Arrays of as many names as rows have cells, or of objects that have one."""
    waiting = [data]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list) and len(value) == width:
            names = [_name(one) for one in value]
            if all(names) and len(set(names)) == width:
                yield names
        if isinstance(value, list):
            waiting += [one for one in value[:1] if isinstance(one, dict)]


def _name(value: Any) -> str:
    if isinstance(value, dict):
        found = (value.get(name) for name in ("name", "title", "label", "field", "key", "id", "text"))
        value = next((one for one in found if isinstance(one, str)), "")
    return value if isinstance(value, str) else ""
