"""The call that reads on gives the first part of the data, and its cost is known because its answer was made."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings

from penstock.core.budget import Room
from penstock.core.forms.document import read
from penstock.core.forms.recognise import read_form
from penstock.core.json.index import reader
from penstock.core.json.lookup import container_at
from penstock.core.reading import page as paging
from penstock.core.reading.next_calls import next_calls, room_of_window
from penstock.core.reading.page import page, paginate, render_page
from penstock.core.reading.page_frame import frame_for
from penstock.core.reading.window import ruler, window
from penstock.core.tokens.count import count
from tests.kit.strategies import json_bytes

if TYPE_CHECKING:
    from penstock.core.answer.notice import NextCall

ROOM = Room(tokens=1_000)
HARD = Room(tokens=4_000)


def first_call(data: Any) -> NextCall:
    document = read(data if isinstance(data, str | bytes) else json.dumps(data))
    [call] = next_calls(document, read_form(document), ROOM, HARD)
    return call


def first_page(data: Any) -> int:
    """What the first page costs when all are laid down."""
    document = read(data if isinstance(data, str | bytes) else json.dumps(data))
    get = reader(document.body)
    items = container_at(document.index, get, read_form(document).pages)
    frame = frame_for(document.index, get, items, ROOM)
    return count(render_page(page(items, get, paginate(items, get, ROOM, frame), 1, hard=HARD), frame)).tokens


def test_a_text_that_is_nearly_all_of_an_object_is_read_on_as_that_text() -> None:
    lines = "".join(f"2026-11-01T12:00:00 INFO request {n} took {n % 90} ms\n" for n in range(2_000))
    call = first_call({"path": "/var/app.log", "content": lines, "size": len(lines)})
    assert call.arguments == {"action": "get", "path": ".content"}
    plain = first_call(lines)
    assert plain.arguments == {"action": "get"}
    assert call.tokens == plain.tokens


@pytest.mark.parametrize(
    "data",
    [
        [{"id": n, "text": f"some words {n}"} for n in range(900)],
        {"total": 3, "rows": [{"id": n, "text": f"some words {n}"} for n in range(900)]},
        {f"key {n}": {"n": n} for n in range(900)},
        "\n".join(json.dumps({"id": n, "text": "some words " * (n % 9)}) for n in range(25_000)),
        [],
    ],
)
def test_a_page_costs_what_it_says(data: Any) -> None:
    call = first_call(data)
    assert call.arguments == {"action": "get_page", "page": 1}
    assert not call.at_most
    assert abs(call.tokens - first_page(data)) <= 3


def test_a_page_of_much_json_costs_a_page_at_most() -> None:
    data = [{"id": n, "name": f"name {n}", "text": "some words " * (n % 9)} for n in range(5_000)]
    call = first_call(data)
    assert call.at_most
    assert first_page(data) <= call.tokens


def test_the_first_page_of_a_large_container_is_laid_down_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"id": n, "text": f"some words {n}"} for n in range(900)]
    monkeypatch.setattr(paging, "EXACT", 100)
    assert abs(first_call(rows).tokens - first_page(rows)) <= 3


def test_an_item_larger_than_a_page_costs_a_page_at_most() -> None:
    call = first_call([{"text": "some words " * 900, "n": [1]}, {"text": "x", "n": [2]}])
    assert (call.arguments, call.tokens, call.at_most) == ({"action": "get_page", "page": 1}, 1_000, True)


def test_a_text_is_read_by_windows() -> None:
    text = "some words and a line\n" * 9_000
    call = first_call(text)
    document = read(text)
    assert call.arguments == {"action": "get"}
    found = window(reader(document.raw), ruler(document), 0, len(text), room_of_window(ROOM))
    assert found.text.endswith("\n")
    assert 0 <= call.tokens - count(found.text).tokens <= 100


@pytest.mark.parametrize("data", [b"", b"\x89PNG\r\n\x1a\n\x00\x00"])
def test_what_has_no_parts_is_not_read_on(data: bytes) -> None:
    document = read(data)
    assert next_calls(document, read_form(document), ROOM, HARD) == ()


@settings(max_examples=60, deadline=None)
@given(json_bytes())
def test_no_first_call_costs_more_than_its_room(data: bytes) -> None:
    assert first_call(data).tokens <= HARD.tokens
