"""The record of each request at the protocol's path, for figures, log and traces: never a result's text.

``Watched`` makes it and takes the time; the upstream's end fills in what the exchange and the gate decided. No byte
that a client or a server sends is read for it, so nothing in a result can pass for a decision of the gate.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from penstock.protocol.commands import Act, Fetch, Resolve, ToUpstream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from penstock.gate.outcome import Outcome
    from penstock.protocol.commands import Command
    from penstock.web.asgi import Headers, Receive, Scope, Send

    Asgi = Callable[[Scope, Receive, Send], Any]

KEY: Final = "penstock.record"  # in the ASGI scope
LONGEST: Final = 100  # characters of a name that a client chose
CALL: Final = "tools/call"


@dataclass(slots=True, kw_only=True)
class RequestRecord:
    """One request. ``outcome`` is of calls: passed, held, not_kept (too large, and the store failed) or failed."""

    headers: Headers
    method: str  # of the protocol; until that is known, of HTTP
    tool: str = ""
    status: int = 0
    seconds: float = 0.0
    outcome: str = ""
    tokens_in: int = 0  # of the upstream's result
    tokens_out: int = 0  # of what the client got for it
    began: int = field(default_factory=time.time_ns)

    @classmethod
    def of(cls, scope: Scope) -> RequestRecord:
        """Return the record of the request with this scope."""
        if KEY not in scope:
            scope[KEY] = cls(headers=scope["headers"], method=scope["method"][:LONGEST])
        record: RequestRecord = scope[KEY]
        return record

    def requested(self, method: str, tool: str = "") -> None:
        """Note the message's method, and the tool that it calls."""
        self.method = method[:LONGEST]
        self.tool = tool[:LONGEST] if method == CALL else ""

    def noted(self, commands: Iterable[Command]) -> None:
        """Note what a single message asks for, by the commands that the exchange made of it."""
        for command in commands:
            match command:
                case Fetch(request=request) | Act(request=request) | Resolve(request=request):
                    self.requested(request.method, request.name)
                case ToUpstream(method=method, requests=requests) if method:
                    self.requested(method, requests[0].name if requests else "")

    def decided(self, outcome: Outcome) -> None:
        """Note what became of a call."""
        if self.method == CALL:
            self.outcome, self.tokens_in, self.tokens_out = outcome.kind, outcome.tokens_in, outcome.tokens_out

    def finish(self, seconds: float) -> None:
        """Close the record: a call that was refused, or got no result, has failed."""
        self.seconds = seconds
        if self.method == CALL and (not self.outcome or self.status >= 400):
            self.outcome, self.tokens_in, self.tokens_out = "failed", 0, 0


class RecordedApp:
    """An application whose requests at ``path`` are recorded; ``readers`` get each record once its reply is sent."""

    def __init__(self, app: Asgi, path: str, readers: Sequence[Callable[[RequestRecord], None]]) -> None:
        self._app = app
        self._path = path
        self._readers = readers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != self._path:
            await self._app(scope, receive, send)
            return
        account = RequestRecord.of(scope)

        async def sent(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                account.status = message["status"]
            await send(message)

        start = time.perf_counter()
        try:
            await self._app(scope, receive, sent)
        finally:
            account.finish(time.perf_counter() - start)
            for read in self._readers:
                read(account)
