"""A result whose text is packed and indexed while it arrives is answered and held as the same one gathered first."""

from __future__ import annotations

import base64
import json
import random
import re
import time
from array import array
from dataclasses import replace
from itertools import count
from operator import sub
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.config import Config
from penstock.core.answer.result import parse
from penstock.core.fit import Call
from penstock.core.forms import read_text, values
from penstock.core.json import long_parts, whole
from penstock.core.json.long_bytes import LongBytes
from penstock.core.json.long_parts import lift_parts
from penstock.core.json.long_text import HEAD, lift
from penstock.core.json.scan import CHUNK
from penstock.gate import Gate, arrival
from penstock.gate.arrival import Arrival, Arrivals, read_parts
from penstock.protocol.wire import jsonrpc
from penstock.stores import open_store
from tests.kit.answers import head_of
from tests.kit.long_text import cut, cut_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from penstock.errors import PenstockError
    from penstock.stores import Store

NOW = time.time()
MOST = 1 << 30
SMALL = 120_000
LARGE = 17_500_000  # bytes: more than is learned whole
LARGE_ENOUGH = 3_500_000  # bytes: the same where the limits are lower; a sample is still a part of it
LIMITS = ((arrival, "DECODED"), (values, "MAX_EXACT"), (read_text, "EXACT"), (whole, "LARGEST_RETAINED"))


def row(at: int) -> dict[str, Any]:
    tags = ["red", "grün"][: at % 3]
    return {"id": at, "name": f"näme {at}", "state": ("open", "shut")[at % 2], "tags": tags, "at": {"x": at / 7}}


def log_line(at: int) -> str:
    level = ("INFO", "WARN", "ERROR")[at % 3]
    return f"2026-11-15T18:{at // 60 % 60:02d}:{at % 60:02d}Z {level} svc-{at % 9} request {at} took {at % 977} ms"


def repeated(one: Any, size: int) -> list[Any]:
    """As many of these as have about so many bytes."""
    return [one(at) for at in range(size // max(1, len(str(one(1)))))]


def rows_of(size: int) -> list[dict[str, Any]]:
    return repeated(row, size)


def logged(size: int) -> str:
    return "\n".join(repeated(log_line, size))


SHAPES: dict[str, Callable[[int], str]] = {
    "records": lambda size: json.dumps(rows_of(size), ensure_ascii=False),
    "indented": lambda size: json.dumps(rows_of(size), indent=1),
    "wrapped": lambda size: json.dumps({"count": size, "items": rows_of(size), "next": None}),
    "map": lambda size: json.dumps({f"key-{one['id']}": one for one in rows_of(size)}),
    "lines": lambda size: "\n".join(map(json.dumps, rows_of(size))) + "\n",
    "log": logged,
    "csv": lambda size: "id,name,state\n" + "".join(repeated(lambda at: f"{at},name {at},{'ab'[at % 2]}\r\n", size)),
    "prose": lambda size: "".join(repeated(lambda at: f"Sentence {at}, naïvely. " + "\n\n" * (at % 7 == 0), size)),
    "one line": lambda size: "word " * (size // 5),
    "yaml": lambda size: "".join(repeated(lambda at: f"---\nname: n{at}\nlist:\n  - a: {at}\n    b: x\n", size)),
    "html": lambda size: "<html>" + "".join(repeated(lambda at: f"<p>words {at}</p>\n", size)) + "</html>",
    "fenced": lambda size: "Result:\n```json\n" + json.dumps(rows_of(size)) + "\n```\n",
    "lines below a heading": lambda size: "Result:\n" + "\n".join(map(json.dumps, rows_of(size))) + "\n",
    "log with json": lambda size: '{"a": 1}\n' + logged(size),
    "in a string": lambda size: json.dumps(json.dumps(rows_of(size))),
    "string field": lambda size: json.dumps({"stdout": logged(size), "code": 0}),
    "not json": lambda size: "[" + "NaN," * (size // 4) + "1]",
    "wrong at the end": lambda size: json.dumps(rows_of(size))[:-1] + ",}",
    "open at the end": lambda size: json.dumps(rows_of(size))[:-1],
    "half emoji": lambda size: json.dumps(rows_of(size))[:-1] + "\ud83d" + "]",
    "byte order mark": lambda size: "\ufeff" + json.dumps(rows_of(size)),
    "base64": lambda size: base64.b64encode(random.Random(5).randbytes(size * 3 // 4)).decode(),
    "data uri": lambda size: "data:image/png;base64," + "iVBORw0KGgo" * (size // 11),
    "controls": lambda size: "\x00\x01\x02" * (size // 3),
    "blank": lambda size: " \t\n" * (size // 3),
    "deep": lambda size: "[" * 450 + "1" * size + "]" * 450,
    "toml": lambda size: "".join(repeated(lambda at: f'[section.n{at}]\nname = "n{at}"\nvalue = {at}\n', size)),
}


def line_of(text: str, *, id_first: bool = True) -> bytes:
    result = {"content": [{"type": "text", "text": text}], "isError": False}
    message = {"id": 7, "result": result} if id_first else {"result": result, "id": 7}
    return (
        json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=not text.isascii() and "\ud83d" in text).encode() + b"\n"
    )


@pytest.fixture(autouse=True, scope="module")
def _no_other_process() -> Iterator[None]:
    """The index is made here, where the limits of a test hold."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrival, "start_follower", lambda _: None)
        yield


@pytest.fixture
def store() -> Iterator[Store]:
    with open_store("memory:", max_bytes=MOST, max_items=1_000) as opened:
        yield opened


def received(store: Store, chunks: Sequence[bytes]) -> tuple[bytes, Any]:
    """A line and its text, as they are when the text is taken while it arrives."""
    with Arrivals(lambda: store, MOST) as arrivals:
        line, parts = lift_parts(iter(chunks), arrivals.begin)
    return line, None if parts is None else parts.text


def admitted(store: Store, line: bytes, text: Any) -> tuple[str, dict[str, Any], Any]:
    """The answer without its handle, and what is held under it."""
    failures: list[PenstockError] = []
    gate = Gate(store, Config(), now=lambda: NOW, failed=failures.append, mark="m")
    inner = re.sub(rb'^.*?"result":\s*', b"", line, flags=re.DOTALL)
    raw = inner[: inner.rindex(b'"isError"')] + b'"isError": false}'
    call = Call(tool="search", owner="ann")
    answer = json.loads(gate.admit(call, raw if text is None else parse(raw, text)))
    gate.close()
    assert failures == []
    handle = head_of(answer)["cache_id"]
    return json.dumps(answer).replace(handle, ""), answer, store.get("ann", handle)


def assert_measured(raw: bytes, ruler: list[Any]) -> None:
    """Whatever the stretches: the marks between them are true, and no stretch is longer than a window looks ahead."""
    total, errors, *marks = ruler
    at_bytes, at_chars = (array("Q", one) for one in marks)
    assert total == len(raw.decode("utf-8", errors))
    assert [len(raw[:at].decode("utf-8", errors)) for at in at_bytes] == list(at_chars)
    if total != len(raw):
        assert max(map(sub, at_bytes[1:], at_bytes)) <= CHUNK + 4
        assert at_bytes[-1] == len(raw)


def assert_same(store: Store, line: bytes, chunks: Sequence[bytes]) -> Any:
    taken = lift(iter((line,)))
    with open_store("memory:", max_bytes=MOST, max_items=1_000) as other:
        wanted, _, gathered = admitted(other, taken.line, taken.text)
        raw, index = gathered.read(0, gathered.size()), gathered.index
    short, text = received(store, chunks)
    assert short == taken.line
    found, _, held = admitted(store, short, text)
    assert found == wanted
    assert held.read(0, held.size()) == raw
    assert {**held.meta.extra, "ruler": []} == {**gathered.meta.extra, "ruler": []}
    assert_measured(raw, held.meta.extra["ruler"])
    assert replace(held.meta, extra={}) == replace(gathered.meta, extra={})
    return text, held.index == index


@pytest.mark.parametrize("name", SHAPES)
def test_a_text_of_any_kind_is_answered_as_the_same_text_gathered_first(
    name: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrival, "DECODED", 0)
    line = line_of(SHAPES[name](SMALL), id_first=len(name) % 2 == 0)
    assert_same(store, line, cut(line, [999, 1, 70_000, 3]))


STREAMED = ["records", "wrapped", "map", "lines", "log", "prose", "wrong at the end"]


@pytest.mark.parametrize(
    ("name", "size"),
    [*((name, LARGE_ENOUGH) for name in STREAMED), ("records", LARGE)],
    ids=[*STREAMED, "records, by the limits as they are"],
)
def test_a_large_text_is_held_with_the_same_index_and_never_gathered(
    name: str, size: int, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    if size < LARGE:
        for module, limit in LIMITS:
            monkeypatch.setattr(module, limit, size * 9 // 10)
    line = line_of(SHAPES[name](size))
    text, is_same = assert_same(store, line, cut(line, [262_144]))
    assert isinstance(text, LongBytes)
    assert is_same


@settings(max_examples=25)
@given(
    st.text(min_size=1, max_size=40),
    st.lists(st.integers(1, 4_000), min_size=1, max_size=5),
    st.sampled_from(["", '[{"a":"\\n', '{"a":1}\n']),
)
def test_whatever_the_pieces_the_text_and_its_figures_are_the_same(drawn: str, lengths: list[int], begin: str) -> None:
    text = begin + drawn * (HEAD // len(drawn) + 400)
    line = line_of(text)
    with open_store("memory:", max_bytes=MOST, max_items=10) as store:
        short, found = received(store, cut(line, lengths))
    taken = lift(iter((line,)))
    assert (short, found) == (taken.line, taken.text)


def test_a_small_text_and_one_with_half_an_emoji_are_given_in_memory(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = line_of("word " * 10_000)
    assert isinstance(received(store, [line])[1], bytes)
    monkeypatch.setattr(arrival, "DECODED", 0)
    assert isinstance(received(store, [line])[1], LongBytes)
    assert isinstance(received(store, [line_of("word \ud83d" * 10_000)])[1], bytes)


def test_what_is_dropped_leaves_nothing_in_the_store(store: Store) -> None:
    arriving = Arrival(store, MOST)
    for piece in cut_text("[" + '{"a": 1},' * 500_000, [50_000]):
        arriving.write(piece.decode())
    arriving.drop()
    assert store.stats().items == 0


def test_a_text_that_cannot_be_followed_is_given_in_memory(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(_: object) -> dict[str, Any]:
        raise MemoryError

    monkeypatch.setattr(arrival, "follow", failing)
    monkeypatch.setattr(arrival, "DECODED", 0)
    assert isinstance(received(store, [line_of("word " * 10_000)])[1], bytes)


def test_an_error_in_a_line_gives_back_what_was_taken(store: Store) -> None:
    line = line_of("word " * 10_000)[:-60] + b"\\q" + b"x" * 100 + b'"}]}}'
    short, text = received(store, cut(line, [9_999]))
    assert text is None
    assert short == lift(iter((line,))).line


TEXT = json.dumps(rows_of(SMALL), indent=2)
RESULTS: dict[str, dict[str, Any]] = {
    "data alone": {"structuredContent": {"rows": rows_of(SMALL)}, "content": []},
    "a remark": {"content": [{"type": "text", "text": "some rows"}], "structuredContent": {"rows": rows_of(SMALL)}},
    "both the same": {"content": [{"type": "text", "text": TEXT}], "structuredContent": {"result": rows_of(SMALL)}},
    "both a text": {"content": [{"type": "text", "text": logged(SMALL)}], "structuredContent": {"log": logged(SMALL)}},
    "both different": {"content": [{"type": "text", "text": TEXT}], "structuredContent": {"rows": rows_of(SMALL // 2)}},
    "a log and data": {"content": [{"type": "text", "text": logged(SMALL)}], "structuredContent": rows_of(SMALL)},
    "a text and a figure": {"content": [{"type": "text", "text": TEXT}], "structuredContent": {"count": 5}},
    "an error": {"isError": True, "content": [], "structuredContent": {"rows": rows_of(SMALL)}, "_meta": {"a": "b"}},
    "no strict JSON": {"content": [], "structuredContent": {"rows": [float("nan")] * 9_999}},
    "half an emoji": {"content": [], "structuredContent": {"rows": ["\ud83d"] * 9_999}},
    "a picture": {
        "content": [{"type": "text", "text": TEXT}, {"type": "image", "data": "eA==", "mimeType": "image/png"}],
        "structuredContent": {"result": rows_of(SMALL)},
    },
}


def answered_by_parts(store: Store, chunks: Sequence[bytes]) -> tuple[bytes, str, Any, Any]:
    """What the gate gets, its answer, what is held, and the parts that were lifted out."""
    with Arrivals(lambda: store, MOST) as arrivals:
        line, parts = lift_parts(iter(chunks), arrivals.begin)
    handles = (f"r_{at:022d}" for at in count())
    gate = Gate(store, Config(max_tokens=1_000), now=lambda: NOW, new_handle=lambda: next(handles), mark="m")
    [inner] = [bytes(value) for name, value in jsonrpc.members(line) if name == "result"]
    result = inner if parts is None else read_parts(inner, parts, store)
    answer = json.loads(gate.admit(Call(tool="search", owner="ann"), result))
    gate.close()
    handle = head_of(answer)["cache_id"]
    return inner, json.dumps(answer), store.get("ann", handle), parts


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("turned", [False, True], ids=["", "the other way round"])
def test_text_and_data_are_answered_and_held_as_the_same_result_gathered_first(
    name: str, turned: bool, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = RESULTS[name]
    message: dict[str, Any] = {"jsonrpc": "2.0", "id": 7, "result": result}
    if turned:
        message = dict(reversed([*message.items(), ("result", dict(reversed(result.items())))]))
    line = json.dumps(message, ensure_ascii=name == "half an emoji").encode() + b"\n"
    monkeypatch.setattr(long_parts, "LONG_DATA", MOST)
    monkeypatch.setattr(long_parts, "LONG_TEXT", MOST)
    for module, limit in LIMITS:
        monkeypatch.setattr(module, limit, 9_000)
    with open_store("memory:", max_bytes=MOST, max_items=1_000) as other:
        _, wanted, gathered, nothing = answered_by_parts(other, [line])
        raw = gathered.read(0, gathered.size())
    assert nothing is None
    monkeypatch.setattr(arrival, "DECODED", 0)
    monkeypatch.setattr(long_parts, "LONG_DATA", 9_000)
    monkeypatch.setattr(long_parts, "LONG_TEXT", 9_000)
    inner, found, held, parts = answered_by_parts(store, cut(line, [999, 1, 70_000, 3]))
    assert found == wanted
    assert held.read(0, held.size()) == raw
    assert replace(held.meta, extra={}) == replace(gathered.meta, extra={})
    assert_measured(raw, held.meta.extra["ruler"])
    if "no " in name or "half" in name:
        assert parts is None
    else:
        assert len(inner) < 1_000
