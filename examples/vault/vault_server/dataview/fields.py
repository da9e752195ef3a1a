"""What a query can name: fields of front matter, and those of the file itself."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from vault_server.dataview.values import as_date

if TYPE_CHECKING:
    from vault_server.catalog import File
    from vault_server.dataview.query import Expression


def field(name: str) -> Expression:
    """A field of front matter, by its own name or as Dataview spells it."""
    plain = _plain(name)

    def look_up(file: File) -> Any:
        front = file.data["frontmatter"]
        if name in front:
            return front[name]
        return next((value for key, value in front.items() if _plain(key) == plain), None) if front else None

    return look_up


@lru_cache(maxsize=4_096)  # the same few names in every note
def _plain(name: str) -> str:
    return name.lower().replace(" ", "-")


def _time(which: str, *, whole_day: bool = False) -> Expression:
    def look_up(file: File) -> datetime:
        moment = datetime.fromtimestamp(file.data["stat"][which] / 1_000, tz=UTC)
        return moment.replace(hour=0, minute=0, second=0, microsecond=0) if whole_day else moment

    return look_up


def _name(file: File) -> str:
    return file.path.rpartition("/")[2].rpartition(".")[0]


FILE_FIELDS: Final[dict[str, Expression]] = {
    "name": _name,
    "path": lambda file: file.path,
    "folder": lambda file: file.folder,
    "ext": lambda file: file.path.rpartition(".")[2],
    "link": lambda file: file.path,
    "size": lambda file: file.size,
    "ctime": _time("ctime"),
    "mtime": _time("mtime"),
    "cday": _time("ctime", whole_day=True),
    "mday": _time("mtime", whole_day=True),
    "day": lambda file: as_date(_name(file)[:10]),
    "tags": lambda file: [f"#{tag}" for tag in file.tags],
    "etags": lambda file: [f"#{tag}" for tag in file.tags],
    "frontmatter": lambda file: file.data["frontmatter"],
}
