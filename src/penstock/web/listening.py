"""Open the socket of a server."""

from __future__ import annotations

import socket
from typing import Final

BACKLOG: Final = 2_048


def listen(host: str, port: int) -> socket.socket:
    """Open a socket that takes connections. It is made for TCP by name: else asyncio would let the system hold back
    small packets, forty milliseconds of each answer."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(BACKLOG)
    except BaseException:
        made.close()
        raise
    return made
