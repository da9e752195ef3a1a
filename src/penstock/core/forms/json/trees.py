"""Trees: objects that hold objects of their own kind, through ``children`` or another field.

The table has a row for every node: ``_path`` (as jq and ``get_page`` take it), ``_depth`` from 0, ``_parent`` (the row
of the parent, from 1), and the node's own fields. Figma's server answers with such documents, and the filesystem
server's ``directory_tree``.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, replace
from itertools import islice
from operator import lt
from typing import TYPE_CHECKING, Final

import msgspec

from penstock.core.forms.api import Excerpt
from penstock.core.forms.json_columns import own_columns, unread
from penstock.core.forms.json_tables import MIN_SHARE
from penstock.core.forms.reading import Field, Table
from penstock.core.forms.rows import OF_NODE, ColumnPath, RowSpec
from penstock.core.json.path import EACH, KEY, Path, render
from penstock.core.profile import Column
from penstock.core.tables.roles import NAMES
from penstock.core.text import counted, plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.forms.json_view import JsonView
    from penstock.core.forms.reading import Cells, Reading
    from penstock.core.forms.structure import Place

LONGEST_WAY: Final = 6  # steps from a node to the next
MOST_SHOWN: Final = 30  # nodes of the upper levels that are listed
MOST_WAYS: Final = 6  # ways from a node to the next that are named
MOST_LEVELS: Final = 16  # depths whose nodes are counted


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tree:
    steps: Path
    node: Place
    edges: tuple[Path, ...]

    @property
    def spec(self) -> RowSpec:
        fixed = next((at for at, step in enumerate(self.steps) if step in (EACH, KEY)), len(self.steps))
        return RowSpec(kind="tree", outer=self.steps[:fixed], inner=self.steps[fixed:], edges=self.edges)


def read(view: JsonView) -> Reading | None:
    """Read the document as a tree, if most of it hangs in one."""
    if not view.structure.exact:
        return None
    own = MIN_SHARE * view.structure.weights[id(view.structure.root)]
    trees = [tree for tree in _trees(view.structure.places) if tree.edges and _own(tree.node) >= own]
    for tree in sorted(trees, key=lambda one: _own(one.node), reverse=True):
        top = _from_the_top(dict(view.structure.places), tree)
        table = _table(view, top)
        depths = view.cells(table).columns(["_depth"])["_depth"]
        # Other objects of this kind may be in objects that are a tree themselves.
        if table.count >= tree.node.objects and _is_deep(depths):
            return replace(_reading(view, top, table, depths), pages=tree.spec.outer)
    return None


def _is_deep(depths: list[int]) -> bool:
    """Return True if nodes hold each other. Objects of which a few hold one of their kind are records."""
    return max(depths, default=0) > 1 or depths.count(0) * 2 <= len(depths)


def _reading(view: JsonView, tree: _Tree, table: Table, levels: list[int]) -> Reading:
    depths = Counter(levels)
    words = (
        f"a tree through {_ways_text(tree.edges)}: {counted(table.count, 'node')}, {counted(depths[0], 'root')}, "
        f"{counted(max(depths) + 1, 'level')} deep"
    )
    nodes = [f"{depth} ×{count:,}" for depth, count in sorted(depths.items())]
    more = [f"+{counted(len(nodes) - MOST_LEVELS, 'level')}"] if len(nodes) > MOST_LEVELS else []
    facts = [f"nodes by depth: {' · '.join([*nodes[:MOST_LEVELS], *more])}"]
    others = [one for one in view.tables if one.name != "items" and one.inside is None]
    reading = view.reading("tree", words, [table, *others], facts)
    return replace(reading, excerpts=(_upper(view.cells(table), table, levels),))


def _ways_text(edges: tuple[Path, ...]) -> str:
    """Return the ways from a node to those below it; of many the first ones, and how many more there are."""
    left = len(edges) - MOST_WAYS
    return " and ".join([*map(render, edges[:MOST_WAYS]), *([f"{counted(left, 'other field')}"] if left > 0 else [])])


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
    return sum(one.column.bulk + 4 * one.column.filled for one in own_columns(place, set()))


def _from_the_top(places: dict[Path, Place], tree: _Tree) -> _Tree:
    """Return the tree with what its first nodes hang in, if that is like them: a thread begins with the posts of a
    list."""
    for edge in tree.edges:
        above = tree.steps[: -len(edge)]
        if (*above, *edge) == tree.steps:
            fields = places[above].fields
            common = len(fields.keys() & tree.node.fields.keys())
            if common > 1 and common * 3 >= len(fields) * 2:
                return replace(tree, steps=above)
    return tree


def _table(view: JsonView, tree: _Tree) -> Table:
    """Return the table of nodes."""
    ways = {edge[: end + 1] for edge in tree.edges for end in range(len(edge))}
    own = [one for one in own_columns(tree.node, set(OF_NODE)) if one.path is not None and one.column.filled]
    own = [one for one in own if one.path is not None and one.path.path not in ways]
    of_node = [unread(name, (name,)) for name in OF_NODE]
    columns = tuple(one.path for one in (*of_node, *own) if one.path is not None)
    spec = msgspec.structs.replace(tree.spec, columns=columns)
    table = Table(name="items", noun="nodes", count=0, fields=(), spec=spec, path=render(tree.steps))
    depths = view.cells(table).columns(["_depth"])["_depth"]
    if len(depths) != tree.node.objects:  # The places know other objects too, or do not know the first nodes.
        own = [unread(one.name, one.path.path) for one in own if one.path is not None]
    table = view.profiled(replace(table, count=len(depths), fields=(*of_node[1:], *own)))
    path = Field(name="_path", column=Column.of_names(len(depths)), path=ColumnPath(name="_path", path=("_path",)))
    # A node with others below it may have an amount that includes theirs.
    leaves = len(depths) - sum(map(lt, depths, islice(depths, 1, None)))
    fields = [
        msgspec.structs.replace(one, adds_up=one.column.filled <= leaves)
        for one in (path, *table.fields)
        if one.column.filled or one.name in OF_NODE
    ]
    return replace(table, fields=tuple(fields))


def _upper(cells: Cells, table: Table, depths: list[int]) -> Excerpt:
    """Return the nodes of the upper two levels, each with how many nodes are below it."""
    names = [one.name for one in table.fields if one.name not in OF_NODE]
    label = next((name for one in NAMES for name in names if name.rpartition(".")[2] == one), "_path")
    upper = [at for at, depth in enumerate(depths) if depth <= 1]
    lines = []
    for at, [path, name] in zip(upper, cells.rows(upper[:MOST_SHOWN], ["_path", label]), strict=False):
        below = next((end for end in range(at + 1, len(depths)) if depths[end] <= depths[at]), len(depths)) - at - 1
        words = plain(path if name is None else name)
        lines.append(f"{'  ' * depths[at]}{words}: {counted(below, 'node')} below")
    more = f", first {MOST_SHOWN} of {len(upper):,} nodes" if len(upper) > MOST_SHOWN else ""
    return Excerpt(title=f"top 2 levels{more}", lines=tuple(lines))
