"""What weighs most: fields that could be left out, and levels of a tree that could be cut off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from penstock.core.json.path import EACH
from penstock.core.shape import is_map
from penstock.core.suggest.narrow import Shallow, Without
from penstock.core.suggest.rows import SAMPLE_ROWS, Part, few, main_form, scattered
from penstock.core.suggest.words import is_name

if TYPE_CHECKING:
    from penstock.core.json.index import Container
    from penstock.core.json.path import Path
    from penstock.core.sample import Form
    from penstock.core.subject import Subject
    from penstock.core.suggest.rows import Rows
    from penstock.core.toolkit.fields import FieldPath

HEAVY: Final = 0.3  # of the items' bytes: leaving out less is no great saving
ALSO_HEAVY: Final = 0.15  # for the fields after the heaviest
WRAPPER: Final = 0.5  # of an object's bytes in one of its fields: then that field is the heavy one
NEARLY_ALL: Final = 0.9  # of the bytes: an object that holds as good as all is the item itself under another name
MOST_HEAVY: Final = 3
MOST_WRITTEN: Final = 150  # items that are written without their heavy fields, to weigh them
HEAD: Final = 512  # bytes of an item by which its white space is told
MOST_LIGHT: Final = 24  # fields named in one call


def heavy_fields(subject: Subject, rows: Rows | None) -> list[Without]:
    """The items without their heaviest field, without the two heaviest, and so on."""
    container, place = subject.main, main_form(subject)
    if container is None or place is None:
        return []
    place = place.item if container.kind != "object" else place
    if place is None or is_map(place):
        return []
    fields = _weighed(place)
    weights = sorted(fields, key=lambda path: -fields[path])
    share = 0.0
    found: list[Without] = []
    for number, path in enumerate(weights[:MOST_HEAVY], 1):
        share += fields[path]
        if fields[path] < (HEAVY if number == 1 else ALSO_HEAVY) or not is_name(path):
            break
        light = tuple(one for one in fields if one not in weights[:number] and is_name(one))
        if light:
            heavy = tuple(weights[:number])
            found.append(Without(heavy=heavy, light=light, share=share, part=_left(container, rows, heavy, share)))
    return found


def tree_levels(subject: Subject) -> list[Shallow]:
    """How much of a tree is above each depth, the deepest first; empty when the data is no tree."""
    chains: dict[tuple[Path, str], dict[int, float]] = {}
    for path, place in subject.form.walk():
        steps = [step for step in path if step != EACH]
        name = path[-1] if path else EACH
        if isinstance(name, str) and len(set(steps[steps.index(name) :])) == 1:
            first = path.index(name)
            sizes = chains.setdefault((path[:first], name), {})
            sizes[len(steps) - steps.index(name)] = place.size
    trees = [(path, sizes) for (path, _), sizes in chains.items() if len(sizes) > 1]
    if not trees:
        return []
    path, sizes = max(trees, key=lambda tree: tree[1][1])
    # Asked for depth 1, a tool shows the nodes of a list, but of a single root its children as well.
    rooted = int(path[-1:] != (EACH,))
    levels = [Shallow(depth=depth - rooted, share=1 - sizes[depth] / subject.form.size) for depth in sizes]
    return [level for level in reversed(levels) if level.depth > 0]


def _weighed(place: Form) -> dict[FieldPath, float]:
    """Each field's share of the bytes; the fields of a wrapper object stand in its place."""
    weights: dict[FieldPath, float] = {}
    for name, inner in place.fields.items():
        share = inner.size / place.size
        deeper: dict[FieldPath, float] = {(name, one): part.size / place.size for one, part in inner.fields.items()}
        largest = max(deeper.values(), default=0.0)
        wraps = largest >= share * WRAPPER or share >= NEARLY_ALL
        if share >= HEAVY and deeper and wraps and not inner.arrays and not is_map(inner):
            weights |= deeper
        else:
            weights[(name,)] = share
    return weights


def _left(container: Container, rows: Rows | None, heavy: tuple[FieldPath, ...], share: float) -> Part:
    """All items without these fields, written out as far as they could be read."""
    light: list[bytes] = []
    if rows is not None:
        chosen = scattered(len(rows.values), MOST_WRITTEN)
        light = [_written(rows, at, heavy) for at in chosen if rows.values[at] is not None]
    if not light:
        return Part(count=container.count, size=container.size * (1 - share), sample=())
    size = (sum(map(len, light)) + len(light)) * container.count / len(light)
    return Part(count=container.count, size=size, sample=few(light[at] for at in scattered(len(light), SAMPLE_ROWS)))


def _written(rows: Rows, at: int, heavy: tuple[FieldPath, ...]) -> bytes:
    """An item without these fields, with white space where the original has it."""
    if not isinstance(rows.values[at], dict):
        return rows.raw(at)
    left = {name: inner for name, inner in rows.values[at].items() if (name,) not in heavy}
    for name, inner in left.items():
        if isinstance(inner, dict):
            left[name] = {deeper: part for deeper, part in inner.items() if (name, deeper) not in heavy}
    head = rows.raw(at)[:HEAD]
    return msgspec.json.format(msgspec.json.encode(left), indent=2 if b"\n" in head else 0 if b'": ' in head else -1)
