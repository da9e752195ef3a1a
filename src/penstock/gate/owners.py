"""Decide whose a held result is. Every way in asks here, and nothing else names an owner (P5).

                          the owner is                              ``list`` tells of
authenticated over HTTP   the principal                             all that the principal holds
HTTP, not authenticated   anyone: the handle is the secret          what the same session made, if this side
                          (128 random bits)                         minted the session's id; else nothing
stdio                     user + server command + folder            all of it, this run's first
``owner = "NAME"``        that name, for every caller               all of it, this run's first
``owner = "run"``         as above, for this run of the process     as above

Callers compete for turns and space as shares: over HTTP the principal, or the client's address and in it the session,
whatever the owner is called; elsewhere the owner.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from penstock.digest import hex_digest
from penstock.share import Share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.stores import Entry

AUTO: Final = "auto"
RUN: Final = "run"
ANYONE: Final = "anyone"
NOBODY: Final = "nobody"
LABEL: Final = 8  # digits of a digest that tell owners apart in a list
LONG_LABEL: Final = 80  # characters of the name of an owner in a list
_DIGEST: Final = re.compile(r"[0-9a-f]{32}")
DIGEST: Final = 16  # bytes of a hash: owners are written to the store, commands and tokens are not


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The authorization context of one request. ``name`` is what the store compares; ``run`` is the run or the session
    that made the request; ``lists`` says what ``list`` may tell; ``caller`` competes with others for turns and space,
    where the owner does not tell callers apart."""

    name: str
    run: str = ""
    lists: Literal["all", "run"] = "all"
    caller: Share | None = None

    @property
    def share(self) -> Share:
        """Return who competes with others, for turns at queries and for space in the store."""
        return self.caller or Share(self.name)

    @property
    def conversation(self) -> str:
        """Return a name for the run or session of this owner."""
        return f"{self.name} {self.run}"

    def listed(self, entries: Sequence[Entry]) -> list[Entry]:
        """Return the entries that ``list`` may show, those of this run first."""
        own = [one for one in entries if self.made(one)]
        return own if self.lists == "run" else own + [one for one in entries if not self.made(one)]

    def made(self, entry: Entry) -> bool:
        """Return True if this run, or this session, made the entry."""
        return bool(self.run) and entry.meta.extra.get("run") == self.run


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The sender of a request over HTTP, as far as it is known. ``principal`` is empty where no credential is shown;
    ``address`` is the client's, as the last trusted proxy tells it; ``session`` is the id that the client names."""

    principal: str = ""
    address: str = ""
    session: str = ""

    @property
    def share(self) -> Share:
        """Return who competes with others: the principal, or the address and in it the session."""
        if self.principal:
            return Share(f"token:{self.principal}")
        return Share(f"address:{self.address}", self.session)


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

    def over_http(self, caller: Caller, session: str = "") -> Owner:
        """Return the owner over HTTP. ``session`` is the id of a session only if this side minted it: an id that
        another server chose may be one that a stranger can guess. It gains a share at most, within its address."""
        share = replace(caller, session=session or caller.session).share
        if caller.principal:
            return self._by_setting(Owner(name=f"token:{caller.principal}", run=session or self._run, caller=share))
        return self._by_setting(Owner(name=ANYONE, run=session, lists="run", caller=share))

    def named(self, caller: str) -> Owner:
        """Return the owner of a caller that the program names itself."""
        return self._by_setting(Owner(name=caller, run=self._run))

    def _by_setting(self, owner: Owner) -> Owner:
        if self._setting == AUTO:
            return owner
        if self._setting == RUN:
            return replace(owner, name=f"run:{self._run}:{owner.name}")
        return replace(owner, name=self._setting, lists="all")


def principal_of_token(token: bytes) -> str:
    """Return the principal of a credential: a hash of it."""
    return _digest(token)


def owner_label(name: str) -> str:
    """Return what a list of all owners calls an owner: the words of its name, and the beginnings of digests in it."""
    return ":".join(part[:LABEL] if _DIGEST.fullmatch(part) else part for part in name.split(":"))[:LONG_LABEL]


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
