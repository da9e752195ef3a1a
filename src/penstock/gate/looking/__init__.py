"""Look at the held results of all owners without changing anything: for the user who runs the store.

No read is counted, no receipt is written, nothing is evicted later or expires later because a user looked at it. Only
``Looking.remove`` and ``Looking.remove_all`` change the store.

``summaries`` the list of all results
``looking``   that, and one of them opened, asked as the model asks it, or removed
``windows``   rows of a table by their numbers, in the order of the document or of a column
``cells``     the cells of a row as a page or a terminal can show them
``profiles``  what is known of each column
``tree``      the parts of a JSON value, some at a time
``text``      the lines of a text, some at a time
``matches``   where a pattern was found, with the text around it
``queries``   SQL and jq as the model asks them
``coverage``  which parts the model has read, and by which calls
``downloads`` a table or the original, written out piece by piece
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.gate.looking.summaries import HeldSummary

if TYPE_CHECKING:
    from penstock.gate.looking.looking import Looking

__all__ = ["HeldSummary", "Looking"]


def __getattr__(name: str) -> Any:
    """Import ``Looking`` when it is first asked for: a list needs nothing of the core."""
    if name == "Looking":
        from penstock.gate.looking.looking import Looking  # noqa: PLC0415

        return Looking
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
