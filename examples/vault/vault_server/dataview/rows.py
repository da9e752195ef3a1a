"""The rows that expressions see: a page, a task or list item, a group; and ``Pages``, the vault that they are in."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Final

import msgspec

from vault_server import elements
from vault_server.dataview.values import as_date, as_json, typed
from vault_server.links import Link

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from vault_server.catalog import Catalog, File
    from vault_server.index import Index
    from vault_server.links import Links

_TAG: Final = re.compile(r"(?:^|(?<=\s))#[\w/-]*[^\W\d][\w/-]*")
_BLOCK: Final = re.compile(r"(?:^|\s)\^([\w-]+)\s*$")
_decoded: Final = msgspec.json.Decoder(dict[str, Any]).decode
_DAY: Final = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)")


class Row(ABC):
    """One thing that a query works on; ``path`` is that of the note it is in."""

    __slots__ = ()
    path: str

    @abstractmethod
    def get(self, name: str) -> Any:
        """Return the value of a field; null where there is none."""

    def as_value(self) -> Any:
        """Return what stands for it where a query shows all of it."""
        return str(Link(path=self.path))


class Pages:
    """The notes of a vault, as one query sees them. What the query looks at is read for all notes at once."""

    def __init__(self, catalog: Catalog, index: Index, links: Callable[[], Links]) -> None:
        self.catalog, self._index, self._links = catalog, index, links
        self._last: tuple[str, dict[str, Any]] = ("", {})  # the note whose fields were read last
        self.source_paths: dict[tuple[str, str], set[str]] = {}  # the paths that a source of the query has found
        self.missing: dict[str, None] = {}  # names in FROM that no note has

    @cached_property
    def links(self) -> Links:
        """Read which note links to which."""
        return self._links()

    @cached_property
    def _front(self) -> dict[int, bytes]:
        return self._index.column("front")

    @cached_property
    def _fields(self) -> dict[int, bytes]:
        return {**self._front, **self._index.column("fields")}

    @cached_property
    def _items(self) -> dict[int, bytes]:
        return self._index.column("items")

    def field(self, page: Page, name: str) -> Any:
        """Return the value of a note's field, by its own name or as Dataview spells it."""
        path, fields = self._last
        if path != page.path:
            fields = _decoded(self._fields.get(page.file.id, b"{}"))
            self._last = (page.path, fields)
        value = fields.get(name if name in fields else _spelled(name, tuple(fields)))
        return typed(value, lambda target: self.linked(target, page.path))

    def frontmatter(self, file: File) -> dict[str, Any]:
        """Return the front matter of a note, without the fields in its text."""
        return _decoded(self._front.get(file.id, b"{}"))

    def page(self, file: File) -> Page:
        """Return the row of a note."""
        return Page(self, file)

    def tasks(self, files: Iterable[File]) -> Iterator[Task]:
        """Yield the tasks of notes."""
        for file in files:
            yield from (item for item in self.items(file) if item.is_task)

    def items(self, file: File) -> list[Task]:
        """Return the list items of a note, tasks among them."""
        packed = self._items.get(file.id)
        page = self.page(file)
        by_line = {row[0]: Task(page, row) for row in (msgspec.json.decode(packed) if packed else ())}
        for item in by_line.values():
            parent = item.data[1]
            if parent is not None:
                item.parent = by_line[parent]
                by_line[parent].children.append(item)
        return [*by_line.values()]

    def linked(self, target: str, source: str = "") -> Link:
        """Return a link as it is written, with the path of the note that it leads to, if there is one."""
        name, _, words = target.partition("|")
        name, _, subpath = name.partition("#")
        path = self.links.resolved(name, source)
        return Link(path=name.strip() if path is None else path, display=words or None, subpath=subpath or None)

    def behind(self, link: Link) -> Page | None:
        """Return the note that a link leads to."""
        file = self.catalog.by_path.get(link.path)
        return None if file is None else self.page(file)


class Page(Row):
    """A note: its fields, and ``file``."""

    __slots__ = ("file", "pages", "path")

    def __init__(self, pages: Pages, file: File) -> None:
        self.pages, self.file, self.path = pages, file, file.path

    def get(self, name: str) -> Any:
        """Return a field by its own name, or as Dataview spells it."""
        if name == "file":
            return FileRow(self)
        return self.pages.field(self, name)


class FileRow(Row):
    """The fields that every note has, which Dataview calls ``file``."""

    __slots__ = ("page", "path")

    def __init__(self, page: Page) -> None:
        self.page, self.path = page, page.path

    def get(self, name: str) -> Any:
        """Return one of ``FILE_FIELDS``."""
        look_up = FILE_FIELDS.get(name.lower())
        return None if look_up is None else look_up(self.page)


class Task(Row):
    """A task or list item. It has the fields of its note, too."""

    __slots__ = ("children", "data", "line", "page", "parent", "path")

    def __init__(self, page: Page, data: list[Any]) -> None:
        self.page, self.path, self.data = page, page.path, data
        self.line: int = data[0]
        self.children: list[Task] = []
        self.parent: Task | None = None

    @property
    def is_task(self) -> bool:
        """Return True if it has a box."""
        return self.data[2] is not None

    def above(self) -> Iterator[int]:
        """Yield the lines of the items that it is inside."""
        if self.parent is not None:
            yield self.parent.line
            yield from self.parent.above()

    def get(self, name: str) -> Any:
        """Return a field of the item, else one of its note."""
        if (look_up := TASK_FIELDS.get(name.lower())) is not None:
            return look_up(self)
        plain = _plain(name)
        for key, value in elements.item_fields(self.data[3]).items():
            if _plain(key) == plain:
                return typed(value, lambda target: self.page.pages.linked(target, self.path))
        return self.page.get(name)

    def as_value(self) -> Any:
        """Return its text, with its box."""
        return f"[{self.data[2]}] {self.data[3]}" if self.is_task else self.data[3]

    @property
    def is_annotated(self) -> bool:
        """Return True if it has fields of its own."""
        return bool(elements.item_fields(self.data[3]))

    def is_done(self, *, wholly: bool) -> bool:
        """Return True if its box has an x; ``wholly``: those of all tasks inside it, too."""
        done = self.data[2] in ("x", "X")
        return done and (not wholly or all(one.is_done(wholly=True) for one in self.children if one.is_task))


class Group(Row):
    """The rows that have one value in common."""

    __slots__ = ("key", "name", "rows")
    path = ""

    def __init__(self, key: Any, name: str) -> None:
        self.key, self.name = key, name
        self.rows: list[Row] = []

    def get(self, name: str) -> Any:
        """Return ``key``, the name that was grouped by, or ``rows``."""
        if name == "rows":
            return self.rows
        return self.key if name in ("key", self.name) else None

    def as_value(self) -> Any:
        """Return its key."""
        return as_json(self.key)


class _Extended(Row):
    """A row with more fields, which hide its own."""

    __slots__ = ("base", "more", "path")

    def __init__(self, base: Row, more: dict[str, Any]) -> None:
        self.base, self.more, self.path = base, more, base.path

    def get(self, name: str) -> Any:
        return self.more[name] if name in self.more else self.base.get(name)

    def as_value(self) -> Any:
        return self.base.as_value()


def extended(row: Row, more: dict[str, Any]) -> Row:
    """Return a row with more fields: those that FLATTEN makes, or the names of a function's values."""
    return _Extended(row, more)


@lru_cache(maxsize=4_096)  # the same few names in every note
def _spelled(name: str, names: tuple[str, ...]) -> str:
    """Return the one of these names that is this one in another case, or with blanks for its hyphens; else the name
    itself."""
    plain = _plain(name)
    return next((one for one in names if _plain(one) == plain), name)


def _plain(name: str) -> str:
    return name.lower().replace(" ", "-")


def _time(which: str, *, whole_day: bool = False) -> Callable[[Page], datetime]:
    def look_up(page: Page) -> datetime:
        moment = datetime.fromtimestamp(getattr(page.file, which) // 1_000_000 / 1_000, tz=UTC)
        return moment.replace(hour=0, minute=0, second=0, microsecond=0) if whole_day else moment

    return look_up


def _day(page: Page) -> Any:
    if (match := _DAY.search(page.file.name)) is not None:
        return as_date("-".join(match.groups()))
    return as_date(page.get("date"))


def _tags(page: Page) -> list[str]:
    """Return every tag with those that it lies below: ``#a/b`` is also ``#a``."""
    levels = (tag.split("/")[: depth + 1] for tag in page.file.tags for depth in range(tag.count("/") + 1))
    return [*dict.fromkeys(f"#{'/'.join(level)}" for level in levels)]


def _aliases(page: Page) -> list[Any]:
    front = page.pages.frontmatter(page.file)
    names = front.get("aliases") or front.get("alias") or []
    return names if isinstance(names, list) else [names]


FILE_FIELDS: Final[dict[str, Callable[[Page], Any]]] = {
    "name": lambda page: page.file.name,
    "path": lambda page: page.path,
    "folder": lambda page: page.file.folder,
    "ext": lambda page: page.path.rpartition(".")[2],
    "link": lambda page: Link(path=page.path),
    "size": lambda page: page.file.size,
    "ctime": _time("ctime_ns"),
    "mtime": _time("mtime_ns"),
    "cday": _time("ctime_ns", whole_day=True),
    "mday": _time("mtime_ns", whole_day=True),
    "day": _day,
    "tags": _tags,
    "etags": lambda page: [f"#{tag}" for tag in page.file.tags],
    "aliases": _aliases,
    "outlinks": lambda page: page.pages.links.outgoing(page.file),
    "inlinks": lambda page: [Link(path=path) for path in page.pages.links.incoming(page.path)],
    "tasks": lambda page: [item for item in page.pages.items(page.file) if item.is_task],
    "lists": lambda page: page.pages.items(page.file),
    "frontmatter": lambda page: page.pages.frontmatter(page.file),
}


def _section(task: Task) -> Link:
    return Link(path=task.path, subpath=task.data[4])


def _block(task: Task) -> str | None:
    match = _BLOCK.search(task.data[3])
    return match[1] if match else None


def _link(task: Task) -> Link:
    return Link(path=task.path, subpath=f"^{block}" if (block := _block(task)) else task.data[4])


def _outlinks(task: Task) -> list[Link]:
    return [task.page.pages.linked(target, task.path) for target, _, _ in elements.links(task.data[3])]


TASK_FIELDS: Final[dict[str, Callable[[Task], Any]]] = {
    "status": lambda task: task.data[2],
    "checked": lambda task: task.is_task and task.data[2] != " ",
    "completed": lambda task: task.is_done(wholly=False),
    "fullycompleted": lambda task: task.is_done(wholly=True),
    "text": lambda task: task.data[3],
    "line": lambda task: task.line,
    "linecount": lambda task: task.data[3].count("\n") + 1,
    "path": lambda task: task.path,
    "section": _section,
    "header": _section,
    "tags": lambda task: _TAG.findall(task.data[3]),
    "outlinks": _outlinks,
    "link": _link,
    "children": lambda task: task.children,
    "subtasks": lambda task: [child for child in task.children if child.is_task],
    "task": lambda task: task.is_task,
    "annotated": lambda task: task.is_annotated,
    "parent": lambda task: None if task.parent is None else task.parent.line,
    "blockid": _block,
}
