"""The request of an action that acts: the arguments of one call, and what the gate does for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from penstock.gate.passing import Target

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.config.model import Rule
    from penstock.gate.actions.request import FetchRequest
    from penstock.gate.acts.more import PageRun

SCHEME: Final = "penstock://export/"  # how the address of an export begins
KNOWN: Final = (
    *("action", "cache_id"),
    *("format", "name", "table", "path", "sql", "jq_filter"),
    *("pages", "tool", "arguments"),
    "all",
)


def unknown_tool(tool: str) -> Target:
    """Return a tool of which nothing is known."""
    return Target(tool=tool)


@dataclass(frozen=True, slots=True, kw_only=True)
class ActTerms:
    """The abilities of the client that calls the act tool: whether it is on this machine, so that files can be written
    for it, and whether it knows blocks that link to a resource. ``target_of`` tells what is known of another tool."""

    is_local: bool = True
    links: bool = True
    target_of: Callable[[str], Target] = unknown_tool


@dataclass(frozen=True, slots=True, kw_only=True)
class ActRequest:
    """One call of the act tool. ``fetch`` is what an action that reads would be given: the arguments, the owner, and
    how to open a held result. ``drop`` deletes one, and tells whether it was there. An export is a file in ``folder``,
    or without one a resource. ``rule_for`` has the settings of a tool; ``note`` is for
    the log, which has neither handles nor content."""

    fetch: FetchRequest
    act_tool: str
    drop: Callable[[str], bool]
    terms: ActTerms
    folder: str | None
    clock: Callable[[], float]
    rule_for: Callable[[str], Rule]
    note: Callable[[str], None]


class ActAction(Protocol):
    """One action of the act tool."""

    def run(self, request: ActRequest) -> bytes | PageRun:
        """Answer a call with an MCP result within its budget, or return what has to be called first. Raises a
        ``PenstockError`` when that cannot be done."""
