"""Decide who may use the page: by the name that it is called by, the page that calls, and a secret.

Every page in a browser on this machine can send requests to its ports, and can make a name of its own lead here: so
only known names (``Host``) are answered, and only pages of exactly that origin (``Origin``, ``Sec-Fetch-Site``). The
page is opened with a token in its address that is good once; then a cookie is the secret, which no script can read and
no other site sends. Below ``/api`` a header of ours is demanded, which no form and no link can set.
"""

from __future__ import annotations

import hmac
import secrets
from typing import TYPE_CHECKING, Final

from penstock.ui.asgi import PageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.ui.asgi import PageRequest

HEADER: Final = b"x-penstock"
SESSIONS: Final = 32  # cookies that are good at once; the oldest is forgotten
LOCAL: Final = ("127.0.0.1", "localhost", "[::1]")
READING: Final = ("GET", "HEAD")


class PageGuard:
    """Let in the requests of the page's own user. ``hosts`` are names with their ports, as a browser sends them;
    ``origins`` are pages that may call, exactly. ``admin`` is a token that is good always; without one, each that
    ``new_token`` makes is good once."""

    def __init__(self, *, hosts: Iterable[str], origins: Iterable[str], cookie: str, admin: str = "") -> None:
        self._hosts = frozenset(one.lower() for one in hosts)
        self._origins = frozenset(one.lower() for one in origins)
        self._cookie = cookie
        self._admin = admin
        self._once = ""
        self._sessions: list[str] = []

    @classmethod
    def local(cls, port: int) -> PageGuard:
        """Return the guard of a page that listens on this machine alone."""
        hosts = [f"{name}:{port}" for name in LOCAL]
        return cls(hosts=hosts, origins=[f"http://{one}" for one in hosts], cookie=f"penstock_ui_{port}")

    def new_token(self) -> str:
        """Return a token that is good once. The one before is good no more."""
        self._once = secrets.token_urlsafe(32)
        return self._once

    def check_place(self, request: PageRequest) -> None:
        """Raise for a request under another name, or of another page."""
        hosts = request.all(b"host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            raise PageError(421, "this page does not answer to that Host", "open it under the address that was printed")
        origins = request.all(b"origin")
        if any(one.lower() not in self._origins for one in origins):
            raise PageError(403, "pages of that Origin may not use this one")
        if not origins and request.method not in READING:
            raise PageError(403, "a request that changes something has to name its Origin")
        if request.header(b"sec-fetch-site") in ("cross-site", "same-site"):
            raise PageError(403, "pages of other sites may not use this one")

    def check_header(self, request: PageRequest) -> None:
        """Raise for a request to the API without our header."""
        if request.header(HEADER) != "ui":
            raise PageError(403, "the header X-Penstock: ui is missing", "send it with every request to the API")

    def is_known(self, request: PageRequest) -> bool:
        """Tell whether a request has the cookie of a session, or the admin token as a bearer token."""
        if self._admin and _is_same(request.header(b"authorization"), f"Bearer {self._admin}"):
            return True
        cookies = [part.strip().partition("=") for one in request.all(b"cookie") for part in one.split(";")]
        values = [value for name, _, value in cookies if name == self._cookie]
        return any(_is_same(value, known) for value in values for known in self._sessions)

    def enter(self, token: str, *, path: str, is_secure: bool) -> bytes | None:
        """Return the cookie for a token that is good, or None. A token that is good once is good no more then."""
        if self._admin:
            is_good = _is_same(token, self._admin)
        else:
            is_good = bool(self._once) and _is_same(token, self._once)
            self._once = "" if is_good else self._once
        if not is_good:
            return None
        session = secrets.token_urlsafe(32)
        self._sessions = [*self._sessions, session][-SESSIONS:]
        secure = "; Secure" if is_secure else ""
        return f"{self._cookie}={session}; Path={path}; HttpOnly; SameSite=Strict{secure}".encode()


def _is_same(token: str, known: str) -> bool:
    return hmac.compare_digest(token.encode("utf-8", "replace"), known.encode())
