"""No test leaves a process behind: neither the gateway, nor its server, nor what that one started."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from typing import TYPE_CHECKING, Final

import psutil
import pytest

from tests.kit.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

ADOPT: Final = 36  # PR_SET_CHILD_SUBREAPER


@pytest.fixture(autouse=True)
def nothing_is_left_behind() -> Iterator[None]:
    """Orphans become our children while a test runs, so that none can hide behind the system's first process. What
    was there before the test may go on, and start whatever it likes."""
    before = _children()
    _adopt_orphans(adopt=True)
    yield
    _adopt_orphans(adopt=False)
    if not until(lambda: not _new(before)):
        told = [_told(one) for one in _new(before)]
        for one in _new(before):
            one.kill()
        pytest.fail(f"left behind: {told}")


def _new(before: set[psutil.Process]) -> set[psutil.Process]:
    found = set()
    for one in _children() - before:
        try:
            if before.isdisjoint(one.parents()):
                found.add(one)
        except psutil.NoSuchProcess:
            continue
    return found


def _adopt_orphans(*, adopt: bool) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(ADOPT, int(adopt), 0, 0, 0)


def _children() -> set[psutil.Process]:
    """All that live. What has ended and was not waited for by anybody else is waited for here."""
    found = set(psutil.Process().children(recursive=True))
    ended = {one for one in found if _has_ended(one)}
    for one in ended:
        try:
            os.waitpid(one.pid, os.WNOHANG)
        except ChildProcessError:
            continue  # another's child, or waited for just now
    return found - ended


def _has_ended(process: psutil.Process) -> bool:
    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def _told(process: psutil.Process) -> str:
    try:
        return f"{process.pid} {process.cmdline()}"
    except psutil.Error:
        return str(process.pid)


def is_gone(pid: int) -> bool:
    """Whether a process has ended, whoever is to wait for it."""
    return not psutil.pid_exists(pid) or _has_ended(psutil.Process(pid))


def end(pid: int) -> None:
    """End a process that a test started, if it is still there."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
