"""All that was learned of a document to narrow it by, and how to say it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.core.suggest.narrow import Wording
from penstock.core.suggest.places import find_places
from penstock.core.suggest.rows import read_rows
from penstock.core.suggest.spans import find_spans
from penstock.core.suggest.values import frequent_values
from penstock.core.suggest.weights import heavy_fields, tree_levels

if TYPE_CHECKING:
    from penstock.core.subject import Subject
    from penstock.core.suggest.cost import Meter
    from penstock.core.suggest.narrow import Having, Shallow, Without
    from penstock.core.suggest.places import Places
    from penstock.core.suggest.rows import Rows
    from penstock.core.suggest.spans import Spans

ROOM: Final = 0.85  # of the budget is filled where the size can be chosen: estimates are not exact
LONGEST_NOUN: Final = 24  # characters of a key that is used as a word


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """What there is to narrow by. ``room`` is the part of the budget to fill, in tokens."""

    subject: Subject
    meter: Meter
    room: int
    rows: Rows | None
    values: list[Having]
    places: Places | None
    spans: Spans | None
    heavy: list[Without]
    levels: list[Shallow]
    wording: Wording


def learn(subject: Subject, meter: Meter, budget: int) -> Facets:
    """Look into the items for everything that may narrow them."""
    rows = read_rows(subject)
    room = int(budget * ROOM)
    return Facets(
        subject=subject,
        meter=meter,
        room=room,
        rows=rows,
        values=[] if rows is None else frequent_values(rows),
        places=None if rows is None else find_places(rows),
        spans=None if rows is None else find_spans(rows, room / meter.per_byte),
        heavy=heavy_fields(subject, rows),
        levels=tree_levels(subject),
        wording=_wording(subject, rows),
    )


def _wording(subject: Subject, rows: Rows | None) -> Wording:
    """The items are called by the key that they stand under, if it is a word in the plural."""
    main = subject.main
    if main is None:
        return Wording(noun="items", total=0, exact=True)
    names = [step for step in main.path if isinstance(step, str)]
    noun = {"lines": "lines", "records": "records"}.get(main.kind, "items")
    if names and names[-1].isidentifier() and names[-1].endswith("s") and len(names[-1]) <= LONGEST_NOUN:
        noun = names[-1]
    return Wording(noun=noun, total=main.count, exact=rows is None or rows.exact)
