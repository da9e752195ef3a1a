"""Names and values as SQLite takes them: bare where it can be, as models write them, else in quotes."""

from __future__ import annotations

from typing import Any, Final

from penstock.core.text import split_words


def quoted(name: str) -> str:
    """Return a column's name in SQL, in quotes where it needs them."""
    return name if name.isidentifier() and name.isascii() and name.lower() not in _KEYWORDS else in_quotes(name)


def in_quotes(name: str) -> str:
    """Return the name as SQL takes any name: in double quotes."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: Any) -> str:
    """Return a value in SQL."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(value).replace("inf", "1e999")  # every digit, or it would not be found


_KEYWORDS: Final = frozenset(  # of SQLite
    split_words(
        "abort action add after all alter analyze and as asc attach before begin between by cascade case cast check "
        "collate column commit conflict constraint create cross current database default delete desc detach distinct "
        "do drop each else end escape except exists explain fail filter for foreign from full glob group having if "
        "ignore in index inner insert instead intersect into is isnull join key left like limit match natural no not "
        "null of offset on or order outer over plan pragma primary query raise range recursive references regexp "
        "reindex release rename replace restrict returning right rollback row rows savepoint select set table temp "
        "then to transaction trigger union unique update using vacuum values view virtual when where window with "
        "without"
    )
)
