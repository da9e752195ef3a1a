"""Find the upstream that has a tool or prompt (by name), a resource (by URI) or a task (by id)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.protocol.combine import merge
from penstock.protocol.tool_list import SERVERS
from penstock.protocol.wire import jsonrpc

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from penstock.protocol.combine.merge import Route

MOST_TASKS: Final = 10_000  # whose upstream is remembered; the oldest are let go


class Routes:
    """The routing table, learned from the upstreams' lists. ``names`` are those of the upstreams."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._before = merge.prefixes(names)
        self._named: dict[str, dict[str, Route]] = {"tools": {}, "prompts": {}}
        self._resources: dict[str, int] = {}
        self._tasks: dict[str, int] = {}

    def named(self, kind: str, name: str) -> Route | None:
        """Return the route of a tool or a prompt, by the name that the client knows."""
        return self._named[kind].get(name)

    def resource(self, uri: str, alive: Collection[int]) -> int | None:
        """Return the upstream that listed a resource; if none did, the one that listed the most similar beginning."""
        if uri in self._resources:
            return self._resources[uri]
        near = [(_common(known, uri), one) for known, one in self._resources.items() if one in alive]
        length, nearest = max(near, key=lambda one: one[0], default=(0, 0))
        return nearest if length else None

    def task(self, task: str) -> int | None:
        """Return the upstream that has begun a task."""
        return self._tasks.get(task)

    def listed(self, member: str, results: Mapping[int, Sequence[bytes]]) -> bytes:
        """Merge the lists of all upstreams, and learn from them which has what."""
        beside, items = merge.pages(results, member)
        if member in self._named:
            named, self._named[member] = merge.named(items, self._before)
            if member == "tools":  # the gateway in front tells by it where a held result comes from, and may go
                homes = {name: self._names[home.upstream] for name, home in self._named[member].items()}
                beside[SERVERS] = jsonrpc.spelled(homes)
            return merge.encoded(beside, member, named)
        for upstream, every in items.items():
            for one in every:
                uri = jsonrpc.text_at(one, "uri") or jsonrpc.text_at(one, "uriTemplate").split("{")[0]
                if uri:
                    self._resources.setdefault(uri, upstream)
                self.note_task(upstream, one)
        return merge.encoded(beside, member, [one for every in items.values() for one in every])

    def note_task(self, upstream: int, result: bytes) -> None:
        """Remember which upstream has the task that a result names, if it names one."""
        if b'"taskId"' in result:
            task = jsonrpc.text_at(result, "task", "taskId") or jsonrpc.text_at(result, "taskId")
            if task:
                self._tasks[task] = upstream
                if len(self._tasks) > MOST_TASKS:
                    del self._tasks[next(iter(self._tasks))]


def _common(one: str, other: str) -> int:
    """Count the characters that two texts have in common at their beginning."""
    differing = (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(differing, min(len(one), len(other)))
