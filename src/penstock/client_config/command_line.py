"""Put the gateway in front of a server's command line, and take it away."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from penstock.errors import CallerError

# As a file, or as a package that a launcher such as uvx runs.
_PENSTOCK = re.compile(r"(?:.*[\\/])?penstock(?:-mcp)?(?:\.exe|\.cmd)?(?:[@=<>~!\[].*)?", re.IGNORECASE | re.DOTALL)
_RUN: Final = "run"
_END: Final = "--"  # of the gateway's own words
_URL: Final = "--url"

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """The words that ``wrap`` puts in front of a command line."""

    program: Words
    options: Words = ()

    def __post_init__(self) -> None:
        if not _ours((*self.program, _RUN)):
            shown = " ".join(self.program)
            raise CallerError(f"{shown!r} is not penstock", do="give penstock, or a path that ends in it")
        try:
            "".join(self.words).encode()
        except UnicodeEncodeError:
            raise CallerError("a path that is not UTF-8 cannot be written to a configuration", do="rename it") from None

    @property
    def words(self) -> Words:
        return (*self.program, _RUN, *self.options, _END)

    @property
    def words_for_url(self) -> Words:
        return (*self.program, _RUN, *self.options, _URL)


def is_behind(words: Words) -> bool:
    """Return True if a command line starts the gateway, also through another program."""
    own = words[: words.index(_END)] if _END in words else words
    return any(_PENSTOCK.fullmatch(word) and after == _RUN for word, after in pairwise(own))


def child_of(words: Words) -> Words:
    """Return the command line behind the gateway: empty if there is none, or if what starts the gateway is not known.

    ``docker run IMAGE penstock run -- SERVER`` is such a case: its server is not on this machine.
    """
    return words[words.index(_END) + 1 :] if _ours(words) and _END in words else ()


def url_of(words: Words) -> str:
    """Return the URL behind the gateway, if it stands where ``wrap`` puts it, without headers beside it."""
    own = not any(word.split("=", 1)[0] in (_END, "--header") for word in words)
    return words[-1] if own and _ours(words) and words[-2] == _URL else ""


def _ours(words: Words) -> bool:
    started = words[2:] if words[1:2] == ("-m",) else words
    return is_behind(started[:2])


def find_program(argv0: str, python: str) -> Words:
    """Return how to start this very Penstock from anywhere: a client that is started from a desktop has a short PATH.

    Links are not followed: those that installers make stay when what they lead to is replaced by a new version.
    """
    beside = os.path.join(os.path.dirname(python), "penstock")
    for candidate in (argv0, shutil.which("penstock"), shutil.which(beside)):
        if candidate and _PENSTOCK.fullmatch(candidate) and (found := shutil.which(os.path.abspath(candidate))):
            return (found,)
    return (python, "-m", "penstock")
