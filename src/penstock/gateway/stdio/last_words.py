"""End the process after an error that nothing handled, for example because no memory is left for another thread.

A gateway that lost one of its threads would leave requests without an answer. So it stops its server, writes one line
to stderr and exits: the client then sees the end of the connection.
"""

from __future__ import annotations

import os

from penstock.gateway import pipes
from penstock.unforeseen import described

TYPE_CHECKING = False  # nothing is imported here that is not there already
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

STDERR = 2
FAILED = 70  # the exit code for an internal error of a program (EX_SOFTWARE of sysexits.h)
PATIENCE = 1.0  # seconds for a client to make room on our stderr
NO_WORDS = b"penstock: error: Penstock ends, because of an error that it cannot handle; probably no memory is left\n"


def end_process(error: BaseException | None, kill: Callable[[], object]) -> NoReturn:
    """Stop the server by ``kill``, write why, and exit."""
    try:
        kill()
    finally:
        try:
            _write(error)
        finally:
            os._exit(FAILED)


def _write(error: BaseException | None) -> None:
    try:
        if not pipes.has_room(STDERR, PATIENCE):
            return
        what = "an unknown error" if error is None else described(error)
        line = f"penstock: error: Penstock ends, because of an error that it cannot handle: {what}\n".encode()
    except Exception:  # noqa: BLE001  (most probably there is no memory for this)
        line = NO_WORDS
    os.write(STDERR, line)
