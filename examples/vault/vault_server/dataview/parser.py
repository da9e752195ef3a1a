"""From the parts of a query to a ``Query``: its clauses, and where notes come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from vault_server.dataview.expressions import Expressions
from vault_server.dataview.lexer import mistake, unquoted
from vault_server.dataview.query import Column, Order, Query

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from vault_server.catalog import File

    Source = Callable[[File], bool]

CLAUSES: Final = ("FROM", "WHERE", "SORT", "LIMIT")
ABSENT: Final = ("TASK", "CALENDAR", "FLATTEN", "GROUP")
MOST: Final = 1_000_000  # a LIMIT above every vault


def parse(query: str, now: datetime) -> Query:
    """Read a query. ``now`` is what ``date(today)`` and ``date(now)`` are reckoned from."""
    return _Parser(query, now).query()


class _Parser(Expressions):
    def query(self) -> Query:
        kind = self.kind()
        with_id = True
        if self.taken("WITHOUT"):
            self.expect("ID")
            with_id = False
        columns = self.columns(named=kind == "table")
        source: Source | None = None
        where, sort, limit = [], [], None
        while not self.at_end():
            clause = self.clause()
            if clause == "FROM":
                source = self.source()
            elif clause == "WHERE":
                where.append(self.expression())
            elif clause == "SORT":
                sort += self.orders()
            else:
                limit = self.number()
        return Query(
            kind=kind,
            with_id=with_id,
            columns=columns,
            source=source,
            where=tuple(where),
            sort=tuple(sort),
            limit=limit,
        )

    def kind(self) -> Literal["table", "list"]:
        if self.taken("TABLE"):
            return "table"
        if self.taken("LIST"):
            return "list"
        self.refuse_absent()
        raise mistake("TABLE or LIST", self.here.text, self.here.at)

    def clause(self) -> str:
        for word in CLAUSES:
            if self.taken(word):
                if word == "SORT":
                    self.taken("BY")
                return word
        self.refuse_absent()
        raise mistake(" or ".join(CLAUSES), self.here.text, self.here.at)

    def refuse_absent(self) -> None:
        if self.here.says(*ABSENT):
            raise mistake(f"TABLE, LIST, {', '.join(CLAUSES)}, which is all there is", self.here.text, self.here.at)

    def columns(self, *, named: bool) -> tuple[Column, ...]:
        found: list[Column] = []
        if self.at_end() or self.here.says(*CLAUSES, *ABSENT):
            return ()
        while True:
            begin = self.here.at
            value = self.expression()
            name = self.query_text[begin : self.here.at].strip()
            if self.taken("AS"):
                name = self.label()
            found.append(Column(name=name, value=value))
            if not named or not self.taken(","):
                return tuple(found)

    def label(self) -> str:
        part = self.next()
        if part.kind not in ("text", "name"):
            raise mistake("a name behind AS", part.text, part.at)
        return unquoted(part.text) if part.kind == "text" else part.text

    def orders(self) -> list[Order]:
        found: list[Order] = []
        while True:
            value = self.expression()
            descending = self.taken("DESC", "DESCENDING")
            if not descending:
                self.taken("ASC", "ASCENDING")
            found.append(Order(value=value, descending=descending))
            if not self.taken(","):
                return found

    def number(self) -> int:
        part = self.next()
        if part.kind != "number" or "." in part.text or int(part.text) > MOST:
            raise mistake(f"a whole number up to {MOST:,} behind LIMIT", part.text, part.at)
        return int(part.text)

    def source(self) -> Source:
        """``or`` of ``and`` of tags and folders."""
        either = [self.both()]
        while self.taken("OR", "|", "||"):
            either.append(self.both())
        return either[0] if len(either) == 1 else lambda file: any(one(file) for one in either)

    def both(self) -> Source:
        every = [self.place()]
        while self.taken("AND", "&", "&&"):
            every.append(self.place())
        return every[0] if len(every) == 1 else lambda file: all(one(file) for one in every)

    def place(self) -> Source:
        self.enter()
        part = self.next()
        if part.says("-", "!"):
            other = self.place()
            source: Source = lambda file: not other(file)  # noqa: E731
        elif part.says("("):
            source = self.source()
            self.expect(")")
        elif part.kind == "tag":
            source = _tagged(part.text[1:])
        elif part.kind == "text":
            source = _placed(unquoted(part.text).strip("/"))
        else:
            raise mistake('a #tag or a "folder"', part.text, part.at)
        self.leave()
        return source


def _tagged(tag: str) -> Source:
    wanted = tag.lower()
    inside = f"{wanted}/"

    def has(file: File) -> bool:
        for one in file.tags:
            low = one.lower()
            if low == wanted or low.startswith(inside):
                return True
        return False

    return has


def _placed(folder: str) -> Source:
    inside, note = f"{folder}/", {folder, f"{folder}.md"}
    return lambda file: not folder or file.path.startswith(inside) or file.path in note
