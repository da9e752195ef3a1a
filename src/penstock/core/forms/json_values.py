"""The values of a JSON document: all of a small one, which are kept while it is read, and batches of a larger one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.document import MEMORY, VALUE, Kind
from penstock.core.forms.tree_nodes import dig
from penstock.core.json.index import BATCH, reader
from penstock.core.json.lookup import value_at
from penstock.core.json.whole import decode, decode_values, is_small, memory_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from penstock.core.forms.document import Document
    from penstock.core.json.index import Container
    from penstock.core.json.path import Path

MAX_EXACT: Final = 16_777_216  # Of a document of more bytes, only some batches are profiled.
SAMPLED: Final = 1_048_576  # Of such a document about so many bytes are profiled, at even distances,
STRETCHES: Final = 16  # in about so many batches: rows of one kind often follow each other.
LARGEST_BATCH: Final = 8_388_608  # The values of a batch take about so many bytes of memory.


def retained(document: Document) -> Any:
    """Return all values of a document that is retained; JSON values one after another are an array."""
    return document.once(VALUE, _value)


def value_of(document: Document, path: Path) -> Any:
    """Return the value at a path."""
    if is_retained(document):
        return dig(retained(document), path)
    return decode(value_at(document.index, reader(document.body), path))


def is_retained(document: Document) -> bool:
    """Return True if the values of a document are kept until its notice is written."""
    return is_small(document.body, document.once(MEMORY, lambda one: memory_of(one.body)))


def is_sampled(document: Document) -> bool:
    """Return True if a document is too large to profile all of its values."""
    return len(document.body) > MAX_EXACT


def _value(document: Document) -> Any:
    if document.kind is Kind.VALUES:
        return decode_values(document.body[:], document.index.containers[0])
    return decode(document.body[:])


def batches_of(
    document: Document, container: Container, without: Collection[Path] = (), *, sampled: bool = False
) -> Iterator[tuple[range, Any]]:
    """Return the parts of a container as values, a batch at a time; without those that are at certain paths, and only
    batches at even distances if a sample is enough."""
    body = document.body
    size = LARGEST_BATCH * len(body) // max(1, document.once(MEMORY, lambda one: memory_of(one.body)))
    batches = list(container.batches(min(BATCH, size, SAMPLED // STRETCHES if sampled else BATCH)))
    if sampled and batches:
        batches = batches[:: -(-len(batches) // max(1, SAMPLED * len(batches) // len(body)))]
    for parts in batches:
        for run in _runs(container, without, parts):
            yield run, decode(container.joined(reader(body), run))


def _runs(container: Container, without: Collection[Path], parts: range) -> Iterator[range]:
    """Return the parts without those that are at certain paths."""
    first = parts.start
    steps = {path[-1] for path in without if path and path[:-1] == container.path}
    for number in parts if steps else ():
        step = number if container.kind != "object" else container.keys[number] if container.keys is not None else ""
        if step in steps:
            yield range(first, number)
            first = number + 1
    yield range(first, parts.stop)
