"""Unforeseen errors: the line of the log by which they can be mended, without a word of the data.

The message of such an error may quote what was being read, so the log has its type, its place and the versions instead.
"""

from __future__ import annotations

import os
import platform
import threading
import traceback
from typing import TYPE_CHECKING, Final

import penstock
from penstock.errors import PenstockError, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable

FRAMES: Final = 6  # places named, from where it was raised outwards: enough to tell who called whom, one line long
MOST_PLACES: Final = 100  # places that are remembered as logged; one that is logged again now and then does no harm
OUT_OF_MEMORY: Final = "Penstock ran out of memory; repeat the call, or narrow it"
_ROOT: Final = os.path.dirname(penstock.__file__) + os.sep
_VERSIONS: Final = f"Penstock {penstock.__version__}, Python {platform.python_version()}, {platform.system()}"


class UnforeseenError(PenstockError):
    """An unforeseen failure of Penstock. ``what`` is for the log, and has nothing of the data."""


def failed_action(action: str, error: BaseException, *, acts: bool = False) -> UnforeseenError:
    """Return what a caller is told of an action that failed: the cause, whose it is, and how to go on. One that
    ``acts`` may have done what it was to do before it failed."""
    unharmed = "what is held is unharmed: read it by another action (get, get_page, search), or ask in another way"
    return UnforeseenError(
        f"Penstock failed in action {action!a} ({type(error).__name__}): its own fault, not that of the call",
        do="it may have been done, or a part of it: look with list or info before you repeat it" if acts else unharmed,
    )


def place_of(error: BaseException) -> str:
    """Name where an error was raised, and who called that: files with lines and functions, the innermost first."""
    places = []
    for frame, number in traceback.walk_tb(error.__traceback__):
        code = frame.f_code
        path = code.co_filename
        is_ours = path.startswith(_ROOT)
        name = path.removeprefix(_ROOT).replace(os.sep, "/") if is_ours else os.path.basename(path)
        places.append(f"{name}:{number} {code.co_name}")
    return " < ".join(reversed(places[-FRAMES:])) or "an unknown place"


def described(error: BaseException) -> str:
    """Return the type of an error, its place and the versions, in one line; of an error of our own, its words.

    If there is no memory left for that, return the type alone.
    """
    return f"{type(error).__name__}: {error}" if isinstance(error, PenstockError) else _located(error)


def _located(error: BaseException) -> str:
    try:
        return f"{type(error).__name__} at {place_of(error)} ({_VERSIONS})"
    except MemoryError:
        return type(error).__name__


class Incidents:
    """Reports each unforeseen error to ``log``, once for each place and kind: a server whose every result meets the
    same fault must not fill the log."""

    def __init__(self, log: Callable[[PenstockError], None]) -> None:
        self._log = log
        self._lock = threading.Lock()
        self._known: set[str] = set()

    def note(self, error: BaseException, doing: str, outcome: str) -> None:
        """Log what Penstock was ``doing``, in words without data, and what became of it, unless that is known."""
        # The words of a CallerError may quote the data that was being read. Those of a StoreError are about the store.
        what = described(error) if isinstance(error, StoreError) else _located(error)
        known = f"{doing.partition(' of ')[0]}: {what}"
        with self._lock:
            if known in self._known:
                return
            if len(self._known) >= MOST_PLACES:
                self._known.clear()
            self._known.add(known)
        do = "please report this line, which has nothing of the data in it; the same is not logged again"
        self._log(UnforeseenError(f"an unforeseen error in {doing}: {what}: {outcome}", do=do))
