"""Which tables a document has: the main one, those beside it and inside it, and their columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.core.forms.json_columns import MOST_COLUMNS
from penstock.core.forms.json_tables import MOST_TABLES
from penstock.core.forms.row_noun import row_noun
from penstock.core.json.path import EACH, KEY
from tests.kit.forms.facts import main_of, names_of, reading_of, rows_of, table_named

if TYPE_CHECKING:
    from penstock.core.forms.reading import Table
    from penstock.core.json.path import Path


def test_pictures_weigh_nothing() -> None:
    picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk" * 100
    data = {
        "thumbs": [{"name": f"p{n}", "data": picture} for n in range(20)],
        "posts": [{"id": n, "text": "word " * 20} for n in range(30)],
    }
    assert main_of(reading_of(data)).path == ".posts"


def test_a_wrapper_with_much_of_its_own_stays_the_table() -> None:
    rows = [{"id": n, "text": "word " * 40, "tags": [{"t": "a"}, {"t": "b"}]} for n in range(20)]
    reading = reading_of(rows)
    assert main_of(reading).path == "."
    assert table_named(reading, "items_tags").count == 40


def test_one_or_two_rows_give_way_to_those_inside_of_them() -> None:
    reading = reading_of([{"name": "x" * 100, "jobs": [{"id": n, "state_of_it": "done"} for n in range(20)]}])
    assert (main_of(reading).path, main_of(reading).count) == (".[].jobs[]", 20)


def test_uneven_items_in_even_rows_do_not_take_their_place() -> None:
    data = [
        {"id": n, "parts": [{f"only_{n}_{m}": "word " * 9, f"more_{n}_{m}": 1} for m in range(4)]} for n in range(12)
    ]
    assert main_of(reading_of(data)).path == "."


def test_the_deepest_table_is_the_main_one_where_all_above_are_wrappers() -> None:
    data = {"runs": [{"suites": [{"cases": [{"name": f"c{n}", "took": n} for n in range(20)]}]} for _ in range(3)]}
    reading = reading_of(data)
    assert main_of(reading).path == ".runs[].suites[].cases[]"
    assert main_of(reading).count == 60


def test_a_table_inside_of_the_main_one_has_the_number_of_its_row() -> None:
    rows = [{"id": n, "text": "word " * 40, "tags": [{"t": "a"}] * (n % 3)} for n in range(20)]
    inner = table_named(reading_of({"posts": rows}), "items_tags")
    assert [column.name for column in inner.spec.columns] == ["_row", "t"]  # type: ignore[union-attr]


def test_tables_are_bounded() -> None:
    data = {f"t{chr(97 + n % 26)}{'x' * (n // 26)}": [{f"f{n % 7}": 1, "x": n}] * 3 for n in range(11)}
    many = {"main": [{"id": n, "text": "word " * 99} for n in range(99)]}
    wide = {f"group_{chr(97 + n)}": {**data, "text": str(n)} if n % 2 else {"inner": data} for n in range(9)}
    reading = reading_of({**many, **wide})
    assert len(reading.tables) == MOST_TABLES + 1


def test_columns_are_bounded() -> None:
    row = {f"{'a' * (n % 90 + 1)}{'b' * (n // 90)}": n for n in range(2_500)}
    reading = reading_of([row, row])
    assert len(names_of(main_of(reading))) <= MOST_COLUMNS


def test_objects_nested_deep_stay_one_column() -> None:
    value: dict[str, Any] = {"end": 1}
    for letter in "gfedcba":
        value = {letter: value, letter * 2: "x"}
    reading = reading_of([value] * 5)
    assert "a.b.c.d.e.f.g" in names_of(main_of(reading))
    assert rows_of(reading)[0]["a.b.c.d.e.f.g"] == {"end": 1}


def test_items_and_members_that_rows_lie_in_give_them_their_short_columns() -> None:
    data = {
        "groups": [
            {
                **{f"f{m}": f"{n}-{m}" for m in "abcdefgh"},
                "always": "same",
                "about": f"{n} " + "word " * 60,
                "rows": [{"id": m, "text": "word " * 60} for m in range(40)],
            }
            for n in range(6)
        ]
    }
    names = names_of(main_of(reading_of(data)))
    assert names == [*(f"groups.f{m}" for m in "abcdef"), "id", "text"]


def _host(n: int, pairs: int, findings: int, **more: Any) -> dict[str, Any]:
    items = [
        {"port": at, "severity": at % 5, "plugin": f"p{at}", "about": f"finding {at} " * 3} for at in range(findings)
    ]
    return {"name": f"h{n}", **more, "pairs": [{"k": f"key {at}", "v": "words"} for at in range(pairs)], "items": items}


def test_rows_that_say_much_are_the_main_table_inside_of_rows_that_say_little() -> None:
    hosts = [_host(n, 60, 30) for n in range(10)]
    assert main_of(reading_of({"report": {"hosts": hosts}})).path == ".report.hosts[].items[]"
    known = [_host(n, 6, 3, about="word " * 90, **{f"of_{letter}": n for letter in "abcdefgh"}) for n in range(10)]
    assert main_of(reading_of({"report": {"hosts": known}})).path == ".report.hosts"
    few = [_host(n, 400, 5) for n in range(10)]
    assert main_of(reading_of({"report": {"hosts": few}})).path != ".report.hosts[].items[]"
    pairs = [{"name": f"h{n}", "a": [{"k": n, "v": 1}] * 9, "b": [{"k": n, "w": 1}] * 9} for n in range(10)]
    assert main_of(reading_of({"hosts": pairs})).path == ".hosts"


def sampled(monkeypatch: pytest.MonkeyPatch, data: Any) -> Table:
    """The main table of a document of which a part is learned."""
    monkeypatch.setattr("penstock.core.json.whole.LARGEST_RETAINED", 1_000)
    monkeypatch.setattr("penstock.core.forms.json_values.MAX_EXACT", 1_000)
    monkeypatch.setattr("penstock.core.forms.json_values.SAMPLED", 16_000)
    monkeypatch.setattr("penstock.core.json.index.BATCH", 4_096)
    reading = reading_of(data)
    assert not reading.exact
    return main_of(reading)


def test_rows_of_an_array_or_a_map_are_counted_where_a_part_is_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"id": n, "name": f"name {n}", "kind": "ab"[n % 2]} for n in range(3_000)]
    for data in (rows, {"rows": rows, "page": 1}, {f"key{row['id']}": row for row in rows}):
        main = sampled(monkeypatch, data)
        assert main.count < main.rows == 3_000
        assert main.rows_text == "3,000"


def test_rows_inside_of_others_are_at_least_those_that_were_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = [
        {"g": n, "rows": [{"id": m, "name": f"name {m}", "kind": "ab"[m % 2]} for m in range(20)]} for n in range(200)
    ]
    main = sampled(monkeypatch, {"groups": groups})
    assert main.path == ".groups[].rows[]"
    assert main.about == "at least"
    assert 0 < main.rows < 4_000
    assert main.rows_text == f"at least {main.rows:,}"


def test_records_come_before_outlines_on_a_map() -> None:
    arcs = [[[n, m] for m in range(20)] for n in range(60)]
    lands = [{"type": "Polygon", "name": f"land {n}", "arcs": [n]} for n in range(30)]
    reading = reading_of({"type": "Topology", "objects": {"lands": {"geometries": lands}}, "arcs": arcs})
    assert main_of(reading).path == ".objects.lands.geometries"


def test_lines_of_code_in_findings_do_not_take_their_place() -> None:
    code = [[n, f"some code {n}"] for n in range(40)]
    data = [
        {"id": f"C{n}", "name": f"check {n}", "file": f"f{n}.tf", "resource": f"r{n}", "result": "failed", "code": code}
        for n in range(12)
    ]
    assert main_of(reading_of(data)).path == "."


def test_rows_that_say_much_are_the_main_table_even_if_they_are_hardly_more_than_the_rows_around_them() -> None:
    def instance(number: int) -> dict[str, Any]:
        return {"id": f"i-{number}", **{f"of_{letter}": f"{letter}{number % 3}" for letter in "abcdefghijk"}}

    reservations = [{"owner": "1", "id": f"r-{n}", "instances": [instance(n)] * (1 + n % 3 // 2)} for n in range(30)]
    assert main_of(reading_of({"reservations": reservations})).path == ".reservations[].instances[]"


def test_a_list_of_objects_texts_and_some_pairs_has_the_columns_of_the_objects() -> None:
    rows: list[Any] = [{"a": 1, "b": "x"}, "plain", {"a": 2, "b": "y"}, [1, 2]]
    assert names_of(main_of(reading_of(rows * 30))) == ["a", "b", "value"]


def test_rows_that_say_more_than_what_they_are_made_of_stay_the_table() -> None:
    steps = [{"name": f"step {n}", "result": "ok", "number": n, "log": "words " * 9} for n in range(8)]
    more = {f"of_{n}": n for n in range(9)}
    jobs = [{"id": n, "result": "ok", "name": f"job {n}", **more, "steps": steps} for n in range(20)]
    assert main_of(reading_of({"jobs": jobs})).path == ".jobs"
    assert main_of(reading_of({"jobs": [{"id": n, "steps": steps} for n in range(20)]})).path == ".jobs[].steps[]"


def test_findings_stay_the_table_though_the_steps_to_them_weigh_more() -> None:
    step = {"file": "a.py", "line": 3, "text": "a step on the way to it, in many words " * 4}
    findings = [
        {"rule": f"R{n % 5}", "level": ("error", "note")[n % 2], "at": n, "by": "x", "steps": [step] * 4}
        for n in range(30)
    ]
    assert main_of(reading_of({"runs": [{"results": findings}]})).path == ".runs[].results[]"
    groups = [{"rule": f"R{n}", "steps": [step] * 4} for n in range(30)]  # that say less than what lies in them
    assert main_of(reading_of({"runs": [{"results": groups}]})).path == ".runs[].results[].steps[]"


def test_records_come_before_lists_of_texts_unless_these_are_twice_as_heavy() -> None:
    audits = {f"audit-{n}": {"id": n, "title": f"title {n}", "score": n / 9} for n in range(60)}
    for size, path in ((20, ".audits"), (99, ".messages")):
        messages = {f"message {n}": [f"path {n} " + "x" * size] for n in range(60)}
        assert main_of(reading_of({"audits": audits, "messages": messages})).path.startswith(path)


def test_rows_whose_cells_stand_one_by_one_in_a_list_stay_rows() -> None:
    rows = [{"f": [{"v": f"2026-01-{1 + n % 28:02}"}, {"v": "DE"}, {"v": str(n)}]} for n in range(60)]
    assert main_of(reading_of({"rows": rows})).path == ".rows"


def test_far_more_rows_come_before_what_is_hardly_heavier() -> None:
    rules = [{"id": f"R{n}", "help": "word " * 40, "kind": "style"} for n in range(20)]
    results = [{"rule": f"R{n % 20}", "file": f"src/a{n % 9}.py", "line": n} for n in range(150)]
    reading = reading_of({"runs": [{"tool": {"rules": rules}, "results": results}]})
    assert main_of(reading).path == ".runs[].results[]"


def test_rows_that_say_little_give_way_to_the_few_inside_of_each_that_say_much() -> None:
    def instance(n: int) -> dict[str, Any]:
        return {"InstanceId": f"i-{n}", "Type": "small", "State": "running", "Zone": f"z{n % 3}", "Launched": n}

    data = {"Reservations": [{"Id": f"r-{n}", "Instances": [instance(n)] * (1 + n % 2)} for n in range(30)]}
    assert (main_of(reading_of(data)).path, main_of(reading_of(data)).count) == (".Reservations[].Instances[]", 45)


def test_a_name_in_camel_case_is_words() -> None:
    rows = [{"name": f"n{n}", "state": "up"} for n in range(9)]
    assert main_of(reading_of({"activeTargets": rows})).noun == "active targets"


def test_lines_of_streams_are_rows_but_lines_of_code_belong_to_their_frames() -> None:
    def labels(n: int) -> dict[str, str]:
        return {"app": f"a{n % 3}", "level": ["info", "error"][n % 2], "pod": f"p{n}"}

    lines = [[str(1_788_220_800_000_000_000 + at), f"a line of some stream, the {at}th"] for at in range(60)]
    streams = {"result": [{"stream": labels(n), "values": lines} for n in range(9)]}
    main = main_of(reading_of(streams))
    assert (main.path, main.count) == (".result[].values[]", 540)
    assert [one.name for one in main.fields][-2:] == ["c1", "c2"]
    frames = [{**labels(n), "vars": "x" * 400, "context": [[at, "code"] for at in range(9)]} for n in range(40)]
    assert main_of(reading_of({"frames": frames})).path == ".frames"


@pytest.mark.parametrize(
    ("steps", "noun"),
    [
        (("data", "issues", "nodes", EACH), "issues"),
        (("threads", "edges", EACH), "threads"),
        (("issues", EACH, "nodes", EACH), ""),
        (("hits", "hits", EACH), ""),
        (("edges", EACH), ""),
        (("releases", KEY, EACH), "releases"),
        (("testResults", EACH), "test results"),
        (("status", EACH), ""),
        ((), ""),
    ],
)
def test_rows_are_called_by_the_last_name_that_says_what_they_are(steps: Path, noun: str) -> None:
    assert row_noun(steps) == noun
