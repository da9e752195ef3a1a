"""Put several servers of a file behind one gateway, and take that back byte for byte.

The servers move to a file of their own beside the client's, which ``penstock run --config`` reads. That file also keeps
the text in which they stood, and what was written in its place: as long as the second is found, the first comes back
exactly, whatever else was edited in the client's file.
"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from penstock.client_config import edits, expand, files
from penstock.client_config.command_line import file_of, is_behind
from penstock.client_config.edits import Edit
from penstock.client_config.plan import Change, Group, Left, Plan, read_source
from penstock.client_config.remotes import address_key
from penstock.client_config.servers import Span
from penstock.errors import CallerError, ConfigError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from penstock.client_config.command_line import Gateway
    from penstock.client_config.files import File
    from penstock.client_config.places import ConfigPlace
    from penstock.client_config.plan import ConfigText, Decide
    from penstock.client_config.servers import ServerEntry

NAME: Final = "penstock"  # of the server that stands for all of them
MARK: Final = ".penstock-servers"  # in the name of the file that they move to
FEWEST: Final = 2  # servers: one alone gains nothing
OWN: Final = ("args", "cwd", "type", "disabled", "enabled", "name", "description")  # members that are no other server's
WAS: Final = "wrapped"  # the member that keeps the text


def join(gateway: Gateway, place: ConfigPlace, file: File, names: Collection[str], decide: Decide) -> Plan:
    """Plan to move the servers that ``decide`` would wrap to a file of their own, those of each section together."""
    try:
        return _join(gateway, place, file, names, decide)
    except CallerError as error:
        raise CallerError(f"{file.path} {error.what}", do=error.do) from None


def _join(gateway: Gateway, place: ConfigPlace, file: File, names: Collection[str], decide: Decide) -> Plan:
    source = read_source(file)
    mine = [one for one in source.servers if place.sections is None or one.section in place.sections]
    decided = [_decided(file, source, one, decide) for one in mine if not names or one.name in names]
    left = [one for one in decided if isinstance(one, Left)]
    groups: list[Group] = []
    made: list[Edit] = []
    for section in dict.fromkeys(one.section for one in mine):
        moved = [one.server for one in decided if isinstance(one, Change) and one.server.section == section]
        if len(moved) < FEWEST:
            why = "is the only one that could move; wrap it without --together"
            left += [Left(server=one, why=why) for one in moved]
            continue
        group, changes = _moved(gateway, file, source, moved, number=len(groups) + 1)
        groups.append(group)
        made += changes
    text = edits.apply(source.text, made)
    _check(source, text, [(one, read_side(one.data)) for one in groups])
    return Plan(
        place=place,
        file=file,
        names=frozenset(one.name for one in mine),
        changes=[],
        left=left,
        data=file.encoded(text),
        pristine=not any(is_behind(one.words) for one in source.servers),
        joined=tuple(groups),
    )


def _decided(file: File, source: ConfigText, server: ServerEntry, decide: Decide) -> Change | Left:
    """Decide whether a server moves: the gateway has to fill in its variables, which only the client may know."""
    decided = decide(source, server)
    if isinstance(decided, Left):
        return decided
    if expand.is_off(server.value):
        return Left(server=server, why="is switched off")
    if server.whole is None:
        return Left(server=server, why="is not written in one piece; wrap it without --together")
    try:
        expand.server_of(str(file.path), server)
    except ConfigError as error:
        why = error.what.removeprefix(f"{file.path}: {server.name} ")
        return Left(server=server, why=f"{why}; wrap it without --together")
    return decided


def _moved(
    gateway: Gateway, file: File, source: ConfigText, moved: Sequence[ServerEntry], *, number: int
) -> tuple[Group, list[Edit]]:
    section = [one for one in source.servers if one.section == moved[0].section]
    name = _free(NAME, [one.name for one in section])
    path = _side(file, number)
    words = gateway.words_for_file(str(path))
    first, last = moved[0].whole or Span(start=0, end=0), moved[-1].whole or Span(start=0, end=0)
    made = [Edit(span=first, text=source.dialect.member(moved[0], name, _members(moved, name, words)))]
    ends = {one.name: before.whole.end for before, one in pairwise(section) if before.whole}
    for one in moved[1:]:
        if one.whole is not None:
            start = ends.get(one.name, one.whole.start) if source.dialect.has_commas else one.whole.start
            made.append(Edit(span=Span(start=start, end=one.whole.end), text=""))
    within = [
        replace(one, span=Span(start=one.span.start - first.start, end=one.span.end - first.start)) for one in made
    ]
    before = source.text[first.start : last.end]
    side = {
        "mcpServers": {one.name: _usual(one) for one in moved},
        WAS: {
            "server": name,
            "given": {one.name: one.value for one in moved},
            "before": before,
            "after": edits.apply(before, within),
        },
    }
    data = (json.dumps(side, indent=2, ensure_ascii=False, default=list) + "\n").encode()
    return Group(name=name, words=words, servers=tuple(one.name for one in moved), file=path, data=data), made


def _side(file: File, number: int) -> Path:
    """Return the file beside the client's that the servers move to, one that is not there yet."""
    while True:
        count = f"-{number}" if number > 1 else ""
        path = Path(file.target).absolute().with_name(f"{file.target.stem}{MARK}{count}.json")
        if not path.exists():
            return path
        number += 1


def _free(name: str, taken: Collection[str]) -> str:
    number, wanted = 1, name
    while wanted in taken:
        number += 1
        wanted = f"{name}-{number}"
    return wanted


def _members(moved: Sequence[ServerEntry], name: str, words: Sequence[str]) -> dict[str, Any]:
    """Return the entry for all of them: with their type, and what each of them says in the same way."""
    keys = moved[0].keys
    each = [one.value for one in moved if isinstance(one.value, dict)]
    own = (*OWN, keys.command, keys.env, keys.headers, *(address_key(one, keys) for one in each))
    same = {
        key: value
        for key, value in each[0].items()
        if key not in own and all(key in one and one[key] == value for one in each)
    }
    line = {keys.command: list(words)} if keys.is_array else {keys.command: words[0], "args": list(words[1:])}
    has_type = any("type" in one for one in each)
    on = {"enabled": True} if any("enabled" in one for one in each) else {}
    return {
        **({"name": name} if keys.has_name else {}),
        **({"type": keys.local} if has_type else {}),
        **line,
        **on,
        **same,
    }


def _usual(server: ServerEntry) -> dict[str, Any]:
    """Return a server in the words that most clients use, for ``run --config``."""
    entry, keys = server.value if isinstance(server.value, dict) else {}, server.keys
    if server.words:
        members: dict[str, Any] = {"command": server.words[0], "args": list(server.words[1:])}
    else:
        members = {"url": entry[address_key(entry, keys)]}
    kept = {"env": entry.get(keys.env), "headers": entry.get(keys.headers), "cwd": entry.get("cwd")}
    written = {**members, **{key: value for key, value in kept.items() if value}}
    return _respelled(written) if keys.braces_are_variables else written


def _respelled(value: Any) -> Any:
    """Write ``{env:NAME}`` as ``${NAME:-}``, which means the same elsewhere."""
    if isinstance(value, str):
        return expand.BRACES.sub(lambda match: "${" + match[1] + ":-}", value)
    if isinstance(value, list):
        return [_respelled(one) for one in value]
    return {key: _respelled(one) for key, one in value.items()} if isinstance(value, dict) else value


def _check(source: ConfigText, text: str, groups: Sequence[tuple[Group, dict[str, Any]]]) -> None:
    """Read the new text again: if it does not say what was meant, or could not be taken back, raise."""
    moved = {name for group, _ in groups for name in group.servers}
    stays = {(one.section, one.name): (one.words, one.rest) for one in source.servers if one.name not in moved}
    try:
        reread = {(one.section, one.name): (one.words, one.rest) for one in source.dialect.read(text)}
    except CallerError:
        reread = {}
    words = {words for words, _ in reread.values()}
    back = all(text.count(side[WAS]["after"]) == 1 for _, side in groups)
    if (
        not back
        or any(reread.get(one) != meant for one, meant in stays.items())
        or any(group.words not in words for group, _ in groups)
    ):
        raise CallerError("cannot be changed without losing something in it", do="wrap its servers one by one")


def read_side(data: bytes) -> dict[str, Any]:
    """Read a file that servers have moved to; raises a ``CallerError`` for another one."""
    try:
        side = json.loads(data)
        if all(isinstance(side[WAS][key], kind) for key, kind in (("before", str), ("after", str), ("given", dict))):
            return dict(side)
    except (ValueError, KeyError, TypeError):
        pass
    raise CallerError("is not as wrap wrote it", do="put the servers back by hand")


def part(file: File, names: Collection[str] = ()) -> tuple[File, tuple[Group, ...], dict[str, str]]:
    """Take back what ``join`` did, for the groups that are named, or for all of them if nothing is. Returns the file
    with its text as it was, the groups that were in it, and for each that cannot be taken back the reason."""
    try:
        source = read_source(file)
    except CallerError as error:
        raise CallerError(f"{file.path} {error.what}", do=error.do) from None
    text = file.text
    parted: list[Group] = []
    failed: dict[str, str] = {}
    for server in reversed(source.servers):  # from the end: what stands before stays where it is
        path = file_of(server.words)
        if MARK not in Path(path).name or (names and server.name not in names):
            continue
        try:
            side_file = files.read(Path(path))
            side = read_side(side_file.data)
            text = _restored(text, server, side, source)
        except CallerError as error:
            failed[server.name] = f"cannot be taken apart: {Path(path).name} {error.what.removeprefix(path).strip()}"
            continue
        single = tuple(side[WAS]["given"])
        parted.append(Group(name=server.name, words=server.words, servers=single, file=Path(path), data=side_file.data))
    return replace(file, text=text), tuple(reversed(parted)), failed


def _restored(text: str, server: ServerEntry, side: dict[str, Any], source: ConfigText) -> str:
    was = side[WAS]
    if text.count(was["after"]) == 1:
        return text.replace(was["after"], was["before"])
    # The client has written its file anew, or a user has changed the entry: the servers come back as they were given.
    if server.whole is None or not source.dialect.has_commas:
        raise CallerError("has the servers, but the client's file was changed around them since", do="do it by hand")
    members = ", ".join(source.dialect.member(server, name, value) for name, value in was["given"].items())
    return edits.apply(text, [Edit(span=server.whole, text=members)])
