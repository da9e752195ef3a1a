"""Joins the core, stores and queries: ``Gate.admit`` bounds a result, ``Gate.fetch`` reads a held one.

``gate``          both entrances, for threads and for event loops
``deciding``      the three ways to decide on a result: read, as text, unread; and the filter of a rule before them
``answering``     calls of our own tools, answered from what is held
``keeping``       commit to the store, then name the handle; open what an owner holds
``admitting``     how many results are read as objects at once
``owners``        the owner of each request, for every way in
``records``       a result becomes a record
``held``          a record becomes readable; ``layouts`` keeps those used last
``warming``       calls that are made ahead, and their results for the first call of the same
``looking``       all held results, for the user who runs the store: looking changes nothing
``passing``       held results in the place of the strings that name them, in the arguments of another tool
``filtering``     a tool's result through the jq program of its rule
``comparing``     a result beside the one that the same call gave before
``arguments``     the arguments of our tools, checked
``fair_threads``  work beside an event loop, by turns of its owners
``actions``       one class per action of the fetch tool, and the table of them
``acts``          one class per action of the tool that acts, and the table of them
``data_style``    the answers of the fetch tool in the style ``data``
``tool_results``  the results of our tools
``counting``      figures by tool and by day, written now and then
``outcome``       what the gate did with a result: for metrics and logs
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
