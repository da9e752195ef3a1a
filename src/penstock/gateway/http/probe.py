"""Find out whether a server that was started answers, so that ``/readyz`` need not guess."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from penstock import __version__
from penstock.protocol.wire import jsonrpc

if TYPE_CHECKING:
    from penstock.gate.owners import Owner
    from penstock.gateway.http.process_session import ProcessSession

INITIALIZE: Final = msgspec.json.encode(
    {
        "jsonrpc": "2.0",
        "id": "penstock-ready",
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "penstock-ready", "version": __version__},
        },
    }
)


async def answers(process: ProcessSession, owner: Owner) -> bool:
    """Open a session with a process as a client does. Return True if the server answers, even with an error of its
    own: a server of the modern era knows no ``initialize``."""
    pending = process.ask(INITIALIZE, jsonrpc.decode(INITIALIZE), owner)
    try:
        while await pending.queue.get() is not None:
            pass
    finally:
        process.leave(pending)
    return pending.is_from_server
