"""Asking for what is new, or old, by a time in the form that the tool takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.times import SECOND, looks_like_time, parse_time
from penstock.core.suggest.parameters import Role
from penstock.core.suggest.spans import written, written_date

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.suggest.facets import Facets
    from penstock.core.suggest.parameters import Call, Change, Parameter

MILLISECOND: Final = SECOND // 1_000
# These may as well be cursors, offsets or people, so something else must tell that a time is meant.
_VAGUE: Final = frozenset(("after", "from", "start", "before", "to", "end"))
_TIME_WORDS: Final = ("date", "time", "8601", "3339", "epoch")
_EXACT_WORDS: Final = ("8601", "3339", "timestamp", "datetime", "date-time")


def newer_items(facets: Facets, call: Call) -> Iterator[Change]:
    """The call from a time on; where the tool has no such parameter, the call up to a time."""
    spans = facets.spans
    if spans is None:
        return
    for narrowing, role in ((spans.newer, Role.SINCE), (spans.older, Role.UNTIL)):
        if narrowing is None or not narrowing.part.count:
            continue
        for parameter in call.of(role):
            if not _means_time(parameter) or _is_narrower(parameter, narrowing.time, role):
                continue
            made = call.changed(parameter, _forms(parameter, narrowing.time, spans.unit))
            if made is not None:
                yield narrowing, made, facets.meter.asked_again(narrowing.part)
                return


def _means_time(parameter: Parameter) -> bool:
    if parameter.letters not in _VAGUE or looks_like_time(parameter.given):
        return True
    return any(word in parameter.description for word in _TIME_WORDS) or "date" in _formats(parameter.schema)


def _formats(schema: object) -> str:
    """The formats of a schema and of its alternatives, in one text."""
    if not isinstance(schema, Mapping):
        return ""
    alternatives = schema.get("anyOf")
    inner = alternatives if isinstance(alternatives, list) else []
    return " ".join([str(schema.get("format", "")), *map(_formats, inner)])


def _is_narrower(parameter: Parameter, time: int, role: Role) -> bool:
    given = parse_time(parameter.current)
    return given is not None and (given >= time if role is Role.SINCE else given <= time)


def _forms(parameter: Parameter, time: int, unit: int | None) -> list[Any]:
    """The time as the tool may take it, the likeliest first: text, or a number in the data's own unit."""
    texts = [text for text in (written_date(time), written(time)) if text is not None]
    if any(word in parameter.description for word in _EXACT_WORDS):
        texts.reverse()
    if unit is None:
        unit = MILLISECOND if "milli" in parameter.description or parameter.letters.endswith("ms") else SECOND
    return [*texts, -(-time // unit)]
