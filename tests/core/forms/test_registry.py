"""Each form of text can be deleted: its document is then read by a more general form, and nothing false is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.core.forms.document import errors_for
from penstock.core.forms.read_text import read_text
from penstock.core.forms.registry import FORMS, form_named, known_forms
from tests.kit.facts.made_pairs import PAIR_FORMS
from tests.kit.facts.made_text import TEXT_FORMS
from tests.kit.forms.facts import check_cells, check_field, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.kit.facts.made_json import Made


def test_every_form_has_a_name_of_its_own_and_a_title() -> None:
    assert len({form.name for form in FORMS}) == len(FORMS)
    assert all(form.title and form.noun for form in known_forms())
    assert form_named("logs") is not None
    assert form_named("no such form") is None


@pytest.mark.parametrize("make", [*TEXT_FORMS, *PAIR_FORMS], ids=lambda make: make.__name__)
def test_without_its_form_a_text_is_read_by_another_form_or_as_lines(make: Callable[[int], Made]) -> None:
    made = make(11)
    body = made.text.encode()
    lines = made.text.count("\n") + 1
    names = [form.name for form in FORMS]
    assert made.form in names
    others = [form for form in FORMS if form.name != made.form]
    reading = read_text(body, errors_for(body), lines, forms=others)
    if reading is None:
        return  # The lines are shown as they are.
    assert reading.form in names
    assert reading.form != made.form
    [main, *_] = reading.tables
    assert 0 < main.count <= lines
    check_cells(reading)
    rows = rows_of(reading)
    for field in main.fields:
        check_field(field, [row[field.name] for row in rows])
    source = made.text.split("\n")
    for row in rows:  # What a row says stands on its line or below it.
        if "line" in row and row.get("text") and "\n" not in row["text"]:
            assert row["text"] in source[row["line"] - 1]
