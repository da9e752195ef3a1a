"""Read a query as it was meant, where SQLite refuses it or would take it for something else, and say so.

Names of nested columns need no quotes (``user.login``), and no more than their last part if one column has it. A text
in double quotes, and ``'true'`` next to a boolean column, are what they seem to be. Every other query stays as it is.
"""

from __future__ import annotations

import re
import sqlite3
from typing import TYPE_CHECKING, Final

from penstock.core.sql_text import in_quotes, literal
from penstock.core.text import shorten
from penstock.query.sandbox.worker.sql_fault import no_such_column
from penstock.query.sandbox.worker.sql_words import EQUAL, comparisons, name_of, replaced, runs_of, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.query.sandbox.worker.sql_table import Table
    from penstock.query.sandbox.worker.sql_words import Word

MAX_REPAIRS: Final = 20  # Names of one query that are read as others; SQLite names one wrong name at a time.
MIN_WIDE: Final = 19  # Digits of an integer that may need more than 64 bits.
_MISSING = re.compile(r"no such column: (.*)", re.DOTALL)
_QUOTED = re.compile(r"""'((?:[^']|'')*)'|"((?:[^"]|"")*)"|--[^\n]*|/\*.*?(?:\*/|\Z)""", re.DOTALL)

Change = tuple[int, int, str]


class Meaning:
    """One query, which is changed step by step until SQLite takes it. ``notes`` say what was read in another way."""

    def __init__(self, sql: str, tables: Sequence[Table]) -> None:
        self.sql = sql
        self.notes: list[str] = []
        self._tables = tables
        self._columns = {column.name.lower(): column.name for table in tables for column in table.all_columns()}

    def settle(self, database: sqlite3.Connection) -> str:
        """Return the query as SQLite is to run it. Raises what SQLite says of a query that cannot be read."""
        self._settle_values()
        for _ in range(MAX_REPAIRS):
            try:
                program = list(database.execute(f"EXPLAIN {self.sql}"))
            except sqlite3.OperationalError as error:
                if "decode" in str(error):  # Only the plan of a query with bytes that are no text cannot be read.
                    return self.sql
                if not self._repair(str(error)):
                    raise
                continue
            name = self._name_taken_for_text({row[5] for row in program if row[1] == "String8"})
            if name is None:
                return self.sql
            if not self._repair_name(name) and not self._read_as_text(name):
                raise no_such_column(name, self._tables)
        return self.sql

    def _settle_values(self) -> None:
        """Read truths in quotes as truths, and integers of more than 64 bits with all of their digits."""
        columns = [column for table in self._tables for column in table.all_columns()]
        booleans = {one.name.lower() for one in columns if one.is_bool}
        booleans -= {one.name.lower() for one in columns if not one.is_bool}
        wide = {one.name.lower() for one in columns if one.is_wide}
        changes: list[Change] = []
        for one in comparisons(words_of(self.sql)) if booleans or wide else ():
            name = one.name.lower()
            for value in one.literals:
                if name in booleans and (one.operator in EQUAL or one.operator == "in"):
                    if value.lower in ("'true'", "'false'"):
                        changes.append((value.start, value.end, value.text[1:-1]))
                        self._note(f"{one.name} is true or false, so {value.text} was read as {value.text[1:-1]}")
                elif name in wide and value.kind == "number" and value.text.isdigit() and len(value.text) >= MIN_WIDE:
                    changes.append((value.start, value.end, f"'{value.text}'"))
        self.sql = replaced(self.sql, changes)

    def _repair(self, message: str) -> bool:
        """Change a query that SQLite refuses; False if that is not known how."""
        if missing := _MISSING.match(message):
            return self._repair_name(missing[1])
        if "syntax error" not in message:
            return False
        changes = [
            (word.start, word.end, "LIKE")
            for word in words_of(self.sql)
            if word.lower == "ilike" and word.kind == "name"
        ]
        if changes:
            self.sql = replaced(self.sql, changes)
            self._note("ILIKE was read as LIKE, which ignores the case of a to z")
            return True
        runs = [run for _, run in runs_of(words_of(self.sql)) if len(run) > 1]
        return self._rename([run for run in runs if self._quoted_name(run)])

    def _repair_name(self, name: str) -> bool:
        """Read a name that no column has as the column that it is a part of."""
        runs = [run for _, run in runs_of(words_of(self.sql)) if _dotted(run).lower() == name.lower()]
        return self._rename(runs)

    def _rename(self, runs: Sequence[tuple[Word, ...]]) -> bool:
        changes: list[Change] = []
        for run in runs:
            meant = self._quoted_name(run) or self._by_last_part(run)
            if meant is None:
                continue
            table, name = meant
            changes.append((run[0].start, run[-1].end, table + in_quotes(name)))
            self._note(f"{shorten(_dotted(run))} was read as {in_quotes(shorten(name))}")
        self.sql = replaced(self.sql, changes)
        return bool(changes)

    def _quoted_name(self, run: tuple[Word, ...]) -> tuple[str, str] | None:
        """Return the nested column that names with dots between them are, with what stands before it."""
        for at in range(len(run) - 1):
            tail = _dotted(run[at:]).lower()
            if tail in self._columns and self._is_table(run[:at]):
                return _before(run[:at]), self._columns[tail]
        return None

    def _by_last_part(self, run: tuple[Word, ...]) -> tuple[str, str] | None:
        """Return the only column whose last parts are these names, with the table that stands before it."""
        for at in range(len(run)):
            tail = f".{_dotted(run[at:])}".lower()
            found = [name for lower, name in self._columns.items() if lower.endswith(tail)]
            if found:
                return (_before(run[:at]), found[0]) if len(found) == 1 and self._is_table(run[:at]) else None
        return None

    def _is_table(self, run: tuple[Word, ...]) -> bool:
        """Return True if a query has these names elsewhere, as it has those of its tables."""
        wanted = _dotted(run).lower()
        return not run or any(_dotted(one).lower() == wanted for _, one in runs_of(words_of(self.sql)))

    def _name_taken_for_text(self, texts: set[str]) -> str | None:
        """Find a name in double quotes that no table has: SQLite would quietly take it for a text."""
        if '"' not in self.sql:
            return None
        literals = [(match[1], match[2]) for match in _QUOTED.finditer(self.sql)]
        plain = {text for text, _ in literals}
        names = (name.replace('""', '"') for _, name in literals if name is not None)
        return next((name for name in names if name in texts and name not in plain), None)

    def _read_as_text(self, name: str) -> bool:
        """Read a name in double quotes as a text, where it is compared with a column."""
        changes: list[Change] = []
        for one in comparisons(words_of(self.sql)):
            if one.name.lower() in self._columns:
                changes += [
                    (value.start, value.end, literal(name))
                    for value in one.literals
                    if value.text[0] == '"' and name_of(value) == name
                ]
        if changes:
            self._note(f"{in_quotes(shorten(name))} is no column, and was read as the text {literal(shorten(name))}")
        self.sql = replaced(self.sql, changes)
        return bool(changes)

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)


def _dotted(run: Sequence[Word]) -> str:
    return ".".join(map(name_of, run))


def _before(run: Sequence[Word]) -> str:
    return "".join(f"{word.text}." for word in run)
