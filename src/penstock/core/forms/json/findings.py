"""Findings and matches: records that each point to a place in a file.

A finding has a severity or a rule beside its file; a match has a line or column number. API objects with a state and
dates are neither, whatever fields they have, and a link to documentation is no file.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from penstock.core.forms.json_view import row_words
from penstock.core.forms.path_counts import file_of
from penstock.core.text import counted, split_words

if TYPE_CHECKING:
    from penstock.core.forms.json_view import JsonView
    from penstock.core.forms.reading import Field, Reading

REPEATED: Final = 2  # rows for each file, on average, where nothing but the repetition shows that they are matches

_LINE = re.compile(
    r"(?i)(?:^|[._\]])(?:(?:start|begin|from|end)?_?(?:line|row)_?(?:no|num(?:ber)?|start)?|lineno|col(?:umn)?)$"
)
_SEVERITY = re.compile(r"(?i)(?:^|[._\]])(?:\w*severity|\w*level|risk|criticality|confidence)$")
_RULE = re.compile(r"(?i)(?:^|[._\]])(?:\w*rule(?:_?id|_?name)?|check(?:er)?_?(?:id|name)?|test_?id|cwe|cve|code)$")
_TYPE = re.compile(r"(?i)(?:^|[._\]])(?:type|kind|category)$")
_GRADES: Final = frozenset(
    split_words("fatal exception error warning warn info information note notice hint assert style refactor convention")
)
_LEVELS: Final = frozenset(("log", "debug", "verbose", "trace"))
_API = re.compile(
    r"(?i)(?:^|_)(?:created|updated|closed|merged|started|completed)(?:_?at|_?on|_?date)?$|^(?:state|conclusion)$"
    r"|^(?:first|last)_?(?:seen|occurred|event)$"
)


def read(view: JsonView) -> Reading | None:
    """Read the main table as findings or matches, if its rows are."""
    if not view.tables:
        return None
    main = view.tables[0]
    file = file_of(main) if main.exact else None  # the files of a part of the rows say nothing of all
    if file is None or any(_API.search(field.name) for field in main.fields if "." not in field.name):
        return None
    has_line = any(_LINE.search(one.name) and one.column.is_numeric and _near(one, file) for one in main.fields)
    types = [_types_of(field) for field in main.fields]
    if any(not _LEVELS.isdisjoint(one) for one in types):
        return None  # the entries of a console
    graded = any(_SEVERITY.search(field.name) or _RULE.search(field.name) for field in main.fields) or any(types)
    files = file.column.different
    repeats = files is not None and files * REPEATED <= file.filled
    if not has_line and not (graded and repeats):
        return None
    noun = "findings" if graded else "matches"
    singular = "finding" if graded else "match"
    count = f"{main.count:,} {main.noun}" if main.noun else counted(main.count, singular, noun)
    known = f"{counted(files, 'file')}" if files is not None else f"over {file.column.over:,} files"
    where = row_words(main, noun).partition(" in ")[2]
    text = f"{count} in {known}" + (f", {where}" if where else "")
    return view.reading(noun, text, view.tables)


def _types_of(field: Field) -> set[str]:
    """Return the values of a type that says how bad things are, as linters and consoles have it; none of any other."""
    values = {str(value).lower() for value, _ in field.column.values()} if _TYPE.search(field.name) else set()
    return values if values <= _GRADES | _LEVELS else set()


def _near(line: Field, file: Field) -> bool:
    """Return True if a line belongs to a file: both are in one object, in two that lie side by side, or one in the
    other."""
    inside, around = line.name.rpartition(".")[0], file.name.rpartition(".")[0]
    above = around.rpartition(".")[0]
    return inside in (around, above) or (bool(above) and inside.rpartition(".")[0] == above)
