"""Asking for some files only: by a glob to include or to exclude, or by the directory to look in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from penstock.core.answer.suggestions.parameters import Effect, letters
from penstock.core.plain import Plain

if TYPE_CHECKING:
    from penstock.core.answer.suggestions.parameters import AdjustableCall, Parameter

EVERYTHING: Final = ("**", "*", "**/*", "**/**")
_COMMANDS: Final = frozenset(("command", "cmd", "script", "code", "args"))
_FILE_NAME = re.compile(r"[^/\\]+\.[A-Za-z0-9]{1,8}")
_WILD = re.compile(r"[*?\[\]{}!,]")
_FIXED = re.compile(r"((?:[^*?\[\]{}!/]*/)*)(.*)", re.DOTALL)


class Folder(Plain, frozen=True, kw_only=True):
    """A folder as people and globs write it, and within the one that all files share."""

    path: str
    inside: str


def including(call: AdjustableCall, folder: Folder) -> dict[str, Any] | None:
    """Return the call for the files in a folder only: by a glob, or by the place to look in."""
    return _including(call, folder) or _looking_in(call, folder)


def excluding(call: AdjustableCall, pattern: str) -> dict[str, Any] | None:
    """Return the call without the files of a glob."""
    for parameter in call.of(Effect.EXCLUDE)[:1]:
        patterns = _patterns(parameter)
        return None if pattern in patterns else _with(call, parameter, [*patterns, pattern])
    return None


def _patterns(parameter: Parameter) -> list[str | None]:
    """Return the globs that are in force; None for one that is not to be understood."""
    if parameter.current is None:
        return []
    patterns = parameter.current if isinstance(parameter.current, list) else [parameter.current]
    return [one if isinstance(one, str) else None for one in patterns]


def _with(call: AdjustableCall, parameter: Parameter, globs: list[str | None]) -> dict[str, Any] | None:
    """Return the call with these globs, as a list or, if it is but one, as a text: as the parameter's name leads to
    expect."""
    kept = [one for one in globs if one is not None]
    if not kept:
        return None
    several = isinstance(parameter.current, list) or (parameter.plural and not isinstance(parameter.current, str))
    forms: list[Any] = [kept, *kept] if several else [*kept, kept]
    return call.changed(parameter, forms if len(kept) == 1 else [kept])


def _including(call: AdjustableCall, under: Folder) -> dict[str, Any] | None:
    if has_wildcards(under.path):
        return None
    calls = (
        _with(call, parameter, [_narrowed(one, under) for one in _patterns(parameter) or ["**"]])
        for parameter in call.of(Effect.INCLUDE)
    )
    return next((made for made in calls if made is not None), None)


def _narrowed(pattern: str | None, under: Folder) -> str | None:
    """Return the files of a glob that lie under the directory; None for none, or if the glob is not understood."""
    fixed = _FIXED.fullmatch(pattern or "")
    if not pattern or fixed is None:
        return None
    base, files, directory = fixed[1], fixed[2], under.path
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


def _looking_in(call: AdjustableCall, under: Folder) -> dict[str, Any] | None:
    """Return the call with the directory to look in; one that was given is taken as the place that paths begin at. The
    directory of a command is none to look in."""
    if not _COMMANDS.isdisjoint(map(letters, call.arguments)):
        return None
    for parameter in call.of(Effect.PATH):
        current = parameter.current if not isinstance(parameter.current, list) else (*parameter.current, None)[0]
        directory = _below(current if isinstance(current, str) else "", under.path)
        if directory is not None:
            forms = ([directory], directory) if parameter.plural else (directory, [directory])
            made = call.changed(parameter, forms)
            if made is not None:
                return made
    return None


def _below(current: str, directory: str) -> str | None:
    place = current.replace("\\", "/").removeprefix("./").rstrip("/")
    if place in ("", ".") or f"{directory}/".startswith(f"{place}/"):
        return directory
    if _FILE_NAME.fullmatch(place.rpartition("/")[2]):
        return None  # one file: there is nothing below it
    if is_absolute(directory):
        return directory if f"/{place.strip('/')}/" in f"{directory}/" else None
    return f"{place}/{directory}"


def glob_of(folder: Folder, files: str = "**") -> str:
    """Return a glob for what lies in a folder; an absolute one is found wherever the tool's globs begin."""
    return f"**/{folder.inside}/{files}" if is_absolute(folder.path) else f"{folder.path}/{files}"


def is_absolute(directory: str) -> bool:
    return directory.startswith("/") or directory[1:2] == ":"


def has_wildcards(directory: str) -> bool:
    """Tell whether a glob would read something else into the name than a name."""
    return _WILD.search(directory) is not None
