"""Narrower readings of the held result, as calls to the tool that reads it: these need no schema.

The filters are jq programs that select among the items of the main container. JSON lines are filtered as the array
of their records, which is also how paths count them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from penstock.core.json.path import EACH, render
from penstock.core.suggest.narrow import Alarming, LightPage
from penstock.core.suggest.offer import Offer
from penstock.core.suggest.weights import MOST_LIGHT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.json.index import Container
    from penstock.core.suggest.facets import Facets
    from penstock.core.suggest.narrow import Narrowing
    from penstock.core.suggest.rows import Part, Rows
    from penstock.core.toolkit.fields import FieldPath

PAGE_TOKENS: Final = 5_000  # the usual size of a page; the call names it, so that its cost is known
MATCH_TOKENS: Final = 12  # what the answer to a search says of a line beside the line: where it stands
_ALARMS: Final = ((b"FATAL", b"CRITICAL", b"ERROR"), (b"WARN",))


def readings(facets: Facets, tool: str, handle: str, budget: int) -> Iterator[Offer]:
    """Every narrower reading of the held data, of each kind the better ones first."""
    main, rows = facets.subject.main, facets.rows
    if main is None or not all(step.isprintable() for step in main.path if isinstance(step, str)):
        return
    reading = _Reading(facets, main, tool, handle)
    if rows is not None:
        yield from reading.searches(rows) if main.kind == "lines" else reading.filters(rows)
    yield from reading.lighter(budget)


def literal(value: str | int | bool) -> str:
    """A value as jq writes it: a JSON text, whose backslashes are doubled and so begin no interpolation."""
    return json.dumps(value, ensure_ascii=False)


class _Reading:
    def __init__(self, facets: Facets, main: Container, tool: str, handle: str) -> None:
        self._facets = facets
        self._meter = facets.meter
        self._main = main
        self._tool = tool
        self._handle = handle

    def filters(self, rows: Rows) -> Iterator[Offer]:
        """The items that have a value, lie in a place, or are new."""
        facets = self._facets
        for having in facets.values:
            yield self._filter(having, having.part, f"{_field(rows, having.field)} == {literal(having.value)}")
        if facets.places is not None:
            for under in facets.places.under:
                yield self._filter(under, under.part, _text_test(rows, under.field, "startswith", under.prefix))
            for ending in facets.places.endings:
                yield self._filter(ending, ending.part, _text_test(rows, ending.field, "endswith", ending.extension))
        newer = facets.spans.newer if facets.spans is not None else None
        if newer is not None and newer.literal is not None:
            yield self._filter(newer, newer.part, f"{_field(rows, newer.field)} >= {literal(newer.literal)}")

    def lighter(self, budget: int) -> Iterator[Offer]:
        """All items at once without the heavy fields if they fit then, else their first page."""
        for without in self._facets.heavy:
            tokens = self._meter.filtered(without.part)
            if tokens <= budget:
                yield self._call(without, tokens, action="filter", jq_filter=self._without(without.heavy))
                return
        for without in self._facets.heavy[:1]:
            if self._main.kind != "object" and len(without.light) <= MOST_LIGHT:
                room = min(PAGE_TOKENS, budget)
                fields = [render(path).removeprefix(".") for path in without.light]
                tokens = self._meter.page(without.part, room)
                page = LightPage(without=without)
                yield self._call(page, tokens, action="get_page", page=1, page_tokens=room, fields=fields)

    def searches(self, rows: Rows) -> Iterator[Offer]:
        """The lines that tell of errors; of warnings if there are no errors."""
        lines = [rows.raw(at) for at in range(len(rows.values))]
        for words in _ALARMS:
            having = {word: {at for at, line in enumerate(lines) if word in line} for word in words}
            pattern = "|".join(word.decode() for word in words if having[word])
            if pattern:
                part = rows.part(sorted(set().union(*having.values())))
                tokens = self._meter.filtered(part) + MATCH_TOKENS * part.count
                alarming = Alarming(pattern=pattern, part=part)
                yield self._call(alarming, tokens, action="search", pattern=pattern, context=0)
                return

    def _filter(self, narrowing: Narrowing, part: Part, condition: str) -> Offer:
        if self._main.kind == "object":
            program = _piped(render(self._main.path), f"with_entries(select({condition}))")
        else:
            program = f"[{render((*self._main.path, EACH))} | select({condition})]"
        return self._call(narrowing, self._meter.filtered(part), action="filter", jq_filter=program)

    def _without(self, heavy: tuple[FieldPath, ...]) -> str:
        if self._main.kind == "object":
            return f"del({', '.join(render((*self._main.path, *path)) for path in heavy)})"
        fields = ", ".join(_field(self._facets.rows, path) for path in heavy)
        return f"[{render((*self._main.path, EACH))} | del({fields})]"

    def _call(self, narrowing: Narrowing, tokens: int, **arguments: Any) -> Offer:
        named = {"cache_id": self._handle, **arguments}
        return Offer(narrowing=narrowing, tool=self._tool, arguments=named, tokens=tokens)


def _piped(path: str, program: str) -> str:
    return program if path == "." else f"{path} | {program}"


def _field(rows: Rows | None, field: FieldPath) -> str:
    """The field of an item in jq; where some item may not be an object, or no object around the field, such items
    are passed over instead of being an error."""
    if rows is not None and rows.all_are(dict, field[:-1]):
        return render(field)
    first, *rest = (render((name,)) for name in field)
    return "".join([f"{first}?", *(f"{step.removeprefix('.') if '[' in step else step}?" for step in rest)])


def _text_test(rows: Rows, field: FieldPath, test: str, text: str) -> str:
    owner = [_field(rows, field)] if field else []
    steps = [*owner, *([] if rows.all_are(str, field) else ["strings"]), f"{test}({literal(text)})"]
    return " | ".join(steps)
