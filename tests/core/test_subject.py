"""What is learned of a document is learned once, and goes with it."""

from __future__ import annotations

import gc
import json

import pytest

from penstock.core.fit import Budget, Hold, fit
from penstock.core.forms.document import Document, read
from penstock.core.subject import study

ROWS = [
    {"id": n, "name": f"name {n}", "level": "info", "time": f"2026-01-{1 + n % 28:02}T00:00:00Z"} for n in range(3_000)
]
TREE = {"name": "a", "kind": "b", "children": [{"name": f"{n}", "kind": "b", "children": []} for n in range(2_000)]}
TEXTS = {
    "table": json.dumps(ROWS),
    "map": json.dumps({f"key {n}": row for n, row in enumerate(ROWS)}),
    "items": json.dumps([{f"key {n}": n} for n in range(3_000)]),
    "lines of json": "\n".join(map(json.dumps, ROWS)),
    "json log": json.dumps([{**row, "message": "said"} for row in ROWS]),
    "series": json.dumps([{"time": f"2026-01-01T00:{n // 60:02}:{n % 60:02}Z", "value": n / 7} for n in range(3_000)]),
    "matches": json.dumps([{"file": f"src/{n % 9}.py", "line": n, "text": "found"} for n in range(3_000)]),
    "tree": json.dumps(TREE),
    "log": "".join(f"2026-01-01T00:00:00Z ERROR request {n} failed\n" for n in range(3_000)),
    "search": "".join(f"src/{n % 9}.py:{n}: found it\n" for n in range(3_000)),
    "diff": "".join(f"diff --git a/{n} b/{n}\n--- a/{n}\n+++ b/{n}\n@@ -1 +1 @@\n-a\n+b\n" for n in range(2_000)),
    "csv": "id,name\n" + "".join(f"{n},name {n}\n" for n in range(9_000)),
    "text": "Some words of a text.\n" * 9_000,
}


def test_what_was_found_out_is_remembered_until_it_is_let_go() -> None:
    subject = study(read(TEXTS["table"]))
    asked: list[str] = []

    def count(_: object) -> int:
        asked.append("count")
        return len(asked)

    assert [subject.once("count", count) for _ in range(3)] == [1, 1, 1]
    subject.forget()
    assert subject.once("count", count) == 2
    assert [subject.document.once("count", count) for _ in range(3)] == [3, 3, 3]


@pytest.mark.parametrize("name", TEXTS)
def test_a_held_document_is_freed_with_its_last_user_and_not_by_the_garbage_collector(name: str) -> None:
    raw = json.dumps({"content": [{"type": "text", "text": TEXTS[name]}]}).encode()
    gc.collect()
    gc.disable()
    try:
        before = sum(isinstance(one, Document) for one in gc.get_objects())
        plan = fit(raw, Budget())
        assert isinstance(plan, Hold)
        assert len(plan.answer(None)) < 16_384
        del plan
        assert sum(isinstance(one, Document) for one in gc.get_objects()) == before
    finally:
        gc.enable()
