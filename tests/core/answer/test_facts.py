"""Every fact is true of all rows, stands on one line, and no name or value in it can be taken for another fact."""

from __future__ import annotations

import gc
import json
import re
from collections import Counter
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.answer.columns import divides, is_additive
from penstock.core.answer.facts import facts_of, number_text
from penstock.core.forms import learning
from penstock.core.forms.document import read
from penstock.core.forms.reading import Table
from penstock.core.forms.recognise import read_form
from tests.kit import hostile_names as hostile


def table_of(rows: Any) -> Table:
    main = read_form(read(rows if isinstance(rows, str | bytes) else json.dumps(rows))).main
    assert main is not None
    return main


def facts(rows: Any) -> list[str]:
    return [fact.text for fact in facts_of(table_of(rows))]


def fact(cells: list[Any], name: str = "cell") -> str:
    """The one fact about a column with these cells; a cell ``...`` is missing."""
    rows = [{"row": f"r{n}", **({} if cell is ... else {name: cell})} for n, cell in enumerate(cells)]
    [found] = [line for line in facts(rows) if not line.startswith("row")]
    return found


def test_the_words_of_facts_hold_no_table_which_would_wait_for_the_collector() -> None:
    rows = [{"id": n, "mixed": [[], "a", 1, {}][n % 4], "inner": {"key": n % 3}} for n in range(40)]

    def tables() -> int:
        return sum(isinstance(one, Table) for one in gc.get_objects())

    gc.collect()
    gc.disable()
    try:
        before = tables()
        facts_of(table_of(rows))
        assert tables() == before
    finally:
        gc.enable()


def test_times_in_points_without_names_are_not_added_up() -> None:
    points = {"series": [{"host": host, "points": [[1_767_225_600 + n, n] for n in range(40)]} for host in "ab"]}
    found = facts(points)
    assert "c1: 1767225600 .. 1767225639 (2026-01-01 00:00:00Z .. 2026-01-01 00:00:39Z)" in found
    assert "c2: 0 .. 39, sum 1560" in found
    amounts = [[n, 1_000_000_000 * n] for n in range(1, 40)]
    assert "c2: 1000000000 .. 39000000000, sum 780000000000" in facts(amounts)


@pytest.mark.parametrize("decimals", [(2, 2, 2), (1, 2, 3)])
def test_numbers_in_texts_are_added_up_exactly_whatever_their_decimals(decimals: tuple[int, ...]) -> None:
    cells = [f"{n - 20}.{'7' * decimals[n % 3]}" for n in range(40)]
    numbers = list(map(Decimal, cells))
    ends = [next(cell for cell in cells if Decimal(cell) == one) for one in (min(numbers), max(numbers))]
    assert fact(cells) == f'cell: numbers in text, "{ends[0]}" .. "{ends[1]}", sum {sum(numbers)} (CAST in SQL)'


def value_of(text: str) -> Any:
    """The value that a text in a fact stands for."""
    return json.loads(text) if text.startswith('"') else text


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["open"] * 6 + ["closed"] * 3, "cell: open ×6 · closed ×3"),
        (["open"] * 6 + ["closed"] * 3 + [...] + [None], "cell: open ×6 · closed ×3 · absent ×2"),
        ([True] * 6 + [False] * 3, "cell: true ×6 · false ×3"),
        ([n // 4 for n in range(12)], "cell: 0 ×4 · 1 ×4 · 2 ×4"),
        (
            [f"v{n % 20}" for n in range(100)],
            "cell: v0 ×5 · v1 ×5 · 18 more",
        ),
        (list(range(50)), "cell: 0 .. 49, sum 1225"),
        ([n / 8 for n in range(50)], "cell: 0.0 .. 6.125, sum 153.125"),
        ([7, 9, None, ...], "cell: 7 .. 9, sum 16 · absent ×2"),
        ([5, *[...] * 9], "cell: 5 ×1 · absent ×9"),
        ([f"2026-01-{n:02}" for n in range(1, 29)], "cell: 2026-01-01 .. 2026-01-28"),
        ([f"text {n}" for n in range(30)], "row, cell: text, all different"),
        (
            [f"{n}.{n % 4}0" for n in range(60)],
            'cell: numbers in text, "0.00" .. "59.30", sum 1779.00 (CAST in SQL)',
        ),
        ([f"{n}.5" if n else "00.5" for n in range(60)], "row, cell: text, all different"),
        ([f"{n}\n{n}" for n in range(60)], "row, cell: text, all different"),
        ([f"text {n // 2}" for n in range(60)], "cell: text, 30 different"),
        (
            [f"text {n // 5}" for n in range(75)],
            "cell: text 0 ×5 · text 1 ×5 · 13 more",
        ),
        (
            [f"text {n // 5 if n else 7}" for n in range(75)],
            "cell: text 7 ×6 · text 1 ×5 · text 2 ×5 · 12 more",
        ),
        (
            [*["often"] * 30, *(f"text {n // 5}" for n in range(75))],
            "cell: often ×30 · text 0 ×5 · text 1 ×5 · text 2 ×5 · text 3 ×5 · 11 more",
        ),
        (
            [f"text {n % 400 if n > 3 else 0}" for n in range(400)],
            "cell: text, 397 different",
        ),
        ([*["main"] * 90, *(f"branch {n // 2}" for n in range(60))], "cell: main ×90 · 30 more"),
        (["same"] * 9, "always: cell same"),
        ([None, None, ...], "cell: empty in all rows"),
        ([[], []], "cell: no items in any row"),
        ([["a"], ["b"], ["a"]], "cell: 1 item each, 3 in all: a ×2 · b ×1"),
        ([["a"], ["b", "c"], []], "cell: 0 .. 2 items each, 3 in all: a ×1 · b ×1 · c ×1"),
        ([[f"a{n}", f"b{n}"] for n in range(9)], "cell: 2 items each, 18 in all, all different"),
        ([{}, {}], "cell: objects without fields"),
        ([{}, None], "cell: objects without fields · absent ×1"),
        ([[[1, 2], "a"], [[3]]], "cell: 1 .. 2 items each, 3 in all"),
        ([["a"], "b", {"c": 1}, None], "cell: mixed: array ×1 · object ×1 · str ×1 · absent ×1"),
        ([1, "a", 2.5] * 3, "cell: str|float, a ×3 · 1 ×3 · 2.5 ×3"),
        ([json.dumps({"a": n}) for n in range(9)], "cell: JSON in a text, all different"),
        (["x y z " * 50 + str(n) for n in range(9)], "row, cell: text, all different"),
        (["x y z " * 50 + str(n // 3) for n in range(9)], "cell: text, 3 different"),
    ],
)
def test_what_is_said_of_a_column(cells: list[Any], expected: str) -> None:
    rows = [{"row": f"r{n}", **({} if cell is ... else {"cell": cell})} for n, cell in enumerate(cells)]
    assert expected in facts(rows)


@pytest.mark.parametrize(
    ("name", "cells", "expected"),
    [
        ("id", list(range(50)), "id: 0 .. 49"),
        ("startLine", list(range(50)), "startLine: 0 .. 49"),
        ("a.b.number", list(range(50)), "a.b.number: 0 .. 49"),
        ("updated", [1_767_225_600 + n for n in range(50)], "updated: 1767225600 .. 1767225649 (2026-01-01"),
        ("updated", list(range(50)), "updated: 0 .. 49, sum 1225"),
        (
            "timestamp",
            [1_767_225_600_000 + n for n in range(50)],
            "timestamp: 1767225600000 .. 1767225600049 (2026-01-01",
        ),
        (
            "ts",
            [f"{1_767_225_600 + n}.25" for n in range(50)],
            'ts: numbers in text, "1767225600.25" .. "1767225649.25" (2026-01-01 00:00:00Z .. 2026-01-01 00:00:49Z)',
        ),
        ("ts", [f"{n}.25" for n in range(50)], 'ts: numbers in text, "0.25" .. "49.25" (CAST'),
        ("zip", [str(n) for n in range(50)], 'zip: numbers in text, "0" .. "49" (CAST'),
    ],
)
def test_numbers_that_name_place_or_date_a_thing_are_not_summed(name: str, cells: list[Any], expected: str) -> None:
    assert fact(cells, name).startswith(expected)
    assert is_additive(table_of([{name: cell, "x": "y"} for cell in cells]).fields[0]) == ("sum" in expected)


def test_base64_and_links_are_told_together_and_very_many_names_are_counted() -> None:
    data = "aGVsbG8gd29ybGQsIHRoaXMgaXMgYmFzZTY0IGRhdGE" * 9
    rows = [
        {"id": n, "blob": data + f"{n:04}", **{f"x{at}_url": f"https://h/{n}/{at}" for at in range(20)}}
        for n in range(9)
    ]
    told = facts(rows)
    assert "blob: base64 data" in told
    [links] = [line for line in told if line.endswith(": links") or "text, all different" in line]
    assert " and 6 more: " in links
    few = [{"id": n, **{f"x{at}_url": f"https://h/{n % 2}" for at in range(4)}} for n in range(90)]
    assert "x0_url, x1_url, x2_url, x3_url: links" in facts(few)


def test_what_is_always_so_is_told_at_the_end_and_counted_when_it_is_much() -> None:
    within = {"u": {"x": "nested"}, "page_url": "https://h/p"}
    rows = [{**within, **{f"c{at}": f"value {at}" for at in range(16)}, "n": n} for n in range(9)]
    last = facts(rows)[-1]
    assert last.startswith("always: c0 value 0 · c1 value 1 · ")
    assert last.endswith(" · c13 value 13 · 4 more")
    few = facts([{**within, "c": 1, "n": n} for n in range(9)])[-1]
    assert few == "always: c 1 · u.x nested · page_url https://h/p"  # links behind all others


def test_objects_in_the_arrays_of_cells_are_told_by_their_fields() -> None:
    rows = [{"id": n, "text": f"words {n} " * 50, "refs": [{"x": 1, "y": [n]}] * (n % 3)} for n in range(30)]
    assert "refs: 0 .. 2 items each, 30 in all, objects with x, y" in facts(rows)
    wide = [
        {"id": n, "text": f"words {n} " * 90, "refs": [{f"f{at}": at for at in range(7)}] * (n % 3)} for n in range(30)
    ]
    assert "refs: 0 .. 2 items each, 30 in all, objects with f0, f1, f2, f3, f4, …" in facts(wide)


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([{"rule": "semi", "line": 1}, {"rule": "eqeqeq", "line": 2}], "60 in all, by rule: semi ×30 · eqeqeq ×30"),
        ([{"name": "x", "severity": 2}, {"name": "y", "severity": 1}], "60 in all, by severity: 2 ×30 · 1 ×30"),
        ([{"rule": None, "line": 1}, {"rule": "eqeqeq"}], "60 in all, objects with rule, line"),
        ([{"rule": ["a"]}, {"rule": "b"}], "60 in all, objects with rule"),
        ([{"rule": "a"}, "b"], "60 in all, objects with rule"),
        ([{"line": 1}, {"line": 1}], "60 in all, objects with line"),
    ],
)
def test_items_of_arrays_are_told_by_the_field_that_divides_them(items: list[Any], expected: str) -> None:
    rows = [{"id": n, "text": f"words {n} " * 90, "found": items} for n in range(30)]
    assert f"found: 2 items each, {expected}" in facts(rows)


def test_maps_and_objects_in_cells_are_told_by_their_keys() -> None:
    rows = [{"id": n, "labels": {f"key-{n}-{at}/x": "v" for at in range(n % 3 + 1)}} for n in range(40)]
    [labels] = [line for line in facts(rows) if line.startswith("labels")]
    assert labels.startswith("labels: up to 3 keys each: ")
    deep = [{"id": n, "value": {"a": {"b": 1}}} for n in range(40)]
    assert any("value.a.b" in line for line in facts(deep))


def test_a_name_with_a_comma_or_a_colon_is_not_taken_for_two() -> None:
    rows = [{"a, b": f"x {n}", "c": f"y {n}", "d: text, all different": f"z {n}", "e": ["a"] * n} for n in range(9)]
    assert facts(rows)[0] == '"a, b", c, "d: text, all different": text, all different'


def test_keys_too_long_to_be_kept_are_counted() -> None:
    rows = [{"id": n, "labels": {f"{n} {at} " + "key " * 60: "v" for at in range(3)}} for n in range(20)]
    assert "labels: up to 3 keys each: 60 different values" in facts(rows)


def chain(length: int) -> dict[str, Any]:
    return {"by": f"a {length}", "reply": chain(length - 1) if length else None}


def test_a_tree_in_a_cell_is_not_counted_as_rows() -> None:
    rows = [{"id": n, "text": f"some words {n} " * 40, "thread": chain(n % 5)} for n in range(40)]
    assert "thread.reply: objects that hold objects of their own kind" in facts(rows)


def test_nodes_with_an_object_or_an_array_in_a_cell_are_not_told_as_texts() -> None:
    cells = [{"x": 1}, {"x": 2}, [3], "left"]
    nodes = [{"name": f"n{at}", "place": cell, "kids": []} for at, cell in enumerate(cells)]
    root = {"name": "root", "kids": [{"name": "up", "kids": nodes}]}
    assert "place: mixed: array or object ×3 · str ×1 · absent ×2" in facts(root)


def test_the_words_of_a_tree_tell_its_paths_and_depths() -> None:
    node: dict[str, Any] = {"name": "leaf", "children": []}
    for level in range(4):
        node = {"name": f"n{level}", "children": [node, node]}
    assert not any(line.startswith(("_path", "_depth", "_parent")) for line in facts(node))


def test_of_a_sample_every_line_says_so_and_nothing_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "EXACT", 100)
    rows = [
        {
            "id": n,
            "kind": "ab"[n % 2],
            "tags": ["x"] * (n % 3),
            "size": n,
            "mixed": [n, [n]][n % 2],
            "words": f"w {n}",
            "c": f"c{n % 30}",
        }
        for n in range(90)
    ]
    told = facts(rows)
    assert "sampled kind: a · b" in told
    assert "sampled size: 0 .. 89" in told
    assert "sampled tags: 0 .. 2 items each: x" in told
    assert "sampled mixed: mixed: array · int" in told
    assert "sampled words: text" in told
    assert "sampled c: c0 · c1 · …" in told
    assert all(line.startswith("sampled ") and "×" not in line and "sum" not in line for line in told)


def test_too_many_different_values_are_not_counted_but_told_to_be_more() -> None:
    rows = [{"id": n, "name": f"name {n}", "tags": [f"tag {n}", f"t {n}"]} for n in range(70_000)]
    told = facts(rows)
    assert any(re.fullmatch(r"name: text, over [\d,]+ different", line) for line in told)
    assert any(re.fullmatch(r"tags: 2 items each, 140,000 in all: over [\d,]+ different", line) for line in told)


def test_long_values_shorten_the_list_of_them() -> None:
    cells = [f"{'long word ' * 3}{n % 9}" for n in range(90)]
    line = fact(cells)
    assert len(line) < 170
    assert line.endswith("more")
    assert fact([f"{'w' * 50}{n % 9}" for n in range(90)]).endswith(" · 7 more")


def test_counts_of_what_was_too_long_to_keep_are_only_counts() -> None:
    rows = [{"id": n, "texts": ["a long text " * 30 + str(n), "another " * 50 + str(n)]} for n in range(9)]
    [line] = [line for line in facts(rows) if line.startswith("texts")]
    assert line == "texts: 2 items each, 18 in all"


def test_a_sum_that_is_no_number_is_not_told() -> None:
    assert fact([1e308, 1.5e308, 1.2e308]) == "cell: 1e+308 .. 1.5e+308"
    assert fact([10**400, 1.5]) == f"cell: 1.5 .. {'1' + '0' * 51}…[+349]"
    line = facts('[{"a":1e999,"b":"x"},{"a":-1e999,"b":"y"},{"a":1e999,"b":"z"}]')[0]
    assert line.startswith("a: -inf .. inf")
    assert "sum" not in line
    [amount] = [
        one
        for one in table_of([{"amount": 10**30 + n, "x": f"y {n}"} for n in range(9)]).fields
        if one.name == "amount"
    ]
    assert not is_additive(amount)
    [mixed] = [
        one
        for one in table_of([{"amount": [n, [n]][n % 2], "x": f"y {n}"} for n in range(9)]).fields
        if one.name == "amount"
    ]
    assert not is_additive(mixed)
    assert divides(mixed, 9) is None


def test_a_sum_has_no_noise_of_its_digits() -> None:
    assert number_text(sum([0.1] * 10)) == "1"
    assert number_text(10**30) == "1" + "0" * 30


@settings(max_examples=150, deadline=None)
@given(hostile.records)
def test_a_fact_is_one_line_that_can_be_shown(rows: list[dict[str, Any]]) -> None:
    main = read_form(read(json.dumps(rows))).main
    for one in facts_of(main) if main is not None else ():
        assert one.text.isprintable()
        one.text.encode()
        assert len(one.text) < 1_500


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(hostile.sendable, st.integers(3, 9)), min_size=2, max_size=5, unique_by=lambda one: one[0]))
def test_values_that_divide_are_told_each_with_its_count_and_nothing_else(counts: list[tuple[str, int]]) -> None:
    cells = [value for value, count in counts for _ in range(count)]
    rows = [{"row": f"r{n}", "status": cell} for n, cell in enumerate(cells)]
    [line] = [line for line in facts(rows) if line.startswith("status: ")]
    found: Counter[str] = Counter()
    parts = line.removeprefix("status: ").split(" · ")
    more = [parts.pop()] if "×" not in parts[-1] else []
    for part in parts:
        text, _, count = part.rpartition(" ×")
        found[value_of(text)] += int(count)
    assert found.items() <= dict(counts).items()
    assert more == ([f"{len(counts) - len(found)} more"] if len(found) < len(counts) else [])


@given(st.lists(st.integers(-(10**6), 10**6), min_size=2, max_size=60), st.integers(0, 5))
def test_a_range_and_a_sum_are_those_of_all_rows(numbers: list[int], absent: int) -> None:
    line = fact([*numbers, *[None] * absent], "amount")
    if divides(
        table_of([{"amount": one, "x": n} for n, one in enumerate([*numbers, *[None] * absent])]).fields[0],
        len(numbers) + absent,
    ):
        return
    if match := re.fullmatch(r"amount: (-?\d+)(?: \.\. (-?\d+))?, sum (-?\d+)(?: · absent ×(\d+))?", line):
        assert int(match[1]) == min(numbers)
        assert int(match[2] or match[1]) == max(numbers)
        assert int(match[3]) == sum(numbers)
        assert int(match[4] or 0) == absent
    else:
        assert len(set(numbers)) <= 12


def test_numbers_of_what_several_rows_lie_in_are_not_added_up() -> None:
    suites = [
        {
            "suite": f"s{n}",
            "tests": n + 20,
            "cases": [{"name": f"c{m}", "of": f"x{m % 3}", "ms": m} for m in range(n + 20)],
        }
        for n in range(4)
    ]
    found = facts(suites)
    assert "root.tests: 20 .. 23" in found or "root.tests: 23 ×23 · 22 ×22 · 21 ×21 · 20 ×20" in found
    assert any(line.startswith("ms: 0 .. 22, sum ") for line in found)


def test_numbers_named_by_what_people_ask_by_are_told_by_their_counts() -> None:
    assert fact([n % 10 for n in range(60)], "group").startswith("group: 0 ×6 · 1 ×6 · ")
    assert fact([n % 10 for n in range(60)], "size") == "size: 0 .. 9, sum 270"


def ranks(rows: Any) -> dict[str, float]:
    return {one.text.partition(":")[0]: one.rank for one in facts_of(table_of(rows))}


def test_times_that_hardly_a_row_has_come_after_those_of_all_rows() -> None:
    rows = [{"made": f"2026-01-{n % 28 + 1:02}T00:00:00Z", "n": f"x{n}"} for n in range(50)]
    rows[7]["ended"] = "2026-03-01T00:00:00Z"
    found = ranks(rows)
    assert found["made"] < found["ended"]


def test_of_many_columns_that_divide_the_fourth_comes_after_amounts() -> None:
    rows = [{**{name: f"{name}{n % 4}" for name in "abcdefgh"}, "total": n} for n in range(80)]
    found = ranks(rows)
    assert found["c"] < found["total"] < found["f"]


def test_a_column_with_nearly_one_value_or_with_times_of_day_is_hardly_asked_by() -> None:
    rows = [{"flat": "b" if n == 7 else "a", "even": "ab"[n % 2], "at": ("0:00", "0:07")[n % 2]} for n in range(40)]
    flat, even, at = (divides(field, 40) or 0 for field in table_of(rows).fields)
    assert even < flat
    assert even < at


def test_objects_too_deep_to_be_looked_into_have_no_number_of_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "MOST_PLACES", 7)
    data = {"upper": {"a": {"b": 1}}, "x": {"y": {f"k{n}": {"z": {"w": 1}} for n in range(60)}}}
    assert "value: objects" in facts(data)


def test_items_that_hold_objects_of_their_own_kind_are_not_counted_by_a_value() -> None:
    args = [{"type": ("text", "object")[n % 2], "preview": {"type": "object", "preview": None}} for n in range(9)]
    rows = [{"id": n, "text": "word " * 20, "args": args[: n % 3]} for n in range(40)]
    [found] = [line for line in facts(rows) if line.startswith("args")]
    assert found == "args: 0 .. 2 items each, 39 in all, objects with type, preview"


def test_what_people_ask_by_is_told_first_where_it_is_the_same_in_all_rows() -> None:
    for row, expected in (
        ({"z": "same", "level": "INFO"}, ("always: level INFO · z same", 1.9)),
        ({"z": "same"}, ("always: z same", 5)),
    ):
        told = facts_of(table_of([{**row, "n": n} for n in range(9)]))
        assert [(one.text, one.rank) for one in told if "always" in one.text] == [expected]


def test_one_value_in_all_rows_that_have_any_is_told_late_unless_they_are_few_or_people_ask_by_it() -> None:
    rows = [{"n": n, "width": 0.6, "state": "open", "odd": "late"} for n in range(40)]
    for row in rows[:5]:
        del row["width"], row["state"]
    for row in rows[9:]:
        del row["odd"]
    for row in rows[:4]:
        row |= {"spare": False, "replies": 2}
    told = {one.text: one.rank for one in facts_of(table_of(rows))}
    assert told["width: 0.6 ×35 · absent ×5"] == 5  # no sum of what is always the same
    assert told["state: open ×35 · absent ×5"] < 5
    assert told["odd: late ×9 · absent ×31"] < 5
    assert told["spare: false ×4 · absent ×36"] == 5
    assert told["replies: 2 ×4 · absent ×36"] < 5


def test_objects_are_no_links_whatever_they_are_called() -> None:
    rows = [{"a_url": f"h/{n}", "b_url": f"i/{n}", "c_url": f"j/{n}", "d_url": f"k/{n}"} for n in range(9)]
    told = facts([{"id": 1}, *({**row, "links": [{"x": n}] * 2} for n, row in enumerate(rows))])
    assert "a_url, b_url, c_url, d_url: links" in told
    assert "links: 2 items each, 18 in all, objects with x · absent ×1" in told


def test_numbers_that_tell_a_version_have_no_sum() -> None:
    told = facts([{"resourceVersion": str(n * 977 + 5), "size": str(n * 9 + 1)} for n in range(40)])
    assert 'resourceVersion: numbers in text, "5" .. "38108" (CAST in SQL)' in told
    assert 'size: numbers in text, "1" .. "352", sum 7060 (CAST in SQL)' in told


def test_codes_are_told_late_however_often_they_are_there() -> None:
    code = "4438e7f8-9b94-4211-9314-ca798644"
    numbers = [n if n % 2 else 0 for n in range(250)]
    rows = [{"scan": f"{code}{n % 3:04}", "run": f"{code}{n:04}", "tool": f"t{n}", "way": f"w{n % 3}"} for n in numbers]
    ranks = {one.text.partition(":")[0]: one.rank for one in facts_of(table_of(rows))}
    assert ranks["run"] == 4.5 > ranks["tool"]
    assert ranks["scan"] > ranks["way"]


def test_a_column_of_few_rows_is_told_after_the_others() -> None:
    rows = [{"n": n, "rare": n * 3 if n < 9 else None} for n in range(200)]
    ranks = {one.text.partition(":")[0]: one.rank for one in facts_of(table_of(rows))}
    assert (ranks["n"], ranks["rare"]) == (2.0, 5.0)


def test_of_many_times_those_of_the_row_itself_come_first() -> None:
    day = "2026-01-0{}T08:00:00Z".format
    rows = [{"milestone": {"due": day(n % 9 + 1)}, "made": day(n % 7 + 1), "closed": day(n % 5 + 1)} for n in range(40)]
    ranks = {one.text.partition(":")[0]: round(one.rank, 1) for one in facts_of(table_of(rows))}
    assert ranks == {"made": 1.0, "closed": 1.7, "milestone.due": 2.6}


def test_of_columns_that_tell_as_much_the_fuller_one_comes_first() -> None:
    rows = [{"a": n if n % 2 else None, "b": n * 2} for n in range(40)]
    first, second = facts_of(table_of(rows))
    assert first.rank > second.rank


def test_what_is_said_of_a_thing_that_rows_share_comes_behind_what_is_said_of_the_rows() -> None:
    rows = [
        {
            "number": n,
            "comments": n % 50,
            "milestone": {
                "title": f"version {n % 4}",
                "state": ("open", "closed")[n % 2],
                "closed_issues": n % 30,
                "creator": {"login": f"u{n % 4}", "visits": n % 25},
            },
            "spec": {"name": f"own {n}", "replicas": n % 40},
        }
        for n in range(120)
    ]
    rank = ranks(rows)
    assert rank["milestone.closed_issues"] > rank["spec.replicas"]
    assert rank["milestone.creator.visits"] > rank["milestone.closed_issues"]
    assert max(rank["milestone.title"], rank["milestone.state"]) < rank["comments"]


def test_names_that_repeat_come_before_numbers_though_they_are_too_many_to_divide_the_rows() -> None:
    rows = [{"size": n * 7, "author": f"writer {n % 90 if n > 20 else 0}", "remark": f"r {n % 90}"} for n in range(400)]
    rank = ranks(rows)
    assert rank["author"] < rank["size"]


def test_few_times_in_numbers_are_told_as_times() -> None:
    rows = [{"id": n, "created": 1_482_401_837.0 + n % 3, "text": f"words {n} " * 9} for n in range(40)]
    assert "created: 1482401837.0 .. 1482401839.0 (2016-12-22 10:17:17Z .. 2016-12-22 10:17:19Z)" in facts(rows)


def test_times_of_which_some_are_zero_are_not_added_up() -> None:
    rows = [{"id": n, "lastStatusUpdate": n and 1_767_971_673_000 + n, "text": f"words {n} " * 9} for n in range(40)]
    assert "lastStatusUpdate: 0 .. 1767971673039 (up to 2026-01-09 15:14:33Z)" in facts(rows)


def test_a_name_inside_of_an_object_divides_as_what_it_names() -> None:
    names = {"status": "To Do", "reporter": "Ana"}
    rows = [
        {"key": f"P-{n}", "summary": f"words {n}", "status": {"name": ("Done", names["status"])[n % 2]}, "size": n}
        | {"reporter": {"displayName": f"person {n % 9}", "accountId": f"5b10{n % 9}"}}
        for n in range(90)
    ]
    rank = ranks(rows)
    assert rank["status.name"] < 1 < rank["reporter.displayName"] < rank["size"]
    assert rank["reporter.accountId"] > rank["reporter.displayName"] + 0.9


def test_numbers_in_texts_that_are_times_are_told_as_times() -> None:
    rows = [{"ts": f"{1_772_300_000 + n}.000{n:03}", "text": f"words {n} " * 9} for n in range(40)]
    span = '"1772300000.000000" .. "1772300039.000039" (2026-02-28 17:33:20Z .. 2026-02-28 17:33:59Z)'
    assert f"ts: numbers in text, {span} (CAST in SQL)" in facts(rows)


def test_fingerprints_and_the_like_divide_nothing() -> None:
    rows = [{"id": n, "hash": "ab"[n % 2], "primaryFingerprint": "cd"[n % 2], "kind": "ef"[n % 2]} for n in range(40)]
    dividing = [one.name for one in table_of(rows).fields if divides(one, 40) is not None]
    assert dividing == ["kind"]


@pytest.mark.parametrize("name", ["percent_covered", "summary.pct", "avg_ms", "temperature_2m", "risk_score", "%CPU"])
def test_parts_of_a_whole_and_means_have_no_sum(name: str) -> None:
    assert fact([n + 0.5 for n in range(30)], name) == f"{name}: 0.5 .. 29.5"
    assert fact([n + 0.5 for n in range(30)], "took").endswith("sum 450")


def test_versions_have_no_sum() -> None:
    assert (
        fact([str(n) for n in range(30)], "resourceVersion")
        == 'resourceVersion: numbers in text, "0" .. "29" (CAST in SQL)'
    )


def test_numbers_in_arrays_are_told_by_their_range_unless_they_are_few() -> None:
    assert fact([[n, n + 1] for n in range(30)]) == "cell: 2 items each, 60 in all, 0 .. 30"
    assert fact([[n % 2, 1] for n in range(30)]) == "cell: 2 items each, 60 in all: 1 ×45 · 0 ×15"


def test_numbers_of_what_rows_lie_in_come_after_their_own() -> None:
    files = [
        {"path": f"a{n}", "errors": n % 9, "messages": [{"rule": f"r{m % 3}", "took": n * m} for m in range(8)]}
        for n in range(20)
    ]
    ranks = {one.text.partition(":")[0]: one.rank for one in facts_of(table_of(files))}
    assert ranks["root.errors"] > ranks["took"]


def in_turn(rows: Any) -> list[str]:
    """The names of the columns, the one first that is told first."""
    rank = ranks(rows)
    return sorted(rank, key=rank.__getitem__)


def test_a_column_that_divides_the_rows_as_another_does_is_told_late() -> None:
    codes = {"low": 1, "medium": 2, "high": 3}
    levels = ["low"] * 9 + ["medium"] * 5 + ["high"] * 3
    rows = [
        {
            "severityCode": codes[level],
            "more": f"https://example.org/{level}",
            "severity": level,
            "advisory": {"severity": level},
            "team": ["red", "blue"][n < 9],  # as many as another word has: no two columns of two values are compared
            "shift": ["day", "night"][n >= 9],
            "n": f"x{n}",
        }
        for n, level in enumerate(levels)
    ]
    order = in_turn(rows)
    assert order[0] == "severity"
    assert set(order[1:3]) == {"team", "shift"}
    assert set(order[3:6]) == {"severityCode", "advisory.severity", "more"}


def test_arrays_that_are_the_same_in_all_rows_are_told_after_what_differs() -> None:
    rows = [
        {"credit": ["X"], "path": ["a", "b"], "fixed": n % 3 == 0, "labels": ["u", "v"][: n % 3]} for n in range(40)
    ]
    assert in_turn(rows)[:2] == ["fixed", "labels"]


def test_what_went_wrong_in_few_rows_is_told_before_what_most_rows_have() -> None:
    rows: list[dict[str, Any]] = [{"id": n, "size": n * 7 % 50, "took": n * 3 % 41} for n in range(400)]
    for row in rows[::40]:
        row["error"] = {"code": -32602, "message": "Invalid params"}
    assert in_turn(rows)[0] in ("error.code", "error.message")
    assert "error.message: Invalid params ×10 · absent ×390" in facts(rows)
    for row in rows[40:]:
        row.pop("error", None)
    assert in_turn(rows)[0] == "size"  # of one row in four hundred its row tells
