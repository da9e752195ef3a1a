"""Documents in the cells of a column: what the notice states is what the cells hold, in the names that SQL takes."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.forms.document import read
from penstock.core.forms.recognise import read_form
from penstock.core.notice import inner
from penstock.core.notice.inner import inner_of
from tests.notices.documents import documents

if TYPE_CHECKING:
    from penstock.core.forms.reading import Reading

KEYS = st.sampled_from(["plan", "user name", "a.b", 'quo"te', "größe", "it's"])


def reading_of(rows: list[Any]) -> Reading:
    return read_form(read(json.dumps(rows)))


def lines(rows: list[Any]) -> list[str]:
    return [text for _, text in inner_of(reading_of(rows)).lines]


@given(st.data())
def test_values_in_json_cells_are_those_that_sqlite_finds(data: st.DataObject) -> None:
    outer, key = data.draw(st.tuples(KEYS, KEYS))
    values = data.draw(st.lists(st.sampled_from(["one", "two"]), min_size=12, max_size=12))
    rows = [{"id": n, "payload": json.dumps({outer: {key: value}})} for n, value in enumerate(values)]
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE items (id, payload)")
        database.executemany("INSERT INTO items VALUES (?, ?)", [(row["id"], row["payload"]) for row in rows])
        for line in lines(rows):
            expression, _, words = line.partition(": ")
            found = Counter(value for [value] in database.execute(f"SELECT {expression} FROM items"))
            counts = {value: int(count) for value, count in re.findall("(one|two) ×([0-9]+)", words)}
            assert not counts or counts == found
    is_plain = outer.isidentifier() and key.isidentifier() and (outer + key).isascii()
    assert bool(lines(rows)) >= (is_plain and len(set(values)) > 1)


def test_lines_of_all_cells_are_read_together() -> None:
    found = lines(
        [
            {
                "job": n,
                "log": "\n".join(
                    f"2026-03-01T08:{at:02}:00Z {'ERROR' if at == 3 else 'INFO'} db: step {at}" for at in range(9)
                ),
            }
            for n in range(5)
        ]
    )
    assert found[0].startswith("in log, all cells together: a log: 45 entries")
    assert "in log, level: INFO ×40 · ERROR ×5" in found
    assert "in log, constant: source=db" in found


def test_changes_without_the_names_of_files_are_read_as_one_diff() -> None:
    hunk = "@@ -1,3 +1,4 @@ def one(self):\n kept\n-old line that is long enough\n+new line\n+another new line\n kept"
    rows = [{"filename": f"src/f{n}.py", "patch": hunk} for n in range(5)]
    assert lines(rows) == ["in patch, all cells together: a diff of 5 files (+10 -5)"]


def test_column_of_documents_has_no_line_of_its_own() -> None:
    by_name = {document.name: document for document in documents()}
    text = by_name["cells-of-json"].file.read_text("utf-8")
    assert "payload ->> '$.plan': free ×320 · team ×80" in text
    assert "payload: JSON text" not in text


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(
            [{"id": n, "note": f"Words about nothing in particular, number {n}. " * 2} for n in range(20)], id="prose"
        ),
        pytest.param([{"id": n, "note": "short"} for n in range(20)], id="short texts"),
        pytest.param([{"id": n, "note": ["a", n]} for n in range(20)], id="lists"),
        pytest.param([{"id": n, "note": f"[{n}, {n}]"} for n in range(20)], id="JSON arrays"),
        pytest.param(
            [{"id": n, "table": "a,b,c\n" + "1,2,3\n" * 12} for n in range(20)], id="tables with a header each"
        ),
        pytest.param(list(range(20)), id="no columns"),
    ],
)
def test_other_texts_have_no_such_facts(rows: list[Any]) -> None:
    assert lines(rows) == []


def test_large_tables_are_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"id": n, "payload": json.dumps({"plan": "ab"[n % 2]})} for n in range(20)]
    assert lines(rows)
    monkeypatch.setattr(inner, "MAX_ROWS", 10)
    assert lines(rows) == []


def test_json_cells_that_hold_rows_of_their_own_are_not_described_as_objects() -> None:
    inside = json.dumps({"rows": [{"a": n, "b": "x" * 30} for n in range(20)]})
    assert lines([{"id": n, "payload": inside} for n in range(12)]) == []
