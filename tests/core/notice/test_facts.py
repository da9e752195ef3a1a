"""Every fact is true of all rows, is one line, and no name or value in it can be read as another fact."""

from __future__ import annotations

import base64
import gc
import json
import random
import re
import statistics
from collections import Counter
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.forms import json_values
from penstock.core.forms.document import read
from penstock.core.forms.reading import Table
from penstock.core.forms.recognise import read_form
from penstock.core.notice.facts import facts_of, median
from penstock.core.notice.text_numbers import mean_text, number_text
from penstock.core.profile import Column
from penstock.core.text import tally
from tests.kit import hostile_names as hostile


def table_of(rows: Any) -> Table:
    main = read_form(read(rows if isinstance(rows, str | bytes) else json.dumps(rows))).main
    assert main is not None
    return main


def facts(rows: Any) -> list[str]:
    return [fact.longer for fact in facts_of(table_of(rows))]


def fact(cells: list[Any], name: str = "cell") -> str:
    """Return the fact about a column with these cells; a cell ``...`` is missing."""
    rows = [{"row": f"r {n}", **({} if cell is ... else {name: cell})} for n, cell in enumerate(cells)]
    marks = (f"{name}: ", f"{name}=", f", {name}")
    [found] = [line for line in facts(rows) if any(mark in line for mark in marks)]
    return found


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["open"] * 6 + ["closed"] * 3, "cell: open ×6 · closed ×3"),
        (["open"] * 6 + ["closed"] * 3 + [..., None], "cell: open ×6 · closed ×3 · null ×1 · missing ×1"),
        ([True] * 6 + [False] * 3, "cell: true ×6 · false ×3"),
        ([f"v{n % 20}" for n in range(100)], " · ".join(f"v{n} ×5" for n in range(20))),
        ([f"v{n % 50}" for n in range(250)], "cell: 50 distinct, 5 each"),
        ([f"v{n % 50}" for n in range(249)], "cell: text, 50 distinct"),
        (
            [*["main"] * 90, *(f"b{n // 2}" for n in range(90))],
            f"cell: main ×90 · {' · '.join(f'b{n} ×2' for n in range(39))} · +6 values",
        ),
        ([n * n for n in range(50)], "cell: 0 to 2401, mean 808.5, median 600.5, sum 40425"),
        ([n / 8 for n in range(51)], "cell: 0.0 to 6.25, mean 3.12, median 3.12, sum 159.375"),
        ([7, 9, None, ...], "cell: 7 to 9, mean 8, median 8, sum 16 · null ×1 · missing ×1"),
        ([5, *[...] * 19], "cell: 5 ×1 · missing ×19"),
        (list(range(50)), "cell: 0 to 49"),
        ([f"2026-01-{n:02}" for n in range(1, 29)], "cell: 2026-01-01 to 2026-01-28"),
        ([f"text {n}" for n in range(30)], "all distinct: row, cell"),
        (
            [f"{n}.{n % 4}0" for n in range(60)],
            'cell: numeric text "0.00" to "59.30", mean 29.65, sum 1779.00 (use CAST)',
        ),
        ([f"text {n // 2}" for n in range(100)], "cell: 50 distinct, 2 each"),
        (["same"] * 9, "constant: cell=same"),
        (["same"] * 9 + [None], "cell: same ×9 · null ×1"),
        ([4] * 9, "constant: cell=4"),
        ([None, None, ...], "empty: cell"),
        ([[], []], "cell: always empty"),
        ([["a"], ["b"], ["a"]], "cell: 1 per row, 3 in all: a ×2 · b ×1"),
        ([["a"], ["b", "c"], []], "cell: 0 to 2 per row, 3 in all, all distinct"),
        ([[n, n + 1] for n in range(0, 90, 2)], "cell: 2 per row, 90 in all, 0 to 89"),
        ([{}, {}], "cell: always {}"),
        ([{}, None], "cell: always {} · null ×1"),
        ([[[1, 2], "a"], [[3]]], "cell: 1 to 2 per row, 3 in all"),
        ([["a"], "b", {"c": 1}, None], "cell: array ×1 · object ×1 · str ×1 · null ×1"),
        ([1, "a", 2.5] * 3, "cell: str|float, a ×3 · 1 ×3 · 2.5 ×3"),
        ([json.dumps({"a": n}) for n in range(9)], "cell: JSON text, all distinct"),
        (["x y z " * 50 + str(n // 3) for n in range(9)], "cell: text, 3 distinct"),
        ([f"https://example.org/{n // 2}" for n in range(40)], "links: cell"),
    ],
)
def test_fact_states_what_the_role_of_a_column_asks_for(cells: list[Any], expected: str) -> None:
    rows = [{"row": f"r {n}", **({} if cell is ... else {"cell": cell})} for n, cell in enumerate(cells)]
    assert any(line == expected or line == f"cell: {expected}" for line in facts(rows)), facts(rows)


def test_short_line_has_the_most_frequent_values() -> None:
    [line] = [one.text for one in facts_of(table_of([{"cell": f"v{n * n % 11}"} for n in range(110)]))]
    assert line == "cell: v1 ×20 · v4 ×20 · v9 ×20 · v5 ×20 · v3 ×20 · v0 ×10"


def test_id_that_repeats_states_how_many_there_are() -> None:
    assert fact([n % 60 * 7 for n in range(300)], "customer_id") == "customer_id: 0 to 413, 60 distinct, 5 each"
    assert fact([n % 60 * 7 for n in range(299)], "customer_id") == "customer_id: 0 to 413, 60 distinct"


def test_numbers_named_as_moments_are_shown_as_times() -> None:
    line = fact([1_767_225_600 + 60 * n for n in range(40)], "created")
    assert line == "created: 1767225600 to 1767227940 (2026-01-01 00:00:00Z to 2026-01-01 00:39:00Z)"
    assert fact([0, *(1_767_225_600 + 60 * n for n in range(40))], "created").endswith("(up to 2026-01-01 00:39:00Z)")


def test_points_without_names_have_times_if_they_are_of_one_size() -> None:
    points = {"series": [{"host": host, "points": [[1_767_225_600 + n, n * n] for n in range(40)]} for host in "ab"]}
    found = facts(points)
    assert "c1: 1767225600 to 1767225639 (2026-01-01 00:00:00Z to 2026-01-01 00:00:39Z)" in found


def test_objects_in_arrays_are_counted_by_the_field_that_divides_them() -> None:
    rows = [{"id": n, "labels": [{"name": "bug"}, {"name": f"l{n % 3}"}][: 1 + n % 2]} for n in range(12)]
    assert "labels: 1 to 2 per row, 18 in all, by name: bug ×12 · l1 ×2 · l0 ×2 · l2 ×2" in facts(rows)
    mixed = [{"id": n, "labels": [{"name": "bug"}, 5][: 1 + n % 2]} for n in range(12)]
    assert "labels: 1 to 2 per row, 18 in all" in facts(mixed)
    unnamed = [{"id": n, "labels": [{"width": n}, {"width": 2}][: 1 + n % 2]} for n in range(12)]
    assert "labels: 1 to 2 per row, 18 in all" in facts(unnamed)


def test_maps_in_cells_are_described_by_their_keys() -> None:
    rows = [
        {"id": n, "text": "word " * 90 + str(n), "labels": {f"key-{n}-{k}": "v" for k in range(9)}} for n in range(60)
    ]
    assert any(line.startswith("labels: up to 9 keys per row: key-0-0 ×1 · ") for line in facts(rows)), facts(rows)


def test_recursive_objects_are_not_counted_as_cells() -> None:
    deep: dict[str, Any] = {"kind": "leaf", "inner": None}
    for _ in range(3):
        deep = {"kind": "node", "inner": deep}
    rows = [{"id": n, "label": f"l {n}", "text": "word " * 40 + str(n), "tree": deep} for n in range(9)]
    assert "tree: recursive objects" in facts(rows)


def test_sample_marks_every_line_and_has_no_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_values, "MAX_EXACT", 100)
    rows = [
        {
            "id": n,
            "kind": "ab"[n % 2],
            "tags": ["x"] * (n % 3),
            "size": n * n,
            "mixed": [n, [n]][n % 2],
            "words": f"w {n}",
            "c": f"c{n % 30}",
        }
        for n in range(90)
    ]
    found = facts(rows)
    assert "sampled kind: a · b" in found
    assert "sampled size: 0 to 7921" in found
    assert "sampled tags: 0 to 2 per row: x" in found
    assert "sampled mixed: array · int" in found
    assert "sampled words: text" in found
    assert any(line.startswith("sampled c: c0 · c1 · c2 · c3 · c4 · c5 · ") for line in found)
    assert all(line.startswith("sampled ") and "×" not in line and "sum" not in line for line in found)


def test_very_many_distinct_values_are_reported_as_a_lower_bound() -> None:
    rows = [{"id": n, "name": f"name {n}", "tags": [f"tag {n}", f"t {n}"]} for n in range(70_000)]
    found = facts(rows)
    assert any(re.fullmatch(r"name: text, over [\d,]+ distinct", line) for line in found)
    assert any(re.fullmatch(r"tags: 2 per row, 140,000 in all: over [\d,]+ distinct", line) for line in found)


def test_values_too_long_to_keep_are_only_counted() -> None:
    rows = [{"id": n, "texts": ["a long text " * 30 + str(n), "another " * 50 + str(n)]} for n in range(9)]
    assert "texts: 2 per row, 18 in all" in facts(rows)


def test_shared_lines_list_the_best_columns_and_count_the_others() -> None:
    rows = [{f"text{k}": f"some words {k} {n}" for k in range(17)} for n in range(9)]
    [line] = facts(rows)
    assert line.startswith("all distinct: text0, text1, ")
    assert line.endswith(", +3 columns")


def test_names_with_separators_are_quoted() -> None:
    rows = [{"a, b": f"x {n}", "c: d": f"y {n}", "e=f": 1} for n in range(9)]
    assert set(facts(rows)) == {'all distinct: "a, b", "c: d"', 'constant: "e=f"=1'}


def test_words_of_facts_do_not_keep_the_table_alive() -> None:
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


def test_median_needs_the_values() -> None:
    column = Column()
    column.learn([3, 1, 2, 2])
    assert median(column) == 2
    assert median(Column.of_names(5)) is None


def test_means_are_rounded_and_sums_have_no_noise() -> None:
    assert (mean_text(3.0), mean_text(3.4166), mean_text(0.00041237)) == ("3", "3.42", "0.000412")
    assert number_text(sum([0.1] * 10)) == "1"
    assert number_text(10**30) == "1" + "0" * 30


@settings(max_examples=150, deadline=None)
@given(hostile.records)
def test_fact_is_one_printable_line(rows: list[dict[str, Any]]) -> None:
    main = read_form(read(json.dumps(rows))).main
    for one in facts_of(main) if main is not None else ():
        assert one.text.isprintable()
        one.text.encode()


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(hostile.sendable, st.integers(3, 9)), min_size=2, max_size=5, unique_by=lambda one: one[0]))
def test_list_of_values_states_each_with_its_count(counts: list[tuple[str, int]]) -> None:
    cells = [value for value, count in counts for _ in range(count)]
    rows = [{"row": f"r {n}", "status": cell} for n, cell in enumerate(cells)]
    lines = [line for line in facts(rows) if line.startswith("status: ")]
    if not lines:  # Links, codes and times are described in other words.
        return
    parts = lines[0].removeprefix("status: ").split(" · ")
    if not all(" ×" in part for part in parts):
        return
    found: Counter[str] = Counter()
    for part in parts:
        text, _, count = part.rpartition(" ×")
        found[json.loads(text) if text.startswith('"') else text] += int(count)
    assert found == dict(counts)


@given(st.lists(st.integers(-(10**6), 10**6), min_size=3, max_size=60), st.integers(0, 5))
def test_range_mean_median_and_sum_are_those_of_all_rows(numbers: list[int], absent: int) -> None:
    line = fact([*numbers, *[None] * absent], "amount")
    match = re.fullmatch(r"amount: (-?\d+) to (-?\d+), mean (\S+), median (\S+), sum (-?\d+)(?: · null ×(\d+))?", line)
    if match is None:
        assert max(numbers) - min(numbers) < len(numbers)
        return
    assert (int(match[1]), int(match[2]), int(match[5])) == (min(numbers), max(numbers), sum(numbers))
    assert float(match[3]) == pytest.approx(statistics.fmean(numbers), abs=0.006, rel=0.005)
    assert float(match[4]) == pytest.approx(statistics.median(numbers), abs=0.006)
    assert int(match[6] or 0) == absent


@pytest.mark.parametrize("decimals", [(2,), (0, 3)])
def test_numbers_in_texts_are_added_up_exactly(decimals: tuple[int, ...]) -> None:
    cells = [f"{n * n + 0.5:.{decimals[n % len(decimals)]}f}" for n in range(1, 60)]
    numbers = list(map(Decimal, cells))
    mean = mean_text(float(sum(numbers) / len(numbers)))
    ends = [next(cell for cell in cells if Decimal(cell) == one) for one in (min(numbers), max(numbers))]
    assert fact(cells) == f'cell: numeric text "{ends[0]}" to "{ends[1]}", mean {mean}, sum {sum(numbers)} (use CAST)'


@pytest.mark.parametrize(
    "name",
    [
        *("cpu_time", "uptime", "response_time", "wait_time_ns", "time_ms", "timeout", "expires_in", "runtime"),
        *("spend", "dividend", "candidate", "backend", "change", "lifetime.value", "übertime", "timezone", "s"),
    ],
)
def test_number_whose_name_is_not_a_moment_is_not_shown_as_a_date(name: str) -> None:
    line = fact([1_500_000_000 + n * 1_000 for n in range(300)], name)
    assert line.startswith(f"{name}: 1500000000 to 1500299000, mean ")


@pytest.mark.parametrize(
    "name",
    [
        *("time", "start_time", "endTime", "created_at", "createdAt", "CreatedAt", "a.b.updated.value", "date", "TS"),
        *("Last Login", "lastStatusUpdate", "expires", "mtime", "created_utc", "timestamp_s", "finished_on", "dt"),
        "start.$date",
    ],
)
def test_number_whose_name_is_a_moment_is_shown_as_a_date(name: str) -> None:
    line = fact([1_500_000_000 + n * 1_000 for n in range(300)], name)
    assert line == f"{name}: 1500000000 to 1500299000 (2017-07-14 02:40:00Z to 2017-07-17 13:43:20Z)"


def test_moments_in_different_units_are_not_shown_as_dates() -> None:
    mixed = [(1_700_000_000 + n, 1_600_000_000_000 + n)[n % 2] for n in range(300)]
    assert "Z" not in fact(mixed, "created_at")
    assert "Z" not in fact([0, *mixed], "created_at")
    assert "Z" not in fact([str(one) for one in mixed], "created_at")


def test_moments_in_different_units_have_no_mean_and_no_sum() -> None:
    mixed = [(1_700_000_000 + n, 1_600_000_000_000 + n)[n % 2] for n in range(300)]
    assert fact(mixed, "created_at") == "created_at: 1700000000 to 1600000000299 (not all are times in one unit)"
    assert "sum" not in fact([str(one) for one in mixed], "created_at")


def test_moments_in_another_unit_than_their_name_says_are_not_shown_as_dates() -> None:
    assert "Z" not in fact([1_500_000_000 + n for n in range(300)], "created_ms")
    assert "Z" in fact([1_500_000_000_000 + n * 2 for n in range(300)], "created_ms")
    assert "Z" in fact([1_500_000_000_000_000_000 + n * 2 for n in range(300)], "startTimeUnixNano")


def test_moments_next_to_zeros_are_shown_as_dates_only_if_all_of_them_were_counted() -> None:
    many = [n and 1_500_000_000 + n for n in range(70_000)]
    assert "Z" not in fact(many, "seen")
    assert fact(many[:300], "seen") == "seen: 0 to 1500000299 (up to 2017-07-14 02:44:59Z)"


@pytest.mark.parametrize("written", ["0.{}", "{}e-400", "-1.{}E+3"])
def test_decimals_that_no_double_keeps_are_shown_exactly(written: str) -> None:
    numbers = [written.format(12345678901234567890 + n) for n in range(40)]
    lines = facts("[" + ",".join(f'{{"id":{n},"v":{one}}}' for n, one in enumerate(numbers)) + "]")
    assert "v: decimals in text (CAST in SQL), all distinct" in lines
    lines = facts("[" + ",".join(f'{{"id":{n},"v":{numbers[0]},"w":{numbers[n % 2]}}}' for n in range(40)) + "]")
    assert f'w: "{numbers[0]}" ×20 · "{numbers[1]}" ×20' in lines
    assert f'constant: v="{numbers[0]}"' in lines


def test_numbers_beyond_a_double_are_never_infinite() -> None:
    lines = facts('[{"a":1e999,"b":"x"},{"a":-1e999,"b":"y"},{"a":1e999,"b":"z"}]')
    assert 'a: "1e999" ×2 · "-1e999" ×1' in lines


def test_pictures_in_texts_are_called_base64_data() -> None:
    assert (
        fact([base64.b64encode(random.Random(n).randbytes(300)).decode() for n in range(40)], "icon")
        == "icon: base64 data"
    )


def test_median_of_very_many_different_numbers_is_that_of_the_cells() -> None:
    assert "median 40000, " in fact([n * 7 % 80_001 for n in range(80_001)], "amount")


def test_number_that_is_always_the_same_is_stated_with_its_count() -> None:
    assert fact([5 if n % 20 == 0 else None for n in range(400)], "error") == "error: 5 ×20 · null ×380"


def test_numbers_whose_sum_is_beyond_a_double_have_no_mean() -> None:
    assert fact([1e308, 1.0, 2.0] * 3, "v") == "v: 1.0 to 1e+308"
    assert fact([3e300, 1.0, 2.0] * 3, "v") == "v: 1.0 to 3e+300, mean 1e+300, median 2"


def test_amounts_in_texts_have_their_range_and_their_sum() -> None:
    cells = [f"${n * 1_000.5:,.2f}" for n in range(1, 41)]
    words = "amounts in text $1,000.50 to $40,020.00, mean 20510.25, sum 820410.00 (use number(x))"
    assert fact(cells, "price") == f"price: {words}"
    assert fact([f"{5 * (n % 3)}m" for n in range(40)], "for") == "for: 0m ×14 · 5m ×13 · 10m ×13"
    assert fact([f"{n} %" for n in range(40)], "share") == "share: amounts in text 0 % to 39 % (use number(x))"


def test_texts_of_which_one_is_not_a_decimal_are_texts() -> None:
    texts = [f"0.{12345678901234567890 + n}" for n in range(30)]
    for cells in ([*texts, "other"], [f"{'word ' * 60}{n}" for n in range(30)]):
        assert "all distinct: row, v" in facts([{"row": f"r {n}", "v": cell} for n, cell in enumerate(cells)])


def test_times_as_numbers_in_text_are_given_as_dates() -> None:
    line = fact([str(1_700_000_000 + 100 * n) for n in range(60)], name="created_at")
    times = "(2023-11-14 22:13:20Z to 2023-11-14 23:51:40Z)"
    assert line == f'created_at: numeric text "1700000000" to "1700005900" {times} (use CAST)'


def test_keys_that_all_appear_equally_often_are_counted() -> None:
    assert fact([{f"k{n % 50}": 1} for n in range(250)]) == "cell: up to 1 key per row: 50 distinct, 5 each"


def test_objects_below_the_deepest_column_are_described_by_their_number_of_keys() -> None:
    cell: Any = {"a": 1, "b": 2}
    for depth in range(6):
        cell = {f"n{depth}": cell}
    assert facts([{"row": n, "cell": cell} for n in range(9)])[-1] == "cell.n5.n4.n3.n2.n1.n0: object with 2 keys"


def test_a_column_of_files_has_its_folders_and_extensions() -> None:
    files = [f"src/{'abc'[at % 3]}/f{at % 10}.{'py' if at % 4 else 'md'}" for at in range(120)]
    lines = facts([{"file": file, "note": f"words {at}"} for at, file in enumerate(files)])
    folders = Counter(file[4:6] for file in files)
    endings = Counter(file.rpartition(".")[2] for file in files)
    folder_line = next(line for line in lines if line.startswith("by folder below src/: "))
    assert sorted(folder_line.removeprefix("by folder below src/: ").split(" · ")) == [
        f"{name} ×{count}" for name, count in sorted(folders.items())
    ]
    assert f"by extension: {tally(endings.most_common())}" in lines
    most = Counter(files).most_common(1)[0][1]
    assert any(line.startswith("file: src/") and f" ×{most}" in line for line in lines)


@pytest.mark.parametrize("ending", ["", ".html"])
def test_routes_of_a_server_are_no_files(ending: str) -> None:
    routes = [f"/api/items/{at % 9}" for at in range(60)] + [f"/static/a{ending}"] * 9
    assert not any(line.startswith("by ") for line in facts([{"path": route} for route in routes]))
