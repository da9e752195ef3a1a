"""Run a jq program on a held result, in a worker process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.core.json.index import BATCH
from penstock.errors import CallerError
from penstock.query.answer import FilterResult
from penstock.query.asked import check_asked
from penstock.query.process import Text
from penstock.query.program import Each, plan, uses_modules
from penstock.query.questions import JqQuestion
from penstock.query.sandbox import Load
from penstock.query.source import whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.json.index import Container, Index, Read
    from penstock.core.json.path import Path
    from penstock.query.sandbox import Sandbox
    from penstock.query.source import Source

OBJECTS: Final = 4  # bytes of JSON for each byte of a text whose rows become objects
LONGEST: Final = 20_000  # characters of a program; nobody writes longer ones by hand, and compiling takes time


def run_filter(program: str, source: Source, sandbox: Sandbox, *, batch: int = BATCH) -> FilterResult:
    """All outputs of the program. A wrong one raises ``CallerError`` with jq's own words.

    A large array that the program goes through item by item is fed to it in batches, so that memory stays small.
    """
    check_asked(program, what="jq program", longest=LONGEST)
    if uses_modules(program):
        raise CallerError("jq modules cannot be read here", do="write the definitions into the program itself")
    source.root()
    question, texts, load = _prepare(program, source, batch)
    answered = sandbox.ask(question, texts, load=load, what="filter")
    return FilterResult(lines=answered.output, count=answered.told["count"])


def _prepare(program: str, source: Source, batch: int) -> tuple[JqQuestion, Iterator[Text], Load]:
    if (rows := source.text) is not None:
        question = JqQuestion(program=program, run=program, rows=rows)
        size = source.index.size
        return question, iter((Text(pieces=whole(source)),)), Load(size=size, at_once=OBJECTS * size)
    steps = plan(program)
    if isinstance(steps, Each):
        items = _items(source.index, steps.path)
        if items is not None and items.size > batch:
            question = JqQuestion(program=program, run=steps.run, collect=steps.collect, tail=steps.tail)
            at_once = items.size if steps.tail is not None else max(batch, items.starts.widest)
            return question, _in_batches(items, source.read, batch), Load(size=items.size, at_once=at_once)
    question = JqQuestion(program=program, run=program)
    return question, iter((Text(pieces=whole(source)),)), Load(size=source.index.size, at_once=source.index.size)


def _items(index: Index, path: Path) -> Container | None:
    """The array at ``path``, if the path leads there beyond doubt: jq takes the last of keys that stand twice."""
    for depth, step in enumerate(path):
        above = index.container(path[:depth])
        if above is None or (above.kind == "object" and (above.keys or ()).count(step) != 1):
            return None
    found = index.container(path)
    return None if found is None or found.kind == "object" else found


def _in_batches(items: Container, read: Read, size: int) -> Iterator[Text]:
    for parts in items.batches(size):
        yield Text(pieces=(items.joined(read, parts),))
