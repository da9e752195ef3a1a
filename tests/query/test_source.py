"""What is sent for a document is the whole of it, in order: as one JSON text, as a text, or as the parts of a table."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.forms.reading import TextSpec
from penstock.errors import CallerError
from penstock.query.source import ITEMS, MEMBERS, PLAIN, bare, size_of, texts_for, whole
from tests.kit.held_results import held, held_value
from tests.kit.strategies import json_bytes, values

if TYPE_CHECKING:
    from penstock.core.forms.reading import TableSpec
    from penstock.core.forms.rows import RowSpec
    from penstock.query.source import Source


def sent(source: Source, table: TableSpec) -> list[bytes]:
    return [b"".join(text.pieces) for text in texts_for(source, table)]


@settings(max_examples=50)
@given(json_bytes())
def test_json_as_a_whole_is_itself(data: bytes) -> None:
    assert json.loads(b"".join(whole(held(data)))) == json.loads(data)


@settings(max_examples=50)
@given(st.lists(st.lists(values, max_size=4), min_size=2, max_size=20), st.sampled_from(["\n", "\r\n", "\n\n", " "]))
def test_json_values_one_after_the_other_are_one_array(records: list[Any], between: str) -> None:
    source = held(between.join(map(json.dumps, records)))
    assert source.root().kind == "records"
    assert json.loads(b"".join(whole(source))) == records


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12), min_size=1, max_size=20))
def test_a_text_is_sent_as_it_is(lines: list[str]) -> None:
    text = "words: " + "\n".join(lines) + "\n"
    assert b"".join(whole(held(text))).decode() == text


def test_a_large_table_is_sent_in_batches_with_the_number_of_their_first_parts() -> None:
    rows = [{"id": number, "pad": "x" * 4_000} for number in range(700)]
    source = held_value({"rows": rows})
    texts = list(texts_for(source, source.tables[0]))
    assert len(texts) > 2
    together: list[Any] = []
    for text in texts:
        assert text.first == len(together)
        together += json.loads(b"".join(text.pieces))
    assert together == rows
    assert size_of(source, source.tables[0]) >= 700 * 4_000


def test_a_text_inside_of_json_is_sent_as_the_text_that_it_is() -> None:
    text = "id,name\n" + "".join(f"{number},näme {number}\n" for number in range(200))
    source = held_value({"path": "people.csv", "content": text})
    spec = source.tables[0].rows
    assert isinstance(spec, TextSpec)
    assert spec.path == ("content",)
    assert sent(source, source.tables[0]) == [text.encode()]
    assert source.text is None  # jq sees the JSON around it


def test_lines_in_an_array_are_sent_as_the_text_that_they_are() -> None:
    paths = [f"src/näme_{number}.py" for number in range(200)]
    source = held_value({"files": paths})
    assert sent(source, source.tables[0]) == ["\n".join(paths).encode()]
    assert json.loads(b"".join(whole(source))) == {"files": paths}


@pytest.mark.parametrize(
    ("data", "rows"), [("[]", ITEMS), ("{}", MEMBERS), ('{"a": 1, "b": {"c": 2}}', MEMBERS), ("some words", PLAIN)]
)
def test_a_document_without_a_table_has_a_row_for_each_of_its_parts(data: str, rows: RowSpec | TextSpec) -> None:
    source = held(data)
    assert source.tables == ()
    assert bare(source) == rows


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n" + bytes(range(256)), b""])
def test_what_has_neither_fields_nor_lines_cannot_be_asked(data: bytes) -> None:
    with pytest.raises(CallerError, match="no fields or lines in this to ask about; read it as it is"):
        held(data).root()
