"""Records that have one field each, which says what they are."""

from __future__ import annotations

import json

from tests.kit.forms.facts import names_of, reading_of


def test_rows_that_have_one_field_each_are_told_apart_by_it() -> None:
    messages = [{"finding": {"id": n, "level": "high"}} if n % 3 else {"config": {"scanner": "s"}} for n in range(30)]
    reading = reading_of("\n".join(map(json.dumps, messages)))
    assert reading.form == "variants"
    assert reading.facts == ("each row has one field: finding ×20 · config ×10",)
    assert [(table.name, table.count, names_of(table)) for table in reading.tables[1:]] == [
        ("finding", 20, ["id", "level"]),
        ("config", 10, ["scanner"]),
    ]
