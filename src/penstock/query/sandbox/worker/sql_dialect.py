"""Hints for queries in the words of other databases: what SQLite calls the same."""

from __future__ import annotations

import re
from typing import Final

_FUNCTION = re.compile(r"no such function: (\w+)")
_INSTEAD: Final = {
    **dict.fromkeys(("len", "char_length", "character_length"), "length(x)"),
    **dict.fromkeys(("left", "right", "mid"), "substr(x, 1, 5), substr(x, -5)"),
    **dict.fromkeys(("strpos", "position", "charindex", "locate"), "instr(x, 'text')"),
    **dict.fromkeys(("split_part", "substring_index"), "substr() with instr()"),
    "concat_ws": "concat(a, ', ', b)",
    **dict.fromkeys(("array_agg", "listagg"), "string_agg(x, ', ')"),
    **dict.fromkeys(("regexp_matches", "regexp_like", "regexp_match", "regexp_contains", "rlike"), "x REGEXP 'a+'"),
    **dict.fromkeys(("date_part", "to_char", "date_format", "extract"), "strftime('%Y-%m', x)"),
    **dict.fromkeys(("year", "month", "day", "hour"), "strftime('%Y', x), '%m', '%d', '%H'"),
    **dict.fromkeys(("datediff", "date_diff"), "julianday(a) - julianday(b)"),
    **dict.fromkeys(("now", "getdate", "current_date"), "date('now')"),
    **dict.fromkeys(("to_number", "try_cast", "safe_cast"), "number(x)"),
    **dict.fromkeys(("isnull", "nvl"), "ifnull(x, 0)"),
    **dict.fromkeys(("greatest", "least"), "max(a, b), min(a, b)"),
    **dict.fromkeys(("unnest", "explode", "flatten", "json_table"), "FROM items, json_each(items.x)"),
    **dict.fromkeys(("json_value", "json_query", "get_json_object"), "x ->> '$.a'"),
}
_WORDS: Final = (
    (re.compile(r"\bselect\s+(?:distinct\s+)?top\b|\bfetch\s+first\b", re.IGNORECASE), "LIMIT 5 at the end"),
    (re.compile(r"::\s*[a-z]", re.IGNORECASE), "CAST(x AS REAL)"),
    (re.compile(r"\bextract\s*\(", re.IGNORECASE), "strftime('%Y', x)"),
    (re.compile(r"\binterval\b", re.IGNORECASE), "datetime(x, '+1 day')"),
    (re.compile(r"\bsimilar\s+to\b|!?~\*?\s*'", re.IGNORECASE), "x REGEXP 'a+'"),
    (re.compile(r"\bqualify\b", re.IGNORECASE), "a WHERE around the SELECT with the window"),
    (re.compile(r"\bwithin\s+group\b", re.IGNORECASE), "percentile(x, 90)"),
)


def dialect_hint(message: str, sql: str) -> str:
    """Return ``SQLite has …; `` for a word of another database in a query that SQLite refuses; else nothing."""
    if function := _FUNCTION.match(message):
        instead = _INSTEAD.get(function[1].lower(), "")
    elif "syntax error" in message or "unrecognized token" in message:
        instead = next((instead for word, instead in _WORDS if word.search(sql)), "")
    else:
        instead = ""
    return f"SQLite has {instead}; " if instead else ""
