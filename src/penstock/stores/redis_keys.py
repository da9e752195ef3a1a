"""Names of keys on a Redis or Valkey server. On Redis Cluster the text in braces decides on which node a key lies.

``<prefix>:{<handle>}:<owner>``        a record, one hash: its blocks (``0.17`` is block 17 of stream 0), then its
                                       ``head``, which is written last, and without which nothing can be read
``<prefix>:{<prefix>:books}:<book>``   the books (see ``redis_scripts``), all of them on one node
``<prefix>:{<owner>:<call>}:calls``    the newest handles that an owner holds of a call, by time of creation
``<prefix>:counts``                    the counters of tools
``<prefix>:sizes:<day>``               the sizes of one day (see ``sizes``), until the server forgets it

So all keys of one result lie in one slot, all books in another one, and no command and no script needs two. Each call
has a slot of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.errors import ConfigError
from penstock.stores.handle import Key

if TYPE_CHECKING:
    from penstock.stores.url import Address


class Keys:
    """The keys below one prefix."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.books = f"{prefix}:{{{prefix}:books}}"
        self.counts = f"{prefix}:counts"

    @classmethod
    def of(cls, address: Address) -> Keys:
        prefix = address.options.get("prefix", "penstock")
        if "{" in prefix or "}" in prefix:
            raise ConfigError(
                "the store's prefix has a brace in it, which would place all keys on one node of a Redis Cluster",
                do="write a prefix without { and }",
            )
        return cls(prefix)

    def record(self, key: Key) -> str:
        return f"{self.prefix}:{{{key.handle}}}:{key.owner}"

    def sizes(self, day: int) -> str:
        return f"{self.prefix}:sizes:{day}"

    def call(self, owner: str, call: str) -> str:
        return f"{self.prefix}:{{{owner}:{call}}}:calls"

    def book(self, *parts: str) -> str:
        return ":".join((self.books, *parts))


def member(key: Key) -> str:
    """Return what the books call a record."""
    return f"{key.owner}:{key.handle}"


def key_of_member(written: bytes) -> Key:
    return Key(*written.decode(errors="replace").partition(":")[::2])
