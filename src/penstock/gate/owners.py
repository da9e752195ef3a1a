"""Decide whose a held result is. Every way in asks here, and nothing else names an owner (P5).

                          the owner is                              ``list`` tells of
authenticated over HTTP   the principal                             all that the principal holds
HTTP, not authenticated   anyone: the handle is the secret          what the same session made, if this side
                          (128 random bits)                         minted the session's id; else nothing
stdio                     user + server command + folder            all of it, this run's first
``owner = "NAME"``        that name, for every caller               all of it, this run's first
``owner = "run"``         as above, for this run of the process     as above
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from penstock.digest import hex_digest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.stores import Entry

AUTO: Final = "auto"
RUN: Final = "run"
ANYONE: Final = "anyone"
NOBODY: Final = "nobody"
DIGEST: Final = 16  # bytes of a hash: owners are written to the store, commands and tokens are not


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The authorization context of one request. ``name`` is what the store compares; ``run`` is the run or the session
    that made the request; ``lists`` says what ``list`` may tell."""

    name: str
    run: str = ""
    lists: Literal["all", "run"] = "all"

    @property
    def share(self) -> str:
        """Who takes turns with others: the owner, and among callers that show no credential each session."""
        return f"{self.name}/{self.run}" if self.lists == "run" else self.name

    def listed(self, entries: Sequence[Entry]) -> list[Entry]:
        """Return the entries that ``list`` may show, those of this run first."""
        own = [one for one in entries if self.made(one)]
        return own if self.lists == "run" else own + [one for one in entries if not self.made(one)]

    def made(self, entry: Entry) -> bool:
        """Return True if this run, or this session, made the entry."""
        return bool(self.run) and entry.meta.extra.get("run") == self.run


class Owners:
    """Name the owner of each request by the setting ``owner``. ``run`` is a random name of this run."""

    def __init__(self, setting: str = AUTO, *, run: str = "") -> None:
        self._setting = setting
        self._run = run or os.urandom(DIGEST).hex()

    def local(self, server: Sequence[str], *, folder: str = "", user: str = "") -> Owner:
        """Return the owner over stdio. Results outlive a restart, a reconnect and a resumed conversation."""
        parts = (user or _user(), folder or _folder(), *server)
        written = b"\0".join(part.encode("utf-8", "surrogateescape") for part in parts)
        return self._by_setting(Owner(name=f"local:{_digest(written)}", run=self._run))

    def over_http(self, principal: str = "", session: str = "") -> Owner:
        """Return the owner over HTTP. ``session`` is the id of a session only if this side minted it: an id that
        another server chose may be one that a stranger can guess."""
        if principal:
            return self._by_setting(Owner(name=f"token:{principal}", run=session or self._run))
        return self._by_setting(Owner(name=ANYONE, run=session, lists="run"))

    def named(self, caller: str) -> Owner:
        """Return the owner of a caller that the program names itself."""
        return self._by_setting(Owner(name=caller, run=self._run))

    def _by_setting(self, owner: Owner) -> Owner:
        if self._setting == AUTO:
            return owner
        if self._setting == RUN:
            return replace(owner, name=f"run:{self._run}:{owner.name}")
        return Owner(name=self._setting, run=owner.run)


def principal_of_token(token: bytes) -> str:
    """Return the principal of a credential: a hash of it."""
    return _digest(token)


def unsolicited() -> Owner:
    """Return the owner of what a shared server sends without a request: no caller can open it."""
    return Owner(name=NOBODY, lists="run")


def _digest(data: bytes) -> str:
    return hex_digest(data, DIGEST)


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else os.environ.get("USERNAME", "")


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return ""
