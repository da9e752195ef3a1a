"""Narrower calls to the tool itself: the call that was made, with one argument changed or added.

Only parameters that the tool's schema has are used, with values that it accepts, and what the caller has narrowed
already is not loosened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.core.suggest.globs import fewer_files
from penstock.core.suggest.limits import fewer_items, shorter_text
from penstock.core.suggest.moments import newer_items
from penstock.core.suggest.offer import Offer
from penstock.core.suggest.parameters import Role
from penstock.core.suggest.weights import MOST_LIGHT
from penstock.core.suggest.words import letters
from penstock.core.toolkit.fields import ABSENT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.suggest.facets import Facets
    from penstock.core.suggest.narrow import Having, Without
    from penstock.core.suggest.parameters import Call, Change, Parameter

# A switch is told by its verb and what it switches on: include_content, withBody, show_diff.
_VERBS: Final = ("include", "with", "show", "return", "fetch", "get", "")
_CONTENT: Final = frozenset(("content", "contents", "text", "body", "source", "snippet", "html", "code"))


def narrower_calls(facets: Facets, call: Call, tool: str) -> Iterator[Offer]:
    """Every narrower call that the tool's parameters allow, of each kind the better ones first."""
    for narrow in (_values, fewer_files, newer_items, fewer_items, shorter_text, _fields, _switches, _depths):
        for narrowing, arguments, tokens in narrow(facets, call):
            yield Offer(narrowing=narrowing, tool=tool, arguments=arguments, tokens=tokens)


def _values(facets: Facets, call: Call) -> Iterator[Change]:
    for having in facets.values:
        for parameter in call.named(_names(having)):
            if not _is_open(parameter, having.value):
                continue
            made = call.changed(parameter, _spellings(call, parameter, having.value))
            if made is not None:
                yield having, made, facets.meter.asked_again(having.part)
                break


def _names(having: Having) -> set[str]:
    """What a parameter for the field may be called: as the field, or in the plural."""
    names = {letters(having.field[-1]), letters("".join(having.field))}
    plurals = {name + "s" for name in names} | {name + "es" for name in names} | {name[:-1] + "ies" for name in names}
    return (names | plurals) - {""}


def _is_open(parameter: Parameter, value: object) -> bool:
    """Whether asking for the value narrows: nothing was asked for yet, or several values of which it is one."""
    current = parameter.current
    if isinstance(current, list) and current:
        return value in current and len(current) > 1
    return (parameter.given is ABSENT or parameter.given is None or current == []) and current != value


def _spellings(call: Call, parameter: Parameter, value: object) -> list[Any]:
    """The value as it is, or as the schema spells it, alone or in a list."""
    word = str(value).casefold()
    known = [
        one for one in call.judge.choices(parameter.schema) if str(one).casefold() == word and type(one) is type(value)
    ]
    alone = [value, *known]
    lists = [[one] for one in alone]
    return [*lists, *alone] if parameter.plural else [*alone, *lists]


def _fields(facets: Facets, call: Call) -> Iterator[Change]:
    for without in facets.heavy:
        for parameter in call.of(Role.FIELDS)[:1]:
            names = _light_names(without, call, parameter)
            if names:
                made = call.changed(parameter, (names, ",".join(names)))
                if made is not None:
                    yield without, made, facets.meter.asked_again(without.part)


def _light_names(without: Without, call: Call, parameter: Parameter) -> list[str]:
    """The fields to ask for: those that were asked for, or all that the schema lists or the data has, but the heavy."""
    heavy = {path[0] for path in without.heavy}
    if any(len(path) > 1 for path in without.heavy) or len(without.light) > MOST_LIGHT:
        return []
    given = parameter.current
    asked = given.split(",") if isinstance(given, str) else given if isinstance(given, list) else None
    if asked:
        names = [name.strip() for name in asked if isinstance(name, str)]
        return [name for name in names if name not in heavy] if heavy & set(names) else []
    choices = list(call.judge.choices(parameter.schema))
    names = [path[0] for path in without.light if len(path) == 1 and "," not in path[0]]
    return [name for name in names if name in choices] if choices else names


def _switches(facets: Facets, call: Call) -> Iterator[Change]:
    """The call without what a switch adds: the heaviest field, or what lies below the first level."""
    for without in facets.heavy[:1]:
        adding = [one for one in call.parameters if _adds(one, letters(without.heavy[0][-1]))]
        for parameter in [*adding, *call.of(Role.VERBOSE)]:
            made = _off(call, parameter)
            if made is not None:
                yield without, made, facets.meter.asked_again(without.part)
                break
    direct = facets.places.direct if facets.places is not None else None
    for parameter in call.of(Role.RECURSIVE):
        made = _off(call, parameter)
        if made is not None and facets.levels:
            yield facets.levels[-1], made, facets.meter.left(facets.levels[-1].share)
        elif made is not None and direct is not None:
            yield direct, made, facets.meter.asked_again(direct.part)


def _adds(parameter: Parameter, field: str) -> bool:
    """Whether a switch adds the field: include_html adds raw_html, and include_content whatever holds the content."""
    for verb in _VERBS:
        name = parameter.letters.removeprefix(verb)
        if name and parameter.letters.startswith(verb) and (field.endswith(name) or {field, name} <= _CONTENT):
            return True
    return False


def _off(call: Call, parameter: Parameter) -> dict[str, Any] | None:
    return call.changed(parameter, (False,)) if parameter.current is True else None


def _depths(facets: Facets, call: Call) -> Iterator[Change]:
    for level in facets.levels:
        for parameter in call.of(Role.DEPTH)[:1]:
            current = parameter.current
            made = call.changed(parameter, (level.depth,))
            if made is not None and not (isinstance(current, int) and current <= level.depth):
                yield level, made, facets.meter.left(level.share)
