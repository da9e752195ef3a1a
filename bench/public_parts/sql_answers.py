"""Read the answer to an SQL call as statements about rows: the query says what its rows are, and if they are all."""

from __future__ import annotations

import json
import re
from typing import Any

from bench.public_parts.reading import Cross, Read, Row, Tally

_SELECT = re.compile(
    r"SELECT\s+(?P<distinct>DISTINCT\s+)?(?P<what>.+?)\s+FROM\s+items(?:\s+WHERE\s+(?P<where>.+?))?"
    r"(?:\s+GROUP\s+BY\s+(?P<group>.+?))?(?:\s+ORDER\s+BY\s+.+?)?(?:\s+LIMIT\s+(?P<limit>\d+))?\s*;?",
    re.IGNORECASE | re.DOTALL,
)
_EQUAL = re.compile(r"""("[^"]+"|[\w.]+)\s*=\s*'((?:[^']|'')*)'""")
_COUNT = re.compile(r"count\(\*\)(?:\s+(?:AS\s+)?(\w+))?", re.IGNORECASE)


def read_answer(blocks: list[str], call: dict[str, Any], total: int | None = None) -> Read:
    """Return what the answer to a call states. ``total`` is the number of rows of the table, if the notice states it.

    The answer to a jq filter never says that its rows are all."""
    try:
        answer = json.loads(blocks[0])
    except ValueError:
        return Read()
    result = answer.get("result") if isinstance(answer, dict) else None
    if not isinstance(result, list) or not all(isinstance(one, dict) for one in result):
        return Read()
    rows = [{name: _text(value) for name, value in one.items() if _is_plain(value)} for one in result]
    query = _SELECT.fullmatch(call.get("sql", "").strip())
    is_whole = not answer.get("_pagination", {}).get("has_more")
    if query is None:
        is_known = "sql" in call and re.search(r"\b(?:JOIN|GROUP|DISTINCT)\b", call["sql"], re.IGNORECASE) is not None
        return Read() if is_known else Read(rows=_lines(rows))
    is_limited = query["limit"] is not None and len(rows) >= int(query["limit"])
    is_all = len(rows) == total and not (query["where"] or query["group"] or query["distinct"])
    return _read_select(query, rows, is_whole=is_whole and (is_all or not is_limited))


def _read_select(query: re.Match[str], rows: list[dict[str, str]], *, is_whole: bool) -> Read:
    equal = _EQUAL.fullmatch(query["where"] or "")
    head = None if equal is None else (equal[1].strip('"'), equal[2].replace("''", "'"))
    if query["group"]:
        return _read_groups(query, rows, head, is_whole=is_whole)
    if query["distinct"]:
        names = {name for row in rows for name in row}
        if query["where"] or len(names) != 1:
            return Read()
        name = names.pop()
        tally = Tally(counts={row[name]: None for row in rows if row[name]}, is_complete=is_whole, line=str(rows))
        return Read(tallies={name: tally})
    if head is not None:
        known = [{head[0]: head[1], **row} for row in rows]
        tally = Tally(counts={head[1]: len(rows)}, is_complete=False, line=query[0])
        return Read(rows=_lines(known), tallies={head[0]: tally} if is_whole else {})
    return Read(rows=_lines(rows), total=len(rows) if is_whole and not query["where"] else None)


def _read_groups(
    query: re.Match[str], rows: list[dict[str, str]], head: tuple[str, str] | None, *, is_whole: bool
) -> Read:
    """Return the counts of a query that groups by one or two columns."""
    count = _COUNT.search(query["what"])
    if count is None or not rows or (query["where"] and head is None):
        return Read()
    names = list(rows[0])
    terms = [term.strip().strip('"') for term in query["group"].split(",")]
    columns = [names[int(term) - 1] if term.isdigit() and int(term) <= len(names) else term for term in terms]
    number = count[1] or "count(*)"
    if any(name not in row for row in rows for name in (*columns, number)):
        return Read()
    counts = {tuple(row[name] for name in columns): int(row[number]) for row in rows}
    line = " · ".join(f"{' '.join(key)} ×{n}" for key, n in counts.items())
    if len(columns) == 1 and head is None:
        values: dict[str, int | None] = {key[0]: n for key, n in counts.items() if key[0]}
        absent = sum(n for key, n in counts.items() if not key[0])
        return Read(tallies={columns[0]: Tally(counts=values, is_complete=is_whole, absent=absent, line=line)})
    if head is not None:
        columns, counts = [head[0], *columns], {(head[1], *key): n for key, n in counts.items()}
    if len(columns) != 2:
        return Read()
    across = None if head is None else frozenset((head[1],))
    pairs = {(key[0], key[1]): n for key, n in counts.items()}
    cross = Cross(columns=frozenset(columns), counts=pairs, across=across, is_complete=is_whole, line=line)
    tallies = {name: _tally_of_pairs(pairs, at, line) for at, name in enumerate(columns)}
    return Read(crosses=[cross], tallies=tallies if is_whole and head is None else {})


def _tally_of_pairs(pairs: dict[tuple[str, str], int], at: int, line: str) -> Tally:
    """Return the values of one column of all pairs. A value of several pairs has no count, as nobody added them up."""
    counts: dict[str, int | None] = {}
    absent = 0
    for pair, n in pairs.items():
        value = pair[at]
        if value:
            counts[value] = None if value in counts else n
        else:
            absent += n
    return Tally(counts=counts, is_complete=True, absent=absent, line=line)


def _lines(rows: list[dict[str, str]]) -> list[Row]:
    return [Row(cells=row, line=json.dumps(row, ensure_ascii=False)) for row in rows]


def _is_plain(value: Any) -> bool:
    return not isinstance(value, dict | list)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)
