"""Several upstreams behind one connection: lines in, lines out, each with where it goes. No process is in here.

    client line --> to the one upstream that has the tool, the prompt or the resource; to all of them for lists,
                    greetings and notifications
    upstream line --> to the client; answers to what all were asked are put together first

Tools and prompts keep their names unless two upstreams have the same one: then each has its upstream's name before it.
Requests keep their ids on the way there; requests of upstreams get ids of ours, as two of them may have chosen one.
All together speak the legacy era of the protocol, which each of them knows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import UNSET

from penstock.protocol import jsonrpc

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.protocol.jsonrpc import Message

INVALID_PARAMS: Final = -32_602
NOT_FOUND: Final = -32_002  # of a resource
MOST_PAGES: Final = 1_000  # of one upstream's list; one that never ends is cut here
LISTS: Final = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "tasks/list": "tasks",
}
GREETING: Final = "initialize"
DISCOVERY: Final = "server/discover"
TO_ALL: Final = ("logging/setLevel",)
OWN: Final = b'"penstock-learns-'  # ids of what we ask for ourselves
# What must have been listed before it is known where such a request goes.
NEEDED: Final = {
    "tools/call": ("tools/list",),
    "prompts/get": ("prompts/list",),
    "resources/read": ("resources/list", "resources/templates/list"),
    "resources/subscribe": ("resources/list", "resources/templates/list"),
    "completion/complete": ("prompts/list", "resources/templates/list"),
}
BETWEEN: Final = "_"  # a name and that of its upstream


class To(msgspec.Struct, frozen=True, gc=False):
    """Write this line to an upstream."""

    upstream: int
    line: bytes


class Back(msgspec.Struct, frozen=True, gc=False):
    """Write this line to the client."""

    line: bytes


Sent = To | Back


@dataclass(slots=True, kw_only=True)
class Gathering:
    """A question that several upstreams were asked, and what they have answered so far."""

    key: bytes
    method: str
    params: bytes
    open: set[int]
    results: dict[int, list[bytes]] = field(default_factory=dict)
    errors: dict[int, bytes] = field(default_factory=dict)


class Router:
    """Knows which upstream has what. ``names`` are those of the upstreams, as their configuration has them; tools that
    are ``unlisted`` belong to what stands before an upstream, and not to it."""

    def __init__(self, names: Sequence[str], unlisted: Mapping[int, str] | None = None) -> None:
        self._names = list(names)
        self._unlisted = dict(unlisted or {})
        self._alive = set(range(len(self._names)))
        self._gathering: dict[bytes, Gathering] = {}
        self._open: dict[bytes, int] = {}  # requests that one upstream was asked
        self._homes: dict[str, dict[str, tuple[int, str]]] = {"tools": {}, "prompts": {}}
        self._resources: dict[str, int] = {}
        self._tasks: dict[str, int] = {}
        self._asked: dict[bytes, tuple[int, bytes]] = {}  # requests of upstreams, under our ids
        self._numbers = count(1)
        self._listed: set[str] = set()  # methods whose lists are known
        self._kept: list[tuple[bytes, Message]] = []  # requests that came before it was known where they go

    def client_sent(self, line: bytes) -> list[Sent]:
        """Where a line of the client goes."""
        message = jsonrpc.decode(line)
        if message is None:
            return []
        if message.method is UNSET:
            return self._answered_by_client(line, message)
        if message.id is UNSET:
            return self._notified(line, message)
        return self._requested(line, message)

    def upstream_sent(self, upstream: int, line: bytes) -> list[Sent]:
        """Where a line of an upstream goes."""
        message = jsonrpc.decode(line)
        if message is None:
            return [Back(line)]
        if message.method is not UNSET:
            return self._told(upstream, line, message)
        if message.id is UNSET:
            return []
        key = jsonrpc.key_of(message.id)
        gathering = self._gathering.get(key)
        if gathering is not None and upstream in gathering.open:
            return self._gathered(gathering, upstream, message)
        if self._open.pop(key, None) is not None and message.result is not UNSET:
            self._note_task(upstream, bytes(message.result))
        return [Back(line)]

    def upstream_ended(self, upstream: int, how: str) -> list[Sent]:
        """An upstream answers no more: who waits for it alone is told so, and the others go on."""
        self._alive.discard(upstream)
        sent: list[Sent] = []
        words = f"the server {self._names[upstream]!r} {how}"
        for key in [key for key, one in self._open.items() if one == upstream]:
            del self._open[key]
            sent.append(Back(jsonrpc.failure(key, jsonrpc.INTERNAL_ERROR, words)))
        for gathering in list(self._gathering.values()):
            if upstream in gathering.open:
                gathering.open.discard(upstream)
                gathering.errors[upstream] = b'{"code":-32603,"message":' + msgspec.json.encode(words) + b"}"
                sent += self._finished(gathering)
        return sent

    def _requested(self, line: bytes, message: Message) -> list[Sent]:
        key, method = jsonrpc.key_of(message.id), str(message.method)  # type: ignore[arg-type]
        if method == "ping":
            return [Back(jsonrpc.answer(key, b"{}"))]
        if method == DISCOVERY:  # asked by clients of the modern era, who then speak as the legacy one does
            words = "several servers together speak the legacy era of the protocol: send initialize"
            return [Back(jsonrpc.failure(key, jsonrpc.METHOD_NOT_FOUND, words))]
        if method in LISTS or method == GREETING or method in TO_ALL:
            return self._ask_all(key, method, line, message)
        unknown = [one for one in NEEDED.get(method, ()) if one not in self._listed]
        if unknown:
            self._kept.append((line, message))
            return [sent for one in unknown for sent in self._learn(one, message)]
        return self._route(line, message)

    def _route(self, line: bytes, message: Message) -> list[Sent]:
        key, method = jsonrpc.key_of(message.id), str(message.method)  # type: ignore[arg-type]
        params = message.params
        if method in ("tools/call", "prompts/get"):
            return self._to_home(line, key, method.split("/", maxsplit=1)[0], jsonrpc.text_at(params, "name"))
        if method == "completion/complete":
            named = jsonrpc.text_at(params, "ref", "name")
            if named in self._homes["prompts"]:
                return self._to_one(key, self._homes["prompts"][named][0], line)
        if method.startswith(("resources/", "completion/")):
            uri = jsonrpc.text_at(params, "uri") or jsonrpc.text_at(params, "ref", "uri")
            return self._to_resource(line, key, uri)
        task = jsonrpc.text_at(params, "taskId")
        if task in self._tasks:
            return self._to_one(key, self._tasks[task], line)
        words = f"none of {len(self._names)} servers is known to have {method}"
        return [Back(jsonrpc.failure(key, jsonrpc.METHOD_NOT_FOUND, words))]

    def _to_home(self, line: bytes, key: bytes, kind: str, name: str) -> list[Sent]:
        found = self._homes[kind].get(name)
        if found is None:
            return [Back(jsonrpc.failure(key, INVALID_PARAMS, f"Unknown {kind[:-1]}: {name[:100]}"))]
        upstream, own = found
        if own != name:
            params = jsonrpc.decode(line)
            raw = b"" if params is None or params.params is UNSET else bytes(params.params)
            changed = jsonrpc.replaced(raw, "name", msgspec.json.encode(own)) or raw
            line = jsonrpc.replaced(line, "params", changed) or line
        return self._to_one(key, upstream, line)

    def _to_resource(self, line: bytes, key: bytes, uri: str) -> list[Sent]:
        """To the upstream that listed it; where none did, to whichever has the longest beginning in common."""
        upstream = self._resources.get(uri)
        if upstream is None:
            near = {one: _common(known, uri) for known, one in self._resources.items() if one in self._alive}
            upstream = max(near, key=lambda one: near[one], default=None)
        if upstream is None:
            return [Back(jsonrpc.failure(key, NOT_FOUND, f"Resource not found: {uri[:200]}"))]
        return self._to_one(key, upstream, line)

    def _to_one(self, key: bytes, upstream: int, line: bytes) -> list[Sent]:
        if upstream not in self._alive:
            words = f"the server {self._names[upstream]!r} has ended"
            return [Back(jsonrpc.failure(key, jsonrpc.INTERNAL_ERROR, words))]
        self._open[key] = upstream
        return [To(upstream, line)]

    def _ask_all(self, key: bytes, method: str, line: bytes, message: Message) -> list[Sent]:
        params = b"" if message.params is UNSET else bytes(message.params)
        gathering = Gathering(key=key, method=method, params=params, open=set(self._alive))
        self._gathering[key] = gathering
        if not self._alive:
            return self._finished(gathering)
        return [To(upstream, line) for upstream in sorted(self._alive)]

    def _learn(self, method: str, message: Message) -> list[Sent]:
        """Ask all for a list, unless that is under way, in the words of the era of whoever needs it."""
        if any(one.method == method for one in self._gathering.values()):
            return []
        key = OWN + b'%d"' % next(self._numbers)
        meta = jsonrpc.member(message.params, "_meta")
        told = (
            {name: value for name, value in meta.items() if name != "progressToken"} if isinstance(meta, dict) else {}
        )
        params = msgspec.json.encode({"_meta": told} if told else {})
        line = b'{"jsonrpc":"2.0","id":%b,"method":"%b","params":%b}\n' % (key, method.encode(), params)
        return self._ask_all(key, method, line, jsonrpc.Message(params=msgspec.Raw(params)))

    def _gathered(self, gathering: Gathering, upstream: int, message: Message) -> list[Sent]:
        if message.result is UNSET:
            gathering.errors[upstream] = bytes(message.error) if message.error is not UNSET else b"{}"
        else:
            pages = gathering.results.setdefault(upstream, [])
            pages.append(bytes(message.result))
            cursor = jsonrpc.text_at(message.result, "nextCursor")
            if cursor and gathering.method in LISTS and len(pages) < MOST_PAGES:
                return [To(upstream, _next_page(gathering, cursor))]
        gathering.open.discard(upstream)
        return self._finished(gathering)

    def _finished(self, gathering: Gathering) -> list[Sent]:
        if gathering.open:
            return []
        del self._gathering[gathering.key]
        result = self._joined(gathering)
        sent: list[Sent] = []
        if gathering.key.startswith(OWN):
            pass  # nobody else has asked
        elif result is None:
            error = next(iter(gathering.errors.values()), b'{"code":-32603,"message":"no server is left"}')
            sent.append(Back(jsonrpc.answer(gathering.key, error, "error")))
        else:
            sent.append(Back(jsonrpc.answer(gathering.key, result)))
        if gathering.method in LISTS:
            self._listed.add(gathering.method)
            kept, self._kept = self._kept, []
            for line, message in kept:
                sent += self._requested(line, message)
        return sent

    def _joined(self, gathering: Gathering) -> bytes | None:
        """All answers as one; None when there is none but errors."""
        results = {upstream: pages for upstream, pages in sorted(gathering.results.items()) if pages}
        if gathering.method in TO_ALL:
            return b"{}" if results else None
        if not results:
            member = LISTS.get(gathering.method)
            return None if member is None or not gathering.errors else b'{"%b":[]}' % member.encode()
        if gathering.method == GREETING:
            return _greeting([pages[0] for pages in results.values()])
        return self._list(LISTS[gathering.method], results)

    def _list(self, member: str, results: dict[int, list[bytes]]) -> bytes:
        told: dict[str, Any] = {}
        items: dict[int, list[bytes]] = {}
        for upstream, pages in results.items():
            items[upstream] = []
            for page in pages:
                read = _MEMBERS.decode(page)
                items[upstream] += [bytes(one) for one in _ITEMS.decode(read.pop(member, b"[]"))]
                told = {**{name: value for name, value in read.items() if name != "nextCursor"}, **told}
        if "ttlMs" in told:
            told |= {"ttlMs": 0, "cacheScope": "private"}  # whichever is the shortest, and for nobody else
        if member == "tools":
            for upstream, name in self._unlisted.items():
                every = items.get(upstream, [])
                items[upstream] = [one for one in every if jsonrpc.text_at(one, "name") != name]
        if member in self._homes:
            told[member] = self._named(member, items)
        else:
            told[member] = [msgspec.Raw(one) for every in items.values() for one in every]
            for upstream, every in items.items():
                for one in every:
                    uri = jsonrpc.text_at(one, "uri") or jsonrpc.text_at(one, "uriTemplate").split("{")[0]
                    if uri:
                        self._resources.setdefault(uri, upstream)
        return msgspec.json.encode(told)

    def _named(self, member: str, items: dict[int, list[bytes]]) -> list[msgspec.Raw]:
        """Tools or prompts under the names by which the client calls them."""
        owners: dict[str, set[int]] = {}
        for upstream, every in items.items():
            for one in every:
                owners.setdefault(jsonrpc.text_at(one, "name"), set()).add(upstream)
        homes: dict[str, tuple[int, str]] = {}
        shown: list[msgspec.Raw] = []
        for upstream, every in items.items():
            for one in every:
                own = jsonrpc.text_at(one, "name")
                name = own if len(owners[own]) == 1 else f"{self._names[upstream]}{BETWEEN}{own}"
                homes[name] = (upstream, own)
                renamed = one if name == own else jsonrpc.replaced(one, "name", msgspec.json.encode(name)) or one
                shown.append(msgspec.Raw(renamed))
        self._homes[member] = homes
        return shown

    def _told(self, upstream: int, line: bytes, message: Message) -> list[Sent]:
        method = str(message.method)
        if method.startswith("notifications/") and method.endswith("/list_changed"):
            self._listed -= {one for one in LISTS if one.split("/", 1)[0] == method.split("/")[1]}
        if message.id is UNSET:
            return [Back(line)]
        ours = b'"penstock-%d"' % next(self._numbers)
        self._asked[ours] = (upstream, bytes(message.id))
        return [Back(jsonrpc.replaced(line, "id", ours) or line)]

    def _answered_by_client(self, line: bytes, message: Message) -> list[Sent]:
        found = None if message.id is UNSET else self._asked.pop(jsonrpc.key_of(message.id), None)
        if found is None:
            return []
        upstream, theirs = found
        return [To(upstream, jsonrpc.replaced(line, "id", theirs) or line)]

    def _notified(self, line: bytes, message: Message) -> list[Sent]:
        if message.method == "notifications/cancelled":
            upstream = self._open.pop(jsonrpc.key_at(message.params, "requestId"), None)
            return [] if upstream is None else [To(upstream, line)]
        return [To(upstream, line) for upstream in sorted(self._alive)]

    def _note_task(self, upstream: int, result: bytes) -> None:
        if b'"taskId"' in result:
            task = jsonrpc.text_at(result, "task", "taskId") or jsonrpc.text_at(result, "taskId")
            if task:
                self._tasks[task] = upstream


_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ITEMS = msgspec.json.Decoder(list[msgspec.Raw])


def _next_page(gathering: Gathering, cursor: str) -> bytes:
    params = jsonrpc.value(gathering.params) if gathering.params else {}
    asked = {**(params if isinstance(params, dict) else {}), "cursor": cursor}
    return b'{"jsonrpc":"2.0","id":%b,"method":"%b","params":%b}\n' % (
        gathering.key,
        gathering.method.encode(),
        msgspec.json.encode(asked),
    )


def _greeting(results: list[bytes]) -> bytes:
    """One server that can do what all can do together, in the oldest of their versions."""
    read = [one for one in (jsonrpc.value(result) for result in results) if isinstance(one, dict)]
    merged: dict[str, Any] = dict(read[0]) if read else {}
    abilities: dict[str, Any] = {}
    for one in read:
        for name, value in (one.get("capabilities") or {}).items():
            known = abilities.get(name)
            abilities[name] = {**known, **value} if isinstance(known, dict) and isinstance(value, dict) else value
    merged["capabilities"] = abilities
    versions = [one["protocolVersion"] for one in read if isinstance(one.get("protocolVersion"), str)]
    if versions:
        merged["protocolVersion"] = min(versions)
    named = [one["serverInfo"]["name"] for one in read if isinstance(one.get("serverInfo"), dict)]
    if named:
        merged["serverInfo"] = {"name": "+".join(map(str, named)), "version": "0"}
    words = [one["instructions"] for one in read if isinstance(one.get("instructions"), str)]
    if words:
        merged["instructions"] = "\n\n".join(words)
    return msgspec.json.encode(merged)


def _common(one: str, other: str) -> int:
    length = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        length += 1
    return length
