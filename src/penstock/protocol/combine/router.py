"""Route lines between one client and several upstreams: lines in, lines with their addresses out. No I/O.

    client line --> to the one upstream that has the tool, the prompt or the resource (``routes``); to all of them for
                    lists, greetings, subscriptions and notifications
    upstream line --> to the client; responses to what all got are merged first (``fan_out``, ``merge``)

Tools and prompts keep their names unless two upstreams have the same one: then each has its upstream's name before it.
Requests keep their ids on the way there; requests of upstreams get ids of ours, as two of them may have chosen one.
The modern era is spoken if all upstreams know it; else a client is told so, and greets them in the legacy era, for
which those that have answered in the modern one are started anew.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import UNSET

from penstock.protocol.combine import merge
from penstock.protocol.combine.fan_out import ACKNOWLEDGED, FanOut
from penstock.protocol.combine.routes import Routes
from penstock.protocol.commands import Note
from penstock.protocol.state import LONGEST_LOGGED, META, SUBSCRIPTION
from penstock.protocol.wire import jsonrpc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.protocol.wire.jsonrpc import Message
    from penstock.protocol.wire.lines import TooLong

UNSUPPORTED_VERSION: Final = -32_022  # of the protocol
LEGACY: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
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
LISTENING: Final = "subscriptions/listen"
CANCELLED: Final = "notifications/cancelled"
TO_ALL: Final = ("logging/setLevel", GREETING, DISCOVERY, LISTENING, *LISTS)
OWN: Final = b'"penstock-learns-'  # ids of requests that the router makes itself
# What must have been listed before it is known where such a request goes.
NEEDED: Final = {
    "tools/call": ("tools/list",),
    "prompts/get": ("prompts/list",),
    "resources/read": ("resources/list", "resources/templates/list"),
    "resources/subscribe": ("resources/list", "resources/templates/list"),
    "completion/complete": ("prompts/list", "resources/templates/list"),
}


class To(msgspec.Struct, frozen=True, gc=False):
    """Write this line to an upstream."""

    upstream: int
    line: bytes


class Back(msgspec.Struct, frozen=True, gc=False):
    """Write this line to the client."""

    line: bytes


class Restart(msgspec.Struct, frozen=True, gc=False):
    """Start an upstream anew: it has heard the modern era, and would refuse the legacy one."""

    upstream: int


Sent = To | Back | Restart | Note


class Router:
    """Remembers which upstream has which request, and speaks one era with all. ``names`` are those of the upstreams in
    their configuration."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        self._routes = Routes(names)
        self._alive = set(range(len(self._names)))
        self._fan_outs: dict[bytes, FanOut] = {}
        self._open: dict[bytes, int] = {}  # requests at one upstream
        self._upstream_requests: dict[bytes, tuple[int, bytes]] = {}  # requests of upstreams, under our ids
        self._numbers = count(1)
        self._is_modern: bool | None = None  # unknown until the first request
        self._bound: set[int] = set()  # upstreams that were asked in the modern era, and took it for theirs
        self._listed: set[str] = set()  # methods whose lists are known
        self._kept: list[tuple[bytes, Message]] = []  # requests that wait for a list, which says where they go

    @property
    def is_asked(self) -> bool:
        """Return True if a request is open. A subscription does not count: it stays open for as long as the client
        listens."""
        return bool(self._open or self._kept) or any(one.method != LISTENING for one in self._fan_outs.values())

    # From the client

    def client_sent(self, line: bytes) -> list[Sent]:
        """Return where a line of the client goes."""
        message = jsonrpc.decode(line)
        if message is None:
            return [sent for one in jsonrpc.batch(line) or () for sent in self.client_sent(one)]
        if message.method is UNSET:
            return self._answered_by_client(line, message)
        if message.id is UNSET:
            return self._notified(line, message)
        return self._requested(line, message)

    def _requested(self, line: bytes, message: Message) -> list[Sent]:
        key, method = jsonrpc.key_of(message.id), str(message.method)  # type: ignore[arg-type]
        if method == "ping":
            return [Back(jsonrpc.answer(key, b"{}"))]
        if method != DISCOVERY and jsonrpc.MODERN in line and not self._is_modern:
            if self._is_modern is not None:
                return [self._unsupported(key, message)]
            self._kept.append((line, message))
            return self._learn(DISCOVERY, message)
        if method in TO_ALL:
            return [*self._freed(method), *self._ask_all(key, method, line, message)]
        unknown = [one for one in NEEDED.get(method, ()) if one not in self._listed]
        if unknown:
            self._kept.append((line, message))
            return [sent for one in unknown for sent in self._learn(one, message)]
        return self._route(line, message)

    def _freed(self, method: str) -> list[Sent]:
        """Restart upstreams before the legacy ``initialize``, if they have heard the modern era and would refuse it."""
        bound = sorted(self._bound & self._alive) if method == GREETING and self._is_modern is False else []
        self._bound.difference_update(bound)
        return [Restart(upstream) for upstream in bound]

    def _unsupported(self, key: bytes, message: Message) -> Back:
        """Refuse a version. Clients that hear this greet again, in an era that all upstreams know."""
        words = "not all of these servers speak this version of the protocol: send initialize"
        wanted = jsonrpc.text_at(message.params, "_meta", f"{META}protocolVersion")
        data = {"supported": LEGACY, "requested": wanted}
        error = jsonrpc.spelled({"code": UNSUPPORTED_VERSION, "message": words, "data": data})
        return Back(jsonrpc.answer(key, error, "error"))

    def _route(self, line: bytes, message: Message) -> list[Sent]:
        key, method = jsonrpc.key_of(message.id), str(message.method)  # type: ignore[arg-type]
        params = message.params
        if method in ("tools/call", "prompts/get"):
            return self._to_route(line, key, method.split("/", maxsplit=1)[0], jsonrpc.text_at(params, "name"))
        if method == "completion/complete":
            route = self._routes.named("prompts", jsonrpc.text_at(params, "ref", "name"))
            if route is not None:
                return self._to_one(
                    key, route.upstream, jsonrpc.put(line, jsonrpc.spelled(route.own), "params", "ref", "name")
                )
        if method.startswith(("resources/", "completion/")):
            uri = jsonrpc.text_at(params, "uri") or jsonrpc.text_at(params, "ref", "uri")
            upstream = self._routes.resource(uri, self._alive)
            if upstream is None:
                return [Back(jsonrpc.failure(key, jsonrpc.RESOURCE_NOT_FOUND, f"Resource not found: {uri[:200]}"))]
            return self._to_one(key, upstream, line)
        upstream = self._routes.task(jsonrpc.text_at(params, "taskId"))
        if upstream is not None:
            return self._to_one(key, upstream, line)
        words = f"none of {len(self._names)} servers is known to have {method}"
        return [Back(jsonrpc.failure(key, jsonrpc.METHOD_NOT_FOUND, words))]

    def _to_route(self, line: bytes, key: bytes, kind: str, name: str) -> list[Sent]:
        route = self._routes.named(kind, name)
        if route is None and len(self._names) == 1:  # which judges its own names, also those that it does not list
            return self._to_one(key, 0, line)
        if route is None:
            return [Back(jsonrpc.failure(key, jsonrpc.INVALID_PARAMS, f"Unknown {kind[:-1]}: {name[:100]}"))]
        if route.own != name:
            line = jsonrpc.put(line, jsonrpc.spelled(route.own), "params", "name")
        return self._to_one(key, route.upstream, line)

    def _to_one(self, key: bytes, upstream: int, line: bytes) -> list[Sent]:
        if upstream not in self._alive:
            words = f"the server {self._names[upstream]!r} has ended"
            return [Back(jsonrpc.failure(key, jsonrpc.INTERNAL_ERROR, words))]
        self._open[key] = upstream
        return [To(upstream, line)]

    def _ask_all(self, key: bytes, method: str, line: bytes, message: Message) -> list[Sent]:
        params = b"" if message.params is UNSET else bytes(message.params)
        fan_out = FanOut(key=key, method=method, params=params, open=set(self._alive))
        self._fan_outs[key] = fan_out
        if not self._alive:
            return self._finished(fan_out)
        return [To(upstream, line) for upstream in sorted(self._alive)]

    def _learn(self, method: str, message: Message) -> list[Sent]:
        """Request a list of all upstreams, in the era of the request that needs it, unless one is under way."""
        if any(one.method == method for one in self._fan_outs.values()):
            return []
        key = OWN + b'%d"' % next(self._numbers)
        meta = jsonrpc.member(message.params, "_meta")
        kept = {name: one for name, one in meta.items() if name != "progressToken"} if isinstance(meta, dict) else {}
        params = jsonrpc.spelled({"_meta": kept} if kept else {})
        return self._ask_all(
            key, method, jsonrpc.request(key, method, params), jsonrpc.Message(params=msgspec.Raw(params))
        )

    def _answered_by_client(self, line: bytes, message: Message) -> list[Sent]:
        origin = None if message.id is UNSET else self._upstream_requests.pop(jsonrpc.key_of(message.id), None)
        if origin is None:
            return []
        upstream, theirs = origin
        return [To(upstream, jsonrpc.replaced(line, "id", theirs) or line)]

    def _notified(self, line: bytes, message: Message) -> list[Sent]:
        if message.method != CANCELLED:
            return [To(upstream, line) for upstream in sorted(self._alive)]
        key = jsonrpc.key_at(message.params, "requestId")
        self._kept = [one for one in self._kept if jsonrpc.key_of(one[1].id) != key]  # type: ignore[arg-type]
        if (fan_out := self._fan_outs.pop(key, None)) is not None:
            return [To(upstream, line) for upstream in sorted(fan_out.open)]
        upstream = self._open.pop(key, None)
        return [] if upstream is None else [To(upstream, line)]

    # From an upstream

    def upstream_sent(self, upstream: int, line: bytes) -> list[Sent]:
        """Return where a line of an upstream goes."""
        message = jsonrpc.decode(line)
        if message is None:
            return self._unread(upstream, line)
        if message.method is not UNSET:
            return self._forward(upstream, line, message)
        return [] if message.id is UNSET else self._answered(upstream, line, message, jsonrpc.key_of(message.id))

    def _unread(self, upstream: int, line: bytes) -> list[Sent]:
        several = jsonrpc.batch(line)
        if several is None:  # the gateway in front of this knows noise when it reads it
            return [Back(line)] if line.strip() else []
        return [sent for one in several for sent in self.upstream_sent(upstream, one)]

    def _answered(self, upstream: int, line: bytes, message: Message, key: bytes) -> list[Sent]:
        fan_out = self._fan_outs.get(key)
        if fan_out is not None and upstream in fan_out.open:
            return self._gathered(fan_out, upstream, message)
        if self._open.get(key) != upstream:
            return [
                self._note(upstream, f"answered request {_key_text(key)}, which it was not asked; that was dropped")
            ]
        del self._open[key]
        if message.result is not UNSET:
            self._routes.note_task(upstream, bytes(message.result))
        return [Back(line)]

    def answers(self, upstream: int, head: bytes, tail: bytes) -> bool:
        """Claim a response of which only the beginning and the end are known. True if it answers a request that went to
        this upstream alone: then it goes to the client as it came. Any other line is for ``upstream_sent``."""
        key = jsonrpc.id_in(head, tail) or b""
        return self._open.get(key) == upstream and self._open.pop(key) == upstream

    def upstream_overflowed(self, upstream: int, line: TooLong) -> list[Sent]:
        """Fail the request that is answered by a line above the limit, which was not kept."""
        key = jsonrpc.id_in(line.head, line.tail) or b""
        words = line.failure or f"sent {line.size:,} bytes in one message; narrow the call"
        fan_out = self._fan_outs.get(key)
        if fan_out is not None and upstream in fan_out.open:
            return self._failed(fan_out, upstream, words)
        if self._open.get(key) != upstream:
            return [self._note(upstream, f"{words}; it was dropped")]
        del self._open[key]
        return [Back(self._failure(key, upstream, words))]

    def upstream_ended(self, upstream: int, how: str) -> list[Sent]:
        """Handle the end of an upstream: requests for it alone fail, and the others continue."""
        self._alive.discard(upstream)
        self._upstream_requests = {key: one for key, one in self._upstream_requests.items() if one[0] != upstream}
        sent: list[Sent] = []
        for key in [key for key, one in self._open.items() if one == upstream]:
            del self._open[key]
            sent.append(Back(self._failure(key, upstream, how)))
        for fan_out in list(self._fan_outs.values()):
            if upstream in fan_out.open:
                sent += self._failed(fan_out, upstream, how)
        return sent

    def _forward(self, upstream: int, line: bytes, message: Message) -> list[Sent]:
        method = str(message.method)
        if message.id is not UNSET:
            ours = b'"penstock-%d"' % next(self._numbers)
            self._upstream_requests[ours] = (upstream, bytes(message.id))
            return [Back(jsonrpc.replaced(line, "id", ours) or line)]
        if method == ACKNOWLEDGED:
            return self._acknowledged(upstream, line, message)
        if method == CANCELLED:
            return self._taken_back(upstream, line, message)
        if method.startswith("notifications/") and method.endswith("/list_changed"):
            self._listed -= {one for one in LISTS if one.split("/", 1)[0] == method.split("/")[1]}
        return [Back(line)]

    def _acknowledged(self, upstream: int, line: bytes, message: Message) -> list[Sent]:
        """Merge the acknowledgements of a subscription that went to all upstreams."""
        fan_out = self._fan_outs.get(jsonrpc.key_at(message.params, "_meta", SUBSCRIPTION))
        if fan_out is None or fan_out.acknowledged is None:
            return [] if fan_out else [Back(line)]
        fan_out.acknowledged[upstream] = jsonrpc.member(message.params, "notifications")
        return [Back(message_line) for message_line in fan_out.acknowledgement()]

    def _taken_back(self, upstream: int, line: bytes, message: Message) -> list[Sent]:
        """Cancel an upstream's request at the client, which knows it under our id."""
        theirs = jsonrpc.key_at(message.params, "requestId")
        for ours, (whose, key) in self._upstream_requests.items():
            if whose == upstream and jsonrpc.key_of(key) == theirs:
                del self._upstream_requests[ours]
                return [Back(jsonrpc.put(line, ours, "params", "requestId"))]
        return [Back(line)] if theirs in self._fan_outs or self._open.get(theirs) == upstream else []

    def _gathered(self, fan_out: FanOut, upstream: int, message: Message) -> list[Sent]:
        if message.result is UNSET:
            fan_out.errors[upstream] = bytes(message.error) if message.error is not UNSET else b"{}"
        else:
            pages = fan_out.results.setdefault(upstream, [])
            pages.append(bytes(message.result))
            cursor = jsonrpc.text_at(message.result, "nextCursor")
            if cursor and fan_out.method in LISTS and len(pages) < MOST_PAGES:
                return [To(upstream, fan_out.next_page(cursor))]
        fan_out.open.discard(upstream)
        return self._finished(fan_out)

    def _failed(self, fan_out: FanOut, upstream: int, words: str) -> list[Sent]:
        error = {"code": jsonrpc.INTERNAL_ERROR, "message": f"the server {self._names[upstream]!r} {words}"}
        fan_out.errors[upstream] = jsonrpc.spelled(error)
        fan_out.open.discard(upstream)
        return self._finished(fan_out)

    def _finished(self, fan_out: FanOut) -> list[Sent]:
        if fan_out.open:
            return [Back(line) for line in fan_out.acknowledgement()]
        del self._fan_outs[fan_out.key]
        sent = self._missed(fan_out)
        result = self._joined(fan_out)
        if fan_out.method == DISCOVERY:
            self._is_modern = result is not None and not fan_out.errors
            self._bound = set(fan_out.results)
        if fan_out.key.startswith(OWN):
            pass  # no other request has asked
        elif fan_out.method == DISCOVERY and not self._is_modern:
            sent.append(self._unsupported(fan_out.key, jsonrpc.Message(params=msgspec.Raw(fan_out.params or b"{}"))))
        elif result is None:
            error = next(iter(fan_out.errors.values()), b'{"code":-32603,"message":"no server is left"}')
            sent.append(Back(jsonrpc.answer(fan_out.key, error, "error")))
        else:
            sent.append(Back(jsonrpc.answer(fan_out.key, result)))
        if fan_out.method in LISTS or fan_out.method == DISCOVERY:
            self._listed.add(fan_out.method)
            kept, self._kept = self._kept, []
            for line, message in kept:
                sent += self._requested(line, message)
        return sent

    def _missed(self, fan_out: FanOut) -> list[Sent]:
        """Log which upstreams failed where others answered: the merged response does not show it."""
        if not fan_out.results or fan_out.method == DISCOVERY:
            return []
        return [
            self._note(at, f"is missing from {fan_out.method}: {jsonrpc.text_at(error, 'message')[:200]}")
            for at, error in fan_out.errors.items()
            if jsonrpc.member(error, "code") != jsonrpc.METHOD_NOT_FOUND  # it has no prompts, for example
        ]

    def _joined(self, fan_out: FanOut) -> bytes | None:
        """Merge the results; None when all upstreams failed."""
        results = {upstream: pages for upstream, pages in sorted(fan_out.results.items()) if pages}
        firsts = [pages[0] for pages in results.values()]
        member = LISTS.get(fan_out.method)
        match fan_out.method:
            case _ if member is not None:
                return self._routes.listed(member, results) if results or fan_out.errors else None
            case _ if not results:
                return None
            case "initialize":
                return merge.greeting(firsts)
            case "server/discover":
                return merge.discovery(firsts)
        return firsts[0]

    def _failure(self, key: bytes, upstream: int, words: str) -> bytes:
        return jsonrpc.failure(key, jsonrpc.INTERNAL_ERROR, f"the server {self._names[upstream]!r} {words}")

    def _note(self, upstream: int, words: str) -> Note:
        return Note("warning", f"the server {self._names[upstream]!r} {words}")


def _key_text(key: bytes) -> str:
    return key[:LONGEST_LOGGED].decode("utf-8", "replace")
