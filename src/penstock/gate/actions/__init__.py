"""The actions of the fetch tool: one class in a file of its own for each, and the table of them all.

``request``    what an action is given: the arguments of one call, and what the gate does for it
``page_of``    a query's result as one answer, or as pages
The other files are named after their actions. A new action is a class with ``run`` and a line in ``TABLE``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.gate.actions.changes import Changes
from penstock.gate.actions.edit import EditAction
from penstock.gate.actions.filter import Filter
from penstock.gate.actions.get import Get
from penstock.gate.actions.get_page import GetPage
from penstock.gate.actions.info import Info
from penstock.gate.actions.list import List
from penstock.gate.actions.outline import OutlineAction
from penstock.gate.actions.search import Search
from penstock.gate.actions.sql import Sql

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.gate.actions.request import Action

TABLE: Final[Mapping[str, Action]] = {
    "info": Info(),
    "list": List(),
    "get": Get(),
    "get_page": GetPage(),
    "outline": OutlineAction(),
    "filter": Filter(),
    "search": Search(),
    "sql": Sql(),
    "edit": EditAction(),
    "changes": Changes(),
}
