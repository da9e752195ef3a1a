"""The question that a tool call carries in the argument ``_ask``: a query that its result answers in the same call.

    "SELECT state, count(*) FROM items GROUP BY 1"      SQL, if it begins with SELECT or WITH
    "map(.name)"                                        any other text is a jq program
    {"search": "timeout", "context": 2}                 a search; other members are arguments of that action
    "all"                                               no query: the whole result, or its full notice

The text of a JSON object is read as the object, because some clients send only texts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from penstock.core.text import plain
from penstock.errors import CallerError

ARGUMENT: Final = "_ask"
KEY: Final = b'"_ask"'  # A message without these bytes has no such argument, so it is not decoded to find out.
WHOLE: Final = "all"
# The property that a tool's input schema gets. Every listed tool pays for it, so the reading tool alone explains it.
PROPERTY: Final = b'{"type":"string"}'
INSTRUCTIONS: Final = (
    'A tool with the argument _ask answers a question about its own result in the same call: _ask is a SQL "SELECT ... '
    'FROM items", a jq program, or {"search": "text"}.'
)
_SQL: Final = re.compile(r"\s*(?:select|with)\b", re.IGNORECASE)
# The members that name the query, with the action of the reading tool and its argument.
_QUERIES: Final = {
    "search": ("search", "pattern"),
    "sql": ("sql", "sql"),
    "jq": ("filter", "jq_filter"),
    "jq_filter": ("filter", "jq_filter"),
}
_FORMS: Final = 'give a SQL SELECT, a jq program, {"search": "text"}, or "all"'


def is_own_argument(schema: Mapping[str, Any] | None) -> bool:
    """Return True if a tool's own input schema has an argument of this name, which the tool then keeps."""
    properties = (schema or {}).get("properties")
    return isinstance(properties, Mapping) and ARGUMENT in properties


def arguments_of(value: Any) -> dict[str, Any]:
    """Return the arguments of the reading tool that the value of ``_ask`` stands for, without a handle. There are none
    if the whole result is wanted. Raises a ``CallerError`` if the value is not a question."""
    if isinstance(value, str):
        value = _object_in(value)
    if isinstance(value, dict):
        return _of_object(value)
    if not isinstance(value, str) or not value.strip():
        raise CallerError(f"{ARGUMENT} is not a question: {plain(value)}", do=_FORMS)
    if value.strip().lower() == WHOLE:
        return {}
    if _SQL.match(value):
        return {"action": "sql", "sql": value}
    return {"action": "filter", "jq_filter": value}


def _object_in(text: str) -> Any:
    """Return the object with a query that a text is the JSON of; else the text."""
    if not text.lstrip().startswith("{"):
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text  # a jq program may begin with a brace
    return value if isinstance(value, dict) and not _QUERIES.keys().isdisjoint(value) else text


def _of_object(value: dict[str, Any]) -> dict[str, Any]:
    named = [name for name in _QUERIES if name in value]
    if len(named) != 1:
        raise CallerError(f"{ARGUMENT} names {len(named)} queries; it can have one", do=_FORMS)
    action, argument = _QUERIES[named[0]]
    others = {name: one for name, one in value.items() if name != named[0]}
    return {**others, "action": action, argument: value[named[0]]}
