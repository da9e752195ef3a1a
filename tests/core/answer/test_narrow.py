"""Calls to the tool itself use only parameters that exist, with values that they take, and never loosen the call."""

from __future__ import annotations

import json
import re
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.answer.narrow import EVERYTHING, MAX_ARGUMENTS, PATH, AdjustableCall, letters
from tests.kit.strategies import values
from tests.kit.suggestions import ask, matches, narrower

ROWS = matches(400)
DAYS = [{"found_at": f"{date(2024, 1, 1) + timedelta(n)}T10:30:00Z", "text": f"some words {n}"} for n in range(300)]
TEXT: dict[str, Any] = {"type": "string"}
TEXTS: dict[str, Any] = {"type": "array", "items": TEXT}
NUMBER: dict[str, Any] = {"type": "integer"}
SWITCH: dict[str, Any] = {"type": "boolean"}


def changed(data: Any, arguments: dict[str, Any] | None = None, **settings: Any) -> list[Any]:
    """What each narrower call changes in the arguments."""
    before = arguments or {}
    made = narrower(data, arguments=before, **settings)
    assert all(call.about for call in made)
    return [{name: value for name, value in call.arguments.items() if before.get(name) != value} for call in made]


plain = (
    st.fixed_dictionaries(
        {"type": st.sampled_from(["integer", "number"])},
        optional={"minimum": st.integers(0, 60), "maximum": st.integers(0, 60), "default": st.integers(0, 400)},
    )
    | st.fixed_dictionaries(
        {"type": st.just("string")},
        optional={
            "enum": st.lists(st.sampled_from(["critical", "HIGH", "low", "src/**", "lib/net"]), min_size=1),
            "format": st.sampled_from(["date", "date-time"]),
            "maxLength": st.integers(0, 30),
        },
    )
    | st.just({"type": "boolean", "default": True})
)
parameters = st.recursive(
    plain,
    lambda inner: (
        st.fixed_dictionaries({"type": st.just("array"), "items": inner}, optional={"maxItems": st.integers(0, 5)})
        | st.lists(inner, min_size=1, max_size=2).map(lambda some: {"anyOf": [*some, {"type": "null"}]})
    ),
    max_leaves=3,
)
TYPES: dict[str, type | tuple[type, ...]] = {
    "integer": int,
    "number": (int, float),
    "string": str,
    "boolean": bool,
    "array": list,
    "null": type(None),
}


def is_valid(schema: dict[str, Any], value: Any) -> bool:
    """A second opinion on whether a value is valid, for the keywords of ``parameters``."""
    if "anyOf" in schema:
        return any(is_valid(inner, value) for inner in schema["anyOf"])
    if not isinstance(value, TYPES[schema["type"]]) or (isinstance(value, bool) and schema["type"] != "boolean"):
        return False
    if isinstance(value, list):
        return len(value) <= schema.get("maxItems", 99) and all(is_valid(schema["items"], item) for item in value)
    if isinstance(value, str):
        form = {"date": r"\d{4}-\d\d-\d\d", "date-time": r"\d{4}-\d\d-\d\dT[\d:]{8}Z"}.get(
            schema.get("format", ""), ".*"
        )
        return (
            value in schema.get("enum", [value])
            and len(value) <= schema.get("maxLength", 999)
            and re.fullmatch(form, value) is not None
        )
    return isinstance(value, bool) or schema.get("minimum", 0) <= value <= schema.get("maximum", float("inf"))


@settings(max_examples=50)
@given(
    properties=st.dictionaries(
        st.sampled_from(
            ["limit", "fields", "includes", "exclude", "path", "since", "severity", "severitys", "verbose"]
        ),
        parameters,
        min_size=2,
    )
)
def test_what_is_suggested_is_valid_by_a_second_opinion(properties: dict[str, Any]) -> None:
    for call in narrower(ROWS[:120], share=0.3, **properties):
        [(name, value)] = call.arguments.items()
        assert is_valid(properties[name], value)


def test_what_a_narrower_call_costs_is_the_part_of_the_rows_it_asks_for() -> None:
    [made] = narrower(ROWS, severity=TEXT)
    value = made.arguments["severity"]
    part = [row for row in ROWS if row["severity"] == value]
    assert made.why == f"{len(part):,} of 400 have severity {value}"
    whole, some = len(json.dumps(ROWS)), len(json.dumps(part))
    [same] = narrower(ROWS, severity=TEXT, arguments={"query": "x"})
    assert same.arguments == {"query": "x", "severity": value}
    assert same.tokens == made.tokens
    assert abs(made.tokens / some - narrower(ROWS, severity={"enum": ["low"]})[0].tokens / whole) < 1


def test_a_part_that_does_not_fit_or_is_nearly_all_is_not_asked_for() -> None:
    assert narrower(ROWS, severity=TEXT, share=0.01) == []
    most = [{"kind": "a" if n % 50 else "b", "text": f"some words {n}"} for n in range(300)]
    assert changed(most, kind=TEXT, share=2.0) == [{"kind": "b"}]
    single = [{"kind": "b" if n == 7 else "a", "text": f"some words {n}"} for n in range(300)]
    assert changed(single, kind=TEXT, share=2.0) == []


@pytest.mark.parametrize(
    ("name", "parameter", "expected"),
    [
        ("includes", TEXTS, ["src/components/**"]),
        ("include", TEXTS, ["src/components/**"]),
        ("include", TEXT, "src/components/**"),
        ("globs", {"type": "string"}, "src/components/**"),
        ("include_pattern", {}, "src/components/**"),
        ("filePatterns", {}, ["src/components/**"]),
        ("path", TEXT, "src/components"),
        ("paths", TEXTS, ["src/components"]),
        ("directory", {"type": ["string", "null"]}, "src/components"),
    ],
)
def test_the_largest_directory_that_fits_is_asked_for_in_the_form_that_is_taken(
    name: str, parameter: Any, expected: object
) -> None:
    [made] = narrower([row for row in ROWS if "node_modules" not in row["file"]], share=0.4, **{name: parameter})
    assert made.arguments == {name: expected}
    assert re.fullmatch(r"\d+ of \d+ \w+ are under src/components", made.why)


@pytest.mark.parametrize("given", [["src/**"], "**/*.ts", [3], 7])
def test_globs_that_were_given_are_not_replaced(given: Any) -> None:
    rows = [{"file": f"src/{'server' if n % 3 == 0 else 'client'}/f{n}.ts", "text": "x " * 30} for n in range(200)]
    assert changed(rows, {"includes": given}, includes={}) == []
    assert changed(rows, includes={"default": given}) == []


@pytest.mark.parametrize("given", [[], "", "**", ["**/*"]])
def test_a_glob_for_all_files_is_replaced_by_one_for_a_directory(given: Any) -> None:
    rows = [{"file": f"src/{'server' if n % 3 == 0 else 'client'}/f{n}.ts", "text": "x " * 30} for n in range(200)]
    assert changed(rows, {"includes": given}, includes={}) == [{"includes": ["src/server/**"]}]
    assert changed(rows, includes={"default": given}) == [{"includes": ["src/server/**"]}]


def test_the_next_parameter_is_tried_if_the_first_does_not_accept_the_value() -> None:
    rows = [{"file": f"src/{'server' if n % 3 == 0 else 'client'}/f{n}.ts", "text": "x " * 30} for n in range(200)]
    assert changed(rows, glob=NUMBER, path=NUMBER, dir=TEXT) == [{"dir": "src/server"}]


def test_a_glob_is_not_used_next_to_a_directory_that_it_may_begin_at() -> None:
    rows = [{"file": f"src/{'server' if n % 3 == 0 else 'client'}/f{n}.ts", "text": "x " * 30} for n in range(200)]
    assert changed(rows, {"path": "src"}, path=TEXT, include=TEXT) == [{"path": "src/server"}]
    assert changed(rows, {"path": "."}, path=TEXT, include=TEXT) == [{"include": "src/server/**"}]


@pytest.mark.parametrize(
    ("given", "prefix", "expected"),
    [
        (None, "", "server"),
        (".", "", "server"),
        ("src", "src/", "src/server"),
        ("/repo", "", "/repo/server"),
        ("/repo/", "/repo/", "/repo/server"),
        ("repo", "/home/repo/", None),
        ("other", "/home/repo/", None),
        ("one/file.ts", "", None),
        (["src"], "src/", None),
        ([], "", "server"),
        (7, "", None),
        (".\\src\\", "src/", "src/server"),
        ("./src", "", "src/server"),
        (None, "https://host/", None),
        (None, "./", "server"),
    ],
)
def test_a_directory_to_look_in_lies_below_the_one_that_was_given(
    given: Any, prefix: str, expected: str | None
) -> None:
    rows = [{"path": f"{prefix}{'server' if n % 3 == 0 else 'lib'}/f{n}.ts", "text": "x " * 30} for n in range(200)]
    arguments = {} if given is None else {"path": given}
    made = [call.arguments["path"] for call in narrower(rows, arguments=arguments, path={})]
    assert made == ([] if expected is None else [expected])
    assert narrower(rows, arguments=arguments, path=NUMBER) == []


def test_absolute_directories_are_not_written_as_globs() -> None:
    rows = [
        {"path": f"/home/me/repo/{'src/api' if n % 3 == 0 else 'lib'}/f{n}.ts", "text": "x " * 30} for n in range(200)
    ]
    assert changed(rows, include=TEXT) == []
    assert changed(rows, include=TEXT, path=TEXT) == [{"path": "/home/me/repo/src"}]


def test_a_place_in_a_tree_is_asked_for_by_a_parameter_for_paths_although_it_is_no_file() -> None:
    rows = [{"path": f"/{'Sea' if n % 3 else 'Island'}/Rock {n}", "text": "x " * 30} for n in range(200)]
    assert changed(rows, path=TEXT) == [{"path": "/Island"}]


def test_names_that_a_glob_would_misread_are_left_to_paths() -> None:
    rows = [{"path": f"app/{'lib' if n % 20 else '[id]'}/f{n}.ts", "text": "x " * 30} for n in range(300)]
    assert changed(rows, include=TEXT, share=0.1) == []
    assert changed(rows, path=TEXT, share=0.1) == [{"path": "app/[id]"}]


def test_directories_of_generated_files_are_excluded_if_nothing_is_excluded_already() -> None:
    rows = [{"file": f"{'node_modules/x' if n % 4 else 'src'}/f{n}.ts", "text": "x " * 30} for n in range(200)]
    pattern = "**/node_modules/**"
    [made] = narrower(rows, excludes=TEXTS)
    assert re.fullmatch(r"150 of 200 \w+ are under node_modules; this leaves them out", made.why)
    assert made.arguments == {"excludes": [pattern]}
    assert changed(rows, {"exclude": ["*.md"]}, exclude=TEXTS) == []
    assert changed(rows, exclude={"type": "array", "default": ["*.md"]}) == []


@pytest.mark.parametrize(
    ("parameter", "given"),
    [
        ("exclude", ["**/node_modules/**"]),
        ("exclude", ["*.ts"]),
        ("include", ["src/**"]),
        ("path", "src"),
        ("states", ["open", "new"]),
    ],
)
def test_argument_that_did_not_narrow_the_answer_is_not_changed(parameter: str, given: Any) -> None:
    rows = [
        {
            "file": f"{'node_modules/x' if n % 4 else 'src/a'}/f{n}.ts",
            "states": ["open", "closed", "new"][n % 3],
            "text": "x " * 30,
        }
        for n in range(200)
    ]
    schema = {"type": "array"} if isinstance(given, list) else TEXT
    assert changed(rows, **{parameter: schema})
    assert changed(rows, {parameter: given}, **{parameter: schema}) == []


@pytest.mark.parametrize(
    ("name", "parameter", "expected"),
    [
        ("severity", TEXT, "medium"),
        ("severity", {"enum": ["CRITICAL", "HIGH"]}, "HIGH"),
        ("severitys", TEXTS, ["medium"]),
        ("Severity", {"type": "array", "items": {"enum": ["CRITICAL", "LOW"]}}, ["CRITICAL"]),
        ("severity", NUMBER, None),
        ("severity", {"type": "string", "default": "medium"}, "high"),
        ("severity_level", TEXT, None),
    ],
)
def test_the_largest_value_that_fits_is_asked_for_by_a_parameter_of_its_columns_name(
    name: str, parameter: Any, expected: object
) -> None:
    assert changed(ROWS, share=0.4, **{name: parameter}) == ([] if expected is None else [{name: expected}])


def test_a_value_that_was_asked_for_stays() -> None:
    assert changed(ROWS, {"severity": "low"}, severity=TEXT) == []
    assert changed(ROWS, {"severity": None}, severity=TEXT) != []
    assert changed(ROWS, {"severitys": ["low", "high"]}, severitys=TEXTS) == []
    assert changed(ROWS, {"severitys": []}, severitys=TEXTS) != []


def test_values_of_other_types_and_of_inner_objects_are_asked_for_too() -> None:
    rows = [{"archived": n % 5 == 0, "status": 500 if n % 9 == 0 else 200, "text": f"x {n}"} for n in range(300)]
    assert changed(rows, archived=SWITCH) == [{"archived": True}]
    assert changed(rows, status=NUMBER) == [{"status": 500}]
    owned = [{"owner": {"login": "ab"[n % 7 == 0]}, "text": f"x {n}"} for n in range(300)]
    assert changed(owned, login=TEXT) == changed(owned, login={"enum": ["b"]}) == [{"login": "b"}]
    assert changed(owned, owner_logins=TEXTS) == [{"owner_logins": ["b"]}]


@pytest.mark.parametrize(
    ("parameter", "arguments", "expected"),
    [
        (NUMBER, {}, [{"limit": 100}]),
        ({"type": "integer", "maximum": 60}, {}, [{"limit": 50}]),
        (NUMBER, {"limit": 500}, [{"limit": 100}]),
        (NUMBER, {"limit": 50}, []),  # More rows came than the call asked for.
        (NUMBER, {"limit": "many"}, []),
        (TEXT, {}, []),
    ],
)
def test_the_first_rows_are_asked_for_if_the_tool_has_a_limit(
    parameter: Any, arguments: dict[str, Any], expected: list[dict[str, Any]]
) -> None:
    rows = [{"text": f"some words {n:04}"} for n in range(400)]
    assert changed(rows, share=0.3, limit=parameter, arguments=arguments) == expected


def test_a_limit_of_the_tool_is_no_value_to_ask_for() -> None:
    rows = [{"depth": at % 3, "kind": "xyz"[at % 3], "text": f"some words {at}"} for at in range(400)]
    assert changed(rows, depth=NUMBER) == []
    assert changed(rows, depth=NUMBER, kind=TEXT) == [{"kind": "x"}]


@pytest.mark.parametrize(
    ("name", "parameter", "expected"),
    [
        ("since", TEXT, "2024-08-13T00:00:00Z"),
        ("since", {"type": "string", "format": "date"}, "2024-08-13"),
        ("date_from", TEXT, "2024-08-13"),
        ("date_from", {"type": "string", "format": "date-time"}, "2024-08-13T00:00:00Z"),
        ("createdAfter", {"type": "string", "format": "date-time"}, None),
        ("start_date", {"type": "string", "format": "date"}, None),
        ("since", {"type": ["string", "null"]}, "2024-08-13T00:00:00Z"),
        ("since", NUMBER, None),
        ("after", TEXT, None),
        ("since", SWITCH, None),
        ("since", True, "2024-08-13T00:00:00Z"),
    ],
)
def test_the_newest_items_are_asked_for_by_a_time_in_the_form_that_is_taken(
    name: str, parameter: Any, expected: object
) -> None:
    found = changed(DAYS, **{name: parameter})
    assert found == ([] if expected is None else [{name: expected}])


def test_a_time_that_was_given_is_never_moved_to_let_more_in() -> None:
    later = "2024-08-13T00:00:00Z"
    assert changed(DAYS, {"since": "2024-01-01"}, since=TEXT) == [{"since": later}]
    assert changed(DAYS, since={"type": "string", "default": "2024-01-01"}) == [{"since": later}]
    assert changed(DAYS, {"since": "2024-12-20"}, since=TEXT) == []
    assert changed(DAYS, {"since": "2024-01-09"}, since=TEXT) == []  # The rows show that it did not narrow.
    assert changed(DAYS, {"since": "two weeks ago"}, since=TEXT) == []
    same = [{"at": "2024-05-01T10:00:00Z", "text": f"some words {n}"} for n in range(100)]
    assert changed(same, {"since": "2024-05-01T10:00:00Z"}, since=TEXT) == []


@pytest.mark.parametrize(
    ("name", "description", "field", "is_meant"),
    [
        ("since", "", "created_at", True),
        ("since", "", "updated_at", False),
        ("since", "Only issues updated after this", "updated_at", True),
        ("since", "Only issues updated after this", "created_at", False),
        ("updated_after", "", "updatedAt", True),
        ("created_after", "", "updated_at", False),
    ],
)
def test_a_parameter_for_another_time_is_not_used(name: str, description: str, field: str, *, is_meant: bool) -> None:
    rows = [{field: row["found_at"], "text": row["text"]} for row in DAYS]
    found = changed(rows, **{name: {"type": "string", "description": description}})
    assert bool(found) == is_meant


def test_a_time_is_the_start_of_a_day_if_that_narrows_and_else_a_second() -> None:
    minutes = [{"at": f"2024-01-01T{n // 60:02}:{n % 60:02}:30Z", "text": f"some words {n}"} for n in range(600)]
    assert changed(minutes, since=TEXT) == [{"since": "2024-01-01T07:30:30Z"}]
    parts = [{"at": f"2024-01-01T00:00:00.{n:03}Z", "text": f"some words {n}"} for n in range(300)]
    assert changed(parts, since=TEXT) == []


def test_without_times_that_part_the_rows_no_time_is_asked_for() -> None:
    same = [{"at": "2024-01-01", "text": f"some words {n}"} for n in range(300)]
    assert changed(same, since=TEXT) == []
    assert changed(DAYS, since=TEXT, share=0.001) == []
    sparse = [{"text": f"some words {n}", **({"at": f"2024-01-0{n % 9 + 1}"} if n % 2 else {})} for n in range(300)]
    assert changed(sparse, since=TEXT) == []


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 10**9), min_size=12, max_size=60), st.floats(0.1, 0.9))
def test_all_rows_from_the_time_on_are_those_that_are_told(seconds: list[int], share: float) -> None:
    rows = [{"at": f"{date(2000, 1, 1) + timedelta(seconds=n)}T00:00:00Z", "text": f"words {n}"} for n in seconds]
    for made in narrower(rows, since=TEXT, share=share):
        wanted = made.arguments["since"][:10]
        some = sum(row["at"][:10] >= wanted for row in rows)
        assert made.why.startswith(f"{some:,} of {len(rows):,} are from {wanted} on, by at")


def test_lines_are_narrowed_by_what_they_say() -> None:
    log = "\n".join(
        f"2024-05-{1 + n // 40:02} 10:00:{n % 60:02} {'ERROR' if n % 9 == 0 else 'INFO'} request {n} served"
        for n in range(800)
    )
    assert changed(log, level=TEXT) == [{"level": "ERROR"}]
    found = [f"src/{'ab'[n % 5 == 0]}/f.ts:{n + 1}: const x = {n}" for n in range(800)]
    assert changed("\n".join(found), glob=TEXT) == [{"glob": "src/b/**"}]


def test_rules_about_which_parameters_stand_together_are_kept() -> None:
    properties = {"severity": TEXT, "query": TEXT}
    rules = {"oneOf": [{"required": ["severity"], "type": "object"}, {"required": ["query"], "type": "object"}]}
    conditional = {"if": {"required": ["severity"]}, "then": {"required": ["query"]}}
    either = {"anyOf": [{"required": ["severity"]}, {"required": ["query"]}]}
    assert narrower(ROWS, arguments={"query": "x"}, schema={"properties": properties, **rules}) == []
    assert narrower(ROWS, schema={"properties": properties, **conditional}) == []
    assert len(narrower(ROWS, schema={"properties": properties, **either})) == 1


@pytest.mark.parametrize("schema", [{"properties": ["file"]}, {"properties": {"file": None}}, {}, True, "object", []])
def test_a_malformed_schema_offers_nothing(schema: Any) -> None:
    assert [one for one in ask(ROWS, schema=schema) if one.tool == "search"] == []


@given(values, values)
def test_any_arguments_and_any_schema_make_a_call(arguments: Any, schema: Any) -> None:
    call = AdjustableCall(arguments, schema)
    assert all(one.in_force not in EVERYTHING for one in call.parameters)


def test_a_name_is_the_same_in_every_spelling() -> None:
    assert {letters(name) for name in ("maxResults", "max_results", "max-results", "MAX RESULTS")} == {"maxresults"}


def test_parameters_in_use_come_first_then_those_with_the_clearest_name() -> None:
    schema = {"properties": {"dir": TEXT, "paths": TEXT, "path": TEXT, "other": TEXT}}
    assert [one.name for one in AdjustableCall({}, schema).named(PATH)] == ["path", "paths", "dir"]
    assert [one.name for one in AdjustableCall({"dir": "a"}, schema).named(PATH)] == ["dir", "path", "paths"]


@pytest.mark.parametrize("extra", ["x" * MAX_ARGUMENTS, {1, object()}, "\ud800"])
def test_arguments_too_long_or_impossible_to_write_are_not_repeated(extra: Any) -> None:
    assert changed(ROWS, {"other": extra}, severity=TEXT) == []
