"""The jobs that a worker takes, as they cross the pipe. Both sides know these types, and nothing else of each other."""

from __future__ import annotations

import msgspec

from penstock.core.forms.reading import TextSpec
from penstock.core.forms.rows import RowSpec


class JqQuery(msgspec.Struct, kw_only=True, frozen=True, tag="jq"):
    """``program`` is what the caller wrote, ``run`` what is done with each text, ``tail`` with all that came of it.

    With ``collect`` the outputs are the items of one array. ``rows`` makes an array of objects of a text that is no
    JSON, which is what the program is run on, and is kept under ``key``. ``input`` says in words what the input is.
    """

    program: str
    run: str
    collect: bool = False
    tail: str | None = None
    rows: TextSpec | None = None
    key: str = ""
    input: str = ""


class SqlTable(msgspec.Struct, kw_only=True, frozen=True):
    """A table to load: its ``name``, the names that the query calls it by, and how its rows are made of what is sent
    for it."""

    name: str
    spoken: list[str]
    rows: RowSpec | TextSpec = RowSpec()


class SqlSource(msgspec.Struct, kw_only=True, frozen=True):
    """A result: the ``key`` that its tables are kept under, if they are, and its name as a schema."""

    tables: list[SqlTable]
    key: str = ""
    schema: str = ""


class SqlQuery(msgspec.Struct, kw_only=True, frozen=True, tag="sql"):
    """A query on the tables of one result, or with ``schemas`` of several. ``known`` are the names of all tables there
    are, loaded or not, and ``columns`` tells those of the main one. ``guards`` are views, by their names, that decide
    between tables of the same name. The answer has at most so many ``rows``, and ``output`` bytes of them are sent.
    ``length`` is the size of what is loaded, and ``seconds`` the time that the query itself has."""

    sql: str
    sources: list[SqlSource]
    known: list[str]
    rows: int
    output: int
    seconds: float
    length: int
    schemas: bool = False
    guards: dict[str, str] = {}
    columns: str = ""


class RegexQuery(msgspec.Struct, kw_only=True, frozen=True, tag="regex"):
    """Python's regular expression on one text, from ``start`` on: at most so many matches. ``in_lines`` says that a
    match lies in one line; ``template`` is what takes the place of each match."""

    pattern: str
    ignore_case: bool = False
    in_lines: bool = False
    start: int = 0
    most: int
    template: str | None = None


class RegexMatch(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """The begin and the end of a match, in bytes; and what takes its place."""

    start: int
    end: int
    new: bytes | None = None

    def span(self) -> tuple[int, int]:
        return self.start, self.end


class ParseText(msgspec.Struct, kw_only=True, frozen=True, tag="parse"):
    """``language`` is the one that the text is in, which is to become JSON."""

    language: str


Work = JqQuery | SqlQuery | RegexQuery | ParseText


class Job(msgspec.Struct, kw_only=True, frozen=True):
    """One piece of work for a worker, and the time and memory that it may cost."""

    work: Work
    seconds: float
    memory: int
