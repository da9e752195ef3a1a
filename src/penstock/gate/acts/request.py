"""The request of an action that acts: the arguments of one call, and what the gate does for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.gate.actions.request import FetchRequest

SCHEME: Final = "penstock://export/"  # how the address of an export begins
KNOWN: Final = (
    *("action", "cache_id"),
    *("format", "name", "table", "path", "sql", "jq_filter"),
    *("pages", "tool", "arguments"),
    "all",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ActTerms:
    """What is known of who calls the act tool: whether it is on this machine, so that files can be written for it, and
    whether it knows blocks that link to a resource."""

    is_local: bool = True
    links: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ActRequest:
    """One call of the act tool. ``fetch`` is what an action that reads would be given: the arguments, the owner, and
    how to open a held result. ``drop`` deletes one, and tells whether it was there. An export is a file in ``folder``,
    or without one a resource; with ``links`` the client knows blocks that link to it."""

    fetch: FetchRequest
    act_tool: str
    drop: Callable[[str], bool]
    folder: str | None = None
    links: bool = True


class ActAction(Protocol):
    """One action of the act tool."""

    def run(self, request: ActRequest) -> bytes:
        """Answer a call with an MCP result within its budget. Raises a ``PenstockError`` when that cannot be done."""
