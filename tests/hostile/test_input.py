"""Bad input, each with its verdict. Nothing raises, answers stay within their budget (P1), every byte comes back (P2),
and no input makes the core use more than forty times its size in memory.
"""

from __future__ import annotations

import json
import tracemalloc
from dataclasses import dataclass

import pytest

from penstock.core.answer.result import parse, text_result
from penstock.core.answer.stand_in import cost
from penstock.core.budget import Room
from penstock.core.fit import Budget, Compact, Hold, Pass, fit, fit_document
from penstock.core.forms.document import Kind, read
from penstock.core.forms.recognise import read_form
from penstock.core.json.index import reader
from penstock.core.json.lookup import container_at
from penstock.core.measure import measure
from penstock.core.reading.page import page, paginate, render_page
from penstock.core.reading.page_frame import frame_for
from penstock.core.reading.window import ruler, window
from penstock.core.tokens.count import count
from penstock.core.tokens.profiles import PROFILES

MB = 1_048_576
HANDLE = "r_0123456789abcdefghijkl"


@dataclass(frozen=True)
class Case:
    name: str
    data: bytes | str
    kind: Kind


CASES = [
    Case("empty", b"", Kind.TEXT),
    Case("one NUL", b"\x00", Kind.TEXT),
    Case("NULs in words", b"some\x00words and some more of them\n" * 2_000, Kind.TEXT),
    Case("only NULs", b"\x00" * MB, Kind.BINARY),
    Case("invalid UTF-8 in JSON", b'{"a": "\xff\xfe", "pad": "' + b"x" * 60_000 + b'"}', Kind.TEXT),
    Case("invalid UTF-8 in text", b"caf\xe9 au lait\n" * 9_000, Kind.TEXT),
    Case("bytes of every value", bytes(range(256)) * 400, Kind.BINARY),
    Case("NaN", b'[{"x": NaN}, {"x": 1}]' * 1 + b" " * 60_000, Kind.TEXT),
    Case("Infinity", b'{"x": [Infinity, -Infinity]}' + b" " * 60_000, Kind.TEXT),
    Case("a number out of range", b"[" + b",".join([b'{"x": 1e999, "y": "word word"}'] * 4_000) + b"]", Kind.JSON),
    Case("lone surrogate in a str", "\ud800 and words " * 9_000, Kind.TEXT),
    Case("lone surrogate escape in JSON", b'["\\ud800 words", ' + b'"a few words",' * 9_000 + b"1]", Kind.TEXT),
    Case("a pair sent as two surrogates", "\ud83d\ude00 smile " * 9_000, Kind.TEXT),
    Case("100,000 levels", b"[" * 100_000 + b"]" * 100_000, Kind.TEXT),
    Case("100,000 levels never closed", b'{"a":' * 100_000, Kind.TEXT),
    Case("400 levels", b"[" * 400 + b"1" + b"]" * 400, Kind.JSON),
    Case("401 levels", b"[" * 401 + b"1" + b"]" * 401, Kind.TEXT),
    Case("4,301 digits", b'[{"n": ' + b"7" * 4_301 + b'}, {"n": 1}]', Kind.JSON),
    Case("many large integers", json.dumps([{"n": 2**63 + n, "m": 10**30} for n in range(4_000)]).encode(), Kind.JSON),
    Case("a million digits", b"[" + b"7" * 1_000_000 + b"]", Kind.JSON),
    Case(
        "byte order mark and JSON", b"\xef\xbb\xbf" + json.dumps([{"a": n} for n in range(9_000)]).encode(), Kind.JSON
    ),
    Case("only a byte order mark", b"\xef\xbb\xbf", Kind.TEXT),
    Case("UTF-16", "some words in another encoding\n".encode("utf-16") * 2_000, Kind.BINARY),
    Case("a single line of 2 MB", b"x" * (2 * MB), Kind.TEXT),
    Case("a single line of JSON with one string of 2 MB", b'{"a":"' + b"y" * (2 * MB) + b'"}', Kind.JSON),
    Case("1 MB of empty arrays", b"[" + b",".join([b"[]"] * 350_000) + b"]", Kind.JSON),
    Case("300 KB of empty objects in lines", b"{}\n" * 100_000, Kind.TEXT),
    Case("100,000 records in lines", b'{"a": 1, "b": 2}\n' * 100_000, Kind.VALUES),
    Case("200 KB of newlines", b"\n" * 200_000, Kind.TEXT),
    Case("1 MB of quotes", b'"' * MB, Kind.TEXT),
    Case("1 MB of backslashes", b"\\" * MB, Kind.TEXT),
    Case("a string of 2 MB of escapes", b'["' + b"\\\\" * MB + b'"]', Kind.JSON),
    Case("duplicate keys", b"{" + b",".join([b'"a": {"b": 1}', b'"a": [1, 2]'] * 5_000) + b"}", Kind.JSON),
    Case(
        "empty and odd keys",
        json.dumps({"": {" ": [1], '"': 2, "\n": 3, ".a[0]": [[4]]}} | {str(n): n for n in range(9_000)}).encode(),
        Kind.JSON,
    ),
    Case("a key of 1 MB", b'{"' + b"k" * MB + b'": [1,2,3]}', Kind.JSON),
    Case("60,000 keys", json.dumps({f"key{n}": n for n in range(60_000)}).encode(), Kind.JSON),
    Case(
        "objects nested 300 deep around 200 KB", b'{"a":' * 300 + b'"' + b"x" * 200_000 + b'"' + b"}" * 300, Kind.JSON
    ),
    Case("marks upon marks", "e" + "\u0301" * 200_000, Kind.TEXT),
    Case("right to left with controls", "\u202e\u05d0\u05d1\u05d2 \u200f" * 20_000, Kind.TEXT),
    Case("joined emoji without end", "\U0001f469\u200d" * 60_000, Kind.TEXT),
    Case("JSON in a string in a string", json.dumps(json.dumps([{"a": n} for n in range(9_000)])).encode(), Kind.JSON),
    Case("trailing comma", b'[{"a": 1},' * 9_000, Kind.TEXT),
    Case("two documents in one", json.dumps([1] * 9_000).encode() * 2, Kind.VALUES),
    Case("escape characters of a terminal", b"\x1b[31mred\x1b[0m\n" * 9_000, Kind.TEXT),
    Case("carriage returns only", b"progress 1 %\r" * 9_000, Kind.TEXT),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_verdict(case: Case) -> None:
    document = read(case.data)
    assert document.kind is case.kind
    figures = measure(document)
    assert figures.size == len(document.raw)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_p1_every_answer_is_bounded(case: Case) -> None:
    budget = Budget(max_tokens=5_000, preview_tokens=1_000, page_tokens=2_000)
    match fit_document(read(case.data), budget):
        case Hold() as hold:
            answer = hold.answer(HANDLE, 60)
            json.loads(answer)
            assert cost(parse(answer), "claude") <= 1_000
            assert len(answer) <= budget.preview_bytes
            assert_pages_fit(hold, Room(tokens=2_000), Room(tokens=5_000))
        case Compact(raw=small):
            assert Room(tokens=5_000).fits(small)
        case Pass():
            assert Room(tokens=5_000).fits(read(case.data).raw[:])


def assert_pages_fit(hold: Hold, room: Room, hard: Room) -> None:
    index, get = hold.document.index, reader(hold.document.body)
    if index.root is None:
        return
    container = container_at(index, get, hold.reading.pages)
    pages = paginate(container, get, room, frame_for(index, get, container, room))
    for number in {1, min(2, pages.total_pages), pages.total_pages}:
        assert hard.fits(render_page(page(container, get, pages, number, hard=hard), pages.frame))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_p1_as_a_tools_result_it_is_bounded_too(case: Case) -> None:
    budget = Budget(max_tokens=5_000, preview_tokens=1_000, page_tokens=2_000)
    plan = fit(text_result(case.data), budget)
    if isinstance(plan, Hold):
        assert cost(parse(plan.answer(HANDLE, 60)), "claude") <= 1_000


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_p2_every_byte_comes_back(case: Case) -> None:
    document = read(case.data)
    scale = ruler(document)
    get = reader(document.raw)
    step = max(1_000, scale.total // 5)
    found = window(get, scale, 0, step)
    text = [found.text]
    while found.next_index is not None:
        found = window(get, scale, found.next_index, step)
        text.append(found.text)
    assert "".join(text).encode("utf-8", document.errors) == document.raw


@pytest.mark.parametrize("case", [case for case in CASES if len(case.data) > 100_000], ids=lambda case: case.name)
def test_memory_stays_below_forty_times_the_input(case: Case) -> None:
    tracemalloc.start()
    try:
        fit_document(read(case.data), Budget())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 40 * len(case.data) + 16 * MB


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_tokens_are_counted_for_every_profile(case: Case) -> None:
    for profile in PROFILES:
        found = count(case.data, profile)
        assert 0 <= found.tokens <= found.upper


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.kind in (Kind.JSON, Kind.VALUES)], ids=lambda case: case.name
)
def test_p2_pages_put_together_are_the_items(case: Case) -> None:
    document = read(case.data)
    get = reader(document.body)
    for path in {(), read_form(document).pages}:
        container = container_at(document.index, get, path)
        pages = paginate(container, get, Room(tokens=5_000))
        assert pages.firsts[0] == 0
        assert pages.firsts[-1] == container.count
        assert all(a < b for a, b in zip(pages.firsts, pages.firsts[1:], strict=False))
