"""Calls to the tool itself use only parameters that exist, with values that they take, and never loosen the call."""

from __future__ import annotations

import json
import re
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.suggest.limits import rounded
from tests.core.suggesting import ask, matches, one

ROWS = matches(400)
EVEN = [{"name": f"item {n:04}", "text": "some words"} for n in range(400)]
DAYS = [{"found_at": f"{date(2024, 1, 1) + timedelta(n)}T10:30:00Z", "text": "some words"} for n in range(300)]
TEXT: dict[str, Any] = {"type": "string"}
TEXTS: dict[str, Any] = {"type": "array", "items": TEXT}
NUMBER: dict[str, Any] = {"type": "integer"}
SWITCH: dict[str, Any] = {"type": "boolean"}


def changed(data: Any, arguments: dict[str, Any] | None = None, **settings: Any) -> list[Any]:
    """What each suggestion changes in the arguments."""
    before = arguments or {}
    made = ask(data, arguments=before, **settings)
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
            ["limit", "fields", "includes", "exclude", "path", "since", "severity", "severities", "verbose"]
        ),
        parameters,
        min_size=2,
    )
)
def test_what_is_suggested_is_valid_by_a_second_opinion(properties: dict[str, Any]) -> None:
    for call in ask(ROWS[:120], share=0.3, most=20, **properties):
        [(name, value)] = call.arguments.items()
        assert is_valid(properties[name], value)


@given(number=st.integers(0, 10**7))
def test_a_rounded_number_is_a_little_less(number: int) -> None:
    assert number / 2 < rounded(number) + 0.1
    assert rounded(number) <= number


@pytest.mark.parametrize("name", ["limit", "max_results", "maxResults", "per_page", "PageSize", "first", "top", "n"])
def test_a_limit_is_as_large_as_fits_under_every_name(name: str) -> None:
    [change] = changed(EVEN, **{name: NUMBER})
    assert change == {name: 150}


@pytest.mark.parametrize(
    ("parameter", "expected"),
    [
        ({"type": "string"}, "150"),
        ({"anyOf": [NUMBER, {"type": "null"}], "default": None}, 150),
        ({"type": "integer", "maximum": 1_000, "default": 500}, 150),
        ({"type": "integer", "maximum": 100}, None),
        ({"type": "integer", "minimum": 200}, None),
        ({"type": "integer", "default": 100}, None),
        ({"type": "boolean"}, None),
        (False, None),
    ],
)
def test_a_limit_keeps_to_its_type_and_bounds_and_is_left_alone_if_it_limits_something_else(
    parameter: Any, expected: object
) -> None:
    assert changed(EVEN, limit=parameter) == ([] if expected is None else [{"limit": expected}])


def test_a_limit_that_was_given_is_lowered_but_never_raised() -> None:
    assert changed(EVEN, {"limit": 400}, limit=NUMBER) == [{"limit": 150}]
    assert changed(EVEN, {"limit": 10}, limit=NUMBER) == []
    assert changed(EVEN, {"per_page": 1_000}, limit=NUMBER, per_page=NUMBER) == [{"per_page": 150}]
    assert changed(["x" * 9_000, "y" * 9_000], limit=NUMBER, share=0.1) == []


def test_a_later_page_begins_no_later_when_pages_are_smaller() -> None:
    page = {"type": "integer", "maximum": 9}
    assert changed(EVEN, {"per_page": 400, "page": 3}, per_page=NUMBER, page=page) == [{"per_page": 150, "page": 6}]
    assert changed(EVEN, {"page": 3}, per_page=NUMBER, page=page) == [{"per_page": 150, "page": 6}]
    assert changed(EVEN, {"page": 1}, per_page=NUMBER, page=page) == [{"per_page": 150}]
    assert changed(EVEN, {"page": 6}, per_page=NUMBER, page=page) == []


def test_an_object_has_no_first_items() -> None:
    assert changed({"a": "x" * 9_000, "b": "y" * 9_000}, limit=NUMBER) == []
    assert changed({f"k{n}": {"n": n, "text": "x" * 90} for n in range(300)}, limit=NUMBER) != []


@pytest.mark.parametrize(
    ("name", "parameter", "expected"),
    [
        ("includes", TEXTS, ["lib/net/**"]),
        ("include", TEXTS, ["lib/net/**"]),
        ("include", TEXT, "lib/net/**"),
        ("globs", {"type": "string"}, "lib/net/**"),
        ("include_pattern", {}, "lib/net/**"),
        ("filePatterns", {}, ["lib/net/**"]),
        ("path", TEXT, "lib/net"),
        ("paths", TEXTS, ["lib/net"]),
        ("directory", {"type": ["string", "null"]}, "lib/net"),
    ],
)
def test_the_largest_directory_that_fits_is_asked_for_in_the_form_that_is_taken(
    name: str, parameter: Any, expected: object
) -> None:
    made = ask(ROWS, share=0.4, **{name: parameter})
    assert one(made, "lib/net").arguments == {name: expected}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["src/**"], ["src/server/**"]),
        (["**/*.ts"], ["src/server/**/*.ts"]),
        (["*.ts", "src/**/*.md"], ["src/server/**/*.ts", "src/server/**/*.md"]),
        (["src/server/api/**", "docs/**"], ["src/server/api/**"]),
        ("src/*", "src/server/**"),
        (["src/*/deep/*.ts"], None),
        (["docs/**"], None),
        ([3], None),
        ([], ["src/server/**"]),
    ],
)
def test_globs_that_were_given_stay_in_force_inside_the_directory(given: Any, expected: Any) -> None:
    rows = [{"file": f"src/{'server' if n % 3 == 0 else 'client'}/f{n}.ts", "text": "x " * 30} for n in range(200)]
    made = [call.arguments for call in ask(rows, arguments={"includes": given}, includes={})]
    assert ({"includes": expected} in made) == (expected is not None)
    assert all(call["includes"] != given for call in made)


@pytest.mark.parametrize(
    ("given", "prefix", "expected"),
    [
        (None, "", "server"),
        (".", "", "server"),
        ("src", "src/", "src/server"),
        ("/repo", "", "/repo/server"),
        ("/repo/", "/repo/", "/repo/server"),
        ("repo", "/home/repo/", "/home/repo/server"),
        ("other", "/home/repo/", None),
        ("one/file.ts", "", None),
        (["src"], "src/", "src/server"),
        ([], "", "server"),
        (7, "", "server"),
        (None, "file:///home/", "/home/server"),
        (None, "https://host/", None),
        (None, "C:\\code\\", "C:/code/server"),
    ],
)
def test_a_directory_to_look_in_lies_below_the_one_that_was_given(
    given: Any, prefix: str, expected: str | None
) -> None:
    separator = "\\" if "\\" in prefix else "/"
    rows = [
        {"path": f"{prefix}{'server' if n % 3 == 0 else 'lib'}{separator}f{n}.ts", "text": "x " * 30}
        for n in range(200)
    ]
    arguments = {} if given is None else {"path": given}
    made = [call.arguments["path"] for call in ask(rows, arguments=arguments, path={})]
    assert (expected in made) == (expected is not None)
    assert ask(rows, arguments=arguments, path=NUMBER) == ()


def test_directories_deeper_than_anyone_looks_are_counted_as_far_as_that() -> None:
    rows = [{"path": f"{'deep/' * 30 if n % 3 == 0 else 'flat/'}f{n}.ts", "text": "x " * 90} for n in range(200)]
    assert changed(rows, path=TEXT) == [{"path": "/".join(["deep"] * 30)}]


def test_absolute_directories_become_globs_that_match_wherever_they_begin() -> None:
    rows = [
        {"path": f"/home/me/repo/{'src/api' if n % 3 == 0 else 'lib'}/f{n}.ts", "text": "x " * 30} for n in range(200)
    ]
    made = ask(rows, include=TEXT)
    assert one(made, "src/api").arguments == {"include": "**/src/api/**"}
    assert changed(rows, {"include": "/home/me/**"}, include=TEXT)[-1] == {"include": "/home/me/repo/src/api/**"}


def test_names_that_a_glob_would_misread_are_left_to_paths() -> None:
    rows = [{"path": f"app/{'[id]' if n % 3 == 0 else 'lib'}/f{n}.ts", "text": "x " * 30} for n in range(300)]
    assert {"include": "app/lib/**"} in changed(rows, include=TEXT)
    assert {"path": "app/[id]"} in changed(rows, path=TEXT)
    assert all("[id]" not in str(change) for change in changed(rows, include=TEXT, exclude=TEXT))


def test_a_kind_of_files_is_asked_for_within_what_was_included() -> None:
    rows = [{"file": f"f/{n}.{'ts' if n % 4 else 'py'}", "text": "x " * 30} for n in range(200)]
    assert changed(rows, includes=TEXTS) == [{"includes": ["**/*.py"]}]
    assert changed(rows, {"includes": ["f/**"]}, includes=TEXTS) == [{"includes": ["f/**/*.py"]}]
    assert changed(rows, {"includes": ["*.ts", "*.py"]}, includes=TEXTS) == []


def test_a_version_at_the_end_of_a_path_is_no_kind_of_file() -> None:
    rows = [{"purl": f"pkg:pypi/name{n}@1.{n}.{'2' if n % 4 else '0'}", "text": "x " * 30} for n in range(200)]
    assert not [made for made in ask(rows, handle="r_x", includes=TEXTS) if " files" in made.why]


def test_directories_that_seldom_matter_are_excluded_beside_what_is_excluded_already() -> None:
    rows = [{"file": f"{'node_modules/x' if n % 4 else 'src'}/f{n}.ts", "text": "x " * 30} for n in range(200)]
    pattern = "**/node_modules/**"
    made = ask(rows, excludes=TEXTS)
    assert one(made, "node_modules").why == "150 items are under node_modules; without them 50 of 200 items are left"
    assert one(made, "node_modules").arguments == {"excludes": [pattern]}
    assert changed(rows, {"exclude": ["*.md"]}, exclude=TEXTS) == [{"exclude": ["*.md", pattern]}]
    assert changed(rows, {"exclude": [pattern]}, exclude=TEXTS) == []
    assert changed(rows, {"exclude": "*.md"}, exclude=TEXT) == []


def test_where_every_directory_matters_the_largest_may_be_excluded() -> None:
    rows = [{"file": f"{'src/a' if n % 4 else 'src/b'}/f{n}.ts", "text": "x " * 30} for n in range(200)]
    assert changed(rows, exclude=TEXT) == [{"exclude": "src/a/**"}]


@pytest.mark.parametrize(
    ("name", "parameter", "expected"),
    [
        ("severity", TEXT, "critical"),
        ("severity", {"enum": ["CRITICAL", "HIGH"]}, "CRITICAL"),
        ("severities", TEXTS, ["critical"]),
        ("Severity", {"type": "array", "items": {"enum": ["Critical", "Low"]}}, ["Critical"]),
        ("severity", NUMBER, None),
        ("severity", {"type": "string", "default": "critical"}, "high"),
        ("severity_level", TEXT, None),
    ],
)
def test_the_most_important_value_of_a_field_is_asked_for_by_a_parameter_of_its_name(
    name: str, parameter: Any, expected: object
) -> None:
    found = changed(ROWS, **{name: parameter})
    assert found[:1] == ([] if expected is None else [{name: expected}])


def test_a_value_that_was_asked_for_stays() -> None:
    assert changed(ROWS, {"severity": "low"}, severity=TEXT) == []
    assert changed(ROWS, {"severity": None}, severity=TEXT) != []
    assert changed(ROWS, {"severities": ["low", "high"]}, severities=TEXTS, share=0.3) == [{"severities": ["high"]}]
    assert changed(ROWS, {"severities": ["low"]}, severities=TEXTS) == []


def test_fields_of_other_types_are_values_too() -> None:
    rows = [{"archived": n % 5 == 0, "status": 500 if n % 9 == 0 else 200, "text": "x " * 30} for n in range(300)]
    assert {"archived": True} in changed(rows, archived=SWITCH)
    assert {"status": 500} in changed(rows, status=NUMBER)
    owned = [{"owner": {"login": "ab"[n % 7 == 0]}, "text": "x " * 30} for n in range(300)]
    assert changed(owned, login=TEXT) == changed(owned, login={"enum": ["b"]}) == [{"login": "b"}]
    assert changed(owned, owner_logins=TEXTS) == [{"owner_logins": ["b"]}]


@pytest.mark.parametrize(
    ("name", "parameter", "expected"),
    [
        ("since", TEXT, "2024-06-23"),
        ("since", {"type": "string", "description": "ISO 8601"}, "2024-06-23T00:00:00Z"),
        ("createdAfter", {"type": "string", "format": "date-time"}, "2024-06-23T00:00:00Z"),
        ("start_date", {"type": "string", "format": "date"}, "2024-06-23"),
        ("since", NUMBER, 1719100800),
        ("since_ms", NUMBER, None),
        ("start_time", {"type": "integer", "description": "in milliseconds"}, 1719100800000),
        ("after", TEXT, None),
        ("after", {"type": "string", "description": "A cursor"}, None),
        ("after", {"type": "string", "description": "Only after this date"}, "2024-06-23"),
        ("from", {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]}, "2024-06-23"),
        ("from", True, None),
        ("since", SWITCH, None),
    ],
)
def test_the_newest_items_are_asked_for_by_a_time_in_the_form_that_is_taken(
    name: str, parameter: Any, expected: object
) -> None:
    assert changed(DAYS, **{name: parameter}) == ([] if expected is None else [{name: expected}])


def test_a_time_that_was_given_is_never_moved_to_let_more_in() -> None:
    assert changed(DAYS, {"since": "2024-01-01"}, since=TEXT) == [{"since": "2024-06-23"}]
    assert changed(DAYS, {"since": "2024-12-20"}, since=TEXT) == []
    assert changed(DAYS, {"after": "2024-01-01"}, after=TEXT) == [{"after": "2024-06-23"}]


def test_the_oldest_items_are_asked_for_where_the_newest_cannot_be() -> None:
    [made] = ask(DAYS, until=TEXT)
    assert made.arguments == {"until": "2024-05-06"}
    assert "from before 2024-05-06" in made.why
    assert changed(DAYS, {"until": "2024-01-10"}, until=TEXT) == []
    assert changed(DAYS, until=TEXT, since=TEXT) == [{"since": "2024-06-23"}]


def test_times_in_numbers_are_asked_for_in_their_own_unit() -> None:
    rows = [{"ts": 1_700_000_000_000 + n * 60_000, "text": "x " * 30} for n in range(500)]
    [change] = changed(rows, since={})
    [number] = changed(rows, since=NUMBER)
    assert change == {"since": "2023-11-15T04:00:00Z"}
    assert number == {"since": 1_700_020_800_000}


def test_heavy_fields_are_left_out_by_naming_the_others() -> None:
    rows = [{"id": n, "name": f"n{n}", "html": "<p>x</p>" * 20, "body": "y " * 40} for n in range(100)]
    assert changed(rows, fields=TEXTS)[0] == {"fields": ["id", "name"]}
    assert changed(rows, select=TEXT)[0] == {"select": "id,name"}
    assert changed(rows, fields={"type": "array", "items": {"enum": ["id", "html"]}})[0] == {"fields": ["id"]}
    assert changed(rows, fields={"type": "array", "items": {"enum": ["html"]}}) == []
    assert changed(rows, {"fields": "id,html"}, fields=TEXT)[0] == {"fields": "id"}
    assert changed(rows, {"fields": ["id", "body"]}, fields=TEXTS)[0] == {"fields": ["id"]}
    assert changed(rows, {"fields": ["id"]}, fields=TEXTS) == changed(rows, fields=NUMBER) == []


def test_fields_inside_a_wrapper_and_items_of_very_many_fields_are_not_named() -> None:
    wrapped = [{"node": {"id": n, "html": "<p>x</p>" * 20}} for n in range(100)]
    wide = [{"html": "<p>x</p>" * 60, **{f"f{at}": n for at in range(25)}} for n in range(100)]
    assert changed(wrapped, fields=TEXTS) == changed(wide, fields=TEXTS) == []


@pytest.mark.parametrize("name", ["include_html", "withHtml", "raw_html", "verbose", "full", "include_content"])
def test_a_switch_that_adds_the_heavy_field_is_turned_off(name: str) -> None:
    rows = [
        {"id": n, "name": f"n{n}", "raw_html" if "content" not in name else "text": "<p>x</p>" * 20} for n in range(100)
    ]
    assert changed(rows, {name: True}, **{name: SWITCH}) == [{name: False}]
    assert changed(rows, **{name: {"type": "boolean", "default": True}}) == [{name: False}]
    assert changed(rows, **{name: SWITCH}) == changed(rows, {name: False}, **{name: SWITCH}) == []
    assert changed(rows, {"include_images": True}, include_images=SWITCH) == []


def tree(levels: int) -> dict[str, Any]:
    return {"name": f"level {levels}", "children": [tree(levels - 1) for _ in range(5)] if levels else []}


def test_a_tree_is_asked_for_to_the_depth_that_fits() -> None:
    depth = {"type": "integer", "minimum": 1}
    assert changed(tree(5), max_depth=depth, share=0.1)[-1] == {"max_depth": 3}
    assert changed(tree(5)["children"], levels=depth, share=0.1)[-1] == {"levels": 3}
    assert changed({"tree": tree(5)}, depth=depth, share=0.1)[-1] == {"depth": 3}
    assert changed(tree(5), {"depth": 4}, depth=depth, share=0.1)[-1] == {"depth": 3}
    assert changed(tree(5), {"depth": 1}, depth=depth) == changed(ROWS, depth=depth) == []


def test_recursion_is_turned_off_where_the_top_level_is_known() -> None:
    recursive = {"type": "boolean", "default": True}
    assert changed(tree(5), recursive=recursive) == [{"recursive": False}]
    files = {"files": [f"src/{'deep/er/' * (n % 3)}file{n}.ts" for n in range(300)]}
    [made] = ask(files, recursive=recursive)
    assert made.arguments == {"recursive": False}
    assert made.why == "100 of 300 files lie in src itself, the others below it"
    assert changed({"files": [f"{'deep/er/' * (n % 3)}file{n}.ts" for n in range(300)]}, recursive=recursive)
    assert changed(ROWS, recursive=recursive) == changed(files, recursive=SWITCH) == []


def test_a_text_is_asked_for_in_the_length_that_fits() -> None:
    text = "All work and no play makes a dull day. " * 900
    [length] = ask(text, max_length={"type": "integer", "exclusiveMaximum": 1_000_000})
    [tokens] = ask(text, max_tokens=NUMBER)
    assert length.why == f"the first {length.arguments['max_length']:,} characters of it fit"
    assert 0.35 * len(text) < length.arguments["max_length"] <= 0.425 * len(text)
    assert tokens.why == f"the first {tokens.arguments['max_tokens']:,} tokens by its count of it fit"
    assert changed(text, {"max_length": 500}, max_length=NUMBER) == changed(ROWS, max_length=NUMBER) == []


def test_lines_are_narrowed_by_what_they_begin_with() -> None:
    log = "\n".join(
        f"2024-05-{1 + n // 40:02} 10:00:{n % 60:02} {'ERROR' if n % 9 == 0 else 'INFO'} request {n} served"
        for n in range(800)
    )
    found = [f"src/{'ab'[n % 5 == 0]}/f.ts:{n}: const x = {n}" for n in range(800)]
    assert changed(log, level=TEXT) == [{"level": "ERROR"}]
    assert changed(log, since=TEXT) == [{"since": "2024-05-13"}]
    assert changed(log, lines=NUMBER) == [{"lines": 300}]
    assert changed("\n".join(found), glob=TEXT) == [{"glob": "src/b/**"}]
    assert changed(json.dumps(found), lines=NUMBER) == []


def test_rules_about_which_parameters_stand_together_are_kept() -> None:
    properties = {"limit": NUMBER, "severity": TEXT, "query": TEXT}
    rules = {"oneOf": [{"required": ["limit"], "type": "object"}, {"required": ["query"], "type": "object"}]}
    conditional = {"if": {"required": ["limit"]}, "then": {"required": ["query"]}}
    either = {"anyOf": [{"required": ["limit"]}, {"required": ["query"]}]}
    assert ask(EVEN, arguments={"query": "x"}, schema={"properties": properties, **rules}) == ()
    assert ask(EVEN, schema={"properties": properties, **conditional}) == ()
    assert [made.arguments for made in ask(EVEN, schema={"properties": properties, **either})] == [{"limit": 150}]


@pytest.mark.parametrize("schema", [{"properties": ["limit"]}, {"properties": {"limit": None}}, {}, True, "object", []])
def test_a_malformed_schema_offers_nothing(schema: Any) -> None:
    assert ask(EVEN, schema=schema) == ()
