"""What is written down of each request to the protocol's path, for figures, log and traces: never a result's text.

It is taken from what passes by: the request's envelope on its way in, the answer's notice on its way out. So it holds
for every upstream alike, and nothing waits for it.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from msgspec import UNSET

from penstock.core.tokens.count import count
from penstock.protocol.wire import jsonrpc

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.gateway.http.messages import Headers, Receive, Scope, Send

    Asgi = Callable[[Scope, Receive, Send], Any]

READ: Final = 1_048_576  # bytes of a request beyond which its envelope is not looked for
SMALL: Final = 2_000  # bytes up to which three are taken for a token: to count them takes longer than to relay them
NOTICED: Final = 4_096  # bytes of an answer in which the notice begins, after the envelope and some _meta
LONGEST: Final = 100  # characters of a name that somebody else chose
CALL: Final = "tools/call"
RESULT: Final = b'"result"'  # whatever stands before it is the envelope

_NOTICE = re.compile(rb'"text":"\{\\"type\\":\\"buffered_response\\",(\\"cache_id\\":)?')
_TOTAL = re.compile(rb'\\"total_tokens\\":(\d+)')
_FAILED = re.compile(rb'"isError"\s*:\s*true')


@dataclass(slots=True, kw_only=True)
class Account:
    """One request. ``outcome`` is of calls: passed, held, not_kept (too large, and the store failed) or failed."""

    headers: Headers
    method: str
    tool: str = ""
    status: int = 0
    seconds: float = 0.0
    outcome: str = ""
    tokens_in: int = 0  # of the upstream's result
    tokens_out: int = 0  # of what the client got for it
    began: int = field(default_factory=time.time_ns)

    def asked(self, body: bytes) -> None:
        """Note what is asked for."""
        message = jsonrpc.decode(body) if len(body) <= READ else None
        if message is not None and message.method is not UNSET:
            self.method = message.method[:LONGEST]
            if self.method == CALL and message.params is not UNSET:
                self.tool = jsonrpc.name_in(bytes(message.params))[:LONGEST]

    def answered(self, answer: bytes) -> None:
        """Note what became of a call: ``answer`` is the message, or the event, with its result."""
        if not answer or self.status >= 400:
            self.outcome = "failed"
            return
        result = answer[answer.find(RESULT) :]
        small = len(result) <= SMALL
        self.tokens_in = self.tokens_out = len(result) // 3 if small else count(result, exact=False).tokens
        notice = _NOTICE.search(answer, 0, NOTICED)
        if notice is None:
            self.outcome = "failed" if _FAILED.search(answer) else "passed"
            return
        self.outcome = "held" if notice[1] else "not_kept"
        if total := _TOTAL.search(answer, notice.end()):
            self.tokens_in = int(total[1])


class Watched:
    """An application whose requests at ``path`` are written down, each once it has been answered."""

    def __init__(self, app: Asgi, path: str, readers: Sequence[Callable[[Account], None]]) -> None:
        self._app = app
        self._path = path
        self._readers = readers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != self._path:
            await self._app(scope, receive, send)
            return
        account = Account(headers=scope["headers"], method=scope["method"][:LONGEST])
        parts: list[bytes] = []
        size = 0
        answer = b""

        async def heard() -> dict[str, Any]:
            nonlocal size
            message = await receive()
            if message["type"] == "http.request" and size <= READ:
                part = message.get("body", b"")
                parts.append(part)
                size += len(part)
                if not message.get("more_body"):
                    account.asked(part if len(parts) == 1 else b"".join(parts))
                    parts.clear()
            return message

        async def told(message: dict[str, Any]) -> None:
            nonlocal answer
            if message["type"] == "http.response.start":
                account.status = message["status"]
            elif account.method == CALL and RESULT in (body := message.get("body", b"")):
                answer = body
            await send(message)

        start = time.perf_counter()
        try:
            await self._app(scope, heard, told)
        finally:
            account.seconds = time.perf_counter() - start
            if account.method == CALL:
                account.answered(answer)
            for read in self._readers:
                read(account)
