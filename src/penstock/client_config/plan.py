"""Decide for each server of a file whether it changes, and make the file's new text. Nothing here writes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.client_config import edits, remotes
from penstock.client_config.command_line import child_of, is_behind, url_of
from penstock.client_config.files import read_backup
from penstock.client_config.jsonc import JSONC
from penstock.client_config.toml import TOML
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

    from penstock.client_config.command_line import Gateway, Words
    from penstock.client_config.edits import Edit
    from penstock.client_config.files import File
    from penstock.client_config.places import ConfigPlace
    from penstock.client_config.servers import Dialect, Section, ServerEntry

    Decide = Callable[["ConfigText", ServerEntry], "Change | Left"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigText:
    """A text with its servers."""

    text: str
    dialect: Dialect
    servers: list[ServerEntry]
    had_args: frozenset[tuple[Section, str]]  # the servers of the backup that have args, be it empty ones


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A server that gets another command line, or one instead of a URL, or the other way round."""

    server: ServerEntry
    words: Words
    edits: list[Edit]
    rest: object  # what it says beside its command line
    remote: str = ""  # the URL and its headers, as they may be shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Servers that are behind one gateway together, or were. ``data`` is what their file says, or will say."""

    name: str
    words: Words
    servers: tuple[str, ...]
    file: Path
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """A server that stays as it is, and why."""

    server: ServerEntry
    why: str
    words: tuple[str, ...] = ()  # what it wrote on stderr


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The changes of one file. ``data`` are its new bytes."""

    place: ConfigPlace
    file: File
    names: frozenset[str]  # of all servers that could have been meant
    changes: list[Change]
    left: list[Left]
    data: bytes
    pristine: bool  # no server of the file is behind the gateway yet
    joined: tuple[Group, ...] = ()
    parted: tuple[Group, ...] = ()
    notes: Mapping[tuple[str, ...], str] = field(default_factory=dict)  # by section and name: what its start showed

    @property
    def is_due(self) -> bool:
        """Return True if there is anything to write."""
        return bool(self.changes or self.joined or self.parted)


def plan(place: ConfigPlace, file: File, names: Collection[str], decide: Decide) -> Plan:
    """Decide for each server that is named, or for all of them if none is."""
    try:
        return _plan(place, file, read_source(file), names, decide)
    except CallerError as error:
        raise CallerError(f"{file.path} {error.what}", do=error.do) from None


def dialect_of(file: File) -> Dialect:
    """Return the format of a file, by its name."""
    match file.target.suffix.lower():
        case ".toml":
            return TOML
        case ".yaml" | ".yml":
            try:
                from penstock.client_config.yaml import YAML  # noqa: PLC0415  (its parser takes long to import)
            except ModuleNotFoundError:
                what = "cannot be read because PyYAML is not installed"
                raise CallerError(what, do="pip install PyYAML") from None
            return YAML
    return JSONC


def _plan(place: ConfigPlace, file: File, source: ConfigText, names: Collection[str], decide: Decide) -> Plan:
    mine = [one for one in source.servers if place.sections is None or one.section in place.sections]
    decided = [decide(source, one) for one in mine if not names or one.name in names]
    changes = [one for one in decided if isinstance(one, Change)]
    return Plan(
        place=place,
        file=file,
        names=frozenset(one.name for one in mine),
        changes=changes,
        left=[one for one in decided if isinstance(one, Left)],
        data=file.encoded(changed(source, changes)),
        pristine=not any(is_behind(one.words) for one in source.servers),
    )


def read_source(file: File) -> ConfigText:
    """Read the servers of a file."""
    dialect = dialect_of(file)
    servers = dialect.read(file.text)
    backup = read_backup(file)
    try:
        before = dialect.read(backup.text) if backup else []
    except CallerError:  # of another program, or damaged: it says nothing
        before = []
    with_args = [one for one in before if "args" in one.entries and not is_behind(one.words)]
    had_args = frozenset((one.section, one.name) for one in with_args)
    return ConfigText(text=file.text, dialect=dialect, servers=servers, had_args=had_args)


def changed(source: ConfigText, changes: list[Change]) -> str:
    """Make all changes, and read the new text again: if it does not say what was meant, raise."""
    text = edits.apply(source.text, [edit for change in changes for edit in change.edits])
    news = {(one.server.section, one.server.name): (one.words, one.rest) for one in changes}
    meant = [
        (one.section, one.name, *news.get((one.section, one.name), (one.words, one.rest))) for one in source.servers
    ]
    try:
        reread = [(one.section, one.name, one.words, one.rest) for one in source.dialect.read(text)]
    except CallerError:
        reread = []
    if reread != meant:
        raise CallerError("cannot be changed without losing something in it", do="change it by hand")
    return text


def wrap(gateway: Gateway, source: ConfigText, server: ServerEntry, *, named: Collection[str] = ()) -> Change | Left:
    """Put the gateway in front of a server. ``named`` are the servers that the user named."""
    if isinstance(server.value, dict) and remotes.is_remote(server.value, server.keys):
        return _wrap_url(gateway, source, server, server.value, is_named=server.name in named)
    if why := _unfit(server):
        return Left(server=server, why=why)
    if is_behind(server.words):
        return Left(server=server, why="is already behind penstock")
    made = edits.put_in(source.text, server, gateway.words, source.dialect)
    return Change(server=server, words=(*gateway.words, *server.words), edits=made, rest=server.rest)


def _wrap_url(
    gateway: Gateway, source: ConfigText, server: ServerEntry, members: dict[str, Any], *, is_named: bool
) -> Change | Left:
    if why := remotes.unfit(server, members, is_named=is_named):
        anyway = f". To wrap it anyway: penstock wrap {server.name}" if why == remotes.LOGIN else ""
        return Left(server=server, why=f"is reached by URL and {why}{anyway}")
    url, front = (
        members[remotes.address_key(members, server.keys)],
        gateway.words_for_url(remotes.was(members, server.keys)),
    )
    return Change(
        server=server,
        words=(*front, url),
        edits=remotes.put_in(source.text, server, front, source.dialect),
        rest=remotes.wrapped(members, server.keys),
        remote=remotes.display(url, list(members.get(server.keys.headers, ()))),
    )


def _unfit(server: ServerEntry) -> str:
    if not isinstance(server.value, dict):
        return "is not an object"
    if server.keys.command not in server.value:
        return "has no command"
    return "" if server.words else "has a command or args that are not text"


def unwrap(source: ConfigText, server: ServerEntry) -> Change | Left:
    """Take the gateway away from a server."""
    if not is_behind(server.words):
        return Left(server=server, why="is not behind penstock")
    child, url = child_of(server.words), url_of(server.words)
    odd = Left(server=server, why="has penstock in it in a way that wrap does not write; change it by hand")
    if url:
        made = remotes.take_out(source.text, server, source.dialect)
        return _unwrap_url(server, url, made) if made else odd
    if not child or not (server.keys.is_array or "args" in server.entries):
        return odd
    count = len(server.words) - len(child)  # of the gateway's words
    keep_args = (server.section, server.name) in source.had_args
    made = edits.take_out(source.text, server, count, source.dialect, keep_args=keep_args)
    return Change(server=server, words=child, edits=made, rest=server.rest)


def _unwrap_url(server: ServerEntry, url: str, made: list[Edit]) -> Change:
    return Change(
        server=server,
        words=(),
        edits=made,
        rest=remotes.unwrapped(server, url),
        remote=remotes.display(url, remotes.headers_of(server)),
    )
