"""The outline of a tree of values, by name: each name with how often it stands there, and what is in it.

    .: version
      services ×12: name, image, ports ×9
        env ×12: 48 values

Items of an array, and the values of one name in several objects, are one line. YAML and XML are outlined so: what a
reader asks of them first is which elements there are, how many, and inside which.
"""

from __future__ import annotations

from typing import Any, Final

from msgspec import field

from penstock.core.plain import Plain
from penstock.core.text import counted, line_text, plain

MOST_NAMES: Final = 12  # names of values told of one line; more are counted
LONG_LINE: Final = 200  # characters of a line
MOST_BRANCHES: Final = 30  # names with more inside that have lines of their own, below one line


class Branch(Plain, kw_only=True, eq=False):
    """All values at one place, however many: ``objects`` of them, ``scalars`` in arrays, the fields with scalars, and
    the fields with more inside. ``total`` are the scalars here and below."""

    objects: int = 0
    scalars: int = 0
    total: int = 0
    fields: dict[str, int] = field(default_factory=dict)
    inner: dict[str, Branch] = field(default_factory=dict)

    def add(self, value: Any) -> int:
        """Add an object, or all items of an array. Returns how many scalars are in it."""
        before = self.total
        if isinstance(value, list):
            for item in value:
                if isinstance(item, dict | list):
                    self.add(item)
                else:
                    self.scalars += 1
                    self.total += 1
            return self.total - before
        self.objects += 1
        for name, inside in value.items():
            if isinstance(inside, dict | list) and inside:
                self.total += self.inner.setdefault(name, Branch()).add(inside)
            else:
                self.fields[name] = self.fields.get(name, 0) + 1
                self.total += 1
        return self.total - before


def tree_lines(value: Any, depth: int) -> list[str]:
    """Return the lines of an outline, each short enough to be read."""
    return [line_text(line, LONG_LINE) for line in outline_tree(value, depth)]


def outline_tree(value: Any, depth: int) -> list[str]:
    """Return the lines of an outline: the names down to a depth, and of those below it how many values they have."""
    root = Branch()
    root.add(value)
    return _lines(".", root, 0, depth)


def _lines(name: str, branch: Branch, level: int, depth: int) -> list[str]:
    is_last = level + 1 >= depth
    parts = [_named(branch)] if branch.fields else []
    parts += [counted(branch.scalars, "value")] if branch.scalars else []
    if branch.inner and is_last:
        below = [f"{plain(one)} ({counted(inner.total, 'value')})" for one, inner in branch.inner.items()]
        parts.append(f"below: {_some(below)}")
    times = f" ×{branch.objects:,}" if branch.objects > 1 else ""
    lines = [f"{'  ' * level}{name}{times}" + (f": {'; '.join(parts)}" if parts else "")]
    if is_last:
        return lines
    for one, inner in list(branch.inner.items())[:MOST_BRANCHES]:
        lines += _lines(plain(one), inner, level + 1, depth)
    if len(branch.inner) > MOST_BRANCHES:
        lines.append(f"{'  ' * (level + 1)}+{counted(len(branch.inner) - MOST_BRANCHES, 'name')}")
    return lines


def _named(branch: Branch) -> str:
    """Return the fields with scalars, with their number where not every object has them."""
    counts = branch.fields.items()
    return _some([plain(one) if count == branch.objects else f"{plain(one)} ×{count:,}" for one, count in counts])


def _some(names: list[str]) -> str:
    more = [f"+{counted(len(names) - MOST_NAMES, 'name')}"] if len(names) > MOST_NAMES else []
    return ", ".join([*names[:MOST_NAMES], *more])
