"""The profile of a held result has the exact facts of its columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.gate.looking.profiles import profile_of

if TYPE_CHECKING:
    from penstock.gate.looking import Looking
    from tests.gate.conftest import Desk

ROWS = [
    {
        "state": "open" if n % 3 else "closed",
        "score": n,
        "at": f"2026-02-{n % 28 + 1:02d}T00:00:00Z",
        "urgent": n % 2 == 0,
        "note": "x" if n < 10 else None,
        "tags": ["a"] * (n % 4),
        "large": 2**60 + n,
    }
    for n in range(300)
]


def test_columns_have_types_fill_top_values_and_ranges(desk: Desk, looking: Looking) -> None:
    [table, *others] = profile_of(looking.open(desk.hold(ROWS)), looking.convert)
    assert (table["name"], table["rows"], table["exact"], table["more_columns"]) == ("items", 300, True, 0)
    columns = {one["name"]: one for one in table["columns"]}
    assert columns["state"]["top"] == [["open", 200], ["closed", 100]]
    assert columns["state"]["types"] == {"text": 300}
    assert columns["score"]["least"] == {"value": 0, "row": 1}
    assert columns["score"]["greatest"] == {"value": 299, "row": 300}
    assert columns["score"]["sum"] == 299 * 150
    assert (columns["at"]["earliest"]["value"], columns["at"]["latest"]["row"]) == ("2026-02-01T00:00:00Z", 28)
    assert columns["urgent"]["types"] == {"true/false": 300}
    assert (columns["note"]["filled"], columns["note"]["rows"], columns["note"]["different"]) == (10, 300, 1)
    assert columns["tags"]["types"]["array"] == 300
    assert (columns["tags"]["items"], columns["tags"]["most"]) == (450, 3)
    assert columns["large"]["least"]["value"] == {"number": str(2**60)}
    assert all(one["columns"] for one in others)


def test_a_text_in_another_language_has_the_columns_of_its_tables(desk: Desk, looking: Looking) -> None:
    yaml = "".join(f"- id: {n}\n  name: name {n % 5}\n" for n in range(900))
    [table] = profile_of(looking.open(desk.hold(yaml)), looking.convert)
    assert table["rows"] == 900
    assert [one["name"] for one in table["columns"]] == ["id", "name"]
    assert table["columns"][1]["top"][0] == ["name 0", 180]
