"""A jq program that finds nothing says which comparison is false for all data, and the one that is true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.query.jq.filter import run_filter
from penstock.query.jq.unmatched import unmatched
from tests.kit.held_results import held_value

if TYPE_CHECKING:
    from penstock.query.sandbox.sandbox import Sandbox

ROWS: list[dict[str, Any]] = [
    {
        "id": n,
        "state": ["OPEN", "CLOSED"][n % 2],
        "tags": ["a", "b"] if n % 2 else ["c"],
        "at": f"2026-01-0{n}T08:00:00Z",
    }
    for n in range(1, 9)
]


@pytest.mark.parametrize(
    ("program", "note"),
    [
        ('map(select(.id == "1"))', '.id is nowhere "1"; .id == 1 matches'),
        ('.[] | select(.state == "open") | .id', '.state is nowhere "open"; .state == "OPEN" matches'),
        (
            'map(select(.tags == "a")) | length',
            '.tags is nowhere "a"; in 4 objects it is a list with it: .tags | index("a")',
        ),
        ('map(select(.at == "2026-01-03"))', '| startswith("2026-01-03")'),
        ("map(select(.id == 99)) | length", ".id is nowhere 99; it is 1, 2, 3, 4, 5, 6"),
    ],
)
def test_comparison_that_is_false_for_all_data_is_named(program: str, note: str, sandbox: Sandbox) -> None:
    source = held_value(ROWS)
    [found] = unmatched(program, run_filter(program, source, sandbox).json, source, sandbox)
    assert found.endswith(note)


@pytest.mark.parametrize("program", ['map(select(.id == 1 and .state == "OPEN"))', "map(select(.nope == 1))", "length"])
def test_other_programs_have_no_note(program: str, sandbox: Sandbox) -> None:
    source = held_value(ROWS)
    assert unmatched(program, run_filter(program, source, sandbox).json, source, sandbox) == []
