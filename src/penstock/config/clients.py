"""Finds the limits of a client by the name it gives itself: in the user's own entries first, then in ``clients.toml``.

The table is read when a client's limits are first asked for: a relay that sees only small results never does.
"""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

from penstock.config.settings import CLIENT_KEYS
from penstock.core.plain import Plain

if TYPE_CHECKING:
    from penstock.config.model import Config
    from penstock.config.resolve import ClientEntry

LONGEST_NAME: Final = 200  # characters of a client's name that are looked at; it is not ours to trust


class Client(Plain, frozen=True, kw_only=True):
    """The limits of a client; None where none is known. An unknown client has an empty ``name``."""

    name: str = ""
    profile: str = "claude"
    max_tokens: int | None = None
    max_text_bytes: int | None = None
    max_media_bytes: int | None = None
    max_lines: int | None = None


def client_for(config: Config, name: str) -> Client:
    """Return the client that gives itself this name, in any case of its letters."""
    return _matching(config.clients, name[:LONGEST_NAME].strip().lower()) if name else Client()


@lru_cache(maxsize=64)  # a gateway has one client, a server behind HTTP a few kinds of them
def _matching(own: tuple[ClientEntry, ...], name: str) -> Client:
    shipped = _shipped()
    mine = {entry.name: shipped.get(entry.name, {}) | dict(entry.settings) for entry in own}
    for key, settings in {**mine, **{key: settings for key, settings in shipped.items() if key not in mine}}.items():
        globs = settings.get("names", (key,))
        if any(fnmatchcase(name, glob.lower()) for glob in globs):
            return Client(name=key, **{name: value for name, value in settings.items() if name != "names"})
    return Client()


@cache
def _shipped() -> dict[str, dict[str, Any]]:
    import tomllib  # noqa: PLC0415  (see above)

    with open(os.path.join(os.path.dirname(__file__), "clients.toml"), "rb") as file:
        table = tomllib.load(file)
    return {
        key: {name: CLIENT_KEYS[name].read(value) for name, value in settings.items()}
        for key, settings in table.items()
    }
