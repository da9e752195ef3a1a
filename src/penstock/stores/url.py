"""Store URLs: ``memory:``, ``sqlite:///path``, ``redis://host:port/db``, with options after a question mark.

``redis+cluster://host:port,host:port`` names some nodes of a Redis Cluster, ``redis+sentinel://host:port,.../name/db``
some Sentinels and what they call the server that they watch; ``rediss`` in place of ``redis`` means TLS.

A URL may hold a password, and errors end up in logs: no message here shows one.
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING, Final
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from penstock.core.plain import Plain
from penstock.core.text import nearest, shorten
from penstock.errors import ConfigError
from penstock.stores.base import StoreLimits
from penstock.stores.state_folder import at_home

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

LIMITS: Final = ("max_bytes", "max_items")
CLUSTER: Final = (*LIMITS, "prefix", "timeout", "replicas")
REDIS: Final = (*CLUSTER, "db")
SENTINEL: Final = (*REDIS, "sentinel_username", "sentinel_password")
TLS: Final = ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile", "ssl_cert_reqs", "ssl_check_hostname")
OPTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "memory": LIMITS,
    "sqlite": LIMITS,
    "redis": REDIS,
    "rediss": (*REDIS, *TLS),
    "unix": REDIS,
    "redis+cluster": CLUSTER,
    "rediss+cluster": (*CLUSTER, *TLS),
    "redis+sentinel": SENTINEL,
    "rediss+sentinel": (*SENTINEL, *TLS),
}


class Address(Plain, frozen=True, kw_only=True):
    """A store URL in parts; ``options`` are known ones, still as they were spelled."""

    parts: SplitResult
    options: Mapping[str, str]

    @property
    def scheme(self) -> str:
        return self.parts.scheme

    @property
    def uses_tls(self) -> bool:
        return self.scheme.startswith("rediss")

    @property
    def credentials(self) -> tuple[str | None, str | None]:
        """Return the user and the password that stand before the hosts."""
        written, at, _ = self.parts.netloc.rpartition("@")
        user, _, password = written.partition(":")
        return (unquote(user) or None, unquote(password) or None) if at else (None, None)

    def hosts(self, port: int) -> list[tuple[str, int]]:
        """Return the hosts, which commas divide, each with its port or this one. Raises a ``ValueError`` for what
        cannot be a host."""
        written = self.parts.netloc.rpartition("@")[2]
        each = [urlsplit(f"//{one}") for one in written.split(",")]
        hosts = [(unquote(one.hostname or "localhost"), port if one.port is None else one.port) for one in each]
        for host, _ in hosts:
            host.encode("idna")  # as the resolver does, which fails for a label too long
        return hosts

    def limits(self, otherwise: StoreLimits) -> StoreLimits:
        return StoreLimits(
            max_bytes=self.whole("max_bytes", otherwise.max_bytes),
            max_items=self.whole("max_items", otherwise.max_items),
        )

    def whole(self, name: str, otherwise: int, *, least: int = 1) -> int:
        """Read an option that is a whole number, by default above zero."""
        text = self.options.get(name)
        if text is None:
            return otherwise
        if not re.fullmatch(r"[0-9]{1,18}", text, re.ASCII) or int(text) < least:
            raise ConfigError(f"the store's {name} is {shorten(text)!r}", do=f"give a whole number above {least - 1}")
        return int(text)

    def file(self) -> Path | None:
        """Return the file that a ``sqlite`` URL names, or None for the default one."""
        path = unquote(self.parts.path)
        # To SQLite this name is a database of one connection, and a store has several: each would forget the others'.
        if ":memory:" in (self.parts.netloc, PurePath(path).name):
            raise ConfigError("the store's URL names no file", do="write memory: to hold results in the process")
        if self.parts.netloc:
            raise ConfigError(
                "the store's URL names a host, but SQLite is a file", do="write three slashes: sqlite:///path"
            )
        if "\0" in path:
            raise ConfigError("the store's path has a NUL in it", do="write it like sqlite:///path")
        if re.match(r"/[A-Za-z]:[/\\]", path):  # sqlite:///C:/held.db
            path = path[1:]
        return at_home(path) if path.strip("/") else None


def parse(url: str) -> Address:
    """Split a URL. An unknown scheme or option raises an error that names the nearest one."""
    try:
        url.encode()  # a lone surrogate could be sent nowhere
        parts = urlsplit(url, allow_fragments=False)
        options = parse_qsl(parts.query, keep_blank_values=True)
    except ValueError as error:  # its message may quote the URL
        raise ConfigError("the store's URL cannot be read", do="write it like sqlite:///path") from error
    if parts.scheme not in OPTIONS or ":" not in url:
        near = nearest(parts.scheme, OPTIONS) or list(OPTIONS)
        raise ConfigError("there is no such store", do=f"start the URL with {_or([f'{one}:' for one in near])}")
    known = OPTIONS[parts.scheme]
    for name, _ in options:
        if name not in known:
            near = nearest(name, known) or list(known)
            raise ConfigError(f"a {parts.scheme} store has no option {shorten(name)!r}", do=f"there is {_or(near)}")
    return Address(parts=parts, options=dict(options))


def _or(names: list[str]) -> str:
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
