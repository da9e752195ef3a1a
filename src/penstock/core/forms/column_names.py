"""Names of columns that are next to the rows of a table: ``{"columns": ["time", "use"], "rows": [[1, 0.5], ...]}``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.json_values import value_of
from penstock.core.tables.roles import LEXICON, Role

if TYPE_CHECKING:
    from penstock.core.forms.document import Document
    from penstock.core.forms.structure import Place, Structure
    from penstock.core.json.path import Path

# The fields that name a column, the clearest first.
NAMING: Final = (*LEXICON[Role.LABEL], *LEXICON[Role.ID])
_FIRST_WORD = re.compile(r"[A-Z]?[a-z]*")


def column_name(value: Any) -> str:
    """Return the name of a column: a text, or the name of an object that describes the column. Return an empty text if
    there is no name."""
    if isinstance(value, dict):
        value = next((value[name] for name in NAMING if isinstance(value.get(name), str)), "")
    return value if isinstance(value, str) else ""


def are_names(names: list[str]) -> bool:
    """Return True if these can be the names of columns: none is empty, and no two are equal in lower case."""
    return all(names) and len({name.lower() for name in names}) == len(names)


def names_beside(document: Document, structure: Structure, outer: Path, width: int, own: str = "") -> list[str]:
    """Return the names of ``width`` columns for the rows at a path: an array of as many names next to the rows, or
    inside an object next to them. If there are several, the name of the array has to begin with the same word as
    ``own``, the name of the columns. Return no names if there are none, or if it is not certain which are right.
    """
    if not outer:
        return []
    above = structure.root
    for step in outer[:-1]:
        above = above.fields[str(step)]
    near = [(name, inner) for name, inner in above.fields.items() if name != outer[-1]]
    arrays: list[tuple[Path, Place]] = [((name,), inner) for name, inner in near]
    arrays += [((name, deeper), one) for name, inner in near for deeper, one in inner.fields.items()]
    choices: dict[str, list[str]] = {}
    for path, one in arrays:
        if one.arrays == 1 and one.items == width:
            names = [column_name(value) for value in value_of(document, (*outer[:-1], *path))]
            if are_names(names):
                choices[str(path[-1])] = names
    if len(choices) > 1:
        choices = {name: names for name, names in choices.items() if _first_word(name) == _first_word(own)}
    return next(iter(choices.values())) if len(choices) == 1 else []


def _first_word(name: str) -> str:
    return "".join(_FIRST_WORD.findall(name)[:1]).lower()
