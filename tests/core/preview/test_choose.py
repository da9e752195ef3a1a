"""The form of the data decides the preview: each kind of data gets the one that was made for it."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from penstock.core.budget import Room
from penstock.core.forms.document import read
from penstock.core.preview.choose import is_tree, preview
from penstock.core.subject import study

ROOM = Room(tokens=1_500, size=8_192)


def node(depth: int, number: int = 0) -> dict[str, Any]:
    children = [node(depth - 1, n) for n in range(3)] if depth else []
    return {"name": f"n{depth}.{number}", "active": True, "children": children}


ROWS = [{"id": n, "name": f"name {n}", "ok": n % 2 == 0} for n in range(500)]


@pytest.mark.parametrize(
    ("data", "style"),
    [
        (json.dumps(ROWS), "table"),
        (json.dumps({"scene": "s", "hierarchy": [node(5), node(4)]}), "tree"),
        (json.dumps(node(6)), "tree"),
        (json.dumps({"a": {"b": {"c": "x" * 9_000}}}), "tree"),
        (json.dumps([{"file": f"src/{n % 9}.py", "line": n, "text": "found it"} for n in range(400)]), "matches"),
        (json.dumps([{"time": 1_700_000_000 + n * 60, "value": n / 3} for n in range(400)]), "series"),
        ("".join(f"2026-01-01 10:00:{n % 60:02d} INFO line {n}\n" for n in range(900)), "log"),
        ("".join(f"src/{n % 9}.py:{n}:found it\n" for n in range(900)), "matches"),
        ("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n" * 50, "diff"),
        ("id,name,ok\n" + "".join(f"{n},name {n},true\n" for n in range(900)), "csv"),
        ("Some words that are nothing but words, and a full stop. " * 500, "text"),
        (base64.b64encode(bytes(range(256)) * 90).decode(), "stub"),
    ],
)
def test_each_form_gets_its_preview(data: str, style: str) -> None:
    subject = study(read(data))
    made = preview(subject, ROOM)
    assert made.style == style
    assert ROOM.fits(made.text)


def test_a_table_of_a_few_roots_never_passes_for_a_whole_tree() -> None:
    made = preview(study(read(json.dumps({"scene": "s", "hierarchy": [node(6)] * 3}))), ROOM)
    assert made.shown.end < made.shown.total or "items" in made.text
    assert made.depth is not None
    assert made.depth < 14


def test_records_with_records_of_another_kind_in_them_are_no_tree() -> None:
    assert not is_tree(
        study(read(json.dumps([{"id": 1, "name": "a", "tags": [{"name": "x", "color": "y"}]}] * 50))).form
    )
    assert is_tree(study(read(json.dumps([{"id": 1, "name": "a", "parent": {"id": 2, "name": "b"}}] * 50))).form)


def test_where_not_even_a_mark_fits_the_headline_still_says_what_it_is() -> None:
    made = preview(study(read(json.dumps(ROWS))), Room(tokens=1))
    assert (made.text, made.style, made.shown.end, made.shown.total) == ("", "none", 0, 500)
    assert "bytes of json" in made.headline
    assert preview(study(read(b"\x00" * 500)), Room(tokens=0)).headline == "500 bytes of binary"
