"""Divides callers into shares of what all use together: turns at queries, room for bodies, space in the store.

Callers compete as groups first: a principal, or a client address where no credential is shown. The parts of a group,
sessions behind one address, then divide what the group gets. So opening more sessions gains a client nothing from
others.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from penstock.digest import hex_digest

HALF: Final = 8  # bytes of a digest: enough to tell a store's groups, and the parts of a group, from each other


class Share(NamedTuple):
    """One competitor: ``group`` against other groups, ``part`` against other parts of its group."""

    group: str
    part: str = ""

    @property
    def key(self) -> str:
        """Return 32 hexadecimal digits for a store: the first 16 stand for the group, the others for the part."""
        return "".join(hex_digest(one.encode("utf-8", "surrogatepass"), HALF) for one in self)


UNKNOWN: Final = Share("")  # all callers of whom nothing is known, together
