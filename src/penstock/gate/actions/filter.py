"""``filter``: a jq program over a held result."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from penstock.core import fit as core
from penstock.core.forms.document import read
from penstock.core.forms.rows import RowSpec
from penstock.core.text import nearest, shorten
from penstock.errors import CallerError, StoreError
from penstock.gate.actions.page_of import paged_result, room_beside
from penstock.gate.actions.request import Rooms
from penstock.gate.records import Origin
from penstock.query.jq.fields import missing_keys
from penstock.query.jq.filter import run_filter
from penstock.query.jq.unmatched import unmatched

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.gate.actions.request import FetchRequest
    from penstock.gate.held import HeldReader
    from penstock.query.sandbox.sandbox import Sandbox

_NAMES: Final = re.compile(r"(?<!\w)(\w++)\??:")  # of a shape


class Filter:
    """The jq result. One that is too large is held under a new handle, unless pages of it are asked for."""

    def run(self, request: FetchRequest) -> bytes:
        opened, arguments = request.opened(), request.arguments
        budget = request.budget(opened)
        rooms = Rooms.of(budget)
        program = arguments.text("jq_filter")
        value = filtered_value(opened, request.sandbox(), program)
        fields = _about(opened, program, value, request.sandbox)
        number = arguments.number("page", 1, least=1)
        held_again = arguments.truth("cache_filtered_result", default=True) and number == 1
        if not held_again or room_beside(rooms.hard, fields).fits(value):
            return paged_result(value, fields, rooms, number)
        tool = opened.held.meta.tool
        holding = replace(budget, always_hold=True, never_hold=False, auto_truncate=False)
        hold = core.fit_document(read(value), holding, core.Call(tool=tool))
        if not isinstance(hold, core.Hold):  # always_hold leaves no other way
            raise StoreError("the filtered result could not be held")
        return request.hold(
            hold,
            Origin(
                tool=tool,
                source=arguments.handle,
                filter=program,
                run=opened.run,
                server=opened.server,
                server_name=opened.server_name,
            ),
        )


def _about(opened: HeldReader, program: str, value: bytes, sandbox: Callable[[], Sandbox]) -> dict[str, Any]:
    """Name the keys that the program asks for and the data does not have, to jq they are null without a word; and the
    comparisons for which a program found nothing."""
    if not (missing := missing_keys(program, opened.source)):
        notes = unmatched(program, value, opened.source, sandbox())
        return {"note": "; ".join(notes)} if notes else {}
    columns = (one.name for table in opened.tables if isinstance(table.rows, RowSpec) for one in table.rows.columns)
    known = dict.fromkeys((*_NAMES.findall(opened.shape), *(name.rpartition(".")[2] for name in columns)))
    near = list(dict.fromkeys(name for key in missing for name in nearest(key, known, 2)))
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return {"note": f"no key {' or '.join(map(shorten, missing))} in the data: jq reads it as null{hint}"}


def filtered_value(opened: HeldReader, sandbox: Sandbox, program: str) -> bytes:
    """Return the jq result as one JSON text. A wrong program is told jq's own words and the shape of the data."""
    try:
        return run_filter(program, opened.source, sandbox).json
    except CallerError as error:
        do = f"{error.do}; " if error.do else ""
        raise CallerError(error.what, do=f"{do}the data is {opened.shape}") from None
