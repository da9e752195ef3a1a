"""Limits the worker from inside: files, processes, memory and time.

Without the ``resource`` module (Windows) nothing can be taken away from inside; what remains then is that the other
side stops a worker that takes too long or says too much. Root is exempt from the limit on processes, and is the
only one: the others hold for every user. On Linux the kernel takes more away (``linux``).
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from contextlib import suppress
from math import ceil
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from typing import BinaryIO

try:
    import resource
except ImportError:
    HAS_LIMITS = False
else:
    HAS_LIMITS = True

if sys.platform == "linux":
    from penstock.query.sandbox.worker import linux
else:
    linux = None

GRACE: Final = 1  # seconds that the other side has to end a job before the worker ends itself


def take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Move our pipes to numbers of their own, so that what jq prints by itself goes nowhere."""
    incoming = os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    outgoing = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        os.dup2(nothing, stream.fileno())
    os.close(nothing)
    return incoming, outgoing


def give_up_rights() -> None:
    """Confine this process: from here on it opens no file or socket, writes none, starts no process and leaves no
    core."""
    if not HAS_LIMITS:
        return
    for limit in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE, resource.RLIMIT_NPROC, resource.RLIMIT_NOFILE):
        _limit(limit, 0, 0)
    if linux is not None:
        linux.harden()


def allow(seconds: float, memory: int) -> None:
    """Allow the next job so many bytes and so much time, after which the kernel ends this process.

    The other side does it sooner. This is for the case that it has died: a worker must not run on without anyone.
    """
    if not HAS_LIMITS:
        return
    _limit(resource.RLIMIT_AS, memory, resource.RLIM_INFINITY)
    used = resource.getrusage(resource.RUSAGE_SELF)
    _limit(resource.RLIMIT_CPU, ceil(used.ru_utime + used.ru_stime + seconds + GRACE), resource.RLIM_INFINITY)
    signal.setitimer(signal.ITIMER_REAL, seconds + GRACE)


def rest() -> None:
    """Take the time limit back: a worker that waits for its next job may wait for as long as it likes. Nothing was
    collected while it worked: a load makes millions of objects, none of them in a circle. What stays is never looked
    at again, as hundreds of results may be kept; a worker is ended long before circles of theirs could add up."""
    gc.collect()
    gc.freeze()
    if HAS_LIMITS:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _limit(what: int, soft: int, hard: int) -> None:
    # A system that does not know a limit, or that was given a lower one before, keeps what it has.
    with suppress(ValueError, OSError):
        resource.setrlimit(what, (soft, hard))
