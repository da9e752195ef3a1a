"""Each form of JSON can be deleted: only the registry imports it, and a more general form reads its documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.core.forms.document import read
from penstock.core.forms.recognise import JSON_FORMS, read_form

SOURCE = Path(penstock.__file__).parent
REGISTRY = SOURCE / "core" / "forms" / "recognise.py"
LEAVES = sorted(path.stem for path in (SOURCE / "core" / "forms" / "json").glob("*.py") if path.stem != "__init__")
FALLBACK = "objects"  # The last form reads any JSON, so it is the only one that cannot be deleted.

ROWS = 60
TREE: Any = {"name": "leaf", "size": 1, "children": []}
for _ in range(6):
    TREE = {"name": "folder", "size": 2, "children": [TREE, {"name": "file", "size": 3, "children": []}]}
DOCUMENTS: dict[str, Any] = {
    "columnar": {"time": list(range(ROWS)), "load": [n / 7 for n in range(ROWS)]},
    "arrays": [["name", "size"], *([f"n{n}", n] for n in range(ROWS))],
    "records": [{"id": n, "title": f"ticket {n}"} for n in range(ROWS)],
    "trees": TREE,
}


def test_every_form_has_a_document_here() -> None:
    assert sorted([*DOCUMENTS, FALLBACK]) == LEAVES
    assert [form.__module__.rpartition(".")[2] for form in JSON_FORMS][-1] == FALLBACK


@pytest.mark.parametrize("leaf", LEAVES)
def test_only_the_registry_imports_a_form(leaf: str) -> None:
    for path in SOURCE.rglob("*.py"):
        if path != REGISTRY and path.stem != leaf:
            text = path.read_text(encoding="utf-8")
            assert f"forms.json.{leaf} " not in text, path


@pytest.mark.parametrize("leaf", DOCUMENTS)
def test_a_document_is_read_by_a_more_general_form_if_its_form_is_deleted(leaf: str) -> None:
    data = json.dumps(DOCUMENTS[leaf])
    others = [form for form in JSON_FORMS if not form.__module__.endswith(f".{leaf}")]
    assert len(others) == len(JSON_FORMS) - 1
    with_leaf, without = read_form(read(data)), read_form(read(data), others)
    assert (with_leaf.form, with_leaf.facts, with_leaf.excerpts) != (without.form, without.facts, without.excerpts)
    assert without.shape == with_leaf.shape
    assert without.words
