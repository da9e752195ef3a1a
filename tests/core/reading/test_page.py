"""Pages put together are the items, in order, each exactly once; how many pages there are is known beforehand."""

from __future__ import annotations

import json
from array import array
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.budget import Room
from penstock.core.forms.document import read
from penstock.core.forms.recognise import read_form
from penstock.core.json.index import Container, Index, Read, reader
from penstock.core.json.lookup import container_at
from penstock.core.json.path import parse
from penstock.core.reading import page as paging
from penstock.core.reading.page import Page, Pages, page, paginate, projected, render_page, shown_text
from penstock.core.reading.page_frame import Frame, frame_for, minified, project, shorten_item
from penstock.core.tokens.count import count
from penstock.errors import CallerError
from tests.kit.strategies import clean_text, json_bytes, records, values


class Book:
    """A document with its pages, as a reader sees it."""

    def __init__(self, data: bytes | str, room: Room, path: str | None = None) -> None:
        self.document = read(data)
        self.index: Index = self.document.index
        self.read: Read = reader(self.document.body)
        where = read_form(self.document).pages if path is None else parse(path)
        self.container: Container = container_at(self.index, self.read, where)
        self.frame = Frame()
        if path is None:
            self.frame = frame_for(self.index, self.read, self.container, room)
        self.pages: Pages = paginate(self.container, self.read, room, self.frame)

    def page(self, number: int, **options: Any) -> Page:
        return page(self.container, self.read, self.pages, number, **options)

    def text(self, number: int) -> bytes:
        return render_page(self.page(number), self.frame)

    def all(self) -> list[Page]:
        return [self.page(number) for number in range(1, self.pages.total_pages + 1)]


rooms = st.integers(300, 1_500).map(lambda tokens: Room(tokens=tokens))


@given(json_bytes(st.lists(values, min_size=1, max_size=40)), rooms)
def test_pages_of_a_root_array_put_together_are_its_items(data: bytes, room: Room) -> None:
    book = Book(data, room, path=".")
    found = book.all()
    whole = [item for one in found if not one.cut for item in one.items]
    expected = [minified(book.container.item(book.read, n)) for n in range(book.container.count)]
    cut = {number for one in found for number in one.cut}
    assert whole == [item for number, item in enumerate(expected) if number not in cut]
    assert [one.start_index for one in found] == [0, *(one.end_index for one in found[:-1])]
    assert found[-1].end_index == book.container.count
    assert not found[-1].has_more


@given(records, records, rooms)
def test_pages_of_an_object_keep_its_other_fields(rows: list[Any], others: list[Any], room: Room) -> None:
    value: dict[str, Any] = {"title": "t", "rows": rows + rows + others, "n": 3, "others": others}
    book = Book(json.dumps(value), room)
    if book.container.path not in (("rows",), ("others",)):
        return
    name = str(book.container.path[0])
    together: list[Any] = []
    for number in range(1, book.pages.total_pages + 1):
        text = book.text(number)
        told = json.loads(text)
        assert room.fits(text)
        assert list(told)[-1] == "_pagination"
        assert [key for key in told if key != "_pagination"] == list(value)
        assert (told["title"], told["n"]) == ("t", 3)
        together += [None] * len(told[name]) if told["_pagination"].get("cut_items") else told[name]
    assert len(together) == len(value[name])
    assert all(a is None or a == b for a, b in zip(together, value[name], strict=True))


@given(json_bytes(st.dictionaries(clean_text, values, min_size=1, max_size=20)), rooms)
def test_pages_of_an_object_by_path_put_together_are_its_members(data: bytes, room: Room) -> None:
    book = Book(data, room, path=".")
    if any(one.cut for one in book.all()):
        return
    together: dict[str, Any] = {}
    for number in range(1, book.pages.total_pages + 1):
        together |= json.loads(book.text(number))["items"]
    assert together == json.loads(data)


@given(st.text(max_size=400).filter(lambda text: read(text).kind == "text"), rooms)
def test_pages_of_text_put_together_are_its_lines(text: str, room: Room) -> None:
    if not text:
        return
    book = Book(text, room)
    found = book.all()
    lines = [json.loads(item) for one in found for item in one.items]
    if not any(one.cut for one in found):
        assert "\n".join(lines) == text.removesuffix("\n").encode("utf-8", "replace").decode()


@given(json_bytes(st.lists(values, min_size=1, max_size=40)), rooms)
def test_every_page_fits_its_room(data: bytes, room: Room) -> None:
    book = Book(data, room, path=".")
    for number in range(1, book.pages.total_pages + 2):
        assert room.fits(book.text(number))


def test_pages_by_size_in_bytes_fit_that_size() -> None:
    rows = [{"id": n, "text": "word " * (n % 30)} for n in range(500)]
    book = Book(json.dumps(rows), Room(tokens=10**9, size=8_192), path=".")
    sizes = [len(book.text(number)) for number in range(1, book.pages.total_pages + 1)]
    assert max(sizes) <= 8_192
    assert sum(sizes[:-1]) / len(sizes[:-1]) > 5_000


def test_a_page_past_the_end_is_empty_with_the_totals() -> None:
    book = Book("[1,2,3]", Room(tokens=500))
    found = json.loads(book.text(99))
    assert found["items"] == []
    assert found["_pagination"] == {
        "path": ".",
        "page": 99,
        "total_pages": 1,
        "start_index": 3,
        "end_index": 3,
        "total": 3,
        "has_more": False,
        "note": "past the end: there are 3",
    }


def test_what_comes_after_is_counted_from_the_end_of_what_is_shown() -> None:
    assert shown_text(40, 80, 439) == "shown 41-80 of 439"
    assert shown_text(400, 439, 439) == "shown 401-439 of 439"
    assert shown_text(0, 0, 5) == "shown none of 5"
    assert shown_text(0, 0, 0) == "shown none of 0"


def test_an_empty_array_has_no_pages_and_says_so() -> None:
    book = Book("[]", Room(tokens=500))
    assert book.pages.total_pages == 0
    assert json.loads(book.text(1))["_pagination"]["total"] == 0


def test_pagination_counts_as_people_count_and_comes_in_both_styles() -> None:
    found = Page(path=("a",), number=2, total_pages=11, start_index=40, end_index=80, total=439, items=())
    assert found.pagination()["note"] == "shown 41-80 of 439"
    assert found.pagination("camel")["startIndex"] == 40
    frame = Frame(omitted=3)
    assert json.loads(render_page(found, frame))["_pagination"]["omitted_fields"] == 3
    assert json.loads(render_page(found, frame, "camel"))["_pagination"]["omittedFields"] == 3


@pytest.mark.parametrize("number", [0, -1])
def test_pages_count_from_one(number: int) -> None:
    with pytest.raises(CallerError, match="page is"):
        Book("[1]", Room(tokens=500)).page(number)


def test_the_page_of_an_item_is_known() -> None:
    book = Book(json.dumps([{"id": n, "text": "some words here"} for n in range(300)]), Room(tokens=600))
    for number in range(1, book.pages.total_pages + 1):
        found = book.page(number)
        assert book.pages.containing(found.start_index) == number
        assert book.pages.containing(found.end_index - 1) == number
    assert Pages(room=Room(tokens=1), frame=Frame(), firsts=array("Q", [0])).containing(0) == 1


def test_an_item_larger_than_a_page_is_alone_cut_inside_and_says_so() -> None:
    rows: list[Any] = [{"id": 1}, {"id": 2, "inner": {"list": list(range(3_000)), "text": "x y " * 900}}, {"id": 3}]
    room = Room(tokens=600)
    book = Book(json.dumps(rows), room, path=".")
    [large] = [one for one in book.all() if one.cut]
    assert (large.start_index, large.end_index, large.cut) == (1, 2, (1,))
    told = json.loads(render_page(large, book.frame))
    assert room.fits(render_page(large, book.frame))
    assert told["items"][0]["id"] == 2
    assert told["_pagination"]["cut_items"] == [1]
    assert "1 shown in part" in told["_pagination"]["note"]


@pytest.mark.parametrize(
    "value", ["word " * 5_000, "x" * 30_000, [[]] * 5_000, {"k" * 9_000: 1}, {"a": "\u1230" * 9_000}]
)
def test_any_large_item_can_be_cut_to_fit(value: Any) -> None:
    room = Room(tokens=300)
    book = Book(json.dumps([value, 1], ensure_ascii=False), room, path=".")
    assert room.fits(book.text(1))
    json.loads(book.text(1))


def test_a_large_member_of_an_object_is_cut_behind_its_key() -> None:
    book = Book(json.dumps({"a": "word " * 4_000, "b": 1}), Room(tokens=400), path=".")
    assert json.loads(book.text(1))["items"]["a"].startswith("word word")


def test_an_array_field_beside_large_fields_keeps_them_as_marks() -> None:
    value = {
        "rows": [{"n": n} for n in range(2_000)],
        "other": list(range(900)),
        "text": "z" * 4_000,
        "_pagination": "theirs",
        **{f"f{n}": "value " * 9 for n in range(60)},
    }
    room = Room(tokens=1_500)
    book = Book(json.dumps(value), room)
    told = json.loads(book.text(2))
    assert room.fits(book.text(2))
    assert told["rows"][0]["n"] == told["_pagination"]["start_index"]
    assert "truncated" in str(told["other"])
    assert told["_pagination"]["omitted_fields"] > 20


def test_a_field_that_has_no_room_is_counted_and_not_shown_as_empty() -> None:
    value = {"status": "everything is fine", "none": "", "rows": [{"n": n} for n in range(2_000)]}
    told = json.loads(Book(json.dumps(value), Room(tokens=300)).text(1))
    assert told["_pagination"]["omitted_fields"] == 1
    assert "status" not in told
    assert told["none"] == ""


def test_a_large_container_is_laid_down_from_samples_and_still_fits() -> None:
    rows = [{"id": n, "name": f"name {n}", "text": "some words " * (n % 20)} for n in range(30_000)]
    data = json.dumps(rows).encode()
    assert len(data) > 2 * paging.EXACT
    room = Room(tokens=2_000)
    book = Book(data, room)
    costs = [room.cost(book.text(number)) for number in range(1, book.pages.total_pages + 1, 37)]
    assert max(costs) <= room.tokens
    assert sum(costs) / len(costs) > 0.5 * room.tokens


def test_a_dense_stretch_that_samples_missed_is_bounded_by_the_hard_room() -> None:
    plain = [{"t": "word " * 40} for _ in range(9_000)]
    dense = [{"t": "\u1230\u1240\u1250" * 60} for _ in range(30)]
    data = json.dumps(plain[:4_000] + dense + plain[4_000:], ensure_ascii=False)
    room, hard = Room(tokens=4_000), Room(tokens=5_000)
    book = Book(data, room)
    for item in (3_990, 4_005, 4_020):
        found = book.page(book.pages.containing(item), hard=hard)
        assert hard.fits(render_page(found, book.frame))


def test_many_items_too_dense_for_one_page_are_told_instead_of_shown() -> None:
    book = Book(json.dumps([["a", "b", "c"]] * 400), Room(tokens=5_000), path=".")
    crowded = Pages(room=Room(tokens=260), frame=Frame(), firsts=array("Q", [0, 400]))
    found = page(book.container, book.read, crowded, 1)
    assert json.loads(found.items[0]) == "[400 items, too dense for one page: read one by its path, or as text]"
    keyed = Book(json.dumps({f"k{n}": ["a", "b"] for n in range(400)}), Room(tokens=5_000), path=".")
    found = page(keyed.container, keyed.read, crowded, 1)
    assert "too dense" in json.loads(render_page(found, Frame()))["items"][""]


def test_only_the_wanted_fields_of_items_are_shown() -> None:
    item = json.dumps({"id": 1, "user": {"name": "n", "mail": "m"}, "x": {"y": {"z": 1, "w": 2}}, "s": 5}).encode()
    wanted = [parse(name) for name in ("user.name", "id", ".x.y.z", "s.t")]
    assert json.loads(project(item, wanted)) == {"id": 1, "user": {"name": "n"}, "x": {"y": {"z": 1}}, "s": 5}
    book = Book(json.dumps([{"id": n, "b": 1} for n in range(3)] + [7]), Room(tokens=500), path=".")
    assert [json.loads(one) for one in book.page(1, fields=["id"]).items] == [{"id": 0}, {"id": 1}, {"id": 2}, 7]


def test_members_of_a_map_have_only_the_wanted_fields() -> None:
    book = Book(json.dumps({"a": {"id": 1, "b": 2}, "c": [3]}), Room(tokens=500), path=".")
    assert book.page(1, fields=["id"]).items == (b'"a":{"id":1}', b'"c":[3]')
    assert projected(book.container, book.read, ["id"]) == b'{"a":{"id":1},"c":[3]}'
    rows = Book('[{"id": 1, "b": 2}, 7]', Room(tokens=500), path=".")
    assert projected(rows.container, rows.read, ["b"]) == b'[{"b":2},7]'


def test_a_small_item_is_not_shortened() -> None:
    assert shorten_item(b'{"a":[1]}', Room(tokens=100)) == b'{"a":[1]}'
    assert b"truncated" in shorten_item(b'{"a":[1,2,3,4,5,6,7,8,9,10]}', Room(tokens=3))


def test_arrays_deeper_than_the_root_are_paged_under_items() -> None:
    book = Book(json.dumps({"a": {"rows": [{"n": n} for n in range(500)]}}), Room(tokens=500))
    told = json.loads(book.text(1))
    assert list(told) == ["items", "_pagination"]
    assert told["_pagination"]["path"] == ".a.rows"


def test_pages_cost_about_what_they_may() -> None:
    rows = [{"id": n, "name": f"name {n}", "ok": True} for n in range(3_000)]
    book = Book(json.dumps(rows), Room(tokens=2_000))
    costs = [count(book.text(number)).upper for number in range(1, book.pages.total_pages)]
    assert min(costs) > 1_000


def test_every_page_of_a_counted_container_fits_however_dense_its_parts_are() -> None:
    kinds = ["word " * 40, "\u1230\u1240\u1250" * 20, "0123456789abcdef" * 9, '"' * 90]
    rows = [{"t": kinds[(n // 7 + n * n // 31) % 4] * (1 + n % 3)} for n in range(400)]
    for data in (
        json.dumps(rows, ensure_ascii=False, indent=3),
        json.dumps({str(n): row for n, row in enumerate(rows)}),
    ):
        room = Room(tokens=3_000)
        book = Book(data, room, path=".")
        assert book.container.size <= paging.EXACT
        assert all(room.fits(render_page(found, book.frame)) and not found.cut for found in book.all())


def test_where_the_first_guess_is_wrong_the_page_is_found_by_halving(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paging, "GUESSES", 1)
    room = Room(tokens=1_000)
    book = Book(json.dumps(["\u1230\u1240" * 30] * 200, ensure_ascii=False), room)
    assert all(room.fits(render_page(found, book.frame)) for found in book.all())
    assert book.pages.firsts[1] > 1


def test_large_items_of_a_large_container_are_each_on_their_own_page() -> None:
    rows = [{"t": "some words " * 2_000} for _ in range(60)]
    book = Book(json.dumps(rows), Room(tokens=2_000))
    assert book.container.size > paging.EXACT
    assert book.pages.total_pages == 60


def test_a_field_whose_name_alone_would_fill_a_page_is_paged_under_items() -> None:
    room = Room(tokens=500)
    book = Book(json.dumps({"name" * 900: [{"n": n} for n in range(500)]}), room)
    told = json.loads(book.text(1))
    assert list(told) == ["items", "_pagination"]
    assert told["items"][0] == {"n": 0}
