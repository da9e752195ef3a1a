"""TOML becomes the JSON that the docstring of ``from_toml`` promises, or is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from penstock.query.parse.from_toml import MOST, convert
from penstock.query.parse.refusal import Refusal


def value(text: str) -> Any:
    return json.loads(convert(text.encode())[0])


def test_tables_are_objects_and_arrays_of_tables_arrays() -> None:
    text = 'title = "x"\r\n[a.b]\nn = 1\nf = 1.5\nt = true\nd = 2026-01-02T03:04:05Z\nday = 2026-01-02\nat = 03:04:05\n'
    text += "".join(f'[[rows]]\nid = {n}\nname = "é{n}"\n' for n in range(3))
    assert value(text) == {
        "title": "x",
        "a": {
            "b": {"n": 1, "f": 1.5, "t": True, "d": "2026-01-02T03:04:05+00:00", "day": "2026-01-02", "at": "03:04:05"}
        },
        "rows": [{"id": n, "name": f"é{n}"} for n in range(3)],
    }
    assert convert(text.encode())[1] == {"tables": 2}


@pytest.mark.parametrize(
    "text",
    [
        b"a = inf",
        b"a = [1, nan]",
        b"a = x",
        b"a = 1\na = 2",
        b"a = '\xff'",
        b"a = " + b"[" * 5_000 + b"]" * 5_000,
        b"# " + b"x" * MOST,
    ],
)
def test_what_json_does_not_have_and_broken_texts_are_refused(text: bytes) -> None:
    with pytest.raises(Refusal):
        convert(text)
