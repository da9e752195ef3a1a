"""Recognises the parameters of a tool by their names: one that picks files, one that sets a time."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.answer.suggestions.schema import Judge
from penstock.core.plain import Plain
from penstock.core.text import split_words
from penstock.core.toolkit.fields import ABSENT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

LONGEST_ARGUMENTS: Final = 1_000  # bytes; a notice repeats the arguments once per suggestion, and must stay short
MOST_PARAMETERS: Final = 200  # a tool with more has been generated, and its names mean little


class Effect(Enum):
    """The effect of a parameter on the answer; its usual names, the clearest first, in letters and digits only."""

    INCLUDE = (
        "includes include includepatterns includepattern globs glob includeglobs includeglob filepatterns filepattern "
        "pathpatterns pathpattern fileglob"
    )
    EXCLUDE = "excludes exclude excludepatterns excludepattern excludeglobs excludeglob ignorepatterns ignore"
    PATH = "path paths directory directories dir folder root rootdir basepath searchpath subdir cwd"
    SINCE = (
        "since starttime startdate datefrom fromdate timefrom fromtime createdafter updatedafter modifiedafter "
        "publishedafter dateafter timemin mindate mintime newerthan after from start"
    )

    @property
    def names(self) -> tuple[str, ...]:
        return split_words(self.value)


class Parameter(Plain, frozen=True, kw_only=True):
    """One parameter: what the schema says of it, and what the call gave for it (``ABSENT`` if nothing)."""

    name: str
    schema: object
    argument: object

    @property
    def letters(self) -> str:
        return letters(self.name)

    @property
    def plural(self) -> bool:
        return self.letters.endswith("s")

    @property
    def description(self) -> str:
        text = self.schema.get("description") if isinstance(self.schema, Mapping) else None
        return text.lower() if isinstance(text, str) else ""

    @property
    def current(self) -> object:
        """Return what is in force: the argument, else the default."""
        if self.argument is not ABSENT and self.argument is not None:
            return self.argument
        return self.schema.get("default") if isinstance(self.schema, Mapping) else None


class AdjustableCall:
    """The call that was answered, and how it may be changed."""

    def __init__(self, arguments: object, schema: object) -> None:
        self.arguments: dict[str, Any] = dict(arguments) if isinstance(arguments, Mapping) else {}
        root = schema if isinstance(schema, Mapping) else {}
        self.judge = Judge(root)
        declared = root.get("properties")
        properties = list(declared.items())[:MOST_PARAMETERS] if isinstance(declared, Mapping) else []
        self.parameters = [
            Parameter(name=name, schema=inner, argument=self.arguments.get(name, ABSENT))
            for name, inner in properties
            if isinstance(name, str)
        ]
        # Single parameters are judged on their own; what is left are rules about which may stand together.
        apart = ("properties", "required", "additionalProperties")
        self._around = {word: inner for word, inner in root.items() if word not in apart}

    def of(self, role: Effect) -> list[Parameter]:
        """Return the parameters with this role: those that the call uses first, then those with the clearest name."""
        names = role.names
        parameters = [one for one in self.parameters if one.letters in names]
        return sorted(parameters, key=lambda one: (one.argument is ABSENT, names.index(one.letters)))

    def named(self, names: Collection[str]) -> list[Parameter]:
        """Return the parameters with one of these names (letters and digits only)."""
        return [one for one in self.parameters if one.letters in names]

    def changed(self, parameter: Parameter, forms: Iterable[Any]) -> dict[str, Any] | None:
        """Return the arguments with the first form of a value that the tool takes; None if there is none, or no
        change."""
        form = next((form for form in forms if self.judge.accepts(parameter.schema, form)), ABSENT)
        made = {**self.arguments, parameter.name: form}
        is_new = form is not ABSENT and made != self.arguments
        return made if is_new and self.judge.accepts(self._around, made) and _is_short(made) else None


def _is_short(arguments: dict[str, Any]) -> bool:
    try:
        return len(msgspec.json.encode(arguments)) <= LONGEST_ARGUMENTS
    except (TypeError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError):
        return False


@lru_cache(maxsize=4_096)  # a tool has the same few names in every call
def letters(name: str) -> str:
    """Return a name without case, underscores and hyphens: maxResults, max_results and max-results are one."""
    return "".join(filter(str.isalnum, name[:100].lower()))
