"""Every match is counted once, wherever stretches begin; what is shown fits the room and says how much there is."""

from __future__ import annotations

import json
import re
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.budget import Room
from penstock.core.json.index import Container, reader
from penstock.core.json.lookup import value_at
from penstock.errors import CallerError
from penstock.query.search import hits, pattern
from penstock.query.search.hits import find
from penstock.query.search.json_place import Locator
from penstock.query.search.key_fields import key_fields
from penstock.query.search.pattern import compiled
from penstock.query.search.search import SearchQuery, SearchResult
from penstock.query.search.search import search as run_search
from penstock.query.source import Source
from tests.kit.held_results import held, held_value
from tests.kit.strategies import containers, json_bytes

WIDE = Room(tokens=100_000)
MATCHES = {
    "matches": [
        {"file": f"src/a{number % 3}.ts", "line": number, "text": f"const [a{number}] = useState({number})"}
        for number in range(40)
    ],
    "title": "useState",
    "useState": None,
}


def search(source: Source, text: str, *, room: Room, **options: Any) -> SearchResult:
    timing = {name: options.pop(name) for name in ("clock", "seconds") if name in options}
    return run_search(source, SearchQuery(pattern=text, **options), room=room, **timing)


def spans(data: bytes, text: str, stretch: int, *, regex: bool = True) -> list[tuple[int, int]]:
    with compiled(text, regex=regex, ignore_case=False, in_json=True) as ready:
        cut = pattern.Pattern(regexp=ready.regexp, stretch=stretch)
        found = find(cut, reader(data), 0, len(data), clock=lambda: 0.0, seconds=1)
    assert found.complete
    return list(zip(found.starts, found.ends, strict=True))


@given(
    st.text(st.sampled_from("ab\n "), max_size=200).map(str.encode),
    st.sampled_from(["a", "ab", "a+b", "^a", "a$", r"\bab\b", "b{2,4}", "[^a]b", "(a|ab)(b|a)", "(?i)A"]),
    st.integers(1, 60),
)
def test_stretches_find_what_one_pass_finds(data: bytes, text: str, stretch: int) -> None:
    expected = [match.span() for match in re.finditer(text.encode(), data, re.MULTILINE)]
    assert spans(data, text, stretch) == expected


@settings(max_examples=60, deadline=None)
@given(json_bytes(), st.data())
def test_any_text_of_a_document_is_found_however_it_is_written(data: bytes, draws: st.DataObject) -> None:
    texts: list[str] = [text for text in _strings(json.loads(data)) if text and "\x00" not in text]
    if not texts:
        return
    wanted = draws.draw(st.sampled_from(texts))
    source = held(data)
    found = search(source, wanted, room=WIDE, context=0)
    assert found.total >= 1
    assert len(found.text.encode()) < 1_000_000


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        (r'["caf\u00e9"]', "café"),
        (r'["caf\u00E9"]', "café"),
        ('["café"]', "café"),
        (r'["http:\/\/x"]', "http://x"),
        (r'["\u003cdiv\u003E"]', "<div>"),
        (r'["say \"hi\""]', 'say "hi"'),
        (r'["a\\b"]', "a\\b"),
        (r'["a\nb"]', "a\nb"),
        (r'["\ud83d\ude00!"]', "😀!"),
        ('["😀!"]', "😀!"),
        (r'{"a\tb": 1}', "a\tb"),
    ],
)
def test_a_plain_text_is_found_as_the_reader_sees_it(written: str, wanted: str) -> None:
    assert search(held(written), wanted, room=WIDE).total == 1
    assert search(held(written), wanted.upper(), room=WIDE, ignore_case=True).total == 1


@settings(max_examples=80, deadline=None)
@given(json_bytes(containers), st.data())
def test_the_path_of_a_position_leads_to_the_value_there(data: bytes, draws: st.DataObject) -> None:
    source = held(data)
    root = source.root()
    locator = Locator(source.index, root, source.read)
    for position in draws.draw(st.lists(st.integers(root.start, root.end - 1), max_size=10)):
        place = locator.locate(position)
        assert place.start <= position < place.end
        if place.in_key:
            key, _, blank = source.read(place.start, place.end).rpartition(b":")
            assert json.loads(key) == place.path[-1]
            assert not blank.strip()
        else:
            assert value_at(source.index, source.read, place.path) == source.read(place.start, place.end)
        if place.item is not None:
            assert place.item[0] <= position < place.item[1]
            assert source.read(*place.item)[:1] in (b"{", b"[")


def test_a_match_in_json_has_its_path_and_the_fields_that_name_its_item() -> None:
    found = search(held_value(MATCHES), "useState(7)", room=WIDE)
    assert (found.total, found.complete, found.start, found.end) == (1, True, 0, 1)
    assert found.about == {
        "total": 1,
        "complete": True,
        "by_path": {".matches[].text": 1},
        "by_file": {"src/a1.ts": 1},
        "shown": "1-1 of 1",
    }
    assert found.text == ".matches[7].text (line 7 · file src/a1.ts): const [a7] = useState(7)"


def test_counts_come_first_and_keys_are_told_from_values() -> None:
    found = search(held_value(MATCHES), "useState", room=Room(tokens=800))
    assert found.about["total"] == 42
    assert found.about["by_path"] == {".matches[].text": 40, ".title": 1, ".useState (key)": 1}
    assert found.about["by_file"] == {"src/a0.ts": 14, "src/a1.ts": 13, "src/a2.ts": 13}
    assert found.has_more
    assert found.about["next_start"] == found.end
    rest = search(held_value(MATCHES), "useState", room=WIDE, start=found.end)
    assert (rest.start, rest.end, rest.has_more) == (found.end, 42, False)
    assert rest.text.splitlines()[-2:] == [".title: useState", ".useState (key): null"]


def test_several_matches_in_one_line_are_one_entry() -> None:
    found = search(held_value([{"a": "xx", "b": "x"}, {"c": "x"}]), "x", room=WIDE)
    assert found.total == 4
    assert found.text.splitlines() == [".[0].a (b x) ×2: xx", ".[0].b: x", ".[1].c: x"]
    assert found.about["shown"] == "1-4 of 4"
    text = search(held("x y x\nno\nx"), "x", room=WIDE)
    assert text.about["lines"] == 2
    assert text.text.splitlines() == ["1 ×2: x y x", "3: x"]


def test_a_string_of_several_lines_is_shown_by_its_own_lines_without_escapes() -> None:
    source = held_value([{"id": 7, "body": 'first\n\tsaid "hello"\nlast\nhello again'}])
    found = search(source, "hello", room=WIDE)
    assert found.text.splitlines() == [
        ".[0].body (id 7), lines of 4:",
        *("  in first", '  2: \tsaid "hello"', "  at the top level", "  4: hello again"),
    ]
    around = search(source, "last", room=WIDE, context=1)
    assert around.text.splitlines()[1:] == ['  2- \tsaid "hello"', "  3: last", "  4- hello again"]


def test_a_path_to_a_string_searches_it_as_the_text_that_it_is() -> None:
    text = '# One\nalpha\n## Two\nbeta "x"\n## Three\ngamma\n'
    source = held_value({"readme": text, "other": "alpha beta"})
    found = search(source, '^beta "', room=WIDE, regex=True, path=".readme")
    assert found.about == {
        "total": 1,
        "complete": True,
        "path": ".readme",
        "lines": 1,
        "of_lines": 6,
        "shown": "1-1 of 1",
    }
    assert found.text == '4: beta "x"'
    assert search(source, "x", room=WIDE, path=".readme").total == 1
    assert search(held_value({"a": ""}), "x", room=WIDE, path=".a").total == 0


def test_an_item_with_a_number_beyond_all_types_has_a_path_but_no_file() -> None:
    source = held('[{"file": "a/b.c", "text": "xyz"}, {"file": "c/d.e", "text": "xyz", "n": 1e999}]')
    about = search(source, "xyz", room=WIDE).about
    assert (about["by_path"], about["by_file"]) == ({".[].text": 2}, {"a/b.c": 1})


def test_a_long_value_is_shown_around_the_match_and_what_is_left_out_is_counted() -> None:
    value = [{"id": 1, "text": "é" * 5_000 + "needle" + "ü" * 5_000, "list": list(range(500))}]
    line = search(held_value(value), "needle", room=WIDE).text
    assert line.startswith(".[0].text (id 1): [+")
    assert "needle" in line
    assert len(line) < 500
    before, after = re.findall(r"\[\+([\d,]+) bytes\]", line)
    shown = line.partition("…")[2].rpartition("…")[0]
    left_out = int(before.replace(",", "")) + int(after.replace(",", ""))
    assert left_out + len(shown.encode()) == 20_006
    whole = "w" * 390 + " needle"
    assert search(held(f"short\n{whole}"), "needle", room=WIDE).text == f"2: {whole}"


@pytest.mark.parametrize(
    ("item", "way", "told"),
    [
        ({"size": 1, "name": "n", "number": 5}, ("b",), "number 5 · name n · size 1"),
        ({"id": 1, "name": "n", "state": "open"}, ("id",), "name n · state open"),
        ({"title": "Star Wars", "studio": "Fox"}, ("title",), "studio Fox"),
        ({"id": 1, "user": {"login": "ann", "id": 9}}, ("user", "login"), "id 1 · user.id 9"),
        ({"a": [1], "b": "w" * 90, "url": "https://x.example"}, (), ""),
        (["needle", 1], (0,), ""),
    ],
)
def test_match_comes_with_the_fields_beside_it(item: Any, way: tuple[Any, ...], told: str) -> None:
    assert key_fields(item, item, way) == told


def test_match_in_an_inner_list_comes_with_the_id_of_its_row() -> None:
    value = {"orders": [{"id": n, "name": f"order {n}", "lines": [{"sku": f"S{n}", "n": 2}]} for n in range(5)]}
    found = search(held_value(value), "S3", room=WIDE)
    assert found.text == ".orders[3].lines[0].sku (id 3 · name order 3 · n 2): S3"


def test_routes_are_not_counted_as_files() -> None:
    found = search(held_value([{"path": f"/api/users/{n}", "text": "slow"} for n in range(9)]), "slow", room=WIDE)
    assert "by_file" not in found.about


def test_fields_beside_a_match_have_an_end() -> None:
    wide = {f"field {number}": "v" * 30 for number in range(50)}
    assert len(key_fields(wide, wide, ())) < 200


@pytest.mark.parametrize(
    ("text", "total"),
    [
        ("cat", 1),
        ("concat cat cats", 1),
        ("cat_food cat-food", 1),
        ("écat caté cat", 1),
        ('"cat" (cat)', 2),
        ("\ncat\tcat\\cat", 3),
    ],
)
def test_words_are_told_from_parts_of_words(text: str, total: int) -> None:
    assert search(held_value([text]), "cat", room=WIDE, word=True).total == total
    assert search(held(json.dumps([text], ensure_ascii=False)), "cat", room=WIDE, word=True).total == total
    assert search(held(text), "c.t", room=WIDE, word=True, regex=True).total == total


def test_a_search_under_a_path_sees_nothing_else() -> None:
    source = held_value({"a": [{"x": "cat"}, {"x": "dog", "y": ["cat", "cat"]}], "b": "cat", "c": {"cat": 1}})
    for path, total in ((None, 5), (".a", 3), (".a[1]", 2), (".a[1].y[0]", 1), (".b", 1), (".c", 1), (".a[0].x", 1)):
        assert search(source, "cat", room=WIDE, path=path).total == total
    assert ".a[1].y[1]" in search(source, "cat", room=WIDE, path=".a[1]").text
    assert search(source, "cat", room=WIDE, path=".a[1].y[0]").text == "1: cat"
    assert search(held('{"k": "cat", "k": "dog"}'), "cat", room=WIDE, path=".k").total == 0
    with pytest.raises(CallerError, match="there is no 'nope'"):
        search(source, "cat", room=WIDE, path=".nope")


def test_a_map_of_very_many_keys_is_searched_with_paths_too() -> None:
    source = held_value({f"key {number}": {"v": f"value {number}"} for number in range(3_000)})
    assert '["key 2999"].v' in search(source, "value 2999", room=WIDE).text
    assert search(source, "value", room=WIDE, path='.["key 2999"].v').about["path"] == '.["key 2999"].v'


def test_a_match_between_the_parts_belongs_to_the_container() -> None:
    source = held('{"a": [1 , 2], "b": {"c": 3}}')
    found = search(source, r'\s,|"b":|\}\}', room=WIDE, regex=True)
    assert found.text.splitlines() == [".a: [1 , 2]", '.b (key): {"c": 3}', '.b: {"c": 3}']


def test_json_lines_are_searched_as_an_array() -> None:
    source = held('{"m":"one","id":4}\n{"m":"two","id":5}\n')
    assert search(source, "two", room=WIDE).text == ".[1].m (id 5): two"


def test_a_text_is_searched_by_lines_with_context() -> None:
    source = held("\n".join(f"line {number} {'ERROR ERROR' if number % 10 == 5 else 'fine'}" for number in range(40)))
    found = search(source, "^line .5 ERROR", room=WIDE, regex=True, context=1)
    assert found.total == 3
    assert (found.about["lines"], found.about["of_lines"]) == (3, 40)
    assert found.text.splitlines() == [
        *("15- line 14 fine", "16: line 15 ERROR ERROR", "17- line 16 fine", "--"),
        *("25- line 24 fine", "26: line 25 ERROR ERROR", "27- line 26 fine", "--"),
        *("35- line 34 fine", "36: line 35 ERROR ERROR", "37- line 36 fine"),
    ]
    both = search(source, "error", room=WIDE, ignore_case=True)
    assert both.total == 8
    assert both.text.splitlines() == [f"{line} ×2: line {line - 1} ERROR ERROR" for line in (6, 16, 26, 36)]
    with pytest.raises(CallerError, match="a text has no paths"):
        search(source, "x", room=WIDE, path=".a")


def test_a_text_that_is_not_utf8_and_has_one_enormous_line_is_searched() -> None:
    source = held(b"words \xff\xfe " * 20_000 + b"needle" + b" more \xff words" * 20_000)
    found = search(source, "needle", room=WIDE)
    assert found.total == 1
    assert "needle" in found.text
    assert len(found.text) < 1_000


def test_nothing_found_is_an_answer() -> None:
    found = search(held_value(MATCHES), "usesstate", room=WIDE)
    assert found.text == "no match for 'usesstate' in any case"
    assert (found.total, found.end, found.has_more) == (0, 0, False)
    assert search(held("a\nb"), "x", room=WIDE, ignore_case=True).text == "no match for 'x' in any case"
    assert "give regex: true" in search(held("a\nb"), "x|a", room=WIDE).text
    beyond = search(held_value(MATCHES), "useState", room=WIDE, start=1_000)
    assert (beyond.total, beyond.has_more, beyond.text) == (42, False, "no more matches")


@given(st.integers(1, 400), st.sampled_from(["useState", "s", "(?s)[^x]{1,300}", "const"]))
@settings(max_examples=40, deadline=None)
def test_the_answer_always_fits_the_room(tokens: int, text: str) -> None:
    room = Room(tokens=tokens)
    for source in (held_value(MATCHES), held("\n".join(str(match) for match in MATCHES["matches"]))):  # type: ignore[union-attr]
        assert room.fits(search(source, text, room=room, regex=True).text)


def test_where_items_have_no_room_their_paths_may_have() -> None:
    source = held_value([{"text": "x " * 300 + "needle", "other": "y" * 300}] * 9)
    found = search(source, "needle", room=Room(tokens=130))
    assert found.end > 0
    assert found.text.splitlines()[0] == ".[0].text"


def test_more_matches_than_are_counted_are_said_to_be_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.query.search.show_matches.MOST_LOCATED", 10)
    source = held_value(["a" * 50] * 4)
    with compiled("a", regex=False, ignore_case=False, in_json=True) as ready:
        found = find(ready, source.read, 0, source.index.size, clock=lambda: 0.0, seconds=1, most=100)
    assert (found.total, found.complete) == (100, False)
    about = search(source, "a", room=WIDE).about
    assert (about["total"], about["first_10_by_path"]) == (200, {".[]": 10})
    monkeypatch.setattr("penstock.query.search.search.find", lambda *_, **__: found)
    about = search(source, "a", room=WIDE).about
    assert (about["total"], about["complete"]) == (100, False)
    assert about["note"] == "at least 100 matches: counting stopped there"


def test_a_search_that_takes_too_long_says_so() -> None:
    ticks = count()
    for text in ("a", "zzz"):
        with pytest.raises(CallerError, match="took longer than 3 s"):
            search(held_value(["a" * 50]), text, room=WIDE, seconds=3, clock=lambda: next(ticks) * 4.0)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "the pattern is empty"),
        ("(a", "cannot be read at position 0: missing ): (a"),
        ("ab*)", "cannot be read at position 0: unexpected ): ab*)"),
        ("ab**", "cannot be read at position 2: bad repetition operator: **"),
        (r"a(?=b)", "invalid perl operator: (?="),
        (r"(a)\1", "invalid escape sequence"),
        ("a{2000}", "invalid repetition size"),
        ("[ab]{1000}" * 5, "too complex"),
        ("a" * 3_000, "longer than 2,000 characters"),
        ("\x00", "no text"),
        ("\ud800", "no text"),
        ("x*", "also matches an empty text"),
        (r"\b", "also matches an empty text"),
        ("trailing\\", "trailing \\"),
    ],
)
def test_a_bad_pattern_is_explained(text: str, what: str) -> None:
    with pytest.raises(CallerError) as caught:
        search(held_value(["a b", "aab"]), text, room=WIDE, regex=True)
    assert what in caught.value.what
    assert len(str(caught.value).encode()) < 1_000


@pytest.mark.parametrize("option", ["context", "start"])
def test_a_setting_below_zero_is_refused_by_its_name(option: str) -> None:
    with pytest.raises(CallerError, match=f"^{option} is -1"):
        search(held_value([]), "x", room=WIDE, **{option: -1})


def test_more_context_than_there_can_be_is_lowered_and_says_so() -> None:
    text = "\n".join(f"line {number}" for number in range(1, 101))
    found = search(held(text), "line 50", room=WIDE, context=50)
    assert found.about["context"] == "20 lines, the most"
    assert len(found.text.splitlines()) == 41
    assert "context" not in search(held(text), "line 50", room=WIDE, context=20).about


def test_a_search_below_every_item_has_the_matches_of_that_field_alone() -> None:
    films = [{"title": "Jaws", "by": {"name": "Spielberg"}}, {"title": "Spielberg", "by": {"name": "Lacy"}}]
    for path in (".[].by.name", "[].by", ".films[].by.name", ".[*][].by.name"):
        value = films if "films" not in path and "*" not in path else {"films": films}
        found = search(held_value(value), "Spielberg", room=WIDE, path=path)
        assert (found.total, found.complete) == (1, True)
        assert ".by.name" in found.text
    assert search(held_value(films), "Spielberg", room=WIDE, path=".[].studio").total == 0


def test_a_text_at_a_path_has_no_items_to_search() -> None:
    with pytest.raises(CallerError, match="is a text, which has no items"):
        search(held_value({"log": "one\ntwo"}), "one", room=WIDE, path=".log[]")


def test_too_many_matches_to_compare_their_paths_are_said_to_be_incomplete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.query.search.search.MOST_PLACED", 5)
    found = search(held_value([{"a": "x"}] * 20), "x", room=WIDE, path=".[].a")
    assert (found.total, found.complete) == (5, False)
    assert found.about["note"] == "at least 5 matches: counting stopped there"


def test_a_container_that_is_not_indexed_is_opened_once() -> None:
    """Matches one after the other in the same large item read it one time."""
    value = [{"rows": [{"t": f"x{number}"} for number in range(500)]} for _ in range(20)]
    source: Source = held_value(value)
    reads: list[int] = []

    def counting(start: int, end: int) -> bytes:
        reads.append(end - start)
        return source.read(start, end)

    root: Container = source.root()
    locator = Locator(source.index, root, counting)
    with compiled('"x', regex=True, ignore_case=False, in_json=True) as ready:
        found = find(ready, source.read, root.start, root.end, clock=lambda: 0.0, seconds=1)
    places = [locator.locate(start) for start in found.starts]
    assert len(places) == 10_000
    assert len(reads) <= 40
    assert places[777].path == (1, "rows", 277, "t")
    assert hits.MOST > 10_000


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for item in value for text in _strings(item)]
    if isinstance(value, dict):
        return [text for key, item in value.items() for text in (key, *_strings(item))]
    return []


def test_texts_are_found_in_any_case() -> None:
    assert search(held_value(["ÀÉ"]), "àé", room=WIDE, ignore_case=True).total == 1
    assert search(held(r'["\u00c0\u00c9"]'), "àé", room=WIDE, ignore_case=True).total == 1


@pytest.mark.parametrize(
    ("wanted", "total"),
    [("\\", 2), ("\n", 1), ('"', 0), ("name", 1), ("nname", 0), ("\t", 1), ("true", 2), ("new", 1), ("\\new", 1)],
)
def test_escapes_and_syntax_are_not_taken_for_the_text(wanted: str, total: int) -> None:
    source = held_value([{"p": "a\nname", "w": "C:\\new\\true"}, {"p": "\ttrue"}])
    assert search(source, wanted, room=WIDE).total == total


@given(st.text(st.sampled_from('\\n"/\nu0'), max_size=40), st.sampled_from(["\\", "n", '"', "\n", "/", "nn", "\\n"]))
def test_a_plain_text_is_counted_as_the_reader_counts_it(text: str, wanted: str) -> None:
    assert search(held_value([text]), wanted, room=WIDE).total == text.count(wanted)


@pytest.mark.parametrize("length", [63, 64, 65, 500])
def test_long_runs_of_backslashes_are_counted_in_pairs(length: int) -> None:
    assert search(held_value(["\\" * length + "n"]), "n", room=WIDE).total == 1
    assert search(held_value(["\\" * length + "\n"]), "n", room=WIDE).total == 0


def test_text_is_searched_in_any_case_if_it_is_nowhere_as_written() -> None:
    source = held(r'[{"t":"\u00e9"}, {"t":"a"}, {"t":"A"}]')
    found = search(source, "É", room=WIDE)
    assert (found.total, found.about["note"]) == (1, "no match in this case; these match without regard to case")
    assert search(source, "É", room=WIDE, ignore_case=True).total == 1
    exact = search(source, "A", room=WIDE)
    assert (exact.total, "note" in exact.about) == (1, False)


def test_lines_are_not_stated_as_exact_when_the_count_was_stopped() -> None:
    found = search(held(("x" * 100 + "\n") * 1_001), "x", room=WIDE, context=0, clock=lambda: 0.0)
    assert not found.complete
    assert (found.about["at_least_lines"], found.about["of_lines"]) == (1_000, 1_001)


def test_many_matches_in_one_long_string_do_not_read_it_once_each() -> None:
    source = held(json.dumps({"a": "word " * 20_000}))
    touched = 0

    def counting(start: int, end: int) -> bytes:
        nonlocal touched
        touched += end - start
        return source.read(start, end)

    found = search(Source(read=counting, index=source.index), "word", room=Room(tokens=800))
    assert found.total == 20_000
    assert touched < 100 * source.index.size
