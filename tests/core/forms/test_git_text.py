"""Names, persons and dates are what git meant by them."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.forms.git_text import (
    MAX_QUOTED_NAME,
    iso_date,
    moved_name,
    name_in_header,
    person,
    unquote,
    without_prefixes,
)

ESCAPES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}
MOMENTS = st.datetimes(min_value=datetime(1990, 1, 1), max_value=datetime(2099, 12, 31)).map(
    lambda moment: moment.replace(microsecond=0)
)
ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


def quoted(name: str) -> str:
    """A name as git quotes it."""
    raw = name.encode("utf-8", "surrogateescape")
    return (
        '"'
        + "".join(
            "\\" + ESCAPES[byte] if byte in ESCAPES else chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"
            for byte in raw
        )
        + '"'
    )


@given(st.text())
def test_a_quoted_name_is_the_name(name: str) -> None:
    assert unquote(quoted(name)) == name


def test_a_name_that_is_not_quoted_stays() -> None:
    for name in ("", '"', "plain", '"half', 'half"', '"' + "x" * MAX_QUOTED_NAME + '"'):
        assert unquote(name) == name
    assert unquote('"\\377"') == "\\xff"  # no UTF-8
    assert unquote('"\\9"') == "\\9"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("plain", "plain"),
        ('"tab\\there"', "tab\there"),
        ("old => new", "new"),
        ('old => "n\\tew"', "n\tew"),
        ("src/{old => new}/x.py", "src/new/x.py"),
        ("src/{ => new}/x.py", "src/new/x.py"),
        ("src/{old => }/x.py", "src/x.py"),
        ("{old => new}/x.py", "new/x.py"),
        ("a{b}c => d", "d"),
        ("a => b{c}d", "b{c}d"),
    ],
)
def test_the_new_name_of_a_rename_is_taken(text: str, name: str) -> None:
    assert moved_name(text) == name


@given(st.text(alphabet="ab/ x", min_size=1))
def test_the_name_stands_twice_in_the_header_of_a_diff(name: str) -> None:
    assert name_in_header(f"a/{name} b/{name}") == name
    assert name_in_header(f'"a/{name}" "b/{name}"') == name


@pytest.mark.parametrize(
    ("names", "name"),
    [
        ("x/y x/y", "x/y"),
        ("b/x a/x", "x"),
        ("i/x w/x", "x"),
        ("a/x b/y", None),
        ("a/x q/x", None),
        ("a/long b/x", None),
        ("", None),
        (" ", None),
        ("x", None),
    ],
)
def test_a_header_with_two_names_tells_none(names: str, name: str | None) -> None:
    assert name_in_header(names) == name


def test_prefixes_are_taken_away_from_both_names_or_from_none() -> None:
    assert without_prefixes("a/x", "b/y") == ("x", "y")
    assert without_prefixes("/dev/null", "b/y") == ("/dev/null", "y")
    assert without_prefixes("a/x", "/dev/null") == ("x", "/dev/null")
    assert without_prefixes("q/x", "/dev/null") == ("q/x", "/dev/null")
    assert without_prefixes("a/x", "a/x") == ("a/x", "a/x")
    assert without_prefixes("", "b/x") == ("", "b/x")


def test_a_person_has_a_name_and_an_address() -> None:
    assert person(" Ada Lovelace <ada@x.example> ") == ("Ada Lovelace", "ada@x.example")
    assert person("A <b> <c@d>") == ("A <b>", "c@d")
    assert person("<c@d>") == (None, "c@d")
    assert person("Ada <>") == ("Ada", None)
    assert person("Ada") == ("Ada", None)
    assert person("") == (None, None)
    assert person("Ada <broken") == ("Ada <broken", None)


@given(MOMENTS, ZONES)
def test_dates_of_any_format_are_the_same_date(moment: datetime, zone: timezone) -> None:
    aware = moment.replace(tzinfo=zone)
    offset = aware.strftime("%z")
    iso = f"{moment.isoformat(' ')} {offset}"
    day = str(moment.day)
    assert iso_date(aware.strftime(f"%a %b {day} %H:%M:%S %Y %z")) == iso
    assert iso_date(aware.strftime(f"%a %b {day:>2} %H:%M:%S %Y")) == moment.isoformat(" ")
    assert iso_date(iso) == iso
    assert iso_date(aware.isoformat()) == aware.isoformat()


@pytest.mark.parametrize("text", ["3 days ago", "Wed Foo 8 21:04:03 2026 -0700", "1700000000 +0000", "", "2026-04-08"])
def test_what_is_no_date_stays_as_it_is(text: str) -> None:
    assert iso_date(text) == text
