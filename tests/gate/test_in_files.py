"""A result that is in a file is answered and held as the same one in memory."""

from __future__ import annotations

import base64
import json
import random
import re
import tempfile
import time
from dataclasses import replace
from itertools import count
from mmap import mmap
from typing import IO, TYPE_CHECKING, Any

import pytest

from penstock.config import Config
from penstock.core.fit import Call
from penstock.errors import StoreError
from penstock.gate import Gate
from penstock.spool import MAX_IN_MEMORY, Spool
from penstock.stores import open_store
from tests.kit.answers import head_of
from tests.kit.mapped import in_file, mapped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.stores import Store

NOW = time.time()
SMALL = 120_000


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
    "several texts": {"content": [{"type": "text", "text": logged(SMALL)}, {"type": "text", "text": TEXT}]},
    "a picture": {
        "content": [{"type": "text", "text": TEXT}, {"type": "image", "data": "eA==", "mimeType": "image/png"}],
        "structuredContent": {"result": rows_of(SMALL)},
    },
}


@pytest.fixture
def store() -> Iterator[Store]:
    with open_store("memory:", max_bytes=1 << 30, max_items=1_000) as opened:
        yield opened


def admitted(store: Store, result: bytes | memoryview) -> tuple[str, Any]:
    """The answer, and what is held under its handle."""
    failures: list[Any] = []
    handles = (f"r_{at:022d}" for at in count())
    config = Config(max_tokens=1_000)
    gate = Gate(store, config, now=lambda: NOW, new_handle=lambda: next(handles), failed=failures.append, mark="m")
    answer = json.loads(gate.decide(Call(tool="search", owner="ann"), result).answer)
    gate.close()
    assert failures == []
    return json.dumps(answer), store.get("ann", head_of(answer)["cache_id"])


def assert_same(store: Store, raw: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_store("memory:", max_bytes=1 << 30, max_items=1_000) as other:
        wanted, in_memory = admitted(other, raw)
        data, index = in_memory.read(0, in_memory.size()), in_memory.index
    monkeypatch.setattr(store, "keep", in_file)
    found, held = admitted(store, memoryview(mapped(raw)))
    assert found == wanted
    assert held.read(0, held.size()) == data
    assert held.index == index
    assert replace(held.meta, extra={}) == replace(in_memory.meta, extra={})
    assert {**held.meta.extra, "ruler": []} == {**in_memory.meta.extra, "ruler": []}
    assert held.meta.extra["ruler"][:2] == in_memory.meta.extra["ruler"][:2]


@pytest.mark.parametrize("name", SHAPES)
def test_a_text_of_any_kind_is_answered_and_held_as_the_same_in_memory(
    name: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = SHAPES[name](SMALL)
    result = {"content": [{"type": "text", "text": text}], "isError": False}
    raw = json.dumps(result, ensure_ascii=not text.isascii() and "\ud83d" in text).encode()
    assert_same(store, raw, monkeypatch)


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("turned", [False, True], ids=["", "the other way round"])
def test_text_and_data_are_answered_and_held_as_the_same_in_memory(
    name: str, turned: bool, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = RESULTS[name]
    raw = json.dumps(
        dict(reversed(result.items())) if turned else result, ensure_ascii=name == "half an emoji"
    ).encode()
    assert_same(store, raw, monkeypatch)


def test_only_what_is_too_long_for_memory_is_in_a_file_and_none_with_a_store_in_memory(store: Store) -> None:
    opened: list[IO[bytes]] = []

    def opening() -> IO[bytes]:
        opened.append(tempfile.TemporaryFile())  # noqa: SIM115  (closed by the spool)
        return opened[-1]

    spool = Spool(opening)
    spool.append(b"x" * MAX_IN_MEMORY)
    assert opened == []
    spool.append(b"yz")
    assert spool.is_in_file
    assert spool.tail(3) == b"xyz"
    whole = spool.done()
    assert isinstance(whole, mmap)
    assert (len(whole), whole[-3:], len(opened)) == (MAX_IN_MEMORY + 2, b"xyz", 1)
    assert isinstance(store.keep(iter((b"x" * MAX_IN_MEMORY, b"y"))), bytes)


def test_a_full_disk_is_an_error_that_says_so() -> None:
    def full() -> IO[bytes]:
        raise OSError(28, "No space left on device")

    spool = Spool(full)
    spool.append(b"x" * MAX_IN_MEMORY)
    with pytest.raises(StoreError, match=re.escape("(No space left on device); free space in the folder")):
        spool.append(b"x")
