"""Requests that Penstock itself sends to the upstream, each for a request of the client that waits meanwhile."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any, Final, Protocol

from penstock.protocol.commands import Command, OpenRequest, ToClient, ToUpstream
from penstock.protocol.wire import jsonrpc

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.protocol.state import ConnectionState

OWN: Final = b'"penstock-own-%d"'  # ids of requests of our own
PROGRESS: Final = "notifications/progress"


class OwnCall(Protocol):
    """A call that the gate has to make, and how far it has come: ``done`` of at most ``most`` such calls."""

    @property
    def tool(self) -> str: ...

    @property
    def arguments(self) -> Mapping[str, Any]: ...

    @property
    def seconds(self) -> float | None: ...

    @property
    def done(self) -> int: ...

    @property
    def most(self) -> int: ...

    @property
    def message(self) -> str: ...


class OwnRequests:
    """Numbers these requests, and sends them as the connection's state allows."""

    def __init__(self, state: ConnectionState) -> None:
        self._state = state
        self._numbers = count(1)

    def call(self, parent: OpenRequest, call: OwnCall, work: Any) -> Sequence[Command]:
        """Send a call to the upstream, and tell the client how far its request ``parent`` has come. ``work`` comes back
        with the response. Nothing when the client no longer waits."""
        if self._state.open.get(parent.key) is not parent:
            return ()
        params = {"name": call.tool, "arguments": dict(call.arguments), **_meta_of(parent)}
        sent = self._send(parent, (parent.method, call.tool, params), work, call.seconds)
        return (*_progress(parent, call), *sent) if isinstance(sent[0], ToUpstream) else sent

    def list_tools(self, parent: OpenRequest, cursor: str, work: Any) -> Sequence[Command]:
        """Ask the upstream for a page of its tools, from ``cursor`` on if there is one."""
        if self._state.open.get(parent.key) is not parent:
            return ()
        params = {**({"cursor": cursor} if cursor else {}), **_meta_of(parent)}
        return self._send(parent, ("tools/list", "tools/list", params), work)

    def _send(
        self, parent: OpenRequest, sent: tuple[str, str, Mapping[str, Any]], work: Any, seconds: float | None = None
    ) -> Sequence[Command]:
        """Send a request of our own for one of the client."""
        state, (method, name, params) = self._state, sent
        now, key = state.now(), self._own_key()
        request = OpenRequest(
            key=key,
            method=method,
            name=name,
            params=jsonrpc.spelled(params),
            modern=parent.modern,
            since=now,
            parent=parent,
            work=work,
            until=None if seconds is None else now + seconds,
        )
        state.open[key] = request
        if state.end_reason:  # looked at only now, as for a request that comes from the client
            return state.fail(request, state.end_reason)
        return (ToUpstream(jsonrpc.request(key, method, request.params), (request,), method),)

    def _own_key(self) -> bytes:
        """Return an id that no open request has. A client that takes it meanwhile is told that it is in use."""
        while (key := OWN % next(self._numbers)) in self._state.open:
            continue
        return key


def _meta_of(parent: OpenRequest) -> dict[str, Any]:
    """Return the ``_meta`` of a client's request without its progress token, which is not ours to use."""
    meta = jsonrpc.member(parent.params, "_meta")
    kept = {name: one for name, one in meta.items() if name != "progressToken"} if isinstance(meta, dict) else {}
    return {"_meta": kept} if kept else {}


def progress_of(request: OpenRequest, members: dict[str, Any]) -> ToClient:
    """Return the notification that says how far a request has come."""
    params = b'{"progressToken":' + request.token + b"," + jsonrpc.spelled(members)[1:]
    return ToClient(jsonrpc.notification(PROGRESS, params), request, PROGRESS)


def _progress(parent: OpenRequest, call: OwnCall) -> Sequence[Command]:
    if not parent.token:
        return ()
    return (progress_of(parent, {"progress": call.done, "total": call.most, "message": call.message}),)
