"""Merge the responses of several upstreams. Upstreams are numbers here, in the order of their configuration."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock import __version__
from penstock.core.text import shorten
from penstock.protocol.state import META
from penstock.protocol.wire import jsonrpc

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Items = Mapping[int, Sequence[bytes]]

BETWEEN: Final = "_"  # a name and that of its upstream
LONGEST_PREFIX: Final = 20  # characters: clients take no more than 64 for all, and put a name of their own in front
INFO: Final = f"{META}serverInfo"
GATHERED: Final = "penstock-gather"  # the name of several servers as one
LONGEST_TITLE: Final = 200  # characters

_ODD = re.compile(r"[^A-Za-z0-9_-]+")  # what stands in no name of a tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """The upstream that has a tool or a prompt, and its own name for it."""

    upstream: int
    own: str


def greeting(results: Iterable[bytes]) -> bytes:
    """Merge the results of ``initialize``: one server with the capabilities of all, in the oldest of their versions."""
    read = _read(results)
    merged = _united(read)
    versions = [one["protocolVersion"] for one in read if isinstance(one.get("protocolVersion"), str)]
    if versions:
        merged["protocolVersion"] = min(versions)
    if info := _info([one.get("serverInfo") for one in read]):
        merged["serverInfo"] = info
    return jsonrpc.spelled(merged)


def discovery(results: Iterable[bytes]) -> bytes | None:
    """Merge the results of ``server/discover``; None where there is no version that all of them know."""
    read = _read(results)
    merged = _united(read)
    versions = [one.get("supportedVersions") for one in read]
    first, *others = [one if isinstance(one, list) else [] for one in versions] or [[]]
    merged["supportedVersions"] = [one for one in first if all(one in other for other in others)]
    metas = [one["_meta"] for one in read if isinstance(one.get("_meta"), dict)]
    if info := _info([meta.get(INFO) for meta in metas]):
        merged["_meta"] = {**metas[0], INFO: info}
    return jsonrpc.spelled({**merged, **_unshared(merged)}) if merged["supportedVersions"] else None


def acknowledged(every: Iterable[Any]) -> dict[str, Any]:
    """Merge acknowledgements: the notifications that at least one upstream will send."""
    together: dict[str, Any] = {}
    for one in every:
        for name, value in one.items() if isinstance(one, dict) else ():
            if isinstance(value, list) and isinstance(together.get(name), list):
                together[name] += [each for each in value if each not in together[name]]
            else:
                together[name] = value or together.get(name, value)
    return together


def pages(results: Mapping[int, Sequence[bytes]], member: str) -> tuple[dict[str, bytes], dict[int, list[bytes]]]:
    """Return the members that lists have beside their items, and the items of all pages, by upstream."""
    beside: dict[str, bytes] = {}
    items: dict[int, list[bytes]] = {}
    for upstream, every in results.items():
        items[upstream] = []
        for page in every:
            members = _members(page)
            items[upstream] += _items(members.pop(member, b"[]"))
            members.pop("nextCursor", None)
            beside = {**members, **beside}
    return {**beside, **{name: msgspec.json.encode(value) for name, value in _unshared(beside).items()}}, items


def prefixes(names: Iterable[str]) -> list[str]:
    """Make a prefix for each upstream, for names that two of them have: its own name, shortened, different for all."""
    taken: list[str] = []
    for name in names:
        taken.append(_free(_ODD.sub("-", name)[:LONGEST_PREFIX].strip("-") or "server", taken))
    return taken


def named(items: Items, before: Sequence[str]) -> tuple[list[bytes], dict[str, Route]]:
    """Give tools or prompts names that are different for all. Returns them with these names, and their routes."""
    owners: dict[str, set[int]] = {}
    for upstream, every in items.items():
        for one in every:
            owners.setdefault(jsonrpc.text_at(one, "name"), set()).add(upstream)
    taken = {name for name, those in owners.items() if len(those) == 1}
    routes: dict[str, Route] = {}
    renamed_items: list[bytes] = []
    for upstream, every in items.items():
        for one in every:
            own = jsonrpc.text_at(one, "name")
            name = own
            if len(owners[own]) > 1:
                name = _free(f"{before[upstream]}{BETWEEN}{own}", taken)
                taken.add(name)
            routes[name] = Route(upstream=upstream, own=own)
            renamed = None if name == own else jsonrpc.replaced(one, "name", jsonrpc.spelled(name))
            renamed_items.append(renamed or one)
    return renamed_items, routes


def encoded(beside: Mapping[str, bytes], member: str, items: Iterable[bytes]) -> bytes:
    """Write the result of a list: its items, and the members beside them."""
    members = {**beside, member: b"[" + b",".join(items) + b"]"}
    return msgspec.json.encode({name: msgspec.Raw(value) for name, value in members.items()})


def _free(name: str, taken: Iterable[str]) -> str:
    """Return the name, or the first one like it that is free."""
    known, number, candidate = set(taken), 1, name
    while candidate in known:
        number += 1
        candidate = f"{name}{number}"
    return candidate


def _unshared(merged: Mapping[str, Any]) -> dict[str, Any]:
    """Forbid to share or keep a merged result, if its servers allow it of theirs: each of them may change it."""
    return {"ttlMs": 0, "cacheScope": "private"} if "ttlMs" in merged else {}


def _united(read: Sequence[dict[str, Any]]) -> dict[str, Any]:
    abilities: dict[str, Any] = {}
    for one in read:
        able = one.get("capabilities")
        for name, value in able.items() if isinstance(able, dict) else ():
            known = abilities.get(name)
            abilities[name] = {**known, **value} if isinstance(known, dict) and isinstance(value, dict) else value
    merged = {**(read[0] if read else {}), "capabilities": abilities}
    words = [one["instructions"] for one in read if isinstance(one.get("instructions"), str)]
    return {**merged, "instructions": "\n\n".join(words)} if words else merged


def _info(infos: Iterable[Any]) -> dict[str, Any]:
    """Return what the servers are called together: one as it calls itself; several by what gathers them, since a
    client shows the name and may put it before those of tools."""
    named = [one for one in infos if isinstance(one, dict) and "name" in one]
    if len(named) == 1:
        return dict(named[0])
    title = ", ".join(shorten(str(one["name"])) for one in named)
    return {"name": GATHERED, "title": shorten(title, LONGEST_TITLE), "version": __version__} if named else {}


def _read(results: Iterable[bytes]) -> list[dict[str, Any]]:
    return [one for one in map(jsonrpc.value, results) if isinstance(one, dict)]


def _members(page: bytes) -> dict[str, bytes]:
    try:
        return dict(jsonrpc.members(page))
    except ValueError:
        return {}


def _items(raw: bytes) -> list[bytes]:
    try:
        return jsonrpc.items(raw)
    except ValueError:
        return []
