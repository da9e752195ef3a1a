"""From the parts of a query to a ``Query``: its clauses, and where notes come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from vault_server.dataview import query as commands
from vault_server.dataview.expressions import Expressions, link_text
from vault_server.dataview.lexer import mistake, unquoted
from vault_server.dataview.query import Column, Order, Query

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from vault_server.catalog import File
    from vault_server.dataview.query import Command, Expression, Source
    from vault_server.dataview.rows import Page, Pages

KINDS: Final = ("TABLE", "LIST", "TASK", "CALENDAR")
CLAUSES: Final = ("FROM", "WHERE", "SORT", "GROUP", "FLATTEN", "LIMIT")
MOST: Final = 1_000_000  # a LIMIT above every vault


def parse(query: str, now: datetime) -> Query:
    """Read a query. ``now`` is what ``date(today)`` and ``date(now)`` are reckoned from."""
    return _Parser(query, now).query()


class _Parser(Expressions):
    def query(self) -> Query:
        kind = self.one_of(KINDS)
        with_id = True
        if self.taken("WITHOUT"):
            self.expect("ID")
            with_id = False
        columns = () if kind == "TASK" else self.columns(named=kind == "TABLE")
        if kind == "CALENDAR" and not columns:
            raise mistake("a date behind CALENDAR, as file.ctime", self.here.text, self.here.at)
        source: Source | None = None
        steps: list[Command] = []
        while not self.at_end():
            clause = self.one_of(CLAUSES)
            if clause == "FROM":
                source = self.source()
            else:
                steps.append(self.command(clause))
        small = {"TABLE": "table", "LIST": "list", "TASK": "task", "CALENDAR": "calendar"}
        return Query(
            kind=small[kind],  # type: ignore[arg-type]
            with_id=with_id,
            columns=columns,
            source=source,
            commands=tuple(steps),
        )

    def command(self, clause: str) -> Command:
        if clause == "WHERE":
            return commands.where(self.expression())
        if clause == "LIMIT":
            return commands.limit(self.number())
        if clause == "SORT":
            self.taken("BY")
            return commands.sort(self.orders())
        if clause == "GROUP":
            self.expect("BY")
        value, name = self.named()
        return commands.group(value, name) if clause == "GROUP" else commands.flatten(value, name)

    def one_of(self, words: tuple[str, ...]) -> str:
        for word in words:
            if self.taken(word):
                return word
        raise mistake(" or ".join(words), self.here.text, self.here.at)

    def named(self) -> tuple[Expression, str]:
        """Parse an expression, and the name that it goes by: that behind AS, else as it is written."""
        begin = self.here.at
        value = self.expression()
        name = self.query_text[begin : self.here.at].strip()
        return value, self.label() if self.taken("AS") else name

    def columns(self, *, named: bool) -> tuple[Column, ...]:
        columns: list[Column] = []
        if self.at_end() or (self.here.says(*CLAUSES) and not self.is_call()):
            return ()
        while True:
            value, name = self.named()
            columns.append(Column(name=name, value=value))
            if not named or not self.taken(","):
                return tuple(columns)

    def label(self) -> str:
        part = self.next()
        if part.kind not in ("text", "name"):
            raise mistake("a name behind AS", part.text, part.at)
        return unquoted(part.text) if part.kind == "text" else part.text

    def orders(self) -> list[Order]:
        orders: list[Order] = []
        while True:
            value = self.expression()
            descending = self.taken("DESC", "DESCENDING")
            if not descending:
                self.taken("ASC", "ASCENDING")
            orders.append(Order(value=value, descending=descending))
            if not self.taken(","):
                return orders

    def number(self) -> int:
        part = self.next()
        if part.kind != "number" or "." in part.text or int(part.text) > MOST:
            raise mistake(f"a whole number up to {MOST:,} behind LIMIT", part.text, part.at)
        return int(part.text)

    def source(self) -> Source:
        """Parse ``or`` of ``and`` of tags, folders and links."""
        either = [self.both()]
        while self.taken("OR", "|", "||"):
            either.append(self.both())
        return either[0] if len(either) == 1 else lambda pages, file: any(one(pages, file) for one in either)

    def both(self) -> Source:
        every = [self.place()]
        while self.taken("AND", "&", "&&"):
            every.append(self.place())
        return every[0] if len(every) == 1 else lambda pages, file: all(one(pages, file) for one in every)

    def place(self) -> Source:
        self.enter()
        part = self.next()
        if part.says("-", "!"):
            other = self.place()
            source: Source = lambda pages, file: not other(pages, file)  # noqa: E731
        elif part.says("("):
            source = self.source()
            self.expect(")")
        elif part.kind == "tag":
            source = _tagged(part.text[1:])
        elif part.kind == "text":
            source = _placed(unquoted(part.text).strip("/"))
        elif part.kind == "link":
            source = _linking_to(link_text(part))
        elif part.says("OUTGOING"):
            self.expect("(")
            link = self.next()
            if link.kind != "link":
                raise mistake("outgoing([[note]])", link.text, link.at)
            source = _linked_from(link_text(link))
            self.expect(")")
        else:
            raise mistake('a #tag, a "folder", [[note]] or outgoing([[note]])', part.text, part.at)
        self.leave()
        return source


def _tagged(tag: str) -> Source:
    wanted = tag.lower()
    inside = f"{wanted}/"

    def has(_: Pages, file: File) -> bool:
        return any(tag == wanted or tag.startswith(inside) for tag in map(str.lower, file.tags))

    return has


def _placed(folder: str) -> Source:
    inside, note = f"{folder}/", {folder, f"{folder}.md"}

    def has(_: Pages, file: File) -> bool:
        return not folder or file.path.startswith(inside) or file.path in note

    return has


def _linking_to(target: str) -> Source:
    """Find the notes that link to a note. A note may be linked to before it is written: then those that name it."""
    return lambda pages, file: file.path in _once(pages, ("to", target), lambda: _sources(pages, target))


def _linked_from(source: str) -> Source:
    return lambda pages, file: file.path in _once(pages, ("from", source), lambda: _targets(pages, source))


def _once(pages: Pages, key: tuple[str, str], find: Callable[[], set[str]]) -> set[str]:
    if key not in pages.source_paths:
        pages.source_paths[key] = find()
    return pages.source_paths[key]


def _sources(pages: Pages, target: str) -> set[str]:
    page = _note(pages, target)
    return {*(pages.links.naming(target) if page is None else pages.links.incoming(page.path))}


def _targets(pages: Pages, source: str) -> set[str]:
    page = _note(pages, source)
    return set() if page is None else {link.path for link in pages.links.outgoing(page.file)}


def _note(pages: Pages, name: str) -> Page | None:
    page = pages.behind(pages.linked(name))
    if page is None:
        pages.missing[name] = None
    return page
