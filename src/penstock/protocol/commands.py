"""What an exchange asks its driver to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from penstock.protocol.payloads import Opened  # noqa: TC004  (never decoded, so never looked up)


class Waiting(msgspec.Struct, gc=False):
    """A request that the client waits for. ``busy`` once its answer is being made here."""

    key: bytes  # its id, in the spelling of ``jsonrpc.key_of``
    method: str
    name: str  # of the tool; for other methods the method itself
    params: bytes
    modern: bool
    since: float
    token: bytes = b""  # under which the upstream tells its progress
    busy: bool = False


class ToUpstream(msgspec.Struct, frozen=True, gc=False):
    """Write this line to the upstream."""

    line: bytes


class ToClient(msgspec.Struct, frozen=True, gc=False):
    """Write this line to the client."""

    line: bytes


class Noise(msgspec.Struct, frozen=True, gc=False):
    """The upstream wrote a line that is no message: it belongs on stderr, under the server's name."""

    line: bytes


class Note(msgspec.Struct, frozen=True, gc=False):
    """Something worth a line in the log."""

    level: str
    text: str


class Admit(msgspec.Struct, frozen=True):
    """Let the gate decide on a result, then call ``Exchange.admitted`` with what it gives."""

    waiting: Waiting
    opened: Opened
    line: bytes
    lifted: bytes | None
    client: str
    arguments: dict[str, Any]
    tool: str
    schema: dict[str, Any] | None
    structured: bool


class Fetch(msgspec.Struct, frozen=True):
    """Let the gate read what was held, then call ``Exchange.fetched`` with what it gives."""

    waiting: Waiting
    client: str
    arguments: dict[str, Any]


Command = ToUpstream | ToClient | Noise | Note | Admit | Fetch
