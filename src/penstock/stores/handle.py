"""Handles and owners: what names a held result, and whom it opens for.

A handle is 128 random bits, so that it cannot be guessed. The owner is part of every key, so that a foreign handle
goes the same way as one that never was: one look-up that finds nothing.
"""

from __future__ import annotations

import base64
import os
import re
from typing import NamedTuple

from penstock.digest import hex_digest

_HANDLE = re.compile(r"r_[A-Za-z0-9_-]{22}")  # 22 characters of base64url carry 128 bits


class Key(NamedTuple):
    """The place of a record. ``owner`` is a digest: owners may be long, secret, or written in any characters."""

    owner: str
    handle: str


def new_handle() -> str:
    return "r_" + base64.urlsafe_b64encode(os.urandom(16)).rstrip(b"=").decode()


def is_handle(handle: str) -> bool:
    return _HANDLE.fullmatch(handle) is not None


def owner_key(owner: str) -> str:
    """Return 32 hexadecimal digits that stand for an owner."""
    return hex_digest(owner.encode("utf-8", "surrogatepass"), 16)


def key_of(owner: str, handle: str) -> Key | None:
    """Return the key of a held result, or None for a text that cannot be a handle."""
    return Key(owner_key(owner), handle) if is_handle(handle) else None
