"""Settings: every key with its section and value; logs, records and code are none."""

from __future__ import annotations

import configparser
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.forms.text.settings import FORM
from tests.kit.forms.facts import reading_of
from tests.kit.forms.reading import Read, read_as


def read(text: str) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


keys = st.builds(str.__add__, st.sampled_from("abcxyz"), st.text(st.sampled_from("abcxyz_."), min_size=2, max_size=8))
values = st.text(st.sampled_from("ab =:[]'\"/0é"), max_size=9).map(str.strip)
sections = st.dictionaries(
    st.builds("{}{}{}".format, st.sampled_from("AZaz"), st.text(st.sampled_from('AZaz .:"'), max_size=8), st.just("e")),
    st.dictionaries(keys, values, min_size=5, max_size=9),
    min_size=1,
    max_size=5,
)


def test_comparisons_are_no_settings() -> None:
    assert read_as(FORM, "".join(f"name{n}==value\n" for n in range(9))) is None


@given(sections)
def test_every_key_of_every_section_is_a_row(made: dict[str, dict[str, str]]) -> None:
    file = configparser.RawConfigParser()
    file.optionxform = str  # type: ignore[method-assign, assignment]
    file.read_dict(made)
    text = io.StringIO()
    file.write(text)
    found = read("# made today\n" + text.getvalue())
    told = [(row["section"], row["key"], row["value"] or "") for row in found.rows()]
    assert told == [(name, key, value) for name, some in made.items() for key, value in some.items()]
    assert f" in {len(made)} section" in found.words.what


@given(st.dictionaries(keys.map(str.upper), values, min_size=5))
def test_lines_of_an_env_file_are_rows(made: dict[str, str]) -> None:
    quoted = {key: value if not set(value) & set("'\"") else "x" for key, value in made.items()}
    text = "# made\n\n" + "\n".join(f'export {key}="{value}"' for key, value in quoted.items())
    assert {row["key"]: row["value"] or "" for row in read(text).rows()} == quoted


def test_values_go_on_where_they_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.core.forms.line_parser.BATCH", 2)
    ini = '[core]\n\tbare = false\n\teditor = vi\n; no\n[remote "x"] # of x\n\turl = a\n'
    ini += "fetch =\n  one\n  two\nempty\nlast: 1 # x\n"
    found = read(ini)
    assert [tuple(row.values())[1:] for row in found.rows()] == [
        ("core", "bare", "false"),
        ("core", "editor", "vi"),
        ('remote "x"', "url", "a"),
        ('remote "x"', "fetch", "\none\ntwo"),
        ('remote "x"', "empty", None),
        ('remote "x"', "last", "1 # x"),
    ]
    assert found.words.what == "settings: 6 keys in 2 sections"


def test_quotes_around_a_value_are_left_out_unless_a_comment_follows() -> None:
    env = 'A=1\nB=\'two\'\nC="x" # y\nD=\nE=""\n'
    assert read(env).column("value") == ["1", "two", '"x" # y', None, None]


def test_keys_may_stand_before_the_first_section() -> None:
    found = read("root = true\n[*]\na = 1\nb = 2\nc = 3\nd = 4\n")
    assert found.column("section") == [None, "*", "*", "*", "*"]


@pytest.mark.parametrize("mark", ["=", " = "])
def test_both_ways_of_pairs_are_read(mark: str) -> None:
    text = "".join(f"net.ipv4.k{n}{mark}{n}\n" for n in range(900))
    found = read(text)
    assert found.column("value") == [str(n) for n in range(900)]
    assert found.words.what == "settings, key=value a line: 900 keys"
    assert reading_of(text).form == "settings"


OTHERS = {
    "few": "a=1\nb=2\n",
    "a log": "".join(f"time={n} level=info\n" for n in range(99)),
    "one key": "a=1\n" * 99,
    "code": "a = 1\nb = 2\ndef f():\n    pass\nc = 3\nd = 4\ne = 5\n",
    "code late": "".join(f"k{n}=1\n" for n in range(900)) + "done\n",
    "prose": "Words and more.\n" * 9,
    "TOML over lines": "[a]\nb = [\n  1,\n]\n" + "".join(f"k{n} = 1\n" for n in range(9)),
    "tables of TOML": "[[a]]\n" + "".join(f"k{n} = 1\n" for n in range(9)),
    "no section late": "[a]\n" + "".join(f"k{n} = 1\n" for n in range(900)) + "[b\n",
    "a value in quotes over lines": "".join(f"k{n}=1\n" for n in range(9)) + 'z="a\nb=c\n"\n',
    "empty": "",
}


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS.keys())
def test_other_texts_are_not_claimed(text: str) -> None:
    assert read_as(FORM, text) is None


def test_more_keys_than_are_remembered_are_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.core.forms.text.settings.MAX_KEYS", 5)
    monkeypatch.setattr("penstock.core.forms.line_parser.BATCH", 10)
    assert read("".join(f"k{n}=1\n" for n in range(50))).tables["items"].count == 50


@pytest.mark.parametrize(
    "line",
    [
        "x" * 1_000_000,
        "[" * 500_000,
        "a" * 500_000 + "=1",
        "a b " * 200_000 + "= 1",
        "a=\x00",
        " " * 500_000 + "a",
        "a='" * 200_000,
        " x\n" * 300_000,
    ],
)
@pytest.mark.parametrize("first", ["", "[a]\n"])
def test_hostile_texts_are_read_or_refused(line: str, first: str) -> None:
    read_as(FORM, first + "".join(f"k{n}=1\n" for n in range(9)) + line + "\n")
