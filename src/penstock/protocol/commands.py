"""The commands that an exchange returns to its driver. Each says for which request it is, or that it is the session's.

A driver writes lines and calls ``carry``; it never decodes a line that an exchange has decoded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from penstock.protocol.payloads import PayloadView  # noqa: TC004  (never decoded, so never looked up)


class OpenRequest(msgspec.Struct, gc=False):
    """A request that has no response yet: of the client, or of our own with a ``parent``. ``busy`` while it is at the
    gate."""

    key: bytes  # its id, in the spelling of ``jsonrpc.key_of``
    method: str
    name: str  # of the tool; for other methods the method itself
    params: bytes
    modern: bool
    since: float
    token: bytes = b""  # under which the upstream reports its progress
    reported: bool = False  # the upstream has done so
    busy: bool = False
    unsent: bool = False  # the upstream has not seen it
    parent: OpenRequest | None = None  # the client's request that we send this one for, of our own
    work: Any = None  # what the gate does with the response to it
    until: float | None = None  # when it is overdue at the latest
    ask: bytes = b""  # the question that the call carries for its result, as JSON; the upstream does not see it


class ToUpstream(msgspec.Struct, frozen=True, gc=False):
    """Write this line to the upstream.

    ``requests`` are those that the line opens: one, several for a batch, none for a notification or a response.
    ``cancels`` is the id of the request that the line takes back. ``readable`` is False for a line that is no
    JSON-RPC message: a server on a pipe may judge it itself, an HTTP end refuses it.
    """

    line: bytes
    requests: tuple[OpenRequest, ...] = ()
    method: str = ""  # of a single request or notification
    cancels: bytes = b""
    readable: bool = True


class ToClient(msgspec.Struct, frozen=True, gc=False):
    """Write this line to the client.

    A response has no ``method`` and is for ``request``. A message of the upstream has a ``method``; its ``request`` is
    the one that it speaks of (progress, a subscription), or None when it is for the session. ``parts`` are the messages
    of a batch that passes whole, each with its own address.
    """

    line: bytes
    request: OpenRequest | None = None
    method: str = ""
    key: bytes = b""  # the upstream's own id, when it asks the client something
    code: int = 0  # of an error response
    result: msgspec.Raw | None = None  # what passed unread; the metrics estimate its tokens
    parts: tuple[ToClient, ...] = ()


class Cancelled(msgspec.Struct, frozen=True, gc=False):
    """The client took back a request that the upstream never saw: it gets no response."""

    key: bytes


class Noise(msgspec.Struct, frozen=True, gc=False):
    """The upstream wrote a line that is no message: it belongs on stderr, under the server's name."""

    line: bytes


class Note(msgspec.Struct, frozen=True, gc=False):
    """Write this text to the log."""

    level: str
    text: str


class Admit(msgspec.Struct, frozen=True):
    """Let the gate decide on a result, then call ``Exchange.admitted`` with the gate's answer."""

    request: OpenRequest
    view: PayloadView
    line: bytes | memoryview
    client: str
    arguments: dict[str, Any]
    tool: str
    schema: dict[str, Any] | None
    structured: bool
    read_only: bool = False  # the tool says that it is
    server: str = ""  # that has the tool, where several are combined
    code: int = 0  # of the error response that is admitted
    ask: bytes = b""  # the question that the call carries, as JSON


class Fetch(msgspec.Struct, frozen=True):
    """Let the gate read a held result, then call ``Exchange.fetched`` with the gate's answer; or a resource that it has
    made, where there is a ``uri``."""

    request: OpenRequest
    client: str
    arguments: dict[str, Any]
    uri: str = ""


class Act(msgspec.Struct, frozen=True):
    """Let the gate act on a held result, then call ``Exchange.fetched`` with the gate's answer, or ``Exchange.called``
    with the call that it needs first. The response to such a call comes back in another ``Act``, with the gate's
    ``work``: as ``result``, or as the words of a ``failure``. With ``warms`` no client asks for it: the gate makes the
    calls of its setting."""

    request: OpenRequest
    client: str
    arguments: dict[str, Any]
    work: Any = None
    result: bytes = b""
    failure: str = ""
    warms: bool = False


class Resolve(msgspec.Struct, frozen=True):
    """Let the gate put held results into the arguments of a call, then call ``Exchange.resolved`` with the arguments,
    or ``Exchange.fetched`` with the error of the gate, or with the result of the same call that was made ahead."""

    request: OpenRequest
    line: bytes
    arguments: bytes  # JSON, with references to held results in it
    tool: str
    schema: dict[str, Any] | None
    read_only: bool  # the tool says that it is
    server: str = ""  # that has the tool, where several are combined
    client: str = ""


GateWork = Fetch | Act | Resolve
Command = ToUpstream | ToClient | Cancelled | Noise | Note | Admit | GateWork
