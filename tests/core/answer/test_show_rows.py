"""Rows are shown in the columns that tell most, one line each, in which no cell can be taken for two."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.answer.show_rows import columns_to_show, header_text, row_text, rows_to_show
from penstock.core.forms.document import read
from penstock.core.forms.recognise import read_form
from tests.kit import hostile_names as hostile


def shown(rows: Any) -> list[str]:
    main = read_form(read(json.dumps(rows))).main
    assert main is not None
    return [field.name for field in columns_to_show(main)]


@given(st.lists(hostile.cells, min_size=1, max_size=8))
def test_a_row_is_one_line_with_a_cell_for_each_column(cells: list[Any]) -> None:
    line = row_text(cells)
    assert line.count("|") == len(cells) - 1
    assert line.isprintable()
    line.encode()
    assert len(line) <= 1_500 * len(cells)  # each character may be an escape


@given(st.lists(st.text(), max_size=9), st.lists(st.text(), max_size=9))
def test_texts_that_differ_early_are_shown_differently(first: list[str], second: list[str]) -> None:
    sendable = [[text.encode("utf-8", "replace") for text in cells] for cells in (first, second)]
    if len(first) == len(second) and all(len(text) <= 60 for text in (*first, *second)):
        assert (row_text(list(first)) == row_text(list(second))) == (sendable[0] == sendable[1])


@pytest.mark.parametrize(
    ("cells", "line"),
    [
        ([1, None, True, 2.5, "a b"], "1||true|2.5|a b"),
        (["1", "", "null", " a"], '"1"|""|"null"|" a"'),
        ([["a", 1, None], [], {}, {"a": 1}], "[a, 1, null]|[]|{0 fields}|{1 fields}"),
        ([["a, b", "c"], ["a", "b, c"], ["x" * 30, None]], f'["a, b", c]|[a, "b, c"]|[{"x" * 16}…[+14], null]'),
        ([[1] * 7, [{"a": 1}], [[1]]], "[7 items]|[1 items]|[1 items]"),
        (["x" * 100, "y" * 100], f"{'x' * 32}…[+68]|{'y' * 52}…[+48]"),
        (["y" * 300], f"{'y' * 52}…[+248]"),
    ],
)
def test_cells_of_every_kind(cells: list[Any], line: str) -> None:
    assert row_text(cells) == line


@given(st.integers(1, 300))
def test_every_row_comes_once_the_first_the_last_and_a_middle_one_soon(count: int) -> None:
    order = order_of([{"name": f"n{at}"} for at in range(count)], count)
    assert sorted(order) == list(range(count))
    assert {0, count - 1, count // 2} <= set(order[:4])


def test_rows_with_the_most_of_something_come_before_the_last() -> None:
    rows = [{"name": f"n{at}", "bytes": at * 37 % 101, "took": at * 53 % 97} for at in range(90)]
    most = [max(range(90), key=lambda at: rows[at][name]) for name in ("bytes", "took")]  # type: ignore[arg-type, return-value]
    assert order_of(rows, 90)[:4] == [0, *most, 89]
    assert most[0] not in order_of(rows, 90, range(most[0]))  # of a long text some rows are not at hand


def test_of_a_sample_no_row_is_said_to_have_the_most() -> None:
    main = read_form(read(json.dumps([{"name": f"n{at}", "bytes": at * 37 % 101} for at in range(90)]))).main
    assert main is not None
    assert list(rows_to_show(replace(main, exact=False), range(90)))[:2] == [0, 89]


def order_of(rows: Any, count: int, at_hand: range | None = None) -> list[int]:
    main = read_form(read(json.dumps(rows))).main
    assert main is not None
    return list(rows_to_show(main, range(count) if at_hand is None else at_hand))


def test_what_a_row_is_known_by_comes_before_what_divides_it() -> None:
    rows = [
        {
            "created_at": f"2026-01-{n % 28 + 1:02}",
            "noise": f"{n * 7919 % 1000} noise",
            "status": "ab"[n % 2],
            "title": f"title {n}",
            "id": n,
            "always": "same",
            "empty": None,
        }
        for n in range(40)
    ]
    assert shown(rows) == ["created_at", "noise", "status", "title", "id"]
    wide = [
        {**row, **{f"{name} {at}": f"{name} {n} {at} words" for name in "abc" for at in range(9)}}
        for n, row in enumerate(rows)
    ]
    assert {"id", "title", "status", "created_at"} <= set(shown(wide))
    assert len(shown(wide)) <= 8


def test_rows_have_their_label_and_a_type_of_many_values_before_what_is_nearly_always_the_same() -> None:
    rows = [
        {
            "key": f"3014F711{n:016}",
            "liveUpdateState": "NOT SUPPORTED" if n > 1 else "DONE",
            "updateState": "UP TO DATE, ALL OF IT" if n > 2 else "OUTDATED",
            "type": f"SENSOR {n % 60}",
            "label": f"sensor of the large room {n}",
            "status": "unreached" if n == 7 else "reached",
        }
        for n in range(90)
    ]
    assert shown(rows) == ["key", "liveUpdateState", "type", "label", "status"]


def test_a_column_that_says_the_same_as_one_that_is_shown_is_left_out() -> None:
    rows: list[dict[str, Any]] = [
        {
            "path": f"src/m{n}/f{n}.py",
            "abs_path": f"/home/x/src/m{n}/f{n}.py",
            "name": f"f{n}.py",
            "file_path": f"src/m{n}/f{n}.py",
        }
        for n in range(30)
    ]
    assert shown(rows) == ["path", "name"]  # what stands before the name differs
    rows[0] |= {"abs_path": None, "file_path": 1}  # not all rows can be compared
    assert shown(rows) == ["path", "abs_path", "name", "file_path"]
    same = [{"path": "a/b.py", "abs_path": "/a/b.py", "n": n} for n in range(30)]
    assert shown([*same, {"path": "c", "abs_path": "/c", "n": 30}]) == [
        "path",
        "abs_path",
        "n",
    ]  # few rows tell nothing


def test_rows_have_the_id_that_is_called_like_them_and_the_short_one_of_two() -> None:
    code = "4438e7f8-9b94-4211-9314-ca798644"
    texts = [{f"text{m}": f"words of {n} {m}" for m in range(5)} for n in range(40)]
    instances = [{"ImageId": f"ami-{n:05}", "InstanceId": f"i-{n:05}", **row} for n, row in enumerate(texts)]
    assert shown({"instances": instances})[:2] == ["InstanceId", "text0"]
    assert "InstanceId" not in shown({"images": instances})
    issues = [{"id": f"{code}{n:04}", "identifier": f"ENG-{n}", "state": "ab"[n % 2], "x": "word"} for n in range(40)]
    assert shown(issues) == ["id", "identifier", "state"]
    telling = [{f"state_{m}": f"{'abc'[n % 3]} of them all {m}" for m in "pqrstu"} for n in range(40)]
    wide = [{**issue, **row} for issue, row in zip(issues, telling, strict=True)]
    assert "id" not in shown(wide)
    assert "identifier" in shown(wide)


def test_amounts_in_texts_are_shown_and_what_is_said_of_a_shared_thing_is_not() -> None:
    rows = [
        {
            "name": f"#{n}",
            "note": f"{n * 7919 % 1000} words",
            "price": f"{n * 37 % 900}.50",
            "tax": "0.00",
            "customer": {"name": f"c{n % 9}", "orders_count": n % 9 * 3 + 1},
            "more": {"a": n, "b": n, "c": n},
        }
        for n in range(60)
    ]
    few = shown(rows)
    assert "price" in few
    assert "customer.orders_count" not in few
    assert "tax" not in few


def test_codes_are_not_shown_however_their_column_is_called() -> None:
    code = "4438e7f8-9b94-4211-9314-ca798644"
    rows = [
        {
            "name": f"{code}{n:04}",
            "scanID": f"{code}000{n % 3}",
            "ruleID": f"R{n % 3}",
            **{f"text{m}": f"words of {n} {m}" for m in range(4)},
        }
        for n in range(40)
    ]
    assert shown(rows) == ["ruleID", "text0", "text1", "text2", "text3"]


def test_a_name_that_ends_like_a_label_is_nearly_one() -> None:
    rows = [{f"x{at}": f"x {n} {at} words" for at in range(9)} | {"user_name": f"u {n}", "a1": n} for n in range(40)]
    assert "user_name" in shown(rows)


def test_long_texts_come_last_and_very_long_ones_only_if_there_is_nothing_else() -> None:
    rows = [{"body": "word " * 30 + str(n), "id": n, "page": "words " * 90 + str(n)} for n in range(9)]
    assert shown(rows)[0] == "id"
    assert shown(rows)[-1] in ("body", "page")


def test_what_a_row_only_points_to_or_holds_is_not_shown() -> None:
    data = "aGVsbG8gd29ybGQsIHRoaXMgaXMgYmFzZTY0IGRhdGE" * 9
    rows = [
        {
            "id": n,
            "blob": data + str(n),
            "tags": ["a", "b"][: n % 3],
            "many": list(range(9)),
            "things": [{"a": [n]}] * 2,
            **{f"{name}_url": f"https://h/{n}" for name in "abcd"},
        }
        for n in range(9)
    ]
    assert shown(rows) == ["id", "tags"]
    few = [{"id": n, "html_url": f"https://h/{n}"} for n in range(9)]
    assert shown(few) == ["id", "html_url"]


def test_a_single_row_shows_values_that_are_always_so() -> None:
    assert shown([{"id": 1, "name": "a"}]) == ["id", "name"]


def test_names_in_the_header_are_made_harmless() -> None:
    main = read_form(read(json.dumps([{"a|b": n, "c\nd": str(n) * 9} for n in range(9)]))).main
    assert main is not None
    assert header_text(columns_to_show(main)) == '"a\\u007cb"|"c\\nd"'


def test_a_listing_shows_no_part_of_the_path_beside_it() -> None:
    lines = [f"-rw-r--r-- 1 root root {n} 2026-01-02 10:11 part{n % 3}/file{n}.txt" for n in range(60)]
    main = read_form(read("\n".join(lines))).main
    assert main is not None
    names = [field.name for field in columns_to_show(main)]
    assert "path" in names
    assert {"name", "folder", "extension"} & {field.name for field in main.fields}
    assert not {"name", "folder", "extension"} & set(names)


def test_a_row_is_known_by_its_file_and_line_however_deep_they_lie() -> None:
    rows = [
        {
            "rule": f"r{n % 3}",
            "text": f"finding {n}",
            "place": {
                "in": {"artifact": {"uri": f"src/a/f{n % 7}.py"}, "region": {"startLine": n, "endColumn": 80 - n}}
            },
        }
        for n in range(60)
    ]
    assert {"place.in.artifact.uri", "place.in.region.startLine"} <= set(shown(rows))


def test_a_row_without_a_name_is_known_by_the_first_short_texts_that_are_all_different() -> None:
    rows = [{"kind": "ab"[n % 2], "load": n / 7, "harbour": f"port {n}", "remark": f"remark {n}"} for n in range(40)]
    assert "harbour" in shown(rows)
    assert "harbour" not in shown([{**row, "harbour": "one"} for row in rows])


def test_ids_of_other_things_are_not_shown_unless_many_rows_share_them() -> None:
    rows = [{"id": n, "scanID": f"s{n}", "jobId": n % 3, "testId": f"T{n % 3}"} for n in range(40)]
    rows = [{**row, **dict.fromkeys(("cost", "size", "weight", "price"), n * 3)} for n, row in enumerate(rows)]
    assert "testId" in shown(rows)
    assert not {"scanID", "jobId"} & set(shown(rows))


def test_the_name_of_a_thing_that_rows_share_does_not_stand_for_their_own() -> None:
    user = {"name": "Ana", "team": "x"}
    rows = [
        {"number": n, "event": ("push", "merge")[n % 2], "title": f"title {n}", "made": f"2026-01-{1 + n % 28:02}"}
        | {"by": {"author": user | {"name": f"u{n % 3}"}, "owner": user | {"name": f"v{n % 4}"}}}
        for n in range(60)
    ]
    assert {"number", "event", "title"} <= set(shown(rows)[:4])


def test_an_id_that_is_the_key_of_its_row_is_not_shown_again() -> None:
    members = {f"audit-{n}": {"id": f"audit-{n}", "title": f"title {n}", "score": n * 3} for n in range(60)}
    assert shown(members) == ["key", "title", "score"]
    assert "id" in shown({key: {**one, "id": f"{key} by another name"} for key, one in members.items()})


def test_a_request_is_known_by_its_address_where_links_are_few() -> None:
    rows = [
        {"time": n * 7, "request": {"url": f"http://h/{n}", "size": n * 3}, "reply": {"status": 200 + n % 3, "size": n}}
        for n in range(60)
    ]
    assert "request.url" in shown(rows)


def test_a_long_command_is_shown_and_another_long_text_is_not() -> None:
    rows = [{"pid": n, "command": f"run {n} " * 90, "remark": f"note {n} " * 90} for n in range(40)]
    rows = [{**row, **dict.fromkeys(("cost", "size", "weight", "price"), n * 3)} for n, row in enumerate(rows)]
    assert "command" in shown(rows)
    assert "remark" not in shown(rows)


def test_plain_values_among_objects_are_shown() -> None:
    assert shown([{"id": 1, "name": "n"}, "plain"] * 20) == ["id", "name", "value"]
    assert "value" not in shown([*[{"id": 1, "name": f"n{n}"} for n in range(40)], "plain"])


def test_a_text_that_is_another_in_every_row_names_it_where_nothing_is_called_a_name() -> None:
    rows = [
        {
            "Priority": "ab"[n % 2],
            "Size": n * 7919 % 1000,
            "Arch": "xyz"[n % 3],
            "Multi": "mn"[n % 2],
            "Sum": n * 31 % 977,
            "etag": f"{n:040}",
            "Maintainer": f"someone {n % 30}",
            "Parcel": f"lib{n}",
        }
        for n in range(60)
    ]
    assert "Parcel" in shown(rows)
    assert "Parcel" not in shown([{**row, "name": f"n{n}"} for n, row in enumerate(rows)])
    assert shown([{"a": "x", "b": 1}, {"a": "y", "b": 2}]) == ["a", "b"]


def test_the_id_of_rows_is_shown_by_the_name_of_the_table() -> None:
    amounts = ("size", "cpu", "took", "cost", "hits", "views")
    rows = [{"InstanceId": f"i-{n}", "Name": f"n{n}", **dict.fromkeys(amounts, n * 7)} for n in range(30)]
    assert "InstanceId" in shown({"Instances": rows})
    assert "InstanceId" not in shown({"Volumes": rows})


def test_a_long_id_comes_behind_what_names_a_row_to_people() -> None:
    columns = {"title": "a title of some length, longer than ids", "path": "src/a", "state": "open", "priority": "p"}
    rows = [{"id": f"{n:036}", **{name: f"{text} {n % 7}" for name, text in columns.items()}} for n in range(30)]
    assert "id" not in shown(
        [{**row, "identifier": f"E-{n}", "kind": f"k{n % 4}", "risk": "ab"[n % 2]} for n, row in enumerate(rows)]
    )
    assert shown([{"id": n, "title": f"t{n}"} for n in range(30)])[0] == "id"


def test_a_column_that_is_nearly_empty_is_not_shown_beside_three_others() -> None:
    rows = [
        {"name": f"n{n}", "size": n * 7, "state": "ab"[n % 2], **({"build": 1} if n == 5 else {})} for n in range(60)
    ]
    assert shown(rows) == ["name", "size", "state"]
    assert "build" in shown([{key: row[key] for key in row if key != "state"} for row in rows])


def test_a_file_that_is_always_the_same_is_not_shown() -> None:
    rows = [{"name": f"n{n}", "size": n * 7, "log": {"filename": "job.log"}} for n in range(60)]
    assert "log.filename" not in shown(rows)


def test_the_title_in_rich_text_is_shown() -> None:
    rows = [{"id": f"{n:032}", "properties": {"Name": {"title": [{"plain_text": f"Title {n}"}]}}} for n in range(30)]
    assert "properties.Name.title[0].plain_text" in shown(rows)


def test_amounts_leave_room_for_what_names_a_row() -> None:
    amounts = ("virt", "res", "shr", "cpu", "mem", "took")
    rows = [{"pid": n, **dict.fromkeys(amounts, n * 7), "command": f"run {n}"} for n in range(60)]
    assert {"pid", "command"} <= set(shown(rows))


def test_the_row_with_the_greatest_amount_in_a_text_is_shown_soon() -> None:
    rows = [{"name": f"n{n}", "total": f"{n * 31 % 97}.50"} for n in range(60)]
    greatest = max(range(60), key=lambda n: float(rows[n]["total"]))
    assert order_of(rows, 60)[:2] == [0, greatest]


def test_titles_are_shown_before_addresses_and_a_second_time() -> None:
    rows = [
        {
            "id": str(n),
            "deal": {"dealname": f"Deal with {n} of them", "stage": ["won", "lost"][n % 2]},
            "url": f"https://deals.example.org/{n}/deal",
            "createdAt": f"2026-01-{n % 28 + 1:02}T10:00:00Z",
            "updatedAt": f"2026-02-{n % 28 + 1:02}T10:00:00Z",
            "closedAt": f"2026-03-{n % 28 + 1:02}T10:00:00Z",
        }
        for n in range(40)
    ]
    columns = shown(rows)
    assert {"id", "deal.dealname", "deal.stage", "createdAt"} <= set(columns)
    titled = [{"title": f"Number {n} it is", "summary": f"{n} of all these deals", **row} for n, row in enumerate(rows)]
    assert "title" in shown(titled)
    assert "url" not in shown(titled)
    assert "url" in shown([{key: row[key] for key in ("id", "url", "createdAt")} for row in rows])


def test_packages_are_shown_with_their_versions_and_records_without_the_number_of_theirs() -> None:
    rows = [
        {"name": f"p{n}", "ref": f"ref {n}", "purl": f"pkg:{n}", "hint": f"x{n}", "note": f"y{n}", "more": f"z{n}"}
        for n in range(40)
    ]
    assert "version" in shown([{**row, "version": f"1.{n}.0"} for n, row in enumerate(rows)])
    assert "version" not in shown([{**row, "version": n % 3} for n, row in enumerate(rows)])


def nodes_of(rule: int) -> list[dict[str, Any]]:
    return [{"html": f"<p>{rule} {n}</p>", "target": f"#t{n}", "impact": ["low", "high"][n % 2]} for n in range(9)]


def test_the_rule_that_rows_lie_in_is_shown_by_its_id() -> None:
    rules = [{"id": f"rule-{n}", "nodes": nodes_of(n)} for n in range(12)]
    assert "violations.id" in shown({"violations": rules})
