"""Trees: objects that hold objects of their own kind, through ``children`` or however they call it.

The table has a row for every node: ``_path`` (as jq and ``get_page`` take it), ``_depth`` from 0, ``_parent`` (the row
of the parent, from 1), and the node's own fields. Where nodes are told by a type and hang together through many fields,
as in a syntax tree, every object with that type is a node.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, replace
from itertools import compress, islice
from operator import lt
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.forms.api import Excerpt
from penstock.core.forms.column_names import NAMING
from penstock.core.forms.json_cells import JsonCells
from penstock.core.forms.json_columns import EMPTY, dotted, flat, free_name
from penstock.core.forms.reading import Field, Table
from penstock.core.forms.rows import OF_NODE, ColumnPath, RowSpec, parts_of
from penstock.core.forms.structure import Place
from penstock.core.forms.values import is_retained
from penstock.core.json.path import EACH, KEY, Path, render
from penstock.core.profile import Column
from penstock.core.text import counted, plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.forms.document import Document
    from penstock.core.forms.json_view import JsonView
    from penstock.core.forms.reading import Reading
    from penstock.core.forms.structure import Place
    from penstock.core.json.path import Step
    from penstock.core.row_numbers import RowNumbers

MOST: Final = 16_777_216  # bytes of a document whose nodes are walked one by one
LEAST_SHARE: Final = 0.4  # of the document hangs in the tree
LEAST_OWN: Final = 0.05  # The nodes themselves have this share of the document, and do not only hold lists.
REACHED: Final = 0.5  # of the objects of a tree's kind hang in it; others hang in objects that are a tree themselves
HEAVY: Final = 0.95  # of a large document lies in the array whose items are walked one after the other
LEAST_DEPTH: Final = 5  # levels below each other of objects that have but a type in common
LONGEST_WAY: Final = 6  # steps from a node to the next
MOST_COLUMNS: Final = 60  # fields of nodes that are columns
MOST_SHOWN: Final = 30  # nodes of the upper levels that are listed
MOST_WAYS: Final = 6  # ways from a node to the next that are named
MOST_LEVELS: Final = 16  # depths whose nodes are counted


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tree:
    steps: Path
    node: Place
    edges: tuple[Path, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Nodes:
    """A tree from its top, the field that makes objects its nodes if one does, and the table of its nodes."""

    tree: _Tree
    typed: str | None
    table: Table
    depths: list[int]


def read(view: JsonView) -> Reading | None:
    """Read the document as a tree, if most of it hangs in one."""
    if len(view.document.body) > MOST or not view.structure.exact:
        return None
    every = _trees(view.structure.places)
    trees = [tree for tree in every if tree.edges and view.share(tree.node) >= LEAST_SHARE and _says_much(view, tree)]
    for below in sorted(trees, key=lambda one: _own(one.node), reverse=True):
        nodes = _nodes_of(view, below)
        if nodes.table.count >= REACHED * below.node.objects and _is_deep(nodes.depths):
            return _reading_of(view, below, nodes)
    return None


def _says_much(view: JsonView, tree: _Tree) -> bool:
    """Return True if the nodes have enough fields with values of their own, and do not only hold lists."""
    return _own(tree.node) >= LEAST_OWN * view.structure.weights[id(view.structure.root)]


def _is_deep(depths: list[int]) -> bool:
    """Return True if nodes hang in each other: objects of which a few hold one of their kind are records."""
    return max(depths, default=0) > 1 or depths.count(0) * 2 <= len(depths)


def _nodes_of(view: JsonView, below: _Tree) -> _Nodes:
    """Lay out the nodes of a tree, from its top."""
    root = view.structure.root
    tree = _from_the_top(root, below)
    typed = _typed(view.structure.places, tree)
    spec = _spec(root, tree, typed)
    if typed is not None:
        array = _heavy_array(view.document)
        spec = spec if array is None else RowSpec(kind="tree", outer=array, inner=(EACH,), typed=typed)
        spec = msgspec.structs.replace(spec, through=_through(view.structure.places, typed))
    values = _levels(view, spec)
    if typed is not None and max(values["_depth"], default=0) < LEAST_DEPTH:
        typed, spec = None, _spec(root, tree, None)
        values = _levels(view, spec)
    return _Nodes(tree=tree, typed=typed, table=_table(view, spec, tree, values), depths=values["_depth"])


def _heavy_array(document: Document) -> Path | None:
    """Return the array that nearly all of a document lies in, item by item, where the document is too large to be kept:
    its nodes are walked some at a time, and those above are left out."""
    if is_retained(document):
        return None
    heavy = [one for one in document.index.containers if one.size >= HEAVY * len(document.body)]
    deepest = max(heavy, key=lambda one: len(one.path), default=None)  # each lies in the one before
    return deepest.path or None if deepest is not None and deepest.kind == "array" else None


def _levels(view: JsonView, spec: RowSpec) -> dict[str, list[Any]]:
    """Return how deep each node of a tree lies, and the row of its parent."""
    columns = tuple(ColumnPath(name=name, path=(name,)) for name in OF_NODE)
    return JsonCells(view.document, msgspec.structs.replace(spec, columns=columns)).columns(["_depth", "_parent"])


def _reading_of(view: JsonView, below: _Tree, nodes: _Nodes) -> Reading:
    """Return the reading of a tree."""
    tree, typed, table = nodes.tree, nodes.typed, nodes.table
    way = f"objects with {plain(typed)}" if typed else _ways_text(tree.edges)
    depths = Counter(nodes.depths)
    spec = table.spec
    inside = f", in {render(spec.outer)}" if typed and isinstance(spec, RowSpec) and spec.outer else ""
    words = (
        f"a tree through {way}: {counted(table.count, 'node')}, {counted(depths[0], 'root')}, "
        f"{counted(max(depths) + 1, 'level')} deep{inside}"
    )
    levels = [f"{depth} ×{count:,}" for depth, count in sorted(depths.items())]
    more = [f"{len(levels) - MOST_LEVELS} more"] if len(levels) > MOST_LEVELS else []
    facts = [f"nodes by depth: {' · '.join([*levels[:MOST_LEVELS], *more])}"]
    others = [one for one in view.tables if one.name != "items" and one.inside is None]
    reading = view.reading("tree", words, [table, *others], facts)
    return replace(
        reading,
        excerpts=(_upper(view.cells(table), table, nodes.depths),),
        pages=_spec(view.structure.root, below, None).outer,
    )


def _ways_text(edges: tuple[Path, ...]) -> str:
    """Return the ways from a node to those below it; of many the first ones, and how many more there are."""
    left = len(edges) - MOST_WAYS
    return " and ".join([*map(render, edges[:MOST_WAYS]), *([f"{left:,} more"] if left > 0 else [])])


def _trees(places: list[tuple[Path, Place]]) -> Iterator[_Tree]:
    """Return the places whose objects lead back to themselves: where a tree was found to begin, and those on its
    ways."""
    for steps, place in places:
        if not place.is_tree:
            continue
        edges = tuple(_ways(place))
        yield _Tree(steps=steps, node=place, edges=edges)
        for edge in edges:
            between = place
            for at, step in enumerate(edge[:-1], 1):
                between = dict(between.inner)[step]
                if between.objects and not between.is_tree:
                    yield _Tree(steps=(*steps, *edge[:at]), node=between, edges=tuple(_ways(between)))


def _ways(node: Place) -> Iterator[Path]:
    """Return the ways from a node to nodes of its kind, the shortest first."""
    waiting: deque[tuple[Path, Place]] = deque([((), node)])
    seen: set[int] = set()
    while waiting:
        way, place = waiting.popleft()
        for step, inner in place.inner:
            if inner is node:
                yield (*way, step)
            elif id(inner) not in seen and len(way) < LONGEST_WAY:
                seen.add(id(inner))
                waiting.append(((*way, step), inner))


def _own(place: Place) -> int:
    """Return how much the nodes say themselves, to tell nodes from what is between them."""
    return sum(inner.column.bulk + 4 * inner.column.filled for _, inner in flat(place))


def _typed(places: list[tuple[Path, Place]], tree: _Tree) -> str | None:
    """Return the field by which nodes are told, if the same field is in many objects that are not reached by the
    edges."""
    if tree.node.types is None:
        return None
    name = tree.node.types[0]
    every = sum(place.objects for _, place in places if place.types is not None and place.types[0] == name)
    return name if every > 1.5 * tree.node.objects else None


def _through(places: list[tuple[Path, Place]], typed: str) -> tuple[str, ...]:
    """Return the fields through which objects with a certain field are reached. None, where one may be reached through
    what has no name: the keys of a map, or a field that is not known."""
    above: dict[int, list[Place]] = {}
    for _, place in places:
        for _, inner in place.inner:
            above.setdefault(id(inner), []).append(place)
    waiting = [place for _, place in places if typed in place.fields]
    leading = {id(place): place for place in waiting}
    while waiting:
        for place in above.get(id(waiting.pop()), ()):
            if id(place) not in leading:
                leading[id(place)] = place
                waiting.append(place)
    if any(place.more or (place.keys is not None and _may_have(place.keys, typed)) for _, place in places):
        return ()
    if any(place.keyed is not None and id(place.keyed) in leading for place in leading.values()):
        return ()
    fields = (key for place in leading.values() for key, inner in place.fields.items() if id(inner) in leading)
    return tuple(dict.fromkeys(fields))


def _may_have(keys: Column, name: str) -> bool:
    return keys.counts is None or keys.hidden or name in keys.counts


def _from_the_top(root: Place, tree: _Tree) -> _Tree:
    """Return the tree with what its first nodes hang in, if that is like them: a thread begins with the posts of a
    list."""
    for edge in tree.edges:
        above = tree.steps[: -len(edge)]
        if (*above, *edge) == tree.steps:
            place = root
            for step in above:
                place = dict(place.inner)[step]
            common = len(place.fields.keys() & tree.node.fields.keys())
            if common > 1 and common * 3 >= len(place.fields) * 2:
                return replace(tree, steps=above)
    return tree


def _spec(root: Place, tree: _Tree, typed: str | None) -> RowSpec:
    if typed is not None:
        return RowSpec(kind="tree", inner=(EACH,) if root.arrays else (), typed=typed)
    fixed = next((at for at, step in enumerate(tree.steps) if step in (EACH, KEY)), len(tree.steps))
    return RowSpec(kind="tree", outer=tree.steps[:fixed], inner=tree.steps[fixed:], edges=tree.edges)


def _table(view: JsonView, spec: RowSpec, tree: _Tree, values: dict[str, list[Any]]) -> Table:
    """Return the table of nodes, whose levels have these values; its facts are learned from its own rows, which have
    their own order."""
    ways = {edge[: len(path)] for edge in tree.edges for path, _ in flat(tree.node)}
    paths = [path for path, inner in flat(tree.node) if path not in ways and inner.column.filled]
    if spec.typed is not None:  # nodes of other places may have several items there, most often nodes themselves
        paths = [path for path in paths if not any(isinstance(step, int) for step in path)]
    columns = [ColumnPath(name=name, path=(name,)) for name in OF_NODE]
    taken = set(OF_NODE)
    names = [free_name(dotted(path) or EMPTY, [], taken) for path in paths[:MOST_COLUMNS]]
    columns += [ColumnPath(name=name, path=path) for name, path in zip(names, paths, strict=False)]
    spec = msgspec.structs.replace(spec, columns=tuple(columns))
    cells = JsonCells(view.document, spec)
    count = len(values["_depth"])
    known = {"_path": Column.of_names(count), "_depth": Column(), "_parent": Column()}
    for name in ("_depth", "_parent"):
        known[name].learn(values[name], range(count), len(columns), keep=True)
    own = {one.path: Column() for one in columns[len(OF_NODE) :]}
    first = 0
    for rows in cells.batches() if own else ():
        _learn(rows, range(first, first + len(rows)), own, keep=is_retained(view.document))
        first += len(rows)
    for column in own.values():
        column.rows = count
    # What leads back to other nodes has scalars there, and none in these.
    columns = [one for one in columns if one.name in known or own[one.path].filled]
    spec = msgspec.structs.replace(spec, columns=tuple(columns))
    depths = values["_depth"]  # nodes stand before those below them. What inner ones have may be that of all these
    leaves = count - sum(map(lt, depths, islice(depths, 1, None)))
    fields = [
        Field(name=one.name, column=column, path=one, adds_up=column.filled <= leaves)
        for one in columns
        for column in [known.get(one.name) or own[one.path]]
    ]
    return Table(name="items", noun="nodes", count=count, fields=tuple(fields), spec=spec, path=render(tree.steps))


def _learn(nodes: list[Any], rows: RowNumbers, columns: dict[Path, Column], *, keep: bool) -> None:
    """Learn what lies in nodes at some paths. Most nodes have few of them, so each is asked what it has."""
    below: dict[Step, dict[Path, Column]] = {}
    for (step, *rest), column in columns.items():
        below.setdefault(step, {})[tuple(rest)] = column
    for step, values, numbers in parts_of(nodes, rows, below):
        if () in below[step]:
            below[step].pop(()).learn(values, numbers, len(columns), keep=keep)
        if below[step]:
            _learn(values, numbers, below[step], keep=keep)


def _upper(rows: JsonCells, table: Table, depths: list[int]) -> Excerpt:
    """Return the nodes of the upper two levels, each with how many nodes are below it."""
    names = [one.name for one in table.fields if one.name not in OF_NODE]
    label = next((name for one in NAMING for name in names if name.rpartition(".")[2] == one), "_path")
    # Nodes stand before those below them: each reaches up to the next that is no deeper.
    upper = list(compress(range(len(depths)), map((1).__ge__, depths)))
    roots = [at for at in upper if not depths[at]]
    ends = dict(zip(upper, [*upper[1:], len(depths)], strict=True)) | dict(
        zip(roots, [*roots[1:], len(depths)], strict=True)
    )
    lines = []
    for at, [path, name] in zip(upper, rows.rows(upper[:MOST_SHOWN], ["_path", label]), strict=False):
        words = plain(path if name is None else name)
        lines.append(f"{'  ' * depths[at]}{words}: {counted(ends[at] - at - 1, 'node')} below")
    more = f", the first {MOST_SHOWN} of {len(upper):,}" if len(upper) > MOST_SHOWN else ""
    return Excerpt(title=f"the upper two levels{more}", lines=tuple(lines))
