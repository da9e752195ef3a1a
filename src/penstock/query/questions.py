"""What is asked of a worker, as it crosses the pipe. Both sides know these words, and nothing else of each other."""

from __future__ import annotations

import msgspec

from penstock.core.forms.reading import TextSpec
from penstock.core.forms.rows import RowSpec


class JqQuestion(msgspec.Struct, kw_only=True, frozen=True, tag="jq"):
    """``program`` is what the caller wrote, ``run`` what is done with each text, ``tail`` with all that came of it.

    With ``collect`` the outputs are the items of one array. ``rows`` makes an array of objects of a text that is no
    JSON, which is what the program is run on.
    """

    program: str
    run: str
    collect: bool = False
    tail: str | None = None
    rows: TextSpec | None = None


class SqlTable(msgspec.Struct, kw_only=True, frozen=True):
    """A table to load: its ``name``, other names for it, and how its rows are made of what is sent for it."""

    name: str
    rows: RowSpec | TextSpec = RowSpec()
    others: list[str] = []


class SqlQuestion(msgspec.Struct, kw_only=True, frozen=True, tag="sql"):
    """``known`` are the names of all tables there are, loaded or not. ``length`` is the size of what is loaded, and
    ``seconds`` the time that the query itself has."""

    sql: str
    tables: list[SqlTable]
    known: list[str]
    rows: int
    seconds: float
    length: int


class ParseQuestion(msgspec.Struct, kw_only=True, frozen=True, tag="parse"):
    """``language`` is the one that the text is in, which is to become JSON."""

    language: str


class Job(msgspec.Struct, kw_only=True, frozen=True):
    """A question, and what answering it may cost."""

    question: JqQuestion | SqlQuestion | ParseQuestion
    seconds: float
    memory: int
