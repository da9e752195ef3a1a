"""Results that no server should send: millions of tiny values, and 10 to 12 MB of each form that costs memory.

``TINY`` is measured by its CPU, ``LARGE`` by its memory. Both map a name to a function that makes the whole result.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Final

from bench.shapes import changes, lines, records, trees
from bench.shapes.registry import MB, Texts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

TINY_SIZE: Final = 4_400_000  # bytes of a result of tiny values: two million numbers, one for every two bytes
LARGE_SIZE: Final = 10 * MB  # bytes of text; in its envelope, with its quotes escaped, a result has up to 12 MB
SAMPLE_SIZE: Final = 2 * MB  # bytes of realistic text that is repeated up to LARGE_SIZE: drawing all takes seconds
LEVELS: Final = 300  # of nesting: deep, but below the 400 from which Penstock reads JSON as text
SCALARS: Final = 700_000  # members of one map, 14 bytes each
LARGE_BLOCKS: Final = 2_000  # content blocks, 5 KB each


def envelope(texts: Texts) -> bytes:
    """Wrap texts as a server sends them: one text block each, in UTF-8."""
    blocks = [{"type": "text", "text": text} for text in ([texts] if isinstance(texts, str) else texts)]
    return json.dumps({"content": blocks}, ensure_ascii=False).encode()


def array(value: str, size: int) -> str:
    """Write an array of ``size`` bytes in which every member is ``value``."""
    return f"[{','.join([value] * (size // (len(value) + 1)))}]"


def array_as_content(value: str) -> bytes:
    return f'{{"content":{array(value, TINY_SIZE)}}}'.encode()


def array_in_text(value: str) -> bytes:
    return envelope(array(value, TINY_SIZE * 2 // 3 if '"' in value else TINY_SIZE))  # quotes are escaped: "\"\""


def string_in_text() -> bytes:
    return envelope(json.dumps("x" * TINY_SIZE))


def repeated(make: Callable[[int], Texts], between: str = "") -> Texts:
    sample = make(SAMPLE_SIZE)
    assert isinstance(sample, str)
    return between.join([sample] * (LARGE_SIZE // SAMPLE_SIZE))


def repeated_records(make: Callable[[int], Texts]) -> Texts:
    """Repeat the members of an array, so that the whole is one array again."""
    sample = make(SAMPLE_SIZE)
    assert isinstance(sample, str)
    return f"[{', '.join([sample[1:-1]] * (LARGE_SIZE // SAMPLE_SIZE))}]"


def deep() -> Texts:
    return array(
        '{"a":' * LEVELS + "1" + "}" * LEVELS, LARGE_SIZE * 3 // 4
    )  # a quarter more when its quotes are escaped


def map_of_scalars() -> Texts:
    members = ",".join(f'"k{number:06d}":{number % 10}' for number in range(SCALARS))
    return f"{{{members}}}"


def many_blocks() -> Texts:
    sample = records.flat_records(LARGE_SIZE // LARGE_BLOCKS)
    assert isinstance(sample, str)
    return [sample] * LARGE_BLOCKS


TINY: Final[Mapping[str, Callable[[], bytes]]] = {
    "content of numbers": partial(array_as_content, "1"),
    "content of empty objects": partial(array_as_content, "{}"),
    "content of empty arrays": partial(array_as_content, "[]"),
    "content of empty strings": partial(array_as_content, '""'),
    "content of empty blocks": partial(array_as_content, '{"type":"text","text":""}'),
    "text of numbers": partial(array_in_text, "1"),
    "text of empty objects": partial(array_in_text, "{}"),
    "text of empty arrays": partial(array_in_text, "[]"),
    "text of empty strings": partial(array_in_text, '""'),
    "text of one string": string_in_text,
}

LARGE: Final[Mapping[str, Callable[[], Texts]]] = {
    "flat records": partial(repeated_records, records.flat_records),
    "wide records": partial(repeated_records, records.wide_records),
    "numbers": partial(array, "1", LARGE_SIZE),
    "empty arrays": partial(array, "[]", LARGE_SIZE),
    "deep nesting": deep,
    "syntax tree": partial(trees.syntax_tree, LARGE_SIZE),
    "design tree": partial(trees.design_document, LARGE_SIZE),
    "scene tree": partial(trees.scene_tree, LARGE_SIZE),
    "comment tree": partial(trees.comment_forest, LARGE_SIZE),
    "coordinates": partial(trees.geojson, LARGE_SIZE),
    "map of scalars": map_of_scalars,
    "log": partial(repeated, lines.service_log),
    "csv": partial(repeated, lines.csv_numbers),
    "diff": partial(repeated, changes.unified_diff),
    "one line": partial(str.__mul__, "all work and no pause ", LARGE_SIZE // 22),
    "many blocks": many_blocks,
}
