"""Asking for what is new, by a time in the form that the tool takes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from penstock.core.answer.suggestions.parameters import Effect, letters
from penstock.core.forms.times import SECOND, looks_like_time, parse_time

if TYPE_CHECKING:
    from penstock.core.answer.suggestions.parameters import AdjustableCall, Parameter

MILLISECOND: Final = SECOND // 1_000
DAY: Final = 86_400 * SECOND
# These may as well be cursors, offsets or people, so something else must tell that a time is meant.
_VAGUE: Final = frozenset(("after", "from", "start", "before", "to", "end"))
_ROOTS: Final = ("creat", "updat", "modif", "publish", "clos", "merg", "start", "complet", "finish", "due", "seen")
_TIME_WORDS: Final = ("date", "time", "8601", "3339", "epoch")
_EXACT_WORDS: Final = ("8601", "3339", "timestamp", "datetime", "date-time")


def since(call: AdjustableCall, time: int, field: str) -> dict[str, Any] | None:
    """Return the call for what is from a time on, by the parameter that means the field."""
    for parameter in call.of(Effect.SINCE):
        if _means_time(parameter) and _means(parameter, field) and not _is_narrower(parameter, time):
            return call.changed(parameter, _forms(parameter, time))
    return None


def _means(parameter: Parameter, field: str) -> bool:
    """Tell whether a parameter is about the field: it says so, or says nothing of any other."""
    word = letters(field)
    spoken = [root for root in _ROOTS if root in parameter.letters or root in parameter.description]
    return any(root in word for root in spoken) if spoken else not any(root in word for root in _ROOTS[1:])


def _means_time(parameter: Parameter) -> bool:
    if parameter.letters not in _VAGUE or looks_like_time(parameter.argument):
        return True
    return any(word in parameter.description for word in _TIME_WORDS) or "date" in _formats(parameter.schema)


def _formats(schema: object) -> str:
    """Return the formats of a schema and of its alternatives, in one text."""
    if not isinstance(schema, Mapping):
        return ""
    alternatives = schema.get("anyOf")
    inner = alternatives if isinstance(alternatives, list) else []
    return " ".join([str(schema.get("format", "")), *map(_formats, inner)])


def _is_narrower(parameter: Parameter, time: int) -> bool:
    bound = parse_time(parameter.current)
    return bound is not None and bound >= time


def _forms(parameter: Parameter, time: int) -> list[Any]:
    """Return the time as the tool may take it, the likeliest first: text, or a number in the parameter's unit."""
    texts = [text for text in (written_date(time), written(time)) if text is not None]
    if any(word in parameter.description for word in _EXACT_WORDS):
        texts.reverse()
    unit = MILLISECOND if "milli" in parameter.description or parameter.letters.endswith("ms") else SECOND
    return [*texts, -(-time // unit)]


def written(time: int) -> str:
    """Return the time as RFC 3339 has it, in UTC."""
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=time // 1_000)
    return moment.isoformat().replace("+00:00", "Z")


def written_date(time: int) -> str | None:
    """Return the time as a date, if a day begins with it."""
    return written(time)[:10] if time % DAY == 0 else None
