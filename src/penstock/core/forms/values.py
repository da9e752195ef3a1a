"""The values of a JSON document: all of a small one, which are kept while it is read, and batches of a larger one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.forms.document import VALUE
from penstock.core.forms.rows import dig
from penstock.core.json.index import BATCH, reader

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from penstock.core.forms.document import Document
    from penstock.core.json.index import Container
    from penstock.core.json.path import Path

RETAINED: Final = 33_554_432  # bytes of values that are kept until the notice is written, about,
STRETCHES: Final = 32  # parts of a large document that tell how much memory its values take,
STRETCH: Final = 65_536  # bytes each
LARGEST_BATCH: Final = 8_388_608  # bytes of the values of a batch, about
LARGEST_RETAINED: Final = 8_388_608  # of a document that is no larger than this
LONGEST_INTEGER: Final = 4_000  # digits that Python converts


def retained(document: Document) -> Any:
    """All values of a document that is retained; JSON values one after another are an array."""
    return document.once(VALUE, lambda one: decode(one.index.containers[0].joined(reader(one.body))))


def is_retained(document: Document) -> bool:
    """Whether the values of a document are kept until its notice is written."""
    return len(document.body) <= LARGEST_RETAINED and document.once("values", _memory_of_values) <= RETAINED


def _memory_of_values(document: Document) -> int:
    """The bytes that the values of JSON take, about: a scalar as much as two pointers, and what stands in texts. Of a
    large document some stretches tell."""
    seen = body = document.body
    if len(body) > LARGEST_RETAINED:
        seen = b"".join(body[at : at + STRETCH] for at in range(0, len(body), max(1, len(body) // STRETCHES)))
    taken = len(seen) + 48 * seen.count(b",") + 64 * seen.count(b"[") + 200 * seen.count(b"{")
    return taken * len(body) // max(1, len(seen))


def batches_of(
    document: Document, container: Container, without: Collection[Path] = (), most: int | None = None
) -> Iterator[tuple[range, Any]]:
    """The parts of a container as values, a batch at a time; without those that are at certain paths, and no more than
    about ``most`` bytes of a document in all. A small document is decoded once, and its values are kept with it."""
    body = document.body
    if is_retained(document):
        yield range(container.count), dig(retained(document), container.path)
        return
    size = LARGEST_BATCH * len(body) // max(1, document.once("values", _memory_of_values))
    batches = list(container.batches(min(BATCH, size)))
    if most is not None and batches:
        batches = batches[:: -(-len(batches) // max(1, most * len(batches) // len(body)))]
    for parts in batches:
        for run in _runs(container, without, parts):
            yield run, decode(container.joined(reader(body), run))


def decode(text: bytes) -> Any:
    """JSON as Python values; a number that no float holds (1e999) is infinite, and one of too many digits a text."""
    try:
        return msgspec.json.decode(text)
    except msgspec.MsgspecError:
        import json  # noqa: PLC0415  (one result in many thousands has such a number)

        return json.loads(text, parse_int=lambda digits: int(digits) if len(digits) <= LONGEST_INTEGER else digits)


def _runs(container: Container, without: Collection[Path], parts: range) -> Iterator[range]:
    """The parts without those that are at certain paths."""
    first = parts.start
    for number in parts if len(without) > 1 else ():
        step = number if container.kind != "object" else container.keys[number] if container.keys is not None else ""
        if (*container.path, step) in without:
            yield range(first, number)
            first = number + 1
    yield range(first, parts.stop)
