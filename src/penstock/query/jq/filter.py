"""Run a jq program on a held result, in a worker process."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from penstock.core.json.index import BATCH
from penstock.errors import CallerError
from penstock.query.check_text import check_text
from penstock.query.jq.program import Each, plan, uses_modules
from penstock.query.results import FilterResult
from penstock.query.sandbox.jobs import JqQuery
from penstock.query.sandbox.process import Text
from penstock.query.sandbox.sandbox import Load, TookTooLong
from penstock.query.search.pattern import compiled
from penstock.query.source import whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.json.index import Container, Index, Read
    from penstock.core.json.path import Path
    from penstock.query.sandbox.sandbox import Sandbox
    from penstock.query.source import Source

OBJECTS: Final = 4  # bytes of JSON for each byte of a text whose rows become objects
GAVE_UP: Final = "retry-limit-in-match"  # what jq says of a regular expression that it tried in too many ways
LONG_PATTERN: Final = 200  # characters of a pattern that is repeated in an error
_REGEX = re.compile(
    r"\b(?:test|match|capture|scan|splits?|g?sub)\s*\(\s*(?P<pattern>\"(?:[^\"\\]|\\[^(])*\")"
    r"(?:\s*;\s*\"(?P<flags>[a-z]*)\")?"
)
LONGEST: Final = 20_000  # characters of a program; no user writes longer ones by hand, and compiling takes time


def run_filter(program: str, source: Source, sandbox: Sandbox, *, batch: int = BATCH) -> FilterResult:
    """Return all outputs of the program. A wrong one raises ``CallerError`` with jq's own words.

    A large array that the program goes through item by item is fed to it in batches, so that memory stays small.
    """
    check_text(program, what="jq program", longest=LONGEST)
    if uses_modules(program):
        raise CallerError("jq modules cannot be read here", do="write the definitions into the program itself")
    source.root()
    query, texts, load = _prepare(program, source, batch)
    keeping = [source.keeping] if source.keeping is not None and query.key else []
    try:
        answered = sandbox.ask(query, [texts], load=load, what="filter", keeping=keeping, share=source.share)
    except CallerError as error:
        is_slow = isinstance(error, TookTooLong) or GAVE_UP in error.what
        raise CallerError(error.what, do=(_rather_search(program, source) if is_slow else "") or error.do) from None
    return FilterResult(lines=answered.output, count=answered.summary["count"])


def _prepare(program: str, source: Source, batch: int) -> tuple[JqQuery, Iterator[Text], Load]:
    description = _input(source.root())
    if (rows := source.text) is not None:
        query = JqQuery(program=program, run=program, rows=rows, key=source.key, input=description)
        size = source.index.size
        return query, iter((Text(pieces=whole(source)),)), Load(size=size, at_once=OBJECTS * size)
    steps = plan(program)
    if isinstance(steps, Each):
        items = _items(source.index, steps.path)
        if items is not None and items.size > batch:
            query = JqQuery(program=program, run=steps.run, collect=steps.collect, tail=steps.tail, input=description)
            at_once = items.size if steps.tail is not None else max(batch, items.starts.widest)
            return query, _in_batches(items, source.read, batch), Load(size=items.size, at_once=at_once)
    query = JqQuery(program=program, run=program, input=description)
    return query, iter((Text(pieces=whole(source)),)), Load(size=source.index.size, at_once=source.index.size)


def _input(root: Container) -> str:
    """Describe the program's input in words, for an error."""
    if root.kind == "lines":
        return "an array, of the rows or lines of a text"
    return f"an object with {root.count:,} keys" if root.kind == "object" else f"an array of {root.count:,}"


def _rather_search(program: str, source: Source) -> str:
    """Suggest the search call for the regular expression of a slow program: RE2 takes time in proportion to the
    text."""
    match = _REGEX.search(program)
    if match is None:
        return ""
    advice = "regular expressions are slow in jq on long strings: use search instead"
    try:
        pattern = str(json.loads(match["pattern"]))
        with compiled(pattern, regex=True, ignore_case=False, in_json=True):
            pass
    except (CallerError, ValueError):
        return advice
    call = {"action": "search", "cache_id": source.key, "pattern": pattern, "regex": True}
    call |= {"ignore_case": True} if "i" in (match["flags"] or "") else {}
    return (
        f"{advice}: {json.dumps(call, ensure_ascii=False)}" if source.key and len(pattern) <= LONG_PATTERN else advice
    )


def _items(index: Index, path: Path) -> Container | None:
    """Return the array at ``path``, if the path leads there beyond doubt: jq takes the last of keys that stand
    twice."""
    for depth, step in enumerate(path):
        above = index.container(path[:depth])
        if above is None or (above.kind == "object" and (above.keys or ()).count(step) != 1):
            return None
    container = index.container(path)
    return None if container is None or container.kind == "object" else container


def _in_batches(items: Container, read: Read, size: int) -> Iterator[Text]:
    for parts in items.batches(size):
        yield Text(pieces=(items.joined(read, parts),))
