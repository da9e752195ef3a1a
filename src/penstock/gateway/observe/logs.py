"""The log of the HTTP gateway: a line of JSON for each request, and one line for whatever libraries complain of."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from penstock.gateway.log import Log
    from penstock.gateway.observe.request_record import RequestRecord

LEVELS: Final = ((logging.ERROR, "error"), (logging.WARNING, "warning"), (logging.INFO, "info"))


class RequestLog:
    """Writes a line for each request. Names and numbers are in it, never a word of a result or of arguments."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def write(self, account: RequestRecord) -> None:
        line = {
            "method": account.method,
            "tool": account.tool,
            "status": account.status,
            "ms": round(account.seconds * 1_000, 3),
            "held": account.outcome == "held",
            "outcome": account.outcome,
            "tokens_in": account.tokens_in,
            "tokens": account.tokens_out,
        }
        self._log.write(msgspec.json.encode({name: value for name, value in line.items() if value != ""}).decode())


class Complaints(logging.Handler):
    """Hands on what libraries log, in one line each and without tracebacks."""

    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        kind, error, _ = record.exc_info or (None, None, None)
        if kind is not None and issubclass(kind, asyncio.CancelledError):
            return  # a request that was broken off, which has been said already
        level = next((name for least, name in LEVELS if record.levelno >= least), "debug")
        why = f": {kind.__name__}: {error}" if kind is not None else ""
        self._log.note(level, f"{record.getMessage().strip()}{why}")


def take_over(log: Log) -> Complaints:
    """Let all that is logged in this process go to our log."""
    handler = Complaints(log)
    logging.getLogger().addHandler(handler)
    return handler
