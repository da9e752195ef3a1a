"""Answers within limits, for servers that make their own: which items are shown, and how one budget is shared.

``allocate`` shares one budget between named sections of texts, with pages and cuts. ``select`` shows the most
important, newest or oldest of many items, and counts what is hidden. Both report in snake_case or camelCase
(``Style``). Neither reads or writes anything.
"""

from penstock.core.key_style import Style as Style
from penstock.core.key_style import render as render
from penstock.core.ranking import Strategy as Strategy
from penstock.toolkit.allocate import Allocation as Allocation
from penstock.toolkit.allocate import Item as Item
from penstock.toolkit.allocate import allocate as allocate
from penstock.toolkit.allocate import allocate_pages as allocate_pages
from penstock.toolkit.select import Selection as Selection
from penstock.toolkit.select import select as select
