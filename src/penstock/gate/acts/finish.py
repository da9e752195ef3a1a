"""Make the calls of a run one after the other, for callers without an exchange: programs, and servers' middleware."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

from penstock.errors import CallerError, PenstockError
from penstock.gate.tool_results import error_result

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from penstock.gate.acts.more import PageCall, PageRun

NO_CALLS: Final = CallerError("no tool can be called here", do="call the tool by yourself")


def finished(step: bytes | PageRun, call: Callable[[str, dict[str, Any]], bytes] | None) -> bytes:
    """Return the answer. A ``call`` that fails raises a ``PenstockError``, and ends the run with what is there."""
    while not isinstance(step, bytes):
        result, failure, needed = b"", "", step.call
        try:
            if call is None:
                raise NO_CALLS
            result = call(needed.tool, dict(needed.arguments))
        except PenstockError as error:
            failure = error.what
        step = _stepped(step, result, failure)
    return step


async def finished_async(step: bytes | PageRun, call: Callable[[PageCall], Awaitable[bytes]] | None) -> bytes:
    """Do as ``finished`` does without blocking the event loop; a call that takes longer than it may has failed."""
    while not isinstance(step, bytes):
        result, failure, needed = b"", "", step.call
        try:
            if call is None:
                raise NO_CALLS
            async with asyncio.timeout(needed.seconds):
                result = await call(needed)
        except TimeoutError:
            failure = f"{needed.tool} has not answered in time"
        except PenstockError as error:
            failure = error.what
        step = await asyncio.to_thread(_stepped, step, result, failure)
    return step


def _stepped(step: PageRun, result: bytes, failure: str) -> bytes | PageRun:
    try:
        return step.step(result, failure)
    except PenstockError as error:
        return error_result(error)
