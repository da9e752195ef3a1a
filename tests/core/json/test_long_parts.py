"""The long text and the long data of a line are lifted out unchanged, however the line is cut and its keys ordered."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from penstock.core.json import long_parts, nesting
from penstock.core.json.long_parts import DATA_MARK, NAME, LongParts, begins_long, lift_parts
from penstock.core.json.long_text import MARK
from tests.kit.long_text import ShortBytes, cut
from tests.kit.strategies import clean_text, containers, layouts, small_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.core.json.long_bytes import LongBytes

LONG = 40  # bytes of what is long in these tests


class Part:
    """A part in memory; data that begins with a list is to stay in the line."""

    def __init__(self) -> None:
        self.data = b""

    def write(self, piece: str) -> None:
        self.data += piece.encode("utf-8", "surrogatepass")

    def write_data(self, piece: bytes) -> None:
        self.data += piece

    def getvalue(self) -> bytes:
        return self.data

    def done(self) -> bytes:
        return self.data

    def done_data(self) -> LongBytes | None:
        return None if self.data.startswith(b"[") else ShortBytes(self.data)


@pytest.fixture(autouse=True, scope="module")
def _short_is_long() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(long_parts, "LONG_TEXT", LONG)
        patch.setattr(long_parts, "LONG_DATA", LONG)
        patch.setattr(nesting, "CHUNK", 16)
        yield


def lifted(line: bytes, lengths: Sequence[int] = (7,)) -> tuple[bytes, LongParts]:
    short, parts = lift_parts(iter(cut(line, lengths)), Part)
    return short, parts or LongParts()


members = st.fixed_dictionaries(
    {},
    optional={
        "content": st.lists(
            st.fixed_dictionaries({"type": st.just("text"), "text": clean_text.map(lambda one: one * 9)})
        )
        | small_values,
        "structuredContent": containers | small_values,
        "isError": st.booleans(),
        "_meta": small_values,
    },
)
messages = st.fixed_dictionaries(
    {}, optional={"jsonrpc": st.just("2.0"), "id": st.integers() | clean_text, "result": members | small_values}
)


@given(messages, st.randoms(use_true_random=False), layouts, st.lists(st.integers(1, 90), min_size=1, max_size=4))
@example({"result": {"structuredContent": {"a": [']}\\"' * 20]}, "content": [{"text": '\\"' * 99}]}}, None, {}, [1])
@example({"result": {"structuredContent": [1] * 99, "content": [{"text": "x" * 99}, 5]}, "id": 7}, None, {}, [3])
@example({"result": {"content": 5}}, None, {}, [3])
@example({"result": {"content": []}}, None, {}, [3])
def test_parts_put_back_are_the_line_as_it_was(message: Any, random: Any, layout: Any, lengths: list[int]) -> None:
    if random is not None:
        shuffled = list(message.items())
        random.shuffle(shuffled)
        message = dict(shuffled)
        if isinstance(message.get("result"), dict):
            inner = list(message["result"].items())
            random.shuffle(inner)
            message["result"] = dict(inner)
    line = json.dumps(message, **layout).encode() + b"\n"
    short, parts = lifted(line, lengths)
    assert json.loads(parts.put_back(short)) == message
    assert short.count(DATA_MARK) == (parts.data is not None)
    assert short.count(MARK.encode()) == (parts.text is not None)
    result = message.get("result")
    data = result.get("structuredContent") if isinstance(result, dict) else None
    if isinstance(data, dict) and len(json.dumps(data, **layout)) > LONG + 16:
        assert parts.data is not None
        assert json.loads(bytes(parts.data)) == data


@given(st.binary(max_size=120), st.lists(st.integers(1, 60), min_size=1, max_size=3), st.integers(0, 3))
@example(b'"' + b"\\" * 99, [1], 0)
@example(b'"a":' + b"1" * 99, [1], 0)
@example(b'"a":"\\', [1], 0)
@example(b"x" * 99_999, [60], 0)
def test_what_is_no_json_stays_in_the_line(odd: bytes, lengths: list[int], place: int) -> None:
    begin = (
        b"{",
        b'{"result":{"structuredContent":{"a":"' + b"x" * LONG + b'"',
        b'{"result":{"content":[{"type":"text","a":"',
        b'{"result":{"content":[{"type":"text"},{"a":[',
    )[place]
    line = begin + odd
    short, parts = lifted(line, lengths)
    assert parts.put_back(short) == line


def test_a_text_without_an_end_stays_in_the_line() -> None:
    line = b'{"result":{"content":[{"type":"text","text":"' + b"x" * 99
    assert lifted(line) == (line, LongParts())
    assert lifted(line + b"\\q" * 99_999) == (line + b"\\q" * 99_999, LongParts())


@pytest.mark.parametrize("mark", [MARK, NAME, NAME.replace("-", "\\u002d")])
def test_a_line_that_says_what_a_mark_says_is_not_lifted(mark: str) -> None:
    line = b'{"result":{"content":[{"type":"text","text":"%b"}],"structuredContent":{"a":"%b"},"_meta":"%b"}}'
    line %= (b"x" * 99, b"y" * 99, mark.encode())
    assert lifted(line) == (line, LongParts())


def test_only_the_first_text_and_the_first_data_are_lifted() -> None:
    twice = b'"content":[{"text":"%b","text":"%b"}],"structuredContent":{"a":"%b"},"structuredContent":{"b":"%b"}'
    line = b'{"result":{%b}}' % (twice % (b"x" * 99, b"y" * 99, b"z" * 99, b"w" * 99))
    short, parts = lifted(line)
    assert (parts.text, parts.data) == (b"x" * 99, b'{"a":"%b"}' % (b"z" * 99))
    assert parts.put_back(short) == line


def test_marks_that_are_gone_from_a_line_are_not_put_back() -> None:
    parts = LongParts(text=b"text", data=b"{}")
    assert parts.put_back(b'{"id":1}') == b'{"id":1}'


@pytest.mark.parametrize(
    ("head", "goes_on"),
    [
        (b'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"%b' % (b"x" * 99), True),
        (b'{"result":{"isError":false,"content":[{"text":"abc', True),
        (b'{"result":{"_meta":{"a":[1]},"structuredContent":{"rows":[%b' % (b"1," * 99), True),
        (b'{"result":{"content":[{"type":"text","text":"rows"}],"structuredContent":{"a', True),
        (b'{"result":{"content":[{"type":"image","data":"%b' % (b"x" * 99), False),
        (b'{"result":{"content":[{"text":"a"},{"text":"%b' % (b"x" * 99), False),
        (b'{"result":{"contents":[{"text":"%b' % (b"x" * 99), False),
        (b'{"result":{"structuredContent":{"a":1},"_meta":"%b' % (b"x" * 99), False),
        (b'{"result":{"structuredContent":"%b' % (b"x" * 99), False),
        (b'{"method":"x","params":{"structuredContent":{"a', False),
        (b"[1,2", False),
        (b"", False),
    ],
)
def test_the_beginning_of_a_line_tells_whether_it_goes_on_inside_of_such_a_part(head: bytes, goes_on: bool) -> None:
    assert begins_long(head) is goes_on
