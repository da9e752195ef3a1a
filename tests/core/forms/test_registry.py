"""Each form of text can be deleted: its document is then read by a more general form, and nothing false is said."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from penstock.core.forms import registry, text
from penstock.core.forms.document import errors_for
from penstock.core.forms.read_text import read_text
from penstock.core.forms.registry import FORMS, form_named, known_forms
from tests.kit.facts.made_pairs import PAIR_FORMS
from tests.kit.facts.made_text import TEXT_FORMS
from tests.kit.forms.facts import check_cells, check_field, rows_of

if TYPE_CHECKING:
    from penstock.core.forms.api import Form

SOURCE: Final = Path(registry.__file__)
WORDS: Final = ("alpha", "beta", "gamma", "delta")


def numbered(line: str, count: int = 60) -> str:
    return "".join(
        line.format(n=n, m=n % 60, word=WORDS[n % 4], hash=f"{n * 2654435761 % 2**32:08x}") + "\n" for n in range(count)
    )


OTHERS: Final = {
    "oneline": numbered("{hash} {word} is mended in part {n}"),
    "change_list": numbered("{m}\t{n}\tsrc/{word}{n}.py"),
    "linter_blocks": numbered("\n/srv/{word}{n}.ts\n  {n}:5  error  {word} is not used  no-unused-vars"),
    "grep_headings": numbered("src/{word}{n}.py\n{n}3:from {word} import x\n{n}9:x = {n}\n"),
    "aligned": "ID   NAME    SIZE\n" + numbered("{n:<4} {word:<7} {m}"),
    "outline": numbered("- {word} {n}\n  - beta of it\n    - gamma of it"),
    "kinds": numbered('{word} "x{n}" was read in {m} steps;', 200),
}
TEXTS: Final = OTHERS | {made.form: made.text for made in (make(11) for make in (*TEXT_FORMS, *PAIR_FORMS))}


def test_every_form_has_a_name_of_its_own_and_a_title() -> None:
    assert len({form.name for form in FORMS}) == len(FORMS)
    assert all(form.title and form.noun for form in known_forms())
    assert form_named("logs") is not None
    assert form_named("no such form") is None


def module_of(form: Form) -> str:
    """Return the file whose forms have this one."""
    modules = {file.stem: sys.modules.get(_name(file.stem)) for file in SOURCE.parent.glob("text/*.py")}
    [module] = [name for name, one in modules.items() if one is not None and form in vars(one).values()]
    return module


def _name(module: str) -> str:
    return f"{text.__name__}.{module}"


def forms_without(module: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Form, ...]:
    """Return the forms of the registry after a file and the lines that name it are deleted."""
    monkeypatch.delattr(text, module)
    monkeypatch.setitem(sys.modules, _name(module), None)
    lines = SOURCE.read_text().splitlines(keepends=True)
    kept = [line for line in lines if not re.fullmatch(rf" +{module}(?:\.[A-Z]+)?,\n", line)]
    assert len(kept) <= len(lines) - 2
    values = {"__name__": registry.__name__}
    exec(compile("".join(kept), str(SOURCE), "exec"), values)
    forms: tuple[Form, ...] = values["FORMS"]  # type: ignore[assignment]
    return forms


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_without_its_file_and_its_line_a_text_is_read_by_another_form_or_as_lines(
    form: Form, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = TEXTS[form.name].encode()
    lines = body.count(b"\n") + 1
    own = read_text(body, errors_for(body), lines)
    assert own is not None
    assert own.form == form.name
    others = forms_without(module_of(form), monkeypatch)
    assert form not in others
    reading = read_text(body, errors_for(body), lines, forms=others)
    if reading is None:
        return  # The lines are shown as they are.
    assert reading.form in {other.name for other in others}
    [main, *_] = reading.tables
    assert 0 < main.count <= lines
    check_cells(reading)
    rows = rows_of(reading)
    for field in main.fields:
        check_field(field, [row[field.name] for row in rows])
    source = TEXTS[form.name].split("\n")
    for row in rows:  # The text of a row is part of its line.
        if "line" in row and row.get("text") and "\n" not in row["text"]:
            assert row["text"] in source[row["line"] - 1]


@pytest.mark.parametrize("module", sorted({module_of(form) for form in FORMS}))
def test_only_the_registry_names_the_file_of_a_form(module: str) -> None:
    root = SOURCE.parents[2]
    naming = [
        str(file.relative_to(root))
        for file in root.rglob("*.py")
        if file != SOURCE and re.search(rf"\bforms\.text(?:\.| import .*\b){module}\b", file.read_text())
    ]
    assert naming == []
