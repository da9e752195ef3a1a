"""Stanzas: every key and value of each, continued lines included; prose, YAML and conversations are none."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.forms import growing
from penstock.core.forms.api import DoesNotHoldError
from penstock.core.forms.text.stanzas import FORM
from tests.kit.forms.facts import reading_of
from tests.kit.forms.reading import Read, read_as

KEYS = ("Package", "Version", "Installed-Size", "model name", "Tag")


def read(text: str) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


def package(number: int) -> str:
    return (
        f"Package: p{number}\nVersion: 1.{number}\nInstalled-Size: {number}\nDescription: a tool\n It does.\n .\n More"
    )


values = st.text(st.sampled_from("abc XYZ:-#'\"é0"), min_size=1, max_size=12).map(str.strip).filter(bool)
stanzas = st.lists(
    st.dictionaries(st.sampled_from(KEYS[1:]), st.lists(values, min_size=1, max_size=3), min_size=1), min_size=3
)


@given(stanzas, st.sampled_from(["\n", "\r\n"]), st.integers(1, 3))
def test_every_value_of_every_stanza_is_a_cell(made: list[dict[str, list[str]]], end: str, blanks: int) -> None:
    rows: list[dict[str, list[str]]] = [{"Package": [f"p{at}"], **one} for at, one in enumerate(made)]
    text = ("\n" * (blanks + 1)).join(
        "\n".join(f"{key}: " + "\n ".join(parts) for key, parts in row.items()) for row in rows
    )
    found = read(text.replace("\n", end))
    for at, row in enumerate(found.rows()):
        told = {key: str(cell) for key, cell in row.items() if key != "line" and cell is not None}
        assert told == {key: "\n".join(parts) for key, parts in rows[at].items()}
    assert found.words.what.startswith(f'{len(rows)} stanzas of "Key: value" lines')


def test_lines_are_those_at_which_stanzas_begin() -> None:
    assert read("\n\n" + "\n\n".join(map(package, range(5)))).column("line") == [3, 11, 19, 27, 35]


def test_numbers_are_numbers_and_repeated_keys_are_lines_of_one_cell() -> None:
    found = read("\n\n".join(f"Name: n{n}\nSize: {n}\nZip: 0{n}\nFile: a\nFile: b{n}" for n in range(9)))
    assert found.column("Size") == list(range(9))
    assert found.column("Zip") == [f"0{n}" for n in range(9)]
    assert found.column("File")[8] == "a\nb8"


@pytest.mark.parametrize("separator", ["\n---\n", "\n\n"])
@pytest.mark.parametrize("colon", [": ", "\t: ", "      : "])
def test_tools_part_stanzas_and_values_in_different_ways(separator: str, colon: str) -> None:
    found = read(separator.join(f"Name{colon}n{n}\nVersion{colon}1\nRequires:" for n in range(4)))
    assert found.column("Name") == ["n0", "n1", "n2", "n3"]
    assert found.column("Requires") == [None] * 4


def test_names_that_differ_in_case_are_different_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.core.forms.line_parser.BATCH", 2)
    found = read("".join(f"Line: {n}\nname: a\nName: b\n\n" for n in range(4)))
    assert list(found.cells["items"]) == ["line", "Line_2", "name", "Name_2"]
    assert found.column("Line_2") == [0, 1, 2, 3]


def test_keys_that_come_late_are_columns_of_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.core.forms.line_parser.BATCH", 3)
    found = read("\n\n".join([*map(package, range(7)), "Package: last\nBugs: none\n\n"]))
    assert found.column("Bugs") == [None] * 7 + ["none"]


OTHERS = {
    "two": "\n\n".join(map(package, range(2))),
    "prose": "Words and more of them.\n\nNote: this is a word.\n\n" * 30,
    "no colon first": "Words\n\n" * 30,
    "a conversation": "User: hello\n\nAssistant: hi\n\n" * 30,
    "one key each": "\n\n".join(f"Note: {n}" for n in range(30)),
    "no common key": "\n\n".join(f"Key{n}: x\nOther{n}: y" for n in range(30)),
    "YAML": "---\n".join("kind: A\nmeta:\n  name: b\nspec: c\n" for _ in range(9)),
    "YAML with capitals": "\n\n".join("Kind: A\nMeta:\n  - name\nSpec: c" for _ in range(9)),
    "a list": "\n\n".join("name: A\nkind: B\n- one" for _ in range(9)),
    "rules between small letters": "---\n".join("name: a\nkind: b\n" for _ in range(9)),
    "indented first": "  a: b\n\n" + "\n\n".join(map(package, range(9))),
    "indented after a blank line": "\n\n  a: b\n".join(map(package, range(9))),
    "no space": "\n\n".join("Name:a\nKind:b" for _ in range(9)),
    "a stray line": "\n\n".join([*map(package, range(9)), "and more", package(9)]),
    "a stray line late": "\n\n".join([*map(package, range(200)), "and more", *map(package, range(900))]),
    "two stray lines at the end": "\n\n".join([*map(package, range(900)), "and more", "and more"]),
    "one stanza": "Name: a\nKind: b\n" * 30,
    "too many keys": "\n\n".join(f"Name: a\nK{n}: b" for n in range(2_000)),
    "a very long key": "\n\n".join(f"Name: a\nA{'b' * 150}: b" for n in range(20)),
    "empty": "",
}


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS.keys())
def test_other_texts_are_not_claimed(text: str) -> None:
    assert read_as(FORM, text) is None


HOSTILE: dict[str, Any] = {
    "a huge line": "Name: " + "x" * 2_000_000,
    "a huge key": "N" * 2_000_000 + ": x",
    "a huge word": "a " * 500_000 + ": x",
    "NULs": "Name: \x00\x00",
    "a half": "Name: \ud800",
    "a key again and again": "Name: x\n" * 300_000,
    "lines that go on": "Name: x\n" + " more\n" * 300_000,
}


@pytest.mark.parametrize("line", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_texts_are_read_or_refused(line: str) -> None:
    good = "\n\n".join(map(package, range(5)))
    read_as(FORM, f"{good}\n\n{line}\n")
    read_as(FORM, f"{line}\n\n{good}")


@pytest.mark.parametrize("last", ["Vers", "[output truncated]"])
def test_the_last_line_may_be_cut_and_is_shown(last: str) -> None:
    found = read("\n\n".join(map(package, range(5))) + f"\n\nPackage: p\n{last}")
    assert found.tables["items"].count == 6
    [excerpt] = found.words.excerpts
    assert excerpt.lines == (last,)
    assert read_as(FORM, "\n\n".join(map(package, range(5))) + f"\n\nPackage: p\n{last}\nName: x") is None


def test_many_tiny_stanzas_are_read() -> None:
    found = read("A: 1\nB: 2\n\n" * 60_000)
    assert found.tables["items"].count == 60_000


def test_the_form_is_found_among_all_forms() -> None:
    reading = reading_of("\n\n".join(map(package, range(40))))
    assert reading.form == "stanzas"
    assert reading.shape == "[{line: int, Package: str, Version: str, Installed-Size: int, Description: str}]"


def test_rows_grow_only_to_a_width() -> None:
    rows = growing.GrowingRows()
    for at in range(growing.MAX_COLUMNS):
        rows.put(f"k{at}", "x")
    with pytest.raises(DoesNotHoldError):
        rows.put("one more", "x")


def process(number: int) -> str:
    return f"Name:\tp{number}\nState:\tS (sleeping)\nPid:\t{number}\nGroups:\t \nThreads:\t1\n"


def test_stanzas_without_blank_lines_begin_where_the_first_key_comes_again() -> None:
    found = read("".join(map(process, range(1_500))))
    assert found.column("Pid") == list(range(1_500))
    assert found.column("line")[:3] == [1, 6, 11]
    assert found.words.what == '1,500 stanzas of "Key: value" lines, 5 different keys'
    assert reading_of("".join(map(process, range(300)))).form == "stanzas"


@pytest.mark.parametrize(
    "text",
    [
        "Ann: hi\nBob: yes\nEve: no\nTim: so\n" * 9 + "Ann: ok\nTim: why\nTim: because\n" * 30,
        "Ann: hi\nBob: yes\nEve: no\n" * 200,
        "Name: a\nKind: b\nSize: 2\nTime: 3\n",
    ],
    ids=["a key that repeats", "three keys", "one stanza"],
)
def test_a_conversation_is_no_stanzas(text: str) -> None:
    assert read_as(FORM, text) is None


def headed(count: int, indent: str = "    ") -> str:
    below = f"{indent}LOC: {{0}}\n{indent}SLOC: {{1}}\n{indent}- Note: n{{0}}\n{indent}  more\n\n{indent}Multi: 0\n"
    return "".join(f"src/file{at}.py\n" + below.format(at, at * 2) for at in range(count))


@pytest.mark.parametrize("count", [9, 300, 1_500])
def test_a_heading_begins_a_stanza_of_keys_that_may_be_indented(count: int) -> None:
    found = read(headed(count))
    assert found.column("heading") == [f"src/file{at}.py" for at in range(count)]
    assert found.column("LOC") == list(range(count))
    assert found.column("Note") == [f"n{at}\nmore" for at in range(count)]
    assert found.column("line")[1] == 8
    assert found.words.what == f'{count:,} stanzas of "Key: value" lines below headings, 4 different keys'


def test_keys_below_a_heading_may_stand_at_the_margin_and_a_heading_may_end_with_a_colon() -> None:
    text = "".join(f"0{at}-1{at} r--p:\nSize:   {at} kB\nRss: 1\nPss:\t2\nFlags: a b\n" for at in range(9))
    found = read(text)
    assert found.column("heading") == [f"0{at}-1{at} r--p" for at in range(9)]
    assert found.column("Size") == [f"{at} kB" for at in range(9)]


@pytest.mark.parametrize(
    "text",
    [
        "A title\n\n    some: code\n    in it\n\nMore text, without a key.\n",
        "".join(f"Chapter {at}\n  author: me\n  words without a key\n" for at in range(5)),
        "A list\n  one: 1\n",
        "Heading\n  goes: on\nHeading\n  no key before a value\n" * 4,
        "- a\n  b: 1\n" + "x\n  no key\n" * 9,
    ],
)
def test_texts_with_headings_that_have_few_keys_in_common_are_no_stanzas(text: str) -> None:
    assert read_as(FORM, text) is None


def test_values_that_are_aligned_may_have_keys_of_their_own_below() -> None:
    pods = [
        f"Name:         pod-{at}\nSpace:        prod\nNode:         n{at}\nContainers:\n  main:\n    Image:  x:{at}\n"
        for at in range(30)
    ]
    found = read("\n\n".join(pods))
    assert found.column("Name") == [f"pod-{at}" for at in range(30)]
    assert found.column("Containers")[4] == "\n main:\n   Image:  x:4"
    assert read_as(FORM, "\n\n".join(pods).replace(":         ", ": ").replace(":        ", ": ")) is None


@pytest.mark.parametrize(
    ("heading", "bare"),
    [("{}. row:", "{}. row"), ("{}. **A title**", "{}. **A title**"), ("## Result {}", "## Result {}")],
)
def test_results_of_a_search_are_stanzas_below_their_headings(heading: str, bare: str) -> None:
    rows = "".join(f"{heading.format(at)}\n   URL: x/{at}\n   Size: {at}\n   Summary: a: {at}\n\n" for at in range(40))
    found = read(rows)
    assert found.column("heading") == [bare.format(at) for at in range(40)]
    assert found.column("Size") == list(range(40))
    assert found.column("Summary") == [f"a: {at}" for at in range(40)]
    assert found.words.what == '40 stanzas of "Key: value" lines below headings, 3 different keys'


def test_a_last_heading_without_keys_is_a_total() -> None:
    found = read(headed(30) + "30 rows in set\n")
    assert len(found.rows()) == 30
    assert found.words.excerpts[0].lines == ("30 rows in set",)


def test_a_heading_without_keys_among_others_is_a_stanza() -> None:
    found = read(headed(30) + "src/empty.py\n" + headed(30))
    assert found.column("heading")[30] == "src/empty.py"
    assert found.column("LOC")[30] is None
