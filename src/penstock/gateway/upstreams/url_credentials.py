"""Split a user and password out of an upstream URL."""

from __future__ import annotations

from base64 import b64encode
from urllib.parse import unquote_to_bytes, urlsplit, urlunsplit


def parted(url: str) -> tuple[str, str]:
    """Return the URL without user and password, and the ``Authorization`` that they make; empty if there are none.
    In a request they would stand in the way of what a client shows, and get lost where a server sends us elsewhere."""
    parts = urlsplit(url)
    login, at, place = parts.netloc.rpartition("@")
    if not at:
        return url, ""
    name, _, password = login.partition(":")
    said = unquote_to_bytes(name) + b":" + unquote_to_bytes(password)
    return urlunsplit(parts._replace(netloc=place)), f"Basic {b64encode(said).decode()}"
