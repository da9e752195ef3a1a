"""The actions of the second tool, which act: one class in a file of its own for each, and the table of them all.

``request``        what an action is given: the arguments of one call, and what the gate does for it
``export_folder``  a new file, and nothing else, in the folder for exports
``finish``         the calls of a run, made for programs and middleware
``pages``          the rows of one page, and which keys of them repeat
``read_export``    an export as the resource that a client reads
The other files are named after their actions. A new action is a class with ``run`` and a line in ``TABLE``; the setting
``act`` has its name, and ``protocol/tools`` the words for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.gate.acts.drop import Drop
from penstock.gate.acts.export import Export
from penstock.gate.acts.more import More

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.gate.acts.request import ActAction

TABLE: Final[Mapping[str, ActAction]] = {
    "export": Export(),
    "more": More(),
    "drop": Drop(),
}
