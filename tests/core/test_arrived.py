"""The data of a result that is read by parts is the data of the same result in memory."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from penstock.core import arrived
from penstock.core.answer import copies
from penstock.core.answer.result import parse, payload
from penstock.core.arrived import ArrivedResult, read_arrived
from penstock.core.fit import Budget, Hold, Pass, fit
from penstock.core.forms.document import follow
from penstock.core.json import index, minified
from penstock.core.json.long_parts import DATA_MARK, LongParts
from penstock.core.json.long_text import MARK
from tests.kit.long_text import ShortBytes
from tests.kit.strategies import clean_text, layouts, small_containers

if TYPE_CHECKING:
    from collections.abc import Iterator

SMALL = 24  # bytes of a batch and a piece
REMARK = "y" * 400


@pytest.fixture(autouse=True, scope="module")
def _small_batches() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index, "BATCH", SMALL)
        patch.setattr(minified, "BATCH", SMALL)
        patch.setattr(arrived, "PIECE", SMALL)
        patch.setattr(copies, "COMPARED", 40)
        patch.setattr(arrived, "COMPARED", 40)
        yield


def long(data: bytes) -> ShortBytes:
    return ShortBytes(data, learned=follow(ShortBytes(data)))


def join(pieces: Iterator[bytes], most: int) -> ShortBytes:
    data = b"".join(pieces)
    assert len(data) <= most
    return long(data)


def read_by_parts(text: str | None, data: bytes, *, long_data: bool = True, more: str = "") -> tuple[Any, bytes]:
    """A result with this text and data, of which the text and perhaps the data are long; and the whole of it."""
    quoted = json.dumps(text, ensure_ascii=False)
    block = "" if text is None else f'{{"type":"text","text":{json.dumps(MARK)}}}'
    line = f'{{"content":[{block}{more}],"structuredContent":'.encode()
    parts = LongParts(text=None if text is None else long(text.encode()), data=long(data) if long_data else None)
    whole = line.replace(json.dumps(MARK).encode(), quoted.encode()) + data + b',"isError":false}'
    raw = line + (DATA_MARK if long_data else data) + b',"isError":false}'
    return read_arrived(raw, parts, join), whole


def assert_same_data(text: str | None, data: bytes, *, long_data: bool = True, more: str = "") -> str:
    result, whole = read_by_parts(text, data, long_data=long_data, more=more)
    wanted = payload(parse(whole))
    is_long = isinstance(result, ArrivedResult)
    found = result.content if isinstance(result, ArrivedResult) else payload(result)
    assert bytes(found.document.raw) == bytes(wanted.document.raw)
    assert bytes(found.document.body) == bytes(wanted.document.body)
    assert (found.document.kind, found.origin, found.twin) == (wanted.document.kind, wanted.origin, wanted.twin)
    assert (found.uri, len(found.rest)) == (wanted.uri, len(wanted.rest))
    assert json.loads(found.left or b"{}") == json.loads(wanted.left or b"{}")
    assert [name for name, _ in found.beside] == [name for name, _ in wanted.beside]
    assert json.loads(result.whole) == json.loads(whole)
    assert json.loads(result.in_memory().whole) == json.loads(whole)
    assert result.about == parse(result.whole).about or is_long
    return f"{'long' if is_long else 'whole'} {wanted.origin}{' twin' if wanted.twin else ''}"


@given(
    small_containers,
    small_containers,
    layouts,
    layouts,
    st.sampled_from(["same", "wrapped", "text", "list", "next to", "other"]),
    st.booleans(),
)
@example([1.0, {"b": "x" * 99, "a": 2}], {}, {}, {"indent": 2}, "same", True)
@example(["x" * 99], {}, {}, {"indent": 2}, "wrapped", True)
def test_whatever_text_and_data_say_their_data_is_that_of_the_whole(
    one: Any, other: Any, ours: Any, theirs: Any, relation: str, long_data: bool
) -> None:
    text = json.dumps(one, **ours)
    value = {
        "same": one,
        "wrapped": {"result": one},
        "text": {"result": text},
        "list": [text],
        "next to": {"a": other, "result": one, "text": [text]},
        "other": other,
    }[relation]
    assert_same_data(text, json.dumps(value, **theirs).encode(), long_data=long_data)


@given(clean_text, small_containers, layouts, st.integers(1, 30))
def test_a_text_that_is_no_json_is_compared_and_joined_as_in_memory(
    text: str, value: Any, layout: Any, times: int
) -> None:
    assert_same_data(text * times, json.dumps(value, **layout).encode())
    assert_same_data(text * times, json.dumps({"text": text * times}, **layout).encode())


ROWS = [{"id": n, "name": f"näme {n}"} for n in range(60)]


@pytest.mark.parametrize(
    ("text", "data", "more", "outcome"),
    [
        (None, {"rows": ROWS}, "", "long structured"),
        (json.dumps(ROWS), ROWS, "", "long text twin"),
        (json.dumps([*ROWS, 10]), [*ROWS, 11], "", "long both"),
        (json.dumps(ROWS, indent=2), {"result": ROWS}, "", "long text twin"),
        ("word\n" * 200, {"result": "word\n" * 200}, "", "long text twin"),
        ("word\n" * 200, {"result": "word\n" * 201}, "", "long both"),
        ("word\n" * 200, {"result": "word\n" * 199}, "", "long both"),
        ("60 rows", {"rows": ROWS}, "", "long structured"),
        (REMARK, {"rows": ROWS}, "", "long structured"),
        (f"{REMARK}y", {"rows": ROWS}, "", "long both"),
        (json.dumps(ROWS), {"rows": ROWS, "next": None}, "", "long text twin"),
        (json.dumps(ROWS), {"rows": ROWS, "again": ROWS}, "", "long text twin"),
        (json.dumps(ROWS), {"rows": [ROWS], "next": None}, "", "long text twin"),
        (json.dumps(ROWS), {"rows": [ROWS, ROWS], "next": None}, "", "long both"),
        (json.dumps(ROWS), {"rows": ROWS, "others": ROWS[1:] * 3}, "", "long structured twin"),
        ("word\n" * 200, {"kind": "x", "result": ["word\n" * 200], "outputs": "word\n" * 200}, "", "long text twin"),
        ("word\n" * 200, {"kind": "x", "result": ["word\n" * 200, "y"]}, "", "long both"),
        ("word\n" * 200, ["word\n" * 200], "", "long text twin"),
        ("word\n" * 200, {"kind": "x", "result": ["word\n" * 200]}, ',{"type":"text","text":"y"}', "long both"),
        ("done", {"status": "done", "rows": ROWS}, "", "long structured"),
        ('{"a":1}' + " " * 500, {"kind": "x", "result": {"a": 1.0}}, "", "whole both"),
        ('{"a":1,"b":2}' + " " * 500, {"kind": "x", "result": [{"b": 2, "a": 1}]}, "", "whole text twin"),
        (json.dumps(ROWS), [], "", "long both"),
        (json.dumps(ROWS), {"count": 60}, "", "long both"),
        (json.dumps(ROWS), {"rows": ROWS}, ',{"type":"text","text":"and more"}', "long blocks twin"),
        ("\x0c" + json.dumps(ROWS), ROWS, "", "whole text twin"),
        ('{"a":1,"b":2}' + " " * 500, {"b": 2, "a": 1}, "", "whole text twin"),
        (json.dumps(ROWS), ROWS, ',{"type":"image","data":"x"}', "whole text twin"),
    ],
)
def test_it_is_read_by_parts_wherever_that_can_tell(text: str | None, data: Any, more: str, outcome: str) -> None:
    assert assert_same_data(text, json.dumps(data).encode(), more=more) == outcome


def test_a_text_alone_is_a_result_like_any_other() -> None:
    text = json.dumps(ROWS)
    line = json.dumps({"content": [{"type": "text", "text": MARK}]}).encode()
    assert not isinstance(read_arrived(line, LongParts(text=long(text.encode())), join), ArrivedResult)
    small = read_arrived(line[:-1] + b',"structuredContent":{}}', LongParts(text=text.encode()), join)
    assert not isinstance(small, ArrivedResult)


def test_data_whose_mark_is_in_another_place_is_put_back() -> None:
    data = json.dumps(ROWS).encode()
    line = b'{"content":[],"structuredContent":%b,"structuredContent":{"a":1}}' % DATA_MARK
    result = read_arrived(line, LongParts(data=long(data)), join)
    assert result.structured == b'{"a":1}'
    assert result.whole == line.replace(DATA_MARK, data)


@pytest.mark.parametrize("data", [b'"text"', b'{"a":NaN}'])
def test_data_that_is_no_json_container_is_looked_at_whole(data: bytes) -> None:
    line = b'{"content":[{"type":"text","text":"%b"}],"structuredContent":%b}' % (MARK.encode(), data)
    result = read_arrived(line, LongParts(text=long(b"word " * 200)), join)
    assert not isinstance(result, ArrivedResult)


@pytest.mark.parametrize(
    ("budget", "plan"),
    [(Budget(max_tokens=250), Hold), (Budget(max_tokens=2_000), Hold), (Budget(max_tokens=100_000), Pass)],
)
def test_it_is_held_passed_as_the_same_result_in_memory(budget: Budget, plan: type) -> None:
    result, whole = read_by_parts("60 rows", json.dumps({"rows": ROWS * 5}, indent=4).encode())
    assert isinstance(result, ArrivedResult)
    assert result.size == len(result.whole)
    ours, theirs = fit(result, budget), fit(whole, budget)
    assert isinstance(ours, plan)
    assert type(ours) is type(theirs)
    if isinstance(ours, Hold) and isinstance(theirs, Hold):
        assert ours.answer("r_1") == theirs.answer("r_1")


def test_text_around_json_is_held_beside_other_data() -> None:
    rows = [{"id": n} for n in range(60)]
    told = f"Found these:\n{json.dumps(rows)}\nand no others.{REMARK}"
    made, whole = read_by_parts(told, json.dumps({"total": [60] * 40}).encode())
    assert made.content.document.raw == payload(parse(whole)).document.raw
    assert json.loads(bytes(made.content.document.raw))["content"] == told
