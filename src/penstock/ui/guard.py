"""Let in the page's own user: by a secret, and only from the page itself.

The page is opened with a token in its address that is good once; then a cookie is the secret, which no script can read
and no other site sends. Below ``/api`` a header of ours is demanded, which no form and no link can set.
"""

from __future__ import annotations

import hmac
import secrets
from typing import TYPE_CHECKING, Final

from penstock.web.asgi import RefusedError
from penstock.web.guard import LOCAL, AccessGuard

if TYPE_CHECKING:
    from penstock.web.asgi import Request

HEADER: Final = b"x-penstock"
SESSIONS: Final = 32  # cookies that are good at once; the oldest is forgotten
READING: Final = ("GET", "HEAD")


class PageGuard(AccessGuard):
    """Lets in the requests of the page's own user. ``admin`` is a token that is good always; without one, each that
    ``new_token`` makes is good once."""

    def __init__(self, *, hosts: frozenset[str] = LOCAL, port: int | None = None, cookie: str, admin: str = "") -> None:
        super().__init__(hosts=hosts, token=admin, port=port)
        self._cookie = cookie
        self._admin = admin
        self._once = ""
        self._sessions: list[str] = []

    @classmethod
    def local(cls, port: int) -> PageGuard:
        """Return the guard of a page that listens on this machine alone."""
        guard = cls(port=port, cookie=f"penstock_ui_{port}")
        guard.remedy = "open the page under the address that was printed"
        return guard

    def new_token(self) -> str:
        """Return a token that is good once. The one before is good no more."""
        self._once = secrets.token_urlsafe(32)
        return self._once

    def check_place(self, request: Request) -> None:
        """Raise for a request under another name, or of another page."""
        super().check_place(request)
        if request.method not in READING and not request.header(b"origin"):
            raise RefusedError(403, "a request that changes something has to name its Origin")

    def check_header(self, request: Request) -> None:
        """Raise for a request to the API without our header."""
        if request.header(HEADER) != b"ui":
            raise RefusedError(403, "the header X-Penstock: ui is missing", do="send it with every request to the API")

    def is_known(self, request: Request) -> bool:
        """Return True if a request has the cookie of a session, or the admin token as a bearer token."""
        if self.has_token(request):
            return True
        cookies = [part.strip().partition(b"=") for one in request.all(b"cookie") for part in one.split(b";")]
        values = [value for name, _, value in cookies if name == self._cookie.encode()]
        return any(hmac.compare_digest(value, known.encode()) for value in values for known in self._sessions)

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
