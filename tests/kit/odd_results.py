"""Results of tools as no server should send them: members of any name and type, some repeated, with words planted in
each of them. A test can look for every word."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

PIXELS = "iVBORw0KGgoA" * 40
WORD = re.compile(r"w\d+x")

# A maker writes JSON and takes the words that it plants from the function that it is given.
Words = Callable[[], str]
Maker = Callable[[Words], str]


def _quoted(make: Callable[[Words], str]) -> Maker:
    return lambda words: json.dumps(make(words))


def _text(size: int, mark: str) -> Callable[[Words], str]:
    return lambda words: " ".join(mark + words() for _ in range(size))


def _json_text(size: int) -> Callable[[Words], str]:
    return lambda words: json.dumps([{"id": n, "name": words()} for n in range(size)], indent=2)


texts = st.builds(_text, st.sampled_from([1, 3, 120]), st.sampled_from(["", "é", "\ud83d", '"', "\n"])) | st.builds(
    _json_text, st.sampled_from([1, 120])
)
strings = st.builds(_quoted, texts)
plain = st.sampled_from(["true", "false", "null", "0", "7.50", '""', "[]", "{}"]).map(lambda one: lambda _: one)
names = st.sampled_from(["isError", "resultType", "_meta", "task", "inputRequests", "structuredContent", "other", "x"])
long_names = st.builds(_quoted, st.builds(_text, st.sampled_from([1, 120]), st.just("")))


def _object(members: list[tuple[Maker, Maker]]) -> Maker:
    return lambda words: "{" + ",".join(f"{name(words)}:{value(words)}" for name, value in members) + "}"


def _array(items: list[Maker]) -> Maker:
    return lambda words: "[" + ",".join(item(words) for item in items) + "]"


def _fixed(name: str) -> Maker:
    return lambda _: json.dumps(name)


small_values: st.SearchStrategy[Maker] = (
    plain
    | strings
    | st.builds(_array, st.lists(strings | plain, max_size=2))
    | st.builds(_object, st.lists(st.tuples(long_names | st.just(_fixed("a")), strings | plain), max_size=2))
)


def members(own: dict[str, st.SearchStrategy[Maker]], most: int) -> st.SearchStrategy[list[tuple[Maker, Maker]]]:
    """Members with these names, in any order and perhaps more than once; and others."""
    known = [st.tuples(st.just(_fixed(name)), value) for name, value in own.items()]
    return st.lists(st.one_of(*known, st.tuples(long_names, small_values)), max_size=most)


types = st.sampled_from(["text", "text", "image", "audio", "resource", "resource_link", "hologram"])
in_resource = members({"uri": strings, "text": strings, "blob": strings | st.just(_fixed(PIXELS))}, 4)
blocks = st.builds(
    lambda kind, more: _object([(_fixed("type"), _fixed(kind)), *more]),
    types,
    members(
        {
            "text": strings,
            "data": st.just(_fixed(PIXELS)) | strings,
            "mimeType": strings | st.just(_fixed("image/png")),
            "annotations": small_values,
            "_meta": small_values,
            "resource": st.builds(_object, in_resource) | small_values,
            "type": types.map(_fixed) | small_values,
        },
        4,
    ),
)
contents = st.builds(_array, st.lists(blocks | small_values, max_size=4))


@st.composite
def results(draw: st.DrawFn) -> bytes:
    """A result as JSON."""
    own: dict[str, st.SearchStrategy[Maker]] = {
        "content": contents | contents | small_values,
        "contents": contents | small_values,
        "messages": contents | small_values,
        "isError": small_values,
        "resultType": small_values | st.sampled_from(["complete", "input_required", "task"]).map(_fixed),
        "structuredContent": small_values,
        "_meta": small_values,
        "task": small_values,
        "inputRequests": small_values,
        "result": small_values,
    }
    made = draw(members(own, 5))
    first = draw(st.lists(st.tuples(st.just(_fixed("content")), contents), max_size=1))
    number = iter(range(10**9))
    return _object([*first, *made])(lambda: f"w{next(number)}x").encode()


def words_in(data: bytes | str) -> set[str]:
    """The words that were planted."""
    return set(WORD.findall(data if isinstance(data, str) else data.decode("utf-8", "surrogatepass")))


class _Pairs(list[tuple[str, Any]]):
    """The members of an object, those that are repeated among them."""


def as_read(answer: bytes) -> tuple[str, int]:
    """An answer as a client hands it on: its JSON without pictures and sounds, and how many these are."""
    value = json.loads(answer, object_pairs_hook=_Pairs)
    media: list[str] = []
    return _written(value, media), len(media)


def _written(value: Any, media: list[str]) -> str:
    if isinstance(value, _Pairs):
        last = dict(value)
        is_media = last.get("type") in ("image", "audio") and last.get("data") == PIXELS
        media += [PIXELS] if is_media else []
        pairs = [("data", "") if is_media and one == ("data", PIXELS) else one for one in value]
        return "{" + ",".join(f"{json.dumps(name)}:{_written(one, media)}" for name, one in pairs) + "}"
    if isinstance(value, list):
        return "[" + ",".join(_written(one, media) for one in value) + "]"
    return json.dumps(value, ensure_ascii=False)
