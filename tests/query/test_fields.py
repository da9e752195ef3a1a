"""A key that a jq program asks for and the data does not have is named, and nothing else is."""

from __future__ import annotations

import pytest

from penstock.query.jq.fields import missing_keys
from tests.kit.held_results import held, held_value

FILMS = {"films": [{"Title": "Jaws", "by": {"name": "Spielberg"}}, {"Title": "Slam", "by": None}]}


@pytest.mark.parametrize(
    ("program", "missing"),
    [
        (".films[0].Titel", ["Titel"]),
        ('[.films[] | select(.title == "Jaws")] | length', ["title"]),
        (".film[].Title, .films[].director.nme", ["film", "director", "nme"]),
        (".films | map(.by.name)", []),
        (".films | map({t: .Title, n: .by.nam}) | map(.t)", ["nam"]),
        ('.films | map({"t": .Title}) | map(.t)', []),
        (".films[0] | to_entries | map(.key)", []),
        (".films | group_by(.Title) | map({(.[0].Title): length}) | add | .Jaws2", []),
        ('.films[].Title | capture("(?<first>.)") | .first', []),
        (".films[0].year = 3 | .films[0].year", []),
        (".films[", []),
    ],
)
def test_keys_that_the_data_does_not_have_are_named(program: str, missing: list[str]) -> None:
    assert missing_keys(program, held_value(FILMS)) == missing


def test_keys_that_may_be_written_with_escapes_are_not_said_to_be_missing() -> None:
    assert missing_keys(".Title", held(r'[{"\u0054itle": 1}]')) == []
    assert missing_keys(".Title", held(r'[{"name": "\u00e9 \u003c \u0026"}]')) == ["Title"]


def test_rows_of_a_text_are_left_alone() -> None:
    assert missing_keys("map(.lvl)", held("one\ntwo\nthree")) == []
