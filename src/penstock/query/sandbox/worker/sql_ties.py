"""Say so if LIMIT cuts a tie: the first row that is left out has the same values in ORDER BY as the last that is shown.
Which of them is shown is then chance."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from penstock.core.text import plain, shorten
from penstock.query.sandbox.worker.sql_words import at, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.query.sandbox.worker.sql_words import Word

_COMPOUND: Final = frozenset(("union", "intersect", "except"))


def tie_note(database: sqlite3.Connection, sql: str, columns: Sequence[str], rows: int) -> str:
    """Return the note for a query that gave so many rows; empty if it cuts no tie."""
    words = [word for word in words_of(sql) if word.text != ";"]
    top = _top_level(words)
    order = _last(words, top, "order")
    limit = _last(words, top, "limit")
    if order is None or limit is None or not order < limit or rows < 1:
        return ""
    most, skipped = _bounds(words[limit + 1 :])
    if most is None or most != rows:
        return ""
    terms = _terms(words[order + 2 : limit], sql)
    start = _last(words[:order], [place for place in top if place < order], "from")
    first = words[0].lower == "select" and not _COMPOUND & {words[place].lower for place in top}
    known = {name.lower(): number for number, name in enumerate(columns)}
    places: list[int] = []
    added: list[str] = []
    for term in terms:
        name = term.strip('"').lower()
        if term.isdigit() and 0 < int(term) <= len(columns):
            places.append(int(term) - 1)
        elif name in known:
            places.append(known[name])
        else:
            places.append(len(columns) + len(added))
            added.append(term)
    if added and (start is None or not first or at(words, 1).lower == "distinct"):
        return ""
    head = sql[: words[limit].start]
    if added and start is not None:
        cut = words[start].start
        head = f"{head[:cut]}, {', '.join(added)} {head[cut:]}"
    with suppress(sqlite3.Error):
        found = database.execute(f"{head} LIMIT 2 OFFSET {skipped + most - 1}").fetchall()
        values = [[row[place] for place in places] for row in found]
        if len(values) > 1 and values[0] == values[1]:
            shown = ", ".join(f"{shorten(term)} {plain(value)}" for term, value in zip(terms, values[0], strict=True))
            return f"LIMIT {most} cuts a tie: the next row also has {shown}"
    return ""


def _top_level(words: Sequence[Word]) -> list[int]:
    """Return the places of the words that stand in no brackets."""
    places, depth = [], 0
    for place, word in enumerate(words):
        depth += (word.text == "(") - (word.text == ")")
        if not depth and word.text != ")":
            places.append(place)
    return places


def _last(words: Sequence[Word], top: Sequence[int], wanted: str) -> int | None:
    return next((place for place in reversed(top) if words[place].lower == wanted), None)


def _bounds(words: Sequence[Word]) -> tuple[int | None, int]:
    """Return how many rows LIMIT lets through, and how many it skips; None if it does not say so in numbers."""
    texts = [word.lower for word in words]
    if len(texts) == 1 and texts[0].isdigit():
        return int(texts[0]), 0
    if len(texts) == 3 and texts[0].isdigit() and texts[2].isdigit() and texts[1] in ("offset", ","):
        return (int(texts[0]), int(texts[2])) if texts[1] == "offset" else (int(texts[2]), int(texts[0]))
    return None, 0


def _terms(words: Sequence[Word], sql: str) -> list[str]:
    """Return what rows are sorted by, without directions."""
    terms: list[str] = []
    depth, start = 0, 0
    for place, word in enumerate([*words, None]):
        if word is not None:
            depth += (word.text == "(") - (word.text == ")")
        if word is None or (word.text == "," and not depth):
            term = list(words[start:place])
            while term and term[-1].lower in ("asc", "desc", "nulls", "first", "last"):
                term.pop()
            if term:
                terms.append(sql[term[0].start : term[-1].end])
            start = place + 1
    return terms
