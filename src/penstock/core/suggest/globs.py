"""Asking for some files only: by a glob to include or to exclude, or by the directory to look in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from penstock.core.suggest.parameters import Role
from penstock.core.suggest.places import glob_of, has_wildcards, is_absolute

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.suggest.facets import Facets
    from penstock.core.suggest.narrow import Under
    from penstock.core.suggest.parameters import Call, Change, Parameter

EVERYTHING: Final = ("**", "*", "**/*", "**/**")
_FILE_NAME = re.compile(r"[^/\\]+\.[A-Za-z0-9]{1,8}")
_FIXED = re.compile(r"((?:[^*?\[\]{}!/]*/)*)(.*)", re.DOTALL)


def fewer_files(facets: Facets, call: Call) -> Iterator[Change]:
    """The call with a directory or a kind of files included, or with a directory excluded."""
    places = facets.places
    if places is None:
        return
    cost = facets.meter.asked_again
    for under in places.under:
        made = _including(call, under) or _looking_in(call, under)
        if made is not None:
            yield under, made, cost(under.part)
    for ending in places.endings:
        for parameter in call.of(Role.INCLUDE)[:1]:
            given = _patterns(parameter)
            made = _with(call, parameter, [_of_kind(one, ending.extension) for one in given or ["**"]])
            if made is not None:
                yield ending, made, cost(ending.part)
    for without in places.without:
        for parameter in call.of(Role.EXCLUDE)[:1]:
            given = _patterns(parameter)
            made = None if without.pattern in given else _with(call, parameter, [*given, without.pattern])
            if made is not None:
                yield without, made, cost(without.part)


def _patterns(parameter: Parameter) -> list[str | None]:
    """The globs that are in force; None for one that is not to be understood."""
    if parameter.current is None:
        return []
    given = parameter.current if isinstance(parameter.current, list) else [parameter.current]
    return [one if isinstance(one, str) else None for one in given]


def _with(call: Call, parameter: Parameter, globs: list[str | None]) -> dict[str, Any] | None:
    """The call with these globs, as a list or, if it is but one, as a text: as the parameter's name leads to expect."""
    kept = [one for one in globs if one is not None]
    if not kept:
        return None
    several = isinstance(parameter.current, list) or (parameter.plural and not isinstance(parameter.current, str))
    forms: list[Any] = [kept, *kept] if several else [*kept, kept]
    return call.changed(parameter, forms if len(kept) == 1 else [kept])


def _including(call: Call, under: Under) -> dict[str, Any] | None:
    if under.directory is None or has_wildcards(under.directory):
        return None
    found = (
        _with(call, parameter, [_narrowed(one, under, under.directory) for one in _patterns(parameter) or ["**"]])
        for parameter in call.of(Role.INCLUDE)
    )
    return next((made for made in found if made is not None), None)


def _narrowed(pattern: str | None, under: Under, directory: str) -> str | None:
    """The files of a glob that lie under the directory; None when there are none, or they cannot be told."""
    fixed = _FIXED.fullmatch(pattern or "")
    if not pattern or fixed is None:
        return None
    base, files = fixed[1], fixed[2]
    if base.startswith(directory + "/"):
        return pattern
    if not (directory + "/").startswith(base):
        return None
    if files in EVERYTHING:
        files = "**"
    elif "/" in files.removeprefix("**/"):
        return None
    else:
        files = f"**/{files.removeprefix('**/')}"
    return f"{directory}/{files}" if base else glob_of(under, files)


def _of_kind(pattern: str | None, extension: str) -> str | None:
    return f"{pattern}/*{extension}" if pattern is not None and pattern.split("/")[-1] == "**" else None


def _looking_in(call: Call, under: Under) -> dict[str, Any] | None:
    """The call with the directory to look in; one that was given is taken as the place that paths begin at."""
    if under.directory is None:
        return None
    for parameter in call.of(Role.PATH):
        given = parameter.current if not isinstance(parameter.current, list) else (*parameter.current, None)[0]
        directory = _below(given if isinstance(given, str) else "", under.directory)
        if directory is not None:
            forms = ([directory], directory) if parameter.plural else (directory, [directory])
            made = call.changed(parameter, forms)
            if made is not None:
                return made
    return None


def _below(given: str, directory: str) -> str | None:
    place = given.replace("\\", "/").removeprefix("./").rstrip("/")
    if place in ("", ".") or f"{directory}/".startswith(f"{place}/"):
        return directory
    if _FILE_NAME.fullmatch(place.rpartition("/")[2]):
        return None  # one file: there is nothing below it
    if is_absolute(directory):
        return directory if f"/{place.strip('/')}/" in f"{directory}/" else None
    return f"{place}/{directory}"
