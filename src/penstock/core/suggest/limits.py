"""Asking for fewer items, or for a shorter text."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from penstock.core.forms.document import Kind
from penstock.core.suggest.narrow import First, Short
from penstock.core.suggest.parameters import Role
from penstock.core.suggest.rows import SAMPLE_ROWS, Part, few, scattered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.suggest.facets import Facets
    from penstock.core.suggest.parameters import Call, Change, Parameter

TOKEN: Final = 4  # characters, as nearly every tool counts its own tokens


def fewer_items(facets: Facets, call: Call) -> Iterator[Change]:
    """The call with a limit, of as many items as fit."""
    main = facets.subject.main
    if main is None or (main.kind == "object" and facets.rows is None):
        return
    fitting = bisect_right(main.starts, main.starts[0] + facets.meter.first_bytes(facets.room)) - 1
    for parameter in [*call.of(Role.LIMIT), *(call.of(Role.LINES) if main.kind == "lines" else ())]:
        limit = _whole(parameter.current)
        if limit is not None and limit < main.count:
            continue  # whatever it limits, it is not the number of these items
        number = rounded(min(fitting, main.count - 1))
        if number < 1:
            continue
        made = call.changed(parameter, (number, str(number)), _same_page(call, limit or main.count, number))
        if made is not None:
            sample = few(facets.subject.items([*scattered(number, SAMPLE_ROWS)]))
            part = Part(count=number, size=main.span(0, number), sample=sample)
            yield First(part=part), made, facets.meter.asked_again(part)
            return


def shorter_text(facets: Facets, call: Call) -> Iterator[Change]:
    """The call with a length, in characters or in the tool's own tokens, for results that are text."""
    if facets.subject.document.kind is not Kind.TEXT:
        return
    cost = facets.meter.per_character
    for role, unit, each in ((Role.LENGTH, "characters", cost), (Role.TOKENS, "tokens by its count", cost * TOKEN)):
        for parameter in call.of(role):
            length = rounded(int(facets.room / each))
            made = None if _is_below(parameter, length) else call.changed(parameter, (length, str(length)))
            if made is not None:
                yield Short(length=length, unit=unit), made, facets.meter.left(length * each / facets.meter.whole)
                return


def rounded(number: int) -> int:
    """A little less, as people would say it: 7, 17, 73, 148, 14,917 become 7, 15, 70, 125, 12,500."""
    unit = int(10 ** (len(str(number)) - 1))
    step = max(1, unit // (4 if 100 <= number < 2 * unit else 2))
    return number // step * step


def _same_page(call: Call, limit: int, number: int) -> dict[str, int]:
    """Where the caller asked for a later page, the smaller page that begins no later."""
    for parameter in call.of(Role.PAGE):
        page = _whole(parameter.given)
        if page is not None and page > 1:
            return {parameter.name: (page - 1) * limit // number + 1}
    return {}


def _is_below(parameter: Parameter, length: int) -> bool:
    current = _whole(parameter.current)
    return current is not None and current <= length


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
