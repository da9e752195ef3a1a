"""Put the gateway in front of a server's command line, and take it away."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from penstock.distribution import NAME
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Collection

# As a file, or as a package that a launcher such as uvx runs.
_PENSTOCK = re.compile(r"(?:.*[\\/])?penstock(?:-mcp)?(?:\.exe|\.cmd)?(?:[@=<>~!\[].*)?", re.IGNORECASE | re.DOTALL)
_RUN: Final = "run"
_END: Final = "--"  # of the gateway's own words
_URL: Final = "--url"
_WAS: Final = "--was"  # how the client's file spelled a URL's key and its type: for unwrap alone
_UVX: Final = re.compile(r"(?:.*[\\/])?uvx(?:\.exe)?", re.IGNORECASE | re.DOTALL)
_CONFIG: Final = "--config"
_FROM: Final = "--from"

# Folders in which uv and pipx keep what they run once: as they are called, and what they are in.
_CACHES: Final = (("uv", "cache"), ("uv", "environments-v2"), ("pipx", ".cache"), (".cache", "pipx"))

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """The words that ``wrap`` puts in front of a command line."""

    program: Words
    options: Words = ()

    def __post_init__(self) -> None:
        if not _ours((*self.program, _RUN)):
            program = " ".join(self.program)
            raise CallerError(f"{program!r} is not penstock", do="give penstock, or a path that ends in it")
        try:
            "".join(self.words).encode()
        except UnicodeEncodeError:
            raise CallerError("a path that is not UTF-8 cannot be written to a configuration", do="rename it") from None

    @property
    def words(self) -> Words:
        return (*self.program, _RUN, *self.options, _END)

    def words_for_url(self, was: str = "") -> Words:
        """Return the words in front of a URL; ``was`` is how its entry spelled it, if that is unusual."""
        return (*self.program, _RUN, *self.options, *((_WAS, was) if was else ()), _URL)

    def words_for_file(self, file: str) -> Words:
        """Return the words that start the gateway in front of all servers of a file."""
        return (*self.program, _RUN, *self.options, _CONFIG, file)


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


def file_of(words: Words) -> str:
    """Return the file whose servers are all behind the gateway, if it stands where ``wrap --together`` puts it."""
    return words[-1] if _ours(words) and _END not in words and words[-2] == _CONFIG else ""


def was_of(words: Words) -> str:
    """Return how the entry of a wrapped URL was spelled; empty if as usual."""
    return next((value for word, value in pairwise(words) if word == _WAS), "")


def _ours(words: Words) -> bool:
    started = words[2:] if words[1:2] == ("-m",) else words
    if words and _UVX.fullmatch(words[0]):
        started = words[3:] if words[1:2] == (_FROM,) else words[1:]
    return is_behind(started[:2])


def find_program(argv0: str, python: str, *, extras: Collection[str] = ()) -> Words:
    """Return how to start this very Penstock from anywhere, and tomorrow: a client that is started from a desktop has
    a short PATH, and what uvx runs lies in a cache, which is emptied now and then.

    Links are not followed: those that installers make stay when what they lead to is replaced by a new version.
    """
    if _is_cached(python):
        uvx = shutil.which("uvx")
        if uvx is None:
            raise CallerError(
                f"this Penstock runs from a cache ({os.path.dirname(python)}), which may be gone tomorrow",
                do=f"install it to stay (uv tool install {NAME}), or give --program",
            )
        package = f"{NAME}[{','.join(sorted(extras))}]" if extras else NAME
        return (uvx, _FROM, package, "penstock") if extras else (uvx, package)
    beside = os.path.join(os.path.dirname(python), "penstock")
    for candidate in (argv0, shutil.which("penstock"), shutil.which(beside)):
        if candidate and _PENSTOCK.fullmatch(candidate) and (path := shutil.which(os.path.abspath(candidate))):
            return (path,)
    return (python, "-m", "penstock")


def _is_cached(python: str) -> bool:
    """Return True if an interpreter lies in the cache of uv or of ``pipx run``."""
    parts = os.path.normpath(python).replace("\\", "/").split("/")
    return any(one in _CACHES for one in pairwise(parts)) or any(one.startswith("archive-v") for one in parts)
