"""The paths below ``/api``: each is a function from what is asked for to what is answered, as JSON.

docs/reference/ui-api.md has their shapes. All of them run in threads: a store answers while it is waited for.
"""

from __future__ import annotations

import threading
from math import inf
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.errors import CallerError
from penstock.gate.looking.summaries import summaries
from penstock.ui.downloads import Tickets
from penstock.ui.held_api import HeldApi
from penstock.ui.overview import overview_of
from penstock.ui.rules import settings_of
from penstock.web.asgi import RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.config.origins import Origins
    from penstock.gate.looking import HeldSummary, Looking
    from penstock.ui.request import PageRequest

FRESH: Final = 30.0  # seconds that the list of all results is used again while the store has not changed
SORTED: Final[dict[str, Callable[[Any], Any]]] = {
    **{
        name: attrgetter(name)
        for name in ("tool", "arguments", "server", "owner", "form", "rows", "tokens", "size", "created", "reads")
    },
    "expires": lambda one: inf if one.expires is None else one.expires,
}


class Api:
    """Answer for one store. Threads share it."""

    def __init__(self, looking: Looking, origins: Origins) -> None:
        self._store = looking.store
        self._config = looking.config
        self._origins = origins
        self._now = looking.now
        self._lock = threading.Lock()
        self._listed: tuple[float, str, list[HeldSummary]] | None = None
        self.tickets = Tickets()
        self._held = HeldApi(looking, self.tickets)

    def close(self) -> None:
        """End the workers."""
        self._held.close()

    def pulse(self) -> str:
        """Return a word that is another one after the store has changed."""
        return self._store.pulse()

    def answer(self, request: PageRequest, body: bytes) -> Any:
        """Return what a path answers. Raises a ``RefusedError`` or a ``PenstockError``."""
        answer: Any
        match request.method, request.path.removeprefix("/api/").split("/"):
            case "GET", ["overview"]:
                answer = self._overview(request)
            case "GET", ["settings"]:
                answer = self._settings()
            case "GET", ["results"]:
                answer = self._results(request)
            case "DELETE", ["results"]:
                answer = self._removed(self._store.purge().items)
            case "DELETE", ["results", handle]:
                answer = self._removed(int(self._store.remove(handle)))
            case "GET", ["results", handle]:
                answer = self._held.details(self._summary(handle))
            case "GET", ["results", handle, part]:
                answer = self._held.part(request, handle, part)
            case "GET", ["results", handle, "rows", number]:
                answer = self._held.row(request, handle, number)
            case "POST", ["results", handle, part]:
                answer = self._held.query(handle, part, _decoded(body))
            case _:
                what = f"there is nothing at {request.method} {request.path[:100]}"
                raise RefusedError(404, what, do="see the reference of the API")
        return answer

    def _all(self) -> list[HeldSummary]:
        """Return all that is held. A list that was made a moment ago is used again, if nothing has changed since."""
        pulse, now = self._store.pulse(), self._now()
        with self._lock:
            known = self._listed
        if known is not None and known[1] == pulse and now - known[0] < FRESH:
            alive = self._now()
            return [one for one in known[2] if one.expires is None or one.expires > alive]
        listed = summaries(self._store)
        with self._lock:
            self._listed = now, pulse, listed
        return listed

    def _summary(self, handle: str) -> HeldSummary:
        summary = next((one for one in self._all() if one.handle == handle), None)
        if summary is None:
            raise RefusedError(
                404, f"there is no held result {handle[:40]!r}", do="it may have expired, been evicted, or been removed"
            )
        return summary

    def _overview(self, request: PageRequest) -> dict[str, Any]:
        store = self._store
        return overview_of(
            store.counts(),
            store.sizes(),
            self._all(),
            now=self._now(),
            place=store.place,
            days=request.number("days", 30, most=366),
        )

    def _settings(self) -> dict[str, Any]:
        store = self._store
        sizes = store.sizes()
        tools = {*store.counts(), *(key.tool for key in sizes), *(one.tool for one in self._all())}
        return settings_of(self._config, self._origins, tools, sizes)

    def _results(self, request: PageRequest) -> dict[str, Any]:
        results = self._all()
        total = len(results)
        if words := request.given.get("filter", "").lower().split():
            results = [one for one in results if _has(one, words)]
        order = request.given.get("sort", "created")
        if order not in SORTED:
            raise CallerError(f"there is no column {order[:40]!r}", do=f"sort by one of {', '.join(SORTED)}")
        results = sorted(results, key=SORTED[order], reverse=not request.truth("ascending"))
        start, count = request.window
        return {
            "total": total,
            "matching": len(results),
            "start": start,
            "now": self._now(),
            "results": results[start : start + count],
        }

    def _removed(self, number: int) -> dict[str, Any]:
        with self._lock:
            self._listed = None
        return {"removed": number}


def _has(one: HeldSummary, words: Sequence[str]) -> bool:
    """Return True if all words stand in what the table shows of a result."""
    text = "\n".join((one.tool, one.arguments, one.form, one.words, one.server, one.owner, one.handle)).lower()
    return all(word in text for word in words)


def _decoded(body: bytes) -> dict[str, Any]:
    try:
        arguments = msgspec.json.decode(body or b"{}")
    except msgspec.DecodeError:
        arguments = None
    if not isinstance(arguments, dict):
        raise CallerError("the body is no JSON object", do='send one, like {"sql": "SELECT ..."}')
    return arguments
