"""One role per column, from its name and its profile, and one score from its role, depth and emptiness."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from penstock.core.forms.document import read
from penstock.core.forms.recognise import read_form
from penstock.core.tables import roles
from penstock.core.tables.roles import (
    CHECKS,
    LINES,
    Role,
    fact_score,
    groups_of,
    is_additive,
    is_kind,
    is_named,
    kind_order,
    named_role,
    role_of,
    row_score,
)

if TYPE_CHECKING:
    from penstock.core.forms.reading import Field, Table


def table_of(rows: list[dict[str, Any]]) -> Table:
    main = read_form(read(json.dumps(rows))).main
    assert main is not None
    return main


def field_of(cells: list[Any], name: str = "cell") -> tuple[Field, int]:
    """Return a column with these cells, and the number of rows; a cell ``...`` is missing."""
    rows = [{"row": f"r {n}", **({} if cell is ... else {name: cell})} for n, cell in enumerate(cells)]
    field = table_of(rows).field(name)
    assert field is not None
    return field, len(rows)


@pytest.mark.parametrize(
    ("name", "cells", "role"),
    [
        ("status", ["open", "done"] * 10, Role.STATE),
        ("status.name", ["open", "done"] * 10, Role.STATE),
        ("loglevel", ["info", "warn"] * 10, Role.STATE),
        ("severity", [1, 2, 3] * 10, Role.STATE),
        ("colour", ["red", "blue"] * 10, Role.CATEGORY),
        ("vip", [True, False] * 10, Role.CATEGORY),
        ("cell", [*["x"] * 3, *[...] * 40, "y"], Role.CATEGORY),
        ("author.login", [f"user {n % 50}" for n in range(200)], Role.WHO),
        ("cell", [f"thing {n % 60}" for n in range(300)], Role.WHO),
        ("error", [..., "boom: it broke because of a reason", ...] * 20, Role.ERROR),
        ("error_message", [*["bad input given here"] * 15, *[f"other {n}" for n in range(15)], ...], Role.ERROR),
        ("created", ["2026-01-01", "2026-01-02"] * 10, Role.TIME),
        ("created_at", [1_767_225_600 + n * 60 for n in range(20)], Role.TIME),
        ("duration", [1.5, 2.5, 9.5] * 10, Role.AMOUNT),
        ("price", [f"{n}.50" for n in range(30)], Role.AMOUNT),
        ("cpu_time", [1_500_000_000 + n for n in range(0, 60, 3)], Role.AMOUNT),
        ("id", [n * 7 for n in range(30)], Role.ID),
        ("trip", list(range(5_000, 5_030)), Role.ID),
        ("order_key", [f"k{n}" for n in range(30)], Role.ID),
        ("title", [f"title {n}" for n in range(30)], Role.LABEL),
        ("dealname", [f"deal {n}" for n in range(30)], Role.LABEL),
        ("path", [f"src/{n}.py" for n in range(30)], Role.PATH),
        ("html_url", [f"x{n}" for n in range(30)], Role.LINK),
        ("more", [f"https://example.org/{n}" for n in range(30)], Role.LINK),
        ("sha", [f"s{n}" for n in range(30)], Role.CODE),
        ("cell", [f"{n:032x}" for n in range(30)], Role.CODE),
        ("body", ["long text " * 40 + str(n) for n in range(30)], Role.TEXT),
        ("tags", [["a"], ["b", "a"]] * 10, Role.LIST),
        ("parts", [[{"a": 1}], [{"a": 2}, {"a": 3}]] * 10, Role.NESTED),
        ("cell", ["same"] * 20, Role.CONSTANT),
        ("cell", [None] * 20, Role.EMPTY),
    ],
)
def test_name_and_values_of_a_column_decide_its_role(name: str, cells: list[Any], role: Role) -> None:
    assert role_of(*field_of(cells, name)) is role


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("createdAt", Role.TIME),
        ("candidate", None),
        ("uptime", None),
        ("wait_time_ns", None),
        ("spend", None),
        ("user.name", Role.WHO),
        ("a.b.name", Role.LABEL),
        ("orderNo.$numberLong", Role.ID),
        ("42", None),
        ("errorCode", Role.ERROR),
    ],
)
def test_last_word_of_a_name_suggests_a_role(name: str, role: Role | None) -> None:
    assert named_role(name) is role


def test_score_adds_worth_depth_emptiness_and_in_sample_rows_the_length_of_cells() -> None:
    field, rows = field_of([*["a"] * 6, *["b"] * 6, *[None] * 4], "x.status")
    score = fact_score(field, rows)
    assert (score.worth, score.depth, score.emptiness, score.length) == (
        roles.WORTH[Role.STATE].fact,
        roles.DEPTH_STEP,
        0.25,
        0,
    )
    assert score.total == sum(score)
    shown = row_score(field, rows)
    assert shown is not None
    assert (shown.worth, shown.length) == (roles.WORTH[Role.STATE].row, 1 / roles.PRICE)
    assert row_score(*field_of([None] * 3)) is None


def test_sums_of_ids_rates_and_of_amounts_of_shared_objects_say_nothing() -> None:
    assert is_additive(field_of([3, 4, 9], "amount")[0])
    assert not is_additive(field_of([3, 4, 9], "port")[0])
    assert not is_additive(field_of([3, 4, 9], "error_rate")[0])
    assert not is_additive(field_of([3.5, 4, 9], "p95")[0])
    assert not is_additive(field_of([10**30 + n for n in (1, 2, 5)], "amount")[0])
    assert not is_additive(field_of([1, [2], 3], "amount")[0])
    shared = [{"host": f"h{n}", "size": n, "parts": [{"a": k, "b": f"{n}{k}"} for k in range(9)]} for n in range(1, 9)]
    outer = next(one for one in table_of(shared).fields if one.name.endswith("size"))
    assert not is_additive(outer)


def test_groups_and_amounts_come_best_first() -> None:
    rows = [
        {"id": n, "colour": "rg"[n % 2], "status": "ab"[n % 2], "few": n % 3, "many": n * 100, "title": f"t {n}"}
        for n in range(40)
    ]
    table = table_of(rows)
    assert [one.name for one in groups_of(table)] == ["status", "colour"]
    assert [one.name for one in roles.amounts_of(table)] == ["many", "few"]


@pytest.mark.parametrize(
    ("name", "words", "expected"),
    [
        ("start_line", LINES, True),
        ("location.startLine", LINES, True),
        ("line_number", LINES, True),
        ("rule.id", CHECKS, False),
        ("rule_id", CHECKS, True),
        ("id", CHECKS, False),
        ("", CHECKS, False),
    ],
)
def test_a_name_ends_in_a_word_or_in_one_and_its_number(name: str, words: tuple[str, ...], expected: bool) -> None:
    assert is_named(name, words) == expected


def test_a_field_has_the_kind_of_its_object_in_every_spelling() -> None:
    names = ["type", "@type", "_type", "nodeType", "node_type", "__class__", "kind"]
    assert all(map(is_kind, names))
    assert not any(map(is_kind, ["contentType", "types", "title", "node"]))
    assert sorted(["op", "kind", "type"], key=kind_order) == ["type", "kind", "op"]
