"""Where the core meets stores and queries: ``Gate.admit`` for what comes from upstream, ``Gate.fetch`` for reading on.

``gate``       the two entrances, and their faces for event loops
``owners``     whose a held result is, for every way in
``keep``       a decision to hold becomes a record, and a record becomes readable again
``arguments``  what a caller of the fetch tool asked for, checked
``fair_threads``  work beside an event loop, by turns of its owners
``actions``    one class per action, and the table of them
``answers``    MCP results with our own words in them
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penstock.gate.gate import Gate

__all__ = ["Gate"]


def __getattr__(name: str) -> Any:
    """Import ``Gate`` when it is first asked for: a gateway that needs only ``owners`` does not wait for the core."""
    if name == "Gate":
        from penstock.gate.gate import Gate  # noqa: PLC0415

        return Gate
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
